// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on what a handler itself calls: no lock-up, nothing is lost unseen. The
 * kernel does not call a handler inside of another one's, it counts (nmissed);
 * one that it called nevertheless would be in "recursion". Which of the two it
 * is depends on the kernel, so it is their sum that is known.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>

#include "tl.h"

#define CALLS 1000

static const char text[] = "a string in user memory";

/*
 * One read of kernel memory, one of user memory, and what is longer than a fast
 * record: an event on getppid() with it calls all of what is probed here.
 */
static struct tl_insn prog_outer[] = {
	{ TL_OP_REG, 0, REG_DI },
	{ TL_OP_DEREF, 8, REG_DI },
	{ TL_OP_PUT, 8, 0 },
	{ TL_OP_IMM, 0, 0 /* text */ },
	{ TL_OP_PUT_STRING, TL_ARG_USER | 64, 0 },
	{ TL_OP_PUT_COMM, 0, 0 },
	{ TL_OP_END, 0, 0 },
};

/**
 * struct inner - a function that handlers call
 * @name: of it
 * @each: at least so often in each hit of the outer event
 */
static const struct inner {
	const char *name;
	unsigned int each;
} inners[] = {
	{ "copy_from_kernel_nofault", 1 },
	{ "copy_from_user_nofault", 1 },
	{ "ktime_get_mono_fast_ns", 1 },
	{ "irq_work_queue", 0 },
	/* what those, and everybody else, call */
	{ "_raw_spin_lock", 0 },
	{ "__wake_up", 0 },
	{ "vfs_read", 0 },
};

static uint32_t outer_bytes(void)
{
	char name[17] = "";
	FILE *file = fopen("/proc/self/comm", "r");

	if (!file || fscanf(file, "%16s", name) != 1)
		die("/proc/self/comm");
	fclose(file);
	return 8 + 2 + strlen(text) + 2 + strlen(name);
}

/* A session with the outer event, number 0. */
static int session(struct rings *rings)
{
	int dev = dev_ready(4096, 64);

	memset(rings, 0, sizeof(*rings));
	prog_outer[3].imm = (uintptr_t)text;
	dev_add(dev, TL_BACKEND_KPROBE, symbol("__x64_sys_getppid"), prog_outer,
		ARRAY_SIZE(prog_outer));
	rings->payload_bytes[0] = outer_bytes();
	return dev;
}

/* One more event; it must be possible to probe the function. */
static void add_inner(int dev, struct rings *rings, const struct inner *inner)
{
	uint32_t id = dev_add(dev, TL_BACKEND_KPROBE, symbol(inner->name),
			      prog_di, ARRAY_SIZE(prog_di));

	rings->payload_bytes[id] = 8;
	dev_enable(dev, id);
}

static bool load_ends, load_begun;

/* Reads, wake-ups, locks. */
static void *load_run(void *unused)
{
	char bytes[512];
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC), ends[2];

	(void)unused;
	pin(sysconf(_SC_NPROCESSORS_ONLN) - 1);
	if (zero < 0 || pipe2(ends, O_CLOEXEC))
		die("/dev/zero, or a pipe");
	while (!__atomic_load_n(&load_ends, __ATOMIC_RELAXED)) {
		if (read(zero, bytes, sizeof(bytes)) != sizeof(bytes) ||
		    write(ends[1], bytes, sizeof(bytes)) != sizeof(bytes) ||
		    read(ends[0], bytes, sizeof(bytes)) != sizeof(bytes))
			die("read or write");
		__atomic_store_n(&load_begun, true, __ATOMIC_RELAXED);
	}
	close(zero);
	close(ends[0]);
	close(ends[1]);
	return NULL;
}

/* Sleeps until there is something, so that writers have somebody to wake. */
static void *reader_run(void *data)
{
	struct rings *rings = data;

	while (!__atomic_load_n(&load_ends, __ATOMIC_RELAXED)) {
		ring_poll(&rings->ring[0], 20);
		rings_drain(rings);
	}
	return NULL;
}

/* Each hit is in one counter, and each record that is counted was read. */
static void check_books(int dev, struct rings *rings, uint32_t events)
{
	struct tl_stats sum = dev_stats_sum(dev);
	uint32_t id;

	for (id = 0; id < events; id++) {
		struct tl_stats stats = dev_stats(dev, id);

		CHECK_EQ(stats.hits, stats_hits(&stats));
		CHECK_EQ(rings->records[id], stats.recorded);
		CHECK_EQ(stats.faults, 0);
	}
	CHECK_EQ(rings_discarded(rings), stats_lost(&sum));
	CHECK_EQ(rings->errors, 0);
}

/**
 * struct helpers - threads beside the one that calls
 * @load: makes the CPUs busy
 * @reader: reads the rings
 */
struct helpers {
	pthread_t load;
	pthread_t reader;
};

static void helpers_start(struct helpers *helpers, struct rings *rings)
{
	load_ends = false;
	load_begun = false;
	if (pthread_create(&helpers->load, NULL, load_run, NULL) ||
	    pthread_create(&helpers->reader, NULL, reader_run, rings))
		die("pthread_create");
	/* the calls may be over before an emulated CPU comes to the load */
	while (!__atomic_load_n(&load_begun, __ATOMIC_RELAXED))
		sleep_ms(1);
}

static void helpers_end(struct helpers *helpers)
{
	__atomic_store_n(&load_ends, true, __ATOMIC_RELAXED);
	pthread_join(helpers->load, NULL);
	pthread_join(helpers->reader, NULL);
}

/*
 * Calls in bursts, after each of which the reader comes to sleep: until event 1
 * was called as well, which needs a writer that finds the reader asleep. Returns
 * the number of calls.
 */
static unsigned int call_until_met(int dev)
{
	uint64_t end = now_ms() + 20000;
	unsigned int calls = 0;
	struct tl_stats stats;

	pin(0);
	do {
		call_getppid(CALLS / 10);
		calls += CALLS / 10;
		sleep_ms(2);
		stats = dev_stats(dev, 1);
	} while (calls < scaled(CALLS) ||
		 (stats.hits + stats.nmissed == 0 && now_ms() < end));
	return calls;
}

static void test_one(const struct inner *inner)
{
	static struct rings rings;
	struct helpers helpers;
	struct tl_stats outer, stats;
	unsigned int calls;
	int dev = session(&rings);

	tap_case("a probe on %s, which handlers call", inner->name);
	add_inner(dev, &rings, inner);
	dev_enable(dev, 0);
	rings_open(dev, &rings);
	dev_start(dev);
	helpers_start(&helpers, &rings);
	calls = call_until_met(dev);
	helpers_end(&helpers);
	dev_stop(dev);
	CHECK(rings_drain(&rings));
	outer = dev_stats(dev, 0);
	stats = dev_stats(dev, 1);
	tap_note("%s: %llu hits, %llu recursions, %llu missed", inner->name,
		 (unsigned long long)stats.hits,
		 (unsigned long long)stats.recursion,
		 (unsigned long long)stats.nmissed);
	CHECK_EQ(outer.hits + outer.nmissed, calls);
	CHECK_EQ(outer.nmissed, 0);
	CHECK(stats.nmissed + stats.recursion >=
	      inner->each * outer.hits);
	CHECK(stats.hits + stats.nmissed > 0);
	check_books(dev, &rings, 2);
	rings_close(&rings);
	close(dev);
}

/* All of them at once: each handler's calls are probed, and those of these. */
static void test_all(void)
{
	static struct rings rings;
	struct helpers helpers;
	uint64_t end, calls = 0;
	int dev = session(&rings);
	struct tl_stats sum;
	unsigned int i;

	tap_case("probes on all of them at once, under load");
	for (i = 0; i < ARRAY_SIZE(inners); i++)
		add_inner(dev, &rings, &inners[i]);
	dev_enable(dev, 0);
	rings_open(dev, &rings);
	dev_start(dev);
	helpers_start(&helpers, &rings);
	for (end = now_ms() + scaled(4000); now_ms() < end; calls += 100)
		call_getppid(100);
	helpers_end(&helpers);
	dev_stop(dev);
	CHECK(rings_drain(&rings));
	sum = dev_stats_sum(dev);
	tap_note("%llu calls, %llu hits, %llu recursions, %llu missed",
		 (unsigned long long)calls, (unsigned long long)sum.hits,
		 (unsigned long long)sum.recursion,
		 (unsigned long long)sum.nmissed);
	CHECK(calls > 0);
	CHECK_EQ(dev_stats(dev, 0).hits, calls);
	CHECK(sum.nmissed + sum.recursion >= 3 * calls);
	check_books(dev, &rings, 1 + ARRAY_SIZE(inners));
	rings_close(&rings);
	close(dev);
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(inners); i++)
		test_one(&inners[i]);
	test_all();
	return tap_done();
}
