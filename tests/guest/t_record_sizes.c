// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of all lengths up to the longest: each one that fits into a packet is
 * there with each of its bytes, each one that does not is counted.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>

#include "tl.h"

#define STRINGS 4
#define CONTENT_MAX(packet) ((packet) - sizeof(struct tl_packet_header) - 8)

static int dev;
static struct ring ring;
static uint64_t address; /* of getppid() */
static char text[TL_RECORD_BYTES_MAX + 1];

/**
 * struct shape - the strings of an event
 * @strings: how many
 * @max: longest of each
 */
struct shape {
	uint32_t strings;
	uint32_t max;
};

/* The same string of user memory, so many times. */
static uint32_t make_program(const struct shape *shape, struct tl_insn *insns)
{
	uint32_t count = 0, i;

	for (i = 0; i < shape->strings; i++) {
		insns[count++] = (struct tl_insn){ TL_OP_REG, 0, REG_DI };
		insns[count++] = (struct tl_insn){ TL_OP_DEREF, 8, REG_DI };
		insns[count++] = (struct tl_insn){
			TL_OP_PUT_STRING, shape->max | TL_ARG_USER, 0
		};
	}
	insns[count++] = (struct tl_insn){ TL_OP_END, 0, 0 };
	return count;
}

/* The session's only event; 0 or the reason of a refusal. */
static uint32_t try_shape(const struct shape *shape, uint32_t *id)
{
	struct tl_insn insns[3 * STRINGS + 1];
	uint32_t count = make_program(shape, insns);
	struct tl_event_add add;

	if (dev_try_add(dev, TL_BACKEND_KPROBE, address, 0,
			insns, count, &add))
		return add.error.code;
	*id = add.id;
	return 0;
}

static void start(const struct shape *shape, uint32_t packet_bytes)
{
	uint32_t id;

	dev = dev_ready(packet_bytes, 4);
	if (try_shape(shape, &id))
		die("%u strings of %u bytes", shape->strings, shape->max);
	dev_enable(dev, id);
	ring_open(dev, 0, &ring);
	dev_start(dev);
}

static void end(void)
{
	ring_close(&ring);
	close(dev);
}

/* A string of @length bytes that no other call has. */
static void fill_text(uint32_t length, uint32_t seed)
{
	uint32_t i;

	for (i = 0; i < length; i++)
		text[i] = (char)('!' + (i * 7 + i / 251 + seed * 31) % 90);
	text[length] = '\0';
}

static bool is_cut(const struct shape *shape, uint32_t length)
{
	return length > shape->max;
}

/* Bytes of the record of a call, with the short header. */
static uint32_t record_bytes(const struct shape *shape, uint32_t length)
{
	uint32_t kept = is_cut(shape, length) ? shape->max : length;
	uint32_t payload = shape->strings * (2 + kept);

	if (is_cut(shape, length))
		payload += shape->strings;
	return 8 + (payload + 7) / 8 * 8;
}

/* The packet has one record, of the call that was just made. */
static bool check_record(const struct shape *shape, uint32_t length,
			 const struct tl_ring_get *get)
{
	uint32_t kept = is_cut(shape, length) ? shape->max : length, i;
	const unsigned char *at = ring.map + get->offset + 80;
	uint64_t header;
	uint16_t said;

	memcpy(&header, at, sizeof(header));
	at += sizeof(header);
	if (!CHECK_EQ(get->content_bytes, 80 + record_bytes(shape, length)) ||
	    !CHECK_EQ(header % (1 << TL_RECORD_ID_BITS), 0) ||
	    !CHECK_EQ(!!(header >> TL_RECORD_CTX_SHIFT & TL_CTX_EXCEPTIONAL),
		      is_cut(shape, length)))
		return false;
	for (i = 0; is_cut(shape, length) && i < shape->strings; i++)
		if (!CHECK_EQ(*at++, TL_STATUS_TRUNCATED))
			return false;
	for (i = 0; i < shape->strings; i++) {
		memcpy(&said, at, sizeof(said));
		if (!CHECK_EQ(said, kept) ||
		    !CHECK(!memcmp(at + sizeof(said), text, kept)))
			return false;
		at += sizeof(said) + kept;
	}
	return true;
}

/* One call with a string of this length, in a packet of its own or lost. */
static bool one_length(const struct shape *shape, uint32_t packet_bytes,
		       uint32_t length, uint64_t *too_big)
{
	bool fits = record_bytes(shape, length) <= CONTENT_MAX(packet_bytes);
	struct tl_ring_get get;
	uint32_t state;

	fill_text(length, length);
	syscall(SYS_getppid, text);
	dev_flush(dev);
	state = ring_get(&ring, &get);
	*too_big += !fits;
	if (!CHECK_EQ(state, fits ? TL_RING_PACKET : TL_RING_EMPTY) ||
	    (fits && !check_record(shape, length, &get))) {
		tap_note("with a string of %u bytes", length);
		return false;
	}
	return true;
}

/* All lengths around those at which something changes, and some others. */
static void test_lengths(const struct shape *shape, uint32_t packet_bytes)
{
	const uint32_t room = CONTENT_MAX(packet_bytes) / shape->strings;
	const uint32_t around[] = { 0, 8, room, shape->max, shape->max / 2 };
	/* a string takes long where each access is checked */
	const uint32_t step = is_long() ? 97 : kernel_checks_all() ? 7001 : 1597;
	const uint32_t near = is_long() ? 40 : kernel_checks_all() ? 3 : 10;
	uint64_t too_big = 0, calls = 0;
	struct tl_stats stats;
	uint32_t length, i;

	tap_case("%u strings of up to %u bytes, packets of %u", shape->strings,
		 shape->max, packet_bytes);
	start(shape, packet_bytes);
	for (i = 0; i < ARRAY_SIZE(around); i++)
		for (length = around[i] > near ? around[i] - near : 0;
		     length < around[i] + near; length++) {
			if (length >= sizeof(text))
				break;
			calls++;
			if (!one_length(shape, packet_bytes, length, &too_big))
				goto out;
		}
	for (length = 1; length < shape->max; length += step) {
		calls++;
		if (!one_length(shape, packet_bytes, length, &too_big))
			goto out;
	}
out:
	stats = dev_stats_sum(dev);
	CHECK_EQ(stats.too_big, too_big);
	CHECK_EQ(stats.recorded, calls - too_big);
	CHECK_EQ(stats_hits(&stats), calls);
	tap_note("%llu calls, %llu too big", (unsigned long long)calls,
		 (unsigned long long)too_big);
	end();
}

/* Lengths at random, several in a packet; a string holds its own number. */
static void test_mixed(uint32_t packet_bytes)
{
	const struct shape shape = { 1, 8000 };
	uint64_t too_big = 0, bytes = 0, content = 0, i;
	const unsigned int calls = scaled(400);
	unsigned int seed = 1;
	struct tl_stats stats;
	struct tl_ring_get get;

	tap_case("%u lengths at random, packets of %u", calls, packet_bytes);
	start(&shape, packet_bytes);
	for (i = 0; i < calls; i++) {
		uint32_t length = rand_r(&seed) % 100 < 60 ?
					  rand_r(&seed) % 64 :
					  rand_r(&seed) % 8000;

		fill_text(length, (uint32_t)i);
		syscall(SYS_getppid, text);
		if (record_bytes(&shape, length) > CONTENT_MAX(packet_bytes))
			too_big++;
		else
			bytes += record_bytes(&shape, length);
		while (ring_get(&ring, &get) == TL_RING_PACKET)
			content += get.content_bytes - 80;
	}
	dev_stop(dev);
	while (ring_get(&ring, &get) == TL_RING_PACKET)
		content += get.content_bytes - 80;
	stats = dev_stats_sum(dev);
	CHECK_EQ(stats.too_big, too_big);
	CHECK_EQ(stats.recorded, calls - too_big);
	/* a long header now and then, where the emulator has stood still */
	CHECK(content >= bytes && content < bytes + 16 * 100);
	CHECK_EQ((content - bytes) % 16, 0);
	end();
}

/* The longest record that the kernel promises, found by asking for more. */
static void test_longest(uint32_t strings)
{
	struct shape shape = { strings, TL_STRING_BYTES_MAX + 1 };
	uint32_t code, id;
	uint64_t too_big = 0;

	tap_case("the longest record, of %u strings", strings);
	dev = dev_ready(4096, 2);
	do {
		shape.max--;
		code = try_shape(&shape, &id);
	} while (code == TL_ERR_PROG_BYTES);
	close(dev);
	CHECK_EQ(code, 0);
	/* with a long header and all marks it is as long as is said */
	CHECK(24 + strings * (3 + shape.max) <= TL_RECORD_BYTES_MAX);
	CHECK(strings == 1 ||
	      24 + strings * (3 + shape.max + 1) + 8 > TL_RECORD_BYTES_MAX);
	CHECK(strings > 1 || shape.max == TL_STRING_BYTES_MAX);
	start(&shape, 65536);
	one_length(&shape, 65536, shape.max, &too_big);
	one_length(&shape, 65536, shape.max + 1, &too_big);
	CHECK_EQ(too_big, 0);
	end();
	test_lengths(&shape, 4096);
	test_lengths(&shape, 32768);
	test_lengths(&shape, 65536);
}

int main(void)
{
	pin(0);
	address = symbol("__x64_sys_getppid");
	test_longest(1);
	test_longest(2);
	test_longest(STRINGS);
	test_mixed(4096);
	test_mixed(16384);
	return tap_done();
}
