// SPDX-License-Identifier: GPL-2.0-only
/* The ring from the reader's side: taking, jumping, what is ready. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ring_world.h"

static const struct world_config small = { .packet_shift = 8, .count_shift = 2 };
static const struct world_config lapping = {
	.packet_shift = 8, .count_shift = 2, .overwrite = true,
};

static void test_take(void **state)
{
	u32 i;

	(void)state;
	world_make(&small);
	assert_int_equal(world_take(), -EAGAIN);
	world_write(0);
	assert_int_equal(world_take(), -EAGAIN);
	for (i = 0; i < 3; i++)
		world_write_packet();
	for (i = 0; i < 3; i++) {
		assert_int_equal(world_take(), 0);
		assert_int_equal(world.expect_seq, i + 1);
	}
	assert_int_equal(world_take(), -EAGAIN);
	world_settle();
}

/* Any number of packets unread: the N - 1 before the open one are left. */
static void test_overwrite_jumps(void **state)
{
	u32 written, again;

	(void)state;
	for (written = 1; written < 14; written++) {
		for (again = 1; again < 14; again++) {
			world_make(&lapping);
			for (u32 i = 0; i < written; i++)
				assert_int_equal(world_write_packet(), TL_RECORDED);
			assert_int_equal(world_take(),
					 written > 1 ? 0 : -EAGAIN);
			assert_int_equal(world.skipped,
					 written > 4 ? written - 4 : 0);
			for (u32 i = 0; i < again; i++)
				assert_int_equal(world_write_packet(), TL_RECORDED);
			world_settle();
			assert_int_equal(world.expect_seq, written + again);
			assert_int_equal(world.ring.lost, 0);
			world_laps(2);
		}
	}
}

static void test_overwrite_never_full(void **state)
{
	u32 i;

	(void)state;
	world_make(&lapping);
	for (i = 0; i < 1000; i++)
		assert_int_equal(world_write(i % 161), TL_RECORDED);
	world_settle();
	assert_true(world.skipped > 100);
}

/* The oldest that is left is not complete yet: what was skipped is not lost. */
static void test_skipped_survives_again(void **state)
{
	struct world_config config = lapping;
	struct tl_slice slice;
	u32 index;

	(void)state;
	config.count_shift = 1;
	world_make(&config);
	world_write_packet();
	assert_int_equal(world_reserve(world_payload_max(), &slice, &index),
			 TL_RECORDED);
	world_write_packet();
	assert_int_equal(world_take(), -EAGAIN);
	world_store(&slice, index);
	tl_ring_commit(&world.ring, &slice);
	assert_int_equal(world_take(), 0);
	assert_int_equal(world.skipped, 1);
	world_settle();
}

static void test_ready(void **state)
{
	(void)state;
	world_make(&small);
	assert_false(tl_ring_ready(&world.ring, 0, 1));
	world_write(0);
	assert_false(tl_ring_ready(&world.ring, 0, 1));
	assert_false(tl_ring_closing(&world.ring, 0));
	world_flush();
	assert_true(tl_ring_ready(&world.ring, 0, 1));
	assert_false(tl_ring_ready(&world.ring, 0, 2));
	world_write_packet();
	world_write_packet();
	world_write_packet();
	assert_true(tl_ring_ready(&world.ring, 0, 3));
	assert_false(tl_ring_ready(&world.ring, 0, 4));
	world_flush();
	assert_true(tl_ring_ready(&world.ring, 0, 4));
	world_drain();
	assert_false(tl_ring_ready(&world.ring, 4, 1));
	assert_false(tl_ring_closing(&world.ring, 4));
	world_settle();
}

/*
 * What another thread in poll() is told inside of a take. @at is the point at
 * which a writer fills a packet; after that a reader that has not stored its
 * next packet may be told too much, which only costs a look, but never too
 * little, which costs a wake-up.
 */
static struct {
	u32 at;
	u32 passed;
} watched;

static void check_ready(void)
{
	bool is_exact = watched.passed < watched.at;
	u32 full = 0;
	u32 i;

	if (watched.passed++ == watched.at) {
		world.on_point = NULL;
		world_write_packet();
		world.on_point = check_ready;
	}
	for (i = 0; i < 4; i++)
		full += tl_slot_state(world.slots[i].word) == TL_SLOT_FULL;
	for (i = 1; i <= 4; i++) {
		bool is_ready = tl_ring_ready(&world.ring,
					      world.reader.next_seq, i);

		if (i <= full || is_exact)
			assert_int_equal(is_ready, i <= full);
	}
}

static void test_ready_inside_take(void **state)
{
	u32 packets, i;

	(void)state;
	for (packets = 0; packets < 4; packets++) {
		for (watched.at = 0; watched.at < 5; watched.at++) {
			world_make(&small);
			for (i = 0; i < packets; i++)
				world_write_packet();
			world_write(0);
			if (packets)
				world_flush();
			watched.passed = 0;
			world.on_point = check_ready;
			assert_int_equal(world_take(), packets ? 0 : -EAGAIN);
			world.on_point = NULL;
			/* the look, the exchange, what was told */
			assert_int_equal(watched.passed, packets ? 3 : 1);
			world_settle();
		}
	}
}

/* A slot that is ahead: overwritten, and taking will jump. */
static void test_ready_when_overwritten(void **state)
{
	u32 i;

	(void)state;
	world_make(&lapping);
	for (i = 0; i < 5; i++)
		world_write_packet();
	assert_true(tl_ring_ready(&world.ring, 0, 1));
	assert_true(tl_ring_ready(&world.ring, 0, 4));
	world_settle();
}

static void test_closing(void **state)
{
	struct tl_slice slice;
	u32 index;

	(void)state;
	world_make(&small);
	assert_int_equal(world_reserve(24, &slice, &index), TL_RECORDED);
	assert_false(tl_ring_closing(&world.ring, 0));
	assert_true(world_flush());
	assert_int_equal(world.delivered, 0);
	assert_true(tl_ring_closing(&world.ring, 0));
	assert_false(tl_ring_ready(&world.ring, 0, 1));
	assert_int_equal(world_take(), -EAGAIN);
	world_store(&slice, index);
	tl_ring_commit(&world.ring, &slice);
	assert_int_equal(world.delivered, 1);
	assert_true(tl_ring_ready(&world.ring, 0, 1));
	assert_int_equal(world_take(), 0);
	assert_false(tl_ring_closing(&world.ring, 1));
	world_settle();
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_take),
		cmocka_unit_test(test_overwrite_jumps),
		cmocka_unit_test(test_overwrite_never_full),
		cmocka_unit_test(test_skipped_survives_again),
		cmocka_unit_test(test_ready),
		cmocka_unit_test(test_ready_inside_take),
		cmocka_unit_test(test_ready_when_overwritten),
		cmocka_unit_test(test_closing),
	};
	int failed;

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	failed = cmocka_run_group_tests_name("ring_reader", tests, NULL, NULL);
	world_free();
	return failed;
}
