// SPDX-License-Identifier: LGPL-2.1-or-later
/* Errors of the library: the table's look-up and its formatting. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "text.h"

struct error_entry {
	int code;
	const char *name;
	const char *format;
};

#define ERROR_ENTRY(number, name, id, text) { number, id, text },
static const struct error_entry error_table[] = { ERROR_LIST(ERROR_ENTRY) };
#undef ERROR_ENTRY

static const struct error_entry *error_find(int code)
{
	size_t i;

	for (i = 0; i < sizeof(error_table) / sizeof(error_table[0]); i++)
		if (error_table[i].code == code)
			return &error_table[i];
	return NULL;
}

const char *trapline_error_name(int code)
{
	const struct error_entry *entry = error_find(code);

	return entry ? entry->name : "unknown";
}

/* What does not fit ends before the character that would be cut. */
static void cut_at_character(char *buf, size_t size)
{
	size_t end = size - 1;

	while (end && ((unsigned char)buf[end - 1] & 0xc0) == 0x80)
		end--;
	if (end && (unsigned char)buf[end - 1] >= 0x80)
		end--;
	buf[end] = '\0';
}

/*
 * A text shows parts of a line that may come from anywhere: a file of
 * definitions must not reach the terminal as a command.
 */
static void format_printable(char *buf, size_t size, const char *format,
			     va_list args)
{
	char raw[sizeof(((struct trapline_error *)NULL)->text)];
	struct text text;

	vsnprintf(raw, sizeof(raw), format, args);
	text_start(&text, buf, size);
	escape_text(&text, raw, strlen(raw), ESCAPE_PLAIN);
	if (text.length >= size)
		cut_at_character(buf, size);
}

/* What the kernel refuses is shown under the place only if that is the reason. */
bool trapline_error_is_place(const struct trapline_error *err)
{
	switch (err->code) {
	case ERR_PLACE_BLACKLIST:
	case ERR_PLACE_NOINSTR:
	case ERR_PLACE_INIT:
	case ERR_PLACES_REFUSED:
		return true;
	case ERR_KERNEL:
		return err->column >= 0;
	default:
		return false;
	}
}

void error_set(struct trapline_error *err, enum error_code code, int column,
	       int length, ...)
{
	const struct error_entry *entry = error_find(code);
	va_list args;

	if (!err)
		return;
	err->code = code;
	err->column = column;
	err->length = length;
	err->os_errno = 0;
	err->text[0] = '\0';
	err->hint[0] = '\0';
	if (!entry)
		return;
	va_start(args, length);
	format_printable(err->text, sizeof(err->text), entry->format, args);
	va_end(args);
}

void error_hint(struct trapline_error *err, const char *format, ...)
{
	va_list args;

	if (!err)
		return;
	va_start(args, format);
	format_printable(err->hint, sizeof(err->hint), format, args);
	va_end(args);
}
