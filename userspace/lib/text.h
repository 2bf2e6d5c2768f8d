/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text into a buffer of a fixed size, counted on when it is full, so that a
 * caller learns the length that it needs, as from snprintf().
 */
#ifndef TRAPLINE_TEXT_H
#define TRAPLINE_TEXT_H

#include <stddef.h>

/**
 * struct text - a buffer that is being filled
 * @buf: where to; NULL is allowed with a @size of 0
 * @size: of @buf; it always ends with a NUL if it is not 0
 * @length: characters that the whole text has so far
 */
struct text {
	char *buf;
	size_t size;
	size_t length;
};

/** text_start() - begin an empty text */
void text_start(struct text *text, char *buf, size_t size);
/** text_add() - append, a format of printf() */
void text_add(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** text_bytes() - append bytes as they are */
void text_bytes(struct text *text, const char *bytes, size_t count);

/** enum escape_set - what must be escaped besides what would break a line */
enum escape_set {
	ESCAPE_PLAIN,	/* nothing: the name of a task */
	ESCAPE_QUOTED,	/* " and \ too: a string between quotes */
	ESCAPE_CHARACTER, /* ' and \ too: a character between quotes */
	ESCAPE_FRAME,	/* < [ ] and \ too: a name in a stack */
};

/**
 * escape_text() - append bytes that somebody else chose, on one line
 * @text: where to
 * @bytes: they need not be valid UTF-8 and may have NULs
 * @count: how many
 * @set: what to escape
 *
 * Valid UTF-8 stays as it is, except for characters that control a terminal
 * or end a line (C0, DEL, C1, U+2028, U+2029); those and invalid bytes become
 * "\xNN" for each byte, or "\n", "\t", "\r".
 */
void escape_text(struct text *text, const char *bytes, size_t count,
		 enum escape_set set);

#endif
