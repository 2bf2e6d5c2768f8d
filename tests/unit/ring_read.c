// SPDX-License-Identifier: GPL-2.0-only
/* The world of the ring's tests: the reader, who checks each byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ring_world.h"

/**
 * struct cursor - a packet being decoded
 * @packet: its bytes
 * @pos: position of its first byte in the ring
 * @at: offset of the next record
 * @time_ns: time of the record before, or the packet's begin
 */
struct cursor {
	const u8 *packet;
	u64 pos;
	u32 at;
	u64 time_ns;
};

static u64 load(const u8 *from)
{
	u64 value;

	memcpy(&value, from, sizeof(value));
	return value;
}

static void check_payload(const u8 *from, u32 index, u32 bytes)
{
	if (memcmp(from, world_pattern(index), bytes))
		fail_msg("record %u: its payload of %u bytes is wrong", index,
			 bytes);
}

/* The log's entry of the record at the cursor, as its header describes it. */
static u32 check_header(struct cursor *cursor)
{
	const u8 *from = cursor->packet + cursor->at;
	u64 word = load(from);
	u32 id = word & 1023;
	bool extended = id == TL_EVENT_EXTENDED;
	struct world_entry *entry;
	u32 index;

	if (extended) {
		struct tl_record_extended header;

		memcpy(&header, from, sizeof(header));
		id = header.id;
		index = header.context >> TL_EXTENDED_TID_SHIFT;
		cursor->time_ns = header.time_ns;
		assert_int_equal(header.event, TL_EVENT_EXTENDED);
	} else {
		u64 mask = (1ull << 27) - 1;
		u64 time = (cursor->time_ns & ~mask) | (word >> 10 & mask);

		if (time < cursor->time_ns)
			time += mask + 1;
		cursor->time_ns = time;
		index = (u32)(word >> 42);
	}
	if (index >= world.logged)
		fail_msg("a record that nobody has written, at %llu + %u",
			 (unsigned long long)cursor->pos, cursor->at);
	entry = &world.log[index];
	if (!entry->stored || entry->read)
		fail_msg("record %u is delivered %s", index,
			 entry->stored ? "twice" : "before it was written");
	if (entry->id != id || entry->extended != extended ||
	    entry->pos != cursor->pos + cursor->at)
		fail_msg("record %u is not where or what it was", index);
	if (entry->time_ns != cursor->time_ns)
		fail_msg("I7: record %u is of %llu, decoded as %llu", index,
			 (unsigned long long)entry->time_ns,
			 (unsigned long long)cursor->time_ns);
	return index;
}

/* The constant part, and what the deliverer wrote. */
static u32 check_packet_header(const struct tl_packet_header *header, u64 seq)
{
	u64 content_bytes = header->content_bits / 8;

	assert_int_equal(header->magic, TL_PACKET_MAGIC);
	assert_memory_equal(header->uuid, "0123456789abcde", 16);
	assert_int_equal(header->stream_id, 0);
	assert_int_equal(header->cpu, 7);
	assert_int_equal(header->format, TL_FORMAT);
	if (header->sequence != seq)
		fail_msg("I6: packet %llu has sequence %llu",
			 (unsigned long long)seq,
			 (unsigned long long)header->sequence);
	if (header->content_bits % 64 || content_bytes < sizeof(*header) ||
	    content_bytes >= world_packet_bytes())
		fail_msg("I6: packet %llu has %llu content bits",
			 (unsigned long long)seq,
			 (unsigned long long)header->content_bits);
	assert_int_equal(header->packet_bits,
			 (content_bytes + 4095) / 4096 * 4096 * 8);
	if (header->begin_ns < world.last_end_ns)
		fail_msg("I7: packet %llu begins before the one before it ends",
			 (unsigned long long)seq);
	if (header->discarded < world.last_discarded ||
	    header->discarded > world.ring.lost)
		fail_msg("I8: packet %llu tells %llu lost, the one before %llu",
			 (unsigned long long)seq,
			 (unsigned long long)header->discarded,
			 (unsigned long long)world.last_discarded);
	return (u32)content_bytes;
}

static void check_packet(const u8 *packet, u64 seq)
{
	const struct tl_packet_header *header = (const void *)packet;
	u32 content_bytes = check_packet_header(header, seq);
	struct cursor cursor = {
		.packet = packet,
		.pos = tl_seq_pos(world.ring.geo, seq),
		.at = sizeof(*header),
		.time_ns = header->begin_ns,
	};

	world.last_records = 0;
	while (cursor.at < content_bytes) {
		u32 index = check_header(&cursor);
		struct world_entry *entry = &world.log[index];
		u32 bytes = entry->extended ? 24 : 8;

		if (!world.last_records && entry->time_ns != header->begin_ns)
			fail_msg("I7: begin is not the first record's time");
		if (entry->time_ns < world.last_time_ns)
			fail_msg("I7: record %u goes back in time", index);
		check_payload(packet + cursor.at + bytes, index,
			      world_payload(entry->id));
		entry->read = true;
		world.last_time_ns = entry->time_ns;
		world.last_records++;
		cursor.at += bytes + (world_payload(entry->id) + 7) / 8 * 8;
	}
	assert_int_equal(cursor.at, content_bytes);
	if (header->end_ns < cursor.time_ns)
		fail_msg("I7: packet %llu ends before its last record",
			 (unsigned long long)seq);
	if (world.reader.told != header->discarded)
		fail_msg("I8: the reader was told %llu lost, and notes %llu",
			 (unsigned long long)header->discarded,
			 (unsigned long long)world.reader.told);
	world.last_end_ns = header->end_ns;
	world.last_discarded = header->discarded;
	world.last_content_bytes = content_bytes;
}

/* Packets from @seq on were overwritten, and all that was in them. */
static void count_skipped(u64 seq, u64 count)
{
	u32 i;

	if (!world.config.overwrite)
		fail_msg("packets are skipped without overwriting");
	for (i = 0; world.held_seq != TL_SEQ_NONE && i < count; i++) {
		if (seq + i < world.kept_seq || seq + i >= world.held_seq)
			continue;
		if (!world.may_lose--)
			fail_msg("packet %llu of a snapshot was overwritten",
				 (unsigned long long)seq + i);
	}
	for (i = 0; i < world.logged; i++) {
		u64 its = tl_pos_seq(world.ring.geo, world.log[i].pos);

		if (its - seq < count)
			world.log[i].overwritten = true;
	}
	world.skipped += count;
}

void world_check_spare(void)
{
	const u8 *spare = tl_ring_buffer(&world.ring, world.reader.spare);

	if (world.have_spare_copy &&
	    memcmp(spare, world.spare_copy, world_packet_bytes()))
		fail_msg("I4: the reader's packet was changed");
}

/* Why there is no packet. */
static void check_none(int status)
{
	u64 next = world.reader.next_seq;

	if ((status != -EAGAIN || next >= world.limit_most) &&
	    (status != -ENODATA || next < world.limit_least))
		fail_msg("no packet, %d, at %llu of %llu", status,
			 (unsigned long long)next,
			 (unsigned long long)world.reader.limit_seq);
	world_check_spare();
}

/* The reader has @view. */
static void check_view(const struct tl_packet_view *view)
{
	const u8 *packet = tl_ring_buffer(&world.ring, view->buffer);

	assert_int_equal(view->buffer, world.reader.spare);
	assert_int_equal(world.reader.next_seq, view->seq + 1);
	if (view->seq != world.expect_seq + view->skipped)
		fail_msg("packet %llu after %llu skipped, %llu was to be next",
			 (unsigned long long)view->seq,
			 (unsigned long long)view->skipped,
			 (unsigned long long)world.expect_seq);
	if (view->skipped)
		count_skipped(world.expect_seq, view->skipped);
	world.expect_seq = view->seq + 1;
	check_packet(packet, view->seq);
	memcpy(world.spare_copy, packet, world_packet_bytes());
	world.have_spare_copy = true;
}

int world_take(void)
{
	struct tl_packet_view view;
	int status;

	world_check_spare();
	world.limit_least = world.reader.limit_seq;
	world.limit_most = world.reader.limit_seq;
	world.reading = true;
	status = tl_ring_take(&world.ring, &world.reader, &view);
	world.reading = false;
	if (status) {
		check_none(status);
		return status;
	}
	if (view.seq >= world.limit_most)
		fail_msg("packet %llu is behind the snapshot's end",
			 (unsigned long long)view.seq);
	check_view(&view);
	if (!world.last_records)
		fail_msg("packet %llu is empty", (unsigned long long)view.seq);
	return 0;
}

int world_take_last(void)
{
	const struct tl_packet_header *header;
	struct tl_packet_view view;
	int status = tl_ring_take_last(&world.ring, &world.reader, &view);

	if (status) {
		check_none(status);
		return status;
	}
	check_view(&view);
	header = (const void *)world.spare_copy;
	assert_int_equal(header->begin_ns, world.ring.max_ns);
	assert_int_equal(header->end_ns, world.ring.max_ns);
	assert_int_equal(world.last_content_bytes, TL_PACKET_HEADER_BYTES);
	assert_int_equal(world.last_discarded, world.ring.lost);
	return 0;
}
