// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records that are lost after the last packet was closed are told by a packet
 * without records, at the end and only where something is owed.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/syscall.h>

#include "tl.h"

#define PER_PACKET 250

static int dev;
static struct rings rings;

/* The second event's record fits into no packet of 4096 bytes. */
static const struct tl_insn prog_big[] = {
	{ TL_OP_REG, 0, REG_DI },
	{ TL_OP_DEREF, 8, REG_DI },
	{ TL_OP_PUT_STRING, 8000 | TL_ARG_USER, 0 },
	{ TL_OP_END, 0, 0 },
};

static char big[6001];

static void call(unsigned int count)
{
	while (count--)
		syscall(SYS_getppid, big);
}

static void start(bool has_small, bool has_big)
{
	uint64_t address = symbol("__x64_sys_getppid");
	const uint32_t ids[] = { 0, 1 };

	dev = dev_ready(4096, 2);
	memset(&rings, 0, sizeof(rings));
	dev_add(dev, TL_BACKEND_KPROBE, address, prog_di, 2);
	dev_add(dev, TL_BACKEND_KPROBE, address, prog_big,
		ARRAY_SIZE(prog_big));
	if (has_small)
		dev_enable(dev, ids[0]);
	if (has_big)
		dev_enable(dev, ids[1]);
	rings.payload_bytes[0] = 8;
	rings_open(dev, &rings);
	dev_start(dev);
}

/*
 * @count calls, of which the ring has the first 500 and loses the rest: some
 * before the flush has closed its second packet, which tells of them, and all
 * others after that. (Without the flush the stop would close it, and tell.)
 */
static void overflow(unsigned int count)
{
	call(2 * PER_PACKET + 100);
	dev_flush(dev);
	call(count - 2 * PER_PACKET - 100);
}

static void end(void)
{
	rings_close(&rings);
	close(dev);
}

static uint64_t lost_on(uint32_t cpu)
{
	struct tl_stats stats = dev_stats_cpu(dev, cpu);

	return stats_lost(&stats);
}

/* Take @packets with records from CPU 0's ring. */
static void take(unsigned int packets)
{
	const struct ring *ring = &rings.ring[0];
	struct tl_ring_get get;

	while (packets--) {
		CHECK_EQ(ring_get(ring, &get), TL_RING_PACKET);
		CHECK(get.content_bytes > 80);
		rings_packet(&rings, 0, ring->map + get.offset,
			     get.packet_bytes);
	}
}

/* The next one is the last, and tells of @lost; then the end. */
static void check_last(uint64_t lost, uint64_t sequence)
{
	const struct ring *ring = &rings.ring[0];
	const struct tl_packet_header *header;
	struct tl_ring_get get;

	CHECK_EQ(ring_poll(ring, 0), POLLIN);
	CHECK_EQ(ring_get(ring, &get), TL_RING_PACKET);
	CHECK_EQ(get.content_bytes, 80);
	CHECK_EQ(get.packet_bytes, 4096);
	CHECK_EQ(get.sequence, sequence);
	CHECK_EQ(get.skipped, 0);
	header = (const void *)(ring->map + get.offset);
	CHECK_EQ(header->discarded, lost);
	CHECK_EQ(header->sequence, sequence);
	CHECK_EQ(header->content_bits, 80 * 8);
	rings_packet(&rings, 0, (const unsigned char *)header, 4096);
	CHECK_EQ(ring_poll(ring, 0), POLLHUP);
	CHECK_EQ(ring_get(ring, &get), TL_RING_END);
	CHECK_EQ(ring_get(ring, &get), TL_RING_END);
	CHECK_EQ(rings.errors, 0);
}

static void test_full(void)
{
	tap_case("a ring that was full to the end: the last packet has the losses");
	start(true, false);
	overflow(3000);
	dev_stop(dev);
	take(2);
	CHECK_EQ(rings.records[0], 2 * PER_PACKET);
	CHECK_EQ(lost_on(0), 3000 - 2 * PER_PACKET);
	check_last(lost_on(0), 2);

	tap_case("a CPU on which nothing happened has none");
	CHECK_EQ(ring_poll(&rings.ring[1], 0), POLLHUP);
	CHECK_EQ(ring_drain(&rings.ring[1], &rings), TL_RING_END);
	CHECK_EQ(rings.packets[1], 0);
	end();
}

static void test_kinds(void)
{
	struct tl_stats stats;

	tap_case("full and too big together");
	start(true, true);
	overflow(2000);
	dev_stop(dev);
	take(2);
	stats = dev_stats_cpu(dev, 0);
	CHECK_EQ(stats.too_big, 2000);
	CHECK_EQ(stats.full, 2000 - 2 * PER_PACKET);
	check_last(stats.full + stats.wrapped + stats.too_big, 2);
	end();

	tap_case("too big only: the ring's one packet is the last one");
	start(false, true);
	call(3);
	dev_stop(dev);
	CHECK_EQ(lost_on(0), 3);
	check_last(3, 0);
	end();
}

static void test_not_owed(void)
{
	struct tl_ring_get get;

	tap_case("none where nothing was lost");
	start(true, false);
	call(10);
	dev_stop(dev);
	take(1);
	CHECK_EQ(ring_poll(&rings.ring[0], 0), POLLHUP);
	CHECK_EQ(ring_get(&rings.ring[0], &get), TL_RING_END);
	end();

	tap_case("none where the stop has closed a packet, which tells it");
	start(true, false);
	call(1000);
	dev_stop(dev);
	take(2);
	CHECK_EQ(lost_on(0), 1000 - 2 * PER_PACKET);
	CHECK_EQ(rings.discarded[0], lost_on(0));
	CHECK_EQ(ring_poll(&rings.ring[0], 0), POLLHUP);
	CHECK_EQ(ring_get(&rings.ring[0], &get), TL_RING_END);
	end();

	tap_case("none where a later packet with records has told it");
	start(true, false);
	overflow(1000);
	take(2);
	CHECK_EQ(rings.discarded[0], 100);
	call(1);
	dev_stop(dev);
	take(1);
	CHECK_EQ(lost_on(0), 1000 - 2 * PER_PACKET);
	CHECK_EQ(rings.discarded[0], lost_on(0));
	CHECK_EQ(ring_poll(&rings.ring[0], 0), POLLHUP);
	CHECK_EQ(ring_get(&rings.ring[0], &get), TL_RING_END);
	end();
}

/* Losses come again after a packet has told of others. */
static void test_again(void)
{
	tap_case("what is lost after a packet that told of losses is owed again");
	start(true, false);
	overflow(1000);
	take(2);
	overflow(1500);
	dev_stop(dev);
	take(2);
	CHECK_EQ(rings.records[0], 4 * PER_PACKET);
	CHECK_EQ(lost_on(0), 2500 - 4 * PER_PACKET);
	CHECK_EQ(rings.discarded[0], 1000 - 2 * PER_PACKET + 100);
	check_last(lost_on(0), 4);
	end();
}

/* Reads to the end in pieces; the packets as they come. */
static void read_all(size_t piece)
{
	static unsigned char packet[4096];
	size_t at = 0;
	ssize_t got;

	for (;;) {
		size_t want = sizeof(packet) - at;

		got = read(rings.ring[0].fd, packet + at,
			   want < piece ? want : piece);
		if (got <= 0)
			break;
		at += (size_t)got;
		if (at == sizeof(packet)) {
			rings_packet(&rings, 0, packet, at);
			at = 0;
		}
	}
	CHECK_EQ(got, 0);
	CHECK_EQ(at, 0);
}

static void test_read(size_t piece)
{
	struct tl_ring_get get;

	tap_case("the same through read() of %zu bytes", piece);
	start(true, false);
	overflow(3000);
	dev_stop(dev);
	CHECK_EQ(ring_poll(&rings.ring[0], 0), POLLIN);
	read_all(piece);
	CHECK_EQ(rings.packets[0], 3);
	CHECK_EQ(rings.records[0], 2 * PER_PACKET);
	CHECK_EQ(rings.discarded[0], lost_on(0));
	CHECK_EQ(rings.errors, 0);
	CHECK_EQ(ring_poll(&rings.ring[0], 0), POLLHUP);
	CHECK_EQ(ring_get(&rings.ring[0], &get), TL_RING_END);
	end();
}

/* A reader that has a part of it goes; the next one gets it from its start. */
static void test_reopened(void)
{
	unsigned char bytes[7];

	tap_case("the last packet, left in the middle of read(), for the next reader");
	start(true, false);
	overflow(3000);
	dev_stop(dev);
	take(2);
	CHECK_EQ(read(rings.ring[0].fd, bytes, sizeof(bytes)), 7);
	CHECK_EQ(ring_poll(&rings.ring[0], 0), POLLIN);
	ring_close(&rings.ring[0]);
	ring_open(dev, 0, &rings.ring[0]);
	CHECK_EQ(ring_poll(&rings.ring[0], 0), POLLIN);
	read_all(100);
	CHECK_EQ(rings.packets[0], 3);
	CHECK_EQ(rings.discarded[0], lost_on(0));
	CHECK_EQ(rings.errors, 0);
	CHECK_EQ(ring_poll(&rings.ring[0], 0), POLLHUP);

	tap_case("once taken it is not there again for a new reader");
	ring_close(&rings.ring[0]);
	ring_open(dev, 0, &rings.ring[0]);
	CHECK_EQ(ring_poll(&rings.ring[0], 0), POLLHUP);
	CHECK_EQ(read(rings.ring[0].fd, bytes, sizeof(bytes)), 0);
	end();
}

/* The session is closed, not stopped: no statistics, but the packet. */
static void test_close(void)
{
	tap_case("the session's file is closed: the last packet is there");
	start(true, false);
	overflow(3000);
	close(dev);
	dev = -1;
	take(2);
	check_last(3000 - 2 * PER_PACKET, 2);
	rings_close(&rings);
}

int main(void)
{
	memset(big, 'b', sizeof(big) - 1);
	pin(0);
	test_full();
	test_kinds();
	test_not_owed();
	test_again();
	test_read(4096);
	test_read(10000);
	test_read(7);
	test_reopened();
	test_close();
	return tap_done();
}
