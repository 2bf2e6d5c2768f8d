// SPDX-License-Identifier: GPL-2.0-only
/* Events of a session, a list at a time: arming, disarming, removing. */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "place.h"
#include "session.h"

/* Returns @err, the reason of which it notes. */
static int tl_event_refuse(const struct tl_event *event, struct tl_error *error,
			   int err)
{
	if (!err || err == -EINTR)
		return err;
	error->kernel_errno = (u32)-err;
	return tl_refuse(error, tl_place_reason(event->place, err), err);
}

/*
 * Its place may have been queued for tl_place_arm_queued(). Of a place that was
 * armed already the calls count that begin once the event is there: each entry
 * that it is said to have has led to a hit of it, or is still inside.
 */
static int tl_event_enable(struct tl_event *event, struct tl_error *error)
{
	bool was_armed = event->place->is_armed;
	int err;

	if (event->is_enabled)
		return 0;
	event->entries_from = tl_place_entries(event->place);
	/* some milliseconds each: whoever is killed must not wait */
	err = fatal_signal_pending(current) ?
		      -EINTR : tl_place_enable(event->place, event);
	event->is_enabled = !err;
	if (was_armed)
		event->entries_from = tl_place_entries(event->place);
	return tl_event_refuse(event, error, err);
}

/* Its place was armed, or was not. */
static int tl_event_armed(struct tl_event *event, struct tl_error *error)
{
	const struct tl_place *place = event->place;

	/* one that waits for its module is none that failed */
	if (!event->is_enabled || place->is_armed || place->waits)
		return 0;
	return tl_event_refuse(event, error, place->arm_error);
}

static void tl_event_disable(struct tl_event *event)
{
	if (!event->is_enabled)
		return;
	tl_place_take_entries(event);
	tl_place_disable(event->place, event);
	event->is_enabled = false;
}

/* Find all events of a list, none of them twice, before anything is done. */
static int tl_events_check(struct tl_session *session, const u32 *ids, u32 count,
			   struct tl_error *error)
{
	struct tl_event *event;
	int err = 0;
	u32 i;

	for (i = 0; i < count && !err; i++) {
		event = xa_load(&session->events, ids[i]);
		error->index = i;
		if (!event)
			err = tl_refuse(error, TL_ERR_EVENT_ID, -ENOENT);
		else if (event->is_listed)
			err = tl_refuse(error, TL_ERR_EVENT_TWICE, -EINVAL);
		else
			event->is_listed = true;
	}
	for (i = 0; i < count; i++) {
		event = xa_load(&session->events, ids[i]);
		if (event)
			event->is_listed = false;
	}
	return err;
}

/*
 * Enable the events of a list; on failure disable those again that this call
 * has enabled, which is_listed tells.
 */
static int tl_events_enable(struct tl_session *session, const u32 *ids, u32 count,
			    struct tl_error *error)
{
	struct tl_event *event;
	int err = 0;
	u32 i, last;

	for (last = 0; last < count && !err; last++) {
		event = xa_load(&session->events, ids[last]);
		event->is_listed = !event->is_enabled;
		error->index = last;
		err = tl_event_enable(event, error);
	}
	if (!err)
		tl_place_arm_queued(&session->places);
	for (i = 0; i < last && !err; i++) {
		error->index = i;
		err = tl_event_armed(xa_load(&session->events, ids[i]), error);
	}
	while (last--) {
		event = xa_load(&session->events, ids[last]);
		if (err && event->is_listed)
			tl_event_disable(event); /* or was not enabled */
		event->is_listed = false;
	}
	if (err)
		tl_place_disarm(&session->places);
	return err;
}

/* Enable what can be. Only the end of the task ends it early. */
static int tl_events_enable_each(struct tl_session *session, const u32 *ids,
				 u32 count, struct tl_error *results)
{
	bool is_killed = false, is_refused = false;
	struct tl_event *event;
	u32 i;
	int err;

	for (i = 0; i < count && !is_killed; i++) {
		results[i].index = i;
		err = tl_event_enable(xa_load(&session->events, ids[i]),
				      &results[i]);
		is_killed = err == -EINTR;
	}
	tl_place_arm_queued(&session->places);
	for (i = 0; i < count; i++) {
		event = xa_load(&session->events, ids[i]);
		err = tl_event_armed(event, &results[i]);
		if (!err)
			continue;
		tl_event_disable(event);
		is_refused = true;
		is_killed |= err == -EINTR;
	}
	if (is_refused)
		tl_place_disarm(&session->places);
	return is_killed ? -EINTR : 0;
}

static void tl_events_disable(struct tl_session *session, const u32 *ids,
			      u32 count)
{
	struct tl_event *event;
	u32 i;

	for (i = 0; i < count; i++) {
		event = xa_load(&session->events, ids[i]);
		event->is_listed = event->is_enabled;
		tl_event_disable(event);
	}
	tl_place_disarm(&session->places);
	for (i = 0; i < count; i++) {
		event = xa_load(&session->events, ids[i]);
		/* it was hit to the last moment */
		if (event->is_listed && !event->place->is_armed)
			tl_place_take_entries(event);
		event->is_listed = false;
	}
}

/* The event is disabled: nobody hits it, and nobody will. */
static void tl_event_remove(struct tl_session *session, struct tl_event *event)
{
	int cpu;

	for_each_possible_cpu(cpu)
		tl_counters_add(&session->removed, event->counters, cpu);
	if (event->place->users == 1)
		session->removed_nmissed += tl_place_nmissed(event->place);
	tl_place_put(event->place);
	xa_erase(&session->events, event->id);
	tl_event_free(event);
}

static void tl_events_remove(struct tl_session *session, const u32 *ids,
			     u32 count)
{
	u32 i;

	tl_events_disable(session, ids, count);
	for (i = 0; i < count; i++)
		tl_event_remove(session, xa_load(&session->events, ids[i]));
}

static int tl_events_command(struct tl_session *session,
			     struct tl_event_ctl *ctl, const u32 *ids,
			     struct tl_error *results)
{
	switch (ctl->command) {
	case TL_EVENT_ENABLE:
		if (results)
			return tl_events_enable_each(session, ids,
						     ctl->id_count, results);
		return tl_events_enable(session, ids, ctl->id_count,
					&ctl->error);
	case TL_EVENT_DISABLE:
		tl_events_disable(session, ids, ctl->id_count);
		return 0;
	case TL_EVENT_REMOVE:
		tl_events_remove(session, ids, ctl->id_count);
		return 0;
	}
	return tl_refuse(&ctl->error, TL_ERR_COMMAND, -EINVAL);
}

/* That the results can be told is seen to before there are any. */
static struct tl_error *tl_results_alloc(const struct tl_event_ctl *ctl)
{
	size_t size = array_size(ctl->id_count, sizeof(struct tl_error));
	struct tl_error *results;

	if (clear_user(u64_to_user_ptr(ctl->results), size))
		return ERR_PTR(-EFAULT);
	results = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	return results ?: ERR_PTR(-ENOMEM);
}

static int tl_results_tell(const struct tl_event_ctl *ctl,
			   const struct tl_error *results)
{
	size_t size = array_size(ctl->id_count, sizeof(*results));

	return copy_to_user(u64_to_user_ptr(ctl->results), results, size) ?
		       -EFAULT : 0;
}

/* The list is right. No user memory is touched under the lock of the places. */
static int tl_events_run(struct tl_session *session, struct tl_event_ctl *ctl,
			 const u32 *ids)
{
	struct tl_error *results = NULL;
	int err;

	if (ctl->results)
		results = tl_results_alloc(ctl);
	if (IS_ERR(results))
		return tl_refuse_errno(&ctl->error, PTR_ERR(results));
	mutex_lock(&session->places.lock);
	err = tl_events_command(session, ctl, ids, results);
	mutex_unlock(&session->places.lock);
	if (!err && results)
		err = tl_results_tell(ctl, results);
	kvfree(results);
	return err;
}

/**
 * tl_session_event_ctl() - TL_EVENT_CTL
 * @session: locked
 * @ctl: the command
 */
int tl_session_event_ctl(struct tl_session *session, struct tl_event_ctl *ctl)
{
	struct tl_error *error = &ctl->error;
	u32 *ids;
	int err;

	if (session->state != TL_SESSION_READY &&
	    session->state != TL_SESSION_RUNNING)
		return tl_refuse(error, TL_ERR_STATE, -EBUSY);
	if (!ctl->id_count || ctl->id_count > TL_EVENTS_MAX)
		return tl_refuse(error, TL_ERR_ID_COUNT, -EINVAL);
	if (ctl->results && ctl->command != TL_EVENT_ENABLE)
		return tl_refuse(error, TL_ERR_RESERVED, -EINVAL);
	ids = vmemdup_user(u64_to_user_ptr(ctl->ids),
			   array_size(ctl->id_count, sizeof(*ids)));
	if (IS_ERR(ids))
		return tl_refuse_errno(error, PTR_ERR(ids));
	err = tl_events_check(session, ids, ctl->id_count, error);
	if (!err)
		err = tl_events_run(session, ctl, ids);
	kvfree(ids);
	return err;
}
