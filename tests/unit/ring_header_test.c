// SPDX-License-Identifier: GPL-2.0-only
/* What the ring writes: times, the two record headers, packet headers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ring_world.h"

#define GAP (1ull << TL_RECORD_TIME_BITS)

static const struct world_config small = { .packet_shift = 8, .count_shift = 2 };
static const struct world_config tiny = { .packet_shift = 8, .count_shift = 1 };
static const struct world_config page = { .packet_shift = 12, .count_shift = 1 };
static const struct world_config large = { .packet_shift = 14, .count_shift = 1 };

/* What is behind the last record counts as padding, and as nothing else. */
static void test_padding(void **state)
{
	(void)state;
	world_make(&small);
	world_write(0);
	world_write(8);
	assert_int_equal(world_offset(), 80 + 8 + 16);
	assert_int_equal(world.slots[0].committed, 104);
	world_write_packet();
	assert_int_equal(world.slots[0].committed, 256);
	assert_int_equal(world.slots[1].committed, 248);
	assert_int_equal(world_take(), 0);
	assert_int_equal(world.last_content_bytes, 104);
	assert_int_equal(world.last_records, 2);
	world_settle();
	assert_int_equal(world.last_content_bytes, 248);
}

static void test_lost_in_headers(void **state)
{
	u32 i;

	(void)state;
	world_make(&tiny);
	world_write(100);
	world_write(100);
	for (i = 0; i < 5; i++)
		assert_int_equal(world_write(100), TL_FULL);
	assert_int_equal(world_take(), 0);
	assert_int_equal(world.last_discarded, 0);
	assert_int_equal(world_write(161), TL_TOO_BIG);
	assert_int_equal(world_write(100), TL_RECORDED);
	assert_int_equal(world_take(), 0);
	assert_int_equal(world.last_discarded, 6);
	assert_int_equal(world_write(100), TL_RECORDED);
	assert_int_equal(world_write(100), TL_FULL);
	assert_int_equal(world_take(), 0);
	assert_int_equal(world.last_discarded, 6);
	world_settle();
	assert_int_equal(world.last_discarded, 7);
}

static struct world_entry *write_after(u64 gap_ns)
{
	world.clock_ns += gap_ns - 3;
	assert_int_equal(world_write(0), TL_RECORDED);
	return &world.log[world.logged - 1];
}

static void test_gaps(void **state)
{
	(void)state;
	world_make(&page);
	assert_false(write_after(5)->extended);
	assert_false(write_after(GAP - 1)->extended);
	assert_true(write_after(GAP)->extended);
	assert_false(write_after(10)->extended);
	assert_true(write_after(GAP + 1)->extended);
	assert_true(write_after(40 * GAP + 7)->extended);
	assert_false(write_after(GAP - 1)->extended);
	assert_false(write_after(GAP - 1)->extended);
	world_settle();
}

/* A packet begins at its first record's time, however long nothing happened. */
static void test_gap_before_new_packet(void **state)
{
	(void)state;
	world_make(&small);
	assert_false(write_after(100 * GAP)->extended);
	world_flush();
	assert_false(write_after(GAP)->extended);
	world_write_packet();
	world.clock_ns += 3 * GAP;
	assert_int_equal(world_write_packet(), TL_RECORDED);
	assert_false(world.log[world.logged - 1].extended);
	world_settle();
}

/* 24 bytes where 8 were expected: the border moves with the gap. */
static void test_gap_at_the_border(void **state)
{
	u32 first;

	(void)state;
	for (first = 0; first <= 160; first += 8) {
		u32 end = 80 + 8 + first;

		world_make(&small);
		world_write(first);
		write_after(GAP);
		if (end + 24 < 256) {
			assert_true(world.log[1].extended);
			assert_int_equal(world.ring.pos, end + 24);
		} else {
			assert_false(world.log[1].extended);
			assert_int_equal(world.ring.pos, 256 + 88);
		}
		world_settle();
	}
}

static void test_extended_ids(void **state)
{
	(void)state;
	world_make(&page);
	world_write(TL_EVENT_EXTENDED - 1);
	assert_false(world.log[0].extended);
	world_write(TL_EVENT_EXTENDED);
	assert_true(world.log[1].extended);
	world_write(TL_EVENT_EXTENDED + 1);
	world_write(0);
	assert_false(world.log[3].extended);
	world_flush();
	/* the first of a packet, too */
	world_write(TL_EVENT_EXTENDED);
	assert_true(world.log[4].extended);
	assert_int_equal(world_offset(), 80 + 24);
	world_settle();
}

static void test_clock_steps_back(void **state)
{
	u64 last = 0;
	u32 i;

	(void)state;
	world_make(&small);
	for (i = 0; i < 400; i++) {
		world.clock_step_ns = i % 7 < 3 ? -5 : 4;
		world_write(i % 40);
		assert_true(world.log[i].time_ns >= last);
		assert_false(world.log[i].extended);
		last = world.log[i].time_ns;
		world_drain();
	}
	world_settle();
}

static void test_content_and_packet_bits(void **state)
{
	u32 payload;

	(void)state;
	/* the world's reader compares both with what it has decoded */
	for (payload = 3980; payload <= 4030; payload++) {
		world_make(&large);
		assert_int_equal(world_write(world_extended_id(payload)),
				 TL_RECORDED);
		world_settle();
		assert_int_equal(world.last_content_bytes,
				 80 + 24 + (payload + 7) / 8 * 8);
	}
	world_make(&large);
	while (world_seq() == 0)
		world_write(1000);
	assert_int_equal(world_take(), 0);
	assert_true(world.last_content_bytes > 15000);
	world_settle();
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_lost_in_headers),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_gap_before_new_packet),
		cmocka_unit_test(test_gap_at_the_border),
		cmocka_unit_test(test_extended_ids),
		cmocka_unit_test(test_clock_steps_back),
		cmocka_unit_test(test_content_and_packet_bits),
	};
	int failed;

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	failed = cmocka_run_group_tests_name("ring_header", tests, NULL, NULL);
	world_free();
	return failed;
}
