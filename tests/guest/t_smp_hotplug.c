// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs go offline and come back while they are traced: what they have recorded
 * is read in full, while they are away or later, and no call is unaccounted for.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>

#include "tl_calls.h"

#define ROUNDS 6
#define WORKERS 6
#define NUMBERS (1u << 22)

/*
 * A worker calls with numbers of its own, wherever it runs: half of them
 * anywhere, half on a CPU of theirs as long as that is there.
 */
struct worker {
	pthread_t thread;
	uint64_t made;
	uint32_t number;
	bool is_pinned;
};

static int calls, dev;
static struct rings rings;
static struct worker workers[WORKERS];
static bool stop;
static unsigned char seen[WORKERS][NUMBERS / 8];
static uint64_t twice, broken;

/* Numbers of all workers are in one: the worker in the upper half. */
static uint64_t first_number(uint32_t worker)
{
	return (uint64_t)worker << 32;
}

static void on_record(const struct record *record, struct rings *from)
{
	uint64_t number, stamp;
	uint32_t worker, low;

	(void)from;
	memcpy(&number, record->payload, sizeof(number));
	memcpy(&stamp, record->payload + 8, sizeof(stamp));
	worker = (uint32_t)(number >> 32);
	low = (uint32_t)number;
	if (stamp != calls_stamp(number, CALLS_TASK) || worker >= WORKERS ||
	    low >= NUMBERS) {
		broken++;
		return;
	}
	if (seen[worker][low / 8] & 1u << low % 8)
		twice++;
	seen[worker][low / 8] |= 1u << low % 8;
}

static bool pin_try(uint32_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

static void *work(void *data)
{
	struct worker *worker = data;
	unsigned int turn = 0;
	uint64_t made = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE) &&
	       made + 50 < NUMBERS) {
		/* the kernel takes the pin away with the CPU: set it anew */
		if (worker->is_pinned)
			pin_try(1 + worker->number % 3);
		else if (++turn % 4 == 0)
			pin_try(turn / 4 % 4);
		calls_make(calls, first_number(worker->number) + made, 50,
			   CALLS_ENTRY);
		made += 50;
		__atomic_store_n(&worker->made, made, __ATOMIC_RELEASE);
		if (turn % 16 == 0)
			sleep_ms(1);
	}
	return NULL;
}

static void set_online(uint32_t cpu, bool is_online)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online",
		 cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, is_online ? "1" : "0", 1) != 1)
		die("CPU %u to go %s", cpu, is_online ? "online" : "offline");
	close(fd);
}

static void start(uint32_t mode)
{
	struct tl_session_setup setup = {
		.mode = mode,
		.packet_bytes = 16384,
		.packet_count = mode == TL_MODE_OVERWRITE ? 4 : 64,
	};
	uint32_t id, i;

	dev = dev_open();
	dev_setup(dev, &setup);
	id = dev_add(dev, TL_BACKEND_KPROBE, calls_address(calls, CALLS_ENTRY),
		     prog_calls, ARRAY_SIZE(prog_calls));
	dev_enable(dev, id);
	memset(&rings, 0, sizeof(rings));
	memset(seen, 0, sizeof(seen));
	twice = 0;
	broken = 0;
	rings.payload_bytes[id] = 16;
	rings.on_record = on_record;
	rings.overwrites = mode == TL_MODE_OVERWRITE;
	rings_open(dev, &rings);
	dev_start(dev);
	stop = false;
	for (i = 0; i < WORKERS; i++) {
		workers[i] = (struct worker){ .number = i,
					      .is_pinned = i % 2 };
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			die("pthread_create");
	}
}

static uint64_t work_end(void)
{
	uint64_t made = 0;
	uint32_t i;

	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	for (i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		made += workers[i].made;
	}
	return made;
}

/* Read on for a while, as a reader does that knows nothing of CPUs. */
static void read_on(unsigned int ms)
{
	uint64_t until = now_ms() + ms;

	do {
		rings_drain(&rings);
		sleep_ms(2);
	} while (now_ms() < until);
}

/*
 * Nobody writes into the ring of a CPU that is offline. After a flush all that
 * it has recorded can be read at once, and nothing is left.
 */
static void check_offline(uint32_t cpu, uint32_t end)
{
	const struct ring *ring = &rings.ring[cpu];
	struct tl_stats stats;

	CHECK_EQ(ring_drain(ring, &rings), end);
	stats = dev_stats_cpu(dev, cpu);
	/* records read of this CPU: in rings.data, see below */
	CHECK_EQ(((uint64_t *)rings.data)[cpu], stats.recorded);
}

/* Counts records by CPU before they are looked at. */
static void on_record_cpu(const struct record *record, struct rings *from)
{
	((uint64_t *)from->data)[record->cpu]++;
	on_record(record, from);
}

static void check_books(uint64_t made)
{
	struct tl_stats stats = dev_stats_sum(dev);
	uint64_t numbers = 0;
	uint32_t i, at;

	CHECK_EQ(stats_hits(&stats), made);
	CHECK_EQ(stats.recorded + stats.full, made);
	for (i = 0; i < WORKERS; i++)
		for (at = 0; at < sizeof(seen[i]); at++)
			numbers += __builtin_popcount(seen[i][at]);
	CHECK_EQ(numbers, rings.records[0]);
	CHECK_EQ(twice + broken, 0);
	CHECK_EQ(rings.errors, 0);
	CHECK_EQ(rings_discarded(&rings), stats.full);
	if (!rings.overwrites)
		CHECK_EQ(rings.records[0], stats.recorded);
	tap_note("%llu calls, %llu full, %llu read, %llu packets skipped",
		 (unsigned long long)made, (unsigned long long)stats.full,
		 (unsigned long long)rings.records[0],
		 (unsigned long long)(rings.skipped[0] + rings.skipped[1] +
				      rings.skipped[2] + rings.skipped[3]));
}

static void test_discard(void)
{
	static uint64_t by_cpu[CPUS_MAX];
	unsigned int round;
	uint64_t made;

	tap_case("%u times a CPU goes, is flushed and read, and comes back",
		 scaled(ROUNDS));
	start(TL_MODE_DISCARD);
	rings.data = by_cpu;
	rings.on_record = on_record_cpu;
	for (round = 0; round < scaled(ROUNDS); round++) {
		uint32_t cpu = 1 + round % 3;

		read_on(100);
		set_online(cpu, false);
		if (round % 2) {
			CHECK_EQ(dev_session_ctl(dev, TL_SESSION_SNAPSHOT), 0);
			check_offline(cpu, TL_RING_SNAPSHOT);
			read_on(50);
			CHECK_EQ(dev_session_ctl(dev, TL_SESSION_RESUME), 0);
		} else {
			dev_flush(dev);
			check_offline(cpu, TL_RING_EMPTY);
		}
		read_on(100);
		CHECK_EQ(ring_drain(&rings.ring[cpu], &rings), TL_RING_EMPTY);
		/* the last one stays away: the stop meets it so */
		if (round + 1 < scaled(ROUNDS))
			set_online(cpu, true);
	}
	made = work_end();
	dev_stop(dev);
	CHECK(rings_drain(&rings));
	set_online(1 + (round - 1) % 3, true);

	tap_case("a stop while a CPU is offline: every call is accounted for");
	check_books(made);
	rings_close(&rings);
	close(dev);
}

/* The same, overwriting, and nobody reads but in snapshots. */
static void test_overwrite(void)
{
	unsigned int round;
	uint64_t made;

	tap_case("overwriting, %u snapshots while a CPU is offline",
		 scaled(ROUNDS));
	start(TL_MODE_OVERWRITE);
	for (round = 0; round < scaled(ROUNDS); round++) {
		uint32_t cpu = 1 + round % 3, other;

		sleep_ms(100);
		set_online(cpu, false);
		sleep_ms(50);
		CHECK_EQ(dev_session_ctl(dev, TL_SESSION_SNAPSHOT), 0);
		if (round % 2)
			set_online(cpu, true);
		for (other = 0; other < rings.count; other++)
			CHECK_EQ(ring_drain_closed(&rings.ring[other], &rings),
				 TL_RING_SNAPSHOT);
		CHECK_EQ(dev_session_ctl(dev, TL_SESSION_RESUME), 0);
		if (round % 2 == 0)
			set_online(cpu, true);
	}
	made = work_end();
	dev_stop(dev);
	CHECK(rings_drain(&rings));
	check_books(made);
	rings_close(&rings);
	close(dev);
}

int main(void)
{
	calls = calls_open();
	test_discard();
	test_overwrite();
	calls_close(calls);
	return tap_done();
}
