// SPDX-License-Identifier: GPL-2.0-only
/* The world of the ring's tests: writers, and the checks on its state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ring_world.h"

#define WORLD_STEPS_MAX 1000000

struct world world;

static const struct tl_ring_identity identity = {
	.uuid = "0123456789abcde",
	.cpu = 7,
};

u64 tl_env_clock_ns(void)
{
	world.clock_ns += (u64)world.clock_step_ns;
	return world.clock_ns;
}

void tl_ring_delivered(struct tl_ring *ring)
{
	assert_ptr_equal(ring, &world.ring);
	world.delivered++;
}

void tl_point(void)
{
	if (++world.steps > WORLD_STEPS_MAX)
		fail_msg("the ring's code does not end");
	if (world.on_point)
		world.on_point();
}

static size_t world_data_bytes(const struct world_config *config)
{
	return (size_t)((1u << config->count_shift) + 1) << config->packet_shift;
}

/* Memory is kept while the sizes stay: a search makes a million worlds. */
static void world_memory(const struct world_config *config)
{
	size_t bytes = world_data_bytes(config);

	if (!world.ring.data || world_data_bytes(&world.config) != bytes ||
	    world.config.packet_shift != config->packet_shift) {
		world_free();
		world.ring.data = malloc(bytes);
		world.spare_copy = malloc(1u << config->packet_shift);
	}
	assert_non_null(world.ring.data);
	assert_non_null(world.spare_copy);
	memset(world.ring.data, 0, bytes);
}

const u8 *world_pattern(u32 index)
{
	static u8 pattern[256 + WORLD_PAYLOAD_MAX];
	static bool made;
	u32 i;

	for (i = 0; !made && i < sizeof(pattern); i++)
		pattern[i] = (u8)(i ^ i >> 8);
	made = true;
	return pattern + (u8)(index * 31);
}

void world_make(const struct world_config *config)
{
	u32 count = 1u << config->count_shift;
	u8 *data, *spare_copy;
	u32 i;

	assert_true(count <= WORLD_SLOTS_MAX);
	world_memory(config);
	data = world.ring.data;
	spare_copy = world.spare_copy;
	/* all but the log and the slots that are not used */
	memset(&world.ring, 0, sizeof(world.ring));
	memset(world.slots, 0, sizeof(world.slots));
	memset(&world.logged, 0,
	       sizeof(world) - offsetof(struct world, logged));
	world.config = *config;
	world.spare_copy = spare_copy;
	world.clock_ns = 1000000000;
	world.clock_step_ns = 3;
	world.ring.data = data;
	world.ring.slots = world.slots;
	world.ring.geo = tl_geometry(config->packet_shift, config->count_shift);
	world.ring.overwrite = config->overwrite;
	tl_ring_init(&world.ring, &world.reader, &identity);
	for (i = 0; i < count; i++)
		world.last_seq[i] = (s64)i - count;
}

/* What a slot has committed in all once packet @seq is complete. */
static u64 world_committed(u64 seq)
{
	return ((seq >> world.config.count_shift) + 1)
	       << world.config.packet_shift;
}

void world_jump(u64 seq)
{
	u32 count = 1u << world.config.count_shift;
	u32 i;

	assert_int_equal(seq % count, 0);
	for (i = 0; i < count; i++) {
		u64 its = seq - count + i;

		world.slots[i].word = tl_slot_word(TL_SLOT_IDLE, i, its);
		world.slots[i].committed = world_committed(its);
		world.last_seq[i] = (s64)its;
	}
	world.ring.pos = seq << world.config.packet_shift;
	world.reader.next_seq = seq;
	world.expect_seq = seq;
	world.base_seq = seq;
}

void world_free(void)
{
	free(world.ring.data);
	free(world.spare_copy);
	world.ring.data = NULL;
	world.spare_copy = NULL;
}

/* As the hot path does it: the fast way, and if it fails the general one. */
static enum tl_outcome world_reserve_slice(u32 id, struct tl_slice *slice)
{
	u32 payload = world_payload(id);
	u32 offset;

	slice->pos = tl_ring_pos(&world.ring);
	tl_point();
	slice->time_ns = tl_ring_now(&world.ring);
	tl_point();
	slice->commit_bytes = tl_record_bytes(payload, false);
	slice->extended = false;
	if (!world.config.general && id < TL_EVENT_EXTENDED &&
	    tl_ring_try_reserve(&world.ring, slice->pos, &offset,
				slice->time_ns, slice->commit_bytes)) {
		assert_int_equal(offset, slice->pos % world_packet_bytes());
		return TL_RECORDED;
	}
	return tl_ring_reserve(&world.ring, payload, id, slice);
}

enum tl_outcome world_reserve(u32 id, struct tl_slice *slice, u32 *index)
{
	enum tl_outcome outcome;
	struct world_entry *entry;

	outcome = world_reserve_slice(id, slice);
	world.outcomes[outcome]++;
	if (outcome != TL_RECORDED)
		return outcome;
	assert_true(world.logged < WORLD_LOG_MAX);
	*index = world.logged++;
	entry = &world.log[*index];
	memset(entry, 0, sizeof(*entry));
	entry->pos = slice->pos;
	entry->time_ns = slice->time_ns;
	entry->id = id;
	entry->extended = slice->extended;
	return outcome;
}

/* I4: the writer's slot is OPEN, with the sequence of its position. */
static void world_check_open(u64 pos)
{
	u64 seq = tl_pos_seq(world.ring.geo, pos);
	u64 word = world.slots[tl_seq_slot(world.ring.geo, seq)].word;

	if (tl_slot_state(word) != TL_SLOT_OPEN || tl_slot_ahead(word, seq))
		fail_msg("I4: a writer in packet %llu has slot word %llx",
			 (unsigned long long)seq, (unsigned long long)word);
}

void world_store(const struct tl_slice *slice, u32 index)
{
	struct world_entry *entry = &world.log[index];
	u32 payload = world_payload(entry->id);
	u8 *to = tl_ring_record(&world.ring, slice);

	world_check_open(slice->pos);
	if (slice->extended) {
		struct tl_record_extended *header = (void *)to;

		header->event = TL_EVENT_EXTENDED;
		header->id = entry->id;
		header->time_ns = slice->time_ns;
		header->context = index << TL_EXTENDED_TID_SHIFT;
		header->reserved = 0;
		to += sizeof(*header);
	} else {
		u64 header = tl_record_header(entry->id, slice->time_ns, 0,
					      index);

		memcpy(to, &header, sizeof(header));
		to += sizeof(header);
	}
	tl_point();
	world_check_open(slice->pos);
	memcpy(to, world_pattern(index), payload);
	entry->stored = true;
	tl_point();
}

enum tl_outcome world_write(u32 id)
{
	struct tl_slice slice;
	enum tl_outcome outcome;
	u32 index;

	outcome = world_reserve(id, &slice, &index);
	if (outcome == TL_RECORDED) {
		world_store(&slice, index);
		tl_ring_commit(&world.ring, &slice);
	}
	return outcome;
}

/* I1: the buffers of the slots and the spare are a permutation. */
static void world_check_buffers(void)
{
	u32 count = 1u << world.config.count_shift;
	u32 seen = 1u << world.reader.spare;
	u32 i;

	for (i = 0; i < count; i++) {
		u32 buffer = tl_slot_buffer(world.slots[i].word);

		/* the taker has swapped the word, but not its own field yet */
		if (buffer > count || (seen & 1u << buffer && !world.reading))
			fail_msg("I1: buffer %u is in two places", buffer);
		seen |= 1u << buffer;
	}
}

/* The whole sequence of a slot, 46 bits of which are in its word. */
static s64 world_slot_seq(u32 slot)
{
	u64 near = (u64)world.last_seq[slot];
	u64 word = world.slots[slot].word;

	return (s64)(near + (u64)((s64)(((word >> TL_SLOT_SEQ_SHIFT) - near)
					<< TL_SLOT_SEQ_SHIFT) >>
				  TL_SLOT_SEQ_SHIFT));
}

/* I3: sequences of a slot only grow, by whole laps. */
static void world_check_sequences(void)
{
	u32 count = 1u << world.config.count_shift;
	u32 i;

	for (i = 0; i < count; i++) {
		s64 seq = world_slot_seq(i);

		if (seq < world.last_seq[i] || ((u64)seq & (count - 1)) != i)
			fail_msg("I3: slot %u went from %lld to %lld", i,
				 (long long)world.last_seq[i], (long long)seq);
		world.last_seq[i] = seq;
	}
}

void world_check_always(void)
{
	u64 pos = world.ring.pos;
	u64 seq = tl_pos_seq(world.ring.geo, pos);
	u32 slot = tl_seq_slot(world.ring.geo, seq);

	world_check_buffers();
	world_check_sequences();
	if (tl_pos_offset(world.ring.geo, pos)) {
		u64 word = world.slots[slot].word;

		/* I2 */
		if (tl_slot_state(word) != TL_SLOT_OPEN ||
		    tl_slot_ahead(word, seq))
			fail_msg("I2: pos in packet %llu, but slot word %llx",
				 (unsigned long long)seq,
				 (unsigned long long)word);
	}
}

/*
 * Is it the next packet's slot, opened before its time? A writer did so, was
 * overtaken, and found that the packet before has room for it after all.
 */
static bool world_is_prepared(u64 word)
{
	u64 pos = world.ring.pos;
	u64 next = tl_pos_seq(world.ring.geo, pos) +
		   (tl_pos_offset(world.ring.geo, pos) ? 1 : 0);

	return tl_slot_state(word) == TL_SLOT_OPEN && !tl_slot_ahead(word, next);
}

void world_check_quiet(void)
{
	struct tl_geometry geo = world.ring.geo;
	u64 pos_seq = tl_pos_seq(geo, world.ring.pos);
	u32 offset = tl_pos_offset(geo, world.ring.pos);
	u32 i;

	world_check_always();
	for (i = 0; i < tl_packet_count(geo); i++) {
		struct tl_slot *slot = &world.slots[i];
		s64 seq = world_slot_seq(i);
		u64 expect = world_committed((u64)seq);

		if (offset && (u64)seq == pos_seq)
			expect = expect + offset - tl_packet_bytes(geo);
		else if (world_is_prepared(slot->word))
			expect -= tl_packet_bytes(geo);
		else if (tl_slot_state(slot->word) == TL_SLOT_OPEN)
			fail_msg("slot %u stays open", i);
		/* I5 */
		if (slot->committed != expect)
			fail_msg("I5: slot %u committed %llu, not %llu", i,
				 (unsigned long long)slot->committed,
				 (unsigned long long)expect);
	}
	if (world.delivered != pos_seq - world.base_seq)
		fail_msg("I5: %llu deliveries of %llu packets",
			 (unsigned long long)world.delivered,
			 (unsigned long long)(pos_seq - world.base_seq));
	/* I8 */
	if (world.outcomes[TL_RECORDED] != world.logged ||
	    world.ring.lost != world_lost())
		fail_msg("I8: the ring counts %llu lost, the writers %llu",
			 (unsigned long long)world.ring.lost,
			 (unsigned long long)world_lost());
}

void world_drain(void)
{
	while (!world_take())
		;
}

void world_settle(void)
{
	u32 i;

	world_check_quiet();
	tl_ring_flush(&world.ring);
	world_drain();
	world_check_quiet();
	if (world.expect_seq != tl_pos_seq(world.ring.geo, world.ring.pos))
		fail_msg("packets up to %llu were closed, up to %llu read",
			 (unsigned long long)tl_pos_seq(world.ring.geo,
							world.ring.pos),
			 (unsigned long long)world.expect_seq);
	if (tl_ring_ready(&world.ring, world.reader.next_seq, 1) ||
	    tl_ring_closing(&world.ring, world.reader.next_seq))
		fail_msg("a drained ring says that it has packets");
	for (i = 0; i < world.logged; i++)
		if (world.log[i].read == world.log[i].overwritten)
			fail_msg("I8: record %u of %u is %s", i, world.logged,
				 world.log[i].read ? "read and overwritten" :
						     "nowhere");
}

void world_laps(u32 laps)
{
	u32 packets = laps << world.config.count_shift;
	u64 lost = world_lost();

	while (packets--) {
		world_write(8);
		tl_ring_flush(&world.ring);
		world_drain();
	}
	if (world_lost() != lost)
		fail_msg("I9: an empty ring loses records");
	world_settle();
}
