// SPDX-License-Identifier: GPL-2.0-only
/* A bed to hit events in: a session, and a place without a probe. */
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "hit.h"
#include "ring_limit.h"
#include "suites.h"

static void tl_bed_release(void *data)
{
	struct tl_bed *bed = data;
	u32 i;

	tl_session_end(bed->session);
	kfree(rcu_dereference_protected(bed->place.events, true));
	for (i = 0; i < bed->count; i++)
		tl_event_free(bed->event[i]);
}

/* Ends with the test. */
struct tl_bed *tl_bed_make(struct kunit *test, u32 mode, u32 packet_bytes,
			   u32 packet_count)
{
	struct tl_session_setup setup = {
		.mode = mode,
		.packet_bytes = packet_bytes,
		.packet_count = packet_count,
	};
	struct tl_bed *bed = kunit_kzalloc(test, sizeof(*bed), GFP_KERNEL);
	struct tl_place_events *events;
	int err;

	KUNIT_ASSERT_NOT_NULL(test, bed);
	bed->session = tl_session_create();
	KUNIT_ASSERT_NOT_NULL(test, bed->session);
	err = kunit_add_action_or_reset(test, tl_bed_release, bed);
	KUNIT_ASSERT_EQ(test, err, 0);
	events = kzalloc(struct_size(events, event, TL_BED_EVENTS), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, events);
	rcu_assign_pointer(bed->place.events, events);
	bed->place.ops = &tl_kprobe_ops;
	bed->place.address = (unsigned long)tl_bed_make;
	mutex_lock(&bed->session->lock);
	err = tl_session_setup(bed->session, &setup);
	mutex_unlock(&bed->session->lock);
	KUNIT_ASSERT_EQ(test, err, 0);
	return bed;
}

/* Earlier than with the test. */
void tl_bed_end(struct kunit *test, struct tl_bed *bed)
{
	kunit_release_action(test, tl_bed_release, bed);
}

/* One more event on the place; its number is that of the order. */
void tl_bed_add(struct kunit *test, struct tl_bed *bed,
		const struct tl_insn *insns, u32 insn_count)
{
	static const struct tl_prog_limits limits = {
		.regs_bytes = sizeof(struct pt_regs),
		.is_return = true,
	};
	struct tl_place_events *events;
	struct tl_event *event;
	u32 bad_insn;
	int code;

	KUNIT_ASSERT_LT(test, bed->count, TL_BED_EVENTS);
	event = tl_event_alloc(bed->session->gate, insn_count);
	KUNIT_ASSERT_NOT_NULL(test, event);
	event->id = bed->count;
	bed->event[bed->count++] = event;
	memcpy(event->prog.insns, insns, array_size(insn_count, sizeof(*insns)));
	code = tl_prog_verify(&event->prog, insn_count, &limits, &bad_insn);
	KUNIT_ASSERT_EQ_MSG(test, code, TL_ERR_NONE, "instruction %u", bad_insn);
	tl_event_ready(event);
	events = rcu_dereference_protected(bed->place.events, true);
	events->event[events->count++] = event;
}

static void tl_bed_ctl(struct kunit *test, struct tl_bed *bed, u32 command)
{
	struct tl_session_ctl ctl = { .command = command };
	int err;

	mutex_lock(&bed->session->lock);
	err = tl_session_ctl(bed->session, &ctl);
	mutex_unlock(&bed->session->lock);
	KUNIT_ASSERT_EQ(test, err, 0);
}

void tl_bed_start(struct kunit *test, struct tl_bed *bed)
{
	tl_bed_ctl(test, bed, TL_SESSION_START);
}

/* All packets are closed then, and nobody hits any more. */
void tl_bed_stop(struct kunit *test, struct tl_bed *bed)
{
	tl_bed_ctl(test, bed, TL_SESSION_STOP);
}

void tl_bed_sum(const struct tl_bed *bed, u32 event, struct tl_counters *sum)
{
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu)
		tl_counters_add(sum, bed->event[event]->counters, cpu);
}

u64 tl_counters_hits(const struct tl_counters *sum)
{
	u64 hits = 0;
	u32 i;

	for (i = 0; i < TL_OUTCOMES; i++)
		hits += sum->outcome[i];
	return hits;
}

void tl_bed_hit(struct tl_bed *bed, struct pt_regs *regs)
{
	preempt_disable();
	tl_event_hit(&bed->place, regs, 0, NULL);
	preempt_enable();
}

void tl_stay_on(struct kunit *test, int cpu)
{
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
	KUNIT_ASSERT_EQ(test, raw_smp_processor_id(), cpu);
}

void tl_expect_limit_free(struct kunit *test)
{
	u64 pages = tl_ring_limit_bytes() >> PAGE_SHIFT;
	bool is_free = tl_ring_limit_take(pages);

	KUNIT_EXPECT_TRUE(test, is_free);
	if (is_free)
		tl_ring_limit_give(pages);
}

int tl_other_cpu(struct kunit *test, int cpu)
{
	int other = cpumask_any_but(cpu_online_mask, cpu);

	KUNIT_ASSERT_LT_MSG(test, other, nr_cpu_ids, "a second CPU is needed");
	return other;
}
