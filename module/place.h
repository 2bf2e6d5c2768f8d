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
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "probe.h"
#include "trapline.h"

struct tl_event;

/**
 * struct tl_places - the places of a session
 * @lock: holds them and what they say of themselves, but for their hot parts.
 *	Taken inside the session's lock, and when a module comes or goes: never
 *	held while user memory is touched, which may take for ever.
 * @list: of &struct tl_place
 * @node: in the list of all sessions' places, see place_module.c
 */
struct tl_places {
	struct mutex lock; /* see above */
	struct list_head list;
	struct list_head node;
};

/**
 * struct tl_place_key - what tells two places of one backend apart
 * @address: of the probe; with a symbol a guess, or 0
 * @symbol: "MODULE:SYMBOL", or NULL
 * @offset: in that function
 * @maxactive: of a return probe; events that differ in it share no probe
 */
struct tl_place_key {
	unsigned long address;
	const char *symbol;
	unsigned long offset;
	u32 maxactive;
};

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
 * @address: armed address, as the user gave it, or where the symbol was found;
 *	0 for a symbol that has not been found yet
 * @symbol: "MODULE:SYMBOL" for a place that follows its module, or NULL
 * @offset: in that function
 * @symbol_bytes: size of that function; 0: not known
 * @maxactive: of a return probe, as the user gave it
 * @users: events that are on this place, enabled or not
 * @enabled: how many of them are enabled
 * @events: the enabled events, and &tl_event_none where one was disabled;
 *	never NULL while the probe is registered
 * @wants_entry: an event needs what was there when the call began; once set, it
 *	stays
 * @is_armed: the probe is registered
 * @is_stuck: the kernel has not taken the probe off: the place, without events,
 *	and the module stay for ever
 * @is_gone: its code was unloaded, and nothing will bring it back
 * @waits: a place that follows its module is not armed: TL_EVENT_PENDING,
 *	TL_EVENT_GONE or TL_EVENT_REFUSED; else 0
 * @refused: why it was not when the module came, a negative errno
 * @is_left: the module has gone since then
 * @is_queued: to be armed, with others, by tl_place_arm_queued()
 * @arm_error: how that went: 0 or a negative errno
 * @is_idle: to be disarmed: @events are not enabled any more
 * @nmissed_before: missed hits counted by earlier armings
 *
 * All but @events belongs to the lock of the places.
 */
struct tl_place {
	struct list_head node;
	const struct tl_probe_ops *ops;
	unsigned long address;
	const char *symbol;
	unsigned long offset;
	unsigned long symbol_bytes;
	u32 maxactive;
	u32 users;
	u32 enabled;
	struct tl_place_events __rcu *events;
	bool wants_entry;
	bool is_armed;
	bool is_stuck;
	bool is_gone;
	bool is_left;
	bool is_idle;
	bool is_queued;
	u32 waits;
	int refused;
	int arm_error;
	u64 nmissed_before;
};

bool tl_place_is_of(const struct tl_place *place, const char *module);
struct tl_place *tl_place_get(struct tl_places *places,
			      const struct tl_probe_ops *ops,
			      const struct tl_place_key *key);
void tl_place_put(struct tl_place *place);
int tl_place_enable(struct tl_place *place, struct tl_event *event);
void tl_place_disable(struct tl_place *place, const struct tl_event *event);
int tl_place_arm(struct tl_place *place);
void tl_place_arm_queued(struct tl_places *places);
void tl_place_leave(struct tl_places *places, const char *module);
void tl_place_disarm(struct tl_places *places);
void tl_place_disarm_all(struct tl_places *places);
u64 tl_place_nmissed(const struct tl_place *place);
u64 tl_place_entries(const struct tl_place *place);
void tl_place_take_entries(struct tl_event *event);
enum tl_error_code tl_place_reason(const struct tl_place *place, int err);

#endif
