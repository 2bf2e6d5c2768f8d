// SPDX-License-Identifier: LGPL-2.1-or-later
/* Errors of the library: the table's look-up and its formatting. */
#include <stdarg.h>
#include <stdio.h>

#include "error.h"

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
	vsnprintf(err->text, sizeof(err->text), entry->format, args);
	va_end(args);
}

void error_hint(struct trapline_error *err, const char *format, ...)
{
	va_list args;

	if (!err)
		return;
	va_start(args, format);
	vsnprintf(err->hint, sizeof(err->hint), format, args);
	va_end(args);
}
