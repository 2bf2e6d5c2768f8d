// SPDX-License-Identifier: GPL-2.0-only
/*
 * All contexts of a CPU hit the same events at once, wherever they happen to
 * interrupt each other: a thread in a loop, a softirq and a hard timer, an
 * interrupt that those raise, and NMIs from another CPU. Afterwards the books
 * must be exact: hits that the contexts counted themselves against counters,
 * and those against what is in the packets.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "context.h"
#include "hit.h"
#include "nmi.h"
#include "stream.h"
#include "trace.h"

#define LEVELS 4 /* TL_CTX_TASK to TL_CTX_NMI */
#define TASK_HITS 10000u
#define NESTED_MIN 50u /* of each context but the task, at least */
#define SECONDS_MAX 120
#define SLOW_READER 64

static const char *const tl_texts[LEVELS] = {
	"a task", "a softirq", "an interrupt", "an NMI",
};

/**
 * struct tl_storm - one storm
 * @bed: what is hit
 * @cpu: where
 * @regs: of the hits of each context
 * @calls: hits of each context
 * @nested: hits of each context that came in the middle of another hit
 * @deep: hits that came in the middle of two others or more
 * @noise: for the timers' periods
 * @is_traced: the contexts do not hit, but pass tracepoints that do
 * @is_over: it is to end
 * @hard: runs in an interrupt
 * @soft: runs in a softirq
 * @work: an interrupt, raised by the other contexts
 * @ended: the thread is done, and so are timers and interrupts
 */
static struct tl_storm {
	struct tl_bed *bed;
	int cpu;
	struct pt_regs regs[LEVELS];
	u64 calls[LEVELS];
	u64 nested[LEVELS];
	atomic64_t deep;
	u32 noise;
	bool is_traced;
	bool is_over;
	struct hrtimer hard;
	struct hrtimer soft;
	struct irq_work work;
	struct completion ended;
} tl_storm;

static u32 tl_storm_busy(void)
{
	const struct tl_cpu *cpu = this_cpu_ptr(&tl_cpu);
	u32 level, count = 0;

	for (level = 0; level < TL_LEVELS; level++)
		count += READ_ONCE(cpu->busy[level]) != 0;
	return count;
}

static void tl_storm_count(u32 level)
{
	struct pt_regs *regs = &tl_storm.regs[level];
	u32 busy = tl_storm_busy();

	/* looked at from elsewhere: tl_storm_enough() */
	WRITE_ONCE(tl_storm.nested[level], tl_storm.nested[level] + (busy > 0));
	/* of all contexts, which come in the middle of each other */
	atomic64_add(busy > 1, &tl_storm.deep);
	regs->di = ++tl_storm.calls[level];
	regs->si = (unsigned long)tl_texts[level];
	tl_event_hit(&tl_storm.bed->place, regs, 0, NULL);
}

static void tl_storm_hit(u32 level)
{
	if (!tl_storm.is_traced)
		tl_storm_count(level);
}

/* A tracepoint was passed, in whatever context. */
static void tl_storm_trace(void)
{
	if (raw_smp_processor_id() == tl_storm.cpu)
		tl_storm_count(min_t(u32, tl_context_level(), TL_CTX_NMI));
}

static enum hrtimer_restart tl_storm_again(struct hrtimer *timer, u32 ns)
{
	if (READ_ONCE(tl_storm.is_over))
		return HRTIMER_NORESTART;
	/* steps of its own, so that the timers do not keep pace */
	tl_storm.noise = tl_storm.noise * 1664525 + 1013904223;
	hrtimer_forward_now(timer, ns_to_ktime(ns + (tl_storm.noise >> 15)));
	return HRTIMER_RESTART;
}

static enum hrtimer_restart tl_storm_hard(struct hrtimer *timer)
{
	tl_storm_hit(TL_CTX_HARDIRQ);
	if (tl_storm.noise & 0x100)
		irq_work_queue(&tl_storm.work);
	return tl_storm_again(timer, 300000);
}

static enum hrtimer_restart tl_storm_soft(struct hrtimer *timer)
{
	preempt_disable();
	tl_storm_hit(TL_CTX_SOFTIRQ);
	preempt_enable();
	if (tl_storm.noise & 0x200)
		irq_work_queue(&tl_storm.work);
	return tl_storm_again(timer, 400000);
}

static void tl_storm_work(struct irq_work *work)
{
	tl_storm_hit(TL_CTX_HARDIRQ);
}

static void tl_storm_nmi(void)
{
	tl_storm_hit(TL_CTX_NMI);
	if (tl_storm.calls[TL_CTX_NMI] % 4 == 0)
		irq_work_queue(&tl_storm.work);
}

/* With PREEMPT_RT softirqs are threads: they do not come on top of a hit. */
static bool tl_storm_enough(void)
{
	u32 level = IS_ENABLED(CONFIG_PREEMPT_RT) ? TL_CTX_HARDIRQ : TL_CTX_SOFTIRQ;

	for (; level < LEVELS; level++)
		if (READ_ONCE(tl_storm.nested[level]) < NESTED_MIN)
			return false;
	return atomic64_read(&tl_storm.deep) > 0;
}

/* The thread of the storm's CPU: starts all there, and waits for its end. */
static int tl_storm_run(void *data)
{
	unsigned long end = jiffies + SECONDS_MAX * HZ;
	u32 i;

	hrtimer_start(&tl_storm.hard, ns_to_ktime(1000000),
		      HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&tl_storm.soft, ns_to_ktime(1300000),
		      HRTIMER_MODE_REL_PINNED_SOFT);
	for (i = 0; i < TASK_HITS || !tl_storm_enough(); i++) {
		preempt_disable();
		tl_storm_hit(TL_CTX_TASK);
		preempt_enable();
		if (tl_storm.is_traced)
			kfree(kmalloc(16, GFP_KERNEL));
		cond_resched();
		if (READ_ONCE(tl_storm.is_over) || time_after(jiffies, end))
			break;
	}
	WRITE_ONCE(tl_storm.is_over, true);
	hrtimer_cancel(&tl_storm.hard);
	hrtimer_cancel(&tl_storm.soft);
	irq_work_sync(&tl_storm.work);
	complete_all(&tl_storm.ended);
	return 0;
}

/* Nobody hits any more when this returns; also where a test has failed. */
static void tl_storm_end(void *test)
{
	WRITE_ONCE(tl_storm.is_over, true);
	wait_for_completion(&tl_storm.ended);
	if (tl_storm.is_traced)
		tl_trace_end();
	tl_nmi_end(test);
	irq_work_sync(&tl_storm.work);
}

static void tl_storm_make(struct kunit *test, u32 mode, u32 packet_bytes,
			  u32 packet_count)
{
	static const struct tl_insn direct[] = {
		{ .op = TL_OP_PUT_REG, .arg = 8, .imm = offsetof(struct pt_regs, di) },
		{ .op = TL_OP_END },
	};
	static const struct tl_insn general[] = {
		{ .op = TL_OP_PUT_REG, .arg = 8, .imm = offsetof(struct pt_regs, di) },
		{ .op = TL_OP_REG, .imm = offsetof(struct pt_regs, si) },
		{ .op = TL_OP_PUT_STRING, .arg = 16 },
		{ .op = TL_OP_END },
	};

	memset(&tl_storm, 0, sizeof(tl_storm));
	tl_storm.bed = tl_bed_make(test, mode, packet_bytes, packet_count);
	tl_bed_add(test, tl_storm.bed, direct, ARRAY_SIZE(direct));
	tl_bed_add(test, tl_storm.bed, general, ARRAY_SIZE(general));
	tl_hrtimer_setup(&tl_storm.hard, tl_storm_hard,
			 HRTIMER_MODE_REL_PINNED_HARD);
	tl_hrtimer_setup(&tl_storm.soft, tl_storm_soft,
			 HRTIMER_MODE_REL_PINNED_SOFT);
	tl_storm.work = IRQ_WORK_INIT_HARD(tl_storm_work);
	init_completion(&tl_storm.ended);
}

/**
 * struct tl_books - what was read
 * @records: by event and context
 * @last: the last number of each
 */
struct tl_books {
	u64 records[TL_BED_EVENTS][LEVELS];
	u64 last[TL_BED_EVENTS][LEVELS];
};

/* Each record is whole, and comes after the one before of its context. */
static void tl_storm_check(struct tl_stream *stream,
			   const struct tl_record *record)
{
	struct tl_books *books = stream->data;
	struct kunit *test = stream->test;
	u32 level = record->context;
	u64 number;

	KUNIT_ASSERT_LT(test, level, LEVELS);
	memcpy(&number, record->payload, sizeof(number));
	KUNIT_ASSERT_GT(test, number, books->last[record->id][level]);
	books->last[record->id][level] = number;
	books->records[record->id][level]++;
	if (!record->id)
		return;
	KUNIT_ASSERT_EQ(test, record->bytes,
			sizeof(number) + 2 + strlen(tl_texts[level]));
	KUNIT_ASSERT_MEMEQ(test, record->payload + sizeof(number) + 2,
			   tl_texts[level], strlen(tl_texts[level]));
}

/*
 * Let it run to its end; NMIs come from here, where a packet is read with each
 * @every of them.
 */
static void tl_storm_drive(struct kunit *test, struct tl_stream *stream,
			   u32 every)
{
	struct task_struct *thread;
	struct tl_ring_cpu *rc;
	u32 i;

	tl_storm.cpu = (int)cpumask_first(cpu_online_mask);
	tl_stay_on(test, tl_other_cpu(test, tl_storm.cpu));
	rc = tl_storm.bed->session->rings[tl_storm.cpu];
	if (tl_storm.is_traced)
		tl_trace_find(test);
	thread = kthread_create(tl_storm_run, NULL, "tl_storm");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, thread);
	kthread_bind(thread, (unsigned int)tl_storm.cpu);
	tl_bed_start(test, tl_storm.bed);
	tl_nmi_begin(test, tl_storm_nmi);
	if (tl_storm.is_traced)
		tl_trace_begin(test, tl_storm_trace);
	wake_up_process(thread);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, tl_storm_end,
							   test));
	for (i = 1; !completion_done(&tl_storm.ended); i++) {
		tl_nmi_raise(tl_storm.cpu);
		if (i % every == 0)
			tl_stream_take(stream, rc);
		usleep_range(100, 300);
	}
	kunit_release_action(test, tl_storm_end, test);
	tl_bed_stop(test, tl_storm.bed);
	tl_stream_drain(stream, rc);
}

/* Counted by the contexts = counted by the events. Returns those recorded. */
static u64 tl_storm_counters(struct kunit *test, u64 *lost)
{
	struct tl_counters sum;
	u64 calls = 0, recorded = 0;
	u32 i;

	for (i = 0; i < LEVELS; i++) {
		calls += tl_storm.calls[i];
		kunit_info(test, "%s: %llu hits, %llu nested", tl_texts[i],
			   tl_storm.calls[i], tl_storm.nested[i]);
	}
	KUNIT_EXPECT_TRUE_MSG(test, tl_storm_enough(),
			      "too few contexts came in the middle of a hit");
	if (!tl_storm.is_traced)
		KUNIT_EXPECT_EQ(test, tl_storm.calls[TL_CTX_NMI], tl_nmi_count());
	KUNIT_EXPECT_EQ(test, tl_storm.nested[TL_CTX_TASK], 0);
	*lost = 0;
	for (i = 0; i < TL_BED_EVENTS; i++) {
		tl_bed_sum(tl_storm.bed, i, &sum);
		KUNIT_EXPECT_EQ(test, tl_counters_hits(&sum), calls);
		KUNIT_EXPECT_EQ(test, sum.outcome[TL_RECURSION], 0);
		KUNIT_EXPECT_EQ(test, sum.outcome[TL_NOT_RUNNING], 0);
		KUNIT_EXPECT_EQ(test, sum.outcome[TL_TOO_BIG], 0);
		KUNIT_EXPECT_EQ(test, sum.faults + sum.cuts, 0);
		recorded += sum.outcome[TL_RECORDED];
		*lost += sum.outcome[TL_FULL] + sum.outcome[TL_WRAPPED];
	}
	return recorded;
}

/**
 * struct tl_storm_result - what a storm has left
 * @books: of what was read
 * @stream: the same as a stream
 * @recorded: by all events
 * @lost: by all events
 */
struct tl_storm_result {
	struct tl_books books;
	struct tl_stream stream;
	u64 recorded;
	u64 lost;
};

/* From the start to the books; a packet is read with each @every NMI. */
static void tl_storm_play(struct kunit *test, struct tl_storm_result *result,
			  u32 every)
{
	memset(result, 0, sizeof(*result));
	result->stream.test = test;
	result->stream.visit = tl_storm_check;
	result->stream.data = &result->books;
	result->stream.bed = tl_storm.bed;
	tl_storm_drive(test, &result->stream, every);
	result->recorded = tl_storm_counters(test, &result->lost);
}

/* With room for all of it nothing is lost, of no context. */
static void tl_storm_room(struct kunit *test, bool is_traced)
{
	struct tl_storm_result result;
	u32 event, level;

	tl_storm_make(test, TL_MODE_DISCARD, 65536, 256);
	tl_storm.is_traced = is_traced;
	tl_storm_play(test, &result, 1);
	KUNIT_EXPECT_EQ(test, result.lost, 0);
	KUNIT_EXPECT_EQ(test, result.stream.records, result.recorded);
	for (event = 0; event < TL_BED_EVENTS; event++) {
		for (level = 0; level < LEVELS; level++) {
			KUNIT_EXPECT_EQ(test, result.books.records[event][level],
					tl_storm.calls[level]);
			KUNIT_EXPECT_EQ(test, result.books.last[event][level],
					tl_storm.calls[level]);
		}
	}
	tl_bed_end(test, tl_storm.bed);
}

/* A reader that is too slow: what is not in a packet is in a counter. */
static void tl_storm_full(struct kunit *test)
{
	struct tl_storm_result result;

	tl_storm_make(test, TL_MODE_DISCARD, 4096, 2);
	tl_storm_play(test, &result, SLOW_READER);
	kunit_info(test, "%llu recorded, %llu lost", result.recorded,
		   result.lost);
	KUNIT_EXPECT_GT(test, result.lost, 0);
	KUNIT_EXPECT_EQ(test, result.stream.records, result.recorded);
	KUNIT_EXPECT_EQ(test, result.stream.discarded, result.lost);
	KUNIT_EXPECT_EQ(test, result.stream.skipped, 0);
	tl_bed_end(test, tl_storm.bed);
}

/* An overwriting ring: records go only with their packets. */
static void tl_storm_overwrite(struct kunit *test)
{
	struct tl_storm_result result;

	tl_storm_make(test, TL_MODE_OVERWRITE, 4096, 4);
	tl_storm_play(test, &result, SLOW_READER);
	kunit_info(test, "%llu packets read, %llu overwritten",
		   result.stream.packets, result.stream.skipped);
	KUNIT_EXPECT_GT(test, result.stream.skipped, 0);
	KUNIT_EXPECT_LT(test, result.stream.records, result.recorded);
	KUNIT_EXPECT_EQ(test, result.stream.discarded, result.lost);
	/* the newest record of the thread, which hits last, is there */
	KUNIT_EXPECT_EQ(test, result.books.last[0][TL_CTX_TASK],
			tl_storm.calls[TL_CTX_TASK]);
	tl_bed_end(test, tl_storm.bed);
}

/* Each once, or some more times when there is time. */
static void tl_test_room(struct kunit *test)
{
	u32 i;

	for (i = 0; i < tl_rounds(1); i++)
		tl_storm_room(test, false);
}

static void tl_test_tracepoints(struct kunit *test)
{
	u32 i;

	for (i = 0; i < tl_rounds(1); i++)
		tl_storm_room(test, true);
}

static void tl_test_full(struct kunit *test)
{
	u32 i;

	for (i = 0; i < tl_rounds(1); i++)
		tl_storm_full(test);
}

static void tl_test_overwrite(struct kunit *test)
{
	u32 i;

	for (i = 0; i < tl_rounds(1); i++)
		tl_storm_overwrite(test);
}

static struct kunit_case tl_storm_cases[] = {
	KUNIT_CASE_SLOW(tl_test_room),
	KUNIT_CASE_SLOW(tl_test_tracepoints),
	KUNIT_CASE_SLOW(tl_test_full),
	KUNIT_CASE_SLOW(tl_test_overwrite),
	{}
};

struct kunit_suite tl_storm_suite = {
	.name = "storm",
	.test_cases = tl_storm_cases,
};
