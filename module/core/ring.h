/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The packet ring: structures and the fast path. ring.c has the protocol, the
 * invariants and the slow path.
 */
#ifndef TL_CORE_RING_H
#define TL_CORE_RING_H

#include "packet.h"

/**
 * enum tl_outcome - what became of a hit; each hit has exactly one
 *
 * The ring decides over the first and over full, wrapped and too big; the
 * others are decided before a reservation.
 */
enum tl_outcome {
	TL_RECORDED,
	TL_FILTERED,
	TL_FULL,
	TL_WRAPPED,
	TL_TOO_BIG,
	TL_RECURSION,
	TL_NOT_RUNNING,
	TL_OUTCOMES,
};

/**
 * struct tl_slot - one packet's place in the ring
 * @word: hand-over word, shared by the CPU's writers and the reader
 * @committed: bytes committed since the ring was made, padding included
 * @content_bytes: of the packet being closed; written by the closer, read by
 *	the deliverer, as the next two
 * @end_ns: time of closing
 * @lost: records lost in this ring up to the closing
 *
 * A cache line each: the reader polls a word while writers commit elsewhere.
 */
struct tl_slot {
	u64 word;
	u64 committed;
	u64 content_bytes;
	u64 end_ns;
	u64 lost;
} __aligned(64);

/**
 * struct tl_ring - one CPU's ring
 * @pos: position of the next record
 * @max_ns: latest time handed out; times never go back
 * @last_ns: time of a recent record, never later than the latest one's
 * @lost: records lost (full, wrapped, too big)
 * @geo: sizes
 * @overwrite: a full ring drops its oldest packet, not the new record; may
 *	change while writers write
 * @slots: one per packet
 * @data: N + 1 buffers of a packet each
 */
struct tl_ring {
	u64 pos;
	u64 max_ns;
	u64 last_ns;
	u64 lost;
	struct tl_geometry geo;
	bool overwrite;
	struct tl_slot *slots;
	u8 *data;
};

/* A sequence that no packet has: no limit. */
#define TL_SEQ_NONE (~0ull)

/**
 * struct tl_ring_reader - the reader's side, under the reader's own lock
 * @spare: the buffer that is not in the ring; the reader's to read
 * @next_seq: packet to take next
 * @skipped: packets jumped over since the last one taken
 * @told: lost records that the packets taken so far tell of
 * @limit_seq: first packet that is not in the snapshot, or %TL_SEQ_NONE. Set
 *	without the lock: whoever holds that may be sleeping.
 */
struct tl_ring_reader {
	u32 spare;
	u64 next_seq;
	u64 skipped;
	u64 told;
	u64 limit_seq;
};

/**
 * struct tl_slice - a reserved piece of the ring
 * @pos: where the record starts
 * @time_ns: its time
 * @commit_bytes: what its writer must commit: the record, and the packet's
 *	header where it opened the packet
 * @extended: it has the extended header
 */
struct tl_slice {
	u64 pos;
	u64 time_ns;
	u32 commit_bytes;
	bool extended;
};

/**
 * struct tl_packet_view - a packet taken by the reader
 * @buffer: number of the buffer
 * @seq: number of the packet
 * @skipped: packets overwritten before it
 */
struct tl_packet_view {
	u32 buffer;
	u64 seq;
	u64 skipped;
};

/**
 * struct tl_ring_identity - constant part of the packet headers
 * @uuid: the session's
 * @cpu: the ring's
 */
struct tl_ring_identity {
	u8 uuid[16];
	u32 cpu;
};

void tl_ring_init(struct tl_ring *ring, struct tl_ring_reader *reader,
		  const struct tl_ring_identity *identity);
enum tl_outcome tl_ring_reserve(struct tl_ring *ring, u32 payload_bytes, u32 id,
				struct tl_slice *slice);
void tl_ring_deliver(struct tl_ring *ring, u64 seq);
bool tl_ring_flush(struct tl_ring *ring);
int tl_ring_take(struct tl_ring *ring, struct tl_ring_reader *reader,
		 struct tl_packet_view *view);
int tl_ring_take_last(const struct tl_ring *ring, struct tl_ring_reader *reader,
		      struct tl_packet_view *view);
u64 tl_ring_hold(struct tl_ring *ring);
bool tl_ring_ready(const struct tl_ring *ring, u64 next_seq, u32 packets);
bool tl_ring_closing(const struct tl_ring *ring, u64 next_seq);

/* Whoever embeds the ring is told of each packet that can be read. */
void tl_ring_delivered(struct tl_ring *ring);

/*
 * Have records been lost that no packet taken so far tells of? For a ring
 * that no writer uses any more.
 */
static __always_inline bool tl_ring_owes(const struct tl_ring *ring,
					 const struct tl_ring_reader *reader)
{
	return READ_ONCE(ring->lost) != READ_ONCE(reader->told);
}

static __always_inline u8 *tl_ring_buffer(const struct tl_ring *ring, u32 buffer)
{
	return ring->data + ((u64)buffer << ring->geo.packet_shift);
}

static __always_inline struct tl_slot *tl_ring_slot(const struct tl_ring *ring,
						    u64 seq)
{
	return &ring->slots[tl_seq_slot(ring->geo, seq)];
}

/* Address of an offset in the open packet of @slot. */
static __always_inline u8 *tl_ring_at(const struct tl_ring *ring,
				      const struct tl_slot *slot, u32 offset)
{
	return tl_ring_buffer(ring, tl_slot_buffer(READ_ONCE(slot->word))) +
	       offset;
}

/*
 * Raise the least time of the ring's next records to @ns. Returns @ns, or what
 * it is already if that is more.
 */
static __always_inline u64 tl_ring_not_before(struct tl_ring *ring, u64 ns)
{
	u64 max = READ_ONCE(ring->max_ns);

	tl_point();
	while (ns > max) {
		if (likely(tl_cpu_try_cmpxchg(&ring->max_ns, &max, ns)))
			return ns;
	}
	return max;
}

/*
 * The clock, never before what it has told anybody in this ring: an NMI-safe
 * clock may step back a little around an update of the timekeeper, and one
 * step of 1 ns back would be decoded as 134 ms forward.
 */
static __always_inline u64 tl_ring_now(struct tl_ring *ring)
{
	return tl_ring_not_before(ring, tl_env_clock_ns());
}

/* Add to a packet's committed bytes; who completes it delivers it. */
static __always_inline void tl_ring_commit_at(struct tl_ring *ring,
					      struct tl_slot *slot, u64 pos,
					      u32 bytes)
{
	u64 sum = tl_cpu_add_return(&slot->committed, bytes);

	tl_point();
	if (unlikely(tl_sum_complete(ring->geo, sum)))
		tl_ring_deliver(ring, tl_pos_seq(ring->geo, pos));
}

/*
 * The fast path, for a short record that fits into the open packet. Its caller
 * goes through the steps itself, in this order:
 *
 *	pos = tl_ring_pos(ring)			where the record will start
 *	now = tl_ring_now(ring)			its time
 *	tl_ring_try_reserve(ring, pos, &offset, now, bytes)
 *						or else tl_ring_reserve()
 *	slot = tl_ring_slot_of(ring, pos)
 *	store at tl_ring_at(ring, slot, offset)
 *	tl_ring_commit_at(ring, slot, pos, bytes)
 *
 * The time is taken between the two looks at the position: a writer that was
 * overtaken fails to move it and takes a later time, so time order is position
 * order.
 */
static __always_inline u64 tl_ring_pos(const struct tl_ring *ring)
{
	return READ_ONCE(ring->pos);
}

static __always_inline struct tl_slot *tl_ring_slot_of(const struct tl_ring *ring,
						       u64 pos)
{
	return tl_ring_slot(ring, tl_pos_seq(ring->geo, pos));
}

/**
 * tl_ring_try_reserve() - reserve a short record in the open packet
 * @ring: this CPU's ring; preemption is off
 * @pos: from tl_ring_pos()
 * @offset: filled in: of @pos in its packet
 * @now_ns: from tl_ring_now(), called after that
 * @bytes: of the record, its short header included
 *
 * Returns false, with nothing changed, where tl_ring_reserve() must do it: the
 * packet is full or not open, the time needs the extended header, or another
 * context came between.
 */
static __always_inline bool tl_ring_try_reserve(struct tl_ring *ring, u64 pos,
						u32 *offset, u64 now_ns,
						u32 bytes)
{
	*offset = tl_pos_offset(ring->geo, pos);
	tl_point();
	if (unlikely(tl_gap_needs_extended(now_ns - READ_ONCE(ring->last_ns))))
		return false;
	tl_point();
	/*
	 * A record never ends on a boundary, or offset 0 had two meanings. As
	 * offset 0 wraps to more than any packet, this is both tests in one: is
	 * a packet open, and is offset + bytes at most its last byte?
	 */
	if (unlikely((u64)(*offset - 1) + bytes >= ring->geo.packet_mask))
		return false;
	if (unlikely(!tl_cpu_try_cmpxchg(&ring->pos, &pos, pos + bytes)))
		return false;
	tl_point();
	WRITE_ONCE(ring->last_ns, now_ns);
	tl_point();
	return true;
}

/**
 * tl_ring_commit() - a record reserved by tl_ring_reserve() is written
 * @ring: the ring
 * @slice: what was reserved
 *
 * No barrier: only contexts of this CPU look at the sum, and the one that
 * completes the packet publishes it with a release.
 */
static __always_inline void tl_ring_commit(struct tl_ring *ring,
					   const struct tl_slice *slice)
{
	tl_ring_commit_at(ring, tl_ring_slot_of(ring, slice->pos), slice->pos,
			  slice->commit_bytes);
}

/* Where a record reserved by tl_ring_reserve() starts. */
static __always_inline u8 *tl_ring_record(const struct tl_ring *ring,
					  const struct tl_slice *slice)
{
	return tl_ring_at(ring, tl_ring_slot_of(ring, slice->pos),
			  tl_pos_offset(ring->geo, slice->pos));
}

/* Store a short header; returns where the payload goes. */
static __always_inline u8 *tl_record_store_short(u8 *at, u64 time_ns, u32 id,
						 u32 context, u32 tid)
{
	*(u64 *)at = tl_record_header(id, time_ns, context, tid);
	return at + sizeof(u64);
}

/*
 * Store the header of a record reserved by tl_ring_reserve(); returns where
 * the payload goes.
 */
static __always_inline u8 *tl_record_store(const struct tl_ring *ring,
					   const struct tl_slice *slice, u32 id,
					   u32 context, u32 tid)
{
	u8 *at = tl_ring_record(ring, slice);
	struct tl_record_extended *extended;

	if (!slice->extended)
		return tl_record_store_short(at, slice->time_ns, id, context,
					     tid);
	extended = (struct tl_record_extended *)at;
	extended->event = TL_EVENT_EXTENDED;
	extended->id = id;
	extended->time_ns = slice->time_ns;
	extended->context = context | tid << TL_EXTENDED_TID_SHIFT;
	extended->reserved = 0;
	return at + sizeof(*extended);
}

#endif
