// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hit from inside a handler of the same context can only have been caused by
 * that handler: it is counted as a recursion, once for each event, and the
 * handler that it interrupts is none the worse for it.
 */
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/uaccess.h>

#include "client.h"
#include "context.h"
#include "hit.h"
#include "nmi.h"
#include "stream.h"

#define HITS 100u

static const struct tl_insn tl_reading[] = {
	{ .op = TL_OP_REG, .imm = offsetof(struct pt_regs, si) },
	{ .op = TL_OP_DEREF, .arg = 8 },
	{ .op = TL_OP_PUT, .arg = 8 },
	{ .op = TL_OP_END },
};

static const struct tl_insn tl_direct[] = {
	{ .op = TL_OP_PUT_REG, .arg = 8, .imm = offsetof(struct pt_regs, si) },
	{ .op = TL_OP_END },
};

static struct tl_bed *tl_bed;
static struct pt_regs tl_regs;
static u64 tl_value = 0x0123456789abcdef;
static u32 tl_context;

static void tl_make(struct kunit *test)
{
	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	tl_regs.si = (unsigned long)&tl_value;
	tl_context = TL_CTX_TASK;
	tl_bed = tl_bed_make(test, TL_MODE_DISCARD, 4096, 16);
	tl_bed_add(test, tl_bed, tl_reading, ARRAY_SIZE(tl_reading));
	tl_bed_add(test, tl_bed, tl_direct, ARRAY_SIZE(tl_direct));
	tl_bed_start(test, tl_bed);
}

/* Both events have @recorded and @recursion, and nothing else. */
static void tl_expect(struct kunit *test, u64 recorded, u64 recursion)
{
	struct tl_counters sum;
	u32 i;

	for (i = 0; i < TL_BED_EVENTS; i++) {
		tl_bed_sum(tl_bed, i, &sum);
		KUNIT_EXPECT_EQ(test, sum.outcome[TL_RECORDED], recorded);
		KUNIT_EXPECT_EQ(test, sum.outcome[TL_RECURSION], recursion);
		KUNIT_EXPECT_EQ(test, tl_counters_hits(&sum),
				recorded + recursion);
		KUNIT_EXPECT_EQ(test, sum.faults, 0);
	}
}

/* Each record has the value, and was made in a task, if nothing else is said. */
static void tl_check(struct tl_stream *stream, const struct tl_record *record)
{
	u64 value = record->id ? tl_regs.si : tl_value;

	KUNIT_ASSERT_EQ(stream->test, record->context, tl_context);
	KUNIT_ASSERT_EQ(stream->test, record->bytes, sizeof(value));
	KUNIT_ASSERT_MEMEQ(stream->test, record->payload, &value, sizeof(value));
}

static void tl_expect_records(struct kunit *test, u64 records)
{
	struct tl_stream stream = {
		.test = test, .bed = tl_bed, .visit = tl_check,
	};

	tl_bed_stop(test, tl_bed);
	tl_stream_drain(&stream, tl_bed->session->rings[raw_smp_processor_id()]);
	KUNIT_EXPECT_EQ(test, stream.records, records);
}

static void tl_hit_busy(u32 count)
{
	preempt_disable();
	raw_cpu_write(tl_cpu.busy[TL_CTX_TASK], current_stack_pointer);
	while (count--)
		tl_event_hit(&tl_bed->place, &tl_regs, 0, NULL);
	raw_cpu_write(tl_cpu.busy[TL_CTX_TASK], 0);
	preempt_enable();
}

/* As if this thread had come here from inside a handler. */
static void tl_test_busy(struct kunit *test)
{
	tl_make(test);
	tl_bed_hit(tl_bed, &tl_regs);
	tl_expect(test, 1, 0);
	tl_hit_busy(HITS);
	tl_expect(test, 1, HITS);
	tl_bed_hit(tl_bed, &tl_regs);
	tl_expect(test, 2, HITS);
	tl_expect_records(test, 2 * TL_BED_EVENTS);
}

static void tl_work_hit(struct irq_work *work)
{
	tl_event_hit(&tl_bed->place, &tl_regs, 0, NULL);
}

/* HITS interrupts on top of a task that is inside a handler. */
static void tl_interrupt_busy(void (*handler)(struct irq_work *work))
{
	struct irq_work work = IRQ_WORK_INIT_HARD(handler);
	u32 i;

	preempt_disable();
	raw_cpu_write(tl_cpu.busy[TL_CTX_TASK], current_stack_pointer);
	for (i = 0; i < HITS; i++) {
		irq_work_queue(&work);
		while (irq_work_is_busy(&work))
			cpu_relax();
	}
	raw_cpu_write(tl_cpu.busy[TL_CTX_TASK], 0);
	preempt_enable();
}

/* An interrupt on top of a busy task is no recursion. */
static void tl_test_other_context(struct kunit *test)
{
	tl_make(test);
	tl_interrupt_busy(tl_work_hit);
	tl_expect(test, HITS, 0);
}

/* As in irq_exit(), which is in the interrupt and is no longer counted as such. */
static void tl_work_hit_at_exit(struct irq_work *work)
{
	__preempt_count_sub(HARDIRQ_OFFSET);
	tl_event_hit(&tl_bed->place, &tl_regs, 0, NULL);
	__preempt_count_add(HARDIRQ_OFFSET);
}

/* Nor is the end of such an interrupt, and its records say what it is. */
static void tl_test_irq_exit(struct kunit *test)
{
	tl_make(test);
	tl_interrupt_busy(tl_work_hit_at_exit);
	tl_expect(test, HITS, 0);
	tl_context = TL_CTX_HARDIRQ;
	tl_expect_records(test, HITS * TL_BED_EVENTS);
}

static void tl_hook_hit(void)
{
	tl_event_hit(&tl_bed->place, &tl_regs, 0, NULL);
}

/* A hit in the middle of such a hit is one. */
static void tl_test_irq_exit_middle(struct kunit *test)
{
	tl_make(test);
	tl_hook_begin(test, tl_hook_hit);
	tl_interrupt_busy(tl_work_hit_at_exit);
	tl_expect(test, HITS, HITS);
}

static void tl_work_hit_busy_at_exit(struct irq_work *work)
{
	__preempt_count_sub(HARDIRQ_OFFSET);
	tl_hit_busy(1);
	__preempt_count_add(HARDIRQ_OFFSET);
}

/* And so it is where the handler itself began there, on top of none. */
static void tl_test_irq_exit_busy(struct kunit *test)
{
	tl_make(test);
	tl_interrupt_busy(tl_work_hit_busy_at_exit);
	tl_expect(test, 0, HITS);
}

/* A hit in the middle of a hit, in the same context. */
static void tl_test_middle(struct kunit *test)
{
	u32 i;

	tl_make(test);
	tl_hook_begin(test, tl_hook_hit);
	for (i = 0; i < HITS; i++)
		tl_bed_hit(tl_bed, &tl_regs);
	tl_expect(test, HITS, HITS);
	tl_expect_records(test, HITS * TL_BED_EVENTS);
}

static noinline void tl_int3_probed(void)
{
	barrier();
}

static int tl_int3_hit(struct kprobe *kp, struct pt_regs *regs)
{
	tl_event_hit(&tl_bed->place, &tl_regs, 0, NULL);
	return 0;
}

static struct kprobe tl_int3 = {
	.addr = (kprobe_opcode_t *)tl_int3_probed,
	.pre_handler = tl_int3_hit,
};

/* An int3 counts as an NMI, also where it is the handler who runs into it. */
static void tl_test_int3(struct kunit *test)
{
	u32 i;

	tl_make(test);
	tl_int3_register(test, &tl_int3);
	tl_hook_begin(test, tl_int3_probed);
	for (i = 0; i < HITS; i++)
		tl_bed_hit(tl_bed, &tl_regs);
	tl_expect(test, HITS, HITS);
	tl_interrupt_busy(tl_work_hit);
	tl_expect(test, 2 * HITS, 2 * HITS);
	tl_interrupt_busy(tl_work_hit_at_exit);
	unregister_kprobe(&tl_int3);
	tl_expect(test, 3 * HITS, 3 * HITS);
}

static void tl_work_int3(struct irq_work *work)
{
	tl_int3_probed();
}

/* In an interrupt on top of the handler it is none. */
static void tl_test_int3_in_interrupt(struct kunit *test)
{
	tl_make(test);
	tl_int3_register(test, &tl_int3);
	tl_interrupt_busy(tl_work_int3);
	unregister_kprobe(&tl_int3);
	tl_context = TL_CTX_NMI;
	tl_expect(test, HITS, 0);
	tl_expect_records(test, HITS * TL_BED_EVENTS);
}

/*
 * A real probe, on the function with which programs read. It is an ftrace probe,
 * which is called in the context of the function.
 */
static void tl_test_probe(struct kunit *test)
{
	struct tl_client *client;
	struct tl_stats stats;
	u64 value;
	u32 i;

	tl_make(test);
	client = tl_client_make(test, 0);
	KUNIT_ASSERT_EQ(test, 0, tl_client_add(client, TL_BACKEND_KPROBE,
					       (unsigned long)copy_from_kernel_nofault,
					       tl_direct, ARRAY_SIZE(tl_direct)));
	KUNIT_ASSERT_EQ(test, 0, tl_client_event(client, TL_EVENT_ENABLE, 0));
	tl_client_ctl(client, TL_SESSION_START);
	for (i = 0; i < HITS; i++)
		tl_bed_hit(tl_bed, &tl_regs);
	for (i = 0; i < HITS; i++)
		KUNIT_ASSERT_EQ(test, 0, copy_from_kernel_nofault(&value, &tl_value,
								  sizeof(value)));
	tl_client_ctl(client, TL_SESSION_STOP);
	tl_client_stats(client, 0, &stats);
	tl_expect(test, HITS, 0);
	KUNIT_EXPECT_EQ(test, stats.recursion, HITS);
	KUNIT_EXPECT_GE(test, stats.recorded, HITS);
	KUNIT_EXPECT_EQ(test, stats.hits, stats.recorded + stats.recursion +
					  stats.not_running);
}

static struct kunit_case tl_recursion_cases[] = {
	KUNIT_CASE(tl_test_busy),
	KUNIT_CASE(tl_test_other_context),
	KUNIT_CASE(tl_test_irq_exit),
	KUNIT_CASE(tl_test_irq_exit_middle),
	KUNIT_CASE(tl_test_irq_exit_busy),
	KUNIT_CASE(tl_test_middle),
	KUNIT_CASE(tl_test_int3),
	KUNIT_CASE(tl_test_int3_in_interrupt),
	KUNIT_CASE(tl_test_probe),
	{}
};

struct kunit_suite tl_recursion_suite = {
	.name = "recursion",
	.test_cases = tl_recursion_cases,
};
