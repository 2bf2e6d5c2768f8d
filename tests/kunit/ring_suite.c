// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring on its real memory, with the machine's own atomics. The native
 * tests go through more interleavings; these show that the same holds for
 * what the module allocates, under KASAN.
 */
#include "stream.h"

#define S 4096u		/* bytes of a packet */
#define N 4u		/* packets of a ring */
#define HEADER 80u	/* of a packet */
#define ID 5u

static void tl_destroy(void *rc)
{
	tl_ring_cpu_destroy(rc);
}

/* A ring of this CPU; ends with the test. */
static struct tl_ring_cpu *tl_ring_make(struct kunit *test, bool overwrite)
{
	const struct tl_ring_config config = {
		.geo = tl_geometry(12, 2),
		.watermark = 1,
		.overwrite = overwrite,
		.uuid = "fifteen letters",
	};
	struct tl_ring_cpu *rc;

	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	rc = tl_ring_cpu_create(&config, (u32)raw_smp_processor_id());
	KUNIT_ASSERT_NOT_NULL(test, rc);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, tl_destroy, rc), 0);
	return rc;
}

/* Store a reserved record: each byte but those of the length is @bytes. */
static void tl_store(struct tl_ring_cpu *rc, const struct tl_slice *slice,
		     u32 bytes)
{
	u8 *at = tl_record_store(&rc->ring, slice, ID, 0, 0);

	memset(at, (u8)bytes, bytes);
	memcpy(at, &bytes, min_t(u32, bytes, sizeof(bytes)));
}

/* The first half of a write, and the second one. */
static enum tl_outcome tl_begin(struct tl_ring_cpu *rc, u32 bytes,
				struct tl_slice *slice)
{
	enum tl_outcome outcome;

	preempt_disable();
	outcome = tl_ring_reserve(&rc->ring, bytes, ID, slice);
	preempt_enable();
	return outcome;
}

static void tl_end(struct tl_ring_cpu *rc, u32 bytes,
		   const struct tl_slice *slice)
{
	preempt_disable();
	tl_store(rc, slice, bytes);
	tl_ring_commit(&rc->ring, slice);
	preempt_enable();
}

static enum tl_outcome tl_write(struct tl_ring_cpu *rc, u32 bytes)
{
	struct tl_slice slice;
	enum tl_outcome outcome = tl_begin(rc, bytes, &slice);

	if (outcome == TL_RECORDED)
		tl_end(rc, bytes, &slice);
	return outcome;
}

/* Write records of @bytes until one is refused; returns how many were not. */
static u64 tl_write_until(struct kunit *test, struct tl_ring_cpu *rc, u32 bytes,
			  enum tl_outcome refused)
{
	enum tl_outcome outcome;
	u64 count = 0;

	while ((outcome = tl_write(rc, bytes)) == TL_RECORDED)
		KUNIT_ASSERT_LT(test, count++, 100000);
	KUNIT_EXPECT_EQ(test, outcome, refused);
	return count;
}

/* Each byte of the payload is what was written. */
static void tl_check_fill(struct tl_stream *stream,
			  const struct tl_record *record)
{
	u32 i;

	KUNIT_ASSERT_EQ(stream->test, record->id, ID);
	for (i = sizeof(u32); i < record->bytes; i++)
		KUNIT_ASSERT_EQ(stream->test, record->payload[i],
				(u8)record->bytes);
}

static struct tl_stream tl_stream_of(struct kunit *test)
{
	return (struct tl_stream){ .test = test, .visit = tl_check_fill };
}

/* The meta page is what user space will find. */
static void tl_test_meta(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test, false);
	const struct tl_meta *meta = rc->area;

	KUNIT_EXPECT_EQ(test, meta->size, sizeof(*meta));
	KUNIT_EXPECT_EQ(test, meta->format, TL_FORMAT);
	KUNIT_EXPECT_EQ(test, meta->cpu, rc->cpu);
	KUNIT_EXPECT_EQ(test, meta->packet_count, N);
	KUNIT_EXPECT_EQ(test, meta->packet_bytes, S);
	KUNIT_EXPECT_EQ(test, meta->data_offset, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, meta->map_bytes, PAGE_SIZE + (N + 1) * S);
	KUNIT_EXPECT_EQ(test, meta->map_bytes, tl_ring_cpu_map_bytes(&rc->config));
	KUNIT_EXPECT_MEMEQ(test, meta->uuid, "fifteen letters", 16);
}

/* A record of each length alone in a packet, up to the first that is too big. */
static void tl_test_every_length(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test, false);
	struct tl_stream stream = tl_stream_of(test);
	const u32 longest = S - HEADER - 2 * sizeof(u64);
	u32 bytes;

	for (bytes = sizeof(u32); bytes <= longest; bytes++) {
		KUNIT_ASSERT_EQ(test, tl_write(rc, bytes), TL_RECORDED);
		KUNIT_ASSERT_TRUE(test, tl_ring_flush(&rc->ring));
		tl_stream_drain(&stream, rc);
		KUNIT_ASSERT_EQ(test, stream.records, bytes - 3);
		KUNIT_ASSERT_EQ(test, stream.packets, bytes - 3);
	}
	for (; bytes < 2 * S; bytes += 13) {
		u64 pos = rc->ring.pos;

		KUNIT_ASSERT_EQ(test, tl_write(rc, bytes), TL_TOO_BIG);
		KUNIT_ASSERT_EQ(test, rc->ring.pos, pos);
	}
}

/* Begin a packet, with a record after which @room bytes are left. */
static void tl_leave(struct kunit *test, struct tl_ring_cpu *rc, u32 room)
{
	tl_ring_flush(&rc->ring);
	KUNIT_ASSERT_EQ(test, tl_write(rc, S - HEADER - 8 - room), TL_RECORDED);
	KUNIT_ASSERT_EQ(test, rc->ring.pos % S, S - room);
}

/*
 * Write a record of @bytes, header included, into @room; returns where it is:
 * 0 in the same packet, 1 in the next one. After a long stop of the machine its
 * header would be a longer one: then it is done again.
 */
static u64 tl_border(struct kunit *test, struct tl_ring_cpu *rc,
		     struct tl_stream *stream, u32 room, u32 bytes)
{
	struct tl_slice slice;
	u64 seq;

	do {
		tl_leave(test, rc, room);
		seq = rc->ring.pos / S;
		KUNIT_ASSERT_EQ(test, tl_begin(rc, bytes - 8, &slice),
				TL_RECORDED);
		tl_end(rc, bytes - 8, &slice);
		tl_stream_drain(stream, rc);
	} while (slice.extended);
	return slice.pos / S - seq;
}

/* Where a packet ends: the last record that fits leaves 8 bytes. */
static void tl_test_border(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test, false);
	struct tl_stream stream = tl_stream_of(test);
	u32 room;

	for (room = 24; room <= S - HEADER - 16; room += 8) {
		KUNIT_ASSERT_EQ(test, 0,
				tl_border(test, rc, &stream, room, room - 8));
		KUNIT_ASSERT_EQ(test, rc->ring.pos % S, S - 8);
		KUNIT_ASSERT_EQ(test, 1,
				tl_border(test, rc, &stream, room, room));
		KUNIT_ASSERT_EQ(test, rc->ring.pos % S, HEADER + room);
	}
	KUNIT_EXPECT_EQ(test, rc->ring.lost, 0);
}

/* The fast path goes exactly where the general one would stay in the packet. */
static void tl_test_fast_border(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test, false);
	struct tl_stream stream = tl_stream_of(test);
	u32 room, bytes, offset;

	for (room = 24; room <= S - HEADER - 16; room += 8) {
		tl_leave(test, rc, room);
		for (bytes = room + 8; bytes >= room - 8; bytes -= 8) {
			u64 pos = tl_ring_pos(&rc->ring);
			struct tl_slice slice = { .pos = pos };
			bool done;

			preempt_disable();
			/* no gap, however long the machine stood still */
			slice.time_ns = rc->ring.last_ns;
			done = tl_ring_try_reserve(&rc->ring, pos, &offset,
						   slice.time_ns, bytes);
			if (done) {
				tl_store(rc, &slice, bytes - 8);
				tl_ring_commit_at(&rc->ring,
						  tl_ring_slot_of(&rc->ring, pos),
						  pos, bytes);
			}
			preempt_enable();
			KUNIT_ASSERT_EQ(test, done, bytes < room);
			KUNIT_ASSERT_EQ(test, rc->ring.pos,
					pos + (done ? bytes : 0));
		}
		tl_stream_drain(&stream, rc);
	}
}

/* A full ring refuses, counts, and goes on when a packet was taken. */
static void tl_test_full(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test, false);
	struct tl_stream stream = tl_stream_of(test);
	u64 written, pos, lost = 0, round;

	written = tl_write_until(test, rc, 504, TL_FULL);
	lost++;
	for (round = 0; round < 20; round++) {
		pos = rc->ring.pos;
		KUNIT_ASSERT_EQ(test, tl_write(rc, 504), TL_FULL);
		lost++;
		KUNIT_ASSERT_EQ(test, rc->ring.pos, pos);
		KUNIT_ASSERT_EQ(test, rc->ring.lost, lost);
		KUNIT_ASSERT_TRUE(test, tl_stream_take(&stream, rc));
		written += tl_write_until(test, rc, 504, TL_FULL);
		lost++;
	}
	tl_stream_drain(&stream, rc);
	tl_ring_flush(&rc->ring);
	tl_stream_drain(&stream, rc);
	KUNIT_EXPECT_EQ(test, stream.records, written);
	KUNIT_EXPECT_EQ(test, stream.discarded, lost);
}

/* A small record may still fit where a larger one was refused. */
static void tl_test_full_small(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test, false);

	tl_write_until(test, rc, 1500, TL_FULL);
	KUNIT_EXPECT_EQ(test, tl_write(rc, 16), TL_RECORDED);
	KUNIT_EXPECT_EQ(test, tl_write(rc, 1500), TL_FULL);
	KUNIT_EXPECT_EQ(test, rc->ring.lost, 2);
}

/* An overwriting ring has the newest records, and says what it dropped. */
static void tl_test_overwrite(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test, true);
	struct tl_stream stream = tl_stream_of(test);
	u32 i;

	for (i = 0; i < 10 * N; i++)
		KUNIT_ASSERT_EQ(test, tl_write(rc, 3000), TL_RECORDED);
	tl_ring_flush(&rc->ring);
	tl_stream_drain(&stream, rc);
	KUNIT_EXPECT_EQ(test, stream.packets, N);
	KUNIT_EXPECT_EQ(test, stream.skipped, 9 * N);
	KUNIT_EXPECT_EQ(test, stream.records, N);
	KUNIT_EXPECT_EQ(test, rc->ring.lost, 0);
}

/* A snapshot stays, and is all that its reader gets. */
static void tl_test_snapshot(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test, true);
	struct tl_stream stream = tl_stream_of(test);
	u64 kept;
	u32 i;

	for (i = 0; i < 5 * N; i++)
		KUNIT_ASSERT_EQ(test, tl_write(rc, 3000), TL_RECORDED);
	preempt_disable();
	tl_ring_cpu_flush(rc, 0, true);
	preempt_enable();
	tl_ring_cpu_set_limit(rc);
	KUNIT_EXPECT_EQ(test, tl_write(rc, 3000), TL_FULL);
	KUNIT_ASSERT_TRUE(test, tl_stream_take(&stream, rc));
	kept = stream.next_sequence;
	KUNIT_EXPECT_EQ(test, kept, 4 * N + 1);
	KUNIT_EXPECT_EQ(test, tl_write(rc, 3000), TL_RECORDED);
	tl_stream_drain(&stream, rc);
	KUNIT_EXPECT_EQ(test, stream.records, N);
	KUNIT_EXPECT_TRUE(test, tl_ring_cpu_at_limit(rc));
	tl_ring_cpu_resume(rc);
	KUNIT_EXPECT_FALSE(test, tl_ring_cpu_at_limit(rc));
	for (i = 0; i < 5 * N; i++)
		KUNIT_ASSERT_EQ(test, tl_write(rc, 3000), TL_RECORDED);
	tl_stream_drain(&stream, rc);
	KUNIT_EXPECT_GT(test, stream.skipped, 4 * N);
}

/* Writers that go round while one is in the middle of its record. */
static void tl_test_wrapped(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test, true);
	struct tl_stream stream = tl_stream_of(test);
	struct tl_slice slice;
	u64 written;

	KUNIT_EXPECT_EQ(test, tl_begin(rc, 500, &slice), TL_RECORDED);
	written = tl_write_until(test, rc, 500, TL_WRAPPED);
	KUNIT_EXPECT_FALSE(test, tl_stream_take(&stream, rc));
	KUNIT_EXPECT_TRUE(test, tl_ring_closing(&rc->ring, 0));
	tl_end(rc, 500, &slice);
	tl_stream_drain(&stream, rc);
	tl_ring_flush(&rc->ring);
	tl_stream_drain(&stream, rc);
	KUNIT_EXPECT_EQ(test, stream.records, written + 1);
	KUNIT_EXPECT_EQ(test, stream.discarded, 1);
}

/* What flush, take and closing say of a ring in each state. */
static void tl_test_flush(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test, false);
	struct tl_stream stream = tl_stream_of(test);
	struct tl_slice slice;

	KUNIT_EXPECT_FALSE(test, tl_ring_flush(&rc->ring));
	KUNIT_EXPECT_FALSE(test, tl_stream_take(&stream, rc));
	KUNIT_EXPECT_FALSE(test, tl_ring_closing(&rc->ring, 0));
	KUNIT_EXPECT_EQ(test, tl_write(rc, 100), TL_RECORDED);
	KUNIT_EXPECT_FALSE(test, tl_stream_take(&stream, rc));
	KUNIT_EXPECT_TRUE(test, tl_ring_flush(&rc->ring));
	KUNIT_EXPECT_FALSE(test, tl_ring_flush(&rc->ring));
	KUNIT_EXPECT_TRUE(test, tl_stream_take(&stream, rc));
	KUNIT_EXPECT_FALSE(test, tl_stream_take(&stream, rc));

	KUNIT_EXPECT_EQ(test, tl_begin(rc, 8, &slice), TL_RECORDED);
	KUNIT_EXPECT_TRUE(test, tl_ring_flush(&rc->ring));
	KUNIT_EXPECT_FALSE(test, tl_stream_take(&stream, rc));
	KUNIT_EXPECT_TRUE(test, tl_ring_closing(&rc->ring, 1));
	tl_end(rc, 8, &slice);
	KUNIT_EXPECT_TRUE(test, tl_stream_take(&stream, rc));
	KUNIT_EXPECT_FALSE(test, tl_ring_closing(&rc->ring, 2));
	KUNIT_EXPECT_EQ(test, stream.records, 2);
}

/* What was lost after the last packet is told by one without records. */
static void tl_test_last(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test, false);
	struct tl_stream stream = tl_stream_of(test);

	tl_write_until(test, rc, 3000, TL_FULL);
	tl_ring_flush(&rc->ring);
	KUNIT_EXPECT_EQ(test, tl_write(rc, 3000), TL_FULL);
	KUNIT_EXPECT_EQ(test, tl_write(rc, 5000), TL_TOO_BIG);
	tl_ring_cpu_finish(rc);
	tl_stream_drain(&stream, rc);
	KUNIT_EXPECT_EQ(test, stream.packets, N + 1);
	KUNIT_EXPECT_EQ(test, stream.records, N);
	KUNIT_EXPECT_EQ(test, stream.discarded, 3);
}

/* What a sleeper is told, also at the end, where losses are owed. */
static void tl_test_readable(struct kunit *test)
{
	struct tl_ring_cpu *rc = tl_ring_make(test, false);
	struct tl_stream stream = tl_stream_of(test);

	KUNIT_EXPECT_FALSE(test, tl_ring_cpu_readable(rc, false));
	KUNIT_EXPECT_FALSE(test, tl_ring_cpu_readable(rc, true));
	tl_write_until(test, rc, 500, TL_FULL);
	tl_ring_flush(&rc->ring);
	KUNIT_EXPECT_EQ(test, tl_write(rc, 500), TL_FULL);
	KUNIT_EXPECT_TRUE(test, tl_ring_cpu_readable(rc, false));
	KUNIT_EXPECT_TRUE(test, tl_ring_cpu_readable(rc, true));
	KUNIT_EXPECT_TRUE(test, tl_stream_take(&stream, rc));
	/* as a writer sees it before the reader has stored its next packet */
	KUNIT_EXPECT_TRUE(test, tl_ring_ready(&rc->ring, 0, N - 1));
	KUNIT_EXPECT_FALSE(test, tl_ring_ready(&rc->ring, 0, N));
	tl_stream_drain(&stream, rc);
	KUNIT_EXPECT_EQ(test, stream.discarded, 1);
	KUNIT_EXPECT_FALSE(test, tl_ring_cpu_readable(rc, false));
	KUNIT_EXPECT_TRUE(test, tl_ring_cpu_readable(rc, true));
	tl_ring_cpu_finish(rc);
	tl_stream_drain(&stream, rc);
	KUNIT_EXPECT_EQ(test, stream.discarded, 2);
	KUNIT_EXPECT_FALSE(test, tl_ring_cpu_readable(rc, true));
}

static struct kunit_case tl_ring_cases[] = {
	KUNIT_CASE(tl_test_meta),
	KUNIT_CASE(tl_test_every_length),
	KUNIT_CASE(tl_test_border),
	KUNIT_CASE(tl_test_fast_border),
	KUNIT_CASE(tl_test_full),
	KUNIT_CASE(tl_test_full_small),
	KUNIT_CASE(tl_test_overwrite),
	KUNIT_CASE(tl_test_snapshot),
	KUNIT_CASE(tl_test_wrapped),
	KUNIT_CASE(tl_test_flush),
	KUNIT_CASE(tl_test_last),
	KUNIT_CASE(tl_test_readable),
	{}
};

struct kunit_suite tl_ring_suite = {
	.name = "ring",
	.test_cases = tl_ring_cases,
};
