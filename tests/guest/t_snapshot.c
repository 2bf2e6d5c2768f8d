// SPDX-License-Identifier: GPL-2.0-only
/*
 * A snapshot while writers on all CPUs go on: a copy of one moment, which is
 * whole, ends, and costs only what is counted.
 */
#define _GNU_SOURCE
#include <poll.h>

#include "tl_calls.h"

#define PACKET_BYTES 4096
#define PACKETS 8
/* records of 24 bytes; fewer where an emulated CPU has stood still */
#define PER_PACKET ((PACKET_BYTES - 80 - 8) / 24)
#define LEAST ((PACKETS - 1) * (PER_PACKET - 10))
#define RING_CALLS (PACKETS * PER_PACKET)
#define WRITERS 2
#define BATCH 20
#define ROUNDS 50

static int calls;
static struct rings rings;
static struct calls_stream streams[CPUS_MAX];
static struct calls_writer writers[WRITERS];

static void on_record(const struct record *record, struct rings *from)
{
	calls_stream_add(&streams[record->cpu], record, from, CALLS_TASK);
}

static int session_command(int dev, uint32_t command)
{
	return dev_session_ctl(dev, command);
}

static int start(void)
{
	int dev = dev_ready_overwriting(PACKET_BYTES, PACKETS, 1);
	uint32_t cpu, id;

	id = dev_add(dev, TL_BACKEND_KPROBE, calls_address(calls, CALLS_ENTRY),
		     prog_calls, ARRAY_SIZE(prog_calls));
	dev_enable(dev, id);
	memset(&rings, 0, sizeof(rings));
	rings.payload_bytes[id] = 16;
	rings.overwrites = true;
	rings.on_record = on_record;
	rings_open(dev, &rings);
	dev_start(dev);
	for (cpu = 0; cpu < WRITERS; cpu++) {
		writers[cpu] = (struct calls_writer){
			.fd = calls, .cpu = cpu, .place = CALLS_ENTRY,
			.batch = BATCH,
		};
		calls_writer_start(&writers[cpu]);
	}
	return dev;
}

/* So far that no record of now will be in the rings, nor one lost by then. */
static void go_on(uint64_t more)
{
	uint64_t to[WRITERS];
	uint32_t cpu;

	for (cpu = 0; cpu < WRITERS; cpu++)
		to[cpu] = calls_writer_done(&writers[cpu]) + more;
	for (cpu = 0; cpu < WRITERS; cpu++)
		calls_writer_wait(&writers[cpu], to[cpu]);
}

/* At the end of a snapshot each way to ask has an answer. */
static void check_end(const struct ring *ring)
{
	struct tl_ring_get get;
	char byte;

	CHECK_EQ(ring_get(ring, &get), TL_RING_SNAPSHOT);
	CHECK_EQ(read(ring->fd, &byte, 1), 0);
	CHECK_EQ(ring_poll(ring, 0), POLLIN);
	CHECK_EQ(ring_get(ring, &get), TL_RING_SNAPSHOT);
}

/*
 * Each call that was made before the snapshot is in it, or is older than all
 * that is; what was not made before it ended is not.
 */
static bool check_copy(const uint64_t *before, const uint64_t *after)
{
	uint32_t cpu;
	bool good = true;

	for (cpu = 0; cpu < WRITERS; cpu++) {
		const struct calls_stream *stream = &streams[cpu];

		good &= CHECK(stream->last >= before[cpu]);
		good &= CHECK(stream->last <= after[cpu]);
		good &= CHECK_EQ(stream->last - stream->first + 1, stream->count);
		good &= CHECK_EQ(stream->holes + stream->broken, 0);
		good &= CHECK(stream->count >= LEAST);
	}
	return good && CHECK_EQ(rings.errors, 0);
}

/* One snapshot, read after the rings have become full of it. */
static bool one_snapshot(int dev, bool read_late)
{
	uint64_t before[WRITERS], after[WRITERS], full;
	uint32_t cpu;

	memset(streams, 0, sizeof(streams));
	full = dev_stats_sum(dev).full;
	for (cpu = 0; cpu < WRITERS; cpu++)
		before[cpu] = calls_writer_done(&writers[cpu]);
	CHECK_EQ(session_command(dev, TL_SESSION_SNAPSHOT), 0);
	for (cpu = 0; cpu < WRITERS; cpu++)
		after[cpu] = calls_writer_begun(&writers[cpu]);
	if (read_late) {
		go_on(2 * RING_CALLS);
		CHECK(dev_stats_sum(dev).full > full);
	}
	for (cpu = 0; cpu < rings.count; cpu++) {
		CHECK_EQ(ring_drain_closed(&rings.ring[cpu], &rings),
			 TL_RING_SNAPSHOT);
		check_end(&rings.ring[cpu]);
	}
	return check_copy(before, after);
}

static void test_rounds(void)
{
	uint64_t sum, full = 0;
	struct tl_stats stats;
	unsigned int round;
	uint32_t cpu;
	int dev;

	tap_case("%u snapshots: each has all up to its moment",
		 scaled(ROUNDS));
	dev = start();
	for (round = 0; round < scaled(ROUNDS); round++) {
		go_on(2 * RING_CALLS);
		/* since the last RESUME old packets have made way again */
		CHECK_EQ(dev_stats_sum(dev).full, full);
		if (!one_snapshot(dev, round % 2))
			break;
		CHECK_EQ(session_command(dev, TL_SESSION_RESUME), 0);
		/* whoever was in the middle of a call meanwhile may count yet */
		go_on(2 * BATCH);
		full = dev_stats_sum(dev).full;
	}
	for (cpu = 0, sum = 0; cpu < WRITERS; cpu++) {
		calls_writer_end(&writers[cpu]);
		sum += writers[cpu].done;
	}
	dev_stop(dev);

	tap_case("meanwhile each call was recorded or counted as full");
	stats = dev_stats_sum(dev);
	CHECK_EQ(stats.recorded + stats.full, sum);
	CHECK_EQ(stats_hits(&stats), sum);
	CHECK(stats.full > 0);
	CHECK(rings_drain(&rings));
	CHECK_EQ(rings_discarded(&rings), stats.full);
	CHECK_EQ(rings.errors, 0);
	tap_note("%llu calls, %llu recorded, %llu full, %llu read",
		 (unsigned long long)sum, (unsigned long long)stats.recorded,
		 (unsigned long long)stats.full,
		 (unsigned long long)rings.records[0]);
	rings_close(&rings);
	close(dev);
}

static void test_reopened(void)
{
	uint64_t before = 0, after = 0;
	struct tl_ring_get get;
	unsigned int packets = 0;
	uint32_t cpu;
	int dev;

	tap_case("a ring's file that is closed and opened anew in a snapshot");
	dev = start();
	go_on(2 * RING_CALLS);
	memset(streams, 0, sizeof(streams));
	before = calls_writer_done(&writers[0]);
	CHECK_EQ(session_command(dev, TL_SESSION_SNAPSHOT), 0);
	after = calls_writer_begun(&writers[0]);
	while (ring_get(&rings.ring[0], &get) != TL_RING_SNAPSHOT) {
		if (get.state == TL_RING_CLOSING)
			continue;
		if (!CHECK_EQ(get.state, TL_RING_PACKET))
			break;
		rings_packet(&rings, 0, rings.ring[0].map + get.offset,
			     get.packet_bytes);
		packets++;
		ring_close(&rings.ring[0]);
		ring_open(dev, 0, &rings.ring[0]);
	}
	CHECK_EQ(get.state, TL_RING_SNAPSHOT);
	check_end(&rings.ring[0]);
	CHECK(packets >= PACKETS - 1);
	CHECK(streams[0].last >= before && streams[0].last <= after);
	CHECK_EQ(streams[0].last - streams[0].first + 1, streams[0].count);
	CHECK_EQ(streams[0].holes + streams[0].broken, 0);

	tap_case("a stop ends the snapshot: all is read, then the end");
	for (cpu = 0; cpu < WRITERS; cpu++)
		calls_writer_end(&writers[cpu]);
	dev_stop(dev);
	CHECK_EQ(session_command(dev, TL_SESSION_RESUME), -EBUSY);
	CHECK_EQ(session_command(dev, TL_SESSION_SNAPSHOT), -EBUSY);
	CHECK(rings_drain(&rings));
	CHECK_EQ(rings.errors, 0);
	CHECK_EQ(rings_discarded(&rings), dev_stats_sum(dev).full);
	/* nothing was overwritten since: no number is missing but the lost */
	CHECK_EQ(streams[0].missing, 0);
	CHECK_EQ(streams[0].broken, 0);
	CHECK_EQ(ring_poll(&rings.ring[0], 0), POLLHUP);
	rings_close(&rings);
	close(dev);
}

int main(void)
{
	calls = calls_open();
	test_rounds();
	test_reopened();
	calls_close(calls);
	return tap_done();
}
