// SPDX-License-Identifier: GPL-2.0-only
/* Messages to the user, on stderr. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "report.h"
#include "utf8.h"

#define INDENT "  "
/* of a line that is wrong, around what is */
#define SHOWN_BYTES 2000

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

/* A terminal must not take a byte of somebody's text for a command. */
static void print_text(const char *text, size_t length)
{
	size_t i, step;
	bool good;

	for (i = 0; i < length; i += step) {
		step = utf8_step(text + i, &good);
		if (good)
			fwrite(text + i, 1, step, stderr);
		else
			fputc('?', stderr);
	}
}

static void report_list(const char *before, const char *format, va_list args)
{
	struct trapline_error err = { .column = -1 };
	char *text;

	if (as_json) {
		format += strspn(format, " ");
		vsnprintf(err.text, sizeof(err.text), format, args);
		print_json(NULL, 0, NULL, &err);
		return;
	}
	fputs(before, stderr);
	if (vasprintf(&text, format, args) >= 0) {
		print_text(text, strlen(text));
		free(text);
	}
	fputc('\n', stderr);
}

void report(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report_list("trapline: ", format, args);
	va_end(args);
}

void report_more(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report_list("", format, args);
	va_end(args);
}

static void print_hint(const struct trapline_error *err)
{
	if (err->hint[0])
		report_more(INDENT "hint: %s", err->hint);
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

/**
 * struct part - what is shown of a line
 * @line: the line
 * @length: of it
 * @start: first byte that is shown
 * @end: behind the last one
 */
struct part {
	const char *line;
	size_t length;
	size_t start;
	size_t end;
};

static struct part choose_part(const char *line,
			       const struct trapline_error *err)
{
	struct part part = { .line = line, .length = strcspn(line, "\r\n") };
	const size_t column = err->column > 0 ? (size_t)err->column : 0;
	bool good;

	if (part.length > SHOWN_BYTES)
		while (part.start < part.length &&
		       part.start + SHOWN_BYTES / 2 < column)
			part.start += utf8_step(line + part.start, &good);
	part.end = part.start;
	while (part.end < part.length && part.end < part.start + SHOWN_BYTES)
		part.end += utf8_step(line + part.end, &good);
	return part;
}

static void print_line(const struct part *part)
{
	fputs(INDENT, stderr);
	if (part->start)
		fputs("...", stderr);
	print_text(part->line + part->start, part->end - part->start);
	if (part->end < part->length)
		fputs("...", stderr);
	fputc('\n', stderr);
}

/*
 * One column for each character, or byte that is none, as print_text() shows
 * them. A tab stays one, so that the caret stands right whatever its width.
 */
static void print_caret(const struct part *part,
			const struct trapline_error *err)
{
	const size_t column = (size_t)err->column;
	const size_t behind = column + (size_t)err->length;
	size_t at = part->start, step = 0;
	bool good;

	fputs(INDENT, stderr);
	if (part->start)
		fputs("   ", stderr);
	for (; at < part->end; at += step) {
		step = utf8_step(part->line + at, &good);
		if (at + step > column)
			break;
		fputc(part->line[at] == '\t' ? '\t' : ' ', stderr);
	}
	fputc('^', stderr);
	if (at < part->end)
		at += step;
	for (; at < part->end && at < behind; at += step) {
		step = utf8_step(part->line + at, &good);
		fputc('~', stderr);
	}
	fputc('\n', stderr);
}

void report_line_error(const char *file, unsigned int number,
		       const char *line, const struct trapline_error *err)
{
	struct part part;

	if (as_json) {
		print_json(file, number, line, err);
		return;
	}
	part = choose_part(line, err);
	print_line(&part);
	if (err->column >= 0)
		print_caret(&part, err);
	if (file)
		report("%s:%u: %s", file, number, err->text);
	else
		report("%s", err->text);
	print_hint(err);
}
