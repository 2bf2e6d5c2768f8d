// SPDX-License-Identifier: GPL-2.0-only
/* What a session's events have counted. */
#include <linux/xarray.h>

#include "place.h"
#include "session.h"

static void tl_stats_sum(struct tl_counters *sum, const struct tl_event *event,
			 u32 only_cpu)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (only_cpu == TL_CPU_ALL || only_cpu == (u32)cpu)
			tl_counters_add(sum, event->counters, cpu);
}

static void tl_stats_fill(struct tl_stats *stats, const struct tl_counters *sum)
{
	u32 i;

	stats->hits = 0; /* whatever the caller had there */
	for (i = 0; i < TL_OUTCOMES; i++)
		stats->hits += sum->outcome[i];
	stats->recorded = sum->outcome[TL_RECORDED];
	stats->filtered = sum->outcome[TL_FILTERED];
	stats->full = sum->outcome[TL_FULL];
	stats->wrapped = sum->outcome[TL_WRAPPED];
	stats->too_big = sum->outcome[TL_TOO_BIG];
	stats->recursion = sum->outcome[TL_RECURSION];
	stats->not_running = sum->outcome[TL_NOT_RUNNING];
	stats->faults = sum->faults;
	stats->truncated = sum->cuts;
}

static u32 tl_event_state(const struct tl_event *event)
{
	const struct tl_place *place = event->place;

	/* also after the end, when nothing is enabled */
	if (place->waits && (event->is_enabled || !place->enabled))
		return place->waits;
	if ((!place->symbol || place->is_armed) && place->ops->is_gone(place))
		return TL_EVENT_GONE;
	return event->is_enabled ? TL_EVENT_ARMED : TL_EVENT_OFF;
}

static u64 tl_event_entries(const struct tl_event *event)
{
	u64 since = event->is_enabled ?
			    tl_place_entries(event->place) - event->entries_from : 0;

	return event->entries + since;
}

/* What an event's place says of itself. */
static void tl_stats_place(const struct tl_event *event, struct tl_stats *stats)
{
	const struct tl_place *place = event->place;

	stats->state = tl_event_state(event);
	stats->nmissed = tl_place_nmissed(place);
	stats->entries = tl_event_entries(event);
	stats->address = place->address;
	stats->symbol_bytes = place->symbol_bytes;
	if (stats->state != TL_EVENT_REFUSED)
		return;
	stats->error.code = tl_place_reason(place, place->refused);
	stats->error.kernel_errno = (u32)-place->refused;
}

static void tl_stats_session(struct tl_session *session, struct tl_stats *stats)
{
	struct tl_counters sum = {};
	struct tl_place *place;
	struct tl_event *event;
	unsigned long id;

	/* removed events are not kept by CPU */
	if (stats->cpu == TL_CPU_ALL)
		sum = session->removed;
	xa_for_each(&session->events, id, event)
		tl_stats_sum(&sum, event, stats->cpu);
	tl_stats_fill(stats, &sum);
	stats->state = 0;
	stats->entries = 0;
	stats->address = 0;
	stats->symbol_bytes = 0;
	stats->nmissed = session->removed_nmissed;
	mutex_lock(&session->places.lock);
	list_for_each_entry(place, &session->places.list, node)
		stats->nmissed += tl_place_nmissed(place);
	mutex_unlock(&session->places.lock);
}

/**
 * tl_session_stats() - TL_STATS
 * @session: locked
 * @stats: the command
 */
int tl_session_stats(struct tl_session *session, struct tl_stats *stats)
{
	struct tl_error *error = &stats->error;
	struct tl_counters sum = {};
	struct tl_event *event;

	if (stats->cpu != TL_CPU_ALL &&
	    (stats->cpu >= nr_cpu_ids || !cpu_possible(stats->cpu)))
		return tl_refuse(error, TL_ERR_CPU, -ENXIO);
	switch (stats->selector) {
	case TL_STATS_SESSION:
		if (stats->id)
			return tl_refuse(error, TL_ERR_EVENT_ID, -EINVAL);
		tl_stats_session(session, stats);
		return 0;
	case TL_STATS_EVENT:
		event = xa_load(&session->events, stats->id);
		if (!event)
			return tl_refuse(error, TL_ERR_EVENT_ID, -ENOENT);
		tl_stats_sum(&sum, event, stats->cpu);
		tl_stats_fill(stats, &sum);
		mutex_lock(&session->places.lock);
		tl_stats_place(event, stats);
		mutex_unlock(&session->places.lock);
		return 0;
	}
	return tl_refuse(error, TL_ERR_COMMAND, -EINVAL);
}
