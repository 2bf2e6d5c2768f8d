// SPDX-License-Identifier: GPL-2.0-only
/* The merge of rings: order, what holds the stream back, losses, the end. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../userspace/lib/merge.h"
#include "packet_build.h"

#define RINGS 9
#define ANSWERS 64
#define SEEN 4096

/* What a ring answers, one after the other; EMPTY when the list is used up. */
struct answer {
	int state;
	struct build *packet;
	size_t size;
	uint64_t sequence;
	uint64_t skipped;
	uint64_t discarded;
};

struct fake {
	struct merge_input input; /* first */
	struct answer answers[ANSWERS];
	size_t count;
	size_t next;
};

struct seen {
	char kind; /* r: record, l: loss */
	uint64_t time_ns;
	unsigned int cpu;
	uint64_t records;
	uint64_t packets;
};

static struct trapline_event event = {
	.name = (char *)"e", .backend = TL_BACKEND_KPROBE, .id = 0,
};

static struct decode_events table;
static struct fake rings[RINGS];
static struct merge merge;
static struct seen seen[SEEN];
static size_t seen_count;
static int sink_result;

static int fake_get(struct merge_input *input, struct merge_packet *packet)
{
	struct fake *fake = (struct fake *)input;
	struct answer *answer;

	if (fake->next == fake->count)
		return MERGE_EMPTY;
	answer = &fake->answers[fake->next];
	/* the end is for good */
	if (answer->state != MERGE_END)
		fake->next++;
	packet->discarded = answer->discarded;
	if (answer->state == MERGE_PACKET) {
		packet->bytes = answer->packet->bytes;
		packet->size = answer->size;
		packet->sequence = answer->sequence;
		packet->skipped = answer->skipped;
	}
	return answer->state;
}

static int see_record(const struct trapline_record *record, void *data)
{
	(void)data;
	assert_true(seen_count < SEEN);
	seen[seen_count++] = (struct seen){
		.kind = 'r', .time_ns = record->time_ns, .cpu = record->cpu,
	};
	return sink_result;
}

static int see_loss(const struct trapline_loss *loss, void *data)
{
	(void)data;
	assert_true(seen_count < SEEN);
	seen[seen_count++] = (struct seen){
		.kind = 'l', .time_ns = loss->time_ns, .cpu = loss->cpu,
		.records = loss->records, .packets = loss->packets,
	};
	return 0;
}

static const struct trapline_sink sink = {
	.size = sizeof(sink),
	.record = see_record,
	.loss = see_loss,
};

static int set_up(void **state)
{
	unsigned int i;

	(void)state;
	memset(rings, 0, sizeof(rings));
	memset(&merge, 0, sizeof(merge));
	seen_count = 0;
	sink_result = 0;
	if (decode_events_add(&table, &event) || merge_reserve(&merge, RINGS))
		return -1;
	for (i = 0; i < RINGS; i++) {
		rings[i].input.get = fake_get;
		rings[i].input.events = &table;
		rings[i].input.sink = &sink;
		rings[i].input.cpu = i;
		memset(rings[i].input.uuid, 0x5a, 16);
	}
	/* not in the order of their CPUs, which must be told apart from it */
	while (i--)
		merge_add(&merge, &rings[i].input);
	return 0;
}

static int tear_down(void **state)
{
	unsigned int i;
	size_t j;

	(void)state;
	for (i = 0; i < RINGS; i++)
		for (j = 0; j < rings[i].count; j++)
			free(rings[i].answers[j].packet);
	merge_free(&merge);
	decode_events_free(&table);
	return 0;
}

static void flush(uint64_t time_ns)
{
	unsigned int i;

	for (i = 0; i < RINGS; i++)
		rings[i].input.flush_ns = time_ns;
}

static void answer(unsigned int ring, int state)
{
	rings[ring].answers[rings[ring].count++].state = state;
}

/* All rings from this one on are at their end. */
static void end_from(unsigned int ring)
{
	for (; ring < RINGS; ring++)
		answer(ring, MERGE_END);
}

/* A packet with records at the times; the last one is where it was closed. */
static struct answer *packet(unsigned int ring, uint64_t sequence,
			     uint64_t discarded, const uint64_t *times,
			     size_t count)
{
	struct answer *slot = &rings[ring].answers[rings[ring].count++];
	size_t i;

	slot->state = MERGE_PACKET;
	slot->packet = malloc(sizeof(*slot->packet));
	assert_non_null(slot->packet);
	build_start(slot->packet, times[0]);
	for (i = 0; i + 1 < count; i++)
		build_record(slot->packet, 0, times[i], 0, 1);
	slot->size = build_end(slot->packet, ring, times[count - 1], sequence,
			       discarded);
	slot->sequence = sequence;
	return slot;
}

#define TIMES(...) (const uint64_t[]){ __VA_ARGS__ }, \
	sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)

static void seen_is(size_t at, char kind, uint64_t time_ns, unsigned int cpu)
{
	assert_true(at < seen_count);
	assert_int_equal(seen[at].kind, kind);
	assert_int_equal(seen[at].time_ns, time_ns);
	assert_int_equal(seen[at].cpu, cpu);
}

static void order_over_rings_ties_by_cpu(void **state)
{
	(void)state;
	packet(2, 0, 0, TIMES(10, 30, 30, 40));
	packet(0, 0, 0, TIMES(20, 30, 50));
	packet(1, 0, 0, TIMES(5, 5));
	packet(1, 1, 0, TIMES(10, 35, 36));
	flush(100);
	assert_int_equal(merge_run(&merge), 0);
	assert_int_equal(seen_count, 8);
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
	assert_int_equal(merge_run(&merge), 0);
	assert_int_equal(seen_count, 1);
	flush(30);
	assert_int_equal(merge_run(&merge), 0);
	assert_int_equal(seen_count, 2);
	flush(31);
	assert_int_equal(merge_run(&merge), 0);
	assert_int_equal(seen_count, 3);
}

/* One session stopped, the other not: the flush of the other is the limit. */
static void oldest_flush_is_the_limit(void **state)
{
	(void)state;
	packet(0, 0, 0, TIMES(10, 20, 30));
	answer(0, MERGE_END);
	flush(15);
	rings[0].input.flush_ns = UINT64_MAX;
	assert_int_equal(merge_run(&merge), 0);
	assert_int_equal(seen_count, 1);
	flush(UINT64_MAX);
	end_from(1);
	assert_int_equal(merge_run(&merge), 1);
	assert_int_equal(seen_count, 2);
}

static void closing_packet_is_waited_for(void **state)
{
	(void)state;
	answer(0, MERGE_CLOSING);
	packet(0, 0, 0, TIMES(5, 15));
	packet(1, 0, 0, TIMES(10, 20));
	flush(100);
	assert_int_equal(merge_run(&merge), 0);
	assert_true(merge.closing);
	assert_int_equal(seen_count, 0);
	assert_int_equal(merge_run(&merge), 0);
	assert_false(merge.closing);
	assert_int_equal(seen_count, 2);
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
	assert_int_equal(merge_run(&merge), 0);
	assert_int_equal(seen_count, 3);
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
	assert_int_equal(merge_run(&merge), 0);
	assert_int_equal(seen_count, 11);
	seen_is(0, 'r', 10, 0);
	seen_is(1, 'l', 20, 0);
	assert_int_equal(seen[1].records, 7);
	seen_is(2, 'r', 20, 0);
	seen_is(3, 'r', 20, 1);
	seen_is(4, 'r', 25, 1);
	seen_is(5, 'r', 30, 0);
	seen_is(6, 'l', 40, 0);
	assert_int_equal(seen[6].records, 2);
	seen_is(7, 'r', 40, 0);
	seen_is(8, 'r', 45, 1);
	seen_is(9, 'l', 50, 0);
	assert_int_equal(seen[9].records, 0);
	assert_int_equal(seen[9].packets, 3);
}

/* A packet without records that only tells of a loss, as the last one can. */
static void loss_without_records(void **state)
{
	(void)state;
	packet(0, 0, 4, TIMES(10));
	end_from(0);
	flush(UINT64_MAX);
	assert_int_equal(merge_run(&merge), 1);
	assert_int_equal(seen_count, 1);
	seen_is(0, 'l', 10, 0);
	assert_int_equal(seen[0].records, 4);
}

/* What was lost when no packet was open is told by the end alone. */
static void losses_after_the_last_packet(void **state)
{
	(void)state;
	packet(0, 0, 4, TIMES(10, 20));
	answer(0, MERGE_END);
	rings[0].answers[1].discarded = 9;
	answer(1, MERGE_END);
	rings[1].answers[0].discarded = 2;
	end_from(2);
	flush(UINT64_MAX);
	assert_int_equal(merge_run(&merge), 1);
	assert_int_equal(seen_count, 4);
	seen_is(0, 'l', 0, 1);
	assert_int_equal(seen[0].records, 2);
	seen_is(1, 'l', 10, 0);
	assert_int_equal(seen[1].records, 4);
	seen_is(2, 'r', 10, 0);
	seen_is(3, 'l', 20, 0);
	assert_int_equal(seen[3].records, 5);
	assert_int_equal(merge_run(&merge), 1);
	assert_int_equal(seen_count, 4);
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
	assert_int_equal(merge_run(&merge), 0);
	assert_int_equal(seen_count, 5);
	seen_is(0, 'r', 10, 0);
	seen_is(1, 'l', 10, 0);
	assert_int_equal(seen[1].packets, 1);
	seen_is(2, 'l', 40, 0);
	seen_is(3, 'l', 40, 0);
	seen_is(4, 'r', 90, 0);
}

static void failing_sink_sees_no_record_twice(void **state)
{
	(void)state;
	packet(0, 0, 0, TIMES(10, 20, 30));
	flush(100);
	sink_result = -EPIPE;
	assert_int_equal(merge_run(&merge), -EPIPE);
	assert_int_equal(seen_count, 1);
	sink_result = 0;
	assert_int_equal(merge_run(&merge), 0);
	assert_int_equal(seen_count, 2);
	seen_is(1, 'r', 20, 0);
}

static void failing_ring_is_told(void **state)
{
	(void)state;
	packet(0, 0, 0, TIMES(10, 20));
	answer(0, -EIO);
	packet(0, 1, 0, TIMES(30, 40));
	flush(100);
	assert_int_equal(merge_run(&merge), -EIO);
	assert_int_equal(merge_run(&merge), 0);
	assert_int_equal(seen_count, 2);
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

		if (rings[ring].count >= ANSWERS - 2)
			continue;
		if (!random_number(4))
			answer(ring, MERGE_CLOSING);
		for (j = 0; j < count; j++)
			times[j] = now[ring] += random_number(20);
		packet(ring, sequence[ring]++, 0, times, count);
		total += count - 1;
	}
	end_from(0);
	for (flush_ns = 0; flush_ns < 3000; flush_ns += 17) {
		flush(flush_ns);
		assert_true(merge_run(&merge) >= 0);
		if (seen_count)
			assert_true(seen[seen_count - 1].time_ns < flush_ns);
	}
	flush(UINT64_MAX);
	for (step = 0; step < 100 && merge_run(&merge) != 1; step++)
		;
	assert_int_equal(merge_run(&merge), 1);
	assert_int_equal(seen_count, total);
	for (j = 1; j < seen_count; j++)
		assert_true(seen[j].time_ns > seen[j - 1].time_ns ||
			    (seen[j].time_ns == seen[j - 1].time_ns &&
			     seen[j].cpu >= seen[j - 1].cpu));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

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
		TEST(damaged_packets_are_losses),
		TEST(failing_sink_sees_no_record_twice),
		TEST(failing_ring_is_told),
		TEST(random_streams_are_in_order),
	};

	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
