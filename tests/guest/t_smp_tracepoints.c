// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints under load, on all CPUs, in tasks, softirqs and interrupts, which
 * come in the middle of each other's handlers: each hit has one outcome, each
 * record that is said to be there is there, and none is counted as a recursion
 * that is none.
 *
 * Handlers of system calls are made slow here, so that most interrupts find one
 * at work: they run with interrupts on.
 */
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>

#include "tl.h"

#define THREADS 8
#define CALLS 3000u
#define STRINGS 60u
#define STRING_BYTES 250u

/**
 * struct plan - a tracepoint that is probed
 * @name: of it
 * @level: the context that it is passed in, if it is only one; else -1
 * @is_quiet: nothing that a handler calls passes it
 */
static const struct plan {
	const char *name;
	int level;
	bool is_quiet;
} plans[] = {
	{ "sched_switch", TL_CTX_TASK, true },
	{ "sched_waking", -1, true },
	{ "hrtimer_expire_entry", -1, true },
	{ "hrtimer_start", -1, true },
	{ "timer_expire_entry", TL_CTX_SOFTIRQ, true },
	{ "softirq_entry", TL_CTX_SOFTIRQ, true },
	{ "softirq_exit", TL_CTX_SOFTIRQ, true },
	{ "sys_exit", TL_CTX_TASK, true },
	{ "kfree", -1, true },
	{ "page_fault_user", TL_CTX_TASK, true },
	{ "page_fault_kernel", -1, false },
};

static const struct tl_insn prog_two[] = {
	{ TL_OP_PUT_REG, 8, 0 },
	{ TL_OP_TASK, TL_TASK_CPU, 0 },
	{ TL_OP_PUT, 8, 0 },
	{ TL_OP_END, 0, 0 },
};

#define EQUAL(distance, bytes) \
	(TL_TEST_IF_TRUE | (distance) | (bytes) << TL_TEST_BYTES_SHIFT)

/* getppid() of this process, after a look at many strings of its user memory. */
static struct tl_insn prog_slow[3 + 5 * STRINGS + 3 + 2];
static unsigned int slow_count;
static char text[STRING_BYTES];

static void make_slow(void)
{
	struct tl_insn *insn = prog_slow;
	unsigned int i;

	*insn++ = (struct tl_insn){ TL_OP_REG, 0, 8 };
	*insn++ = (struct tl_insn){ TL_OP_TEST, EQUAL(2, 4u), SYS_getppid };
	*insn++ = (struct tl_insn){ TL_OP_REJECT, 0, 0 };
	for (i = 0; i < STRINGS; i++) {
		*insn++ = (struct tl_insn){ TL_OP_REG, 0, 0 };
		*insn++ = (struct tl_insn){ TL_OP_DEREF, 8, REG_DI };
		*insn++ = (struct tl_insn){ TL_OP_STRING,
					    STRING_BYTES | TL_ARG_USER, 0 };
		/* true or not, it goes on behind the pattern */
		*insn++ = (struct tl_insn){ TL_OP_MATCH, 2, 2 };
		*insn++ = (struct tl_insn){ TL_OP_DATA, 0, '*' | 'y' << 8 };
	}
	*insn++ = (struct tl_insn){ TL_OP_TASK, TL_TASK_TGID, 0 };
	*insn++ = (struct tl_insn){ TL_OP_TEST, EQUAL(2, 4u),
				    (uint64_t)getpid() };
	*insn++ = (struct tl_insn){ TL_OP_REJECT, 0, 0 };
	*insn++ = (struct tl_insn){ TL_OP_PUT_REG, 8, 8 };
	*insn++ = (struct tl_insn){ TL_OP_END, 0, 0 };
	slow_count = (unsigned int)(insn - prog_slow);
	memset(text, 'x', STRING_BYTES - 1);
}

/* ---- the records ------------------------------------------------------ */

/**
 * struct seen - what was read
 * @wrong_level: records of plans whose context was not theirs
 * @wrong_cpu: whose program found another CPU than the ring's
 * @by_level: all records
 * @in_handlers: interrupts and softirqs that found a thread of the load
 * @tids: its threads
 */
static struct seen {
	uint64_t wrong_level;
	uint64_t wrong_cpu;
	uint64_t by_level[8];
	uint64_t in_handlers;
	uint32_t tids[THREADS];
} seen;

static bool is_ours(uint32_t tid)
{
	unsigned int i;

	for (i = 0; i < THREADS; i++)
		if (__atomic_load_n(&seen.tids[i], __ATOMIC_RELAXED) == tid)
			return true;
	return false;
}

static void look(const struct record *record, struct rings *rings)
{
	const uint32_t level = record->context & TL_CTX_LEVEL_MASK;
	const struct plan *plan;
	uint64_t cpu;

	(void)rings;
	seen.by_level[level]++;
	if (record->id >= ARRAY_SIZE(plans))
		return;
	plan = &plans[record->id];
	memcpy(&cpu, record->payload + 8, sizeof(cpu));
	seen.wrong_cpu += cpu != record->cpu;
	seen.wrong_level += plan->level >= 0 && level != (uint32_t)plan->level;
	seen.in_handlers += level != TL_CTX_TASK && is_ours(record->tid);
}

/* ---- the load --------------------------------------------------------- */

static void *caller(void *data)
{
	uint32_t *tid = data;
	unsigned int i;

	__atomic_store_n(tid, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid, text);
	return NULL;
}

static void run_load(struct rings *rings)
{
	pthread_t threads[THREADS];
	unsigned int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, caller, &seen.tids[i]))
			die("pthread_create");
	for (i = 0; i < 20; i++) {
		rings_drain(rings);
		sleep_ms(50);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* ---- the books -------------------------------------------------------- */

static void check_plan(int dev, const struct rings *rings, uint32_t id)
{
	const struct tl_stats stats = dev_stats(dev, id);

	tap_case("%s: %llu hits", plans[id].name,
		 (unsigned long long)stats.hits);
	CHECK_EQ(stats_hits(&stats), stats.hits);
	CHECK_EQ(rings->records[id], stats.recorded);
	CHECK_EQ(stats.wrapped + stats.too_big, 0);
	CHECK_EQ(stats.nmissed, 0);
	if (plans[id].is_quiet)
		CHECK_EQ(stats.recursion, 0);
}

static void check_calls(int dev, const struct rings *rings, uint32_t id)
{
	const struct tl_stats stats = dev_stats(dev, id);

	tap_case("system calls: all of them, one by one");
	CHECK_EQ(stats_hits(&stats), stats.hits);
	CHECK_EQ(stats.hits - stats.filtered - stats.not_running,
		 THREADS * CALLS);
	CHECK_EQ(rings->records[id], stats.recorded);
	CHECK_EQ(stats.recursion, 0);
	CHECK_EQ(stats.faults + stats.truncated, 0);
}

int main(void)
{
	static struct rings rings;
	int dev = dev_ready(65536, 32);
	struct tl_stats sum;
	uint32_t id, slow;

	make_slow();
	for (id = 0; id < ARRAY_SIZE(plans); id++) {
		CHECK_EQ(dev_add_name(dev, plans[id].name, prog_two,
				      ARRAY_SIZE(prog_two)), id);
		rings.payload_bytes[id] = 16;
	}
	slow = dev_add_name(dev, "sys_enter", prog_slow, slow_count);
	rings.payload_bytes[slow] = 8;
	rings.on_record = look;
	rings_open(dev, &rings);
	dev_start(dev);
	for (id = 0; id <= slow; id++)
		dev_enable(dev, id);
	run_load(&rings);
	dev_stop(dev);

	tap_case("the rings are sound, and end");
	CHECK(rings_drain(&rings));
	CHECK_EQ(rings.errors, 0);
	for (id = 0; id < ARRAY_SIZE(plans); id++)
		check_plan(dev, &rings, id);
	check_calls(dev, &rings, slow);

	tap_case("the sum is that of the events, losses are told");
	sum = dev_stats_sum(dev);
	CHECK_EQ(stats_hits(&sum), sum.hits);
	CHECK_EQ(rings_discarded(&rings), stats_lost(&sum));

	tap_case("contexts are those of the tracepoints, CPUs those of the rings");
	CHECK_EQ(seen.wrong_level, 0);
	CHECK_EQ(seen.wrong_cpu, 0);

	tap_case("interrupts came in the middle of handlers");
	tap_note("records: %llu task, %llu softirq, %llu hardirq; on top of the "
		 "load: %llu", (unsigned long long)seen.by_level[TL_CTX_TASK],
		 (unsigned long long)seen.by_level[TL_CTX_SOFTIRQ],
		 (unsigned long long)seen.by_level[TL_CTX_HARDIRQ],
		 (unsigned long long)seen.in_handlers);
	CHECK(seen.by_level[TL_CTX_SOFTIRQ] > 0);
	CHECK(seen.by_level[TL_CTX_HARDIRQ] > 0);
	CHECK(seen.in_handlers > 50);
	rings_close(&rings);
	close(dev);
	return tap_done();
}
