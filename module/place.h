/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A place: one probed address of a session and the events on it.
 *
 * The kernel runs the newest probe on an address first. A session has one
 * probe per address and an array of events on it, so that they are recorded
 * in the order in which they were made.
 */
#ifndef TL_PLACE_H
#define TL_PLACE_H

#include <linux/list.h>
#include <linux/rcupdate.h>

#include "probe.h"

struct tl_event;

/**
 * struct tl_place_events - what is hit at a place
 * @rcu: for freeing it
 * @count: length of @event
 * @event: in the order of making; once published, an entry changes at most
 *	into &tl_event_none
 */
struct tl_place_events {
	struct rcu_head rcu;
	u32 count;
	struct tl_event *event[];
};

/**
 * struct tl_place - embedded in what a backend allocates for it
 * @node: in the session's list of places
 * @ops: the backend
 * @address: armed address, as the user gave it
 * @maxactive: of a return probe, as the user gave it
 * @users: events that are on this place, enabled or not
 * @enabled: how many of them are enabled
 * @events: the enabled events, and &tl_event_none where one was disabled;
 *	never NULL while the probe is registered
 * @wants_entry: an event needs what was there when the call began; once set, it
 *	stays
 * @is_armed: the probe is registered
 * @is_idle: armed, but to be disarmed: @events are not enabled any more
 * @nmissed_before: missed hits counted by earlier armings
 *
 * All but @events belongs to the session's lock.
 */
struct tl_place {
	struct list_head node;
	const struct tl_probe_ops *ops;
	unsigned long address;
	u32 maxactive;
	u32 users;
	u32 enabled;
	struct tl_place_events __rcu *events;
	bool wants_entry;
	bool is_armed;
	bool is_idle;
	u64 nmissed_before;
};

struct tl_place *tl_place_get(struct list_head *places,
			      const struct tl_probe_ops *ops,
			      unsigned long address, u32 maxactive);
void tl_place_put(struct tl_place *place);
int tl_place_enable(struct tl_place *place, struct tl_event *event);
void tl_place_disable(struct tl_place *place, const struct tl_event *event);
void tl_place_disarm(struct list_head *places);
void tl_place_disarm_all(struct list_head *places);
u64 tl_place_nmissed(const struct tl_place *place);
u64 tl_place_entries(const struct tl_place *place);

#endif
