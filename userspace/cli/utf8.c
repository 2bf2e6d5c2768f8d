// SPDX-License-Identifier: GPL-2.0-only
/* See utf8.h. */
#include "utf8.h"

static bool is_between(unsigned char c, unsigned char low, unsigned char high)
{
	return c >= low && c <= high;
}

/* Bytes of the character of UTF-8 at @at beyond ASCII; 0: it is none. */
static size_t length_of(const unsigned char *at)
{
	size_t length, i;

	if (is_between(at[0], 0xc2, 0xdf))
		length = 2;
	else if (is_between(at[0], 0xe0, 0xef))
		length = 3;
	else if (is_between(at[0], 0xf0, 0xf4))
		length = 4;
	else
		return 0;
	for (i = 1; i < length; i++)
		if (!is_between(at[i], 0x80, 0xbf))
			return 0;
	/* longer than it must be, half of a pair, or beyond the last one */
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return length;
}

size_t utf8_step(const char *text, bool *good)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t length;

	if (*at < 0x80) {
		*good = *at == '\t' || (*at >= 0x20 && *at != 0x7f);
		return 1;
	}
	length = length_of(at);
	/* U+0080 to U+009F are controls (C1), U+2028 and U+2029 end lines */
	*good = length && !(at[0] == 0xc2 && at[1] <= 0x9f) &&
		!(at[0] == 0xe2 && at[1] == 0x80 && (at[2] & 0xfe) == 0xa8);
	return length ? length : 1;
}
