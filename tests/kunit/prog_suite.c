// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs on real registers and the real stack: each instruction, and the
 * direct way against the general one. Refusals are native tests' work; here
 * are only those that depend on the machine's register frame.
 */
#include <linux/random.h>
#include <linux/sched/task_stack.h>
#include <linux/vmalloc.h>

#include "context.h"
#include "source.h"
#include "suites.h"

#define REG(name) offsetof(struct pt_regs, name)
#define END { .op = TL_OP_END }

/**
 * struct tl_run - one run of a program
 * @prog: its verified form
 * @src: where values come from
 * @regs: behind @src
 * @place: behind @src
 * @out: what was appended
 * @bytes: how much
 * @statuses: of the arguments
 * @marks: what was marked
 */
struct tl_run {
	struct tl_prog prog;
	struct tl_source src;
	struct pt_regs regs;
	struct tl_place place;
	u8 out[512];
	u32 bytes;
	u8 statuses[TL_ARGS_MAX];
	struct tl_marks marks;
};

static const struct tl_prog_limits tl_limits = {
	.regs_bytes = sizeof(struct pt_regs),
	.is_return = true,
};

static struct tl_run *tl_run_make(struct kunit *test)
{
	struct tl_run *run = kunit_kzalloc(test, sizeof(*run), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, run);
	get_random_bytes(&run->regs, sizeof(run->regs));
	run->place.address = 0xabcdef0123456789;
	run->src.regs = &run->regs;
	run->src.place = &run->place;
	run->src.caller = 0x1122334455667788;
	return run;
}

static enum tl_error_code tl_verify(struct tl_run *run, struct tl_insn *insns,
				    u32 count)
{
	u32 bad_insn;

	run->prog.insns = insns;
	return tl_prog_verify(&run->prog, count, &tl_limits, &bad_insn);
}

/* Verify and run. */
static void tl_run(struct kunit *test, struct tl_run *run,
		   struct tl_insn *insns, u32 count)
{
	KUNIT_ASSERT_EQ(test, (int)tl_verify(run, insns, count), TL_ERR_NONE);
	KUNIT_ASSERT_LE(test, run->prog.max_bytes, sizeof(run->out));
	memset(run->statuses, 0xee, sizeof(run->statuses));
	memset(&run->marks, 0, sizeof(run->marks));
	run->bytes = tl_prog_run(&run->prog, &run->src, run->out, run->statuses,
				 &run->marks);
	KUNIT_ASSERT_LE(test, run->bytes, run->prog.max_bytes);
}

/* A program that loads with @load and puts 8 bytes; returns them. */
static u64 tl_load(struct kunit *test, struct tl_run *run, struct tl_insn load)
{
	struct tl_insn insns[] = {
		load, { .op = TL_OP_PUT, .arg = sizeof(u64) }, END
	};
	u64 value;

	tl_run(test, run, insns, ARRAY_SIZE(insns));
	KUNIT_ASSERT_EQ(test, run->bytes, sizeof(value));
	memcpy(&value, run->out, sizeof(value));
	return value;
}

/* Each word of the frame, whole and in part. */
static void tl_test_registers(struct kunit *test)
{
	struct tl_run *run = tl_run_make(test);
	const u8 *frame = (const u8 *)&run->regs;
	u64 at;
	u32 bytes;

	for (at = 0; at < sizeof(run->regs); at += sizeof(u64)) {
		u64 value = tl_load(test, run, (struct tl_insn){
			.op = TL_OP_REG, .imm = at });

		KUNIT_EXPECT_MEMEQ(test, &value, frame + at, sizeof(value));
		for (bytes = 1; bytes <= 8; bytes *= 2) {
			struct tl_insn insns[] = {
				{ .op = TL_OP_PUT_REG, .arg = bytes, .imm = at },
				END
			};

			tl_run(test, run, insns, ARRAY_SIZE(insns));
			KUNIT_ASSERT_EQ(test, run->bytes, bytes);
			KUNIT_EXPECT_MEMEQ(test, run->out, frame + at, bytes);
		}
	}
}

/* The frame of this machine has an end. */
static void tl_test_frame_end(struct kunit *test)
{
	struct tl_run *run = tl_run_make(test);
	struct tl_insn insns[] = {
		{ .op = TL_OP_PUT_REG, .arg = 8 }, END
	};
	u64 at;

	for (at = 0; at < 2 * sizeof(struct pt_regs); at++) {
		insns[0].imm = at;
		KUNIT_EXPECT_EQ(test, (int)tl_verify(run, insns, 2),
				at % 8 || at >= sizeof(struct pt_regs) ?
				TL_ERR_PROG_REGISTER : TL_ERR_NONE);
	}
	insns[0].imm = ~0ull - 7;
	KUNIT_EXPECT_EQ(test, (int)tl_verify(run, insns, 2),
			TL_ERR_PROG_REGISTER);
}

static void tl_test_loads(struct kunit *test)
{
	struct tl_run *run = tl_run_make(test);

	KUNIT_EXPECT_EQ(test, tl_load(test, run, (struct tl_insn){
		.op = TL_OP_SP }), kernel_stack_pointer(&run->regs));
	KUNIT_EXPECT_EQ(test, tl_load(test, run, (struct tl_insn){
		.op = TL_OP_RETVAL }), regs_return_value(&run->regs));
	KUNIT_EXPECT_EQ(test, tl_load(test, run, (struct tl_insn){
		.op = TL_OP_CALLER }), run->src.caller);
	KUNIT_EXPECT_EQ(test, tl_load(test, run, (struct tl_insn){
		.op = TL_OP_PLACE }), run->place.address);
	KUNIT_EXPECT_EQ(test, tl_load(test, run, (struct tl_insn){
		.op = TL_OP_IMM, .imm = 0x8000000000000001 }), 0x8000000000000001);
	KUNIT_EXPECT_EQ(test, tl_load(test, run, (struct tl_insn){
		.op = TL_OP_CURRENT }), (u64)(unsigned long)current);
	KUNIT_EXPECT_EQ(test, run->marks.faults, 0);
}

/* Words of the stack that this test runs on, and what is beyond it. */
static void tl_test_stack(struct kunit *test)
{
	struct tl_run *run = tl_run_make(test);
	u64 words[3] = { 0x1111, 0x2222222222222222, 0x3333 };
	unsigned long end = (unsigned long)task_stack_page(current) + THREAD_SIZE;
	u64 left;

	instruction_pointer_set(&run->regs, (unsigned long)tl_test_stack);
	run->regs.sp = (unsigned long)&words[0];
	OPTIMIZER_HIDE_VAR(run);
	barrier_data(words);
	KUNIT_EXPECT_EQ(test, tl_load(test, run, (struct tl_insn){
		.op = TL_OP_STACK, .imm = 1 }), words[1]);
	KUNIT_EXPECT_EQ(test, tl_load(test, run, (struct tl_insn){
		.op = TL_OP_STACK, .imm = 2 }), words[2]);
	left = (end - run->regs.sp) / sizeof(u64);
	KUNIT_EXPECT_EQ(test, tl_load(test, run, (struct tl_insn){
		.op = TL_OP_STACK, .imm = left - 1 }),
		READ_ONCE_NOCHECK(*(u64 *)(end - sizeof(u64))));
	KUNIT_EXPECT_EQ(test, run->marks.faults, 0);
	for (; left < 65536; left = left * 2 + 1) {
		KUNIT_EXPECT_EQ(test, 0, tl_load(test, run, (struct tl_insn){
			.op = TL_OP_STACK, .imm = left }));
		KUNIT_EXPECT_EQ(test, run->marks.faults, 1);
		KUNIT_EXPECT_EQ(test, run->statuses[0], TL_STATUS_FAULT);
	}
}

static void tl_test_comm(struct kunit *test)
{
	struct tl_run *run = tl_run_make(test);
	struct tl_insn insns[] = { { .op = TL_OP_PUT_COMM }, END };
	char name[TASK_COMM_LEN];
	u16 length;

	strscpy(name, current->comm, sizeof(name));
	tl_run(test, run, insns, ARRAY_SIZE(insns));
	memcpy(&length, run->out, sizeof(length));
	KUNIT_EXPECT_GT(test, length, 0);
	KUNIT_EXPECT_EQ(test, length, strlen(name));
	KUNIT_EXPECT_EQ(test, run->bytes, sizeof(length) + length);
	KUNIT_EXPECT_MEMEQ(test, run->out + sizeof(length), name, length);
}

/* What a task says of itself: its numbers, where it is, whose child it is. */
static void tl_test_task(struct kunit *test)
{
	struct tl_run *run = tl_run_make(test);

	KUNIT_EXPECT_EQ(test, tl_load(test, run, (struct tl_insn){
		.op = TL_OP_TASK, .arg = TL_TASK_TID }), (u64)current->pid);
	KUNIT_EXPECT_EQ(test, tl_load(test, run, (struct tl_insn){
		.op = TL_OP_TASK, .arg = TL_TASK_TGID }), (u64)current->tgid);
	migrate_disable();
	KUNIT_EXPECT_EQ(test, tl_load(test, run, (struct tl_insn){
		.op = TL_OP_TASK, .arg = TL_TASK_CPU }), (u64)raw_smp_processor_id());
	migrate_enable();
}

/* An array as long as an argument says: none, some, all there is room for, more. */
static void tl_test_length(struct kunit *test)
{
	static const struct {
		u64 number;
		u32 type;
		u16 bytes;
		u8 status;
	} cases[] = {
		{ 0, 1, 0, TL_STATUS_OK },
		{ 3, 1, 6, TL_STATUS_OK },
		{ 0x1234567800000003, 4, 6, TL_STATUS_OK },
		{ 6, 8, 12, TL_STATUS_OK },
		{ 7, 8, 12, TL_STATUS_TRUNCATED },
		{ ~0ULL, 8, 12, TL_STATUS_TRUNCATED },
		{ ~0ULL, 8 | TL_TEST_SIGNED, 0, TL_STATUS_OK },
		{ 0xff, 1 | TL_TEST_SIGNED, 0, TL_STATUS_OK },
	};
	struct tl_run *run = tl_run_make(test);
	struct tl_insn insns[] = {
		{ .op = TL_OP_REG, .imm = REG(di) },
		{ .op = TL_OP_LENGTH },
		{ .op = TL_OP_REG, .imm = REG(si) },
		{ .op = TL_OP_PUT_BYTES, .arg = 12 },
		END
	};
	static const u8 memory[] = "abcdefghijkl";
	u16 length;
	u32 i;

	run->regs.si = (unsigned long)memory;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		run->regs.di = cases[i].number;
		/* elements of two bytes */
		insns[1].arg = 2 | (cases[i].type & TL_TEST_SIGNED) |
			       (cases[i].type & ~TL_TEST_SIGNED) << TL_TEST_BYTES_SHIFT;
		tl_run(test, run, insns, ARRAY_SIZE(insns));
		memcpy(&length, run->out, sizeof(length));
		KUNIT_EXPECT_EQ_MSG(test, length, cases[i].bytes, "case %u", i);
		KUNIT_EXPECT_MEMEQ(test, run->out + sizeof(length), memory, length);
		KUNIT_EXPECT_EQ_MSG(test, run->marks.cuts,
				    cases[i].status == TL_STATUS_TRUNCATED, "case %u", i);
	}
}

/* Memory up to where it ends: of two pages the second is a hole. */
static void tl_test_bytes(struct kunit *test)
{
	struct tl_run *run = tl_run_make(test);
	struct tl_insn insns[] = {
		{ .op = TL_OP_PUT_REG, .arg = 8, .imm = REG(di) },
		{ .op = TL_OP_REG, .imm = REG(si) },
		{ .op = TL_OP_PUT_BYTES, .arg = 12 },
		END
	};
	u8 *page = vmalloc(PAGE_SIZE);
	u16 length;

	KUNIT_ASSERT_NOT_NULL(test, page);
	memset(page, 'x', PAGE_SIZE);
	run->regs.si = (unsigned long)page;
	tl_run(test, run, insns, ARRAY_SIZE(insns));
	KUNIT_EXPECT_EQ(test, run->bytes, 8 + 2 + 12);
	KUNIT_EXPECT_EQ(test, run->marks.cuts + run->marks.faults, 0);
	/* a page without memory follows each area of vmalloc() */
	run->regs.si = (unsigned long)page + PAGE_SIZE - 5;
	tl_run(test, run, insns, ARRAY_SIZE(insns));
	memcpy(&length, run->out + 8, sizeof(length));
	KUNIT_EXPECT_EQ(test, length, 5);
	KUNIT_EXPECT_EQ(test, run->bytes, 8 + 2 + 5);
	KUNIT_EXPECT_EQ(test, run->marks.cuts, 1);
	KUNIT_EXPECT_EQ(test, run->statuses[1], TL_STATUS_INCOMPLETE);
	run->regs.si = (unsigned long)page + PAGE_SIZE;
	tl_run(test, run, insns, ARRAY_SIZE(insns));
	KUNIT_EXPECT_EQ(test, run->bytes, 8 + 2);
	KUNIT_EXPECT_EQ(test, run->statuses[1], TL_STATUS_FAULT);
	vfree(page);
}

/* A fault ends its argument and no other one; the marks say which. */
static void tl_test_fault_between(struct kunit *test)
{
	struct tl_run *run = tl_run_make(test);
	struct tl_insn insns[] = {
		{ .op = TL_OP_PUT_REG, .arg = 2, .imm = REG(di) },
		{ .op = TL_OP_IMM, .imm = 8 },
		{ .op = TL_OP_DEREF, .arg = 8 },
		{ .op = TL_OP_DEREF, .arg = 8, .imm = 16 },
		{ .op = TL_OP_PUT, .arg = 4 },
		{ .op = TL_OP_PUT_REG, .arg = 8, .imm = REG(si) },
		{ .op = TL_OP_IMM, .imm = 8 },
		{ .op = TL_OP_PUT_STRING, .arg = 10 },
		{ .op = TL_OP_PUT_REG, .arg = 1, .imm = REG(dx) },
		END
	};
	static const u8 statuses[] = {
		TL_STATUS_OK, TL_STATUS_FAULT, TL_STATUS_OK, TL_STATUS_FAULT,
		TL_STATUS_OK
	};
	u8 expected[2 + 4 + 8 + 2 + 1] = {};

	memcpy(expected, &run->regs.di, 2);
	memcpy(expected + 6, &run->regs.si, 8);
	memcpy(expected + 16, &run->regs.dx, 1);
	tl_run(test, run, insns, ARRAY_SIZE(insns));
	KUNIT_EXPECT_EQ(test, run->bytes, sizeof(expected));
	KUNIT_EXPECT_MEMEQ(test, run->out, expected, sizeof(expected));
	KUNIT_EXPECT_MEMEQ(test, run->statuses, statuses, sizeof(statuses));
	KUNIT_EXPECT_EQ(test, run->marks.faults, 2);
	KUNIT_EXPECT_EQ(test, run->marks.cuts, 0);
}

/* One argument of those that a direct program can have. */
static u32 tl_random_direct(struct tl_insn *insn)
{
	static const struct tl_insn loads[] = {
		{ .op = TL_OP_REG }, { .op = TL_OP_SP }, { .op = TL_OP_RETVAL },
		{ .op = TL_OP_CALLER }, { .op = TL_OP_PLACE }, { .op = TL_OP_IMM },
		{ .op = TL_OP_CURRENT },
	};
	u32 choice = get_random_u32_below(2 * ARRAY_SIZE(loads));
	u32 bytes = 1u << get_random_u32_below(4);
	u64 at = get_random_u32_below(sizeof(struct pt_regs) / 8) * 8;

	if (choice >= ARRAY_SIZE(loads)) {
		insn[0] = (struct tl_insn){ .op = TL_OP_PUT_REG, .arg = bytes,
					    .imm = at };
		return 1;
	}
	insn[0] = loads[choice];
	if (insn[0].op == TL_OP_REG)
		insn[0].imm = at;
	if (insn[0].op == TL_OP_IMM)
		insn[0].imm = get_random_u64();
	insn[1] = (struct tl_insn){ .op = TL_OP_PUT, .arg = bytes };
	return 2;
}

/* Random programs: what one way appends the other one appends, too. */
static void tl_test_direct(struct kunit *test)
{
	struct tl_run *run = tl_run_make(test);
	struct tl_insn insns[41];
	u8 direct[sizeof(run->out)];
	u32 i, count, args;

	for (i = 0; i < tl_rounds(2000); i++) {
		count = 0;
		for (args = get_random_u32_below(20); args; args--)
			count += tl_random_direct(&insns[count]);
		insns[count++] = (struct tl_insn)END;
		get_random_bytes(&run->regs, sizeof(run->regs));
		tl_run(test, run, insns, count);
		KUNIT_ASSERT_TRUE(test, run->prog.direct);
		KUNIT_ASSERT_EQ(test, run->bytes, run->prog.max_bytes);
		memset(direct, 0xdd, sizeof(direct));
		tl_prog_run_direct(&run->prog, &run->src, direct);
		KUNIT_ASSERT_MEMEQ(test, direct, run->out, run->bytes);
		if (run->bytes < sizeof(direct))
			KUNIT_ASSERT_EQ(test, direct[run->bytes], 0xdd);
	}
}

/* What can fault or differ in length is never direct. */
static void tl_test_not_direct(struct kunit *test)
{
	static const struct tl_insn arguments[][2] = {
		{ { .op = TL_OP_STACK }, { .op = TL_OP_PUT, .arg = 8 } },
		{ { .op = TL_OP_REG }, { .op = TL_OP_PUT_STRING, .arg = 8 } },
		{ { .op = TL_OP_PUT_REG, .arg = 8 }, { .op = TL_OP_PUT_COMM } },
	};
	struct tl_run *run = tl_run_make(test);
	struct tl_insn insns[] = { {}, {}, END };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(arguments); i++) {
		memcpy(insns, arguments[i], sizeof(arguments[i]));
		KUNIT_EXPECT_EQ(test, (int)tl_verify(run, insns, 3), TL_ERR_NONE);
		KUNIT_EXPECT_FALSE(test, run->prog.direct);
	}
}

static struct kunit_case tl_prog_cases[] = {
	KUNIT_CASE(tl_test_registers),
	KUNIT_CASE(tl_test_frame_end),
	KUNIT_CASE(tl_test_loads),
	KUNIT_CASE(tl_test_stack),
	KUNIT_CASE(tl_test_comm),
	KUNIT_CASE(tl_test_task),
	KUNIT_CASE(tl_test_length),
	KUNIT_CASE(tl_test_bytes),
	KUNIT_CASE(tl_test_fault_between),
	KUNIT_CASE_SLOW(tl_test_direct),
	KUNIT_CASE(tl_test_not_direct),
	{}
};

struct kunit_suite tl_prog_suite = {
	.name = "prog",
	.test_cases = tl_prog_cases,
};
