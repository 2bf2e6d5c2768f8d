// SPDX-License-Identifier: GPL-2.0-only
/* See json.h. */
#include <stdbool.h>
#include <stddef.h>

#include "json.h"
#include "utf8.h"

void json_string(FILE *stream, const char *text)
{
	bool good;
	size_t length;

	fputc('"', stream);
	for (; *text; text += length) {
		length = utf8_step(text, &good);
		if (!good || *text == '\t') {
			/* the number of a control of two bytes is its last one */
			fprintf(stream, "\\u%04x",
				(unsigned char)text[length - 1]);
			continue;
		}
		if (*text == '"' || *text == '\\')
			fputc('\\', stream);
		fwrite(text, 1, length, stream);
	}
	fputc('"', stream);
}
