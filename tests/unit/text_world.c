// SPDX-License-Identifier: GPL-2.0-only
/* See text_world.h. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "text_world.h"

static locale_t utf8(void)
{
	static locale_t locale;

	if (!locale)
		locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	assert_true(locale);
	return locale;
}

void text_is_printable(const char *text, size_t length)
{
	locale_t before = uselocale(utf8());
	mbstate_t state = { 0 };
	size_t at, count;

	for (at = 0; at < length; at += count) {
		wchar_t wide;

		count = mbrtowc(&wide, text + at, length - at, &state);
		/* 0 is a NUL, the largest two are invalid and cut */
		if (count - 1 >= 4 || wide < 0x20 ||
		    (wide >= 0x7f && wide <= 0x9f) || wide == 0x2028 ||
		    wide == 0x2029 || (wide >= 0xd800 && wide <= 0xdfff) ||
		    wide > 0x10ffff)
			fail_msg("byte %zu of \"%s\" is not printable", at,
				 text);
	}
	uselocale(before);
}
