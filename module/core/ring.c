// SPDX-License-Identifier: GPL-2.0-only
/*
 * The packet ring.
 *
 * One ring per CPU. Writers are the contexts of that CPU (task, softirq, irq,
 * NMI), each nested in the one it interrupts; the reader may be anywhere. The
 * ring is N packets of S bytes and one spare packet, which is the reader's.
 *
 *	       pos
 *	        v
 *	... +-------+-------+-------+-------+ ...     N slots, by sequence mod N
 *	    | FULL  | OPEN  | IDLE  | FULL  |
 *	... +-------+-------+-------+-------+ ...     +-------+
 *	        |       |       |       |             | spare |  the reader's
 *	      buffer  buffer  buffer  buffer          +-------+
 *
 * A writer moves pos (reserve), stores its record, and adds its length to the
 * slot's committed bytes (commit). The writer whose record does not fit any
 * more opens the next packet and closes the old one, which adds the rest of it
 * as padding; so exactly one commit completes the packet, whoever is the last
 * of nested writers, and that one delivers it: FULL. The reader swaps a FULL
 * buffer with its spare. docs/RING.md derives the protocol step by step.
 *
 * Invariants, each with a test of tests/unit that fails when it is broken, and
 * how tests/unit/mutate.sh breaks it:
 *
 * I1. The buffers of the N slots and the spare are a permutation of 0..N.
 *     (ring_reader, "taken buffer left in the ring")
 * I2. If pos is inside a packet, its slot is OPEN with that sequence.
 *     (ring_nest, "packet opened after the position has moved")
 * I3. Sequences of a slot only grow; IDLE and FULL of lap k let only lap k+1
 *     open. (The stamp in IDLE is needed: a writer with a stale view would
 *     reopen a slot that was used and read meanwhile.)
 *     (ring_nest, "stamp of IDLE ignored")
 * I4. Writers store only into OPEN buffers of their own CPU; the reader loads
 *     only the spare. (ring_nest, "open slot of an older lap reopened")
 * I5. Each lap commits exactly S bytes to a slot, so exactly one sum is the
 *     lap's target. (ring_nest, "addition not atomic")
 * I6. Begin fields are written by the opener, end fields by the deliverer.
 *     (All of them by the reader, in the last packet.)
 *     (ring, "number of a new packet not set", "padding counted as content")
 * I7. Times in a packet never decrease; begin <= first, last <= end,
 *     end <= next begin. (ring, "end time before the last record")
 * I8. accepted = read + in overwritten packets; offered = accepted + lost.
 *     (ring_nest, "lost records counted after the move")
 * I9. A refused record leaves pos as it was and the ring usable.
 *     (ring_nest, "refused record leaves a hole")
 *
 * Sources: reserve/commit with monotonic counters and a spare sub-buffer are
 * ideas of LTTng (M. Desnoyers) and of ftrace (S. Rostedt); the hand-over word
 * that replaces their several mechanisms is ours.
 */
#include "ring.h"

/**
 * tl_ring_init() - put a ring and its reader into their first state
 * @ring: geo, overwrite, slots (zeroed) and data (zeroed) are set
 * @reader: the reader
 * @identity: constant part of the packet headers, stored into each buffer once
 */
void tl_ring_init(struct tl_ring *ring, struct tl_ring_reader *reader,
		  const struct tl_ring_identity *identity)
{
	u32 count = tl_packet_count(ring->geo);
	u32 i;

	for (i = 0; i <= count; i++) {
		struct tl_packet_header *header =
			(struct tl_packet_header *)tl_ring_buffer(ring, i);

		header->magic = TL_PACKET_MAGIC;
		memcpy(header->uuid, identity->uuid, sizeof(header->uuid));
		header->cpu = identity->cpu;
		header->format = TL_FORMAT;
		if (i < count)
			ring->slots[i].word = tl_slot_word(TL_SLOT_IDLE, i,
							   (u64)i - count);
	}
	reader->spare = count;
	reader->next_seq = 0;
	reader->skipped = 0;
	reader->told = 0;
	reader->limit_seq = TL_SEQ_NONE;
}

enum tl_prepared { TL_PREPARED, TL_STALE, TL_REFUSED_FULL, TL_REFUSED_WRAP };

/*
 * Make the slot of packet @seq OPEN. Nested writers may repeat it: the first
 * one opens, the others find it open.
 */
static enum tl_prepared tl_ring_prepare(struct tl_ring *ring, u64 seq)
{
	u64 *word = &tl_ring_slot(ring, seq)->word;
	u64 seen = READ_ONCE(*word);

	for (;;) {
		u32 state = tl_slot_state(seen);
		s64 ahead = tl_slot_ahead(seen, seq);
		u64 found;

		tl_point();
		if (state == TL_SLOT_OPEN && ahead == 0)
			return TL_PREPARED;
		if (ahead >= 0)
			return TL_STALE;
		if (state == TL_SLOT_OPEN)
			return TL_REFUSED_WRAP;
		if (state == TL_SLOT_FULL && !READ_ONCE(ring->overwrite))
			return TL_REFUSED_FULL;
		tl_point();
		/* acquire: the reader's loads of this buffer are over */
		found = tl_shared_cmpxchg(word, seen,
					  tl_slot_word(TL_SLOT_OPEN,
						       tl_slot_buffer(seen),
						       seq));
		tl_point();
		if (found == seen)
			return TL_PREPARED;
		seen = found;
	}
}

NOKPROBE_SYMBOL(tl_ring_prepare);

/* Close the packet of @pos, from which on the rest is padding. */
static void tl_ring_close(struct tl_ring *ring, u64 pos, u64 now_ns, u64 lost)
{
	struct tl_slot *slot = tl_ring_slot_of(ring, pos);
	u32 offset = tl_pos_offset(ring->geo, pos);

	WRITE_ONCE(slot->content_bytes, offset);
	WRITE_ONCE(slot->end_ns, now_ns);
	WRITE_ONCE(slot->lost, lost);
	tl_point();
	tl_ring_commit_at(ring, slot, pos, tl_packet_bytes(ring->geo) - offset);
}

NOKPROBE_SYMBOL(tl_ring_close);

static enum tl_outcome tl_ring_lose(struct tl_ring *ring, enum tl_outcome why)
{
	tl_cpu_add_return(&ring->lost, 1);
	return why;
}

NOKPROBE_SYMBOL(tl_ring_lose);

/*
 * Move pos into the packet after the one of @pos, opening it.
 * Returns false where pos had moved meanwhile.
 */
static bool tl_ring_advance(struct tl_ring *ring, u64 pos, u64 next, u32 bytes,
			    struct tl_slice *slice)
{
	struct tl_packet_header *header;
	u64 start = tl_seq_pos(ring->geo, next);
	u64 lost = READ_ONCE(ring->lost);
	u64 old = pos;

	tl_point();
	if (!tl_cpu_try_cmpxchg(&ring->pos, &old,
				start + TL_PACKET_HEADER_BYTES + bytes))
		return false;
	tl_point();
	WRITE_ONCE(ring->last_ns, slice->time_ns);
	header = (struct tl_packet_header *)
		tl_ring_at(ring, tl_ring_slot(ring, next), 0);
	header->begin_ns = slice->time_ns;
	header->sequence = next;
	slice->pos = start + TL_PACKET_HEADER_BYTES;
	slice->commit_bytes = TL_PACKET_HEADER_BYTES + bytes;
	tl_point();
	if (tl_pos_offset(ring->geo, pos))
		tl_ring_close(ring, pos, slice->time_ns, lost);
	return true;
}

NOKPROBE_SYMBOL(tl_ring_advance);

/**
 * tl_ring_reserve() - reserve room for one record
 * @ring: this CPU's ring; preemption is off
 * @payload_bytes: what follows the record's header
 * @id: number of the event
 * @slice: filled in when TL_RECORDED is returned
 *
 * Returns TL_RECORDED, TL_FULL, TL_WRAPPED or TL_TOO_BIG. After TL_RECORDED
 * the caller stores header and payload and calls tl_ring_commit(), without
 * anything in between that could fault, sleep or be skipped.
 */
noinline enum tl_outcome tl_ring_reserve(struct tl_ring *ring, u32 payload_bytes,
					 u32 id, struct tl_slice *slice)
{
	u32 packet_bytes = tl_packet_bytes(ring->geo);

	for (;;) {
		u64 pos = READ_ONCE(ring->pos);
		u32 offset = tl_pos_offset(ring->geo, pos);
		u64 next = tl_pos_seq(ring->geo, pos) + (offset ? 1 : 0);
		u64 gap_ns;
		u32 bytes;

		tl_point();
		slice->time_ns = tl_ring_now(ring);
		tl_point();
		gap_ns = slice->time_ns - READ_ONCE(ring->last_ns);
		if ((s64)gap_ns < 0)
			continue; /* another context came between */
		slice->extended = id >= TL_EVENT_EXTENDED ||
				  tl_gap_needs_extended(gap_ns);
		bytes = tl_record_bytes(payload_bytes, slice->extended);
		tl_point();
		if (offset && offset + bytes < packet_bytes) {
			if (!tl_cpu_try_cmpxchg(&ring->pos, &pos, pos + bytes))
				continue;
			tl_point();
			WRITE_ONCE(ring->last_ns, slice->time_ns);
			tl_point();
			slice->pos = pos;
			slice->commit_bytes = bytes;
			return TL_RECORDED;
		}

		/* In a new packet the gap is 0: its begin is this time. */
		slice->extended = id >= TL_EVENT_EXTENDED;
		bytes = tl_record_bytes(payload_bytes, slice->extended);
		if (TL_PACKET_HEADER_BYTES + bytes >= packet_bytes)
			return tl_ring_lose(ring, TL_TOO_BIG);
		switch (tl_ring_prepare(ring, next)) {
		case TL_STALE:
			continue;
		case TL_REFUSED_FULL:
			return tl_ring_lose(ring, TL_FULL);
		case TL_REFUSED_WRAP:
			return tl_ring_lose(ring, TL_WRAPPED);
		case TL_PREPARED:
			break;
		}
		if (tl_ring_advance(ring, pos, next, bytes, slice))
			return TL_RECORDED;
	}
}

NOKPROBE_SYMBOL(tl_ring_reserve);

/**
 * tl_ring_deliver() - hand a complete packet to the reader
 * @ring: the ring
 * @seq: the packet, whose last byte the caller has just committed
 */
noinline void tl_ring_deliver(struct tl_ring *ring, u64 seq)
{
	struct tl_slot *slot = tl_ring_slot(ring, seq);
	u32 buffer = tl_slot_buffer(READ_ONCE(slot->word));
	struct tl_packet_header *header =
		(struct tl_packet_header *)tl_ring_buffer(ring, buffer);
	u64 content_bytes = READ_ONCE(slot->content_bytes);

	header->end_ns = READ_ONCE(slot->end_ns);
	header->content_bits = content_bytes * 8;
	/* not beyond the buffer: S is a multiple of TL_STORE_ALIGN */
	header->packet_bits = ALIGN(content_bytes, (u64)TL_STORE_ALIGN) * 8;
	header->discarded = READ_ONCE(slot->lost);
	tl_point();
	/*
	 * A. Publish. Pairs with B in tl_ring_take(): all records of the
	 * packet and its header are visible to who sees it FULL.
	 */
	smp_store_release(&slot->word, tl_slot_word(TL_SLOT_FULL, buffer, seq));
	tl_point();
	tl_ring_delivered(ring);
}

NOKPROBE_SYMBOL(tl_ring_deliver);

/**
 * tl_ring_flush() - close the open packet, if there is one
 * @ring: this CPU's ring, or one whose CPU is offline
 *
 * Returns whether there was one.
 */
bool tl_ring_flush(struct tl_ring *ring)
{
	u64 pos = READ_ONCE(ring->pos);

	for (;;) {
		u64 next = tl_pos_seq(ring->geo, pos) + 1;
		u64 lost = READ_ONCE(ring->lost);
		u64 now_ns;

		tl_point();
		if (!tl_pos_offset(ring->geo, pos))
			return false;
		/*
		 * Not the clock: whoever probes that would move pos with each
		 * look at it. No time that was handed out is later than this.
		 */
		now_ns = READ_ONCE(ring->max_ns);
		tl_point();
		if (tl_cpu_try_cmpxchg(&ring->pos, &pos,
				       tl_seq_pos(ring->geo, next))) {
			tl_point();
			tl_ring_close(ring, pos, now_ns, lost);
			return true;
		}
	}
}

NOKPROBE_SYMBOL(tl_ring_flush);

/**
 * tl_ring_hold() - keep what the ring has: the beginning of a snapshot
 * @ring: this CPU's ring, or one whose CPU is offline
 *
 * Stops the overwriting and closes the open packet, so that all records up to
 * here are in packets that stay until they are taken. Returns the number of
 * the first packet after those; the reader's limit.
 *
 * A writer that is interrupted right here may have decided to overwrite the
 * oldest packet already. It does so once; the reader is told, as of any
 * other packet that was overwritten before.
 */
u64 tl_ring_hold(struct tl_ring *ring)
{
	WRITE_ONCE(ring->overwrite, false);
	tl_point();
	tl_ring_flush(ring);
	/* inside a packet again where an NMI came meanwhile: it is the next */
	return tl_pos_seq(ring->geo, READ_ONCE(ring->pos));
}

NOKPROBE_SYMBOL(tl_ring_hold);

/* Describe the packet in the spare, note the losses it tells of, go on. */
static void tl_ring_taken(const struct tl_ring *ring,
			  struct tl_ring_reader *reader,
			  struct tl_packet_view *view)
{
	const struct tl_packet_header *header =
		(const struct tl_packet_header *)
			tl_ring_buffer(ring, reader->spare);

	view->buffer = reader->spare;
	view->seq = reader->next_seq;
	view->skipped = reader->skipped;
	reader->skipped = 0;
	WRITE_ONCE(reader->told, header->discarded);
	tl_point();
	WRITE_ONCE(reader->next_seq, reader->next_seq + 1);
}

/**
 * tl_ring_take() - swap the next full packet with the reader's spare
 * @ring: the ring
 * @reader: its only reader, locked
 * @view: filled in when a packet was taken
 *
 * Returns 0; -EAGAIN if there is none yet; -ENODATA at the end of a snapshot.
 * The packet is the reader's until the next success; no writer can reach it,
 * in either mode.
 */
int tl_ring_take(struct tl_ring *ring, struct tl_ring_reader *reader,
		 struct tl_packet_view *view)
{
	for (;;) {
		u64 next = reader->next_seq;
		u64 *word = &tl_ring_slot(ring, next)->word;
		u64 seen = smp_load_acquire(word); /* B, see below */
		s64 ahead = tl_slot_ahead(seen, next);

		tl_point();
		if (next >= READ_ONCE(reader->limit_seq))
			return -ENODATA;
		if (ahead > 0) {
			/* overwritten: the oldest that can still be there */
			s64 jump = ahead - tl_packet_count(ring->geo) + 1;

			jump = jump > 1 ? jump : 1;
			WRITE_ONCE(reader->next_seq, next + (u64)jump);
			reader->skipped += (u64)jump;
			continue;
		}
		if (ahead < 0 || tl_slot_state(seen) != TL_SLOT_FULL)
			return -EAGAIN;
		/*
		 * B. Take, and give back the last one. Acquire pairs with A.
		 * Release: the reader's loads of its old spare, those of user
		 * space included (they precede the system call), are over
		 * before a writer can open it (the cmpxchg in
		 * tl_ring_prepare()).
		 */
		if (tl_shared_cmpxchg(word, seen,
				      tl_slot_word(TL_SLOT_IDLE, reader->spare,
						   next)) != seen)
			continue;
		reader->spare = tl_slot_buffer(seen);
		tl_point();
		tl_ring_taken(ring, reader, view);
		return 0;
	}
}

/**
 * tl_ring_take_last() - a packet for what was lost after the last one
 * @ring: a ring that no writer uses any more, all of whose packets are taken
 * @reader: its only reader, locked
 * @view: filled in when a packet was made
 *
 * A packet without records. It is made in the reader's spare, so it comes even
 * from a ring that was full to the end. Returns 0, or -EAGAIN where all losses
 * have been told.
 */
int tl_ring_take_last(const struct tl_ring *ring, struct tl_ring_reader *reader,
		      struct tl_packet_view *view)
{
	struct tl_packet_header *header =
		(struct tl_packet_header *)tl_ring_buffer(ring, reader->spare);

	if (!tl_ring_owes(ring, reader))
		return -EAGAIN;
	header->begin_ns = ring->max_ns;
	header->end_ns = ring->max_ns;
	header->content_bits = TL_PACKET_HEADER_BYTES * 8;
	header->packet_bits = TL_STORE_ALIGN * 8;
	header->sequence = reader->next_seq;
	header->discarded = ring->lost;
	tl_ring_taken(ring, reader, view);
	return 0;
}

/**
 * tl_ring_ready() - are the next packets there to be taken?
 * @ring: the ring
 * @next_seq: the reader's next packet
 * @packets: how many, at least 1
 *
 * In an overwriting ring a slot that is ahead counts as ready, too: the take
 * will jump.
 */
bool tl_ring_ready(const struct tl_ring *ring, u64 next_seq, u32 packets)
{
	u64 first = READ_ONCE(tl_ring_slot(ring, next_seq)->word);

	/* taken this moment by a reader that has not stored its next yet */
	if (tl_slot_state(first) == TL_SLOT_IDLE &&
	    !tl_slot_ahead(first, next_seq))
		next_seq++;
	/* from the far end: what is not ready there ends the look at once */
	while (packets--) {
		u64 seq = next_seq + packets;
		u64 word = READ_ONCE(tl_ring_slot(ring, seq)->word);
		s64 ahead = tl_slot_ahead(word, seq);

		if (ahead > 0)
			return true;
		if (ahead < 0 || tl_slot_state(word) != TL_SLOT_FULL)
			return false;
	}
	return true;
}

NOKPROBE_SYMBOL(tl_ring_ready);

/**
 * tl_ring_closing() - is a packet closed that cannot be taken yet?
 * @ring: the ring
 * @next_seq: the reader's next packet
 *
 * True where a writer was interrupted before its commit while a nested one, or
 * a flush, went on to the next packet.
 */
bool tl_ring_closing(const struct tl_ring *ring, u64 next_seq)
{
	return tl_pos_seq(ring->geo, READ_ONCE(ring->pos)) > next_seq;
}
