// SPDX-License-Identifier: GPL-2.0-only
/* See json.h. */
#include <stdbool.h>
#include <stddef.h>

#include "json.h"

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

void json_string(FILE *stream, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	fputc('"', stream);
	while (*at) {
		size_t length = *at < 0x80 ? 1 : length_of(at);

		if (!length || *at < 0x20 || *at == 0x7f) {
			fprintf(stream, "\\u%04x", *at++);
			continue;
		}
		if (*at == '"' || *at == '\\')
			fputc('\\', stream);
		fwrite(at, 1, length, stream);
		at += length;
	}
	fputc('"', stream);
}
