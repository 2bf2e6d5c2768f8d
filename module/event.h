/* SPDX-License-Identifier: GPL-2.0-only */
/* An event: a program at a place, with a counter for each outcome. */
#ifndef TL_EVENT_H
#define TL_EVENT_H

#include <linux/percpu.h>

#include "core/prog.h"
#include "core/ring.h"

struct tl_place;

/**
 * struct tl_counters - one CPU's counters of an event
 * @outcome: hits by &enum tl_outcome
 * @faults: recorded hits with an argument marked fault
 * @cuts: recorded hits with a string or a stack truncated or incomplete
 */
struct tl_counters {
	u64 outcome[TL_OUTCOMES];
	u64 faults;
	u64 cuts;
};

/**
 * struct tl_event - one event
 * @ring: the gate of its session: each CPU's ring, NULL where hits are not
 *	recorded
 * @counters: per CPU
 * @id: number in the session
 * @direct_ring: the same as @ring for an event without a filter whose records
 *	are of one length, have the short header and cannot fault; for others a
 *	gate that is always closed
 * @short_bytes: that length
 * @prog: its program
 * @place: where it is
 * @entries: calls that began while it was enabled, if it is one on a return;
 *	less those since @entries_from while it is
 * @entries_from: what its place had counted then
 * @is_enabled: it is among the events of its place
 * @is_listed: for the length of one command: found in its list of events, and
 *	then, changed by it
 */
struct tl_event {
	struct tl_ring *__percpu *ring;
	struct tl_counters __percpu *counters;
	struct tl_ring *__percpu *direct_ring;
	u32 id;
	u32 short_bytes;
	struct tl_prog prog;
	struct tl_place *place;
	u64 entries;
	u64 entries_from;
	bool is_enabled;
	bool is_listed;
};

/* Stands for an event that was disabled: its hits are nobody's. */
extern struct tl_event tl_event_none;

struct tl_event *tl_event_alloc(struct tl_ring *__percpu *ring, u32 insn_count);
void tl_event_ready(struct tl_event *event);
void tl_event_free(struct tl_event *event);
void tl_counters_add(struct tl_counters *sum,
		     const struct tl_counters __percpu *counters, int cpu);

#endif
