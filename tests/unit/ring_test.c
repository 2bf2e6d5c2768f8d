// SPDX-License-Identifier: GPL-2.0-only
/* The ring, one context at a time; ring_nest_test.c nests them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ring_world.h"

static const struct world_config small = { .packet_shift = 8, .count_shift = 2 };
static const struct world_config tiny = { .packet_shift = 8, .count_shift = 1 };
static const struct world_config lapping = {
	.packet_shift = 8, .count_shift = 2, .overwrite = true,
};

static u32 short_bytes(u32 payload)
{
	return 8 + (payload + 7) / 8 * 8;
}

static void test_init(void **state)
{
	u32 i;

	(void)state;
	world_make(&small);
	assert_int_equal(world.ring.pos, 0);
	assert_int_equal(world.reader.spare, 4);
	for (i = 0; i < 4; i++) {
		assert_int_equal(tl_slot_state(world.slots[i].word), TL_SLOT_IDLE);
		assert_int_equal(tl_slot_buffer(world.slots[i].word), i);
		assert_int_equal(tl_slot_ahead(world.slots[i].word, i), -4);
	}
	world_check_quiet();
	world_laps(3);
}

/* Every pair of payloads: the second fits if it ends before the border. */
static void test_every_size_at_the_border(void **state)
{
	u32 first, second, expect;

	(void)state;
	for (first = 0; first <= 168; first++) {
		for (second = 0; second <= 168; second++) {
			world_make(&small);
			assert_int_equal(world_write(first),
					 first < 161 ? TL_RECORDED : TL_TOO_BIG);
			if (first >= 161)
				continue;
			assert_int_equal(world_offset(), 80 + short_bytes(first));
			expect = world_offset() + short_bytes(second);
			assert_int_equal(world_write(second),
					 second < 161 ? TL_RECORDED : TL_TOO_BIG);
			if (second >= 161)
				continue;
			if (expect < 256) {
				assert_int_equal(world_seq(), 0);
				assert_int_equal(world_offset(), expect);
			} else {
				assert_int_equal(world_seq(), 1);
				assert_int_equal(world_offset(),
						 80 + short_bytes(second));
			}
			world_settle();
		}
	}
}

/* The same the general way, which comes to the open packet only if overtaken. */
static void test_general_border(void **state)
{
	struct world_config config = small;
	u32 first, second;

	(void)state;
	config.general = true;
	for (first = 0; first <= 160; first += 8) {
		for (second = 0; second <= 160; second += 8) {
			world_make(&config);
			world_write(first);
			world_write(second);
			assert_int_equal(world_seq(), 96 + first + second < 256 ? 0 : 1);
			world_settle();
		}
	}
}

static void test_one_delivery_a_lap(void **state)
{
	u32 i, payload = 1;

	(void)state;
	world_make(&small);
	for (i = 0; i < 5000; i++) {
		payload = payload * 75 % 65537;
		assert_int_equal(world_write(payload % 161), TL_RECORDED);
		assert_int_equal(world.delivered, world_seq());
		if (i % 3 == 0)
			world_drain();
		world_check_quiet();
	}
	world_settle();
}

static void check_full(const struct world_config *config)
{
	u32 count = 1u << config->count_shift;
	u64 pos;
	u32 i;

	world_make(config);
	for (i = 0; i < count; i++)
		assert_int_equal(world_write(100), TL_RECORDED);
	pos = world.ring.pos;
	for (i = 0; i < 3; i++)
		assert_int_equal(world_write(100), TL_FULL);
	assert_int_equal(world.ring.pos, pos);
	assert_int_equal(world.ring.lost, 3);
	/* a smaller one still fits into the open packet */
	assert_int_equal(world_write(8), TL_RECORDED);
	assert_int_equal(world.ring.pos, pos + 16);
	assert_int_equal(world_write(100), TL_FULL);
	/* one packet read is one packet to write */
	assert_int_equal(world_take(), 0);
	assert_int_equal(world_write(100), TL_RECORDED);
	assert_int_equal(world_write(100), TL_FULL);
	world_settle();
	world_laps(2);
}

static void test_full(void **state)
{
	(void)state;
	check_full(&tiny);
	check_full(&small);
}

/* Full with all packets closed: nothing is open, pos is on a border. */
static void test_full_after_flush(void **state)
{
	u32 i;

	(void)state;
	world_make(&tiny);
	for (i = 0; i < 2; i++) {
		world_write(0);
		assert_true(world_flush());
	}
	assert_int_equal(world_write(0), TL_FULL);
	assert_int_equal(world.ring.pos, 512);
	assert_false(world_flush());
	assert_int_equal(world_take(), 0);
	assert_int_equal(world_write(0), TL_RECORDED);
	world_settle();
	world_laps(2);
}

static void check_too_big(u32 most)
{
	u64 pos = world.ring.pos;

	assert_int_equal(world_write(most + 1), TL_TOO_BIG);
	assert_int_equal(world_write(world_extended_id(most - 15)), TL_TOO_BIG);
	assert_int_equal(world.ring.pos, pos);
	world_check_quiet();
}

static void test_too_big(void **state)
{
	u32 most;

	(void)state;
	world_make(&small);
	most = world_payload_max();
	check_too_big(most);
	assert_int_equal(world_write(most), TL_RECORDED);
	check_too_big(most);
	assert_int_equal(world_write(world_extended_id(most - 16)), TL_RECORDED);
	check_too_big(most);
	world_settle();
	assert_int_equal(world.ring.lost, 6);
	world_laps(2);
}

static void test_flush(void **state)
{
	(void)state;
	world_make(&small);
	assert_false(world_flush());
	assert_int_equal(world.ring.pos, 0);
	world_write(24);
	assert_true(world_flush());
	assert_int_equal(world.ring.pos, 256);
	assert_false(world_flush());
	assert_int_equal(world_take(), 0);
	assert_int_equal(world.last_content_bytes, 80 + 32);
	assert_int_equal(world_take(), -EAGAIN);
	/* the flushed packet's successor starts as any other one */
	world_write(0);
	assert_int_equal(world.ring.pos, 256 + 88);
	world_settle();
	assert_int_equal(world.expect_seq, 2);
}

/* Nested writers go round while an outer one has not committed. */
static void check_wrapped(const struct world_config *config)
{
	u32 count = 1u << config->count_shift;
	struct tl_slice slice;
	u32 index, i;
	u64 pos;

	world_make(config);
	assert_int_equal(world_reserve(8, &slice, &index), TL_RECORDED);
	for (i = 1; i < count; i++)
		assert_int_equal(world_write_packet(), TL_RECORDED);
	pos = world.ring.pos;
	assert_int_equal(world_write_packet(), TL_WRAPPED);
	assert_int_equal(world_write_packet(), TL_WRAPPED);
	assert_int_equal(world.ring.pos, pos);
	assert_int_equal(world_take(), -EAGAIN);
	world_store(&slice, index);
	tl_ring_commit(&world.ring, &slice);
	world_check_quiet();
	assert_int_equal(world_write_packet(),
			 config->overwrite ? TL_RECORDED : TL_FULL);
	world_settle();
	world_laps(3);
}

static void test_wrapped(void **state)
{
	struct world_config config = tiny;

	(void)state;
	check_wrapped(&small);
	check_wrapped(&lapping);
	check_wrapped(&config);
	config.overwrite = true;
	check_wrapped(&config);
}

/* Commits in any order: whoever is the last delivers. */
static void test_last_commit_delivers(void **state)
{
	static const u8 orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
					 { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	struct tl_slice slices[3];
	u32 index[3];
	u32 order, i;

	(void)state;
	for (order = 0; order < 6; order++) {
		world_make(&small);
		for (i = 0; i < 3; i++)
			world_reserve(8 * i, &slices[i], &index[i]);
		world_flush();
		for (i = 0; i < 3; i++) {
			u32 which = orders[order][i];

			assert_int_equal(world.delivered, 0);
			world_store(&slices[which], index[which]);
			tl_ring_commit(&world.ring, &slices[which]);
		}
		assert_int_equal(world.delivered, 1);
		world_settle();
	}
}

/* Where the slot word's sequence wraps, and where its sign changes. */
static void test_sequence_wraps(void **state)
{
	static const u8 bits[] = { 32, 45, 46 };
	u32 i, n;

	(void)state;
	for (i = 0; i < 2 * sizeof(bits); i++) {
		world_make(i % 2 ? &lapping : &small);
		world_jump((1ull << bits[i / 2]) - 8);
		for (n = 0; n < 20; n++) {
			assert_int_equal(world_write_packet(), TL_RECORDED);
			assert_int_equal(world_write(0), TL_RECORDED);
			if (n % 6 < 4 || !(i % 2))
				world_drain();
			world_check_quiet();
		}
		world_settle();
		world_laps(2);
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_every_size_at_the_border),
		cmocka_unit_test(test_general_border),
		cmocka_unit_test(test_one_delivery_a_lap),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_full_after_flush),
		cmocka_unit_test(test_too_big),
		cmocka_unit_test(test_flush),
		cmocka_unit_test(test_wrapped),
		cmocka_unit_test(test_last_commit_delivers),
		cmocka_unit_test(test_sequence_wraps),
	};
	int failed;

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	failed = cmocka_run_group_tests_name("ring", tests, NULL, NULL);
	world_free();
	return failed;
}
