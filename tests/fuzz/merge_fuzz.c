// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as what up to four rings answer: packets that are sound, packets
 * that are not, and all else that a ring can say. The merge comes to an end.
 * While the rings keep what they promise, records come in the order of time,
 * each once, and all losses are told.
 *
 * Input: operations of a byte, see enum op, and what they need.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../userspace/lib/merge.h"
#include "../unit/packet_build.h"
#include "events.h"
#include "input.h"

#define RINGS 4
#define ANSWERS 64
#define FAILURES_MAX 64

/* The low bits; two bits above them are the ring. */
enum op {
	OP_ROUND,	/* flush and merge; a byte: time since the last one */
	OP_PACKET,	/* a sound packet: see add_packet() */
	OP_BYTES,	/* a length, then the packet as it is */
	OP_CLOSING,	/* a packet waits for its writer */
	OP_SNAPSHOT,
	OP_ERROR,	/* asking fails */
	OP_NONSENSE,	/* an answer that there is not */
	OP_SINK,	/* the next record meets a sink that fails */
};

struct answer {
	int state;
	struct merge_packet packet;
};

/**
 * struct ring - what a ring answers, one after the other
 * @input: first
 * @answers: those
 * @count: how many
 * @next: the next one
 * @ended: nothing more will come
 * @last_ns: end of its last packet
 * @sequence: of its next packet
 * @discarded: lost so far, as its packets tell
 * @records: in sound packets
 * @packets: that were overwritten
 * @seen: records, as the sink was given them
 * @seen_lost: lost records, too
 * @seen_packets: and lost packets
 */
struct ring {
	struct merge_input input;
	struct answer answers[ANSWERS];
	size_t count;
	size_t next;
	bool ended;
	uint64_t last_ns;
	uint64_t sequence;
	uint64_t discarded;
	uint64_t records;
	uint64_t packets;
	uint64_t seen;
	uint64_t seen_lost;
	uint64_t seen_packets;
};

/**
 * struct world - all of that
 * @rings: the rings
 * @merge: of them
 * @flush_ns: when all were flushed last
 * @seen_ns: time of the last record or loss
 * @broken: a packet was not sound: what is lost or out of order is unknown
 * @unordered: some have ended their round early: only the order is unknown
 * @sink_fails: so many times
 */
struct world {
	struct ring rings[RINGS];
	struct merge merge;
	uint64_t flush_ns;
	uint64_t seen_ns;
	bool broken;
	bool unordered;
	unsigned int sink_fails;
};

static int get(struct merge_input *input, struct merge_packet *packet)
{
	struct ring *ring = (struct ring *)input;
	const struct answer *answer = &ring->answers[ring->next];

	if (ring->next == ring->count)
		return ring->ended ? MERGE_END : MERGE_EMPTY;
	ring->next++;
	*packet = answer->packet;
	return answer->state;
}

static void see(struct world *w, uint64_t time_ns)
{
	if (!w->broken && !w->unordered)
		assert_true(time_ns >= w->seen_ns);
	w->seen_ns = time_ns;
}

static int see_record(const struct trapline_record *record, void *data)
{
	struct world *w = data;

	assert_true(record->cpu < RINGS);
	w->rings[record->cpu].seen++;
	see(w, record->time_ns);
	if (!w->sink_fails)
		return 0;
	w->sink_fails--;
	return -EPIPE;
}

static int see_loss(const struct trapline_loss *loss, void *data)
{
	struct world *w = data;

	assert_true(loss->cpu < RINGS);
	assert_true(loss->records || loss->packets);
	w->rings[loss->cpu].seen_lost += loss->records;
	w->rings[loss->cpu].seen_packets += loss->packets;
	see(w, loss->time_ns);
	return 0;
}

static struct answer *add_answer(struct ring *ring, int state)
{
	struct answer *answer = &ring->answers[ring->count];

	if (ring->count == ANSWERS)
		return NULL;
	ring->count++;
	answer->state = state;
	return answer;
}

static void set_bytes(struct answer *answer, const void *bytes, size_t size)
{
	void *copy = malloc(size + !size);

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	answer->packet.bytes = copy;
	answer->packet.size = size;
}

/*
 * What a ring gives in truth: newer than its last packet and the last flush,
 * records whose times do not go back, numbers that rise, a total that grows.
 * A byte each: records, time before the first one, missing packets, packets
 * said to be skipped, lost records; then time between records and to the end.
 */
static void add_packet(struct world *w, struct ring *ring, struct input *in)
{
	static struct build b;
	struct answer *answer = add_answer(ring, MERGE_PACKET);
	unsigned int records = (unsigned int)input_number(in, 1) % 16;
	uint64_t now = ring->last_ns > w->flush_ns ? ring->last_ns :
						     w->flush_ns;
	uint64_t missing, skipped;

	if (!answer)
		return;
	now += input_number(in, 1);
	missing = input_number(in, 1) % 4;
	skipped = input_number(in, 1) % 4;
	ring->discarded += input_number(in, 1) % 8;
	build_start(&b, now);
	ring->records += records;
	while (records--) {
		build_record(&b, EVENT_EMPTY, now, 0, 1);
		now += input_number(in, 1);
	}
	ring->last_ns = now;
	ring->sequence += missing;
	ring->packets += missing > skipped ? missing : skipped;
	answer->packet.sequence = ring->sequence;
	answer->packet.skipped = skipped;
	build_end(&b, ring->input.cpu, now, ring->sequence++, ring->discarded);
	/* not the whole page: a look behind the content must be seen */
	((struct tl_packet_header *)b.bytes)->packet_bits = b.at * 8;
	set_bytes(answer, b.bytes, b.at);
}

static void add_bytes(struct world *w, struct ring *ring, struct input *in)
{
	struct input part = input_part(in, input_number(in, 2));
	struct answer *answer = add_answer(ring, MERGE_PACKET);

	if (!answer)
		return;
	w->broken = true;
	/* the kernel's own, not the packet's */
	answer->packet.sequence = input_number(in, 4);
	answer->packet.skipped = input_number(in, 1);
	set_bytes(answer, part.at, part.left);
}

/* What was delivered is at most what there was. */
static int run(struct world *w, uint64_t flush_ns)
{
	size_t i;
	int rc;

	for (i = 0; i < RINGS; i++)
		w->rings[i].input.flush_ns = flush_ns;
	rc = merge_run(&w->merge);
	assert_true(rc == 0 || rc == 1 || rc == -EIO || rc == -EPROTO ||
		    rc == -EPIPE);
	for (i = 0; i < RINGS && !w->broken; i++)
		assert_true(w->rings[i].seen <= w->rings[i].records);
	return rc;
}

static void run_round(struct world *w, uint64_t later_ns)
{
	size_t i;

	/* no packet that is closed has a record of after the flush */
	for (i = 0; i < RINGS; i++)
		if (w->flush_ns < w->rings[i].last_ns)
			w->flush_ns = w->rings[i].last_ns;
	w->flush_ns += later_ns;
	run(w, w->flush_ns);
}

static void step(struct world *w, unsigned int op, struct input *in)
{
	struct ring *ring = &w->rings[op >> 3 & (RINGS - 1)];

	switch ((enum op)(op & 7)) {
	case OP_ROUND:
		run_round(w, input_number(in, 1));
		break;
	case OP_PACKET:
		add_packet(w, ring, in);
		break;
	case OP_BYTES:
		add_bytes(w, ring, in);
		break;
	case OP_CLOSING:
		add_answer(ring, MERGE_CLOSING);
		break;
	case OP_SNAPSHOT:
		add_answer(ring, MERGE_SNAPSHOT);
		/* the others go on, up to their newest */
		w->unordered = true;
		break;
	case OP_ERROR:
		add_answer(ring, -EIO);
		break;
	case OP_NONSENSE:
		add_answer(ring, 99);
		break;
	case OP_SINK:
		w->sink_fails = 1;
		break;
	}
}

/* All is stopped: what is left comes, and then the end. */
static void finish(struct world *w)
{
	unsigned int tries = RINGS * ANSWERS + FAILURES_MAX;
	size_t i;

	for (i = 0; i < RINGS; i++)
		w->rings[i].ended = true;
	while (run(w, UINT64_MAX) != 1)
		assert_true(tries--);
	for (i = 0; i < RINGS && !w->broken; i++) {
		const struct ring *ring = &w->rings[i];

		assert_int_equal(ring->seen, ring->records);
		assert_int_equal(ring->seen_lost, ring->discarded);
		assert_int_equal(ring->seen_packets, ring->packets);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct decode_events *table = events_make();
	struct world *w = calloc(1, sizeof(*w));
	struct trapline_sink sink = {
		.size = sizeof(sink),
		.record = see_record,
		.loss = see_loss,
		.data = w,
	};
	struct input in = { bytes, size };
	size_t i, j;

	assert_non_null(w);
	assert_int_equal(merge_reserve(&w->merge, RINGS), 0);
	for (i = 0; i < RINGS; i++) {
		struct merge_input *input = &w->rings[i].input;

		input->get = get;
		input->events = table;
		input->sink = &sink;
		input->cpu = (unsigned int)i;
		memset(input->uuid, 0x5a, sizeof(input->uuid));
		merge_add(&w->merge, input);
	}
	while (in.left)
		step(w, (unsigned int)input_number(&in, 1), &in);
	finish(w);
	for (i = 0; i < RINGS; i++)
		for (j = 0; j < w->rings[i].count; j++)
			free((void *)w->rings[i].answers[j].packet.bytes);
	merge_free(&w->merge);
	free(w);
	return 0;
}
