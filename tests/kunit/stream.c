// SPDX-License-Identifier: GPL-2.0-only
/* Reads what is in a ring: packets to records, each rule checked on the way. */
#include "stream.h"

/* How long the payload of an event is, from its program and the payload. */
static u32 tl_prog_payload_bytes(const struct tl_prog *prog, const u8 *payload)
{
	const struct tl_insn *insn;
	u32 bytes = 0;
	u16 length;

	for (insn = prog->insns; insn->op != TL_OP_END; insn++) {
		switch (insn->op) {
		case TL_OP_PUT:
		case TL_OP_PUT_REG:
			bytes += insn->arg;
			break;
		case TL_OP_PUT_STRING:
		case TL_OP_PUT_BYTES:
		case TL_OP_PUT_STACK:
		case TL_OP_PUT_COMM:
			memcpy(&length, payload + bytes, sizeof(length));
			bytes += sizeof(length) + length;
			break;
		}
	}
	return bytes;
}

/* A record's payload begins at @at, its packet ends at @end. */
static u32 tl_stream_payload(struct tl_stream *stream, struct tl_record *record,
			     const u8 *at, const u8 *end)
{
	const struct tl_bed *bed = stream->bed;
	u32 status_bytes = 0;

	record->statuses = NULL;
	if (!bed) {
		memcpy(&record->bytes, at, sizeof(record->bytes));
	} else {
		const struct tl_prog *prog;

		KUNIT_ASSERT_LT(stream->test, record->id, bed->count);
		prog = &bed->event[record->id]->prog;
		if (record->context & TL_CTX_EXCEPTIONAL) {
			record->statuses = at;
			status_bytes = prog->put_count;
		}
		record->bytes = tl_prog_payload_bytes(prog, at + status_bytes);
	}
	record->payload = at + status_bytes;
	KUNIT_ASSERT_LE(stream->test, status_bytes + record->bytes,
			(u32)(end - at));
	return ALIGN(status_bytes + record->bytes, TL_RECORD_ALIGN);
}

/* The header at @at; returns its length. */
static u32 tl_stream_header(const u8 *at, u64 before_ns,
			    struct tl_record *record)
{
	const u64 low = BIT_ULL(TL_RECORD_TIME_BITS) - 1;
	const struct tl_record_extended *extended;
	u64 word;

	memcpy(&word, at, sizeof(word));
	record->id = word & (BIT(TL_RECORD_ID_BITS) - 1);
	if (record->id == TL_EVENT_EXTENDED) {
		extended = (const struct tl_record_extended *)at;
		record->id = extended->id;
		record->time_ns = extended->time_ns;
		record->context = extended->context &
				  (BIT(TL_RECORD_CTX_BITS) - 1);
		record->tid = extended->context >> TL_EXTENDED_TID_SHIFT;
		return sizeof(*extended);
	}
	record->time_ns = (before_ns & ~low) |
			  (word >> TL_RECORD_TIME_SHIFT & low);
	if (record->time_ns < before_ns)
		record->time_ns += low + 1;
	record->context = word >> TL_RECORD_CTX_SHIFT &
			  (BIT(TL_RECORD_CTX_BITS) - 1);
	record->tid = word >> TL_RECORD_TID_SHIFT;
	return sizeof(word);
}

static void tl_stream_records(struct tl_stream *stream,
			      const struct tl_packet_header *header)
{
	const u8 *at = (const u8 *)header + sizeof(*header);
	const u8 *end = (const u8 *)header + header->content_bits / 8;
	u64 before_ns = header->begin_ns;
	struct tl_record record;

	while (at < end) {
		at += tl_stream_header(at, before_ns, &record);
		KUNIT_ASSERT_GE(stream->test, record.time_ns, before_ns);
		at += tl_stream_payload(stream, &record, at, end);
		before_ns = record.time_ns;
		stream->records++;
		if (stream->visit)
			stream->visit(stream, &record);
	}
	KUNIT_ASSERT_PTR_EQ(stream->test, at, end);
	KUNIT_ASSERT_LE(stream->test, before_ns, header->end_ns);
}

static void tl_stream_packet(struct tl_stream *stream,
			     const struct tl_ring_cpu *rc,
			     const struct tl_packet_header *header)
{
	struct kunit *test = stream->test;
	u64 packet_bytes = tl_packet_bytes(rc->config.geo);

	KUNIT_ASSERT_EQ(test, header->magic, TL_PACKET_MAGIC);
	KUNIT_ASSERT_EQ(test, header->format, TL_FORMAT);
	KUNIT_ASSERT_EQ(test, header->cpu, rc->cpu);
	KUNIT_ASSERT_EQ(test, header->stream_id, 0);
	KUNIT_ASSERT_MEMEQ(test, header->uuid, rc->config.uuid,
			   sizeof(header->uuid));
	KUNIT_ASSERT_EQ(test, header->sequence, stream->next_sequence);
	KUNIT_ASSERT_GE(test, header->content_bits, 8 * sizeof(*header));
	KUNIT_ASSERT_LE(test, header->content_bits, 8 * packet_bytes);
	KUNIT_ASSERT_EQ(test, header->packet_bits,
			8 * ALIGN(header->content_bits / 8, 4096));
	KUNIT_ASSERT_GE(test, header->begin_ns, stream->end_ns);
	KUNIT_ASSERT_GE(test, header->discarded, stream->discarded);
	tl_stream_records(stream, header);
	stream->end_ns = header->end_ns;
	stream->discarded = header->discarded;
	stream->next_sequence++;
	stream->packets++;
}

/* One packet, if there is one. */
bool tl_stream_take(struct tl_stream *stream, struct tl_ring_cpu *rc)
{
	struct tl_packet_view view;
	int err;

	mutex_lock(&rc->reader_lock);
	err = tl_ring_take(&rc->ring, &rc->reader, &view);
	if (err == -EAGAIN && smp_load_acquire(&rc->is_final)) /* E */
		err = tl_ring_take_last(&rc->ring, &rc->reader, &view);
	mutex_unlock(&rc->reader_lock);
	if (err)
		return false;
	stream->next_sequence += view.skipped;
	stream->skipped += view.skipped;
	KUNIT_ASSERT_EQ(stream->test, view.seq, stream->next_sequence);
	tl_stream_packet(stream, rc, (const struct tl_packet_header *)
				     tl_ring_buffer(&rc->ring, view.buffer));
	return true;
}

/* All that is there. */
void tl_stream_drain(struct tl_stream *stream, struct tl_ring_cpu *rc)
{
	while (tl_stream_take(stream, rc))
		cond_resched();
}
