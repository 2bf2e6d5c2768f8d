// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters and the counters: each call is recorded, lost or filtered, once; a
 * value that cannot be read lets nothing through; and a filtered return gives
 * its instance back.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>

#include "tl.h"

#define CALLS 20000
#define BYTES(n) ((n) << TL_TEST_BYTES_SHIFT)

/* The first argument of a system call, whose registers are what DI points to. */
#define LOAD_ARG { TL_OP_REG, 0, REG_DI }, { TL_OP_DEREF, 8, REG_DI }
#define REJECT { TL_OP_REJECT, 0, 0 }
#define END { TL_OP_END, 0, 0 }
#define PUT_DI { TL_OP_PUT_REG, 8, REG_DI }

/* One of the last two bits is not 0, or it is in the first half of the calls. */
static const struct tl_insn prog_most[] = {
	LOAD_ARG,
	{ TL_OP_TEST, BYTES(8) | TL_TEST_AND | TL_TEST_IF_TRUE | 5, 3 },
	LOAD_ARG,
	{ TL_OP_TEST, BYTES(8) | TL_TEST_BELOW | TL_TEST_IF_TRUE | 2,
	  CALLS / 2 },
	REJECT, PUT_DI, END,
};

/* getppid() ignores its argument */
static void call_numbered(unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		syscall(SYS_getppid, (long)i);
}

static void check_sum(int dev, uint32_t id, uint64_t calls)
{
	struct tl_stats stats = dev_stats(dev, id);

	CHECK_EQ(stats.hits, calls);
	CHECK_EQ(stats.recorded + stats.filtered + stats.full, calls);
	CHECK_EQ(stats_hits(&stats), calls);
	CHECK_EQ(stats.recursion + stats.wrapped + stats.too_big, 0);
	CHECK_EQ(stats.not_running, 0);
}

/* Two events on one place, one filtered; with room, and without. */
static void test_counts(uint32_t packet_bytes, uint32_t packet_count,
			bool has_room)
{
	uint64_t address = symbol("__x64_sys_getppid");
	int dev = dev_ready(packet_bytes, packet_count);
	static struct rings rings;
	struct tl_stats stats;
	uint32_t id;

	memset(&rings, 0, sizeof(rings));
	id = dev_add(dev, TL_BACKEND_KPROBE, address, prog_most,
		     ARRAY_SIZE(prog_most));
	dev_enable(dev, id);
	id = dev_add(dev, TL_BACKEND_KPROBE, address, prog_di,
		     ARRAY_SIZE(prog_di));
	dev_enable(dev, id);
	rings.payload_bytes[0] = 8;
	rings.payload_bytes[1] = 8;
	rings_open(dev, &rings);
	dev_start(dev);
	call_numbered(CALLS);
	dev_stop(dev);
	check_sum(dev, 0, CALLS);
	check_sum(dev, 1, CALLS);
	stats = dev_stats(dev, 0);
	/* in the second half, a quarter of it */
	CHECK_EQ(stats.filtered, CALLS / 8);
	CHECK(has_room ? !stats.full : stats.full > CALLS / 2);
	CHECK_EQ(dev_stats(dev, 1).filtered, 0);
	CHECK(rings_drain(&rings));
	CHECK_EQ(rings.records[0], stats.recorded);
	CHECK_EQ(rings.records[1], dev_stats(dev, 1).recorded);
	CHECK_EQ(rings.errors, 0);
	rings_close(&rings);
	close(dev);
}

static void test_faults(void)
{
	/* neither equal nor unequal */
	static const struct tl_insn equal[] = {
		{ TL_OP_IMM, 0, 8 }, { TL_OP_DEREF, 8, 0 },
		{ TL_OP_TEST, BYTES(8) | TL_TEST_IF_TRUE | 2, 0 },
		REJECT, PUT_DI, END,
	};
	static const struct tl_insn unequal[] = {
		{ TL_OP_IMM, 0, 8 }, { TL_OP_DEREF, 8, 0 },
		{ TL_OP_TEST, BYTES(8) | TL_TEST_NOT | TL_TEST_IF_TRUE | 2, 0 },
		REJECT, PUT_DI, END,
	};
	static const struct tl_insn text[] = {
		{ TL_OP_IMM, 0, 8 }, { TL_OP_STRING, 16, 0 },
		{ TL_OP_MATCH, TL_TEST_NOT | TL_TEST_IF_TRUE | 3, 1 }, { TL_OP_DATA, 0, '*' },
		REJECT, PUT_DI, END,
	};
	uint64_t address = symbol("__x64_sys_getppid");
	int dev = dev_ready(0, 0);
	uint32_t id;

	dev_add(dev, TL_BACKEND_KPROBE, address, equal, ARRAY_SIZE(equal));
	dev_add(dev, TL_BACKEND_KPROBE, address, unequal, ARRAY_SIZE(unequal));
	dev_add(dev, TL_BACKEND_KPROBE, address, text, ARRAY_SIZE(text));
	for (id = 0; id < 3; id++)
		dev_enable(dev, id);
	dev_start(dev);
	call_numbered(100);
	dev_stop(dev);
	for (id = 0; id < 3; id++) {
		CHECK_EQ(dev_stats(dev, id).filtered, 100);
		CHECK_EQ(dev_stats(dev, id).faults, 0);
		check_sum(dev, id, 100);
	}
	close(dev);
}

/* All calls of a function that many threads could be in, one instance. */
static void test_returns(void)
{
	static const struct tl_insn insns[] = {
		{ TL_OP_RETVAL, 0, 0 },
		{ TL_OP_TEST, BYTES(4) | TL_TEST_SIGNED | TL_TEST_BELOW |
			      TL_TEST_IF_TRUE | 2, 0 },
		REJECT,
		{ TL_OP_CALLER, 0, 0 }, { TL_OP_PUT, 8, 0 }, END,
	};
	uint64_t address = symbol("__x64_sys_getppid");
	int dev = dev_ready(0, 0);
	struct tl_event_add add;

	CHECK_EQ(dev_try_add(dev, TL_BACKEND_KRETPROBE, address, 1, insns,
			     ARRAY_SIZE(insns), &add), 0);
	dev_enable(dev, add.id);
	dev_start(dev);
	call_numbered(5 * CALLS);
	dev_stop(dev);
	check_sum(dev, add.id, 5 * CALLS);
	CHECK_EQ(dev_stats(dev, add.id).filtered, 5 * CALLS);
	CHECK_EQ(dev_stats(dev, add.id).nmissed, 0);
	close(dev);
}

/* Before the start and after it the gate is closed: no filter is asked. */
static void test_gate(void)
{
	uint64_t address = symbol("__x64_sys_getppid");
	int dev = dev_ready(0, 0);
	struct tl_stats stats;

	dev_add(dev, TL_BACKEND_KPROBE, address, prog_most,
		ARRAY_SIZE(prog_most));
	dev_enable(dev, 0);
	call_numbered(100);
	dev_start(dev);
	call_numbered(100);
	dev_stop(dev);
	stats = dev_stats(dev, 0);
	CHECK_EQ(stats.not_running, 100);
	CHECK_EQ(stats.filtered, 0);
	CHECK_EQ(stats.recorded, 100);
	CHECK_EQ(stats.hits, 200);
	close(dev);
}

int main(void)
{
	pin(0);
	tap_case("with room: recorded or filtered");
	test_counts(65536, 64, true);
	tap_case("a tiny ring: recorded, lost or filtered");
	test_counts(4096, 2, false);
	tap_case("what cannot be read lets nothing through, and is no mark");
	test_faults();
	tap_case("a filtered return gives its instance back");
	test_returns();
	tap_case("no filter is asked before the start");
	test_gate();
	return tap_done();
}
