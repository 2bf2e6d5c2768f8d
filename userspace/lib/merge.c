// SPDX-License-Identifier: LGPL-2.1-or-later
/* The merge: see merge.h for how it knows how far it may go. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"

/* Order of heads: time, then CPU, then the order in which inputs were added. */
static bool is_before(const struct merge_input *a, const struct merge_input *b)
{
	if (a->head_ns != b->head_ns)
		return a->head_ns < b->head_ns;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu;
	return a->order < b->order;
}

static void heap_swap(struct merge *merge, size_t a, size_t b)
{
	struct merge_input *input = merge->heap[a];

	merge->heap[a] = merge->heap[b];
	merge->heap[b] = input;
}

static void heap_push(struct merge *merge, struct merge_input *input)
{
	size_t at = merge->heap_count++;

	merge->heap[at] = input;
	while (at) {
		size_t parent = (at - 1) / 2;

		if (!is_before(merge->heap[at], merge->heap[parent]))
			return;
		heap_swap(merge, at, parent);
		at = parent;
	}
}

/* Puts the first one where it belongs after its head has changed. */
static void heap_sift(struct merge *merge)
{
	size_t at = 0;

	for (;;) {
		size_t least = at, child = 2 * at + 1, i;

		for (i = child; i < child + 2 && i < merge->heap_count; i++)
			if (is_before(merge->heap[i], merge->heap[least]))
				least = i;
		if (least == at)
			return;
		heap_swap(merge, at, least);
		at = least;
	}
}

static void heap_drop_first(struct merge *merge)
{
	merge->heap[0] = merge->heap[--merge->heap_count];
	if (merge->heap_count)
		heap_sift(merge);
}

static void set_loss(struct merge_input *input, uint64_t records,
		     uint64_t packets, uint64_t time_ns)
{
	input->head = HEAD_LOSS;
	input->loss.cpu = input->cpu;
	input->loss.records = records;
	input->loss.packets = packets;
	input->loss.time_ns = time_ns;
	input->head_ns = time_ns;
	if (input->safe_ns < time_ns)
		input->safe_ns = time_ns;
}

/* Next record of the packet that is held. */
static void next_in_packet(struct merge_input *input)
{
	int rc = decode_next(&input->cursor, &input->record);

	input->head = HEAD_NONE;
	if (rc > 0) {
		input->head = HEAD_RECORD;
		input->head_ns = input->record.time_ns;
		return;
	}
	if (input->safe_ns < input->cursor.packet.end_ns)
		input->safe_ns = input->cursor.packet.end_ns;
	if (rc < 0) {
		/*
		 * Where the next record would start is not known: the rest of
		 * the packet is lost, how many records that is nobody knows.
		 */
		set_loss(input, 0, 1, input->cursor.time_ns);
		input->cursor.packet.content_bytes = 0;
	}
}

/* Growth of the running total; one that shrinks is not believed. */
static uint64_t lost_records(struct merge_input *input, uint64_t total)
{
	uint64_t records = 0;

	if (total > input->discarded) {
		records = total - input->discarded;
		input->discarded = total;
	}
	return records;
}

/* A packet arrived: what does it tell of losses, and what is its head? */
static void take_packet(struct merge_input *input,
			const struct merge_packet *packet)
{
	const struct decode_packet *header = &input->cursor.packet;
	uint64_t packets = packet->skipped, records, gap;
	int rc = decode_start(&input->cursor, input->events, packet->bytes,
			      packet->size);

	gap = packet->sequence - input->next_sequence;
	if (packet->sequence > input->next_sequence && gap > packets)
		packets = gap;
	input->next_sequence = packet->sequence + 1;
	if (!rc && (header->cpu != input->cpu ||
		    memcmp(header->uuid, input->uuid, sizeof(input->uuid)))) {
		input->cursor.packet.content_bytes = 0;
		rc = -EBADMSG;
	}
	if (rc) {
		set_loss(input, 0, packets + 1, input->safe_ns);
		return;
	}
	records = lost_records(input, header->discarded);
	/* what is missing may be missing from the end of the last packet on */
	if (packets)
		set_loss(input, records, packets, input->safe_ns);
	else if (records)
		set_loss(input, records, 0, header->begin_ns);
	else
		next_in_packet(input);
}

/*
 * Gives an input without a head its next one, from as many packets as it
 * takes: there are packets without records.
 */
static int fill(struct merge *merge, struct merge_input *input)
{
	while (input->head == HEAD_NONE) {
		struct merge_packet packet = { 0 };
		int state = input->get(input, &packet);

		switch (state) {
		case MERGE_PACKET:
			take_packet(input, &packet);
			break;
		case MERGE_EMPTY:
			if (input->safe_ns < input->flush_ns)
				input->safe_ns = input->flush_ns;
			return 0;
		case MERGE_CLOSING:
			merge->closing = true;
			return 0;
		case MERGE_SNAPSHOT:
			input->paused = true;
			return 0;
		case MERGE_END:
			input->ended = true;
			input->safe_ns = UINT64_MAX;
			return 0;
		default:
			return state < 0 ? state : -EPROTO;
		}
	}
	return 0;
}

/* Up to when there is certainly nothing of an input without a head. */
static uint64_t certain_ns(const struct merge_input *input)
{
	return input->paused ? UINT64_MAX : input->safe_ns;
}

static int deliver(const struct merge_input *input)
{
	const struct trapline_sink *sink = input->sink;

	if (input->head == HEAD_LOSS)
		return sink->loss ? sink->loss(&input->loss, sink->data) : 0;
	return sink->record ? sink->record(&input->record, sink->data) : 0;
}

/*
 * Delivers the first head and moves its input on. The head counts as delivered
 * even if the sink failed: a caller that goes on must not see it twice.
 */
static int step(struct merge *merge, uint64_t *bound)
{
	struct merge_input *input = merge->heap[0];
	int sink_rc = deliver(input);
	int rc;

	next_in_packet(input);
	rc = fill(merge, input);
	if (input->head == HEAD_NONE) {
		if (certain_ns(input) < *bound)
			*bound = certain_ns(input);
		heap_drop_first(merge);
	} else {
		heap_sift(merge);
	}
	return sink_rc ? sink_rc : rc;
}

/* Looks into all inputs without a head; how far may the round go? */
static int start_round(struct merge *merge, uint64_t *bound)
{
	size_t i;

	*bound = UINT64_MAX;
	merge->closing = false;
	for (i = 0; i < merge->input_count; i++) {
		struct merge_input *input = merge->inputs[i];
		int rc;

		if (input->ended)
			continue;
		input->paused = false;
		if (input->flush_ns < *bound)
			*bound = input->flush_ns;
		if (input->head != HEAD_NONE)
			continue;
		rc = fill(merge, input);
		if (rc)
			return rc;
		if (input->head != HEAD_NONE)
			heap_push(merge, input);
		else if (certain_ns(input) < *bound)
			*bound = certain_ns(input);
	}
	return 0;
}

static bool all_ended(const struct merge *merge)
{
	size_t i;

	for (i = 0; i < merge->input_count; i++)
		if (!merge->inputs[i]->ended)
			return false;
	return merge->heap_count == 0;
}

int merge_run(struct merge *merge)
{
	uint64_t bound;
	int rc = start_round(merge, &bound);

	while (!rc && merge->heap_count) {
		/* once all is stopped the bound is UINT64_MAX: no limit */
		if (bound != UINT64_MAX && merge->heap[0]->head_ns >= bound)
			break;
		rc = step(merge, &bound);
	}
	if (rc)
		return rc;
	return all_ended(merge);
}

static int grow(struct merge_input ***array, size_t count)
{
	struct merge_input **grown;

	grown = realloc(*array, count * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	*array = grown;
	return 0;
}

int merge_reserve(struct merge *merge, size_t count)
{
	size_t need = merge->input_count + count;

	if (need <= merge->capacity)
		return 0;
	if (grow(&merge->inputs, need) || grow(&merge->heap, need))
		return -ENOMEM;
	merge->capacity = need;
	return 0;
}

void merge_add(struct merge *merge, struct merge_input *input)
{
	input->order = merge->input_count;
	merge->inputs[merge->input_count++] = input;
}

void merge_free(struct merge *merge)
{
	free(merge->inputs);
	free(merge->heap);
	memset(merge, 0, sizeof(*merge));
}
