// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Strings of a trace come from anywhere. Printed, they must neither break the
 * line (one record is one line) nor reach the terminal as a command.
 */
#include <stdbool.h>
#include <stdint.h>

#include "text.h"

/*
 * Length of the valid UTF-8 character at @bytes, with its number in @point;
 * 0 if there is none: bad lead or continuation byte, overlong, surrogate, past
 * U+10FFFF, cut.
 */
static size_t utf8_length(const unsigned char *bytes, size_t count,
			  uint32_t *point)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length, i;
	uint32_t value;

	if (bytes[0] < 0x80) {
		*point = bytes[0];
		return 1;
	}
	if (bytes[0] >= 0xc2 && bytes[0] <= 0xdf)
		length = 2;
	else if (bytes[0] >= 0xe0 && bytes[0] <= 0xef)
		length = 3;
	else if (bytes[0] >= 0xf0 && bytes[0] <= 0xf4)
		length = 4;
	else
		return 0;
	if (length > count)
		return 0;
	value = bytes[0] & (0x7f >> length);
	for (i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (bytes[i] & 0x3f);
	}
	if (value < smallest[length] || value > 0x10ffff ||
	    (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*point = value;
	return length;
}

/* Characters that end a line or that a terminal takes for a command. */
static bool breaks_line(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point <= 0x9f) ||
	       point == 0x2028 || point == 0x2029;
}

static bool is_in_the_way(enum escape_set set, uint32_t point)
{
	switch (set) {
	case ESCAPE_QUOTED:
		return point == '"' || point == '\\';
	case ESCAPE_CHARACTER:
		return point == '\'' || point == '\\';
	case ESCAPE_FRAME:
		return point == '<' || point == '[' || point == ']' ||
		       point == '\\';
	case ESCAPE_PLAIN:
		break;
	}
	return false;
}

static void escape_byte(struct text *text, unsigned char byte)
{
	switch (byte) {
	case '\n':
		text_bytes(text, "\\n", 2);
		break;
	case '\t':
		text_bytes(text, "\\t", 2);
		break;
	case '\r':
		text_bytes(text, "\\r", 2);
		break;
	case '"':
		text_bytes(text, "\\\"", 2);
		break;
	case '\'':
		text_bytes(text, "\\'", 2);
		break;
	case '\\':
		text_bytes(text, "\\\\", 2);
		break;
	default:
		text_add(text, "\\x%02x", byte);
	}
}

void escape_text(struct text *text, const char *bytes, size_t count,
		 enum escape_set set)
{
	const unsigned char *at = (const unsigned char *)bytes;
	size_t plain = 0; /* bytes before @at that need nothing */

	while (count) {
		uint32_t point = 0;
		size_t length = utf8_length(at, count, &point);
		bool escape = !length || breaks_line(point) ||
			      is_in_the_way(set, point);

		if (!length)
			length = 1;
		count -= length;
		if (!escape) {
			at += length;
			plain += length;
			continue;
		}
		text_bytes(text, (const char *)at - plain, plain);
		plain = 0;
		while (length--)
			escape_byte(text, *at++);
	}
	text_bytes(text, (const char *)at - plain, plain);
}
