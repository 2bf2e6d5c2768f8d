/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads what is in a ring, by docs/FORMAT.md and not by the writer's code. */
#ifndef TL_KUNIT_STREAM_H
#define TL_KUNIT_STREAM_H

#include "suites.h"

/**
 * struct tl_record - a record as it was read
 * @id: number of the event
 * @time_ns: full time
 * @context: TL_CTX_*
 * @tid: of the thread
 * @statuses: one for each argument, or NULL
 * @payload: the arguments
 * @bytes: length of @payload
 */
struct tl_record {
	u32 id;
	u64 time_ns;
	u32 context;
	u32 tid;
	const u8 *statuses;
	const u8 *payload;
	u32 bytes;
};

/**
 * struct tl_stream - what is known of one ring while it is read
 * @test: fails where a rule of the format is broken
 * @bed: whose events are in the ring; NULL: each payload is a u32 that tells
 *	its length, itself included, and then that many bytes
 * @visit: called with each record
 * @data: for @visit
 * @packets: read so far
 * @records: read so far
 * @skipped: packets that were overwritten
 * @next_sequence: of the packet to come
 * @end_ns: of the last packet
 * @discarded: as told by the last packet
 */
struct tl_stream {
	struct kunit *test;
	const struct tl_bed *bed;
	void (*visit)(struct tl_stream *stream, const struct tl_record *record);
	void *data;
	u64 packets;
	u64 records;
	u64 skipped;
	u64 next_sequence;
	u64 end_ns;
	u64 discarded;
};

bool tl_stream_take(struct tl_stream *stream, struct tl_ring_cpu *rc);
void tl_stream_drain(struct tl_stream *stream, struct tl_ring_cpu *rc);

#endif
