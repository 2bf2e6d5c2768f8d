/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of `trapline live`. */
#ifndef TRAPLINE_LIVE_H
#define TRAPLINE_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../lib/trapline.h"
#include "child.h"
#include "definitions.h"
#include "disarmed.h"
#include "restrict.h"

/**
 * struct live - what a run consists of
 * @defs: the user's definitions
 * @only: whose hits are recorded
 * @opts: sizes of the rings
 * @format: how records are printed
 * @list_places: list the places of each event
 * @argv: the command; NULL: until a signal comes
 * @output: where the lines go: standard output, or a file
 * @output_name: of that file, for messages
 * @output_is_new: that file was not there before
 * @output_error: errno of @output, or 0
 * @snapshots: how many were printed
 * @asked: signals that have asked for one, up to the last one printed
 * @disarmed: whether somebody has switched off all kprobes
 * @printed: how many records, of each event by its number
 * @line: buffer for one record's line
 * @line_size: of @line
 *
 * The others are NULL or zero until live_prepare() has made them.
 */
struct live {
	struct definitions defs;
	struct restriction only;
	struct trapline_session_opts opts;
	struct trapline_format_opts format;
	bool list_places;
	char **argv;
	FILE *output;
	const char *output_name;
	bool output_is_new;

	struct trapline_symbols *symbols;
	struct trapline_session *session;
	struct trapline_reader *reader;
	struct trapline_names *names;
	struct child child;
	int output_error;
	int snapshots;
	int asked;
	struct disarmed disarmed;
	uint64_t *printed;
	char *line;
	size_t line_size;
};

/** live_prepare() - all but the start; -1 after a message */
int live_prepare(struct live *live);
/** live_run() - start, trace, stop, print; returns an exit code */
int live_run(struct live *live);
/** live_close() - free all that was prepared; also after a failure */
void live_close(struct live *live);

/** live_open_output() - what is in a file stays; -1 after a message */
int live_open_output(struct live *live);
/** live_empty_output() - before the first record; -1 after a message */
int live_empty_output(struct live *live);
/** live_drop_output() - nothing will be written: a new file goes again */
void live_drop_output(struct live *live);

/** live_sink() - where the reader puts the records: lines of text */
struct trapline_sink live_sink(struct live *live);

#endif
