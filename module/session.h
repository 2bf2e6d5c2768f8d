/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: an open file of /dev/trapline, its events and its rings.
 *
 * Two kinds of references: the device file owns the events and ends the
 * session; ring files (and their mappings) keep only the rings.
 */
#ifndef TL_SESSION_H
#define TL_SESSION_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/xarray.h>

#include "event.h"
#include "place.h"
#include "ring_cpu.h"
#include "trapline.h"

#define TL_EVENTS_MAX 65536

enum tl_session_state {
	TL_SESSION_NEW, /* no rings yet */
	TL_SESSION_READY, /* rings, not started */
	TL_SESSION_RUNNING,
	TL_SESSION_STOPPED,
};

/**
 * struct tl_session - a session
 * @kref: the device file and each ring file
 * @lock: serialises the commands; holds all but what says otherwise
 * @state: where it is in its life
 * @gate: what the hot path looks at: each CPU's ring while hits are recorded,
 *	else NULL
 * @config: of its rings
 * @rings: by CPU number, NULL for impossible CPUs; NULL before setup
 * @ring_pages: taken from the module's limit for them
 * @is_held: a snapshot is being read
 * @events: by number
 * @next_id: number of the next event
 * @places: where the events are, with a lock of their own
 * @removed: sum of the counters of removed events
 * @removed_nmissed: of removed events
 */
struct tl_session {
	struct kref kref;
	struct mutex lock; /* all but what says otherwise */
	enum tl_session_state state;
	struct tl_ring *__percpu *gate;
	struct tl_ring_config config;
	struct tl_ring_cpu **rings;
	u64 ring_pages;
	bool is_held;
	struct xarray events;
	u32 next_id;
	struct tl_places places;
	struct tl_counters removed;
	u64 removed_nmissed;
};

struct tl_session *tl_session_create(void);
void tl_session_get(struct tl_session *session);
void tl_session_put(struct tl_session *session);
void tl_session_end(struct tl_session *session);
int tl_session_setup(struct tl_session *session, struct tl_session_setup *setup);
int tl_session_ctl(struct tl_session *session, struct tl_session_ctl *ctl);
int tl_session_event_add(struct tl_session *session, struct tl_event_add *add);
int tl_session_event_ctl(struct tl_session *session, struct tl_event_ctl *ctl);
int tl_session_stats(struct tl_session *session, struct tl_stats *stats);
void tl_session_free_events(struct tl_session *session);
void tl_session_disable_all(struct tl_session *session);

/**
 * tl_refuse() - note why a command fails
 * @error: of the command's struct
 * @code: the reason
 * @err: what the command returns
 */
static inline int tl_refuse(struct tl_error *error, enum tl_error_code code,
			    int err)
{
	error->code = code;
	return err;
}

/**
 * tl_refuse_errno() - a command fails because something it called did
 * @error: of the command's struct
 * @err: what that returned, and the command returns
 */
static inline int tl_refuse_errno(struct tl_error *error, int err)
{
	return tl_refuse(error, err == -ENOMEM ? TL_ERR_MEMORY : TL_ERR_NONE,
			 err);
}

#endif
