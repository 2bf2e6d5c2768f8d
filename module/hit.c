// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hot path: from a backend's handler to a committed record.
 *
 *	handler -> tl_event_hit() -> filter -> program -> ring -> outcome counted
 *
 * Two ways through it. A program of known length that cannot fault stores
 * right into the ring. Any other one, and any record that does not simply fit
 * into the open packet, is made in scratch memory first: nothing may fault, or
 * be walked twice, between reserve and commit, and the length must be known.
 */
#include <linux/kprobes.h>
#include <linux/sched.h>

#include "context.h"
#include "event.h"
#include "hit.h"
#include "source.h"

static __always_inline void tl_hit_count(const struct tl_event *event,
					 enum tl_outcome outcome)
{
	this_cpu_inc(event->counters->outcome[outcome]);
}

/* The general way: any program, any record. */
static __always_inline enum tl_outcome tl_hit_record(const struct tl_event *event,
						     const struct tl_source *src,
						     size_t level)
{
	struct tl_ring *ring = raw_cpu_read(*event->ring);
	struct tl_scratch *scratch = tl_context_scratch(level);
	const struct tl_prog *prog = &event->prog;
	u32 payload_bytes, status_bytes;
	struct tl_marks marks = {};
	u32 context = (u32)level;
	enum tl_outcome outcome;
	struct tl_slice slice;
	u8 *at;

	if (unlikely(!ring))
		return TL_NOT_RUNNING;
	payload_bytes = tl_prog_run(prog, src, scratch->payload,
				    scratch->statuses, &marks);
	status_bytes = marks.faults || marks.cuts ? prog->put_count : 0;
	outcome = tl_ring_reserve(ring, status_bytes + payload_bytes, event->id,
				  &slice);
	if (unlikely(outcome != TL_RECORDED))
		return outcome;
	if (status_bytes)
		context |= TL_CTX_EXCEPTIONAL;
	at = tl_record_store(ring, &slice, event->id, context,
			     (u32)current->pid);
	memcpy(at, scratch->statuses, status_bytes);
	memcpy(at + status_bytes, scratch->payload, payload_bytes);
	tl_ring_commit(ring, &slice);
	if (marks.faults)
		this_cpu_inc(event->counters->faults);
	if (marks.cuts)
		this_cpu_inc(event->counters->cuts);
	return TL_RECORDED;
}

static noinline void tl_hit_general(const struct tl_event *event,
				    const struct tl_source *src, size_t level)
{
	tl_hit_count(event, tl_hit_record(event, src, level));
}

NOKPROBE_SYMBOL(tl_hit_general);

/*
 * An event with a filter. Where nothing is recorded none is asked. The scratch
 * memory is free until the program runs.
 */
static noinline void tl_hit_filtered(const struct tl_event *event,
				     const struct tl_source *src, size_t level)
{
	u8 *text = tl_context_scratch(level)->payload;

	if (unlikely(!raw_cpu_read(*event->ring)))
		tl_hit_count(event, TL_NOT_RUNNING);
	else if (!tl_prog_filter(&event->prog, src, text))
		tl_hit_count(event, TL_FILTERED);
	else
		tl_hit_general(event, src, level);
}

NOKPROBE_SYMBOL(tl_hit_filtered);

/* One event, inside the guard. */
static __always_inline void tl_hit_event(const struct tl_event *event,
					 const struct tl_source *src,
					 size_t level)
{
	struct tl_ring *ring = raw_cpu_read(*event->direct_ring);
	struct tl_slot *slot;
	u64 pos, now_ns;
	u32 offset;
	u8 *at;

	if (unlikely(!ring))
		return event->prog.filter_count ?
			       tl_hit_filtered(event, src, level) :
			       tl_hit_general(event, src, level);
	pos = tl_ring_pos(ring);
	now_ns = tl_ring_now(ring);
	if (unlikely(!tl_ring_try_reserve(ring, pos, &offset, now_ns,
					  event->short_bytes)))
		return tl_hit_general(event, src, level);
	slot = tl_ring_slot_of(ring, pos);
	at = tl_record_store_short(tl_ring_at(ring, slot, offset), now_ns,
				   event->id, (u32)level, (u32)current->pid);
	tl_prog_run_direct(&event->prog, src, at);
	tl_ring_commit_at(ring, slot, pos, event->short_bytes);
	tl_hit_count(event, TL_RECORDED);
}

/* The second and later events of a place. */
static noinline void tl_hit_others(const struct tl_place_events *events,
				   const struct tl_source *src, size_t level)
{
	u32 i;

	for (i = 1; i < events->count; i++)
		tl_hit_event(READ_ONCE(events->event[i]), src, level);
}

NOKPROBE_SYMBOL(tl_hit_others);

/*
 * All events of a place, inside the guard, which only contexts of this CPU look at:
 * the compiler is the only one who could put it into a wrong order.
 */
static __always_inline void tl_hit_guarded(const struct tl_place_events *events,
					   const struct tl_source *src,
					   size_t level)
{
	raw_cpu_write(tl_cpu.busy[level], current_stack_pointer);
	barrier();
	tl_hit_event(READ_ONCE(events->event[0]), src, level);
	if (unlikely(events->count > 1))
		tl_hit_others(events, src, level);
	barrier();
	raw_cpu_write(tl_cpu.busy[level], 0);
}

/* A place that was hit in what a handler calls. */
static noinline int tl_hit_recursion(const struct tl_place_events *events)
{
	u32 i;

	for (i = 0; i < events->count; i++)
		tl_hit_count(READ_ONCE(events->event[i]), TL_RECURSION);
	return 0;
}

NOKPROBE_SYMBOL(tl_hit_recursion);

/* A place that was hit in a context that is inside a handler. */
static noinline int tl_hit_again(const struct tl_place_events *events,
				 const struct tl_source *src, size_t level)
{
	if (!tl_context_is_irq_exit(level))
		return tl_hit_recursion(events);
	tl_hit_guarded(events, src, TL_CTX_HARDIRQ);
	return 0;
}

NOKPROBE_SYMBOL(tl_hit_again);

/**
 * tl_event_hit() - a place was hit: the only entry into the hot path
 * @place: the place
 * @regs: registers there, or the arguments of a tracepoint
 * @caller: where execution goes on after a return, or after the handler of a
 *	tracepoint; 0 at an entry
 * @entry: what was saved at the entry of the call that returns; NULL at an entry
 *
 * Called with preemption off, which is also what holds the events; a place has
 * some as long as it is armed. Each of them gets exactly one outcome. Returns
 * 0, so that a handler can end with it.
 */
int tl_event_hit(const struct tl_place *place, struct pt_regs *regs,
		 unsigned long caller, const struct tl_entry *entry)
{
	const struct tl_place_events *events = rcu_dereference_raw(place->events);
	const struct tl_source src = {
		.regs = regs,
		.place = place,
		.caller = caller,
		.entry = entry,
	};
	size_t level = tl_context_level();

	if (unlikely(raw_cpu_read(tl_cpu.busy[level])))
		return tl_hit_again(events, &src, level);
	if (level >= TL_CTX_NMI && unlikely(tl_context_is_own_int3()))
		return tl_hit_recursion(events);
	tl_hit_guarded(events, &src, level);
	return 0;
}

NOKPROBE_SYMBOL(tl_event_hit);
