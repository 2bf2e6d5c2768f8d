// SPDX-License-Identifier: LGPL-2.1-or-later
/* Text into a buffer of a fixed size. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

/* What is left of the buffer; 0 when it is full. */
static size_t text_room(const struct text *text)
{
	return text->length < text->size ? text->size - text->length : 0;
}

void text_start(struct text *text, char *buf, size_t size)
{
	text->buf = buf;
	text->size = size;
	text->length = 0;
	if (size)
		buf[0] = '\0';
}

void text_add(struct text *text, const char *format, ...)
{
	size_t room = text_room(text);
	va_list args;
	int count;

	va_start(args, format);
	count = vsnprintf(room ? text->buf + text->length : NULL, room, format,
			  args);
	va_end(args);
	if (count > 0)
		text->length += (size_t)count;
}

void text_bytes(struct text *text, const char *bytes, size_t count)
{
	size_t room = text_room(text);
	size_t fits = count;

	if (room) {
		if (fits > room - 1)
			fits = room - 1;
		memcpy(text->buf + text->length, bytes, fits);
		text->buf[text->length + fits] = '\0';
	}
	text->length += count;
}
