// SPDX-License-Identifier: GPL-2.0-only
/*
 * The other side of the ring's benchmark: what was written is looked for. A
 * loop that has stored nothing, or too little, is the fastest of all.
 */
#include <stdlib.h>

#include "ring.h"

const u32 bench_bytes[BENCH_SIZES] = { 16, 32, 64, BENCH_BYTES_MAX };

static const u32 tid_mask = (1u << TL_RECORD_TID_BITS) - 1;

struct bench *bench_make(void)
{
	struct tl_geometry geo = tl_geometry(BENCH_PACKET_SHIFT,
					     BENCH_COUNT_SHIFT);
	size_t bytes = BENCH_BUFFER_BYTES + tl_packet_bytes(geo);
	struct bench *bench = aligned_alloc(64, sizeof(*bench));

	if (!bench)
		bench_die("no memory");
	memset(bench, 0, sizeof(*bench));
	bench->data = aligned_alloc(TL_STORE_ALIGN, bytes);
	if (!bench->data)
		bench_die("no memory");
	/* touched here, or the first round would measure page faults */
	memset(bench->data, 0, bytes);
	bench->ring.geo = geo;
	bench->ring.slots = bench->slots;
	bench->ring.data = bench->data;
	bench->this_ring = &bench->ring;
	bench->event.direct_ring = &bench->this_ring;
	return bench;
}

void bench_free(struct bench *bench)
{
	free(bench->data);
	free(bench);
}

/*
 * Empty all, for records of @bytes (with the short header). Each @salt makes
 * another payload, so that what an earlier round has left is not taken for
 * this one's.
 */
void bench_start(struct bench *bench, const struct bench_way *way, u32 bytes,
		 bool overwrite, u64 salt)
{
	const struct tl_ring_identity identity = { .cpu = 0 };
	struct bench_event *event = &bench->event;
	u32 i;

	event->id = way->id;
	event->short_bytes = bytes;
	event->payload_bytes = bytes - (u32)sizeof(u64);
	for (i = 0; i < BENCH_BYTES_MAX / sizeof(u64); i++)
		bench->payload[i] = (salt + i) * 0x9e3779b97f4a7c15;
	memset(bench->slots, 0, sizeof(bench->slots));
	bench->ring.pos = 0;
	bench->ring.max_ns = 0;
	bench->ring.last_ns = 0;
	bench->ring.lost = 0;
	bench->ring.overwrite = overwrite;
	bench->bare_pos = 0;
	bench->bare_committed = 0;
	tl_ring_init(&bench->ring, &bench->reader, &identity);
}

static u32 record_bytes(const struct bench *bench)
{
	return tl_record_bytes(bench->event.payload_bytes,
			       bench->event.id >= TL_EVENT_EXTENDED);
}

/* How many records a packet has when it is closed, the last one in it not. */
u64 bench_packet_records(const struct bench *bench)
{
	/* a record never ends on the border */
	u32 room = tl_packet_bytes(bench->ring.geo) - TL_PACKET_HEADER_BYTES - 1;

	return room / record_bytes(bench);
}

/*
 * The record at @at. Returns its serial number; @time_ns is the time of the
 * record before, and becomes that of this one.
 */
static __always_inline u32 record_read(const u8 *at, u32 id, u64 *time_ns)
{
	const u64 mask = (1u << TL_RECORD_TIME_BITS) - 1;
	const struct tl_record_extended *extended;
	u64 word = *(const u64 *)at;
	u32 found = word & TL_EVENT_EXTENDED;
	u64 low = word >> TL_RECORD_TIME_SHIFT & mask;
	u32 serial = (u32)(word >> TL_RECORD_TID_SHIFT);

	if (found == TL_EVENT_EXTENDED) {
		extended = (const struct tl_record_extended *)at;
		if (extended->time_ns < *time_ns)
			bench_die("time goes back in a packet");
		*time_ns = extended->time_ns;
		found = extended->id;
		serial = extended->context >> TL_EXTENDED_TID_SHIFT;
	} else {
		*time_ns += (low - *time_ns) & mask;
	}
	if (found != id)
		bench_die("a record of event %u, not %u", found, id);
	return serial;
}

/*
 * All records of a packet: serial numbers without a gap, from @serial on, and
 * the payload if it is to be looked at.
 */
static __always_inline u64 walk(const struct bench *bench, const u8 *packet,
				u32 serial, bool with_payload)
{
	const struct tl_packet_header *header = (const void *)packet;
	u32 payload = bench->event.payload_bytes;
	u32 bytes = record_bytes(bench);
	u64 end = header->content_bits / 8;
	u64 offset = TL_PACKET_HEADER_BYTES;
	u64 time_ns = header->begin_ns;

	for (; offset + bytes <= end; offset += bytes, serial++) {
		const u8 *at = packet + offset;
		u32 found = record_read(at, bench->event.id, &time_ns);

		if (found != (serial & tid_mask))
			bench_die("record %u is where %u should be", found,
				  serial & tid_mask);
		if (with_payload &&
		    memcmp(at + bytes - payload, bench->payload, payload))
			bench_die("record %u has another payload", serial);
	}
	if (offset != end || time_ns > header->end_ns)
		bench_die("packet %llu ends in a record, or before its time",
			  (unsigned long long)header->sequence);
	return (end - TL_PACKET_HEADER_BYTES) / bytes;
}

static const u8 *packet_of(const struct bench *bench,
			   const struct tl_packet_view *view)
{
	const u8 *packet = tl_ring_buffer(&bench->ring, view->buffer);
	const struct tl_packet_header *header = (const void *)packet;

	if (header->magic != TL_PACKET_MAGIC || header->sequence != view->seq)
		bench_die("packet %llu has another one's header",
			  (unsigned long long)view->seq);
	return packet;
}

/* A reader's least work: each header of a packet. Returns the records. */
u64 bench_walk_headers(const struct bench *bench,
		       const struct tl_packet_view *view)
{
	const u8 *packet = packet_of(bench, view);
	u64 time_ns = 0;
	u32 serial = record_read(packet + TL_PACKET_HEADER_BYTES,
				 bench->event.id, &time_ns);

	return walk(bench, packet, serial, false);
}

static void check_ring(struct bench *bench, u64 first, u64 count)
{
	struct tl_packet_view view;
	u64 found = 0;

	while (!tl_ring_take(&bench->ring, &bench->reader, &view)) {
		if (view.skipped)
			bench_die("packets were overwritten");
		found += walk(bench, packet_of(bench, &view),
			      (u32)(first + found), true);
	}
	if (found != count || bench->ring.lost)
		bench_die("%llu records written, %llu found, %llu lost",
			  (unsigned long long)count, (unsigned long long)found,
			  (unsigned long long)bench->ring.lost);
}

/* The whole of what was written, after bench_start() and one call of a loop. */
void bench_check(struct bench *bench, const struct bench_way *way, u64 first,
		 u64 count)
{
	u32 bytes = record_bytes(bench);
	const u8 *at = bench->data;
	u64 i;

	if (way->in_ring) {
		check_ring(bench, first, count);
		return;
	}
	if (count * bytes > BENCH_BUFFER_BYTES)
		bench_die("the buffer is too small to check it");
	for (i = 0; i < count; i++, at += bytes)
		if (*(const u64 *)at != (u32)(first + i) ||
		    memcmp(at + sizeof(u64), bench->payload,
			   bench->event.payload_bytes))
			bench_die("%s: record %llu is not there", way->name,
				  (unsigned long long)i);
}
