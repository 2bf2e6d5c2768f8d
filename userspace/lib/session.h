/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A session inside the library: session.c, session_event.c,
 * session_instruction.c, and what reader.c and names.c need of them.
 */
#ifndef TRAPLINE_SESSION_H
#define TRAPLINE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "../../uapi/trapline.h"
#include "decode.h"
#include "trapline.h"

/**
 * struct trapline_session - an open /dev/trapline
 * @fd: its file; -1 in tests
 * @query: what the module can do
 * @setup: what TL_SESSION_SETUP took and gave
 * @kprobes: kprobes only, see struct trapline_session_opts
 * @all_or_nothing: no place is spared, see there
 * @is_set_up: TL_SESSION_SETUP was done
 * @started: TL_SESSION_START was done
 * @stopped: TL_SESSION_STOP was done
 * @events: the events, owned
 * @event_count: how many
 * @failed: the event that could not be armed the last time, or NULL
 * @table: the events by their number, for the decoder
 */
struct trapline_session {
	int fd;
	struct tl_query query;
	struct tl_session_setup setup;
	bool kprobes;
	bool all_or_nothing;
	bool is_set_up;
	bool started;
	bool stopped;
	struct trapline_event **events;
	unsigned int event_count;
	const struct trapline_event *failed;
	struct decode_events table;
};

/**
 * session_ioctl() - an ioctl that is tried again after a signal
 *
 * Returns 0 or a negative errno.
 */
int session_ioctl(int fd, unsigned long request, void *arg);

/** session_no_memory() - says so; returns -ENOMEM */
int session_no_memory(struct trapline_error *err);

/**
 * session_copy_known() - fill in a caller's struct
 * @to: it may be of an older library or a newer one: its first field says how
 *	long it is, and afterwards how much of it is known
 * @to_size: what it says
 * @known: ours
 * @known_size: of @known
 *
 * Returns 0, or -EINVAL for a size that cannot be.
 */
int session_copy_known(void *to, size_t to_size, const void *known,
		       size_t known_size);

/**
 * session_learn() - ask where events are whose module has come meanwhile
 *
 * Returns 0, or a negative errno with @err filled.
 */
int session_learn(struct trapline_session *session, struct trapline_error *err);

/**
 * session_flush() - close the open packets
 * @session: the session
 * @time_ns: out: every record older than this is in a closed packet;
 *	UINT64_MAX for a session that is stopped
 * @err: filled on failure
 */
int session_flush(struct trapline_session *session, uint64_t *time_ns,
		  struct trapline_error *err);

/**
 * session_control_events() - TL_EVENT_CTL
 * @session: the session
 * @command: TL_EVENT_ENABLE, ...
 * @ids: numbers in the kernel
 * @count: how many
 * @error: out: what the kernel says
 *
 * Returns 0 or a negative errno.
 */
int session_control_events(const struct trapline_session *session,
			   uint32_t command, const uint32_t *ids,
			   unsigned int count, struct tl_error *error);
/** session_hint_instructions() - a place is inside an instruction: hint at the
 * nearest ones before and behind */
void session_hint_instructions(struct trapline_session *session,
			       const struct trapline_event *part,
			       struct trapline_error *err);

/** session_disarmed() - no place of any event is armed any more */
void session_disarmed(struct trapline_session *session);

/** session_is_running() - started, not stopped */
bool session_is_running(const struct trapline_session *session);

/** session_snapshot() - keep what the rings have, until session_resume() */
int session_snapshot(struct trapline_session *session,
		     struct trapline_error *err);
/** session_resume() - end the snapshot */
int session_resume(struct trapline_session *session,
		   struct trapline_error *err);

/**
 * session_ring_open() - a file for the ring of one CPU
 * @session: must be set up
 * @cpu: which
 * @fd: out
 * @err: filled on failure
 *
 * Returns 0, -ENXIO for a CPU that is not possible (@err is not filled then),
 * or another negative errno.
 */
int session_ring_open(struct trapline_session *session, unsigned int cpu,
		      int *fd, struct trapline_error *err);

#endif
