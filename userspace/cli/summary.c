// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table at the end of a trace. Hits and records always have a column, a
 * kind of loss has one if there was any, so that what is there is worth
 * reading. All numbers are exact once the session is stopped, but nmissed.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "summary.h"

struct row {
	const struct trapline_event *event;	/* NULL: all of them */
	char name[160];
	struct trapline_stats stats;
	uint64_t overwritten;
	uint64_t instances;
	char refusal[sizeof(((struct trapline_error *)0)->text)];
};

#define COLUMN(title, member, always) \
	{ title, offsetof(struct row, member), always, "0" }
/* what is no count of hits: only some events have it, and there is no sum */
#define COLUMN_SIZE(title, member) \
	{ title, offsetof(struct row, member), 0, "-" }

static const struct column {
	const char *title;
	size_t offset;
	int always;
	const char *zero;
} columns[] = {
	COLUMN_SIZE("instances", instances),
	COLUMN("entries", stats.entries, 0),
	COLUMN("hits", stats.hits, 1),
	COLUMN("recorded", stats.recorded, 1),
	COLUMN("filtered", stats.filtered, 0),
	COLUMN("full", stats.full, 0),
	COLUMN("wrapped", stats.wrapped, 0),
	COLUMN("too-big", stats.too_big, 0),
	COLUMN("recursion", stats.recursion, 0),
	COLUMN("not-running", stats.not_running, 0),
	COLUMN("overwritten", overwritten, 0),
	COLUMN("faults", stats.faults, 1),
	COLUMN("truncated", stats.truncated, 1),
	COLUMN("nmissed*", stats.nmissed, 1),
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(columns[0]))

static const char footnote[] =
	"* the kernel's own inexact count of hits that never reached "
	"trapline; not part of hits\n";

static const char before_start[] =
	"  not-running: hits after an event was armed, before all were started\n";

static uint64_t cell(const struct row *row, size_t column)
{
	uint64_t value;

	memcpy(&value, (const char *)row + columns[column].offset,
	       sizeof(value));
	return value;
}

static int width_of(uint64_t value)
{
	return snprintf(NULL, 0, "%" PRIu64, value);
}

/* Width of each column; 0 for one that is not shown. */
static void measure(const struct row *rows, size_t count, int *widths)
{
	size_t column, i;

	for (column = 0; column < COLUMN_COUNT; column++) {
		int width = (int)strlen(columns[column].title);
		int shown = columns[column].always;

		for (i = 0; i < count; i++) {
			int needed = width_of(cell(&rows[i], column));

			if (needed > width)
				width = needed;
			if (cell(&rows[i], column))
				shown = 1;
		}
		widths[column] = shown ? width : 0;
	}
}

static void print_cell(const struct row *row, size_t column, int width)
{
	const uint64_t value = cell(row, column);

	if (value)
		fprintf(stderr, "  %*" PRIu64, width, value);
	else
		fprintf(stderr, "  %*s", width, columns[column].zero);
}

static void print_table(const struct row *rows, size_t count)
{
	int widths[COLUMN_COUNT], name_width = (int)strlen("event");
	size_t column, i;

	measure(rows, count, widths);
	for (i = 0; i < count; i++)
		if ((int)strlen(rows[i].name) > name_width)
			name_width = (int)strlen(rows[i].name);
	fprintf(stderr, "%-*s", name_width, "event");
	for (column = 0; column < COLUMN_COUNT; column++)
		if (widths[column])
			fprintf(stderr, "  %*s", widths[column],
				columns[column].title);
	fputc('\n', stderr);
	for (i = 0; i < count; i++) {
		fprintf(stderr, "%-*s", name_width, rows[i].name);
		for (column = 0; column < COLUMN_COUNT; column++)
			if (widths[column])
				print_cell(&rows[i], column, widths[column]);
		fputc('\n', stderr);
	}
	fputs(footnote, stderr);
	/* the last row is the sum */
	if (rows[count - 1].stats.not_running)
		fputs(before_start, stderr);
}

static void name_row(struct row *row, const struct trapline_event *event)
{
	const char *group = trapline_event_group(event);

	/* those that no line has named are not shown */
	if (strcmp(group, "kprobes") && strcmp(group, "tracepoints"))
		snprintf(row->name, sizeof(row->name), "%s/%s", group,
			 trapline_event_name(event));
	else
		snprintf(row->name, sizeof(row->name), "%s",
			 trapline_event_name(event));
}

/*
 * What was recorded and not printed was in packets that were overwritten. (Or
 * damaged, which nobody has seen yet.)
 */
static void count_overwritten(struct row *rows, unsigned int events,
			      const uint64_t *printed)
{
	struct row *total = &rows[events];
	unsigned int i;

	for (i = 0; i < events; i++) {
		const int number = trapline_event_number(rows[i].event);

		rows[i].overwritten = rows[i].stats.recorded - printed[number];
		total->overwritten += rows[i].overwritten;
	}
}

/*
 * The events that were traced, each in a row. Those that the kernel has refused
 * are told of by their lines. Returns how many.
 */
static unsigned int take_events(struct trapline_session *session,
				struct row *rows)
{
	const struct trapline_event *event;
	unsigned int events = 0, i;

	for (i = 0; (event = trapline_session_event(session, i)); i++)
		if (!trapline_session_refused(session, event, NULL))
			rows[events++].event = event;
	return events;
}

static int fill_row(struct trapline_session *session, struct row *row)
{
	struct trapline_error err = { 0 };

	if (row->event) {
		name_row(row, row->event);
		row->instances = trapline_event_instances(row->event);
	} else {
		snprintf(row->name, sizeof(row->name), "total");
	}
	row->stats.size = sizeof(row->stats);
	if (trapline_session_stats(session, row->event, &row->stats, &err)) {
		report_error(&err);
		return -1;
	}
	if (row->stats.is_refused)
		snprintf(row->refusal, sizeof(row->refusal), "%s", err.text);
	return 0;
}

/* What became of the calls that are not among the hits. */
static void explain(const struct row *row)
{
	const struct trapline_event *event = row->event;
	const struct trapline_stats *stats = &row->stats;
	const unsigned int instances = trapline_event_instances(event);
	const bool is_one = trapline_event_place_count(event) == 1;

	if (stats->is_gone)
		report("%s: %s module was unloaded, no hits after that",
		       row->name, is_one ? "its" : "a");
	if (stats->is_pending)
		report("%s: %s module never came, so it was never armed%s",
		       row->name, is_one ? "its" : "a", is_one ? "" : " there");
	if (stats->is_refused)
		report("%s", row->refusal);
	if (stats->entries > stats->hits)
		report("%s: %" PRIu64 " calls were still inside at the end",
		       row->name, stats->entries - stats->hits);
	if (instances && stats->nmissed)
		report("%s: about %" PRIu64 " calls found none of %u instances free, or were nested; more of them: a number after the letter",
		       row->name, stats->nmissed, instances);
}

int summary_print(struct trapline_session *session, const uint64_t *printed)
{
	unsigned int events = trapline_session_event_count(session);
	struct row *rows = calloc((size_t)events + 1, sizeof(*rows));
	unsigned int i;
	int rc = 0;

	if (!rows) {
		report("out of memory");
		return -1;
	}
	events = take_events(session, rows);
	/* the last row, of no event, is the sum */
	for (i = 0; !rc && i <= events; i++)
		rc = fill_row(session, &rows[i]);
	if (!rc && printed)
		count_overwritten(rows, events, printed);
	if (!rc)
		print_table(rows, (size_t)events + 1);
	for (i = 0; !rc && i < events; i++)
		explain(&rows[i]);
	free(rows);
	return rc;
}
