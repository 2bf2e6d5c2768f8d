// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring that overwrites: what is left is the newest, whole and without a gap,
 * and what is gone is told as skipped packets.
 */
#define _GNU_SOURCE
#include "tl_calls.h"

#define HEADER_BYTES ((unsigned int)sizeof(struct tl_packet_header))
#define LIVE_MS 1000

static int calls;
static struct rings rings;
static struct calls_stream streams[CPUS_MAX];

static void on_record(const struct record *record, struct rings *from)
{
	calls_stream_add(&streams[record->cpu], record, from, CALLS_TASK);
}

/* A running session with one event, and nothing read so far. */
static int start(uint32_t packet_bytes, uint32_t packet_count, bool is_direct)
{
	int dev = dev_ready_overwriting(packet_bytes, packet_count, 1);
	uint64_t address = calls_address(calls, CALLS_ENTRY);
	uint32_t id;

	if (is_direct)
		id = dev_add(dev, TL_BACKEND_KPROBE, address, prog_calls,
			     ARRAY_SIZE(prog_calls));
	else
		id = dev_add(dev, TL_BACKEND_KPROBE, address, prog_calls_long,
			     ARRAY_SIZE(prog_calls_long));
	dev_enable(dev, id);
	memset(&rings, 0, sizeof(rings));
	memset(streams, 0, sizeof(streams));
	rings.payload_bytes[id] = is_direct ? 16 : 24;
	rings.overwrites = true;
	rings.on_record = on_record;
	rings_open(dev, &rings);
	dev_start(dev);
	return dev;
}

static void end(int dev)
{
	rings_close(&rings);
	close(dev);
}

/* Every call was recorded, whatever has become of the record. */
static void check_stats(int dev, uint64_t count)
{
	struct tl_stats stats = dev_stats_sum(dev);

	CHECK_EQ(stats.recorded, count);
	CHECK_EQ(stats_hits(&stats), count);
	CHECK_EQ(rings_discarded(&rings), 0);
	CHECK_EQ(rings.errors, 0);
}

/* What was read on a CPU is a row of numbers, but for packets that are gone. */
static void check_stream(uint32_t cpu, uint64_t last)
{
	const struct calls_stream *stream = &streams[cpu];

	CHECK_EQ(stream->last, last);
	CHECK_EQ(stream->holes, 0);
	CHECK_EQ(stream->broken, 0);
	CHECK_EQ(stream->first - 1 + stream->count + stream->missing, last);
}

/* Nobody reads until it is over: the last packets are there, and no other. */
static void test_newest(uint32_t packet_bytes, uint32_t packet_count,
			uint32_t count, bool is_direct)
{
	uint32_t per_packet = (packet_bytes - HEADER_BYTES - 8) /
			      (is_direct ? 24 : 32);
	int dev = start(packet_bytes, packet_count, is_direct);

	tap_case("%u calls, %u packets of %u bytes%s: the newest are kept",
		 count, packet_count, packet_bytes,
		 is_direct ? "" : ", by way of scratch memory");
	pin(0);
	calls_make(calls, 1, count, CALLS_ENTRY);
	dev_stop(dev);
	CHECK(rings_drain(&rings));
	check_stats(dev, count);
	check_stream(0, count);
	CHECK_EQ(streams[0].missing, 0);
	CHECK_EQ(rings.packets[0], packet_count);
	/* an emulated CPU may stand still: a long header takes more room */
	CHECK(rings.skipped[0] + packet_count >= count / per_packet);
	CHECK(streams[0].count <= (uint64_t)packet_count * per_packet);
	CHECK(streams[0].count + 3 * packet_count >
	      (uint64_t)(packet_count - 1) * per_packet);
	CHECK_EQ(streams[1].count, 0);
	tap_note("%llu packets overwritten, %llu records read",
		 (unsigned long long)rings.skipped[0],
		 (unsigned long long)streams[0].count);
	end(dev);
}

/* Fewer than the ring holds: it is like any other ring. */
static void test_no_overwrite(void)
{
	int dev = start(4096, 8, true);

	tap_case("with room enough nothing is overwritten");
	pin(0);
	calls_make(calls, 1, 1000, CALLS_ENTRY);
	dev_stop(dev);
	CHECK(rings_drain(&rings));
	check_stats(dev, 1000);
	check_stream(0, 1000);
	CHECK_EQ(streams[0].count, 1000);
	CHECK_EQ(rings.skipped[0], 0);
	end(dev);
}

/*
 * On a slow machine it takes longer than @until before there is something to
 * look at: @packets read of each CPU's ring, and one skipped.
 */
static bool is_enough(uint64_t until, uint32_t first_cpu, uint32_t packets)
{
	uint64_t now = now_ms();
	uint32_t cpu;

	for (cpu = first_cpu; cpu < 2; cpu++)
		if (rings.packets[cpu] <= packets || !rings.skipped[cpu])
			return now > until + PATIENCE_MS;
	return now > until;
}

/* Readers and writers at the same time; flushes make short packets, too. */
static void test_live(uint32_t packet_bytes, uint32_t packet_count)
{
	struct calls_writer writers[2] = {
		{ .fd = calls, .cpu = 0, .place = CALLS_ENTRY, .batch = 100 },
		{ .fd = calls, .cpu = 1, .place = CALLS_ENTRY, .batch = 100 },
	};
	int dev = start(packet_bytes, packet_count, true);
	uint64_t until, round = 0, sum;
	unsigned int pause_ms = 20;
	uint32_t cpu;

	tap_case("%u packets of %u bytes are read while they are overwritten",
		 packet_count, packet_bytes);
	until = now_ms() + scaled(LIVE_MS);
	for (cpu = 0; cpu < 2; cpu++)
		calls_writer_start(&writers[cpu]);
	while (!is_enough(until, 0, 10 * packet_count)) {
		rings_drain(&rings);
		if (++round % 8 == 0)
			dev_flush(dev);
		/* at times the writers get ahead by laps, slow ones in a while */
		if (round % 32 == 0)
			sleep_ms(pause_ms);
		if (round % 32 == 0 && now_ms() > until && pause_ms < 1000)
			pause_ms *= 2;
	}
	for (cpu = 0; cpu < 2; cpu++)
		calls_writer_end(&writers[cpu]);
	dev_stop(dev);
	CHECK(rings_drain(&rings));
	sum = writers[0].done + writers[1].done;
	check_stats(dev, sum);
	for (cpu = 0; cpu < 2; cpu++) {
		check_stream(cpu, writers[cpu].done);
		CHECK(rings.skipped[cpu] > 0);
		CHECK(rings.packets[cpu] > 10 * packet_count);
	}
	tap_note("%llu calls, %llu read in %llu packets, %llu packets skipped",
		 (unsigned long long)sum, (unsigned long long)rings.records[0],
		 (unsigned long long)(rings.packets[0] + rings.packets[1]),
		 (unsigned long long)(rings.skipped[0] + rings.skipped[1]));
	end(dev);
}

/* The next @count bytes of the stream, seven at a time; false at its end. */
static bool read_slowly(int fd, unsigned char *to, size_t count)
{
	size_t done = 0;

	while (done < count) {
		size_t want = count - done < 7 ? count - done : 7;
		ssize_t got = read(fd, to + done, want);

		if (got < 0)
			die("read");
		if (!got) {
			CHECK_EQ(done, 0);
			return false;
		}
		done += (size_t)got;
	}
	return true;
}

static void test_read(void)
{
	struct calls_writer writer = { .fd = calls, .cpu = 1, .batch = 100,
				       .place = CALLS_ENTRY };
	static unsigned char packet[4096];
	int dev = start(4096, 4, true);
	uint64_t until = now_ms() + scaled(LIVE_MS);
	bool is_stopped = false;

	tap_case("read() of 7 bytes: whole packets, though the ring goes on");
	pin(0);
	calls_writer_start(&writer);
	while (read_slowly(rings.ring[1].fd, packet, sizeof(packet))) {
		rings_packet(&rings, 1, packet, sizeof(packet));
		if (is_stopped || !is_enough(until, 1, 20))
			continue;
		calls_writer_end(&writer);
		dev_stop(dev);
		is_stopped = true;
	}
	CHECK(is_stopped);
	check_stats(dev, writer.done);
	check_stream(1, writer.done);
	CHECK(rings.skipped[1] > 0);
	CHECK(rings.packets[1] > 20);
	tap_note("%llu packets read, %llu skipped",
		 (unsigned long long)rings.packets[1],
		 (unsigned long long)rings.skipped[1]);
	end(dev);
}

int main(void)
{
	calls = calls_open();
	test_newest(4096, 2, 10000, true);
	test_newest(4096, 2, 10000, false);
	test_newest(4096, 64, 30000, true);
	test_newest(65536, 4, 30000, true);
	test_newest(65536, 2, 30000, false);
	test_no_overwrite();
	test_live(4096, 2);
	test_live(16384, 8);
	test_read();
	calls_close(calls);
	return tap_done();
}
