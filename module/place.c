// SPDX-License-Identifier: GPL-2.0-only
/* Places of a session: which events an address has, and whether it is armed. */
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "event.h"
#include "place.h"
#include "place_module.h"

/**
 * tl_place_is_of() - does a place follow this module?
 * @place: any place
 * @module: the module's name
 */
bool tl_place_is_of(const struct tl_place *place, const char *module)
{
	const size_t length = strlen(module);

	return place->symbol && !strncmp(place->symbol, module, length) &&
	       place->symbol[length] == ':';
}

/* Its code was unloaded: what is at the address now is something else. */
static bool tl_place_is_gone(const struct tl_place *place)
{
	return place->is_gone || place->is_stuck ||
	       (place->is_armed && place->ops->is_gone(place));
}

static bool tl_place_is(const struct tl_place *place,
			const struct tl_probe_ops *ops,
			const struct tl_place_key *key)
{
	if (place->ops != ops || place->maxactive != key->maxactive)
		return false;
	if (place->symbol || key->symbol)
		return place->symbol && key->symbol &&
		       place->offset == key->offset &&
		       !strcmp(place->symbol, key->symbol);
	return place->address == key->address && !tl_place_is_gone(place);
}

static struct tl_place *tl_place_make(const struct tl_probe_ops *ops,
				      const struct tl_place_key *key)
{
	struct tl_place *place = ops->create(key->address, key->maxactive);

	if (!place)
		return NULL;
	place->ops = ops;
	place->address = key->address;
	place->offset = key->offset;
	place->maxactive = key->maxactive;
	place->users = 1;
	if (!key->symbol)
		return place;
	place->symbol = kstrdup(key->symbol, GFP_KERNEL_ACCOUNT);
	if (!place->symbol) {
		ops->destroy(place);
		return NULL;
	}
	return place;
}

/**
 * tl_place_get() - the place of an event, made if it is the first one there
 * @places: the session's, locked
 * @ops: backend
 * @key: where; a symbol is copied
 *
 * Returns NULL without memory. The event is one more user of the place.
 */
struct tl_place *tl_place_get(struct tl_places *places,
			      const struct tl_probe_ops *ops,
			      const struct tl_place_key *key)
{
	struct tl_place *place;

	list_for_each_entry(place, &places->list, node) {
		if (tl_place_is(place, ops, key)) {
			place->users++;
			return place;
		}
	}
	place = tl_place_make(ops, key);
	if (place)
		list_add_tail(&place->node, &places->list);
	return place;
}

/**
 * tl_place_put() - an event leaves its place, where it is not enabled any more
 * @place: the place; freed with its last user, unless the kernel still has it
 */
void tl_place_put(struct tl_place *place)
{
	if (--place->users)
		return;
	list_del(&place->node);
	if (place->is_stuck)
		return;
	kfree(place->symbol);
	place->ops->destroy(place);
}

static struct tl_place_events *tl_place_current(const struct tl_place *place)
{
	/* the lock of the places is held: nobody else publishes */
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

static int tl_place_register(struct tl_place *place)
{
	if (!place->ops->arm_many)
		return place->ops->arm(place);
	place->ops->arm_many(&place, 1);
	return place->arm_error;
}

/**
 * tl_place_arm() - register the probe of a place which has events
 * @place: the place, not armed
 *
 * Returns 0, or a negative errno with nothing changed: -ENOENT for a symbol
 * that is not there.
 */
int tl_place_arm(struct tl_place *place)
{
	int err = place->symbol ? tl_place_find(place) : 0;

	if (!err)
		err = tl_place_register(place);
	if (err)
		return err;
	place->is_armed = true;
	place->waits = 0;
	return 0;
}

/**
 * tl_place_enable() - an event is to be hit from now on
 * @place: its place; armed if it is not, or, where the backend arms many at once,
 *	by the next tl_place_arm_queued(). (A place that follows its module is
 *	armed at once: whether it can be is not known before.)
 * @event: the event
 *
 * Returns 0, also for a place that waits for its module, or a negative errno
 * with nothing changed.
 */
int tl_place_enable(struct tl_place *place, struct tl_event *event)
{
	int err;

	if (tl_place_is_gone(place)) {
		/* the place has not heard of it yet, or waits for its module then */
		return place->symbol && !place->is_stuck ?
			       tl_place_insert(place, event) : -ESTALE;
	}
	if (place->waits == TL_EVENT_REFUSED && !place->is_left)
		return place->refused;
	err = tl_place_insert(place, event);
	if (err || place->is_armed)
		return err;
	if (place->waits && place->enabled > 1)
		return 0; /* beside others that wait */
	if (place->ops->arm_many && !place->symbol) {
		place->is_queued = true;
		return 0;
	}
	err = tl_place_arm(place);
	if (err == -ENOENT && place->symbol) {
		place->waits = TL_EVENT_PENDING;
		return 0;
	}
	if (!err)
		return 0;
	tl_place_publish(place, NULL); /* it was the only one */
	place->enabled = 0;
	return err;
}

/* Arm the @count queued places of one backend, and empty the queue. */
static void tl_place_arm_backend(struct tl_places *places,
				 const struct tl_probe_ops *ops, u32 count)
{
	struct tl_place **batch = kvcalloc(count, sizeof(struct tl_place *),
					   GFP_KERNEL_ACCOUNT);
	struct tl_place *place;
	u32 found = 0;

	list_for_each_entry(place, &places->list, node) {
		if (!place->is_queued || place->ops != ops)
			continue;
		place->is_queued = false;
		place->arm_error = -ENOMEM;
		if (batch)
			batch[found++] = place;
	}
	if (batch)
		ops->arm_many(batch, found);
	while (found--)
		batch[found]->is_armed = !batch[found]->arm_error;
	kvfree(batch);
}

static u32 tl_place_count_queued(const struct tl_places *places,
				 const struct tl_probe_ops *ops)
{
	const struct tl_place *place;
	u32 count = 0;

	list_for_each_entry(place, &places->list, node)
		if (place->is_queued && place->ops == ops)
			count++;
	return count;
}

/**
 * tl_place_arm_queued() - arm all places that wait for it
 * @places: the session's, locked
 *
 * How that went is in &tl_place.arm_error of each. The events of one that could
 * not be armed are still enabled there: tl_place_disable() takes them out.
 */
void tl_place_arm_queued(struct tl_places *places)
{
	const struct tl_probe_ops *ops;
	u32 i, count;

	for (i = 0; i < TL_BACKENDS; i++) {
		ops = tl_probe_backend(i);
		count = ops && ops->arm_many ?
				tl_place_count_queued(places, ops) : 0;
		if (count)
			tl_place_arm_backend(places, ops, count);
	}
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
		place->is_queued = false;
		place->waits = 0;
		return;
	}
	for (i = 0; i < events->count; i++)
		if (events->event[i] == event)
			WRITE_ONCE(events->event[i], &tl_event_none);
}

/* Its handler may be called for ever: with no events, and by a module that stays. */
static void tl_place_keep(struct tl_place *place)
{
	static struct tl_place_events nothing = {
		.count = 1,
		.event = { &tl_event_none },
	};

	if (tl_place_current(place) == &nothing)
		return;
	tl_place_publish(place, &nothing);
	__module_get(THIS_MODULE);
}

/*
 * No handler of the place runs or will run. One whose events are enabled keeps
 * them, for when it is armed again.
 */
static void tl_place_disarmed(struct tl_place *place)
{
	if (place->is_armed)
		place->nmissed_before += place->ops->nmissed(place);
	if (place->is_armed && !place->symbol)
		place->is_gone = place->ops->is_gone(place);
	if (place->is_stuck)
		tl_place_keep(place);
	else if (place->is_idle)
		tl_place_publish(place, NULL);
	else
		place->waits = TL_EVENT_GONE;
	place->is_armed = false;
	place->is_idle = false;
}

/* Is it to be disarmed: idle, or (with a module) part of what goes? */
static bool tl_place_must_go(const struct tl_place *place, const char *module)
{
	return module ? place->is_armed && tl_place_is_of(place, module) :
			place->is_idle;
}

/* Disarm the places of one backend that must go. */
static void tl_place_disarm_backend(struct tl_places *places,
				    const struct tl_probe_ops *ops,
				    const char *module)
{
	struct tl_place *batch[TL_DISARM_BATCH];
	struct tl_place *place;
	bool is_any = false;
	u32 count = 0;

	list_for_each_entry(place, &places->list, node) {
		if (place->ops != ops || !tl_place_must_go(place, module))
			continue;
		is_any = true;
		if (!place->is_armed)
			continue; /* its module has not come, or it was refused */
		batch[count++] = place;
		if (count == TL_DISARM_BATCH) {
			ops->disarm(batch, count);
			count = 0;
		}
	}
	if (count)
		ops->disarm(batch, count);
	if (is_any && ops->settle)
		ops->settle();
	list_for_each_entry(place, &places->list, node)
		if (place->ops == ops && tl_place_must_go(place, module))
			tl_place_disarmed(place);
}

/* In batches of one backend: the kernel waits for a grace period in each call. */
static void tl_place_disarm_some(struct tl_places *places, const char *module)
{
	u32 i;

	for (i = 0; i < TL_BACKENDS; i++)
		if (tl_probe_backend(i))
			tl_place_disarm_backend(places, tl_probe_backend(i),
						module);
}

/**
 * tl_place_leave() - disarm the places that follow a module, which goes
 * @places: a session's, locked
 * @module: its name
 *
 * Their events stay enabled, and wait for the module to come back.
 */
void tl_place_leave(struct tl_places *places, const char *module)
{
	tl_place_disarm_some(places, module);
}

/**
 * tl_place_disarm() - disarm all places that are idle
 * @places: the session's, locked
 *
 * When this returns, no handler runs for an event that was disabled before.
 */
void tl_place_disarm(struct tl_places *places)
{
	tl_place_disarm_some(places, NULL);
	/* for the events that were disabled on a place which stays armed */
	synchronize_rcu();
}

/**
 * tl_place_disarm_all() - disarm all places; needs no memory
 * @places: the session's, locked
 */
void tl_place_disarm_all(struct tl_places *places)
{
	struct tl_place *place;

	list_for_each_entry(place, &places->list, node) {
		place->is_queued = false;
		place->is_idle = place->is_armed || place->enabled;
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

/**
 * tl_place_take_entries() - an event is not enabled any more, or counts anew
 * @event: the event; it gets the calls that began since it did so last
 */
void tl_place_take_entries(struct tl_event *event)
{
	u64 now = tl_place_entries(event->place);

	event->entries += now - event->entries_from;
	event->entries_from = now;
}

/**
 * tl_place_reason() - why a place could not be armed, for user space
 * @place: the place
 * @err: what arming it returned
 *
 * The kernel says EINVAL for several reasons; whether the address is a
 * function's start separates one of them.
 */
enum tl_error_code tl_place_reason(const struct tl_place *place, int err)
{
	switch (err) {
	case -ENOMEM:
		return TL_ERR_MEMORY;
	case -ENOENT:
		return place->symbol ? TL_ERR_PLACE_MISSING :
				       TL_ERR_PLACE_ADDRESS;
	case -EDOM:
		return TL_ERR_PLACE_OFFSET;
	case -EILSEQ:
		return TL_ERR_PLACE_BOUNDARY;
	case -ESTALE:
		return TL_ERR_PLACE_GONE;
	case -EINVAL:
		if (place->ops->is_entry && !tl_probe_is_entry(place->address))
			return TL_ERR_PLACE_NOT_ENTRY;
		return TL_ERR_PLACE_REFUSED;
	}
	return TL_ERR_ARM_FAILED;
}
