// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The reader: waits, flushes, and lets merge.c deliver.
 *
 * One round of trapline_reader_poll(): wait for a packet or the time-out;
 * flush each session, which gives a time for each; then take packets and
 * deliver every record that is older than all of those. A ring's file is asked
 * for its next packet only when all records of the one before are delivered,
 * so the packets are read where they lie and nothing is copied.
 *
 * The flush comes also when a packet was ready: without it the packets of a
 * busy CPU would have to wait for those of an idle one, and with it a round
 * always has a time up to which every ring is known.
 *
 * A snapshot has no such time: the kernel holds what each session has, all of
 * that is merged and delivered, up to the end that each ring then has, and the
 * sessions are let go.
 */
#include <errno.h>
#include <sys/epoll.h>

#include "error.h"
#include "reader.h"

/*
 * A packet that awaits its last writer waits for microseconds, unless the
 * virtual CPU under the writer is not running: then the next round has it.
 */
#define CLOSING_TRIES 20
#define CLOSING_WAIT_NS 100000
#define FLUSH_INTERVAL_NS 2000000
/* A snapshot has no next round: that CPU gets two seconds and more. */
#define SNAPSHOT_TRIES 1000

/* A ring that has ended is ready for ever: it must not wake us any more. */
static void unwatch_ended(struct trapline_reader *reader)
{
	struct ring *ring;

	for (ring = reader->rings; ring; ring = ring->next) {
		if (!ring->watched || !ring->input.ended)
			continue;
		epoll_ctl(reader->epoll_fd, EPOLL_CTL_DEL, ring->fd, NULL);
		ring->watched = false;
	}
}

static bool any_watched(const struct trapline_reader *reader)
{
	const struct ring *ring;

	for (ring = reader->rings; ring; ring = ring->next)
		if (ring->watched)
			return true;
	return false;
}

static void set_flush_time(struct trapline_reader *reader,
			   const struct trapline_session *session,
			   uint64_t time_ns)
{
	struct ring *ring;

	for (ring = reader->rings; ring; ring = ring->next)
		if (ring->session == session)
			ring->input.flush_ns = time_ns;
}

static int flush(struct trapline_reader *reader, struct source *source,
		 struct trapline_error *err)
{
	uint64_t time_ns = 0;
	int rc = session_flush(source->session, &time_ns, err);

	if (rc)
		return rc;
	set_flush_time(reader, source->session, time_ns);
	/* what is delivered now is of events that were armed before */
	return session_learn(source->session, err);
}

static int flush_all(struct trapline_reader *reader,
		     struct trapline_error *err)
{
	struct source *source;
	int rc = 0;

	for (source = reader->sources; source && !rc; source = source->next)
		rc = flush(reader, source, err);
	return rc;
}

/*
 * A flush disturbs every CPU and gives up the rest of each open packet, so
 * rounds do not come faster than this however fast packets are filled.
 */
static void pace(struct trapline_reader *reader)
{
	struct timespec now;
	int64_t wait_ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	wait_ns = FLUSH_INTERVAL_NS -
		  (int64_t)(now.tv_sec - reader->flushed.tv_sec) * 1000000000 -
		  (now.tv_nsec - reader->flushed.tv_nsec);
	if (wait_ns > 0) {
		const struct timespec wait = { .tv_nsec = wait_ns };

		nanosleep(&wait, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
	}
	reader->flushed = now;
}

/* merge_run(), with a little patience for packets that are being closed. */
static int run_patiently(struct merge *merge)
{
	const struct timespec wait = { .tv_nsec = CLOSING_WAIT_NS };
	int rc, tries;

	for (tries = 0; tries < CLOSING_TRIES; tries++) {
		rc = merge_run(merge);
		if (rc || !merge->closing)
			break;
		nanosleep(&wait, NULL);
	}
	return rc;
}

/* Let go of what is held; the first error counts. */
static int resume_all(struct trapline_reader *reader, int rc,
		      struct trapline_error *err)
{
	struct source *source;

	for (source = reader->sources; source; source = source->next) {
		int resumed;

		if (!source->held)
			continue;
		source->held = false;
		resumed = session_resume(source->session, rc ? NULL : err);
		rc = rc ? rc : resumed;
	}
	return rc;
}

/* Deliver all there is, up to the ends of the snapshots. */
static int run_snapshot(struct trapline_reader *reader,
			struct trapline_error *err)
{
	int rc = 0, tries;

	for (tries = 0; tries < SNAPSHOT_TRIES; tries++) {
		rc = run_patiently(&reader->merge);
		if (rc || !reader->merge.closing)
			break;
	}
	if (!rc && reader->merge.closing)
		rc = -ETIMEDOUT;
	if (rc < 0)
		reader_error(err, "reading a snapshot", rc);
	return rc < 0 ? rc : 0;
}

/* Only what runs can be held; of the rest a flush tells how far it is known. */
static int hold(struct trapline_reader *reader, struct source *source,
		struct trapline_error *err)
{
	int rc;

	if (!session_is_running(source->session))
		return flush(reader, source, err);
	rc = session_snapshot(source->session, err);
	source->held = !rc;
	if (!source->held)
		return rc;
	set_flush_time(reader, source->session, UINT64_MAX);
	return session_learn(source->session, err);
}

int trapline_reader_snapshot(struct trapline_reader *reader,
			     struct trapline_error *err)
{
	struct source *source;
	int rc = 0;

	for (source = reader->sources; source && !rc; source = source->next)
		rc = hold(reader, source, err);
	if (!rc)
		rc = run_snapshot(reader, err);
	return resume_all(reader, rc, err);
}

int trapline_reader_poll(struct trapline_reader *reader, int timeout_ms,
			 struct trapline_error *err)
{
	struct epoll_event event;
	int rc;

	if (any_watched(reader)) {
		rc = epoll_wait(reader->epoll_fd, &event, 1, timeout_ms);
		/* a signal ends the wait, not the round */
		if (rc < 0 && errno != EINTR)
			return reader_error(err, "epoll", -errno);
	}
	pace(reader);
	rc = flush_all(reader, err);
	if (rc)
		return rc;
	rc = run_patiently(&reader->merge);
	unwatch_ended(reader);
	if (rc < 0)
		reader_error(err, "reading the rings", rc);
	return rc;
}
