// SPDX-License-Identifier: GPL-2.0-only
/* Places of a session: which events an address has, and whether it is armed. */
#include <linux/minmax.h>
#include <linux/slab.h>

#include "event.h"
#include "place.h"

/* Its code was unloaded: what is at the address now is something else. */
static bool tl_place_is_gone(const struct tl_place *place)
{
	return place->is_armed && place->ops->is_gone(place);
}

static bool tl_place_is(const struct tl_place *place,
			const struct tl_probe_ops *ops, unsigned long address,
			u32 maxactive)
{
	return place->ops == ops && place->address == address &&
	       place->maxactive == maxactive && !tl_place_is_gone(place);
}

/**
 * tl_place_get() - the place of an event, made if it is the first one there
 * @places: the session's
 * @ops: backend
 * @address: of the probe
 * @maxactive: of a return probe; events that differ in it share no probe
 *
 * Returns NULL without memory. The event is one more user of the place.
 */
struct tl_place *tl_place_get(struct list_head *places,
			      const struct tl_probe_ops *ops,
			      unsigned long address, u32 maxactive)
{
	struct tl_place *place;

	list_for_each_entry(place, places, node) {
		if (tl_place_is(place, ops, address, maxactive)) {
			place->users++;
			return place;
		}
	}
	place = ops->create(address, maxactive);
	if (!place)
		return NULL;
	place->ops = ops;
	place->address = address;
	place->maxactive = maxactive;
	place->users = 1;
	list_add_tail(&place->node, places);
	return place;
}

/**
 * tl_place_put() - an event leaves its place, where it is not enabled any more
 * @place: the place; freed with its last user
 */
void tl_place_put(struct tl_place *place)
{
	if (--place->users)
		return;
	list_del(&place->node);
	place->ops->destroy(place);
}

static struct tl_place_events *tl_place_current(const struct tl_place *place)
{
	/* the session's lock is held: nobody else publishes */
	return rcu_dereference_protected(place->events, true);
}

static void tl_place_publish(struct tl_place *place,
			     struct tl_place_events *events)
{
	struct tl_place_events *old = tl_place_current(place);

	rcu_assign_pointer(place->events, events);
	if (old)
		kfree_rcu(old, rcu);
}

/* Publish the enabled events of a place and one more. */
static int tl_place_insert(struct tl_place *place, struct tl_event *event)
{
	const struct tl_place_events *old = tl_place_current(place);
	u32 old_count = old && !place->is_idle ? old->count : 0;
	struct tl_place_events *new;
	bool is_in = false;
	u32 i;

	new = kzalloc(struct_size(new, event, place->enabled + 1),
		      GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	for (i = 0; i < old_count; i++) {
		if (old->event[i] == &tl_event_none)
			continue;
		if (!is_in && old->event[i]->id > event->id) {
			new->event[new->count++] = event;
			is_in = true;
		}
		new->event[new->count++] = old->event[i];
	}
	if (!is_in)
		new->event[new->count++] = event;
	tl_place_publish(place, new);
	place->enabled++;
	place->is_idle = false;
	return 0;
}

/**
 * tl_place_enable() - an event is to be hit from now on
 * @place: its place; armed if it is not
 * @event: the event
 *
 * Returns 0, or a negative errno with nothing changed.
 */
int tl_place_enable(struct tl_place *place, struct tl_event *event)
{
	int err;

	if (tl_place_is_gone(place))
		return -ESTALE;
	err = tl_place_insert(place, event);
	if (err || place->is_armed)
		return err;
	err = place->ops->arm(place);
	if (err) {
		tl_place_publish(place, NULL); /* it was the only one */
		place->enabled = 0;
		return err;
	}
	place->is_armed = true;
	return 0;
}

/**
 * tl_place_disable() - an event is not to be hit any more
 * @place: its place
 * @event: the event; it may be hit until tl_place_disarm() has returned
 *
 * Needs no memory, so that whatever was enabled can be disabled again.
 */
void tl_place_disable(struct tl_place *place, const struct tl_event *event)
{
	struct tl_place_events *events = tl_place_current(place);
	u32 i;

	if (!--place->enabled) {
		/* published until disarmed: its hits are counted to the last */
		place->is_idle = true;
		return;
	}
	for (i = 0; i < events->count; i++)
		if (events->event[i] == event)
			WRITE_ONCE(events->event[i], &tl_event_none);
}

static void tl_place_disarm_batch(struct tl_place **batch, u32 count)
{
	u32 i;

	if (!count)
		return;
	batch[0]->ops->disarm(batch, count);
	for (i = 0; i < count; i++) {
		batch[i]->nmissed_before += batch[i]->ops->nmissed(batch[i]);
		batch[i]->is_armed = false;
		batch[i]->is_idle = false;
		tl_place_publish(batch[i], NULL);
	}
}

/* Disarm the idle places of one backend. */
static void tl_place_disarm_backend(struct list_head *places,
				    const struct tl_probe_ops *ops)
{
	struct tl_place *batch[TL_DISARM_BATCH];
	struct tl_place *place;
	u32 count = 0;

	list_for_each_entry(place, places, node) {
		if (!place->is_idle || place->ops != ops)
			continue;
		batch[count++] = place;
		if (count == TL_DISARM_BATCH) {
			tl_place_disarm_batch(batch, count);
			count = 0;
		}
	}
	tl_place_disarm_batch(batch, count);
}

/**
 * tl_place_disarm() - disarm all places that are idle
 * @places: the session's
 *
 * In batches of one backend, because the kernel waits for a grace period in
 * each call. When this returns, no handler runs for an event that was disabled
 * before.
 */
void tl_place_disarm(struct list_head *places)
{
	u32 i;

	for (i = 0; i < TL_BACKENDS; i++)
		if (tl_probe_backend(i))
			tl_place_disarm_backend(places, tl_probe_backend(i));
	/* for the events that were disabled on a place which stays armed */
	synchronize_rcu();
}

/**
 * tl_place_disarm_all() - disarm all places; needs no memory
 * @places: the session's
 */
void tl_place_disarm_all(struct list_head *places)
{
	struct tl_place *place;

	list_for_each_entry(place, places, node) {
		place->is_idle = place->is_armed;
		place->enabled = 0;
	}
	tl_place_disarm(places);
}

/**
 * tl_place_nmissed() - the kernel's count of missed hits, over all armings
 * @place: the place
 */
u64 tl_place_nmissed(const struct tl_place *place)
{
	u64 now = place->is_armed ? place->ops->nmissed(place) : 0;

	return place->nmissed_before + now;
}

/**
 * tl_place_entries() - calls that were seen to begin, over all armings
 * @place: the place
 *
 * Returns 0 for a place that is no return.
 */
u64 tl_place_entries(const struct tl_place *place)
{
	return place->ops->entries ? place->ops->entries(place) : 0;
}
