// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits against the true number of calls: each call ends in one counter, and
 * what is said to be recorded can be read.
 */
#define _GNU_SOURCE

#include "tl.h"

#define CALLS 10000

/* of getppid() in one test */
static unsigned int calls = CALLS;

/* Longer records of the same calls, so that two events lose differently. */
static const struct tl_insn prog_long[] = {
	{ TL_OP_PUT_REG, 8, REG_DI }, { TL_OP_PUT_REG, 8, REG_SI },
	{ TL_OP_PUT_REG, 8, REG_DX }, { TL_OP_PUT_REG, 8, REG_DI },
	{ TL_OP_PUT_REG, 8, REG_DI }, { TL_OP_PUT_REG, 8, REG_DI },
	{ TL_OP_END, 0, 0 },
};

/* A session with three events on getppid(): two at entry, one at return. */
static int session(uint32_t packet_bytes, uint32_t packet_count)
{
	uint64_t address = symbol("__x64_sys_getppid");
	int dev = dev_ready(packet_bytes, packet_count);
	const uint32_t ids[] = { 0, 1, 2 };

	dev_add(dev, TL_BACKEND_KPROBE, address, prog_di, ARRAY_SIZE(prog_di));
	dev_add(dev, TL_BACKEND_KPROBE, address, prog_long,
		ARRAY_SIZE(prog_long));
	dev_add(dev, TL_BACKEND_KRETPROBE, address, prog_di,
		ARRAY_SIZE(prog_di));
	if (dev_event_ctl(dev, TL_EVENT_ENABLE, ids, 3, NULL))
		die("enable");
	return dev;
}

static void set_lengths(struct rings *rings)
{
	rings->payload_bytes[0] = 8;
	rings->payload_bytes[1] = 48;
	rings->payload_bytes[2] = 8;
}

/* What was read is what the counters say. */
static void check_read(int dev, const struct rings *rings)
{
	struct tl_stats sum = dev_stats_sum(dev);
	uint64_t read = 0;
	uint32_t id;

	for (id = 0; id < 3; id++) {
		struct tl_stats stats = dev_stats(dev, id);

		CHECK_EQ(rings->records[id], stats.recorded);
		read += rings->records[id];
	}
	CHECK_EQ(rings_discarded(rings), stats_lost(&sum));
	CHECK_EQ(read + rings_discarded(rings), 3 * calls);
	CHECK_EQ(rings->errors, 0);
}

static void test_without_reader(void)
{
	static struct rings rings;
	int dev = session(4096, 2);
	uint64_t full = 0;
	uint32_t id;

	tap_case("a tiny ring without a reader: every call is accounted for");
	set_lengths(&rings);
	rings_open(dev, &rings);
	dev_start(dev);
	call_getppid(CALLS);
	dev_stop(dev);
	for (id = 0; id < 3; id++) {
		struct tl_stats stats = dev_stats(dev, id);

		CHECK_EQ(stats.recorded + stats.full, CALLS);
		CHECK_EQ(stats_hits(&stats), CALLS);
		CHECK(stats.recorded > 0);
		CHECK_EQ(stats.nmissed, 0);
		CHECK_EQ(stats.state, TL_EVENT_OFF);
		full += stats.full;
	}
	CHECK(full > 2 * CALLS);

	tap_case("what was recorded in it can be read, the rest is discarded");
	CHECK(rings_drain(&rings));
	check_read(dev, &rings);
	rings_close(&rings);
	close(dev);
}

static void test_with_room(void)
{
	static struct rings rings;
	int dev = session(0, 0);
	uint32_t id;

	tap_case("with room enough every call is a record");
	set_lengths(&rings);
	rings_open(dev, &rings);
	dev_start(dev);
	call_getppid(CALLS);
	dev_stop(dev);
	CHECK(rings_drain(&rings));
	for (id = 0; id < 3; id++)
		CHECK_EQ(rings.records[id], CALLS);
	check_read(dev, &rings);
	rings_close(&rings);
	close(dev);
}

static void test_with_reader(void)
{
	static struct rings rings;
	int dev = session(4096, 2);
	unsigned int round;

	tap_case("a tiny ring that is read now and then");
	set_lengths(&rings);
	rings_open(dev, &rings);
	dev_start(dev);
	for (round = 0; round < 100; round++) {
		pin(round % 2);
		call_getppid(CALLS / 100);
		if (round % 3 == 0)
			dev_flush(dev);
		if (round % 7 == 0)
			rings_drain(&rings);
	}
	/* a header tells of the losses before it: one more packet each */
	rings_drain(&rings);
	for (round = 0; round < 2; round++) {
		pin(round);
		call_getppid(1);
	}
	dev_stop(dev);
	CHECK(rings_drain(&rings));
	CHECK(rings.packets[0] > 4 && rings.packets[1] > 4);
	calls += 2;
	CHECK(rings_discarded(&rings) > 0);
	check_read(dev, &rings);
	rings_close(&rings);
	close(dev);
}

static void test_not_running(void)
{
	int dev = session(4096, 2);
	struct tl_stats stats;
	const uint32_t id = 1;

	tap_case("calls before the start are counted, and recorded nowhere");
	call_getppid(100);
	stats = dev_stats(dev, 0);
	CHECK_EQ(stats.not_running, 100);
	CHECK_EQ(stats_hits(&stats), 100);
	CHECK_EQ(stats.state, TL_EVENT_ARMED);

	tap_case("calls while disarmed are not hits, and counters stay");
	dev_start(dev);
	call_getppid(10);
	if (dev_event_ctl(dev, TL_EVENT_DISABLE, &id, 1, NULL))
		die("disable");
	call_getppid(10);
	stats = dev_stats(dev, 1);
	CHECK_EQ(stats.not_running, 100);
	CHECK_EQ(stats.recorded, 10);
	CHECK_EQ(stats.state, TL_EVENT_OFF);
	stats = dev_stats(dev, 0);
	CHECK_EQ(stats.recorded, 20);

	tap_case("removed events count on in the session's sum");
	if (dev_event_ctl(dev, TL_EVENT_REMOVE, &id, 1, NULL))
		die("remove");
	call_getppid(5);
	stats = dev_stats_sum(dev);
	CHECK_EQ(stats.not_running, 300);
	CHECK_EQ(stats.recorded, 10 + 25 + 25);
	dev_stop(dev);
	call_getppid(5);
	stats = dev_stats_sum(dev);
	CHECK_EQ(stats_hits(&stats), 300 + 60);
	close(dev);
}

static void test_per_cpu(void)
{
	int dev = session(0, 0);
	struct tl_stats stats = { .size = sizeof(stats), .id = 0,
				  .selector = TL_STATS_EVENT };

	tap_case("counters of one CPU");
	dev_start(dev);
	pin(0);
	call_getppid(30);
	pin(1);
	call_getppid(70);
	dev_stop(dev);
	stats.cpu = 0;
	CHECK_EQ(dev_ioctl(dev, TL_STATS, &stats), 0);
	CHECK_EQ(stats.recorded, 30);
	stats.cpu = 1;
	CHECK_EQ(dev_ioctl(dev, TL_STATS, &stats), 0);
	CHECK_EQ(stats.recorded, 70);
	close(dev);
}

int main(void)
{
	test_without_reader();
	test_with_room();
	test_with_reader();
	test_not_running();
	test_per_cpu();
	return tap_done();
}
