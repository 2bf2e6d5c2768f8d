/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arithmetic of positions, packets and record headers.
 *
 * A position counts the bytes of all packets since the ring was made; 64 bits
 * of it never wrap in practice. Packet sizes and counts are powers of two, so
 * that everything below is shifts and masks: a division by a size known at run
 * time costs more than the rest of a reservation.
 */
#ifndef TL_CORE_PACKET_H
#define TL_CORE_PACKET_H

#include "env.h"
#include "trapline_packet.h"

#define TL_PACKET_HEADER_BYTES ((u32)sizeof(struct tl_packet_header))
#define TL_PACKET_SHIFT_MIN 12
#define TL_PACKET_SHIFT_MAX 22
#define TL_COUNT_SHIFT_MIN 1
#define TL_COUNT_SHIFT_MAX 12
/* A stored packet ends on a multiple of this, for direct I/O. */
#define TL_STORE_ALIGN 4096u

/**
 * struct tl_geometry - sizes of a ring
 * @packet_shift: log2 of the bytes of a packet
 * @packet_mask: bytes of a packet less one
 * @count_shift: log2 of the number of packets
 * @count_mask: number of packets less one
 */
struct tl_geometry {
	u32 packet_shift;
	u32 packet_mask;
	u32 count_shift;
	u32 count_mask;
};

static __always_inline struct tl_geometry tl_geometry(u32 packet_shift,
						      u32 count_shift)
{
	const struct tl_geometry geo = {
		.packet_shift = packet_shift,
		.packet_mask = (1u << packet_shift) - 1,
		.count_shift = count_shift,
		.count_mask = (1u << count_shift) - 1,
	};

	return geo;
}

static __always_inline u32 tl_packet_bytes(struct tl_geometry geo)
{
	return geo.packet_mask + 1;
}

static __always_inline u32 tl_packet_count(struct tl_geometry geo)
{
	return geo.count_mask + 1;
}

/* Offset in the packet; 0 means that no packet is open. */
static __always_inline u32 tl_pos_offset(struct tl_geometry geo, u64 pos)
{
	return (u32)pos & geo.packet_mask;
}

static __always_inline u64 tl_pos_seq(struct tl_geometry geo, u64 pos)
{
	return pos >> geo.packet_shift;
}

static __always_inline u64 tl_seq_pos(struct tl_geometry geo, u64 seq)
{
	return seq << geo.packet_shift;
}

static __always_inline u32 tl_seq_slot(struct tl_geometry geo, u64 seq)
{
	return (u32)seq & geo.count_mask;
}

/*
 * Is a packet complete, when its slot has committed @sum bytes in all? Each
 * lap commits the bytes of one packet, and none before the last is complete,
 * so the sum is a multiple of them exactly then.
 */
static __always_inline bool tl_sum_complete(struct tl_geometry geo, u64 sum)
{
	return !(sum & geo.packet_mask);
}

/* The slot word: buffer in bits 0-15, state in 16-17, sequence in 18-63. */
#define TL_SLOT_STATE_SHIFT 16
#define TL_SLOT_IDLE 0u
#define TL_SLOT_OPEN 1u
#define TL_SLOT_FULL 2u
#define TL_SLOT_SEQ_SHIFT 18

static __always_inline u64 tl_slot_word(u32 state, u32 buffer, u64 seq)
{
	return seq << TL_SLOT_SEQ_SHIFT | state << TL_SLOT_STATE_SHIFT | buffer;
}

static __always_inline u32 tl_slot_state(u64 word)
{
	return (u32)word >> TL_SLOT_STATE_SHIFT & 3;
}

static __always_inline u32 tl_slot_buffer(u64 word)
{
	return (u16)word;
}

/*
 * How far the sequence in a slot word is ahead of @seq: negative where it is
 * behind. 46 bits of sequence are compared, as a signed difference.
 */
static __always_inline s64 tl_slot_ahead(u64 word, u64 seq)
{
	return (s64)((word & ~(BIT(TL_SLOT_SEQ_SHIFT) - 1)) -
		     (seq << TL_SLOT_SEQ_SHIFT)) >> TL_SLOT_SEQ_SHIFT;
}

/* Length that a record takes in a packet. */
static __always_inline u32 tl_record_bytes(u32 payload_bytes, bool extended)
{
	u32 header = extended ? sizeof(struct tl_record_extended) : sizeof(u64);

	return header + ALIGN(payload_bytes, (u32)TL_RECORD_ALIGN);
}

/* A time gap of this or more cannot be told by the short header. */
static __always_inline bool tl_gap_needs_extended(u64 gap_ns)
{
	return gap_ns >> TL_RECORD_TIME_BITS;
}

static __always_inline u64 tl_record_header(u32 id, u64 time_ns, u32 context,
					    u32 tid)
{
	/* two shifts cut the time to its low bits: no mask to load */
	u64 time = time_ns << (64 - TL_RECORD_TIME_BITS) >>
		   (64 - TL_RECORD_TIME_BITS - TL_RECORD_TIME_SHIFT);

	return id | time | (u64)context << TL_RECORD_CTX_SHIFT |
	       (u64)tid << TL_RECORD_TID_SHIFT;
}

#endif
