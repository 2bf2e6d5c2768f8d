// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hot path from its entry on: what a hit leaves in the ring for each
 * instruction, and in which counter it ends.
 */
#include <linux/delay.h>
#include <linux/random.h>
#include <linux/uaccess.h>

#include "entry.h"
#include "hit.h"
#include "stream.h"
#include "user.h"

#define REG(name) offsetof(struct pt_regs, name)
#define CALLER 0x1122334455667788ul

static const struct tl_insn tl_small[] = {
	{ .op = TL_OP_PUT_REG, .arg = 8, .imm = REG(di) },
	{ .op = TL_OP_END },
};

/* Each instruction that cannot fault; END is left to those who take them. */
static const struct tl_insn tl_simple[] = {
	{ .op = TL_OP_PUT_REG, .arg = 1, .imm = REG(di) },
	{ .op = TL_OP_PUT_REG, .arg = 2, .imm = REG(si) },
	{ .op = TL_OP_PUT_REG, .arg = 4, .imm = REG(dx) },
	{ .op = TL_OP_PUT_REG, .arg = 8, .imm = REG(cx) },
	{ .op = TL_OP_REG, .imm = REG(r8) }, { .op = TL_OP_PUT, .arg = 1 },
	{ .op = TL_OP_SP }, { .op = TL_OP_PUT, .arg = 8 },
	{ .op = TL_OP_RETVAL }, { .op = TL_OP_PUT, .arg = 4 },
	{ .op = TL_OP_CALLER }, { .op = TL_OP_PUT, .arg = 8 },
	{ .op = TL_OP_PLACE }, { .op = TL_OP_PUT, .arg = 8 },
	{ .op = TL_OP_IMM, .imm = 0xbeef }, { .op = TL_OP_PUT, .arg = 2 },
};

/**
 * struct tl_bytes - a payload, as it should be
 * @at: its bytes
 * @count: how many
 */
struct tl_bytes {
	u8 at[256];
	u32 count;
};

static void tl_append(struct tl_bytes *to, const void *from, u32 count)
{
	memcpy(to->at + to->count, from, count);
	to->count += count;
}

static void tl_append_text(struct tl_bytes *to, const char *text, u16 length)
{
	tl_append(to, &length, sizeof(length));
	tl_append(to, text, length);
}

static void tl_append_simple(struct tl_bytes *to, const struct pt_regs *regs,
			     u64 place)
{
	static const u64 caller = CALLER;
	static const u16 word = 0xbeef;

	tl_append(to, &regs->di, 1);
	tl_append(to, &regs->si, 2);
	tl_append(to, &regs->dx, 4);
	tl_append(to, &regs->cx, 8);
	tl_append(to, &regs->r8, 1);
	tl_append(to, &regs->sp, 8);
	tl_append(to, &regs->ax, 4);
	tl_append(to, &caller, 8);
	tl_append(to, &place, 8);
	tl_append(to, &word, 2);
}

/**
 * struct tl_want - what a stream has to have
 * @payload: of each event
 * @statuses: of event 0; NULL: it has no mark
 * @status_count: of @statuses
 * @records: of each event, so far
 */
struct tl_want {
	struct tl_bytes payload[TL_BED_EVENTS];
	const u8 *statuses;
	u32 status_count;
	u64 records[TL_BED_EVENTS];
};

static void tl_check(struct tl_stream *stream, const struct tl_record *record)
{
	struct tl_want *want = stream->data;
	const struct tl_bytes *payload = &want->payload[record->id];
	struct kunit *test = stream->test;
	bool is_marked = want->statuses && !record->id;

	KUNIT_ASSERT_EQ(test, record->context,
			is_marked ? TL_CTX_TASK | TL_CTX_EXCEPTIONAL : TL_CTX_TASK);
	KUNIT_ASSERT_EQ(test, record->tid, current->pid);
	KUNIT_ASSERT_EQ(test, record->bytes, payload->count);
	KUNIT_ASSERT_MEMEQ(test, record->payload, payload->at, payload->count);
	if (is_marked)
		KUNIT_ASSERT_MEMEQ(test, record->statuses, want->statuses,
				   want->status_count);
	want->records[record->id]++;
}

static struct tl_bed *tl_make(struct kunit *test, u32 mode, u32 packet_bytes,
			      u32 packet_count)
{
	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	return tl_bed_make(test, mode, packet_bytes, packet_count);
}

static struct tl_ring_cpu *tl_ring_here(const struct tl_bed *bed)
{
	return bed->session->rings[raw_smp_processor_id()];
}

/* Stop, and read what is there. */
static void tl_read_all(struct kunit *test, struct tl_bed *bed,
			struct tl_want *want)
{
	struct tl_stream stream = {
		.test = test, .bed = bed, .visit = tl_check, .data = want,
	};

	tl_bed_stop(test, bed);
	tl_stream_drain(&stream, tl_ring_here(bed));
}

static void tl_hit(struct tl_bed *bed, struct pt_regs *regs)
{
	preempt_disable();
	tl_event_hit(&bed->place, regs, CALLER, NULL);
	preempt_enable();
}

/* Of @event: @hits in all, of which @count ended as @outcome, none otherwise. */
static void tl_expect(struct kunit *test, const struct tl_bed *bed, u32 event,
		      u64 recorded, enum tl_outcome outcome, u64 count)
{
	struct tl_counters sum;

	tl_bed_sum(bed, event, &sum);
	KUNIT_EXPECT_EQ(test, sum.outcome[TL_RECORDED], recorded);
	KUNIT_EXPECT_EQ(test, sum.outcome[outcome], count);
	KUNIT_EXPECT_EQ(test, tl_counters_hits(&sum), recorded + count);
}

/* The same instructions stored right into the ring, and through scratch memory. */
static void tl_test_instructions(struct kunit *test)
{
	struct tl_insn insns[ARRAY_SIZE(tl_simple) + 2] = {};
	struct tl_want *want = kunit_kzalloc(test, sizeof(*want), GFP_KERNEL);
	struct tl_bed *bed = tl_make(test, TL_MODE_DISCARD, 4096, 2);
	u32 count = ARRAY_SIZE(tl_simple);
	struct pt_regs regs;

	KUNIT_ASSERT_NOT_NULL(test, want);
	memcpy(insns, tl_simple, sizeof(tl_simple));
	insns[count] = (struct tl_insn){ .op = TL_OP_END };
	tl_bed_add(test, bed, insns, count + 1);
	insns[count] = (struct tl_insn){ .op = TL_OP_PUT_COMM };
	insns[count + 1] = (struct tl_insn){ .op = TL_OP_END };
	tl_bed_add(test, bed, insns, count + 2);
	KUNIT_ASSERT_TRUE(test, bed->event[0]->prog.direct);
	KUNIT_ASSERT_FALSE(test, bed->event[1]->prog.direct);
	get_random_bytes(&regs, sizeof(regs));
	tl_append_simple(&want->payload[0], &regs, bed->place.address);
	tl_append_simple(&want->payload[1], &regs, bed->place.address);
	tl_append_text(&want->payload[1], current->comm,
		       (u16)strlen(current->comm));
	tl_bed_start(test, bed);
	tl_hit(bed, &regs);
	tl_hit(bed, &regs);
	tl_read_all(test, bed, want);
	KUNIT_EXPECT_EQ(test, want->records[0], 2);
	KUNIT_EXPECT_EQ(test, want->records[1], 2);
	tl_expect(test, bed, 0, 2, TL_NOT_RUNNING, 0);
	tl_expect(test, bed, 1, 2, TL_NOT_RUNNING, 0);
}

/* Each load and string that can fault, good and bad; marks say which was bad. */
static void tl_test_marks(struct kunit *test)
{
	static const struct tl_insn insns[] = {
		{ .op = TL_OP_STACK }, { .op = TL_OP_PUT, .arg = 8 },
		{ .op = TL_OP_STACK, .imm = 65535 }, { .op = TL_OP_PUT, .arg = 8 },
		{ .op = TL_OP_REG, .imm = REG(di) }, { .op = TL_OP_DEREF, .arg = 8 },
		{ .op = TL_OP_PUT, .arg = 8 },
		{ .op = TL_OP_IMM, .imm = 8 }, { .op = TL_OP_DEREF, .arg = 4 },
		{ .op = TL_OP_PUT, .arg = 4 },
		{ .op = TL_OP_REG, .imm = REG(di) },
		{ .op = TL_OP_PUT_STRING, .arg = 4 },
		{ .op = TL_OP_REG, .imm = REG(di) },
		{ .op = TL_OP_PUT_STRING, .arg = 32, .imm = 4 },
		{ .op = TL_OP_IMM, .imm = 8 }, { .op = TL_OP_PUT_STRING, .arg = 16 },
		{ .op = TL_OP_REG, .imm = REG(si) },
		{ .op = TL_OP_DEREF, .arg = 2 | TL_ARG_USER },
		{ .op = TL_OP_PUT, .arg = 2 },
		{ .op = TL_OP_END },
	};
	static const u8 statuses[] = {
		TL_STATUS_OK, TL_STATUS_FAULT, TL_STATUS_OK, TL_STATUS_FAULT,
		TL_STATUS_TRUNCATED, TL_STATUS_OK, TL_STATUS_FAULT, TL_STATUS_OK,
	};
	static const char text[] = "abcdefgh and so on";
	struct tl_want *want = kunit_kzalloc(test, sizeof(*want), GFP_KERNEL);
	struct tl_bed *bed = tl_make(test, TL_MODE_DISCARD, 4096, 2);
	unsigned long at = tl_user_map(test, PAGE_SIZE);
	u64 on_stack = 0x0123456789abcdef, zero = 0;
	struct tl_counters sum;
	struct pt_regs regs = {
		.sp = (unsigned long)&on_stack, .di = (unsigned long)text, .si = at,
		/* this is the kernel's stack */
		.cs = __KERNEL_CS,
	};

	KUNIT_ASSERT_NOT_NULL(test, want);
	KUNIT_ASSERT_EQ(test, 0, put_user(0x7575, (u16 __user *)at));
	tl_append(&want->payload[0], &on_stack, 8);
	tl_append(&want->payload[0], &zero, 8);
	tl_append(&want->payload[0], text, 8);
	tl_append(&want->payload[0], &zero, 4);
	tl_append_text(&want->payload[0], text, 4);
	tl_append_text(&want->payload[0], text + 4, sizeof(text) - 5);
	tl_append_text(&want->payload[0], "", 0);
	tl_append(&want->payload[0], "uu", 2);
	want->statuses = statuses;
	want->status_count = ARRAY_SIZE(statuses);
	tl_bed_add(test, bed, insns, ARRAY_SIZE(insns));
	tl_bed_start(test, bed);
	tl_hit(bed, &regs);
	tl_read_all(test, bed, want);
	KUNIT_EXPECT_EQ(test, want->records[0], 1);
	tl_bed_sum(bed, 0, &sum);
	KUNIT_EXPECT_EQ(test, sum.faults, 1);
	KUNIT_EXPECT_EQ(test, sum.cuts, 1);
	tl_expect(test, bed, 0, 1, TL_NOT_RUNNING, 0);
}

#define POINTED 0x0123456789abcdef

/* One return with that entry: three values, or the marks of all of them. */
static void tl_check_entry(struct kunit *test, const struct tl_entry *entry,
			   const u64 *values, const u8 *statuses)
{
	static const struct tl_insn insns[] = {
		{ .op = TL_OP_REG, .arg = TL_REG_ENTRY, .imm = TL_ENTRY_ARGS - 1 },
		{ .op = TL_OP_PUT, .arg = 8 },
		{ .op = TL_OP_RETVAL, .arg = TL_RETURN_DURATION },
		{ .op = TL_OP_PUT, .arg = 8 },
		{ .op = TL_OP_REG, .arg = TL_REG_ENTRY },
		{ .op = TL_OP_DEREF, .arg = 8 }, { .op = TL_OP_PUT, .arg = 8 },
		{ .op = TL_OP_END },
	};
	struct tl_want *want = kunit_kzalloc(test, sizeof(*want), GFP_KERNEL);
	struct tl_bed *bed = tl_make(test, TL_MODE_DISCARD, 4096, 2);
	struct pt_regs regs = {};

	KUNIT_ASSERT_NOT_NULL(test, want);
	tl_append(&want->payload[0], values, 3 * sizeof(*values));
	want->statuses = statuses;
	want->status_count = 3;
	tl_bed_add(test, bed, insns, ARRAY_SIZE(insns));
	KUNIT_EXPECT_TRUE(test, bed->event[0]->prog.needs_entry);
	tl_bed_start(test, bed);
	preempt_disable();
	tl_event_hit(&bed->place, &regs, CALLER, entry);
	preempt_enable();
	tl_read_all(test, bed, want);
	KUNIT_EXPECT_EQ(test, want->records[0], 1);
	tl_bed_end(test, bed);
}

/* A call whose entry was seen, and one whose entry nobody wanted to know. */
static void tl_test_entry(struct kunit *test)
{
	static const u8 faults[] = { [0 ... 2] = TL_STATUS_FAULT };
	/* a clock that steps back gives no duration of 2^64 */
	static const u64 pointed = POINTED, zeros[3], values[] = { 6, 0, POINTED };
	struct tl_entry entry = {
		.is_saved = true, .time_ns = U64_MAX,
		.args = { (unsigned long)&pointed, 0, 0, 0, 0, 6 },
	};

	tl_check_entry(test, &entry, values, NULL);
	entry.is_saved = false;
	tl_check_entry(test, &entry, zeros, faults);
}

/* A direct event, and one that is not: nothing else than their number. */
static struct tl_bed *tl_make_two(struct kunit *test, u32 mode,
				  struct tl_want **want)
{
	static const struct tl_insn general[] = {
		{ .op = TL_OP_PUT_REG, .arg = 8, .imm = REG(di) },
		{ .op = TL_OP_PUT_COMM },
		{ .op = TL_OP_END },
	};
	struct tl_bed *bed = tl_make(test, mode, 4096, 2);
	u64 zero = 0;

	*want = kunit_kzalloc(test, sizeof(**want), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, *want);
	tl_bed_add(test, bed, tl_small, ARRAY_SIZE(tl_small));
	tl_bed_add(test, bed, general, ARRAY_SIZE(general));
	tl_append(&(*want)->payload[0], &zero, 8);
	tl_append(&(*want)->payload[1], &zero, 8);
	tl_append_text(&(*want)->payload[1], current->comm,
		       (u16)strlen(current->comm));
	return bed;
}

/* Before the start and after the stop. */
static void tl_test_not_running(struct kunit *test)
{
	struct pt_regs regs = {};
	struct tl_want *want;
	struct tl_bed *bed = tl_make_two(test, TL_MODE_DISCARD, &want);

	tl_hit(bed, &regs);
	tl_hit(bed, &regs);
	tl_bed_start(test, bed);
	tl_hit(bed, &regs);
	tl_read_all(test, bed, want);
	tl_hit(bed, &regs);
	tl_expect(test, bed, 0, 1, TL_NOT_RUNNING, 3);
	tl_expect(test, bed, 1, 1, TL_NOT_RUNNING, 3);
	KUNIT_EXPECT_EQ(test, want->records[0], 1);
	KUNIT_EXPECT_EQ(test, want->records[1], 1);
}

/* As long as nobody reads; from the first packet that is taken on, again. */
static void tl_test_full(struct kunit *test)
{
	struct tl_stream stream = { .test = test, .visit = tl_check };
	struct pt_regs regs = {};
	struct tl_want *want;
	struct tl_bed *bed = tl_make_two(test, TL_MODE_DISCARD, &want);
	u64 recorded[TL_BED_EVENTS], lost[TL_BED_EVENTS];
	struct tl_counters sum;
	u32 i;

	stream.bed = bed;
	stream.data = want;
	tl_bed_start(test, bed);
	for (i = 0; i < 1000; i++)
		tl_hit(bed, &regs);
	for (i = 0; i < TL_BED_EVENTS; i++) {
		tl_bed_sum(bed, i, &sum);
		recorded[i] = sum.outcome[TL_RECORDED];
		lost[i] = sum.outcome[TL_FULL];
		KUNIT_EXPECT_EQ(test, recorded[i] + lost[i], 1000);
		KUNIT_EXPECT_GT(test, recorded[i], 0);
		KUNIT_EXPECT_GT(test, lost[i], 0);
	}
	KUNIT_EXPECT_TRUE(test, tl_stream_take(&stream, tl_ring_here(bed)));
	tl_hit(bed, &regs);
	tl_bed_stop(test, bed);
	tl_stream_drain(&stream, tl_ring_here(bed));
	for (i = 0; i < TL_BED_EVENTS; i++) {
		tl_expect(test, bed, i, recorded[i] + 1, TL_FULL, lost[i]);
		KUNIT_EXPECT_EQ(test, want->records[i], recorded[i] + 1);
	}
}

/* Another context of this CPU has reserved, and does not come to its commit. */
static void tl_test_wrapped(struct kunit *test)
{
	struct tl_bed *bed = tl_make(test, TL_MODE_OVERWRITE, 4096, 2);
	struct tl_ring_cpu *rc = tl_ring_here(bed);
	struct pt_regs regs = {};
	struct tl_counters sum;
	struct tl_slice slice;
	u64 lost;
	u32 i;

	tl_bed_add(test, bed, tl_small, ARRAY_SIZE(tl_small));
	tl_bed_start(test, bed);
	preempt_disable();
	KUNIT_EXPECT_EQ(test, TL_RECORDED, tl_ring_reserve(&rc->ring, 8, 0, &slice));
	for (i = 0; i < 1000; i++)
		tl_hit(bed, &regs);
	memset(tl_record_store(&rc->ring, &slice, 0, 0, 0), 0, 8);
	tl_ring_commit(&rc->ring, &slice);
	preempt_enable();
	tl_bed_sum(bed, 0, &sum);
	lost = sum.outcome[TL_WRAPPED];
	KUNIT_EXPECT_GT(test, lost, 0);
	tl_expect(test, bed, 0, 1000 - lost, TL_WRAPPED, lost);
	for (i = 0; i < 1000; i++)
		tl_hit(bed, &regs);
	tl_expect(test, bed, 0, 2000 - lost, TL_WRAPPED, lost);
}

/* Longer than a packet: this event's is lost, and no other one. */
static void tl_test_too_big(struct kunit *test)
{
	static const struct tl_insn insns[] = {
		{ .op = TL_OP_REG, .imm = REG(si) },
		{ .op = TL_OP_PUT_STRING, .arg = 8192 },
		{ .op = TL_OP_END },
	};
	struct tl_bed *bed = tl_make(test, TL_MODE_DISCARD, 4096, 2);
	struct tl_want *want = kunit_kzalloc(test, sizeof(*want), GFP_KERNEL);
	char *text = kunit_kzalloc(test, 8192, GFP_KERNEL);
	struct pt_regs regs = { .si = (unsigned long)text };

	KUNIT_ASSERT_NOT_NULL(test, want);
	KUNIT_ASSERT_NOT_NULL(test, text);
	memset(text, 't', 5000);
	tl_bed_add(test, bed, insns, ARRAY_SIZE(insns));
	tl_bed_add(test, bed, tl_small, ARRAY_SIZE(tl_small));
	want->payload[1].count = 8;
	tl_bed_start(test, bed);
	tl_hit(bed, &regs);
	tl_expect(test, bed, 0, 0, TL_TOO_BIG, 1);
	text[10] = '\0';
	tl_append_text(&want->payload[0], text, 10);
	tl_hit(bed, &regs);
	tl_read_all(test, bed, want);
	tl_expect(test, bed, 0, 1, TL_TOO_BIG, 1);
	tl_expect(test, bed, 1, 2, TL_TOO_BIG, 0);
	KUNIT_EXPECT_EQ(test, want->records[0], 1);
	KUNIT_EXPECT_EQ(test, want->records[1], 2);
}

/* A header with the full time, after a silence; the same in the general way. */
static void tl_test_silence(struct kunit *test)
{
	struct pt_regs regs = {};
	struct tl_want *want;
	struct tl_bed *bed = tl_make_two(test, TL_MODE_DISCARD, &want);
	struct tl_ring *ring = &tl_ring_here(bed)->ring;
	u64 pos;

	tl_bed_start(test, bed);
	tl_hit(bed, &regs);
	pos = ring->pos;
	tl_hit(bed, &regs);
	pos = ring->pos - pos;
	msleep(300);
	tl_hit(bed, &regs);
	/* of both events the first header is the longer one, by 16 bytes */
	KUNIT_EXPECT_EQ(test, tl_pos_offset(ring->geo, ring->pos),
			TL_PACKET_HEADER_BYTES + 3 * pos + 16);
	tl_read_all(test, bed, want);
	tl_expect(test, bed, 0, 3, TL_FULL, 0);
	tl_expect(test, bed, 1, 3, TL_FULL, 0);
	KUNIT_EXPECT_EQ(test, want->records[0], 3);
	KUNIT_EXPECT_EQ(test, want->records[1], 3);
}

/* A number that the short header has no room for. */
static void tl_test_number(struct kunit *test)
{
	struct tl_bed *bed = tl_make(test, TL_MODE_DISCARD, 4096, 2);
	const u32 id = TL_EVENT_EXTENDED + 5;
	const struct tl_record_extended *record;
	struct tl_packet_view view;
	struct tl_ring_cpu *rc = tl_ring_here(bed);
	struct pt_regs regs = { .di = 77 };

	tl_bed_add(test, bed, tl_small, ARRAY_SIZE(tl_small));
	bed->event[0]->id = id;
	tl_event_ready(bed->event[0]);
	tl_bed_start(test, bed);
	tl_hit(bed, &regs);
	tl_bed_stop(test, bed);
	KUNIT_ASSERT_EQ(test, 0, tl_ring_take(&rc->ring, &rc->reader, &view));
	record = (const struct tl_record_extended *)
		(tl_ring_buffer(&rc->ring, view.buffer) + TL_PACKET_HEADER_BYTES);
	KUNIT_EXPECT_EQ(test, record->event, TL_EVENT_EXTENDED);
	KUNIT_EXPECT_EQ(test, record->id, id);
	KUNIT_EXPECT_EQ(test, record->context, (u32)current->pid << TL_EXTENDED_TID_SHIFT);
	KUNIT_EXPECT_EQ(test, *(const u64 *)(record + 1), 77);
	tl_expect(test, bed, 0, 1, TL_FULL, 0);
}

static struct kunit_case tl_hit_cases[] = {
	KUNIT_CASE(tl_test_instructions),
	KUNIT_CASE(tl_test_marks),
	KUNIT_CASE(tl_test_entry),
	KUNIT_CASE(tl_test_not_running),
	KUNIT_CASE(tl_test_full),
	KUNIT_CASE(tl_test_wrapped),
	KUNIT_CASE(tl_test_too_big),
	KUNIT_CASE(tl_test_silence),
	KUNIT_CASE(tl_test_number),
	{}
};

struct kunit_suite tl_hit_suite = {
	.name = "hit",
	.test_cases = tl_hit_cases,
};
