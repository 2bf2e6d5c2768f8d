// SPDX-License-Identifier: GPL-2.0-only
/*
 * One CPU, four contexts, each interrupting the hit of the one before: a task,
 * a softirq, an interrupt, or an int3 probe in one, an NMI. Nothing is left
 * to chance: each one raises the next from the middle of its own hit, where
 * its program is about to read a string.
 *
 *	task: hit { reads ... -> softirq: hit { reads ... -> interrupt: hit {
 *		reads ... -> NMI: hit { } } } }
 *	task: hit { reads ... -> softirq: hit { reads ... -> interrupt: int3: hit {
 *		reads ... -> NMI: hit { } } } }
 */
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/timekeeping.h>

#include "context.h"
#include "hit.h"
#include "nmi.h"
#include "stream.h"

#define LEVELS 5
#define DEPTH 4
#define TEXT_BYTES 64
#define OVER_HITS 256u /* records of 16 bytes: more than a packet of 4 KiB */

static const u32 tl_contexts[LEVELS] = {
	TL_CTX_TASK, TL_CTX_SOFTIRQ, TL_CTX_HARDIRQ, TL_CTX_NMI,
	TL_CTX_NMI | TL_CTX_NESTED,
};

/* The levels of a round, the innermost first, without an int3 and with one. */
static const u32 tl_orders[][DEPTH] = { { 3, 2, 1, 0 }, { 4, 3, 1, 0 } };

/* Read in one piece: the hook is called once for each. */
static char tl_texts[LEVELS][TEXT_BYTES] __aligned(TEXT_BYTES) = {
	"a task", "a softirq on top of it", "an interrupt on top of both",
	"an NMI, or a breakpoint, on top of that", "an NMI on top of a breakpoint",
};

/**
 * struct tl_nest - what the contexts share
 * @bed: a place with two events, see tl_test_nested()
 * @regs: of the hit in each context
 * @hooked: its hit has come to the middle
 * @done: its hit is over
 * @with_int3: the interrupt does not hit, but runs into an int3
 * @round: how often before
 * @tid: of the thread that all contexts interrupt
 * @softirq: runs in a softirq
 * @to_softirq: interrupt that raises it
 * @to_hardirq: interrupt that hits
 */
static struct tl_nest {
	struct tl_bed *bed;
	struct pt_regs regs[LEVELS];
	bool hooked[LEVELS];
	bool done[LEVELS];
	bool with_int3;
	u64 round;
	u32 tid;
	struct tasklet_struct softirq;
	struct irq_work to_softirq;
	struct irq_work to_hardirq;
} tl_nest;

static void tl_nest_hit(u32 level)
{
	struct pt_regs *regs = &tl_nest.regs[level];

	regs->si = (unsigned long)tl_texts[level];
	regs->di = tl_nest.round * LEVELS + level;
	tl_event_hit(&tl_nest.bed->place, regs, 0, NULL);
	WRITE_ONCE(tl_nest.done[level], true);
}

/* Until the next context's hit is over; if it never comes, records will lack. */
static void tl_nest_await(u32 level)
{
	u32 i;

	for (i = 0; i < 1000000 && !READ_ONCE(tl_nest.done[level]); i++)
		cpu_relax();
}

static void tl_nest_softirq(struct tasklet_struct *tasklet)
{
	preempt_disable();
	tl_nest_hit(1);
	preempt_enable();
}

static void tl_nest_to_softirq(struct irq_work *work)
{
	tasklet_schedule(&tl_nest.softirq);
}

static noinline void tl_nest_probed(void)
{
	barrier();
}

static int tl_nest_int3(struct kprobe *kp, struct pt_regs *regs)
{
	tl_nest_hit(3);
	return 0;
}

static void tl_nest_to_hardirq(struct irq_work *work)
{
	if (tl_nest.with_int3)
		tl_nest_probed();
	else
		tl_nest_hit(2);
}

static void tl_nest_nmi(void)
{
	tl_nest_hit(tl_nest.with_int3 ? 4 : 3);
}

static struct kprobe tl_nest_kprobe = {
	.addr = (kprobe_opcode_t *)tl_nest_probed,
	.pre_handler = tl_nest_int3,
};

/* In the middle of a hit: raise the next context. */
static void tl_nest_hook(void)
{
	u32 level = min_t(u32, tl_context_level(), LEVELS - 1);

	if (tl_nest.hooked[level])
		return;
	tl_nest.hooked[level] = true;
	switch (level) {
	case 0:
		irq_work_queue(&tl_nest.to_softirq);
		tl_nest_await(1);
		break;
	case 1:
		irq_work_queue(&tl_nest.to_hardirq);
		tl_nest_await(tl_nest.with_int3 ? 3 : 2);
		break;
	case 2:
		tl_nmi_raise(raw_smp_processor_id());
		tl_nest_await(3);
		break;
	case 3:
		if (!tl_nest.with_int3)
			break;
		tl_nmi_raise(raw_smp_processor_id());
		tl_nest_await(4);
		break;
	}
}

/*
 * A program is run before its record is reserved: the innermost hit is first,
 * with the records of both of its events.
 */
static void tl_nest_check(struct tl_stream *stream,
			  const struct tl_record *record)
{
	u64 index = stream->records - 1;
	u32 level = tl_orders[tl_nest.with_int3][index / TL_BED_EVENTS % DEPTH];
	u64 number = index / (DEPTH * TL_BED_EVENTS) * LEVELS + level;
	u32 text_bytes = strlen(tl_texts[level]);
	struct kunit *test = stream->test;

	KUNIT_ASSERT_EQ(test, record->id, index % TL_BED_EVENTS);
	KUNIT_ASSERT_EQ(test, record->context, tl_contexts[level]);
	KUNIT_ASSERT_EQ(test, record->tid, tl_nest.tid);
	KUNIT_ASSERT_MEMEQ(test, record->payload, &number, sizeof(number));
	if (record->id) {
		KUNIT_ASSERT_EQ(test, record->bytes, sizeof(number));
		return;
	}
	KUNIT_ASSERT_EQ(test, record->bytes, sizeof(number) + 2 + text_bytes);
	KUNIT_ASSERT_MEMEQ(test, record->payload + sizeof(number) + 2,
			   tl_texts[level], text_bytes);
}

static void tl_nest_make(struct kunit *test)
{
	static const struct tl_insn general[] = {
		{ .op = TL_OP_PUT_REG, .arg = 8, .imm = offsetof(struct pt_regs, di) },
		{ .op = TL_OP_REG, .imm = offsetof(struct pt_regs, si) },
		{ .op = TL_OP_PUT_STRING, .arg = TEXT_BYTES },
		{ .op = TL_OP_END },
	};
	static const struct tl_insn direct[] = {
		{ .op = TL_OP_PUT_REG, .arg = 8, .imm = offsetof(struct pt_regs, di) },
		{ .op = TL_OP_END },
	};

	memset(&tl_nest, 0, sizeof(tl_nest));
	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	tl_nest.tid = current->pid;
	tl_nest.bed = tl_bed_make(test, TL_MODE_DISCARD, 16384, 256);
	tl_bed_add(test, tl_nest.bed, general, ARRAY_SIZE(general));
	tl_bed_add(test, tl_nest.bed, direct, ARRAY_SIZE(direct));
	tasklet_setup(&tl_nest.softirq, tl_nest_softirq);
	init_irq_work(&tl_nest.to_softirq, tl_nest_to_softirq);
	tl_nest.to_hardirq = IRQ_WORK_INIT_HARD(tl_nest_to_hardirq);
}

/* Did all contexts come? */
static bool tl_nest_round(void)
{
	const u32 *order = tl_orders[tl_nest.with_int3];
	bool is_whole = true;
	u32 i;

	memset(tl_nest.hooked, 0, sizeof(tl_nest.hooked));
	memset(tl_nest.done, 0, sizeof(tl_nest.done));
	preempt_disable();
	tl_nest_hit(0);
	preempt_enable();
	tl_nest.round++;
	for (i = 0; i < DEPTH; i++)
		is_whole = is_whole && tl_nest.done[order[i]];
	return is_whole;
}

/*
 * Each hit of each context is recorded, with its own values: an event that
 * goes through scratch memory, in the middle of which the next context comes,
 * and one that stores right into the ring.
 */
static void tl_nest_test(struct kunit *test, bool with_int3)
{
	struct tl_stream stream = { .test = test, .visit = tl_nest_check };
	u32 rounds = tl_rounds(500);
	struct tl_counters sum;
	bool is_whole = true;
	u32 i;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "softirqs are threads here: none comes on top of a task");
	tl_nest_make(test);
	tl_nest.with_int3 = with_int3;
	stream.bed = tl_nest.bed;
	tl_int3_register(test, &tl_nest_kprobe);
	tl_nmi_begin(test, tl_nest_nmi);
	tl_hook_begin(test, tl_nest_hook);
	tl_bed_start(test, tl_nest.bed);
	for (i = 0; i < rounds && is_whole; i++)
		is_whole = tl_nest_round();
	tl_nmi_end(test);
	unregister_kprobe(&tl_nest_kprobe);
	tasklet_kill(&tl_nest.softirq);
	tl_bed_stop(test, tl_nest.bed);
	KUNIT_ASSERT_TRUE_MSG(test, is_whole, "not all contexts came in round %u", i);
	tl_stream_drain(&stream, tl_nest.bed->session->rings[raw_smp_processor_id()]);
	KUNIT_EXPECT_EQ(test, stream.records, DEPTH * TL_BED_EVENTS * rounds);
	for (i = 0; i < TL_BED_EVENTS; i++) {
		tl_bed_sum(tl_nest.bed, i, &sum);
		KUNIT_EXPECT_EQ(test, tl_counters_hits(&sum), DEPTH * rounds);
		KUNIT_EXPECT_EQ(test, sum.outcome[TL_RECORDED], DEPTH * rounds);
	}
}

static void tl_test_nested(struct kunit *test)
{
	tl_nest_test(test, false);
}

static void tl_test_nested_int3(struct kunit *test)
{
	tl_nest_test(test, true);
}

static struct tl_bed *tl_over_bed;
static bool tl_over_now;
static bool tl_over_done;
static u32 tl_over_skip;

/* What is hit in the clock itself would be a recursion; an NMI in there is none. */
static void tl_over_nmi(void)
{
	struct pt_regs regs = {};
	u32 i;

	for (i = 0; i < OVER_HITS; i++)
		tl_event_hit(&tl_over_bed->place, &regs, 0, NULL);
	WRITE_ONCE(tl_over_done, true);
}

/* The clock is asked for a time: fill a packet meanwhile, once, but not at once. */
static int tl_over_handler(struct kprobe *kp, struct pt_regs *regs)
{
	u32 i;

	if (!tl_over_now || tl_over_skip--)
		return 0;
	tl_over_now = false;
	tl_over_done = false;
	tl_nmi_raise(raw_smp_processor_id());
	for (i = 0; i < 1000000 && !READ_ONCE(tl_over_done); i++)
		cpu_relax();
	return 0;
}

/*
 * A writer is overtaken by a whole packet between its look at the position and
 * its reservation: it begins again, and its record comes after theirs.
 */
static void tl_test_overtaken(struct kunit *test)
{
	static const struct tl_insn insns[] = {
		{ .op = TL_OP_PUT_REG, .arg = 8, .imm = offsetof(struct pt_regs, di) },
		{ .op = TL_OP_END },
	};
	struct kprobe kp = {
		.addr = (kprobe_opcode_t *)ktime_get_mono_fast_ns,
		.pre_handler = tl_over_handler,
	};
	struct tl_stream stream = { .test = test };
	struct pt_regs regs = {};
	struct tl_counters sum;
	struct tl_ring_cpu *rc;
	u32 i;

	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	tl_over_bed = tl_bed_make(test, TL_MODE_DISCARD, 4096, 16);
	rc = tl_over_bed->session->rings[raw_smp_processor_id()];
	stream.bed = tl_over_bed;
	tl_bed_add(test, tl_over_bed, insns, ARRAY_SIZE(insns));
	tl_nmi_begin(test, tl_over_nmi);
	tl_bed_start(test, tl_over_bed);
	tl_int3_register(test, &kp);
	/* no packet is open: the fast way looks at the clock, then the general one */
	for (i = 0; i < 2; i++) {
		tl_over_skip = i;
		tl_over_now = true;
		tl_bed_hit(tl_over_bed, &regs);
		KUNIT_EXPECT_FALSE(test, tl_over_now);
		preempt_disable();
		tl_ring_flush(&rc->ring);
		preempt_enable();
	}
	unregister_kprobe(&kp);
	tl_nmi_end(test);
	tl_bed_stop(test, tl_over_bed);
	tl_stream_drain(&stream, rc);
	KUNIT_EXPECT_EQ(test, stream.records, 2 * (1 + OVER_HITS));
	tl_bed_sum(tl_over_bed, 0, &sum);
	KUNIT_EXPECT_EQ(test, tl_counters_hits(&sum), stream.records);
	KUNIT_EXPECT_EQ(test, sum.outcome[TL_RECORDED], stream.records);
}

static struct kunit_case tl_nest_cases[] = {
	KUNIT_CASE_SLOW(tl_test_nested),
	KUNIT_CASE_SLOW(tl_test_nested_int3),
	KUNIT_CASE(tl_test_overtaken),
	{}
};

struct kunit_suite tl_nest_suite = {
	.name = "nest",
	.test_cases = tl_nest_cases,
};
