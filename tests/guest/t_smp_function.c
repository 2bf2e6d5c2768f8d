// SPDX-License-Identifier: GPL-2.0-only
/*
 * Four CPUs call functions whose entries are traced, a number of times that is
 * known, while other events come and go at the same functions and beside them:
 * each call is a hit, and after disarming there is none.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>

#include "tl.h"
#include "tl_functions.h"

#define CPUS 4u
#define CALLS 20000u
#define ROUNDS 12u

static uint64_t getppid_address, getpgrp_address, lseek_address;

/**
 * struct caller - a thread that calls
 * @thread: the thread
 * @cpu: where
 * @calls: how often; 0: until it is stopped
 * @stop: to be set then
 */
struct caller {
	pthread_t thread;
	unsigned int cpu;
	unsigned int calls;
	bool stop;
};

static void *call(void *data)
{
	struct caller *caller = data;
	unsigned int i;

	pin(caller->cpu);
	for (i = 0; caller->calls ? i < caller->calls :
				    !__atomic_load_n(&caller->stop,
						     __ATOMIC_RELAXED); i++) {
		syscall(SYS_getppid);
		syscall(SYS_getpgrp);
	}
	return NULL;
}

static void callers_start(struct caller *callers, unsigned int calls)
{
	unsigned int i;

	for (i = 0; i < CPUS; i++) {
		callers[i] = (struct caller){ .cpu = i, .calls = calls };
		if (pthread_create(&callers[i].thread, NULL, call, &callers[i]))
			die("no thread");
	}
}

static void callers_end(struct caller *callers)
{
	unsigned int i;

	for (i = 0; i < CPUS; i++)
		__atomic_store_n(&callers[i].stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < CPUS; i++)
		pthread_join(callers[i].thread, NULL);
}

static uint32_t add(int dev, uint32_t backend, uint64_t address)
{
	return dev_add(dev, backend, address, prog_di, ARRAY_SIZE(prog_di));
}

/* Another session's, at the same functions and at others, until it is told. */
static void *come_and_go(void *data)
{
	bool *stop = data;
	uint32_t ids[4];
	int dev = dev_ready(4096, 2);

	ids[0] = add(dev, TL_BACKEND_FUNCTION, getppid_address);
	ids[1] = add(dev, TL_BACKEND_FUNCTION, lseek_address);
	ids[2] = add(dev, TL_BACKEND_KRETPROBE, getppid_address);
	ids[3] = add(dev, TL_BACKEND_KPROBE, getpgrp_address);
	dev_start(dev);
	do {
		CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, ids, 4, NULL), 0);
		CHECK_EQ(dev_event_ctl(dev, TL_EVENT_DISABLE, ids, 4, NULL), 0);
	} while (!__atomic_load_n(stop, __ATOMIC_RELAXED));
	close(dev);
	return NULL;
}

static void test_exact(bool is_disturbed)
{
	const unsigned int calls = scaled(CALLS);
	struct caller callers[CPUS];
	struct tl_stats stats;
	pthread_t other;
	uint32_t ids[2], i;
	bool stop = false;
	int dev = dev_ready(4096, 2);

	tap_case("%u calls on %u CPUs%s: each one is a hit", calls, CPUS,
		 is_disturbed ? ", while others come and go there" : "");
	ids[0] = add(dev, TL_BACKEND_FUNCTION, getppid_address);
	ids[1] = add(dev, TL_BACKEND_FUNCTION, getpgrp_address);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, ids, 2, NULL), 0);
	dev_start(dev);
	if (is_disturbed && pthread_create(&other, NULL, come_and_go, &stop))
		die("no thread");
	callers_start(callers, calls);
	for (i = 0; i < CPUS; i++)
		pthread_join(callers[i].thread, NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	if (is_disturbed)
		pthread_join(other, NULL);
	for (i = 0; i < 2; i++) {
		stats = dev_stats(dev, ids[i]);
		CHECK_EQ(stats.hits, (uint64_t)calls * CPUS);
		CHECK_EQ(stats.recorded + stats.full, stats.hits);
		CHECK_EQ(stats.nmissed, 0);
	}
	dev_stop(dev);
	close(dev);
	CHECK_EQ(functions_traced(), 0);
}

/* Under load: no hit after the command, and sessions end as they like. */
static void test_disarm(void)
{
	struct caller callers[CPUS];
	struct tl_stats before, after;
	uint32_t round, ids[2];
	int dev;

	tap_case("%u rounds of arming, disarming and closing under load",
		 scaled(ROUNDS));
	callers_start(callers, 0);
	for (round = 0; round < scaled(ROUNDS); round++) {
		dev = dev_ready(4096, 2);
		ids[0] = add(dev, TL_BACKEND_FUNCTION, getppid_address);
		ids[1] = add(dev, TL_BACKEND_FUNCTION, getpgrp_address);
		dev_start(dev);
		CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, ids, 2, NULL), 0);
		sleep_ms(20);
		CHECK_EQ(dev_event_ctl(dev, TL_EVENT_DISABLE, ids, 1 + round % 2,
				       NULL), 0);
		before = dev_stats(dev, ids[0]);
		CHECK(before.hits > 0);
		sleep_ms(10);
		after = dev_stats(dev, ids[0]);
		CHECK_EQ(after.hits, before.hits);
		if (round % 3)
			CHECK_EQ(dev_event_ctl(dev, TL_EVENT_REMOVE, ids, 2,
					       NULL), 0);
		close(dev);
	}
	callers_end(callers);
	CHECK_EQ(functions_traced(), 0);
	CHECK_EQ(kprobes_count(), 0);
}

int main(void)
{
	getppid_address = symbol("__x64_sys_getppid");
	getpgrp_address = symbol("__x64_sys_getpgrp");
	lseek_address = symbol("__x64_sys_lseek");
	test_exact(false);
	test_exact(true);
	test_disarm();
	return tap_done();
}
