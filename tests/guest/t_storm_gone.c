// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module comes and goes while it is probed, called and read, 200 times in a
 * long run, 30 times in a short one, or as often as there is time: what is gone says
 * so and keeps its counters, what is armed anew is hit again, and what follows the
 * module by its name is armed and hit each time, without being asked for.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>

#include "tl.h"

#define ROUNDS_LONG	200u
#define ROUNDS_SHORT	30u
#define ROUNDS_MIN	5u
#define SHORT_MS	8000u
#define LONG_MS		600000u /* of the 900 s that a test has */
#define CALL	"/sys/module/target/parameters/call"

static bool is_over;
static unsigned long calls_made;

/* Reads the parameter, which calls the function, whenever it is there. */
static void *caller(void *data)
{
	char text[32];
	int fd;

	(void)data;
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		fd = open(CALL, O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			sleep_ms(1);
			continue;
		}
		if (read(fd, text, sizeof(text)) > 0)
			__atomic_add_fetch(&calls_made, 1, __ATOMIC_RELAXED);
		close(fd);
	}
	return NULL;
}

static void wait_for_calls(unsigned int count)
{
	unsigned long from = __atomic_load_n(&calls_made, __ATOMIC_RELAXED);
	uint64_t end = now_ms() + 10000;

	while (__atomic_load_n(&calls_made, __ATOMIC_RELAXED) - from < count) {
		if (now_ms() > end)
			die("nobody calls");
		sleep_ms(1);
	}
}

/* A file of it may be open for a moment. */
static bool remove_target(void)
{
	uint64_t end = now_ms() + 5000;
	int err;

	while ((err = module_remove("target")) == -EWOULDBLOCK)
		if (now_ms() > end)
			break;
	return CHECK_EQ(err, 0);
}

/* Events that are told by a symbol: armed once, they follow the module. */
static void add_following(int dev, struct rings *rings, uint32_t *ids)
{
	static const uint32_t backends[2] = {
		TL_BACKEND_KPROBE, TL_BACKEND_KRETPROBE,
	};
	struct tl_event_add add;
	uint32_t i;

	for (i = 0; i < 2; i++) {
		if (dev_try_add_symbol(dev, backends[i], "target:target_call", 0,
				       prog_di, 2, &add))
			die("target:target_call: reason %u", add.error.code);
		ids[i] = add.id;
		rings->payload_bytes[ids[i]] = 8;
	}
	if (dev_event_ctl(dev, TL_EVENT_ENABLE, ids, 2, NULL))
		die("enable");
}

/* In this state, and with more records than there were: of the one who loads, too. */
static bool check_following(int dev, const uint32_t *ids, uint32_t state,
			    uint64_t *recorded)
{
	bool good = true;
	uint32_t i;

	for (i = 0; i < 2; i++) {
		struct tl_stats stats = dev_stats(dev, ids[i]);

		good &= CHECK_EQ(stats.state, state);
		good &= CHECK(stats.recorded > recorded[i]);
		good &= CHECK_EQ(stats.hits, stats.recorded);
		recorded[i] = stats.recorded;
	}
	return good;
}

/* Armed anew, hit, gone; the counters are those of the hits. */
static bool one_round(int dev, struct rings *rings, const uint32_t *following,
		      uint64_t *recorded)
{
	uint64_t address;
	uint32_t ids[2], i;
	bool good = true;

	if (module_insert("target.ko", ""))
		die("loading target.ko");
	/* the module's own init function has made a call */
	good &= check_following(dev, following, TL_EVENT_ARMED, recorded);
	address = symbol("target_call");
	ids[0] = dev_add(dev, TL_BACKEND_KPROBE, address, prog_di, 2);
	ids[1] = dev_add(dev, TL_BACKEND_KRETPROBE, address, prog_di, 2);
	for (i = 0; i < 2; i++)
		rings->payload_bytes[ids[i]] = 8;
	if (dev_event_ctl(dev, TL_EVENT_ENABLE, ids, 2, NULL))
		die("enable");
	wait_for_calls(3);
	dev_flush(dev);
	rings_drain(rings);
	good &= remove_target();
	good &= check_following(dev, following, TL_EVENT_GONE, recorded);
	for (i = 0; i < 2; i++) {
		struct tl_stats stats = dev_stats(dev, ids[i]);

		good &= CHECK_EQ(stats.state, TL_EVENT_GONE);
		good &= CHECK(stats.recorded > 0);
		good &= CHECK_EQ(stats.hits, stats.recorded);
	}
	good &= CHECK_EQ(dev_event_ctl(dev, TL_EVENT_REMOVE, ids, 2, NULL), 0);
	return good;
}

static bool goes_on(unsigned int done, uint64_t begin_ms)
{
	const unsigned int rounds = is_long() ? ROUNDS_LONG : ROUNDS_SHORT;
	const uint64_t ms = is_long() ? LONG_MS : SHORT_MS;

	return done < ROUNDS_MIN || (done < rounds && now_ms() - begin_ms < ms);
}

int main(void)
{
	static struct rings rings;
	struct tl_stats stats;
	uint32_t following[2];
	uint64_t recorded[2] = { 0 };
	unsigned int round, i;
	uint64_t begin_ms = now_ms();
	uint64_t records = 0;
	pthread_t thread;
	int dev;

	/* what follows the module is hit while the others are being armed */
	dev = dev_ready(65536, 64);
	rings_open(dev, &rings);
	add_following(dev, &rings, following);
	dev_start(dev);
	if (pthread_create(&thread, NULL, caller, NULL))
		die("pthread_create");
	tap_case("a module goes and comes while it is traced");
	for (round = 0; goes_on(round, begin_ms); round++)
		if (!one_round(dev, &rings, following, recorded))
			break;
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);

	tap_case("all that was recorded of it can be read");
	dev_stop(dev);
	CHECK(rings_drain(&rings));
	CHECK_EQ(rings.errors, 0);
	for (i = 0; i < 2 + 2 * round; i++)
		records += rings.records[i];
	stats = dev_stats_sum(dev);
	CHECK_EQ(records, stats.recorded);
	CHECK_EQ(stats.full, 0);
	CHECK(records > 0);
	for (i = 0; i < 2; i++)
		CHECK_EQ(rings.records[following[i]], recorded[i]);
	tap_note("%u rounds, %lu calls, %llu records", round, calls_made,
		 (unsigned long long)records);
	rings_close(&rings);
	close(dev);
	CHECK_EQ(kprobes_count(), 0);
	return tap_done();
}
