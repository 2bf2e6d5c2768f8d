// SPDX-License-Identifier: GPL-2.0-only
/* Messages to the user, on stderr. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "report.h"

#define INDENT "  "

/* Said once, by an option, and asked wherever something is reported. */
static bool as_json;

void report_as_json(void)
{
	as_json = true;
}

/* A member of an object that is not its first one. */
static void json_text(const char *name, const char *text)
{
	fprintf(stderr, ", \"%s\": ", name);
	if (text)
		json_string(stderr, text);
	else
		fputs("null", stderr);
}

static void json_number(const char *name, unsigned int number)
{
	if (number)
		fprintf(stderr, ", \"%s\": %u", name, number);
	else
		fprintf(stderr, ", \"%s\": null", name);
}

/* One message; @line is the definition, or NULL. Columns are counted from 1. */
static void print_json(const char *file, unsigned int number, const char *line,
		       const struct trapline_error *err)
{
	fprintf(stderr, "{\"code\": %d", err->code);
	json_text("name", err->code ? trapline_error_name(err->code) :
				      "message");
	json_text("file", file);
	json_number("line", number);
	json_number("column", line ? (unsigned int)(err->column + 1) : 0);
	json_number("length", line && err->column >= 0 ?
			      (unsigned int)err->length : 0);
	json_text("text", err->text);
	json_text("proposal", err->hint[0] ? err->hint : NULL);
	json_text("definition", line);
	fputs("}\n", stderr);
}

void report(const char *format, ...)
{
	struct trapline_error err = { .column = -1 };
	va_list args;

	va_start(args, format);
	if (as_json) {
		vsnprintf(err.text, sizeof(err.text), format, args);
		print_json(NULL, 0, NULL, &err);
	} else {
		fputs("trapline: ", stderr);
		vfprintf(stderr, format, args);
		fputc('\n', stderr);
	}
	va_end(args);
}

static void print_hint(const struct trapline_error *err)
{
	if (err->hint[0])
		fprintf(stderr, INDENT "hint: %s\n", err->hint);
}

void report_error(const struct trapline_error *err)
{
	if (as_json) {
		print_json(NULL, 0, NULL, err);
		return;
	}
	report("%s", err->text[0] ? err->text : "it failed, without a reason");
	print_hint(err);
}

/* A terminal must not take a byte of the line for a command. */
static char printable(char c)
{
	unsigned char byte = (unsigned char)c;

	return byte == '\t' || (byte >= 0x20 && byte != 0x7f) ? c : '?';
}

/* Is there one of the controls from 0x80 on (C1), as UTF-8 has them? */
static int is_control(const char *at, size_t left)
{
	return left > 1 && (unsigned char)at[0] == 0xc2 &&
	       (unsigned char)at[1] >= 0x80 && (unsigned char)at[1] <= 0x9f;
}

static void print_line(const char *line, size_t length)
{
	size_t i;

	fputs(INDENT, stderr);
	for (i = 0; i < length; i++) {
		if (!is_control(line + i, length - i)) {
			fputc(printable(line[i]), stderr);
			continue;
		}
		/* one character of two bytes, for the caret too */
		fputc('?', stderr);
		i++;
	}
	fputc('\n', stderr);
}

/* Is the byte the second or a later one of a character of UTF-8? */
static int is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* A tab stays one, so that the caret stands right whatever its width. */
static void print_caret(const char *line, size_t length,
			const struct trapline_error *err)
{
	size_t column = (size_t)err->column, i;

	if (column > length)
		column = length;
	fputs(INDENT, stderr);
	for (i = 0; i < column; i++)
		if (!is_continuation(line[i]))
			fputc(line[i] == '\t' ? '\t' : ' ', stderr);
	fputc('^', stderr);
	for (i = column + 1; i < length && i < column + (size_t)err->length;
	     i++)
		if (!is_continuation(line[i]))
			fputc('~', stderr);
	fputc('\n', stderr);
}

void report_line_error(const char *file, unsigned int number,
		       const char *line, const struct trapline_error *err)
{
	size_t length = strcspn(line, "\r\n");

	if (as_json) {
		print_json(file, number, line, err);
		return;
	}
	print_line(line, length);
	if (err->column >= 0)
		print_caret(line, length, err);
	if (file)
		fprintf(stderr, "trapline: %s:%u: %s\n", file, number,
			err->text);
	else
		report("%s", err->text);
	print_hint(err);
}
