// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters from inside: what is asked of the task, registers and memory, and
 * what a filtered hit leaves behind, which is one counter.
 */
#include <linux/cgroup.h>
#include <linux/sched.h>

#include "context.h"
#include "hit.h"
#include "nmi.h"
#include "source.h"
#include "suites.h"

#define REG(name) offsetof(struct pt_regs, name)
#define BYTES(n) ((u32)(n) << TL_TEST_BYTES_SHIFT)
#define PASS (TL_TEST_IF_TRUE | 2) /* over the rejection */
#define REJECT { .op = TL_OP_REJECT }
#define END { .op = TL_OP_END }

static struct tl_bed *tl_bed;
static struct pt_regs tl_regs;

/* A run of the filter alone. */
static bool tl_passes(struct kunit *test, struct tl_insn *insns, u32 count)
{
	static const struct tl_prog_limits limits = {
		.regs_bytes = sizeof(struct pt_regs),
		.is_return = true,
	};
	struct tl_place place = { .address = 0xabcdef };
	const struct tl_source src = { .regs = &tl_regs, .place = &place };
	struct tl_prog prog = { .insns = insns };
	bool passes;
	u32 bad_insn;

	KUNIT_ASSERT_EQ(test, (int)tl_prog_verify(&prog, count, &limits, &bad_insn),
			TL_ERR_NONE);
	preempt_disable();
	passes = tl_prog_filter(&prog, &src,
				tl_context_scratch(TL_CTX_TASK)->payload);
	preempt_enable();
	return passes;
}

/* Is what @load loads, cut to 8 bytes, equal to @value? */
static bool tl_is(struct kunit *test, struct tl_insn load, u64 value)
{
	struct tl_insn insns[] = {
		load, { .op = TL_OP_TEST, .arg = BYTES(8) | PASS, .imm = value },
		REJECT, END
	};

	return tl_passes(test, insns, ARRAY_SIZE(insns));
}

static void tl_expect_task(struct kunit *test, u32 which, u64 value)
{
	const struct tl_insn load = { .op = TL_OP_TASK, .arg = which };

	KUNIT_EXPECT_TRUE(test, tl_is(test, load, value));
	KUNIT_EXPECT_FALSE(test, tl_is(test, load, value + 1));
}

static void tl_expect_family(struct kunit *test, pid_t tgid, bool is_in)
{
	const struct tl_insn load = {
		.op = TL_OP_TASK,
		.arg = TL_TASK_FAMILY,
		.imm = (u32)tgid,
	};

	KUNIT_EXPECT_TRUE(test, tl_is(test, load, is_in));
}

static void tl_test_task(struct kunit *test)
{
	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	tl_expect_task(test, TL_TASK_TID, (u64)current->pid);
	tl_expect_task(test, TL_TASK_TGID, (u64)current->tgid);
	tl_expect_task(test, TL_TASK_CPU, raw_smp_processor_id());
	tl_expect_family(test, current->tgid, true);
	tl_expect_family(test, current->real_parent->tgid, true);
	/* all descend from the first task, none from one that cannot be */
	tl_expect_family(test, 0, true);
	tl_expect_family(test, PID_MAX_LIMIT + 1, false);
#ifdef CONFIG_CGROUPS
	rcu_read_lock();
	tl_expect_task(test, TL_TASK_CGROUP, cgroup_id(task_dfl_cgroup(current)));
	rcu_read_unlock();
#endif
}

/* A text of at most 8 bytes, as the instruction that holds it. */
static struct tl_insn tl_data(const char *text)
{
	struct tl_insn data = { .op = TL_OP_DATA };

	memcpy(&data.imm, text, strlen(text));
	return data;
}

/* The name of the task, and a string of kernel memory. */
static bool tl_fits(struct kunit *test, const char *text, const char *pattern)
{
	struct tl_insn comm[] = {
		{ .op = TL_OP_TASK, .arg = TL_TASK_COMM },
		{ .op = TL_OP_MATCH, .arg = TL_TEST_IF_TRUE | 3,
		  .imm = strlen(pattern) },
		tl_data(pattern), REJECT, END
	};
	struct tl_insn memory[] = {
		{ .op = TL_OP_IMM, .imm = (unsigned long)text },
		{ .op = TL_OP_STRING, .arg = 100 },
		{ .op = TL_OP_MATCH, .arg = TL_TEST_IF_TRUE | 3,
		  .imm = strlen(pattern) },
		tl_data(pattern), REJECT, END
	};

	return text ? tl_passes(test, memory, ARRAY_SIZE(memory)) :
		      tl_passes(test, comm, ARRAY_SIZE(comm));
}

static void tl_test_texts(struct kunit *test)
{
	char comm[TASK_COMM_LEN];

	strscpy(comm, current->comm, sizeof(comm));
	strscpy(current->comm, "a task", sizeof(current->comm));
	KUNIT_EXPECT_TRUE(test, tl_fits(test, NULL, "a task"));
	KUNIT_EXPECT_TRUE(test, tl_fits(test, NULL, "?[!a]t*k"));
	KUNIT_EXPECT_FALSE(test, tl_fits(test, NULL, "task"));
	strscpy(current->comm, comm, sizeof(current->comm));
	KUNIT_EXPECT_TRUE(test, tl_fits(test, "kernel memory", "k*[k-s]y"));
	KUNIT_EXPECT_FALSE(test, tl_fits(test, "kernel memory", "k*[a-k]y"));
	/* not there: true of nothing */
	KUNIT_EXPECT_FALSE(test, tl_fits(test, (const char *)8, "*"));
}

/* What C says of @left and @right, which are of so many bytes. */
static bool tl_compare(u64 left, u64 right, u32 bytes, u32 arg)
{
	u32 cut = 64 - 8 * bytes;
	bool is_signed = arg & TL_TEST_SIGNED, is_true;
	s64 a = (s64)(left << cut) >> cut, b = (s64)(right << cut) >> cut;

	left = is_signed ? (u64)a : left << cut >> cut;
	right = is_signed ? (u64)b : right << cut >> cut;
	switch (arg & TL_TEST_CONDITION) {
	case TL_TEST_EQUAL:
		is_true = left == right;
		break;
	case TL_TEST_BELOW:
		is_true = is_signed ? a < b : left < right;
		break;
	case TL_TEST_ABOVE:
		is_true = is_signed ? a > b : left > right;
		break;
	default:
		is_true = left & right;
	}
	return is_true != !!(arg & TL_TEST_NOT);
}

/* Each condition, of both kinds of numbers. */
static void tl_check_numbers(struct kunit *test, u64 left, u64 right, u32 bytes)
{
	u32 cut = 64 - 8 * bytes, kind;

	for (kind = 0; kind < 16; kind++) {
		u32 arg = (kind >> 2) << 16 | (kind & 1 ? TL_TEST_SIGNED : 0) |
			  (kind & 2 ? TL_TEST_NOT : 0);
		u64 imm = kind & 1 ? (u64)((s64)(right << cut) >> cut) :
				     right << cut >> cut;
		struct tl_insn insns[] = {
			{ .op = TL_OP_REG, .imm = REG(r11) },
			{ .op = TL_OP_TEST, .arg = BYTES(bytes) | PASS | arg,
			  .imm = imm },
			REJECT, END
		};

		tl_regs.r11 = left;
		KUNIT_ASSERT_EQ_MSG(test, tl_passes(test, insns, ARRAY_SIZE(insns)),
				    tl_compare(left, right, bytes, arg),
				    "%llx %llx %u %x", left, right, bytes, arg);
	}
}

static void tl_test_numbers(struct kunit *test)
{
	static const u64 values[] = { 0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x8000,
				      0x80000000, 0xffffffff, 1ull << 63, ~0ull };
	u32 a, b, bytes;

	for (a = 0; a < ARRAY_SIZE(values); a++)
		for (b = 0; b < ARRAY_SIZE(values); b++)
			for (bytes = 1; bytes <= 8; bytes *= 2)
				tl_check_numbers(test, values[a], values[b], bytes);
}

/* ---- hits ------------------------------------------------------------- */

/* Lets through where SI is a pointer to an odd number; none where it is none. */
static const struct tl_insn tl_odd[] = {
	{ .op = TL_OP_REG, .imm = REG(si) },
	{ .op = TL_OP_DEREF, .arg = 8 },
	{ .op = TL_OP_TEST, .arg = BYTES(8) | TL_TEST_AND | PASS, .imm = 1 },
	REJECT,
	{ .op = TL_OP_PUT_REG, .arg = 8, .imm = REG(di) },
	END
};

static u64 tl_value;

static void tl_make(struct kunit *test)
{
	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	tl_regs.si = (unsigned long)&tl_value;
	tl_bed = tl_bed_make(test, TL_MODE_DISCARD, 4096, 2);
	tl_bed_add(test, tl_bed, tl_odd, ARRAY_SIZE(tl_odd));
}

static void tl_expect(struct kunit *test, enum tl_outcome outcome, u64 count)
{
	struct tl_counters sum;

	tl_bed_sum(tl_bed, 0, &sum);
	KUNIT_EXPECT_EQ(test, sum.outcome[outcome], count);
}

static u64 tl_place_in_ring(void)
{
	return tl_ring_pos(&tl_bed->session->rings[raw_smp_processor_id()]->ring);
}

/* Nothing is reserved for a hit that is filtered, and no mark is made. */
static void tl_test_nothing_left(struct kunit *test)
{
	struct tl_counters sum;
	u64 pos;
	u32 i;

	tl_make(test);
	tl_bed_hit(tl_bed, &tl_regs);
	tl_expect(test, TL_NOT_RUNNING, 1);
	tl_bed_start(test, tl_bed);
	tl_value = 1;
	tl_bed_hit(tl_bed, &tl_regs);
	pos = tl_place_in_ring();
	for (i = 0; i < 1000; i++) {
		tl_value = 2 * i;
		tl_regs.si = i % 3 ? (unsigned long)&tl_value : 8;
		tl_bed_hit(tl_bed, &tl_regs);
	}
	KUNIT_EXPECT_EQ(test, tl_place_in_ring(), pos);
	tl_bed_sum(tl_bed, 0, &sum);
	KUNIT_EXPECT_EQ(test, sum.outcome[TL_FILTERED], 1000);
	KUNIT_EXPECT_EQ(test, sum.outcome[TL_RECORDED], 1);
	KUNIT_EXPECT_EQ(test, tl_counters_hits(&sum), 1002);
	KUNIT_EXPECT_EQ(test, sum.faults, 0);
	tl_bed_stop(test, tl_bed);
}

/* A full ring loses only what the filter lets through. */
static void tl_test_full(struct kunit *test)
{
	struct tl_counters sum;
	u32 i;

	tl_make(test);
	tl_bed_start(test, tl_bed);
	for (i = 0; i < 4000; i++) {
		tl_value = i;
		tl_bed_hit(tl_bed, &tl_regs);
	}
	tl_bed_sum(tl_bed, 0, &sum);
	KUNIT_EXPECT_EQ(test, sum.outcome[TL_FILTERED], 2000);
	KUNIT_EXPECT_GT(test, sum.outcome[TL_FULL], 0);
	KUNIT_EXPECT_GT(test, sum.outcome[TL_RECORDED], 0);
	KUNIT_EXPECT_EQ(test, sum.outcome[TL_FULL] + sum.outcome[TL_RECORDED], 2000);
	KUNIT_EXPECT_EQ(test, tl_counters_hits(&sum), 4000);
	tl_bed_stop(test, tl_bed);
}

static u32 tl_inner_hits;

/* A hit from inside the filter of another one, in the same context. */
static void tl_hit_again(void)
{
	if (tl_inner_hits < 100 && in_task()) {
		tl_inner_hits++;
		tl_event_hit(&tl_bed->place, &tl_regs, 0, NULL);
	}
}

/* A recursion is one, whatever the filter would have said. */
static void tl_test_recursion(struct kunit *test)
{
	u32 i;

	tl_make(test);
	tl_bed_start(test, tl_bed);
	tl_inner_hits = 0;
	tl_hook_begin(test, tl_hit_again);
	for (i = 0; i < 100; i++) {
		tl_value = i;
		tl_bed_hit(tl_bed, &tl_regs);
	}
	KUNIT_EXPECT_EQ(test, tl_inner_hits, 100);
	tl_expect(test, TL_RECURSION, 100);
	tl_expect(test, TL_FILTERED, 50);
	tl_expect(test, TL_RECORDED, 50);
	tl_bed_stop(test, tl_bed);
}

static void tl_hit_in_nmi(void)
{
	tl_event_hit(&tl_bed->place, &tl_regs, 0, NULL);
}

/* In an NMI: the task's things are there, memory is read, the books balance. */
static void tl_test_nmi(struct kunit *test)
{
	struct tl_insn insns[] = {
		{ .op = TL_OP_TASK, .arg = TL_TASK_CGROUP },
		{ .op = TL_OP_TEST, .arg = BYTES(8) | TL_TEST_NOT | 4 },
		{ .op = TL_OP_TASK, .arg = TL_TASK_COMM },
		{ .op = TL_OP_MATCH, .arg = TL_TEST_IF_TRUE | 3, .imm = 5 },
		tl_data("no[a]*"), REJECT, END
	};
	unsigned long count;

	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	tl_bed = tl_bed_make(test, TL_MODE_DISCARD, 4096, 2);
	insns[3].imm = 6;
	tl_bed_add(test, tl_bed, insns, ARRAY_SIZE(insns));
	tl_bed_start(test, tl_bed);
	tl_nmi_begin(test, tl_hit_in_nmi);
	for (count = 0; count < 100;)
		count += tl_nmi_raise(raw_smp_processor_id());
	tl_nmi_end(test);
	tl_expect(test, TL_FILTERED, tl_nmi_count());
	tl_bed_stop(test, tl_bed);
}

static struct kunit_case tl_filter_cases[] = {
	KUNIT_CASE(tl_test_task),
	KUNIT_CASE(tl_test_texts),
	KUNIT_CASE(tl_test_numbers),
	KUNIT_CASE(tl_test_nothing_left),
	KUNIT_CASE(tl_test_full),
	KUNIT_CASE(tl_test_recursion),
	KUNIT_CASE(tl_test_nmi),
	{}
};

struct kunit_suite tl_filter_suite = {
	.name = "filter",
	.test_cases = tl_filter_cases,
};
