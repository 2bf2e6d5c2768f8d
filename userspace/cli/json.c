// SPDX-License-Identifier: GPL-2.0-only
/* See json.h. */
#include <stdbool.h>
#include <stddef.h>

#include "json.h"
#include "utf8.h"

/* Of what is not good: one byte, a control of two, or the end of a line of three. */
static void json_number(FILE *stream, const char *text, size_t length)
{
	const unsigned char last = (unsigned char)text[length - 1];

	fprintf(stream, "\\u%04x", length == 3 ? 0x2000 | (last & 0x3f) : last);
}

void json_string(FILE *stream, const char *text)
{
	bool good;
	size_t length;

	fputc('"', stream);
	for (; *text; text += length) {
		length = utf8_step(text, &good);
		if (!good || *text == '\t') {
			json_number(stream, text, length);
			continue;
		}
		if (*text == '"' || *text == '\\')
			fputc('\\', stream);
		fwrite(text, 1, length, stream);
	}
	fputc('"', stream);
}
