/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libtrapline: probes from text, records back to text.
 *
 * The path of a program that uses it, in order:
 *
 *	trapline_symbols_load()		the kernel's names and addresses
 *	trapline_event_parse()		a line of text becomes an event
 *	trapline_session_open()		/dev/trapline; closing it removes all
 *	trapline_session_setup()	the rings
 *	trapline_session_add()		events into the kernel, then
 *	trapline_session_enable()	armed, then
 *	trapline_session_start()	hits are recorded
 *	trapline_reader_open(), _add()	map the rings
 *	trapline_reader_poll()		records, merged over CPUs in time order
 *	trapline_format_record()	a record as the line that ftrace prints
 *	trapline_session_stop()		disarm; trapline_reader_poll() to the end
 *	trapline_session_stats()	what was recorded, and what was lost
 *
 * Functions that can fail return 0 or a negative errno, and fill in a struct
 * trapline_error where one is passed. Nothing is printed by the library. No
 * function may be called from two threads at once on the same object.
 */
#ifndef TRAPLINE_H
#define TRAPLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trapline_event.h"

#ifdef __cplusplus
extern "C" {
#endif

struct trapline_session;
struct trapline_reader;
struct trapline_names;
struct trapline_processes;

/* ---- sessions --------------------------------------------------------- */

/**
 * struct trapline_session_opts - sizes of a session, 0 for the defaults
 * @size: sizeof(struct trapline_session_opts)
 * @packet_bytes: a power of two from 4096; 64 KiB
 * @packet_count: a power of two from 2, per CPU; 16
 * @watermark: packets ready before the reader is woken; 1
 * @overwrite: a full ring drops its oldest packet, not the new record; see
 *	trapline_reader_snapshot()
 * @kprobes: entries of functions by kprobes, too, not by ftrace (since 1.1)
 * @all_or_nothing: one place that the kernel refuses is an error, also one of
 *	several that a pattern stands for, or of one of several events (since 1.1)
 */
struct trapline_session_opts {
	size_t size;
	unsigned int packet_bytes;
	unsigned int packet_count;
	unsigned int watermark;
	bool overwrite;
	bool kprobes;
	bool all_or_nothing;
};

/**
 * struct trapline_stats - outcomes of the hits of an event or a session
 *
 * @size: sizeof(struct trapline_stats), set by the caller
 * @is_gone: the event's module was unloaded while it was armed
 * @is_pending: the event's module has not come yet (since 1.1)
 * @is_refused: the event's module came, and the kernel wants no probe there; the
 *	error says why (since 1.1)
 *
 * The other fields are those of struct tl_stats in <trapline/trapline.h>.
 */
struct trapline_stats {
	size_t size;
	uint64_t hits;
	uint64_t recorded;
	uint64_t filtered;
	uint64_t full;
	uint64_t wrapped;
	uint64_t too_big;
	uint64_t recursion;
	uint64_t not_running;
	uint64_t faults;
	uint64_t truncated;
	uint64_t nmissed;
	bool is_gone;
	uint64_t entries;
	bool is_pending;
	bool is_refused;
};

/** trapline_session_open() - open /dev/trapline; says why where it cannot */
int trapline_session_open(struct trapline_session **out,
			  struct trapline_error *err);

/**
 * struct trapline_info - what the loaded module can do, of TL_QUERY
 * @size: sizeof(struct trapline_info)
 * @abi_major: of the control interface
 * @abi_minor: of the control interface
 * @format: of the packets
 * @arch: ELF machine number
 * @backends: bit 1 << TL_BACKEND_* for each that can be used
 * @features: TL_FEATURE_*
 * @cpu_count: one more than the highest possible CPU number
 * @events_max: events in one session
 * @packet_bytes_min: smallest packet
 * @packet_bytes_max: largest packet
 * @ring_bytes_max: memory that the rings of all sessions may take together
 * @session_bytes_max: memory that the rings of one session may take
 */
struct trapline_info {
	size_t size;
	unsigned int abi_major;
	unsigned int abi_minor;
	unsigned int format;
	unsigned int arch;
	uint64_t backends;
	uint64_t features;
	unsigned int cpu_count;
	unsigned int events_max;
	unsigned int packet_bytes_min;
	unsigned int packet_bytes_max;
	uint64_t ring_bytes_max;
	uint64_t session_bytes_max;
};

/** trapline_session_info() - fills in @info, of which @size must be set */
int trapline_session_info(const struct trapline_session *session,
			  struct trapline_info *info);
int trapline_session_setup(struct trapline_session *session,
			   const struct trapline_session_opts *opts,
			   struct trapline_error *err);
/**
 * trapline_session_add() - the session owns @event if this succeeds
 *
 * Of several places the kernel may refuse some, here and when they are armed;
 * only if it refuses all is that an error here. See trapline_event_place().
 */
int trapline_session_add(struct trapline_session *session,
			 struct trapline_event *event,
			 struct trapline_error *err);
/**
 * trapline_session_enable() - arm all events that are not armed
 *
 * What the kernel refuses for the sake of its place (no probe can be there) is left
 * out, events too, and the others are armed; trapline_session_refused() says which
 * and why. Only if it refuses all events is that an error; or, with @all_or_nothing
 * of struct trapline_session_opts, any of them. After an error nothing is armed that
 * was not before.
 */
int trapline_session_enable(struct trapline_session *session,
			    struct trapline_error *err);
/**
 * trapline_session_refused() - has the kernel refused an event, and why?
 * @session: the session
 * @event: an event of it
 * @err: if so: why, with the column of the place in the event's line, and a hint
 *
 * Returns true if it has refused all places of the event when they were armed the
 * last time. Of one with several see trapline_event_place().
 */
bool trapline_session_refused(struct trapline_session *session,
			      const struct trapline_event *event,
			      struct trapline_error *err);
/**
 * trapline_session_failed() - the event that trapline_session_enable() could
 * not arm, of whose line the error's column is; NULL if it is not known
 */
const struct trapline_event *
trapline_session_failed(const struct trapline_session *session);
int trapline_session_start(struct trapline_session *session,
			   struct trapline_error *err);
int trapline_session_stop(struct trapline_session *session,
			  struct trapline_error *err);
/**
 * trapline_session_uses_kprobes() - does an event hang on a kprobe?
 *
 * That is disarmed while /sys/kernel/debug/kprobes/enabled is 0. Tracepoints, and
 * entries of functions that are left to ftrace, are not.
 */
bool trapline_session_uses_kprobes(const struct trapline_session *session);
/** trapline_session_event_count() - number of events; see trapline_session_event() */
unsigned int trapline_session_event_count(const struct trapline_session *session);
const struct trapline_event *
trapline_session_event(const struct trapline_session *session,
		       unsigned int index);
/**
 * trapline_session_stats() - counters of one event, or of all
 * @session: the session
 * @event: an event of it, or NULL for the sum
 * @out: the counters
 * @err: filled on failure
 */
int trapline_session_stats(struct trapline_session *session,
			   const struct trapline_event *event,
			   struct trapline_stats *out,
			   struct trapline_error *err);
/**
 * trapline_session_fd() - the session's file, for commands of one's own
 *
 * It belongs to the session: not to be closed.
 */
int trapline_session_fd(const struct trapline_session *session);
/** trapline_session_close() - remove all probes, free all events and rings */
void trapline_session_close(struct trapline_session *session);

/* ---- records ---------------------------------------------------------- */

/**
 * enum trapline_context - what the CPU was doing when the event was hit
 */
enum trapline_context {
	TRAPLINE_TASK,
	TRAPLINE_SOFTIRQ,
	TRAPLINE_HARDIRQ,
	TRAPLINE_NMI,
};

/**
 * struct trapline_record - one record, valid inside the callback only
 * @event: whose record
 * @time_ns: CLOCK_MONOTONIC
 * @cpu: where
 * @tid: thread id in the initial pid namespace
 * @context: of the handler
 * @payload: the arguments, packed
 * @payload_bytes: their length
 * @status: one TL_STATUS_* byte per recorded argument, or NULL: all are good
 * @place: at which place of the event, see trapline_event_place()
 */
struct trapline_record {
	const struct trapline_event *event;
	uint64_t time_ns;
	unsigned int cpu;
	unsigned int tid;
	enum trapline_context context;
	const unsigned char *payload;
	size_t payload_bytes;
	const unsigned char *status;
	unsigned int place;
};

/**
 * struct trapline_loss - a packet that says that records were lost before it,
 * or the end of a ring that has lost some after its last packet
 * @cpu: in whose ring
 * @records: lost since the previous packet (full, wrapped, too big)
 * @packets: overwritten or damaged since the previous packet; how many
 *	records were in them is not known
 * @time_ns: begin of the packet that tells of it; where packets are missing,
 *	the time from which on they are
 */
struct trapline_loss {
	unsigned int cpu;
	uint64_t records;
	uint64_t packets;
	uint64_t time_ns;
};

/** struct trapline_sink - where the reader puts what it reads; a callback
 * returns 0, or a negative errno which ends trapline_reader_poll() with it
 * @size: sizeof(struct trapline_sink)
 * @record: called for each record, in time order
 * @loss: called before the first record of a packet that tells of a loss, and
 *	at the end
 * @data: handed to both
 */
struct trapline_sink {
	size_t size;
	int (*record)(const struct trapline_record *record, void *data);
	int (*loss)(const struct trapline_loss *loss, void *data);
	void *data;
};

/** trapline_reader_open() - an empty reader */
int trapline_reader_open(struct trapline_reader **out,
			 struct trapline_error *err);
/**
 * trapline_reader_add() - read the rings of a session too
 * @reader: the reader; records of all its sessions come in one time order
 * @session: must be set up; must outlive the reader
 * @sink: where its records go
 * @err: filled on failure
 */
int trapline_reader_add(struct trapline_reader *reader,
			struct trapline_session *session,
			const struct trapline_sink *sink,
			struct trapline_error *err);
/**
 * trapline_reader_poll() - deliver what there is
 * @reader: the reader
 * @timeout_ms: how long to wait for a full packet before the open ones are
 *	flushed; what is then older than the flush is delivered
 * @err: filled on failure
 *
 * Returns 1 when all sessions are stopped and drained, 0 to be called again,
 * a negative errno on failure.
 */
int trapline_reader_poll(struct trapline_reader *reader, int timeout_ms,
			 struct trapline_error *err);

/**
 * trapline_reader_snapshot() - deliver what the rings have at this moment
 * @reader: the reader
 * @err: filled on failure
 *
 * For sessions that overwrite: a flight recorder, which is not read until
 * something has happened. Tracing goes on; while the snapshot is read, full
 * rings drop new records, counted as full, instead of the oldest packets.
 * Records come in time order, in which those of one snapshot are before those
 * of the next. Sessions that do not run are left out; of one that discards, all
 * that it has is delivered. Returns 0, the result of a sink that was not 0, or a
 * negative errno: -EBUSY (somebody else takes a snapshot of the session),
 * -ETIMEDOUT (a packet has awaited its writer for two seconds).
 */
int trapline_reader_snapshot(struct trapline_reader *reader,
			     struct trapline_error *err);
void trapline_reader_close(struct trapline_reader *reader);

/* ---- names of tasks --------------------------------------------------- */

/**
 * trapline_names_open() - follow the names of all tasks from now on
 * @symbols: the kernel's symbols
 * @reader: the reader that will deliver the records they belong to
 * @out: the table; to be closed after the reader
 * @err: filled on failure, or with code "names-best-effort" although 0 is
 *	returned: where the names cannot be followed they are looked up in
 *	/proc at first sight. The code is 0 if all is well.
 *
 * Has a small session of its own (forks, execs and renames), so that a full
 * ring of the user's events loses no name. To be opened before the sessions
 * whose records it names are started: it then knows every task of theirs.
 */
int trapline_names_open(const struct trapline_symbols *symbols,
			struct trapline_reader *reader,
			struct trapline_names **out,
			struct trapline_error *err);
/** trapline_names_stop() - stop following; before the reader's last poll */
int trapline_names_stop(struct trapline_names *names,
			struct trapline_error *err);
/** trapline_names_get() - name of a thread at this point of the record stream */
const char *trapline_names_get(struct trapline_names *names, unsigned int tid);
void trapline_names_close(struct trapline_names *names);

/* ---- addresses of user stacks ---------------------------------------- */

/**
 * trapline_processes_open() - what is mapped where in processes
 * @out: the table, to be closed with trapline_processes_close()
 * @err: filled on failure
 *
 * Belongs into &trapline_format_opts. The mappings of a process are read from
 * /proc when a record of it is printed, its symbols from the files that it has
 * mapped: of a process that has ended by then only addresses are known.
 */
int trapline_processes_open(struct trapline_processes **out,
			    struct trapline_error *err);
void trapline_processes_close(struct trapline_processes *processes);

/**
 * trapline_ids_are_initial() - does /proc show the thread ids of records?
 *
 * In a PID namespace of its own, a container's, the numbers mean other tasks: those
 * in filters (tid, tgid, family) are of the initial one.
 */
bool trapline_ids_are_initial(void);

/* ---- text ------------------------------------------------------------- */

/**
 * struct trapline_format_opts - how a record is printed
 * @size: sizeof(struct trapline_format_opts)
 * @nanoseconds: nine digits after the second instead of six
 * @processes: for the addresses of user stacks; NULL: they stay numbers
 */
struct trapline_format_opts {
	size_t size;
	bool nanoseconds;
	struct trapline_processes *processes;
};

/**
 * trapline_format_record() - a record as one line, without the newline
 * @record: the record
 * @symbols: for the places of callers; one without a symbol is "[unknown]"
 * @names: for the name of the task; NULL: not known
 * @opts: NULL for the defaults
 * @buf: where to write; always ends with a NUL
 * @size: of @buf
 *
 * "            TASK-TID     [CPU] FLAGS SECONDS.MICROS: EVENT: (PLACE) name=value"
 * Returns the length without NUL that the whole text has, as snprintf() does
 * (which may be another one when asked again, where names or processes have
 * changed), or a negative errno (-EBADMSG) for a payload that the event cannot have made.
 */
int trapline_format_record(const struct trapline_record *record,
			   const struct trapline_symbols *symbols,
			   struct trapline_names *names,
			   const struct trapline_format_opts *opts, char *buf,
			   size_t size);

#ifdef __cplusplus
}
#endif
#endif
