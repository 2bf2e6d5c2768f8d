// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of tasks at the time of their records.
 *
 * A record has a thread id and no name: the name is the same for thousands of
 * records. A small session of its own follows where names come from:
 *
 *  - schedule_tail() is the first function that a new task runs, in its own
 *    context: its thread id and the name that it inherited;
 *  - __set_task_comm() gives a name: exec, prctl(), /proc/.../comm and the
 *    kernel for its own threads. The task need not be the current one.
 *
 * Those records go through the reader's merge with the user's, so that at each
 * record the table is as it was at that time.
 *
 * Tasks that existed before come from one walk over /proc, after the session
 * was started: a task is then in the walk, or its first record is in the ring,
 * or both. Records are applied only by trapline_reader_poll(), so after the
 * walk and over it: what a record says is as true as its time, what the walk
 * says is a guess for the time before the first record. If a task execs
 * between start and walk, records from before the exec get the newer name.
 * The other order (walk, then start) would lose every task in between for
 * good. With the user's session started after this one there is no such
 * record.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../uapi/trapline_packet.h"
#include "clock.h"
#include "decode.h"
#include "error.h"
#include "names.h"
#include "process_maps.h"
#include "reader.h"
#include "session.h"

#define UNKNOWN "?"
#define IDLE "<idle>"
#define PACKET_BYTES 4096
#define PACKET_COUNT 8
/* where nobody reads for long: the last few thousand names of each CPU */
#define PACKET_COUNT_OVERWRITE 64
/* after a loss, no walk over /proc sooner than this after the last one */
#define RESCAN_NS UINT64_C(1000000000)

#define LINE_NEW "p:trapline/task_new schedule_tail name=$comm"
#define LINE_NAME \
	"p:trapline/task_name __set_task_comm tid=+%u($arg1):s32 name=+0($arg2):string"

/* "C-D" or "C+D" where C is "kworker/R-D" cut to a name's length? */
static bool is_rescuer_split(const char *line, size_t length, size_t split)
{
	static const char prefix[] = "kworker/R-";
	const size_t prefix_length = sizeof(prefix) - 1;
	size_t rest = length - split - 1;

	if (split < prefix_length || split > NAME_BYTES - 1)
		return false;
	if (prefix_length + rest < split)
		return false;
	if (prefix_length + rest > split && split != NAME_BYTES - 1)
		return false;
	return !memcmp(line + prefix_length, line + split + 1,
		       split - prefix_length);
}

size_t names_comm_length(const char *line, size_t length)
{
	static const char worker[] = "kworker/";
	bool is_rescuer;
	size_t i;

	if (length < sizeof(worker) || memcmp(line, worker, sizeof(worker) - 1))
		goto cut;
	is_rescuer = line[sizeof(worker) - 1] == 'R';
	for (i = sizeof(worker); i < length; i++) {
		if (line[i] != '-' && line[i] != '+')
			continue;
		if (!is_rescuer || is_rescuer_split(line, length, i)) {
			length = i;
			break;
		}
	}
cut:
	return length < NAME_BYTES - 1 ? length : NAME_BYTES - 1;
}

/* Reads one comm file of /proc into the table. */
static void read_comm(struct trapline_names *names, const char *path,
		      unsigned int tid)
{
	char line[256];
	ssize_t count;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	count = read(fd, line, sizeof(line));
	close(fd);
	if (count > 0 && line[count - 1] == '\n')
		count--;
	if (count > 0)
		name_table_set(&names->table, tid, line,
			       names_comm_length(line, (size_t)count));
}

static bool is_number(const char *text)
{
	return isdigit((unsigned char)text[0]);
}

static void scan_threads(struct trapline_names *names, const char *process)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.16s/task", process);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (!is_number(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%.16s/task/%.16s/comm",
			 process, entry->d_name);
		read_comm(names, path,
			  (unsigned int)strtoul(entry->d_name, NULL, 10));
	}
	closedir(dir);
}

/* What goes wrong here is a name that is not known: no error. */
static void scan_proc(struct trapline_names *names)
{
	struct dirent *entry;
	DIR *dir;

	names->scanned_ns = clock_now_ns(CLOCK_MONOTONIC);
	if (!names->proc_is_ours)
		return;
	dir = opendir("/proc");
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (is_number(entry->d_name))
			scan_threads(names, entry->d_name);
	closedir(dir);
}

int names_record(const struct trapline_record *record, void *data)
{
	struct trapline_names *names = data;
	unsigned int tid = record->tid;
	const struct field *field;
	struct decode_value value;
	struct decode_args args;

	decode_args_start(&args, record);
	if (record->event == names->task_name) {
		if (decode_args_next(&args, &field, &value) <= 0 ||
		    value.status != TL_STATUS_OK)
			return 0;
		tid = (unsigned int)value.number;
	}
	if (decode_args_next(&args, &field, &value) <= 0 ||
	    value.status == TL_STATUS_FAULT)
		return 0;
	return name_table_set(&names->table, tid, value.string, value.length);
}

/*
 * Names were lost: what /proc says now is newer than the record stream, but a
 * name that comes too early is better than one that has gone for ever.
 *
 * Where whole packets were overwritten, what the table has is of another time:
 * a number may be of another task by now. No name is better than a wrong one.
 */
static int names_loss(const struct trapline_loss *loss, void *data)
{
	struct trapline_names *names = data;

	if (loss->packets && names->overwrites) {
		name_table_free(&names->table);
		names->scanned_ns = 0;
	}
	if (clock_now_ns(CLOCK_MONOTONIC) - names->scanned_ns >= RESCAN_NS)
		scan_proc(names);
	return 0;
}

static int add_event(struct trapline_names *names,
		     const struct trapline_symbols *symbols, const char *line,
		     const struct trapline_event **out,
		     struct trapline_error *err)
{
	struct trapline_event *event;
	int rc = trapline_event_parse(line, symbols, &event, err);

	if (rc)
		return rc;
	rc = trapline_session_add(names->session, event, err);
	if (rc) {
		trapline_event_free(event);
		return rc;
	}
	*out = event;
	return 0;
}

/*
 * Adds what can be added of the two events. One without the other is worth
 * having; the error is then that of the missing one.
 */
static int add_events(struct trapline_names *names,
		      const struct trapline_symbols *symbols,
		      struct trapline_error *err)
{
	char line[sizeof(LINE_NAME) + 16];
	int rc, rc_name;

	snprintf(line, sizeof(line), LINE_NAME,
		 names->session->query.task_tid_offset);
	rc = add_event(names, symbols, LINE_NEW, &names->task_new, err);
	rc_name = add_event(names, symbols, line, &names->task_name, err);
	return rc && rc_name ? rc : 0;
}

static int follow(struct trapline_names *names,
		  const struct trapline_symbols *symbols,
		  struct trapline_reader *reader, struct trapline_error *err)
{
	struct trapline_session_opts opts = {
		.size = sizeof(opts),
		.packet_bytes = PACKET_BYTES,
		.packet_count = names->overwrites ? PACKET_COUNT_OVERWRITE :
						    PACKET_COUNT,
		.overwrite = names->overwrites,
		.all_or_nothing = true,
	};
	const struct trapline_sink sink = {
		.size = sizeof(sink),
		.record = names_record,
		.loss = names_loss,
		.data = names,
	};
	int rc = trapline_session_open(&names->session, err);

	if (rc)
		return rc;
	/* where pages are larger the smallest packet is too */
	if (opts.packet_bytes < names->session->query.packet_bytes_min)
		opts.packet_bytes = names->session->query.packet_bytes_min;
	rc = trapline_session_setup(names->session, &opts, err);
	if (rc == -ENOMEM && names->overwrites) {
		/* fewer names are better than none */
		opts.packet_count = PACKET_COUNT;
		rc = trapline_session_setup(names->session, &opts, err);
	}
	if (!rc)
		rc = add_events(names, symbols, err);
	if (!rc)
		rc = trapline_session_enable(names->session, err);
	if (!rc)
		rc = trapline_session_start(names->session, err);
	/* last, because the reader then has the session until it is closed */
	if (!rc)
		rc = trapline_reader_add(reader, names->session, &sink, err);
	if (rc) {
		trapline_session_close(names->session);
		names->session = NULL;
		names->task_new = NULL;
		names->task_name = NULL;
	}
	return rc;
}

int trapline_names_open(const struct trapline_symbols *symbols,
			struct trapline_reader *reader,
			struct trapline_names **out,
			struct trapline_error *err)
{
	struct trapline_names *names = calloc(1, sizeof(*names));
	struct trapline_error why = { 0 };

	*out = NULL;
	if (!names) {
		error_set(err, ERR_NO_MEMORY, -1, 0);
		return -ENOMEM;
	}
	names->overwrites = reader_overwrites(reader);
	names->proc_is_ours = trapline_ids_are_initial();
	if (err)
		memset(err, 0, sizeof(*err));
	follow(names, symbols, reader, &why);
	if (why.code && err) {
		error_set(err, ERR_NAMES, -1, 0, why.text);
		error_hint(err, "%s", why.hint);
		err->os_errno = why.os_errno;
	}
	scan_proc(names);
	*out = names;
	return 0;
}

int trapline_names_stop(struct trapline_names *names,
			struct trapline_error *err)
{
	if (!names->session || names->session->stopped)
		return 0;
	return trapline_session_stop(names->session, err);
}

const char *trapline_names_get(struct trapline_names *names, unsigned int tid)
{
	const char *name;
	char path[64];

	if (!tid)
		return IDLE;
	name = name_table_get(&names->table, tid);
	if (name || !names->proc_is_ours)
		return name ? name : UNKNOWN;
	snprintf(path, sizeof(path), "/proc/%u/comm", tid);
	read_comm(names, path, tid);
	name = name_table_get(&names->table, tid);
	return name ? name : UNKNOWN;
}

void trapline_names_close(struct trapline_names *names)
{
	if (!names)
		return;
	trapline_session_close(names->session);
	name_table_free(&names->table);
	free(names);
}
