// SPDX-License-Identifier: GPL-2.0-only
/* The definitions that a user gives. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "definitions.h"
#include "report.h"

/* one more than the longest line that the language has */
#define LINE_ROOM 65537

static void out_of_memory(void)
{
	report("out of memory");
	exit(EXIT_FAILED);
}

static struct definition *add(struct definitions *defs, const char *text,
			      size_t length)
{
	struct definition *grown, *item;

	grown = realloc(defs->items, (defs->count + 1) * sizeof(*grown));
	if (!grown)
		out_of_memory();
	defs->items = grown;
	item = &grown[defs->count++];
	memset(item, 0, sizeof(*item));
	item->text = malloc(length + 1);
	if (!item->text)
		out_of_memory();
	memcpy(item->text, text, length);
	item->text[length] = '\0';
	item->nul = strlen(item->text) < length ? (int)strlen(item->text) : -1;
	return item;
}

void definitions_add(struct definitions *defs, const char *text)
{
	add(defs, text, strlen(text));
}

/*
 * The next line into @line, of LINE_ROOM bytes, without its end; -1: there is none.
 * One that is too long is cut where that is plain.
 */
static int read_line(FILE *stream, char *line)
{
	int length = 0, c = EOF;

	while (length < LINE_ROOM && (c = getc(stream)) != EOF && c != '\n')
		line[length++] = (char)c;
	return !length && c == EOF ? -1 : length;
}

/* Up to the end, or a line that is too long: who knows what follows. */
static int add_stream(struct definitions *defs, FILE *stream, const char *name)
{
	unsigned int number = 0;
	char *line = malloc(LINE_ROOM);
	int length = 0, failed;

	if (!line)
		out_of_memory();
	errno = 0;
	while (length < LINE_ROOM && (length = read_line(stream, line)) >= 0) {
		struct definition *item = add(defs, line, (size_t)length);

		item->file = name;
		item->number = ++number;
	}
	failed = ferror(stream) || (length < 0 && !feof(stream));
	if (failed)
		report("%s: %s", name, strerror(errno ? errno : EIO));
	free(line);
	return failed ? -1 : 0;
}

int definitions_add_file(struct definitions *defs, const char *path)
{
	FILE *stream;
	int rc;

	if (!strcmp(path, "-"))
		return add_stream(defs, stdin, "<stdin>");
	stream = fopen(path, "re");
	if (!stream) {
		report("%s: %s", path, strerror(errno));
		return -1;
	}
	rc = add_stream(defs, stream, path);
	fclose(stream);
	return rc;
}

/* A deletion is done at once; 0 for what is none, -1 for a wrong one. */
static int delete_above(struct definitions *defs, size_t index,
			struct trapline_error *err)
{
	struct trapline_event **events = calloc(index + 1, sizeof(*events));
	size_t i;
	int rc;

	if (!events)
		out_of_memory();
	for (i = 0; i < index; i++)
		events[i] = defs->items[i].event;
	rc = trapline_events_delete(defs->items[index].text, events, index,
				    err);
	for (i = 0; i < index; i++)
		defs->items[i].event = events[i];
	free(events);
	return rc;
}

static int parse_one(struct definitions *defs, size_t index,
		     const struct trapline_symbols *symbols)
{
	struct definition *item = &defs->items[index];
	struct trapline_error err = { .column = -1 };
	int deleted;

	if (item->nul >= 0) {
		/* what stands behind it would be ignored without a word */
		err.column = item->nul;
		err.length = 1;
		snprintf(err.text, sizeof(err.text),
			 "a NUL byte in a definition");
	} else {
		deleted = delete_above(defs, index, &err);
		if (deleted > 0 ||
		    (!deleted && !trapline_event_parse(item->text, symbols,
						       &item->event, &err)))
			return 0;
	}
	definitions_error(item, &err);
	return -1;
}

void definitions_error(struct definition *item,
		       const struct trapline_error *err)
{
	report_line_error(item->file, item->number, item->text, err);
	if (!trapline_error_is_place(err))
		return;
	free(item->refusal);
	item->refusal = strdup(err->text);
	if (!item->refusal)
		out_of_memory();
}

size_t definitions_refused(const struct definitions *defs)
{
	size_t count = 0, i;

	for (i = 0; i < defs->count; i++)
		count += defs->items[i].refusal != NULL;
	return count;
}

void definitions_note_refused(const struct definitions *defs)
{
	const size_t refused = definitions_refused(defs);
	size_t count = 0, i;

	if (!refused)
		return;
	for (i = 0; i < defs->count; i++)
		count += defs->items[i].event || defs->items[i].refusal;
	report("the kernel refuses %zu of %zu events; the others are traced",
	       refused, count);
}

void definitions_list_refused(const struct definitions *defs)
{
	size_t i;

	for (i = 0; i < defs->count; i++) {
		const struct definition *item = &defs->items[i];

		if (item->refusal)
			report("not traced: %.*s: %s",
			       (int)strcspn(item->text, "\r\n"), item->text,
			       item->refusal);
	}
}

/* Of each line what the library has noticed. */
static void note_events(const struct definitions *defs)
{
	size_t i;

	for (i = 0; i < defs->count; i++) {
		const struct trapline_event *event = defs->items[i].event;
		const char *note = event ? trapline_event_note(event) : NULL;

		if (note)
			report("note: %s: %s", trapline_event_name(event), note);
	}
}

void definitions_note(const struct definitions *defs)
{
	size_t i;

	note_events(defs);

	for (i = 0; i < defs->count; i++) {
		const struct trapline_event *event = defs->items[i].event;
		const char *line = event ? trapline_event_line(event) : "";

		if (line[strspn(line, " \t\v\f\r")] != 'f')
			continue;
		report("note: f events are armed as p and r are");
		return;
	}
}

size_t definitions_parse(struct definitions *defs,
			 const struct trapline_symbols *symbols)
{
	size_t wrong = 0, i;

	for (i = 0; i < defs->count; i++) {
		if (parse_one(defs, i, symbols))
			wrong++;
	}
	return wrong;
}

size_t definitions_events(const struct definitions *defs)
{
	size_t count = 0, i;

	for (i = 0; i < defs->count; i++)
		if (defs->items[i].event)
			count++;
	return count;
}

void definitions_free(struct definitions *defs)
{
	size_t i;

	for (i = 0; i < defs->count; i++) {
		if (!defs->items[i].is_taken)
			trapline_event_free(defs->items[i].event);
		free(defs->items[i].refusal);
		free(defs->items[i].text);
	}
	free(defs->items);
	defs->items = NULL;
	defs->count = 0;
}
