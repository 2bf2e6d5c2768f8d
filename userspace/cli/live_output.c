// SPDX-License-Identifier: GPL-2.0-only
/* Records and losses of a live trace, as lines of text. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "live.h"

#define FIRST_LINE_SIZE 512

/* A failed write ends the poll: the trace has nowhere to go. */
static int output_result(struct live *live, int failed)
{
	if (!failed)
		return 0;
	live->output_error = errno ? errno : EIO;
	return -live->output_error;
}

static int grow_line(struct live *live, size_t size)
{
	char *grown = realloc(live->line, size);

	if (!grown)
		return -ENOMEM;
	live->line = grown;
	live->line_size = size;
	return 0;
}

/*
 * The record's line in @line, which grows where it must, more than once where
 * what is known of a process has changed meanwhile.
 */
static int format_line(struct live *live, const struct trapline_record *record)
{
	size_t size = live->line ? live->line_size : FIRST_LINE_SIZE;
	int length, rc;

	for (;;) {
		rc = size > live->line_size ? grow_line(live, size) : 0;
		if (rc)
			return rc;
		length = trapline_format_record(record, live->symbols,
						live->names, &live->format,
						live->line, live->line_size);
		size = (size_t)length + 2;
		if (length < 0 || size <= live->line_size)
			return length;
	}
}

static int print_record(const struct trapline_record *record, void *data)
{
	struct live *live = data;
	int length = format_line(live, record);
	size_t count;

	if (length < 0)
		return length;
	count = (size_t)length;
	/* there is room: format_line() leaves one more byte than the NUL */
	live->line[count++] = '\n';
	live->printed[trapline_event_number(record->event)]++;
	errno = 0;
	return output_result(live,
			     fwrite(live->line, 1, count, live->output) != count);
}

/* Between the records, in the words of ftrace. */
static int print_loss(const struct trapline_loss *loss, void *data)
{
	struct live *live = data;
	int failed = 0;

	errno = 0;
	if (loss->records)
		failed = fprintf(live->output,
				 "CPU:%u [LOST %" PRIu64 " EVENTS]\n",
				 loss->cpu, loss->records) < 0;
	if (loss->packets && !failed)
		failed = fprintf(live->output,
				 "CPU:%u [LOST %" PRIu64 " PACKETS]\n",
				 loss->cpu, loss->packets) < 0;
	return output_result(live, failed);
}

struct trapline_sink live_sink(struct live *live)
{
	struct trapline_sink sink = {
		.size = sizeof(sink),
		.record = print_record,
		.loss = print_loss,
		.data = live,
	};

	return sink;
}
