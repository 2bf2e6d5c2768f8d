/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A world for the ring: one CPU whose contexts are function calls nested in
 * each other, a clock that the test sets, a log of all that was accepted, and
 * the invariants of core/ring.c as checks. There is one world at a time.
 *
 * An event's number says how long its payload is, and the thread id of a
 * record is its index in the log, so that a packet can be decoded and checked
 * byte by byte without trusting the code that made it.
 */
#ifndef TL_TEST_RING_WORLD_H
#define TL_TEST_RING_WORLD_H

#include "core/ring.h"

#define WORLD_LOG_MAX 32768
#define WORLD_SLOTS_MAX 16
#define WORLD_PAYLOAD_MAX 16384

/**
 * struct world_config - sizes and mode of the ring
 * @packet_shift: log2 of the bytes of a packet; may be less than the kernel's
 * @count_shift: log2 of the packets
 * @overwrite: the mode
 * @general: writers take the general way at once, not the fast one
 * @wild: the clock jumps, by just less than a long gap or more, and steps back
 */
struct world_config {
	u32 packet_shift;
	u32 count_shift;
	bool overwrite;
	bool general;
	bool wild;
};

/**
 * struct world_entry - an accepted record
 * @pos: where it is
 * @time_ns: its time
 * @id: its event
 * @extended: it has the long header
 * @stored: header and payload are complete
 * @read: it was found in a packet
 * @overwritten: its packet was skipped
 */
struct world_entry {
	u64 pos;
	u64 time_ns;
	u32 id;
	bool extended;
	bool stored;
	bool read;
	bool overwritten;
};

/**
 * struct world - the state of all that
 * @ring: the ring under test
 * @reader: its reader
 * @config: what world_make() was given
 * @slots: the ring's slots
 * @log: accepted records
 * @logged: their number
 * @clock_ns: what the clock says next
 * @clock_step_ns: by how much each look at the clock moves it
 * @clock_looks: number of looks at a wild clock
 * @outcomes: what became of the offered records, by enum tl_outcome
 * @delivered: calls of tl_ring_delivered()
 * @base_seq: number of the world's first packet
 * @expect_seq: packet that the reader should get next
 * @skipped: packets that the reader was told to have missed
 * @last_time_ns: time of the last record read
 * @last_end_ns: end of the last packet read
 * @last_discarded: lost records told by the last packet read
 * @last_content_bytes: of the last packet read
 * @last_records: in the last packet read
 * @spare_copy: what the reader's packet looked like when it was taken
 * @held_seq: the snapshot goes up to this packet, and without it, or
 *	%TL_SEQ_NONE
 * @kept_seq: the first packet that the snapshot must keep
 * @limit_least: least of the reader's limits since its last take has begun
 * @limit_most: and the greatest
 * @may_lose: packets of the snapshot that a writer may still overwrite
 * @writers: reservations under way
 * @have_spare_copy: a packet was taken
 * @reading: the reader is inside of tl_ring_take()
 * @holding: somebody is inside of tl_ring_hold(); there are never two
 * @movers: calls that may have moved the position
 * @last_seq: sequences of the slots when they were looked at last
 * @last_word: words of the slots then
 * @last_spare: and the reader's packet
 * @last_pos: and the position
 * @steps: points passed since world_make(), to find a loop without end
 * @on_point: called at each tl_point(), or NULL
 *
 * What is before @movers is the state: it decides what will come, together with
 * the data, and with the contexts that are under way.
 */
struct world {
	struct tl_ring ring;
	struct tl_ring_reader reader;
	struct world_config config;
	struct tl_slot slots[WORLD_SLOTS_MAX];
	struct world_entry log[WORLD_LOG_MAX];
	u32 logged;
	u64 clock_ns;
	s64 clock_step_ns;
	u64 clock_looks;
	u64 outcomes[TL_OUTCOMES];
	u64 delivered;
	u64 base_seq;
	u64 expect_seq;
	u64 skipped;
	u64 last_time_ns;
	u64 last_end_ns;
	u64 last_discarded;
	u32 last_content_bytes;
	u32 last_records;
	u8 *spare_copy;
	u64 held_seq;
	u64 kept_seq;
	u64 limit_least;
	u64 limit_most;
	u64 may_lose;
	u32 writers;
	bool have_spare_copy;
	bool reading;
	bool holding;
	u64 movers;
	s64 last_seq[WORLD_SLOTS_MAX];
	u64 last_word[WORLD_SLOTS_MAX];
	u64 last_spare;
	u64 last_pos;
	u64 steps;
	void (*on_point)(void);
};

extern struct world world;

/* A small number of an event is the bytes of its payload. */
static inline u32 world_payload(u32 id)
{
	return id < TL_EVENT_EXTENDED ? id : id - TL_EVENT_EXTENDED;
}

/* The event with the extended header for a payload of that length. */
static inline u32 world_extended_id(u32 payload_bytes)
{
	return TL_EVENT_EXTENDED + payload_bytes;
}

static inline u32 world_packet_bytes(void)
{
	return 1u << world.config.packet_shift;
}

/* Longest payload that fits into an empty packet with a short header. */
static inline u32 world_payload_max(void)
{
	return world_packet_bytes() - TL_PACKET_HEADER_BYTES - 2 * sizeof(u64);
}

static inline u64 world_lost(void)
{
	return world.outcomes[TL_FULL] + world.outcomes[TL_WRAPPED] +
	       world.outcomes[TL_TOO_BIG];
}

/* What a slot has committed in all once packet @seq is complete. */
static inline u64 world_committed(u64 seq)
{
	return ((seq >> world.config.count_shift) + 1)
	       << world.config.packet_shift;
}

void world_make(const struct world_config *config);
void world_free(void);
/* Right after world_make(): the first packet is number @seq. */
void world_jump(u64 seq);
/* Keep a quiet world, and go back to it, which is quicker than to repeat it. */
void world_save(void);
void world_restore(void);
/* Of the state of a quiet world, all that decides over its future. */
u64 world_hash(void);

/* Payload of the log's record @index; as long as you like. */
const u8 *world_pattern(u32 index);

/* Reserve, store, commit; or in pieces. */
enum tl_outcome world_write(u32 id);
enum tl_outcome world_reserve(u32 id, struct tl_slice *slice, u32 *index);
void world_store(const struct tl_slice *slice, u32 index);
bool world_flush(void);

/* Begin a snapshot, which keeps all that is there; end it. */
u64 world_hold(void);
void world_resume(void);

/* Take a packet and check all of it; 0, -EAGAIN or -ENODATA. */
int world_take(void);
/* Take packets as long as there are some; returns why there is none. */
int world_drain(void);
/* A packet for what was lost after the last one; 0 or -EAGAIN. */
int world_take_last(void);

/* What must be true at any time, even in the middle of a reservation. */
void world_check_always(void);
/* What must be true when no writer is under way. */
void world_check_quiet(void);
/* I4: the reader's packet does not change until the next take. */
void world_check_spare(void);
/* Flush, read everything, end a snapshot, and balance the books. */
void world_settle(void);
/* The end of the ring: the last packet tells of all losses. */
void world_finish(void);
/* The ring still works: so many laps of records, all of them read. */
void world_laps(u32 laps);

/* Where the next record would be. */
static inline u32 world_offset(void)
{
	return tl_pos_offset(world.ring.geo, world.ring.pos);
}

static inline u64 world_seq(void)
{
	return tl_pos_seq(world.ring.geo, world.ring.pos);
}

/* Write the longest record: one that has a packet to itself. */
static inline enum tl_outcome world_write_packet(void)
{
	return world_write(world_payload_max());
}

#endif
