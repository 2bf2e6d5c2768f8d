// SPDX-License-Identifier: GPL-2.0-only
/* Events: memory and counters. */
#include <linux/slab.h>

#include "event.h"

/* For events whose records are never made directly. */
static DEFINE_PER_CPU(struct tl_ring *, tl_no_ring);
static DEFINE_PER_CPU(struct tl_counters, tl_no_counters);

struct tl_event tl_event_none = {
	.ring = &tl_no_ring,
	.direct_ring = &tl_no_ring,
	.counters = &tl_no_counters,
};

/**
 * tl_event_alloc() - an event with room for its program
 * @ring: the gate of the session
 * @insn_count: instructions to copy into prog.insns
 *
 * Returns NULL without memory.
 */
struct tl_event *tl_event_alloc(struct tl_ring *__percpu *ring, u32 insn_count)
{
	struct tl_event *event = kzalloc(sizeof(*event), GFP_KERNEL_ACCOUNT);

	if (!event)
		return NULL;
	event->ring = ring;
	event->counters = alloc_percpu_gfp(struct tl_counters,
					   GFP_KERNEL_ACCOUNT);
	event->prog.insns = kvcalloc(insn_count, sizeof(struct tl_insn),
				     GFP_KERNEL_ACCOUNT);
	if (!event->counters || !event->prog.insns) {
		tl_event_free(event);
		return NULL;
	}
	return event;
}

/**
 * tl_event_ready() - the program is verified and the number is known
 * @event: the event
 */
void tl_event_ready(struct tl_event *event)
{
	bool is_direct = event->prog.direct && !event->prog.filter_count &&
			 event->id < TL_EVENT_EXTENDED;

	event->direct_ring = is_direct ? event->ring : &tl_no_ring;
	event->short_bytes = tl_record_bytes(event->prog.max_bytes, false);
}

/**
 * tl_event_free() - free an event that no handler can reach any more
 * @event: the event
 */
void tl_event_free(struct tl_event *event)
{
	kvfree(event->prog.insns);
	free_percpu(event->counters);
	kfree(event);
}

/**
 * tl_counters_add() - add one CPU's counters to a sum
 * @sum: the sum
 * @counters: of an event
 * @cpu: whose
 */
void tl_counters_add(struct tl_counters *sum,
		     const struct tl_counters __percpu *counters, int cpu)
{
	const struct tl_counters *from = per_cpu_ptr(counters, cpu);
	u32 i;

	for (i = 0; i < TL_OUTCOMES; i++)
		sum->outcome[i] += READ_ONCE(from->outcome[i]);
	sum->faults += READ_ONCE(from->faults);
	sum->cuts += READ_ONCE(from->cuts);
}
