// SPDX-License-Identifier: GPL-2.0-only
/* A ring under stress: the reader, who checks each word, and the books. */
#include <stdio.h>

#include "stress.h"

/**
 * struct cursor - a packet being decoded
 * @at: the next record
 * @end: where the content ends
 * @time_ns: time of the record before, or the packet's begin
 * @records: so far
 */
struct cursor {
	const u8 *at;
	const u8 *end;
	u64 time_ns;
	u32 records;
};

static u64 checksum(const struct stress *stress)
{
	const u64 *words = (const u64 *)tl_ring_buffer(&stress->ring,
						       stress->reader.spare);
	u64 sum = 0;
	u32 i;

	for (i = 0; i < tl_packet_bytes(stress->ring.geo) / 8; i++)
		sum = (sum ^ words[i]) * 0x100000001b3ull;
	return sum;
}

void stress_check_spare(struct stress *stress)
{
	if (stress->expect_seq && checksum(stress) != stress->spare_sum)
		stress_error(stress, "I4: the reader's packet was changed",
			     checksum(stress), stress->spare_sum);
}

/* The header at the cursor; returns the length of the payload. */
static u32 check_header(struct stress *stress, struct cursor *cursor)
{
	u64 word = *(const u64 *)cursor->at;
	u32 id = word & ((1u << TL_RECORD_ID_BITS) - 1);

	if (id == TL_EVENT_EXTENDED) {
		struct tl_record_extended header;

		memcpy(&header, cursor->at, sizeof(header));
		cursor->at += sizeof(header);
		cursor->time_ns = header.time_ns;
		id = header.id;
	} else {
		u64 mask = (1u << TL_RECORD_TIME_BITS) - 1;
		u64 time = (cursor->time_ns & ~mask) |
			   (word >> TL_RECORD_TIME_SHIFT & mask);

		if (time < cursor->time_ns)
			time += mask + 1;
		cursor->time_ns = time;
		cursor->at += sizeof(word);
	}
	if (cursor->time_ns < stress->time_ns)
		stress_error(stress, "I7: a time goes back", cursor->time_ns,
			     stress->time_ns);
	stress->time_ns = cursor->time_ns;
	return id < TL_EVENT_EXTENDED ? id : id - TL_EVENT_EXTENDED;
}

/* Each ticket is read once. */
static void check_ticket(struct stress *stress, u64 ticket)
{
	u8 bit = (u8)(1 << (ticket & 7));

	if (ticket >= STRESS_TICKETS_MAX) {
		stress_error(stress, "a record that nobody wrote", ticket, 0);
		return;
	}
	if (stress->seen[ticket / 8] & bit)
		stress_error(stress, "a record is read twice", ticket, 0);
	stress->seen[ticket / 8] |= bit;
}

/* Returns false where the rest of the packet makes no sense. */
static bool check_record(struct stress *stress, struct cursor *cursor)
{
	u32 payload_bytes = check_header(stress, cursor);
	const u64 *words = (const u64 *)cursor->at;
	u32 i;

	cursor->at += ALIGN(payload_bytes, 8u);
	if (payload_bytes < 16 || cursor->at > cursor->end) {
		stress_error(stress, "a payload's length", payload_bytes, 16);
		return false;
	}
	check_ticket(stress, words[0]);
	if (words[1] != cursor->time_ns)
		stress_error(stress, "I7: a decoded time", cursor->time_ns,
			     words[1]);
	for (i = 2; i < ALIGN(payload_bytes, 8u) / 8; i++)
		if (words[i] != stress_word(words[0], i))
			stress_error(stress, "a word of a payload", words[i],
				     stress_word(words[0], i));
	cursor->records++;
	return true;
}

static void check_packet_header(struct stress *stress,
				const struct tl_packet_header *header, u64 seq)
{
	if (header->magic != TL_PACKET_MAGIC || header->cpu != 7)
		stress_error(stress, "the constant part of a header",
			     header->magic, TL_PACKET_MAGIC);
	if (header->sequence != seq)
		stress_error(stress, "I6: a header's sequence",
			     header->sequence, seq);
	if (header->begin_ns < stress->end_ns)
		stress_error(stress, "I7: a packet's begin", header->begin_ns,
			     stress->end_ns);
	if (header->discarded < stress->discarded)
		stress_error(stress, "the lost records go back",
			     header->discarded, stress->discarded);
	stress->discarded = header->discarded;
}

static u32 check_packet(struct stress *stress, const u8 *packet, u64 seq)
{
	const struct tl_packet_header *header = (const void *)packet;
	u64 bytes = header->content_bits / 8;
	struct cursor cursor = {
		.at = packet + sizeof(*header),
		.end = packet + bytes,
		.time_ns = header->begin_ns,
	};

	check_packet_header(stress, header, seq);
	if (bytes <= sizeof(*header) ||
	    bytes >= tl_packet_bytes(stress->ring.geo)) {
		stress_error(stress, "bytes of content", bytes, 0);
		return 0;
	}
	while (cursor.at < cursor.end)
		if (!check_record(stress, &cursor))
			break;
	if (header->end_ns < cursor.time_ns)
		stress_error(stress, "I7: a packet's end", header->end_ns,
			     cursor.time_ns);
	stress->end_ns = header->end_ns;
	return cursor.records;
}

int stress_take(struct stress *stress)
{
	struct tl_packet_view view;
	int status;
	u32 i;

	stress_check_spare(stress);
	status = tl_ring_take(&stress->ring, &stress->reader, &view);
	if (status)
		return status;
	if (view.seq != stress->expect_seq + view.skipped)
		stress_error(stress, "a packet's number", view.seq,
			     stress->expect_seq + view.skipped);
	for (i = 0; i < view.skipped; i++)
		stress->found[stress->expect_seq + i] = STRESS_SKIPPED;
	WRITE_ONCE(stress->skipped, stress->skipped + view.skipped);
	stress->expect_seq = view.seq + 1;
	stress->found[view.seq] =
		(u16)check_packet(stress, tl_ring_buffer(&stress->ring,
							 view.buffer), view.seq);
	stress->read += stress->found[view.seq];
	stress->spare_sum = checksum(stress);
	return 0;
}

u64 stress_outcomes(const struct stress *stress, enum tl_outcome outcome)
{
	u64 sum = 0;
	u32 level;

	for (level = 0; level < STRESS_LEVELS; level++)
		sum += stress->levels[level].outcomes[outcome];
	return sum;
}

static void check_equal(struct stress *stress, const char *what, u64 is,
			u64 expected)
{
	if (is != expected)
		stress_error(stress, what, is, expected);
}

void stress_check_books(struct stress *stress)
{
	u64 recorded = stress_outcomes(stress, TL_RECORDED);
	u64 lost = stress_outcomes(stress, TL_FULL) +
		   stress_outcomes(stress, TL_WRAPPED) +
		   stress_outcomes(stress, TL_TOO_BIG);
	u64 overwritten = 0;
	u64 skipped = 0;
	u64 seq;

	stress_check_spare(stress);
	for (seq = 0; seq < stress->expect_seq; seq++) {
		if (stress->found[seq] == STRESS_SKIPPED) {
			overwritten += stress->accepted[seq];
			skipped++;
		} else {
			check_equal(stress, "records in a packet",
				    stress->found[seq], stress->accepted[seq]);
		}
	}
	check_equal(stress, "I8: offered", stress->tickets, recorded + lost);
	check_equal(stress, "I8: accepted", recorded,
		    stress->read + overwritten);
	check_equal(stress, "the ring's count of lost records",
		    stress->ring.lost, lost);
	check_equal(stress, "packets skipped", stress->skipped, skipped);
	check_equal(stress, "packets", stress->expect_seq,
		    tl_pos_seq(stress->ring.geo, stress->ring.pos));
	if (!stress->ring.overwrite)
		check_equal(stress, "packets skipped in discard mode", skipped,
			    0);
	if (stress->discarded > lost)
		stress_error(stress, "lost records told", stress->discarded,
			     lost);
}
