// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the events of a session have counted, and where they are by now. */
#include <errno.h>
#include <string.h>

#include "event.h"
#include "refusal.h"
#include "session.h"

static int ask_stats(struct trapline_session *session,
		     const struct trapline_event *part, struct tl_stats *stats,
		     struct trapline_error *err)
{
	int rc;

	memset(stats, 0, sizeof(*stats));
	stats->size = sizeof(*stats);
	stats->selector = part ? TL_STATS_EVENT : TL_STATS_SESSION;
	stats->id = part ? (uint32_t)part->id : 0;
	stats->cpu = TL_CPU_ALL;
	rc = session_ioctl(session->fd, TL_STATS, stats);
	if (rc)
		refusal_set(err, -rc, &stats->error, part);
	return rc;
}

/* Only an event that has one place follows a module. */
int session_learn(struct trapline_session *session, struct trapline_error *err)
{
	unsigned int i;

	for (i = 0; i < session->event_count; i++) {
		struct trapline_event *event = session->events[i];
		struct tl_stats stats;
		int rc;

		if (!event->follows_module || event->symbol_bytes)
			continue;
		rc = ask_stats(session, event, &stats, err);
		if (rc)
			return rc;
		event->address = stats.address;
		event->symbol_bytes = stats.symbol_bytes;
	}
	return 0;
}

static bool is_kprobe(const struct trapline_event *part)
{
	return part->id >= 0 && part->state != TRAPLINE_PLACE_REFUSED &&
	       (part->by == TL_BACKEND_KPROBE ||
		part->by == TL_BACKEND_KRETPROBE);
}

bool trapline_session_uses_kprobes(const struct trapline_session *session)
{
	unsigned int i, j;

	for (i = 0; i < session->event_count; i++)
		for (j = 0; j <= session->events[i]->more_count; j++)
			if (is_kprobe(event_part(session->events[i], j)))
				return true;
	return false;
}

static int add_stats(struct trapline_session *session,
		     const struct trapline_event *part,
		     struct trapline_stats *sum, struct trapline_error *err)
{
	struct tl_stats stats;
	int rc = ask_stats(session, part, &stats, err);

	if (rc)
		return rc;
	sum->hits += stats.hits;
	sum->recorded += stats.recorded;
	sum->filtered += stats.filtered;
	sum->full += stats.full;
	sum->wrapped += stats.wrapped;
	sum->too_big += stats.too_big;
	sum->recursion += stats.recursion;
	sum->not_running += stats.not_running;
	sum->faults += stats.faults;
	sum->truncated += stats.truncated;
	sum->nmissed += stats.nmissed;
	sum->entries += stats.entries;
	sum->is_gone |= part && stats.state == TL_EVENT_GONE;
	sum->is_pending |= part && stats.state == TL_EVENT_PENDING;
	if (!part || stats.state != TL_EVENT_REFUSED)
		return 0;
	sum->is_refused = true;
	refusal_set(err, (int)stats.error.kernel_errno, &stats.error, part);
	return 0;
}

int trapline_session_stats(struct trapline_session *session,
			   const struct trapline_event *event,
			   struct trapline_stats *out,
			   struct trapline_error *err)
{
	struct trapline_stats known = { .size = sizeof(known) };
	unsigned int i;
	int rc = 0;

	if (!event)
		rc = add_stats(session, NULL, &known, err);
	for (i = 0; event && !rc && i <= event->more_count; i++) {
		const struct trapline_event *part = event_part(event, i);

		if (part->id >= 0)
			rc = add_stats(session, part, &known, err);
	}
	return rc ? rc : session_copy_known(out, out->size, &known, known.size);
}
