// SPDX-License-Identifier: GPL-2.0-only
/* Snapshots of a ring, and the packet for what was lost after the last one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ring_world.h"

static const struct world_config small = { .packet_shift = 8, .count_shift = 2 };
static const struct world_config lapping = {
	.packet_shift = 8, .count_shift = 2, .overwrite = true,
};

/* What interrupts at point @at, and how many points there are. */
static struct {
	void (*run)(void);
	u32 at;
	u32 passed;
} nested;

static void at_point(void)
{
	world_check_always();
	if (nested.passed++ == nested.at)
		nested.run();
}

/* Run @outer with @inner at its point @at. Returns whether it has that. */
static bool interrupted(void (*outer)(void), void (*inner)(void), u32 at)
{
	nested.run = inner;
	nested.at = at;
	nested.passed = 0;
	world.on_point = at_point;
	outer();
	world.on_point = NULL;
	world_check_quiet();
	return nested.passed > at;
}

static void write_packets(u32 count)
{
	while (count--)
		world_write_packet();
}

static void write_small(void)
{
	world_write(0);
}

static void write_one(void)
{
	world_write_packet();
}

static void write_lap(void)
{
	write_packets(5);
}

static void hold(void)
{
	world_hold();
}

static void take(void)
{
	world_take();
}

/* Packets from @first on, and then why there is none. */
static void check_read(u64 first, u32 packets, int why)
{
	while (packets--) {
		assert_int_equal(world_take(), 0);
		assert_int_equal(world.expect_seq, ++first);
	}
	assert_int_equal(world_take(), why);
}

static void test_hold_empty(void **state)
{
	(void)state;
	world_make(&lapping);
	assert_int_equal(world_hold(), 0);
	assert_false(world.ring.overwrite);
	check_read(0, 0, -ENODATA);
	/* what comes now is for later */
	write_one();
	world_flush();
	check_read(0, 0, -ENODATA);
	world_resume();
	check_read(0, 1, -EAGAIN);
	world_finish();
}

static void test_hold_open(void **state)
{
	(void)state;
	world_make(&lapping);
	world_write(0);
	assert_int_equal(world_hold(), 1);
	world_write(0);
	assert_int_equal(world_seq(), 1);
	check_read(0, 1, -ENODATA);
	assert_int_equal(world.last_records, 1);
	world_resume();
	assert_int_equal(world_take(), -EAGAIN);
	world_finish();
}

/* No packet is open: the limit is the packet that would come next. */
static void test_hold_border(void **state)
{
	(void)state;
	world_make(&lapping);
	world_write(0);
	world_flush();
	assert_int_equal(world_hold(), 1);
	assert_int_equal(world.ring.pos, 256);
	check_read(0, 1, -ENODATA);
	world_finish();
}

/* Round and round, then held: the last lap is there, and stays. */
static void test_hold_full(void **state)
{
	(void)state;
	world_make(&lapping);
	write_packets(11);
	assert_int_equal(world_hold(), 11);
	assert_int_equal(world_write_packet(), TL_FULL);
	assert_int_equal(world_take(), 0);
	assert_int_equal(world.skipped, 7);
	/* the place of what was read may be written, for later */
	assert_int_equal(world_write_packet(), TL_RECORDED);
	assert_int_equal(world_write_packet(), TL_FULL);
	check_read(8, 3, -ENODATA);
	assert_int_equal(world.skipped, 7);
	write_packets(3);
	assert_int_equal(world_write_packet(), TL_FULL);
	check_read(11, 0, -ENODATA);
	world_resume();
	/* it overwrites again, and nothing of that is an error */
	assert_int_equal(world_write_packet(), TL_RECORDED);
	write_packets(7);
	world_settle();
	assert_true(world.skipped > 7);
	world_laps(2);
	world_finish();
}

/* Ended before it was read, and begun anew: the limit is the new one. */
static void test_hold_again(void **state)
{
	(void)state;
	world_make(&lapping);
	write_packets(3);
	assert_int_equal(world_hold(), 3);
	check_read(0, 1, 0);
	world_resume();
	write_packets(2);
	assert_int_equal(world_hold(), 5);
	check_read(2, 3, -ENODATA);
	world_finish();
}

/* In a ring that does not overwrite it is a flush with a limit. */
static void test_hold_discard(void **state)
{
	(void)state;
	world_make(&small);
	world_write(0);
	assert_int_equal(world_hold(), 1);
	write_packets(2);
	check_read(0, 1, -ENODATA);
	world_resume();
	assert_false(world.ring.overwrite);
	check_read(1, 1, -EAGAIN);
	world_finish();
}

/*
 * A snapshot at each point of a writer for whom the oldest packet must go, or
 * @inner with a snapshot in it. Returns how many of the packets that were
 * there were lost, at all points together.
 */
static u64 sweep_writer(u32 packets, void (*inner)(void))
{
	u64 lost = 0;
	u32 at = 0;

	for (;; at++) {
		world_make(&lapping);
		write_packets(packets);
		if (!interrupted(write_one, inner, at))
			break;
		world_settle();
		/* nothing was read before: all else was skipped before */
		lost += world.skipped - world.kept_seq;
		assert_true(world.ring.overwrite);
		world_laps(2);
		world_finish();
	}
	assert_in_range(at, 10, 100);
	return lost;
}

static void hold_and_write(void)
{
	world_hold();
	write_packets(5);
}

static void write_and_hold(void)
{
	write_packets(5);
	world_hold();
}

/* The one that has decided to overwrite does it, once. */
static void test_hold_interrupts_writer(void **state)
{
	u32 packets;

	(void)state;
	for (packets = 0; packets < 10; packets++) {
		bool is_full = packets >= 4;

		assert_int_equal(sweep_writer(packets, hold), is_full);
		assert_int_equal(sweep_writer(packets, hold_and_write), is_full);
		assert_int_equal(sweep_writer(packets, write_and_hold), 0);
	}
}

/* Writers and takes at each point of it: what was there before stays. */
static void check_hold_interrupted(u32 packets, void (*inner)(void))
{
	u32 at = 0;

	for (;; at++) {
		world_make(&lapping);
		write_packets(packets);
		world_write(0);
		if (!interrupted(hold, inner, at))
			break;
		assert_false(world.ring.overwrite);
		assert_true(world.held_seq > packets);
		write_packets(5);
		world_settle();
		assert_int_equal(world.skipped, world.kept_seq);
		world_laps(2);
		world_finish();
	}
	/* after the flag, and in the flush */
	assert_in_range(at, 5, 20);
}

static void test_hold_interrupted(void **state)
{
	u32 packets;

	(void)state;
	for (packets = 0; packets < 10; packets++) {
		check_hold_interrupted(packets, write_small);
		check_hold_interrupted(packets, write_one);
		check_hold_interrupted(packets, write_lap);
		check_hold_interrupted(packets, take);
	}
}

static void hold_or_resume(void)
{
	if (world.held_seq == TL_SEQ_NONE)
		world_hold();
	else
		world_resume();
}

/* A snapshot that begins inside of a take ends where it says. */
static void test_hold_interrupts_take(void **state)
{
	u32 at = 0;

	(void)state;
	for (;; at++) {
		world_make(&lapping);
		write_packets(6);
		if (!interrupted(take, hold_or_resume, at))
			break;
		write_packets(9);
		assert_int_equal(world_drain(), -ENODATA);
		assert_int_equal(world.expect_seq, 6);
		assert_int_equal(world.skipped, 2);
		world_finish();
	}
	/* three looks, for two are jumps; the exchange; what was told */
	assert_int_equal(at, 5);
}

/* One that ends inside of a take: what comes after it may be taken. */
static void test_resume_interrupts_take(void **state)
{
	u32 at = 0;

	(void)state;
	for (;; at++) {
		world_make(&lapping);
		write_packets(2);
		world_hold();
		write_packets(2);
		check_read(0, 2, -ENODATA);
		if (!interrupted(take, hold_or_resume, at))
			break;
		world_settle();
		assert_int_equal(world.expect_seq, 4);
		assert_int_equal(world.skipped, 0);
		world_finish();
	}
	assert_int_equal(at, 1);
}

/* Overwriting ends and begins again at each point of a writer. */
static void resume(void)
{
	world_resume();
}

static void test_resume_interrupts_writer(void **state)
{
	u32 at = 0;

	(void)state;
	for (;; at++) {
		world_make(&lapping);
		write_packets(6);
		world_hold();
		if (!interrupted(write_one, resume, at))
			break;
		world_write_packet();
		world_settle();
		world_laps(2);
		world_finish();
	}
	assert_in_range(at, 5, 100);
}

/* Losses of each kind, before the last packet and after it. */
static void test_last_after_full(void **state)
{
	(void)state;
	world_make(&small);
	write_packets(4);
	world_flush();
	assert_int_equal(world_write_packet(), TL_FULL);
	assert_int_equal(world_write_packet(), TL_FULL);
	check_read(0, 4, -EAGAIN);
	assert_true(tl_ring_owes(&world.ring, &world.reader));
	assert_int_equal(world_take_last(), 0);
	assert_int_equal(world.expect_seq, 5);
	assert_int_equal(world.last_discarded, 2);
	assert_int_equal(world.last_end_ns, world.ring.max_ns);
	/* once */
	assert_false(tl_ring_owes(&world.ring, &world.reader));
	assert_int_equal(world_take_last(), -EAGAIN);
}

/* A ring in which there never was a packet. */
static void test_last_alone(void **state)
{
	(void)state;
	world_make(&small);
	assert_int_equal(world_take_last(), -EAGAIN);
	assert_int_equal(world_write(world_payload_max() + 1), TL_TOO_BIG);
	assert_int_equal(world_take(), -EAGAIN);
	assert_int_equal(world_take_last(), 0);
	assert_int_equal(world.expect_seq, 1);
	assert_int_equal(world.last_discarded, 1);
	assert_int_equal(world_take_last(), -EAGAIN);
}

/* What a packet tells of is not owed: losses only before the last one. */
static void test_last_not_owed(void **state)
{
	(void)state;
	world_make(&small);
	world_write(world_payload_max() + 1);
	world_write(0);
	world_flush();
	check_read(0, 1, -EAGAIN);
	assert_int_equal(world.last_discarded, 1);
	assert_false(tl_ring_owes(&world.ring, &world.reader));
	assert_int_equal(world_take_last(), -EAGAIN);
	/* one more after it, and only that one is new */
	world_write(world_payload_max() + 1);
	assert_int_equal(world_take_last(), 0);
	assert_int_equal(world.last_discarded, 2);
	assert_int_equal(world_take_last(), -EAGAIN);
}

static void test_last_overwriting(void **state)
{
	(void)state;
	world_make(&lapping);
	write_packets(9);
	world_write(world_payload_max() + 1);
	world_flush();
	world_write(world_payload_max() + 1);
	check_read(5, 4, -EAGAIN);
	assert_int_equal(world.skipped, 5);
	assert_int_equal(world.last_discarded, 1);
	assert_int_equal(world_take_last(), 0);
	assert_int_equal(world.skipped, 5);
	assert_int_equal(world.last_discarded, 2);
	assert_int_equal(world.expect_seq, 10);
	assert_int_equal(world_take_last(), -EAGAIN);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hold_empty),
		cmocka_unit_test(test_hold_open),
		cmocka_unit_test(test_hold_border),
		cmocka_unit_test(test_hold_full),
		cmocka_unit_test(test_hold_again),
		cmocka_unit_test(test_hold_discard),
		cmocka_unit_test(test_hold_interrupts_writer),
		cmocka_unit_test(test_hold_interrupted),
		cmocka_unit_test(test_hold_interrupts_take),
		cmocka_unit_test(test_resume_interrupts_take),
		cmocka_unit_test(test_resume_interrupts_writer),
		cmocka_unit_test(test_last_after_full),
		cmocka_unit_test(test_last_alone),
		cmocka_unit_test(test_last_not_owed),
		cmocka_unit_test(test_last_overwriting),
	};
	int failed;

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	failed = cmocka_run_group_tests_name("ring_snapshot", tests, NULL, NULL);
	world_free();
	return failed;
}
