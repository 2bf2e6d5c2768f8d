// SPDX-License-Identifier: GPL-2.0-only
/* The world of the ring's tests: the checks on its state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ring_world.h"

/* I1: the buffers of the slots and the spare are a permutation. */
static void world_check_buffers(void)
{
	u32 count = 1u << world.config.count_shift;
	u32 seen = 1u << world.reader.spare;
	u32 i;

	for (i = 0; i < count; i++) {
		u32 buffer = tl_slot_buffer(world.slots[i].word);

		if (buffer > count || seen & 1u << buffer)
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

/* How far a slot is in its lap: 0, 1, 2 for OPEN, FULL, IDLE. */
static u32 world_slot_step(u64 word)
{
	return (tl_slot_state(word) + 2) % 3;
}

/* I3: sequences of a slot only grow, by whole laps, and a lap has one way. */
static void world_check_sequences(void)
{
	u32 count = 1u << world.config.count_shift;
	u32 i;

	for (i = 0; i < count; i++) {
		u64 word = world.slots[i].word;
		s64 seq = world_slot_seq(i);
		bool is_back = seq == world.last_seq[i] &&
			       world_slot_step(word) <
				       world_slot_step(world.last_word[i]);

		if (seq < world.last_seq[i] || is_back ||
		    ((u64)seq & (count - 1)) != i)
			fail_msg("I3: slot %u went from %lld to %lld, %llx", i,
				 (long long)world.last_seq[i], (long long)seq,
				 (unsigned long long)word);
		world.last_seq[i] = seq;
		world.last_word[i] = word;
	}
}

/* Has anything changed that the invariants of all times are about? */
static bool world_changed(void)
{
	u32 count = 1u << world.config.count_shift;
	u64 changed = (world.ring.pos ^ world.last_pos) |
		      (world.reader.spare ^ world.last_spare);
	u32 i;

	for (i = 0; i < count; i++)
		changed |= world.slots[i].word ^ world.last_word[i];
	world.last_pos = world.ring.pos;
	world.last_spare = world.reader.spare;
	return changed;
}

void world_check_always(void)
{
	u64 pos = world.ring.pos;
	u64 seq = tl_pos_seq(world.ring.geo, pos);
	u32 slot = tl_seq_slot(world.ring.geo, seq);

	if (!world_changed())
		return;
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
	world_check_spare();
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

int world_drain(void)
{
	int status;

	do {
		status = world_take();
	} while (!status);
	return status;
}

void world_settle(void)
{
	u32 i;

	world_check_quiet();
	world_flush();
	if (world.held_seq != TL_SEQ_NONE) {
		if (world_drain() != -ENODATA)
			fail_msg("a snapshot has no end");
		world_resume();
	}
	assert_int_equal(world_drain(), -EAGAIN);
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
		world_flush();
		world_drain();
	}
	if (world_lost() != lost)
		fail_msg("I9: an empty ring loses records");
	world_settle();
}

void world_finish(void)
{
	world_settle();
	if (tl_ring_owes(&world.ring, &world.reader) !=
	    (world.last_discarded != world.ring.lost))
		fail_msg("I8: the ring owes what was told, or not what was lost");
	if (tl_ring_owes(&world.ring, &world.reader))
		assert_int_equal(world_take_last(), 0);
	assert_int_equal(world_take_last(), -EAGAIN);
	if (world.last_discarded != world_lost())
		fail_msg("I8: packets tell of %llu lost records, not %llu",
			 (unsigned long long)world.last_discarded,
			 (unsigned long long)world_lost());
}
