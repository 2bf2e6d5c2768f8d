// SPDX-License-Identifier: LGPL-2.1-or-later
/* The events of a session: given to the kernel, armed, counted. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "event.h"
#include "refusal.h"
#include "session.h"

/* Room for one more event, before the kernel has it. */
static int reserve_event(struct trapline_session *session)
{
	size_t count = session->event_count + 1;
	struct trapline_event **events;
	bool *armed;

	events = realloc(session->events, count * sizeof(*events));
	if (!events)
		return -ENOMEM;
	session->events = events;
	armed = realloc(session->armed, count * sizeof(*armed));
	if (!armed)
		return -ENOMEM;
	session->armed = armed;
	return 0;
}

/* Takes an event back that the library could not keep. */
static void remove_event(struct trapline_session *session, uint32_t id)
{
	struct tl_event_ctl ctl = {
		.size = sizeof(ctl),
		.command = TL_EVENT_REMOVE,
		.id_count = 1,
		.ids = (uintptr_t)&id,
	};

	session_ioctl(session->fd, TL_EVENT_CTL, &ctl);
}

/*
 * Tell the kernel where the event is: by its symbol if it has to find it again
 * when its module comes. @symbol has TL_SYMBOL_BYTES_MAX bytes.
 */
static int describe_place(const struct trapline_session *session,
			  const struct trapline_event *event,
			  struct tl_event_place *place, char *symbol,
			  struct trapline_error *err)
{
	place->size = sizeof(*place);
	place->address = event->address;
	if (!event->follows_module)
		return 0;
	if (!(session->query.features & TL_FEATURE_SYMBOL)) {
		if (event->address)
			return 0;
		error_set(err, ERR_PENDING_MODULE, -1, 0, event->module);
		error_hint(err, "load the module that belongs to this library");
		return -EPROTO;
	}
	snprintf(symbol, TL_SYMBOL_BYTES_MAX, "%s:%s", event->module,
		 event->symbol);
	place->flags = TL_PLACE_SYMBOL;
	place->symbol = (uintptr_t)symbol;
	place->offset = event->offset;
	return 0;
}

int trapline_session_add(struct trapline_session *session,
			 struct trapline_event *event,
			 struct trapline_error *err)
{
	char symbol[TL_SYMBOL_BYTES_MAX];
	struct tl_event_place place = { 0 };
	struct tl_event_add add = {
		.size = sizeof(add),
		.backend = event->backend,
		.maxactive = event->maxactive,
		.places = (uintptr_t)&place,
		.place_count = 1,
		.insn_count = event->insn_count,
		.insns = (uintptr_t)event->insns,
	};
	int rc;

	if (reserve_event(session))
		return session_no_memory(err);
	rc = describe_place(session, event, &place, symbol, err);
	if (rc)
		return rc;
	rc = session_ioctl(session->fd, TL_EVENT_ADD, &add);
	if (rc) {
		refusal_set(err, -rc, &add.error, event);
		return rc;
	}
	event->id = (int)add.id;
	event->instances = add.instances;
	rc = decode_events_add(&session->table, event);
	if (rc) {
		remove_event(session, add.id);
		event->id = -1;
		error_set(err, ERR_SYSTEM, -1, 0, event->name, strerror(-rc));
		return rc;
	}
	session->events[session->event_count] = event;
	session->armed[session->event_count] = false;
	session->event_count++;
	return 0;
}

int trapline_session_enable(struct trapline_session *session,
			    struct trapline_error *err)
{
	struct tl_event_ctl ctl = {
		.size = sizeof(ctl),
		.command = TL_EVENT_ENABLE,
	};
	unsigned int *which;
	uint32_t *ids;
	unsigned int i, count = 0;
	int rc = 0;

	session->failed = NULL;
	ids = calloc(session->event_count + 1, sizeof(*ids));
	which = calloc(session->event_count + 1, sizeof(*which));
	if (!ids || !which) {
		rc = session_no_memory(err);
		goto out;
	}
	for (i = 0; i < session->event_count; i++) {
		if (session->armed[i])
			continue;
		which[count] = i;
		ids[count++] = (uint32_t)session->events[i]->id;
	}
	if (!count)
		goto out;
	ctl.id_count = count;
	ctl.ids = (uintptr_t)ids;
	rc = session_ioctl(session->fd, TL_EVENT_CTL, &ctl);
	if (rc) {
		if (ctl.error.code && ctl.error.index < count)
			session->failed =
				session->events[which[ctl.error.index]];
		refusal_set(err, -rc, &ctl.error, session->failed);
		goto out;
	}
	for (i = 0; i < count; i++)
		session->armed[which[i]] = true;
out:
	free(which);
	free(ids);
	return rc;
}

const struct trapline_event *
trapline_session_failed(const struct trapline_session *session)
{
	return session->failed;
}

unsigned int trapline_session_event_count(const struct trapline_session *session)
{
	return session->event_count;
}

const struct trapline_event *
trapline_session_event(const struct trapline_session *session,
		       unsigned int index)
{
	return index < session->event_count ? session->events[index] : NULL;
}

static int ask_stats(struct trapline_session *session,
		     const struct trapline_event *event, struct tl_stats *stats,
		     struct trapline_error *err)
{
	int rc;

	memset(stats, 0, sizeof(*stats));
	stats->size = sizeof(*stats);
	stats->selector = event ? TL_STATS_EVENT : TL_STATS_SESSION;
	stats->id = event ? (uint32_t)event->id : 0;
	stats->cpu = TL_CPU_ALL;
	rc = session_ioctl(session->fd, TL_STATS, stats);
	if (rc)
		refusal_set(err, -rc, &stats->error, event);
	return rc;
}

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

int trapline_session_stats(struct trapline_session *session,
			   const struct trapline_event *event,
			   struct trapline_stats *out,
			   struct trapline_error *err)
{
	struct trapline_stats known = { .size = sizeof(known) };
	struct tl_stats stats;
	int rc = ask_stats(session, event, &stats, err);

	if (rc)
		return rc;
	known.hits = stats.hits;
	known.recorded = stats.recorded;
	known.filtered = stats.filtered;
	known.full = stats.full;
	known.wrapped = stats.wrapped;
	known.too_big = stats.too_big;
	known.recursion = stats.recursion;
	known.not_running = stats.not_running;
	known.faults = stats.faults;
	known.truncated = stats.truncated;
	known.nmissed = stats.nmissed;
	known.entries = stats.entries;
	known.is_gone = event && stats.state == TL_EVENT_GONE;
	known.is_pending = event && stats.state == TL_EVENT_PENDING;
	known.is_refused = event && stats.state == TL_EVENT_REFUSED;
	if (known.is_refused)
		refusal_set(err, (int)stats.error.kernel_errno, &stats.error,
			    event);
	return session_copy_known(out, out->size, &known, known.size);
}
