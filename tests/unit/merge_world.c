// SPDX-License-Identifier: GPL-2.0-only
/* The world of the merge's tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "merge_world.h"

struct merge_world merging;

static struct trapline_event event = {
	.name = (char *)"e", .backend = TL_BACKEND_KPROBE, .id = 0,
};

static struct decode_events table;

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
	assert_true(merging.seen_count < SEEN);
	merging.seen[merging.seen_count++] = (struct seen){
		.kind = 'r', .time_ns = record->time_ns, .cpu = record->cpu,
	};
	return merging.sink_result;
}

static int see_loss(const struct trapline_loss *loss, void *data)
{
	(void)data;
	assert_true(merging.seen_count < SEEN);
	merging.seen[merging.seen_count++] = (struct seen){
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

int world_set_up(void **state)
{
	unsigned int i;

	(void)state;
	memset(&merging, 0, sizeof(merging));
	if (decode_events_add(&table, &event) || merge_reserve(&merging.merge, RINGS))
		return -1;
	for (i = 0; i < RINGS; i++) {
		merging.rings[i].input.get = fake_get;
		merging.rings[i].input.events = &table;
		merging.rings[i].input.sink = &sink;
		merging.rings[i].input.cpu = i;
		memset(merging.rings[i].input.uuid, 0x5a, 16);
	}
	/* not in the order of their CPUs, which must be told apart from it */
	while (i--)
		merge_add(&merging.merge, &merging.rings[i].input);
	return 0;
}

int world_tear_down(void **state)
{
	unsigned int i;
	size_t j;

	(void)state;
	for (i = 0; i < RINGS; i++)
		for (j = 0; j < merging.rings[i].count; j++)
			free(merging.rings[i].answers[j].packet);
	merge_free(&merging.merge);
	decode_events_free(&table);
	return 0;
}

void flush(uint64_t time_ns)
{
	unsigned int i;

	for (i = 0; i < RINGS; i++)
		merging.rings[i].input.flush_ns = time_ns;
}

void answer(unsigned int ring, int state)
{
	merging.rings[ring].answers[merging.rings[ring].count++].state = state;
}

void answer_from(unsigned int ring, int state)
{
	for (; ring < RINGS; ring++)
		answer(ring, state);
}

struct answer *packet(unsigned int ring, uint64_t sequence, uint64_t discarded,
		      const uint64_t *times, size_t count)
{
	struct answer *slot = &merging.rings[ring].answers[merging.rings[ring].count++];
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

void seen_is(size_t at, char kind, uint64_t time_ns, unsigned int cpu)
{
	assert_true(at < merging.seen_count);
	assert_int_equal(merging.seen[at].kind, kind);
	assert_int_equal(merging.seen[at].time_ns, time_ns);
	assert_int_equal(merging.seen[at].cpu, cpu);
}
