// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waking the reader: when the watermark is reached, not before, from any
 * context, and never lost between the look at the ring and the sleep.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>

#include "ring_limit.h"
#include "suites.h"

#define WATERMARK 2u
#define RECORD_BYTES 3000u /* one to a packet */

static void tl_destroy(void *rc)
{
	tl_ring_cpu_destroy(rc);
}

static struct tl_ring_cpu *tl_ring_make(struct kunit *test)
{
	const struct tl_ring_config config = {
		.geo = tl_geometry(12, 3),
		.watermark = WATERMARK,
	};
	struct tl_ring_cpu *rc;

	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	rc = tl_ring_cpu_create(&config, (u32)raw_smp_processor_id());
	KUNIT_ASSERT_NOT_NULL(test, rc);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, tl_destroy, rc), 0);
	return rc;
}

/* A record in a packet of its own, which is delivered. */
static void tl_write_packet(struct tl_ring_cpu *rc)
{
	struct tl_slice slice;

	preempt_disable();
	if (tl_ring_reserve(&rc->ring, RECORD_BYTES, 1, &slice) == TL_RECORDED) {
		*(u64 *)tl_ring_record(&rc->ring, &slice) =
			tl_record_header(1, slice.time_ns, 0, 0);
		tl_ring_commit(&rc->ring, &slice);
		tl_ring_flush(&rc->ring);
	}
	preempt_enable();
}

static bool tl_take(struct tl_ring_cpu *rc)
{
	struct tl_packet_view view;
	int err;

	mutex_lock(&rc->reader_lock);
	err = tl_ring_take(&rc->ring, &rc->reader, &view);
	mutex_unlock(&rc->reader_lock);
	return !err;
}

/**
 * struct tl_counting - a sleeper that counts how often it is woken
 * @entry: on the ring's queue
 * @wakes: how often
 */
struct tl_counting {
	wait_queue_entry_t entry;
	atomic_t wakes;
};

static int tl_count_wake(wait_queue_entry_t *entry, unsigned int mode, int flags,
			 void *key)
{
	atomic_inc(&container_of(entry, struct tl_counting, entry)->wakes);
	return 0;
}

/* At the watermark, and at each packet from there on; not below it. */
static void tl_test_watermark(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test);
	struct tl_counting counting = { .wakes = ATOMIC_INIT(0) };
	u32 i;

	init_waitqueue_func_entry(&counting.entry, tl_count_wake);
	add_wait_queue(&rc->wait, &counting.entry);
	for (i = 1; i <= 4; i++) {
		tl_write_packet(rc);
		irq_work_sync(&rc->wake);
		KUNIT_EXPECT_EQ(test, atomic_read(&counting.wakes),
				i < WATERMARK ? 0 : i - WATERMARK + 1);
	}
	tl_take(rc);
	tl_take(rc);
	tl_take(rc);
	atomic_set(&counting.wakes, 0);
	KUNIT_EXPECT_FALSE(test, tl_ring_cpu_ready(rc, WATERMARK));
	tl_write_packet(rc);
	irq_work_sync(&rc->wake);
	KUNIT_EXPECT_EQ(test, atomic_read(&counting.wakes), 1);
	remove_wait_queue(&rc->wait, &counting.entry);
}

/* Nobody sleeps: nothing is queued. */
static void tl_test_nobody(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test);
	bool is_pending;
	u32 i;

	local_irq_disable();
	for (i = 0; i < 4; i++)
		tl_write_packet(rc);
	is_pending = irq_work_is_pending(&rc->wake);
	local_irq_enable();
	KUNIT_EXPECT_FALSE(test, is_pending);
}

/**
 * struct tl_sleeper - a reader on another CPU
 * @rc: of which ring
 * @taken: packets so far
 * @slept: times it went to sleep
 * @ended: it has seen the end of the ring
 */
struct tl_sleeper {
	struct tl_ring_cpu *rc;
	atomic_t taken;
	atomic_t slept;
	struct completion ended;
};

static int tl_sleeper_run(void *data)
{
	struct tl_sleeper *sleeper = data;
	struct tl_ring_cpu *rc = sleeper->rc;
	bool is_final;

	do {
		is_final = smp_load_acquire(&rc->is_final); /* E */
		while (tl_take(rc))
			atomic_inc(&sleeper->taken);
		if (!is_final && !tl_ring_cpu_ready(rc, WATERMARK))
			atomic_inc(&sleeper->slept);
		wait_event(rc->wait,
			   tl_ring_cpu_ready(rc, WATERMARK) ||
			   READ_ONCE(rc->is_final));
	} while (!is_final);
	complete(&sleeper->ended);
	return 0;
}

static void tl_sleeper_start(struct kunit *test, struct tl_sleeper *sleeper,
			     struct tl_ring_cpu *rc)
{
	struct task_struct *thread;

	sleeper->rc = rc;
	init_completion(&sleeper->ended);
	thread = kthread_create(tl_sleeper_run, sleeper, "tl_sleeper");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, thread);
	kthread_bind(thread, tl_other_cpu(test, raw_smp_processor_id()));
	wake_up_process(thread);
}

/*
 * Within ten seconds the reader has taken what it must not sleep over. One packet
 * may be left: where it took the first one of a pair by itself.
 */
static bool tl_sleeper_wait(struct tl_sleeper *sleeper)
{
	u32 i;

	for (i = 0; i < 10000; i++) {
		if (!tl_ring_cpu_ready(sleeper->rc, WATERMARK))
			return true;
		usleep_range(500, 1500);
	}
	return false;
}

static void tl_sleeper_end(struct kunit *test, struct tl_sleeper *sleeper)
{
	unsigned long left;

	tl_ring_cpu_finish(sleeper->rc);
	left = wait_for_completion_timeout(&sleeper->ended, 30 * HZ);
	/* else its stack is not ours to give up */
	KUNIT_ASSERT_NE_MSG(test, left, 0, "the reader sleeps for ever");
}

/*
 * Two packets at a time, written when the reader is about to sleep, or is
 * asleep: a wake-up that is lost once makes it sleep for ever.
 */
static void tl_test_no_lost_wake(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test);
	struct tl_sleeper *sleeper = kunit_kzalloc(test, sizeof(*sleeper),
						   GFP_KERNEL);
	u32 rounds = tl_rounds(500);
	bool is_awake = true;
	u32 i, spin;

	KUNIT_ASSERT_NOT_NULL(test, sleeper);
	tl_sleeper_start(test, sleeper, rc);
	for (i = 0; i < rounds && is_awake; i++) {
		tl_write_packet(rc);
		/* from a quarter of a microsecond to some */
		for (spin = 0; spin < (i % 64) * 16; spin++)
			cpu_relax();
		tl_write_packet(rc);
		is_awake = tl_sleeper_wait(sleeper);
	}
	KUNIT_EXPECT_TRUE_MSG(test, is_awake, "a wake-up was lost in round %u", i);
	tl_sleeper_end(test, sleeper);
	KUNIT_EXPECT_EQ(test, atomic_read(&sleeper->taken), 2 * i);
	KUNIT_EXPECT_GT(test, atomic_read(&sleeper->slept), rounds / 2);
}

/* What the end of a session finds in the ring comes, watermark or not. */
static void tl_test_end(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test);
	struct tl_sleeper *sleeper = kunit_kzalloc(test, sizeof(*sleeper),
						   GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sleeper);
	tl_sleeper_start(test, sleeper, rc);
	while (!atomic_read(&sleeper->slept))
		usleep_range(500, 1500);
	tl_write_packet(rc);
	msleep(50);
	KUNIT_EXPECT_EQ(test, atomic_read(&sleeper->taken), 0);
	tl_sleeper_end(test, sleeper);
	KUNIT_EXPECT_EQ(test, atomic_read(&sleeper->taken), 1);
}

/* The module's limit: taken, over it, given back. */
static void tl_test_limit(struct kunit *test)
{
	u64 pages = tl_ring_limit_session_bytes() >> PAGE_SHIFT;

	KUNIT_ASSERT_TRUE(test, tl_ring_limit_take(pages));
	KUNIT_EXPECT_FALSE(test, tl_ring_limit_take(1));
	KUNIT_EXPECT_FALSE(test, tl_ring_limit_take(1));
	tl_ring_limit_give(1);
	KUNIT_EXPECT_TRUE(test, tl_ring_limit_take(1));
	tl_ring_limit_give(pages);
	KUNIT_EXPECT_FALSE(test, tl_ring_limit_take(pages + 1));
	KUNIT_EXPECT_TRUE(test, tl_ring_limit_take(pages));
	tl_ring_limit_give(pages);
}

static struct kunit_case tl_wake_cases[] = {
	KUNIT_CASE(tl_test_watermark),
	KUNIT_CASE(tl_test_nobody),
	KUNIT_CASE_SLOW(tl_test_no_lost_wake),
	KUNIT_CASE(tl_test_end),
	KUNIT_CASE(tl_test_limit),
	{}
};

struct kunit_suite tl_wake_suite = {
	.name = "wake",
	.test_cases = tl_wake_cases,
};
