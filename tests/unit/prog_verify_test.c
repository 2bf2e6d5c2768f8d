// SPDX-License-Identifier: GPL-2.0-only
/*
 * The verifier: each reason of a refusal, each limit, each instruction with
 * each operand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "prog_expect.h"

u64 tl_env_clock_ns(void)
{
	return 0;
}

#define LENGTH { TL_OP_LENGTH, 1 | 8 << TL_TEST_BYTES_SHIFT, 0 }
#define BYTES { TL_OP_PUT_BYTES, 8, 0 }

static void test_reasons(void **state)
{
	(void)state;
	EXPECT(TL_ERR_PROG_OP, 0, { 0, 0, 0 }, END);
	EXPECT(TL_ERR_PROG_OP, 1, { TL_OP_PUT_COMM, 0, 0 }, { 33, 0, 0 }, END);
	EXPECT(TL_ERR_PROG_OP, 0, { 0xffffffff, 0, 0 }, END);
	EXPECT(TL_ERR_PROG_OPERAND, 1, SP, { TL_OP_PUT, 3, 0 }, END);
	EXPECT(TL_ERR_PROG_OPERAND, 1, SP, { TL_OP_DEREF, 0, 0 }, PUT, END);
	EXPECT(TL_ERR_PROG_REGISTER, 0, { TL_OP_REG, 0, REGS_BYTES }, PUT, END);
	EXPECT(TL_ERR_PROG_REGISTER, 0, { TL_OP_PUT_REG, 8, 4 }, END);
	EXPECT(TL_ERR_PROG_CONTEXT, 0, { TL_OP_RETVAL, 0, 0 }, PUT, END);
	EXPECT(TL_ERR_PROG_CONTEXT, 0, { TL_OP_CALLER, 0, 0 }, PUT, END);
	EXPECT(TL_ERR_PROG_FLOW, 0, PUT, END);
	EXPECT(TL_ERR_PROG_FLOW, 1, SP, SP, PUT, END);
	EXPECT(TL_ERR_PROG_FLOW, 1, SP, END);
	EXPECT(TL_ERR_PROG_FLOW, 1, SP, { TL_OP_PUT_REG, 8, 0 }, END);
	EXPECT(TL_ERR_PROG_FLOW, 1, SP, { TL_OP_PUT_COMM, 0, 0 }, END);
	EXPECT(TL_ERR_PROG_FLOW, 1, SP, { TL_OP_PUT_STACK, 1, 0 }, END);
	EXPECT(TL_ERR_PROG_FLOW, 0, { TL_OP_DEREF, 8, 0 }, PUT, END);
	EXPECT(TL_ERR_PROG_FLOW, 0, { TL_OP_PUT_STRING, 8, 0 }, END);
	EXPECT(TL_ERR_PROG_FLOW, 0, { TL_OP_PUT_BYTES, 8, 0 }, END);
	/* a length is that of bytes, which must follow */
	EXPECT(TL_ERR_NONE, 0, SP, LENGTH, SP, BYTES, END);
	EXPECT(TL_ERR_NONE, 0, SP, LENGTH, SP, { TL_OP_DEREF, 8, 0 }, BYTES, SP,
	       PUT, END);
	EXPECT(TL_ERR_PROG_FLOW, 0, LENGTH, SP, BYTES, END);
	EXPECT(TL_ERR_PROG_FLOW, 3, SP, LENGTH, SP, PUT, END);
	EXPECT(TL_ERR_PROG_FLOW, 2, SP, LENGTH, BYTES, END);
	EXPECT(TL_ERR_PROG_FLOW, 2, SP, LENGTH, LENGTH, SP, BYTES, END);
	EXPECT(TL_ERR_PROG_FLOW, 3, SP, LENGTH, SP, LENGTH, SP, BYTES, END);
	EXPECT(TL_ERR_PROG_FLOW, 2, SP, LENGTH, END);
	EXPECT(TL_ERR_PROG_FLOW, 2, SP, LENGTH, { TL_OP_PUT_COMM, 0, 0 }, END);
	/* a put uses the value up */
	EXPECT(TL_ERR_PROG_FLOW, 2, SP, PUT, PUT, END);
	EXPECT(TL_ERR_PROG_FLOW, 2, SP, PUT, { TL_OP_DEREF, 8, 0 }, PUT, END);
	EXPECT(TL_ERR_PROG_END, 1, SP, PUT);
	EXPECT(TL_ERR_PROG_END, 0, END, END);
	EXPECT(TL_ERR_PROG_END, 2, SP, PUT, END, SP, PUT, END);
	EXPECT(TL_ERR_PROG_OPERAND, 0, { TL_OP_END, 1, 0 });
	EXPECT(TL_ERR_PROG_OPERAND, 0, { TL_OP_END, 0, 1 });
	EXPECT(TL_ERR_NONE, 0, END);
	EXPECT(TL_ERR_NONE, 0, SP, { TL_OP_DEREF, 1, ~0ull }, PUT, END);
}

/* A tracepoint's frame: arguments, each a word, and nothing to find a stack by. */
static void test_arguments(void **state)
{
	static const struct tl_prog_limits limits = {
		.regs_bytes = TL_TRACEPOINT_ARGS * 8, .args_only = true,
	};
	static const struct {
		enum tl_error_code code;
		struct tl_insn load;
	} cases[] = {
		{ TL_ERR_NONE, { TL_OP_REG, 0, 0 } },
		{ TL_ERR_NONE, { TL_OP_REG, 0, 8 * (TL_TRACEPOINT_ARGS - 1) } },
		{ TL_ERR_PROG_REGISTER, { TL_OP_REG, 0, 8 * TL_TRACEPOINT_ARGS } },
		{ TL_ERR_PROG_REGISTER, { TL_OP_REG, 0, 4 } },
		{ TL_ERR_PROG_FRAME, SP },
		{ TL_ERR_PROG_FRAME, { TL_OP_STACK, 0, 0 } },
		{ TL_ERR_PROG_CONTEXT, { TL_OP_RETVAL, 0, 0 } },
		{ TL_ERR_PROG_CONTEXT, { TL_OP_CALLER, 0, 0 } },
		{ TL_ERR_PROG_CONTEXT, { TL_OP_REG, TL_REG_ENTRY, 0 } },
		{ TL_ERR_NONE, { TL_OP_PLACE, 0, 0 } },
		{ TL_ERR_NONE, { TL_OP_CURRENT, 0, 0 } },
		{ TL_ERR_NONE, { TL_OP_TASK, TL_TASK_TID, 0 } },
	};
	struct tl_prog prog;
	u32 i, bad;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		/* what may be put may be compared, too */
		const struct tl_insn put[] = { cases[i].load, PUT, END };
		const struct tl_insn test[] = {
			cases[i].load,
			{ TL_OP_TEST, 2 | 8u << TL_TEST_BYTES_SHIFT, 1 },
			{ TL_OP_REJECT, 0, 0 }, END,
		};

		assert_int_equal(verify_within(&prog, put, COUNT(put), &limits,
					       &bad), cases[i].code);
		assert_int_equal(bad, cases[i].code ? 0 : COUNT(put) - 1);
		free(prog.insns);
		assert_int_equal(verify_within(&prog, test, COUNT(test),
					       &limits, &bad), cases[i].code);
		free(prog.insns);
	}
}

static void test_length(void **state)
{
	static struct tl_insn insns[TL_PROG_INSNS_MAX + 1];
	u32 i;

	(void)state;
	expect(insns, 0, TL_ERR_PROG_LENGTH, 0);
	for (i = 0; i < COUNT(insns); i++)
		insns[i] = (struct tl_insn){ TL_OP_DEREF, 8, 0 };
	insns[0] = (struct tl_insn)SP;
	insns[TL_PROG_INSNS_MAX - 2] = (struct tl_insn)PUT;
	insns[TL_PROG_INSNS_MAX - 1] = (struct tl_insn)END;
	expect(insns, TL_PROG_INSNS_MAX, TL_ERR_NONE, 0);
	expect(insns, TL_PROG_INSNS_MAX + 1, TL_ERR_PROG_LENGTH, 0);
	/* nothing of such a program may be looked at */
	expect(insns, 0, TL_ERR_PROG_LENGTH, 0);
}

static void test_length_huge(void **state)
{
	const struct tl_prog_limits limits = { .regs_bytes = REGS_BYTES };
	struct tl_prog prog = { 0 };
	u32 bad;

	(void)state;
	assert_int_equal(tl_prog_verify(&prog, ~0u, &limits, &bad),
			 TL_ERR_PROG_LENGTH);
}

static void test_argument_limit(void **state)
{
	struct tl_insn insns[TL_ARGS_MAX + 2];
	u32 i;

	(void)state;
	for (i = 0; i < COUNT(insns); i++)
		insns[i] = (struct tl_insn){ TL_OP_PUT_REG, 1, 0 };
	insns[TL_ARGS_MAX] = (struct tl_insn)END;
	expect(insns, TL_ARGS_MAX + 1, TL_ERR_NONE, 0);
	insns[TL_ARGS_MAX] = insns[0];
	insns[TL_ARGS_MAX + 1] = (struct tl_insn)END;
	expect(insns, TL_ARGS_MAX + 2, TL_ERR_PROG_ARGS, TL_ARGS_MAX);
}

/* The longest record: header, one status byte an argument, and the values. */
static void test_byte_limit(void **state)
{
	const u32 left = TL_RECORD_BYTES_MAX - 24 - 2 - (2 + TL_STRING_BYTES_MAX);
	struct tl_insn insns[] = {
		SP, { TL_OP_PUT_STRING, TL_STRING_BYTES_MAX, 0 },
		SP, { TL_OP_PUT_STRING, left - 2, 0 }, END,
	};

	(void)state;
	expect(insns, COUNT(insns), TL_ERR_NONE, 0);
	insns[3].arg++;
	expect(insns, COUNT(insns), TL_ERR_PROG_BYTES, 3);
	/* with the flag it is as long as without */
	insns[3].arg |= TL_ARG_USER;
	expect(insns, COUNT(insns), TL_ERR_PROG_BYTES, 3);
	insns[3].arg--;
	expect(insns, COUNT(insns), TL_ERR_NONE, 0);
	insns[1].arg = TL_STRING_BYTES_MAX + 1;
	expect(insns, COUNT(insns), TL_ERR_PROG_OPERAND, 1);
}

static void test_register_frames(void **state)
{
	struct tl_insn insns[] = { { TL_OP_PUT_REG, 8, 0 }, END };
	struct tl_prog prog = { .insns = insns };
	u32 bytes, offset, bad;

	(void)state;
	for (bytes = 0; bytes < 40; bytes++) {
		const struct tl_prog_limits limits = { .regs_bytes = bytes };

		for (offset = 0; offset < 60; offset++) {
			bool fits = offset % 8 == 0 && offset + 8 <= bytes;

			insns[0].imm = offset;
			assert_int_equal(tl_prog_verify(&prog, 2, &limits, &bad),
					 fits ? TL_ERR_NONE :
						TL_ERR_PROG_REGISTER);
		}
		insns[0].imm = (u64)-8;
		assert_int_equal(tl_prog_verify(&prog, 2, &limits, &bad),
				 TL_ERR_PROG_REGISTER);
	}
}

static const u32 args[] = { 0, 1, 2, 3, 4, 5, 8, 9, 16, 127, 128, 255, 256,
			    TL_STRING_BYTES_MAX, TL_STRING_BYTES_MAX + 1, 65536,
			    0x7fffffff, TL_ARG_USER, TL_ARG_USER | 1,
			    TL_ARG_USER | 8, TL_ARG_USER | 3, 0xffffffff };
static const u64 imms[] = { 0, 1, 7, 8, 160, 161, 168, 65535, 65536, 65544,
			    1ull << 32, (1ull << 32) | 8, 1ull << 63,
			    (u64)-8, ~0ull };

static bool size_ok(u32 arg)
{
	return arg == 1 || arg == 2 || arg == 4 || arg == 8;
}

static bool string_ok(u32 arg)
{
	arg &= ~TL_ARG_USER;
	return arg >= 1 && arg <= TL_STRING_BYTES_MAX;
}

/* The table of uapi/trapline_prog.h, said a second time. */
static bool operands_ok(const struct tl_insn *insn, bool is_return)
{
	bool reg = insn->imm % 8 == 0 && insn->imm <= REGS_BYTES - 8;

	switch (insn->op) {
	case TL_OP_REG:
		if (insn->arg == TL_REG_ENTRY)
			return is_return && insn->imm < TL_ENTRY_ARGS;
		return !insn->arg && reg;
	case TL_OP_STACK:
		return !insn->arg && insn->imm < 65536;
	case TL_OP_SP:
	case TL_OP_PLACE:
	case TL_OP_CURRENT:
	case TL_OP_PUT_COMM:
		return !insn->arg && !insn->imm;
	case TL_OP_RETVAL:
		return insn->arg <= TL_RETURN_DURATION && !insn->imm &&
		       is_return;
	case TL_OP_CALLER:
		return !insn->arg && !insn->imm && is_return;
	case TL_OP_IMM:
		return !insn->arg;
	case TL_OP_DEREF:
		return size_ok(insn->arg & ~TL_ARG_USER);
	case TL_OP_PUT:
		return size_ok(insn->arg) && !insn->imm;
	case TL_OP_PUT_REG:
		return size_ok(insn->arg) && reg;
	case TL_OP_PUT_STRING:
	case TL_OP_PUT_BYTES:
		return string_ok(insn->arg);
	case TL_OP_LENGTH:
		return size_ok(insn->arg & 15) &&
		       size_ok(insn->arg >> 24) && !insn->imm &&
		       !(insn->arg & 0xffbff0u);
	case TL_OP_PUT_STACK:
		return insn->arg >= 1 && insn->arg <= 127 && insn->imm <= 1;
	case TL_OP_TASK:
		if (insn->arg == TL_TASK_FAMILY)
			return insn->imm <= 0xffffffff;
		/* the name is for filters */
		return insn->arg >= 1 && insn->arg <= 4 && !insn->imm;
	}
	return false;
}

/* One instruction, with what must be around it. */
static void check_operands(const struct tl_insn *insn, bool is_return)
{
	struct tl_insn insns[6] = { SP, *insn, PUT, END };
	bool starts = insn->op <= TL_OP_IMM || insn->op == TL_OP_CURRENT ||
		      insn->op == TL_OP_TASK ||
		      insn->op == TL_OP_PUT_REG || insn->op == TL_OP_PUT_COMM ||
		      insn->op == TL_OP_PUT_STACK;
	bool ends = TL_OP_IS_PUT(insn->op) || insn->op > TL_OP_END;
	struct tl_insn *from = insns + (starts ? 1 : 0);
	struct tl_prog prog;
	enum tl_error_code code;
	u32 count = starts ? 3 : 4;
	u32 bad;

	if (insn->op == TL_OP_LENGTH) {
		insns[2] = insns[0];
		insns[3] = (struct tl_insn){ TL_OP_PUT_BYTES, 8, 0 };
		insns[4] = (struct tl_insn)END;
		count++;
	} else if (ends) {
		insns[2] = insns[3];
		count--;
	}
	code = verify(&prog, from, count, is_return, &bad);
	free(prog.insns);
	if (!code != operands_ok(insn, is_return))
		fail_msg("op %u arg %#x imm %#llx is %s (%d)", insn->op,
			 insn->arg, (unsigned long long)insn->imm,
			 code ? "refused" : "taken", code);
	if (code)
		assert_int_equal(bad, starts ? 0 : 1);
}

static void test_operands(void **state)
{
	struct tl_insn insn;
	u32 a, i;

	(void)state;
	for (insn.op = 0; insn.op < 40; insn.op++) {
		if (insn.op == TL_OP_END)
			continue;
		for (a = 0; a < COUNT(args); a++) {
			for (i = 0; i < COUNT(imms); i++) {
				insn.arg = args[a];
				insn.imm = imms[i];
				check_operands(&insn, false);
				check_operands(&insn, true);
			}
		}
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_length_huge),
		cmocka_unit_test(test_argument_limit),
		cmocka_unit_test(test_byte_limit),
		cmocka_unit_test(test_register_frames),
		cmocka_unit_test(test_operands),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests_name("prog_verify", tests, NULL, NULL);
}
