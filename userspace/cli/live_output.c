// SPDX-License-Identifier: GPL-2.0-only
/* Where a live trace goes; records and losses as lines of text. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live.h"
#include "report.h"

#define FIRST_LINE_SIZE 512

/* ---- the file --------------------------------------------------------- */

static int open_file(const char *name, bool *is_new)
{
	int fd = open(name, O_WRONLY | O_CLOEXEC);

	*is_new = false;
	if (fd >= 0 || errno != ENOENT)
		return fd;
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	*is_new = fd >= 0;
	if (fd >= 0 || errno != EEXIST)
		return fd;
	/* a link to what is not there, or somebody was faster */
	return open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
}

int live_open_output(struct live *live)
{
	int fd;

	if (!live->output_name) {
		live->output_name = "standard output";
		live->output = stdout;
		return 0;
	}
	fd = open_file(live->output_name, &live->output_is_new);
	live->output = fd < 0 ? NULL : fdopen(fd, "w");
	if (live->output)
		return 0;
	report("%s: %s", live->output_name, strerror(errno));
	return -1;
}

int live_empty_output(struct live *live)
{
	struct stat st;

	/* standard output is whose it is, and a pipe has no length */
	if (live->output == stdout || fstat(fileno(live->output), &st) ||
	    !S_ISREG(st.st_mode) || !ftruncate(fileno(live->output), 0))
		return 0;
	report("%s: %s", live->output_name, strerror(errno));
	return -1;
}

void live_drop_output(struct live *live)
{
	if (live->output_is_new)
		unlink(live->output_name);
}

/* ---- the lines -------------------------------------------------------- */

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
