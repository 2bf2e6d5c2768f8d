// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters as the kernel has them: what the verifier refuses, patterns against
 * texts, and random filters, which must decide as a second interpreter says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "prog_expect.h"
#include "prog_model.h"

#define RUNS 200000
#define BYTES(n) ((u32)(n) << TL_TEST_BYTES_SHIFT)
#define TASK(which) { TL_OP_TASK, which, 0 }
#define TEST(jump) { TL_OP_TEST, BYTES(8) | (jump), 0 }
#define STRING(max) { TL_OP_STRING, max, 0 }
#define MATCH(jump, bytes) { TL_OP_MATCH, jump, bytes }
#define DATA(text) { TL_OP_DATA, 0, text }
#define REJECT { TL_OP_REJECT, 0, 0 }

u64 tl_env_clock_ns(void)
{
	return 0;
}

#define GOOD(...) EXPECT(TL_ERR_NONE, 0, __VA_ARGS__)

static void test_jumps(void **state)
{
	(void)state;
	GOOD(REJECT, END);
	GOOD(REJECT, REJECT, SP, PUT, END);
	GOOD(SP, TEST(1), REJECT, END);
	GOOD(SP, TEST(2), REJECT, END);
	GOOD(SP, TEST(2), REJECT, SP, TEST(1), REJECT, SP, PUT, END);
	EXPECT(TL_ERR_PROG_JUMP, 1, SP, TEST(0), REJECT, END);
	EXPECT(TL_ERR_PROG_JUMP, 1, SP, TEST(3), REJECT, END);
	EXPECT(TL_ERR_PROG_JUMP, 1, SP, TEST(3), REJECT, SP, PUT, END);
	EXPECT(TL_ERR_PROG_JUMP, 1, SP, TEST(4095), REJECT, END);
	/* into the middle of what a comparison loads */
	EXPECT(TL_ERR_PROG_JUMP, 3, SP, TEST(2), SP, TEST(1), REJECT, END);
	EXPECT(TL_ERR_PROG_JUMP, 3, SP, TEST(2), SP, { TL_OP_DEREF, 8, 0 },
	       TEST(1), REJECT, END);
	/* into a pattern, of itself or of a later one */
	EXPECT(TL_ERR_PROG_JUMP, 2, TASK(5), MATCH(1, 1), DATA('a'), REJECT,
	       END);
	GOOD(TASK(5), MATCH(2, 1), DATA('a'), REJECT, END);
	EXPECT(TL_ERR_PROG_JUMP, 4, SP, TEST(3), TASK(5), MATCH(2, 1),
	       DATA('a'), REJECT, END);
	/* over more than one put, into nowhere */
	EXPECT(TL_ERR_PROG_JUMP, 2, REJECT, SP, TEST(4), REJECT, SP, PUT, SP,
	       PUT, END);
}

static void test_parts(void **state)
{
	(void)state;
	EXPECT(TL_ERR_PROG_PART, 1, SP, TEST(1), SP, PUT, END);
	EXPECT(TL_ERR_PROG_PART, 0, DATA(0), END);
	EXPECT(TL_ERR_PROG_PART, 1, SP, STRING(8), END);
	EXPECT(TL_ERR_PROG_PART, 0, MATCH(1, 0), END);
	EXPECT(TL_ERR_PROG_PART, 0, TASK(5), PUT, END);
	GOOD(TASK(4), PUT, END);
	EXPECT(TL_ERR_PROG_PART, 1, SP, PUT, REJECT, END);
	EXPECT(TL_ERR_PROG_PART, 0, { TL_OP_PUT_REG, 8, 0 }, REJECT, END);
	EXPECT(TL_ERR_PROG_PART, 0, { TL_OP_PUT_COMM, 0, 0 }, REJECT, END);
	EXPECT(TL_ERR_PROG_END, 0, END, REJECT, END);
	EXPECT(TL_ERR_PROG_END, 1, REJECT, REJECT);
	EXPECT(TL_ERR_PROG_OP, 0, { 0, 0, 0 }, REJECT, END);
	EXPECT(TL_ERR_PROG_OP, 0, { 33, 0, 0 }, REJECT, END);
	EXPECT(TL_ERR_PROG_OP, 0, { ~0u, 0, 0 }, REJECT, END);
}

static void test_flow(void **state)
{
	(void)state;
	EXPECT(TL_ERR_PROG_FLOW, 0, TEST(1), REJECT, END);
	EXPECT(TL_ERR_PROG_FLOW, 1, SP, REJECT, END);
	EXPECT(TL_ERR_PROG_FLOW, 1, SP, SP, TEST(1), REJECT, END);
	EXPECT(TL_ERR_PROG_FLOW, 2, SP, TEST(1), TEST(1), REJECT, END);
	EXPECT(TL_ERR_PROG_FLOW, 1, SP, TASK(1), TEST(1), REJECT, END);
	EXPECT(TL_ERR_PROG_FLOW, 1, SP, MATCH(1, 0), REJECT, END);
	EXPECT(TL_ERR_PROG_FLOW, 1, TASK(5), TEST(1), REJECT, END);
	EXPECT(TL_ERR_PROG_FLOW, 2, SP, STRING(8), TEST(1), REJECT, END);
	EXPECT(TL_ERR_PROG_FLOW, 1, TASK(5), { TL_OP_DEREF, 8, 0 }, TEST(1),
	       REJECT, END);
	EXPECT(TL_ERR_PROG_FLOW, 1, TASK(5), STRING(8), MATCH(1, 0), REJECT,
	       END);
	EXPECT(TL_ERR_PROG_FLOW, 0, STRING(8), MATCH(1, 0), REJECT, END);
	EXPECT(TL_ERR_PROG_FLOW, 0, { TL_OP_DEREF, 8, 0 }, TEST(1), REJECT, END);
	EXPECT(TL_ERR_PROG_CONTEXT, 0, { TL_OP_RETVAL, 0, 0 }, TEST(1), REJECT,
	       END);
	EXPECT(TL_ERR_PROG_REGISTER, 0, { TL_OP_REG, 0, REGS_BYTES }, TEST(1),
	       REJECT, END);
}

static void test_operands(void **state)
{
	u32 arg;

	(void)state;
	for (arg = 0; arg < 8; arg++) {
		const struct tl_insn insns[] = { TASK(arg), TEST(1), REJECT,
						 END };
		const struct tl_insn match[] = { TASK(arg), MATCH(1, 0), REJECT,
						 END };
		const bool is_known = arg >= 1 && arg <= 6;

		expect(insns, 4, !is_known ? TL_ERR_PROG_OPERAND :
		       arg == 5 ? TL_ERR_PROG_FLOW : TL_ERR_NONE, arg == 5);
		expect(match, 4, !is_known ? TL_ERR_PROG_OPERAND :
		       arg != 5 ? TL_ERR_PROG_FLOW : TL_ERR_NONE, is_known);
	}
	for (arg = 0; arg < 32; arg++) {
		struct tl_insn insns[] = { SP, TEST(1), REJECT, END };
		const u32 known = TL_TEST_IF_TRUE | TL_TEST_NOT |
				  TL_TEST_SIGNED | TL_TEST_AND;

		if (1u << arg & TL_TEST_JUMP)
			continue;
		insns[1].arg ^= 1u << arg;
		expect(insns, 4, known & 1u << arg ? TL_ERR_NONE :
		       TL_ERR_PROG_OPERAND, 1);
	}
	EXPECT(TL_ERR_PROG_OPERAND, 0, { TL_OP_REJECT, 1, 0 }, END);
	EXPECT(TL_ERR_PROG_OPERAND, 0, { TL_OP_REJECT, 0, 1 }, END);
	EXPECT(TL_ERR_PROG_OPERAND, 0, { TL_OP_TASK, 1, 1 }, TEST(1), REJECT,
	       END);
	EXPECT(TL_ERR_PROG_OPERAND, 1, SP, STRING(0), MATCH(1, 0), REJECT, END);
	GOOD(SP, STRING(TL_MATCH_STRING_MAX), MATCH(1, 0), REJECT, END);
	GOOD(SP, STRING(TL_ARG_USER | 1), MATCH(1, 0), REJECT, END);
	EXPECT(TL_ERR_PROG_OPERAND, 1, SP, STRING(TL_MATCH_STRING_MAX + 1),
	       MATCH(1, 0), REJECT, END);
	EXPECT(TL_ERR_PROG_OPERAND, 1, TASK(5), MATCH(TL_TEST_SIGNED | 1, 0),
	       REJECT, END);
	EXPECT(TL_ERR_PROG_OPERAND, 1, TASK(5), MATCH(1, 257), REJECT, END);
	EXPECT(TL_ERR_PROG_OPERAND, 1, TASK(5), MATCH(1, 1ull << 32), REJECT,
	       END);
}

static void test_patterns(void **state)
{
	(void)state;
	GOOD(TASK(5), MATCH(2, 8), DATA(0x6161616161616161), REJECT, END);
	EXPECT(TL_ERR_PROG_PATTERN, 2, TASK(5), MATCH(2, 1), REJECT, END);
	EXPECT(TL_ERR_PROG_PATTERN, 3, TASK(5), MATCH(2, 9), DATA(0), REJECT,
	       END);
	EXPECT(TL_ERR_PROG_PATTERN, 2, TASK(5), MATCH(1, 0), DATA(0), REJECT,
	       END);
	EXPECT(TL_ERR_PROG_OPERAND, 2, TASK(5), MATCH(2, 1), DATA(0x100),
	       REJECT, END);
	EXPECT(TL_ERR_PROG_OPERAND, 2, TASK(5), MATCH(2, 1),
	       { TL_OP_DATA, 1, 0 }, REJECT, END);
	EXPECT(TL_ERR_PROG_PATTERN, 2, TASK(5), MATCH(2, 1), DATA('['), REJECT,
	       END);
	EXPECT(TL_ERR_PROG_PATTERN, 2, TASK(5), MATCH(2, 1), DATA('\\'),
	       REJECT, END);
	/* [a-b], [a-a], [b-a], [], [!] */
	GOOD(TASK(5), MATCH(2, 5), DATA(0x5d622d615b), REJECT, END);
	GOOD(TASK(5), MATCH(2, 5), DATA(0x5d612d615b), REJECT, END);
	EXPECT(TL_ERR_PROG_PATTERN, 2, TASK(5), MATCH(2, 5),
	       DATA(0x5d612d625b), REJECT, END);
	EXPECT(TL_ERR_PROG_PATTERN, 2, TASK(5), MATCH(2, 2), DATA(0x5d5b),
	       REJECT, END);
	EXPECT(TL_ERR_PROG_PATTERN, 2, TASK(5), MATCH(2, 3), DATA(0x5d215b),
	       REJECT, END);
}

/* As many steps as there may be, and one more: of two matches together. */
static void test_steps_exactly(void **state)
{
	struct tl_insn insns[] = {
		SP, STRING(4096), MATCH(9, 63), DATA('*'), DATA(0), DATA(0),
		DATA(0), DATA(0), DATA(0), DATA(0), DATA(0),
		SP, STRING(4032), MATCH(2, 1), DATA('a'), REJECT, END
	};

	(void)state;
	assert_int_equal(4096 * 63 + 63 + 4032 + 1, TL_MATCH_STEPS_MAX);
	expect(insns, COUNT(insns), TL_ERR_NONE, 0);
	insns[12].arg++;
	expect(insns, COUNT(insns), TL_ERR_PROG_STEPS, 14);
}

static void test_steps(void **state)
{
	struct tl_insn insns[] = {
		SP, STRING(4096), MATCH(9, 63), DATA('*'), DATA(0), DATA(0),
		DATA(0), DATA(0), DATA(0), DATA(0), DATA(0), REJECT, END
	};

	(void)state;
	/* 62 bytes may be tried again: 4096 * 63 + 63 */
	expect(insns, COUNT(insns), TL_ERR_NONE, 0);
	insns[2].imm = 64;
	expect(insns, COUNT(insns), TL_ERR_PROG_STEPS, 10);
	insns[1].arg = 4095;
	expect(insns, COUNT(insns), TL_ERR_NONE, 0);
	insns[1].arg = TL_ARG_USER | 4096;
	expect(insns, COUNT(insns), TL_ERR_PROG_STEPS, 10);
	/* behind the "*" is nothing */
	insns[3].imm = 0;
	insns[10].imm = (u64)'*' << 56;
	expect(insns, COUNT(insns), TL_ERR_NONE, 0);
}

/* ---- patterns --------------------------------------------------------- */

/* A pattern: valid as the model would have it read, and then the same. */
static void check_glob(const char *pattern, u32 bytes)
{
	static const char letters[] = "ab]";
	struct tl_insn match[4] = { { TL_OP_MATCH, 0, bytes } };
	u8 text[4];
	u32 number, retry, i;

	for (i = 0; i < bytes; i++)
		match[1 + i / 8].imm |= (u64)(u8)pattern[i] << 8 * (i % 8);
	if (!tl_glob_measure(match + 1, bytes, &retry))
		return;
	assert_true(retry < bytes || !retry);
	/* all texts of up to four letters */
	for (number = 0; number < 256; number++) {
		u32 count = 0, rest = number;

		for (; rest; rest /= 4)
			if (rest % 4)
				text[count++] = (u8)letters[rest % 4 - 1];
		if (tl_glob_match(match + 1, bytes, text, count) !=
		    prog_model_glob(match, text, count))
			fail_msg("\"%.*s\" and \"%.*s\"", bytes, pattern, count,
				 (char *)text);
	}
}

/* All patterns of up to five characters of these. */
static void test_glob_all(void **state)
{
	static const char letters[] = "ab*?[]!-\\";
	const u32 base = sizeof(letters) - 1;
	char pattern[5];
	u32 length, number, all = 1, rest, i;

	(void)state;
	for (length = 0; length <= 5; length++, all *= base) {
		for (number = 0; number < all; number++) {
			rest = number;
			for (i = 0; i < length; i++, rest /= base)
				pattern[i] = letters[rest % base];
			check_glob(pattern, length);
		}
	}
}

static bool glob(const char *pattern, const char *text)
{
	struct tl_insn data[TL_MATCH_PATTERN_MAX / 8] = { { 0 } };
	u32 bytes = (u32)strlen(pattern), retry, i;

	for (i = 0; i < bytes; i++)
		data[i / 8].imm |= (u64)(u8)pattern[i] << 8 * (i % 8);
	assert_true(tl_glob_measure(data, bytes, &retry));
	return tl_glob_match(data, bytes, (const u8 *)text,
			     (u32)strlen(text));
}

static void test_glob_cases(void **state)
{
	(void)state;
	assert_true(glob("dd*", "dd"));
	assert_true(glob("dd*", "dd if=x"));
	assert_false(glob("dd*", "d"));
	assert_true(glob("*.[ch]", "a.b.c"));
	assert_false(glob("*.[ch]", "a.b.c.o"));
	assert_true(glob("*ab*abc", "aababxabababc"));
	assert_false(glob("[!a-c]", "b"));
	assert_true(glob("[!a-c]", "\xff"));
	assert_true(glob("[Z-\\]]", "]"));
	assert_false(glob("[Z-\\]]", "a"));
	assert_true(glob("\\*\\?\\[", "*?["));
	assert_true(glob("]-]", "]-]"));
	assert_true(glob("[a-]", "-"));
	assert_true(glob("", ""));
	assert_false(glob("", "a"));
	assert_true(glob("***", ""));
}

/* ---- random filters --------------------------------------------------- */

static u64 seed;

static u32 draw(u32 limit)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)((seed >> 33) % limit);
}

static u32 draw_test(u32 i, u32 count)
{
	static const u32 flags[] = { TL_TEST_IF_TRUE, TL_TEST_NOT };
	/* mostly to somewhere in the filter */
	u32 jump = draw(20) ? 1 + draw(count > i ? count - i : 1) : draw(4096);

	return jump | (draw(2) ? flags[0] : 0) | (draw(2) ? flags[1] : 0);
}

static u32 draw_filter(struct tl_insn *insns, u32 limit)
{
	u32 count = 0;

	while (count + 6 < limit && draw(8)) {
		const bool is_text = !draw(3);

		switch (draw(4)) {
		case 0:
			insns[count++] = (struct tl_insn){ TL_OP_REG, 0,
							   8 * draw(SOURCE_REGS) };
			break;
		case 2:
			insns[count++] = draw(2) ?
				(struct tl_insn){ TL_OP_REG, TL_REG_ENTRY,
						  draw(TL_ENTRY_ARGS) } :
				(struct tl_insn){ TL_OP_RETVAL,
						  TL_RETURN_DURATION, 0 };
			break;
		case 1:
			insns[count++] = (struct tl_insn){ TL_OP_IMM, 0,
							   SOURCE_KERNEL + draw(260) };
			break;
		default:
			insns[count++] = (struct tl_insn)TASK(is_text ? 5 :
							      1 + draw(4));
			break;
		}
		if (insns[count - 1].op != TL_OP_TASK && draw(2))
			insns[count++] = (struct tl_insn){ TL_OP_DEREF,
							   1u << draw(4), 0 };
		if (is_text && insns[count - 1].op != TL_OP_TASK)
			insns[count++] = (struct tl_insn)STRING(1 + draw(9));
		if (is_text) {
			insns[count] = (struct tl_insn)MATCH(draw_test(count, limit / 2), 3);
			count++;
			insns[count++] = (struct tl_insn)DATA(draw(9) * 0x10101 ^
						"a*?\\"[draw(4)] ^ 0x2a6100);
		} else {
			insns[count] = (struct tl_insn){ TL_OP_TEST,
				draw_test(count, limit / 2) | BYTES(1u << draw(4)) |
				(draw(2) ? TL_TEST_SIGNED : 0) | draw(4) << 16, draw(2) ? draw(5) : seed };
			count++;
		}
		if (!draw(12))
			insns[count++] = (struct tl_insn)REJECT;
	}
	insns[count++] = (struct tl_insn)REJECT;
	if (!draw(20))
		insns[draw(count)].op = draw(32);
	insns[count++] = (struct tl_insn){ TL_OP_PUT_REG, 8, 0 };
	insns[count++] = (struct tl_insn)END;
	return count;
}

static void test_random(void **state)
{
	static u32 accesses;
	struct tl_source src = { .comm = "a*", .accesses = &accesses };
	u32 run, taken = 0, passed = 0, i, bad;
	struct tl_insn insns[40];
	struct tl_prog prog;

	(void)state;
	seed = 3;
	for (i = 0; i < SOURCE_MEMORY; i++)
		src.memory[i] = (u8)(draw(3) ? (u8)"a*b"[draw(3)] : draw(3));
	for (run = 0; run < RUNS; run++) {
		u32 count = draw_filter(insns, draw(2) ? 16 : 36);

		if (verify(&prog, insns, count, true, &bad)) {
			assert_true(bad < count);
			continue;
		}
		taken++;
		for (i = 0; i < SOURCE_REGS; i++)
			src.regs[i] = (draw(2) ? SOURCE_KERNEL : 0) + draw(5);
		for (i = 1; i < TL_TASK_COMM; i++)
			src.task[i] = draw(5);
		for (i = 0; i < COUNT(src.stack); i++)
			src.stack[i] = draw(5);
		src.faults = draw(2) ? 0 : 1ull << draw(6) | 1ull << draw(6);
		passed += prog_model_filter_check(&prog, &src);
		prog_model_check(&prog, &src);
		free(prog.insns);
	}
	assert_in_range(taken, RUNS / 20, RUNS * 9 / 10);
	assert_in_range(passed, taken / 30, taken * 9 / 10);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_flow),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_steps_exactly),
		cmocka_unit_test(test_glob_all),
		cmocka_unit_test(test_glob_cases),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("prog_filter", tests, NULL, NULL);
}
