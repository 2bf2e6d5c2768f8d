// SPDX-License-Identifier: GPL-2.0-only
/*
 * User memory is read where it is the event's own, and nowhere else: in an
 * interrupt or a softirq on top of the very task that has it, it is a fault, and
 * the kernel has nothing to say against it. (Not in NMIs: a probe of the int3
 * kind looks like one, so what such a one finds is read.)
 */
#define _GNU_SOURCE
#include <sys/ioctl.h>

#include "tl_calls.h"

#define PERIOD_US 2000
#define SECRET "seen by nobody else"

static const char secret[] = SECRET;
static int calls;

/* The emulation is slow, and that is not what is looked for. */
static void allow_slow_interrupts(void)
{
	const char *path = "/sys/kernel/debug/x86/nmi_longest_ns";
	FILE *file = fopen(path, "w");

	if (!file || fputs("10000000000", file) < 0 || fclose(file))
		die("%s", path);
}

/* A string of this process, its address a constant. */
static uint32_t add_event(int dev)
{
	const struct tl_insn insns[] = {
		{ TL_OP_IMM, 0, (uintptr_t)secret },
		{ TL_OP_PUT_STRING, 64 | TL_ARG_USER, 0 },
		{ TL_OP_END, 0, 0 },
	};

	return dev_add(dev, TL_BACKEND_KPROBE, calls_address(calls, CALLS_JUMP),
		       insns, ARRAY_SIZE(insns));
}

static uint64_t count_of(uint32_t caller)
{
	struct calls_counts counts;
	uint64_t sum = 0;
	uint32_t cpu;

	if (ioctl(calls, CALLS_COUNTS_GET, &counts))
		die("counts");
	for (cpu = 0; cpu < CALLS_CPUS; cpu++)
		sum += counts.count[cpu][caller];
	return sum;
}

/* No packet has the string, whatever it has. */
static void check_unseen(int dev)
{
	struct tl_ring_get get;
	struct ring ring;
	uint32_t cpu;

	for (cpu = 0; cpu < 2; cpu++) {
		ring_open(dev, cpu, &ring);
		while (ring_get(&ring, &get) == TL_RING_PACKET)
			CHECK(!memmem(ring.map + get.offset, get.content_bytes,
				      SECRET, strlen(SECRET)));
		ring_close(&ring);
	}
}

/* This task runs in user mode all the time, with its memory at hand. */
static void run_for(unsigned int ms)
{
	uint64_t end = now_ms() + ms;

	while (now_ms() < end)
		__atomic_load_n(&secret[0], __ATOMIC_SEQ_CST);
}

static void test_borrowed(uint32_t caller, const char *name)
{
	struct calls_storm storm = { .period_us = PERIOD_US };
	uint64_t before = count_of(caller), made;
	int dev = dev_ready(65536, 16);
	uint32_t id = add_event(dev);
	struct tl_stats stats;

	tap_case("in %s the memory of the task beneath is a fault", name);
	dev_enable(dev, id);
	dev_start(dev);
	storm.places[caller] = 1u << CALLS_JUMP;
	if (ioctl(calls, CALLS_STORM, &storm))
		die("storm");
	run_for(1000);
	if (ioctl(calls, CALLS_STORM, &(struct calls_storm){}))
		die("end of the storm");
	dev_stop(dev);
	stats = dev_stats(dev, id);
	made = count_of(caller) - before;
	tap_note("%llu calls, %llu recorded", (unsigned long long)made,
		 (unsigned long long)stats.recorded);
	CHECK_EQ(stats.hits, made);
	CHECK(stats.recorded > 20);
	CHECK_EQ(stats.faults, stats.recorded);
	check_unseen(dev);
	close(dev);
}

static void test_own(void)
{
	int dev = dev_ready(65536, 16);
	uint32_t id = add_event(dev);
	struct tl_stats stats;

	tap_case("in the task itself it is read");
	dev_enable(dev, id);
	dev_start(dev);
	calls_make(calls, 1, 50, CALLS_JUMP);
	dev_stop(dev);
	stats = dev_stats(dev, id);
	CHECK_EQ(stats.recorded, 50);
	CHECK_EQ(stats.faults, 0);
	close(dev);
}

int main(void)
{
	allow_slow_interrupts();
	calls = calls_open();
	test_own();
	test_borrowed(CALLS_TIMER, "the timer's interrupt");
	test_borrowed(CALLS_SOFTIRQ, "a softirq");
	test_borrowed(CALLS_WORK, "an irq_work");
	calls_close(calls);
	return tap_done();
}
