// SPDX-License-Identifier: GPL-2.0-only
/* The merge of rings: order, what holds the stream back, losses, the end. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "merge_world.h"

static void order_over_rings_ties_by_cpu(void **state)
{
	(void)state;
	packet(2, 0, 0, TIMES(10, 30, 30, 40));
	packet(0, 0, 0, TIMES(20, 30, 50));
	packet(1, 0, 0, TIMES(5, 5));
	packet(1, 1, 0, TIMES(10, 35, 36));
	flush(100);
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_int_equal(merging.seen_count, 8);
	seen_is(0, 'r', 5, 1);
	seen_is(1, 'r', 10, 1);
	seen_is(2, 'r', 10, 2);
	seen_is(3, 'r', 20, 0);
	seen_is(4, 'r', 30, 0);
	seen_is(5, 'r', 30, 2);
	seen_is(6, 'r', 30, 2);
	seen_is(7, 'r', 35, 1);
}

static void nothing_newer_than_the_flush(void **state)
{
	(void)state;
	packet(0, 0, 0, TIMES(10, 20, 30, 30));
	flush(20);
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_int_equal(merging.seen_count, 1);
	flush(30);
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_int_equal(merging.seen_count, 2);
	flush(31);
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_int_equal(merging.seen_count, 3);
}

/* One session stopped, the other not: the flush of the other is the limit. */
static void oldest_flush_is_the_limit(void **state)
{
	(void)state;
	packet(0, 0, 0, TIMES(10, 20, 30));
	answer(0, MERGE_END);
	flush(15);
	merging.rings[0].input.flush_ns = UINT64_MAX;
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_int_equal(merging.seen_count, 1);
	flush(UINT64_MAX);
	answer_from(1, MERGE_END);
	assert_int_equal(merge_run(&merging.merge), 1);
	assert_int_equal(merging.seen_count, 2);
}

static void closing_packet_is_waited_for(void **state)
{
	(void)state;
	answer(0, MERGE_CLOSING);
	packet(0, 0, 0, TIMES(5, 15));
	packet(1, 0, 0, TIMES(10, 20));
	flush(100);
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_true(merging.merge.closing);
	assert_int_equal(merging.seen_count, 0);
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_false(merging.merge.closing);
	assert_int_equal(merging.seen_count, 2);
	seen_is(0, 'r', 5, 0);
	seen_is(1, 'r', 10, 1);
}

/* What was read before lets the stream go on as far as it is known. */
static void closing_holds_only_what_is_newer(void **state)
{
	(void)state;
	packet(0, 0, 0, TIMES(5, 15));
	answer(0, MERGE_CLOSING);
	packet(1, 0, 0, TIMES(10, 14, 16, 20));
	flush(100);
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_int_equal(merging.seen_count, 3);
	seen_is(2, 'r', 14, 1);
}

static void losses_come_before_their_packet(void **state)
{
	(void)state;
	packet(0, 0, 0, TIMES(10, 11));
	packet(0, 1, 7, TIMES(20, 21));
	packet(0, 2, 7, TIMES(30, 31));
	packet(0, 3, 9, TIMES(40, 40))->skipped = 0;
	packet(0, 7, 9, TIMES(50, 51))->skipped = 3;
	packet(1, 0, 0, TIMES(20, 25, 45, 46));
	flush(100);
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_int_equal(merging.seen_count, 11);
	seen_is(0, 'r', 10, 0);
	seen_is(1, 'l', 20, 0);
	assert_int_equal(merging.seen[1].records, 7);
	seen_is(2, 'r', 20, 0);
	seen_is(3, 'r', 20, 1);
	seen_is(4, 'r', 25, 1);
	seen_is(5, 'r', 30, 0);
	seen_is(6, 'l', 40, 0);
	assert_int_equal(merging.seen[6].records, 2);
	seen_is(7, 'r', 40, 0);
	/* packets are missing from where the last one ended */
	seen_is(8, 'l', 40, 0);
	assert_int_equal(merging.seen[8].records, 0);
	assert_int_equal(merging.seen[8].packets, 3);
	seen_is(9, 'r', 45, 1);
}

/* A packet without records that only tells of a loss, as the last one can. */
static void loss_without_records(void **state)
{
	(void)state;
	packet(0, 0, 4, TIMES(10));
	answer_from(0, MERGE_END);
	flush(UINT64_MAX);
	assert_int_equal(merge_run(&merging.merge), 1);
	assert_int_equal(merging.seen_count, 1);
	seen_is(0, 'l', 10, 0);
	assert_int_equal(merging.seen[0].records, 4);
}

/* A last packet that tells of what was lost after the one before. */
static void losses_after_the_last_packet(void **state)
{
	(void)state;
	packet(0, 0, 4, TIMES(10, 20));
	packet(0, 1, 9, TIMES(20));
	packet(1, 0, 2, TIMES(5));
	answer_from(0, MERGE_END);
	flush(UINT64_MAX);
	assert_int_equal(merge_run(&merging.merge), 1);
	assert_int_equal(merging.seen_count, 4);
	seen_is(0, 'l', 5, 1);
	assert_int_equal(merging.seen[0].records, 2);
	seen_is(1, 'l', 10, 0);
	assert_int_equal(merging.seen[1].records, 4);
	seen_is(2, 'r', 10, 0);
	seen_is(3, 'l', 20, 0);
	assert_int_equal(merging.seen[3].records, 5);
	assert_int_equal(merge_run(&merging.merge), 1);
	assert_int_equal(merging.seen_count, 4);
}

/* Up to the end of a snapshot all is delivered, whatever its time. */
static void snapshot_is_delivered_to_its_end(void **state)
{
	(void)state;
	packet(0, 0, 0, TIMES(10, 500));
	packet(1, 0, 0, TIMES(20, 400, 400));
	answer_from(0, MERGE_SNAPSHOT);
	flush(UINT64_MAX);
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_int_equal(merging.seen_count, 3);
	seen_is(0, 'r', 10, 0);
	seen_is(1, 'r', 20, 1);
	seen_is(2, 'r', 400, 1);
	/* the next round knows its limit again */
	packet(0, 1, 0, TIMES(510, 520));
	packet(1, 1, 0, TIMES(505, 515, 520));
	flush(512);
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_int_equal(merging.seen_count, 5);
	seen_is(3, 'r', 505, 1);
	seen_is(4, 'r', 510, 0);
}

/* A packet that awaits its writer holds up the snapshot, and says so. */
static void snapshot_waits_for_a_closing_packet(void **state)
{
	(void)state;
	answer(0, MERGE_CLOSING);
	packet(0, 0, 0, TIMES(10, 20));
	packet(1, 0, 0, TIMES(15, 20));
	answer_from(0, MERGE_SNAPSHOT);
	flush(UINT64_MAX);
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_true(merging.merge.closing);
	assert_int_equal(merging.seen_count, 0);
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_false(merging.merge.closing);
	assert_int_equal(merging.seen_count, 2);
	seen_is(0, 'r', 10, 0);
}

static void damaged_packets_are_losses(void **state)
{
	struct answer *slot;

	(void)state;
	slot = packet(0, 0, 0, TIMES(10, 20, 30, 40));
	/* the second record's number: no such event */
	slot->packet->bytes[sizeof(struct tl_packet_header) + 8] = 5;
	slot = packet(0, 1, 0, TIMES(50, 60));
	slot->packet->bytes[0] ^= 1;
	slot = packet(0, 2, 0, TIMES(70, 80));
	slot->packet->bytes[offsetof(struct tl_packet_header, uuid)] ^= 1;
	packet(0, 3, 0, TIMES(90, 95));
	flush(100);
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_int_equal(merging.seen_count, 5);
	seen_is(0, 'r', 10, 0);
	seen_is(1, 'l', 10, 0);
	assert_int_equal(merging.seen[1].packets, 1);
	seen_is(2, 'l', 40, 0);
	seen_is(3, 'l', 40, 0);
	seen_is(4, 'r', 90, 0);
}

static void failing_sink_sees_no_record_twice(void **state)
{
	(void)state;
	packet(0, 0, 0, TIMES(10, 20, 30));
	flush(100);
	merging.sink_result = -EPIPE;
	assert_int_equal(merge_run(&merging.merge), -EPIPE);
	assert_int_equal(merging.seen_count, 1);
	merging.sink_result = 0;
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_int_equal(merging.seen_count, 2);
	seen_is(1, 'r', 20, 0);
}

static void failing_ring_is_told(void **state)
{
	(void)state;
	packet(0, 0, 0, TIMES(10, 20));
	answer(0, -EIO);
	packet(0, 1, 0, TIMES(30, 40));
	flush(100);
	assert_int_equal(merge_run(&merging.merge), -EIO);
	assert_int_equal(merge_run(&merging.merge), 0);
	assert_int_equal(merging.seen_count, 2);
}

static unsigned int random_state = 1;

static unsigned int random_number(unsigned int limit)
{
	random_state = random_state * 1103515245 + 12345;
	return (random_state >> 16) % limit;
}

/*
 * Random packets, CLOSING in between, and flushes that grow: all records come,
 * in order, none before its time is known.
 */
static void random_streams_are_in_order(void **state)
{
	uint64_t now[RINGS] = { 0 }, total = 0, flush_ns;
	uint64_t sequence[RINGS] = { 0 };
	unsigned int step;
	size_t j;

	(void)state;
	for (step = 0; step < 300; step++) {
		uint64_t times[17];
		size_t count = 1 + random_number(16);
		unsigned int ring = random_number(RINGS);

		if (merging.rings[ring].count >= ANSWERS - 2)
			continue;
		if (!random_number(4))
			answer(ring, MERGE_CLOSING);
		for (j = 0; j < count; j++)
			times[j] = now[ring] += random_number(20);
		packet(ring, sequence[ring]++, 0, times, count);
		total += count - 1;
	}
	answer_from(0, MERGE_END);
	for (flush_ns = 0; flush_ns < 3000; flush_ns += 17) {
		flush(flush_ns);
		assert_true(merge_run(&merging.merge) >= 0);
		if (merging.seen_count)
			assert_true(merging.seen[merging.seen_count - 1].time_ns < flush_ns);
	}
	flush(UINT64_MAX);
	for (step = 0; step < 100 && merge_run(&merging.merge) != 1; step++)
		;
	assert_int_equal(merge_run(&merging.merge), 1);
	assert_int_equal(merging.seen_count, total);
	for (j = 1; j < merging.seen_count; j++)
		assert_true(merging.seen[j].time_ns > merging.seen[j - 1].time_ns ||
			    (merging.seen[j].time_ns == merging.seen[j - 1].time_ns &&
			     merging.seen[j].cpu >= merging.seen[j - 1].cpu));
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(order_over_rings_ties_by_cpu),
		TEST(nothing_newer_than_the_flush),
		TEST(oldest_flush_is_the_limit),
		TEST(closing_packet_is_waited_for),
		TEST(closing_holds_only_what_is_newer),
		TEST(losses_come_before_their_packet),
		TEST(loss_without_records),
		TEST(losses_after_the_last_packet),
		TEST(snapshot_is_delivered_to_its_end),
		TEST(snapshot_waits_for_a_closing_packet),
		TEST(damaged_packets_are_losses),
		TEST(failing_sink_sees_no_record_twice),
		TEST(failing_ring_is_told),
		TEST(random_streams_are_in_order),
	};

	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
