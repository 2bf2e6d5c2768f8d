// SPDX-License-Identifier: GPL-2.0-only
/* Programs: what the verifier refuses, and what the interpreter makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "prog_result.h"

u64 tl_env_clock_ns(void)
{
	return 0;
}

static void expect_u64(const struct tl_insn *insns, u32 count, u64 value)
{
	expect(insns, count, &value, sizeof(value));
}

static void test_loads(void **state)
{
	struct tl_insn load[] = { { 0, 0, 0 }, { TL_OP_PUT, 8, 0 }, END };
	u32 i;

	(void)state;
	load[0].op = TL_OP_REG;
	for (i = 0; i < SOURCE_REGS; i++) {
		load[0].imm = i * 8;
		expect_u64(load, 3, source.regs[i]);
	}
	load[0].op = TL_OP_STACK;
	for (i = 0; i < SOURCE_STACK; i++) {
		load[0].imm = i;
		expect_u64(load, 3, source.stack[i]);
	}
	load[0].imm = 0;
	load[0].op = TL_OP_SP;
	expect_u64(load, 3, tl_source_sp(&source));
	load[0].op = TL_OP_RETVAL;
	expect_u64(load, 3, source.regs[1]);
	load[0].op = TL_OP_CALLER;
	expect_u64(load, 3, tl_source_caller(&source));
	load[0].op = TL_OP_PLACE;
	expect_u64(load, 3, tl_source_place(&source));
	load[0].op = TL_OP_CURRENT;
	expect_u64(load, 3, tl_source_current(&source));
	load[0].op = TL_OP_IMM;
	load[0].imm = 0xfedcba9876543210ull;
	expect_u64(load, 3, 0xfedcba9876543210ull);
}

/* Sizes cut to the low bytes; nothing lies between arguments. */
static void test_puts(void **state)
{
	static const struct tl_insn insns[] = {
		{ TL_OP_IMM, 0, 0x8877665544332211ull }, { TL_OP_PUT, 1, 0 },
		{ TL_OP_IMM, 0, 0x8877665544332211ull }, { TL_OP_PUT, 2, 0 },
		{ TL_OP_IMM, 0, 0x8877665544332211ull }, { TL_OP_PUT, 4, 0 },
		{ TL_OP_IMM, 0, 0x8877665544332211ull }, { TL_OP_PUT, 8, 0 },
		{ TL_OP_PUT_REG, 1, 8 }, { TL_OP_PUT_REG, 2, 8 },
		{ TL_OP_PUT_REG, 4, 8 }, { TL_OP_PUT_REG, 8, 8 }, END,
	};

	(void)state;
	expect(insns, COUNT(insns),
	       "\x11\x11\x22\x11\x22\x33\x44\x11\x22\x33\x44\x55\x66\x77\x88"
	       "\x01\x01\x22\x01\x22\x33\x44\x01\x22\x33\x44\x55\x66\x77\x88",
	       30);
}

static void test_deref(void **state)
{
	struct tl_insn insns[] = { { TL_OP_REG, 0, 16 }, { TL_OP_DEREF, 0, 0 },
				   { TL_OP_PUT, 8, 0 }, END };
	u32 size, user;

	(void)state;
	for (user = 0; user < 2; user++) {
		insns[0].imm = user ? 24 : 16;
		for (size = 1; size <= 8; size *= 2) {
			u64 value = 0;
			u32 i;

			for (i = 0; i < size; i++)
				value |= (u64)(u8)((11 + i) ^ (user ? 255 : 0))
					 << 8 * i;
			insns[1].arg = size | (user ? TL_ARG_USER : 0);
			insns[1].imm = 10;
			expect_u64(insns, 4, value);
		}
	}
	/* a negative displacement, and one chain of two */
	insns[0] = (struct tl_insn){ TL_OP_IMM, 0, SOURCE_KERNEL + 100 };
	insns[1] = (struct tl_insn){ TL_OP_DEREF, 1, (u64)-100 };
	expect_u64(insns, 4, 1);
}

static void test_deref_chain(void **state)
{
	static const struct tl_insn insns[] = {
		{ TL_OP_REG, 0, 16 }, { TL_OP_DEREF, 8, 8 },
		{ TL_OP_DEREF, 8, 16 }, { TL_OP_DEREF, 1, 2 },
		{ TL_OP_PUT, 8, 0 }, END,
	};
	u64 pointer = SOURCE_KERNEL + 32;

	(void)state;
	memcpy(source.memory + 8, &pointer, 8);
	pointer = SOURCE_KERNEL + 200;
	memcpy(source.memory + 48, &pointer, 8);
	expect_u64(insns, COUNT(insns), 203);
}

static const struct tl_insn string_insns[] = {
	{ TL_OP_REG, 0, 16 }, { TL_OP_PUT_STRING, 8, 4 }, END,
};

static void test_string(void **state)
{
	(void)state;
	memcpy(source.memory + 4, "hello\0xx", 8);
	expect(string_insns, 3, "\5\0hello", 7);
	assert_int_equal(result.marks.faults + result.marks.cuts, 0);
	source.memory[4] = 0;
	expect(string_insns, 3, "\0\0", 2);
	assert_int_equal(result.marks.faults + result.marks.cuts, 0);
}

static void test_string_marks(void **state)
{
	struct tl_insn insns[] = { { TL_OP_IMM, 0, 0 },
				   { TL_OP_PUT_STRING, 8, 0 }, END };

	(void)state;
	memcpy(source.memory + 4, "longer than it", 15);
	expect(string_insns, 3, "\10\0longer t", 10);
	assert_int_equal(result.marks.cuts, 1);
	assert_int_equal(result.marks.faults, 0);
	assert_int_equal(result.statuses[0], TL_STATUS_TRUNCATED);

	memcpy(source.memory + SOURCE_MEMORY - 3, "end", 3);
	insns[0].imm = SOURCE_KERNEL + SOURCE_MEMORY - 3;
	expect(insns, 3, "\3\0end", 5);
	assert_int_equal(result.marks.cuts, 1);
	assert_int_equal(result.statuses[0], TL_STATUS_INCOMPLETE);

	insns[0].imm = 0;
	expect(insns, 3, "\0\0", 2);
	assert_int_equal(result.marks.faults, 1);
	assert_int_equal(result.marks.cuts, 0);
	assert_int_equal(result.statuses[0], TL_STATUS_FAULT);
}

/* Memory as it is: zeros too, to the end, or to where it ends. */
static void test_bytes(void **state)
{
	struct tl_insn insns[] = { { TL_OP_REG, 0, 16 },
				   { TL_OP_PUT_BYTES, 6, 4 }, END };

	(void)state;
	memcpy(source.memory + 4, "a\0b\0\0cX", 7);
	expect(insns, 3, "\6\0a\0b\0\0c", 8);
	assert_int_equal(result.marks.faults + result.marks.cuts, 0);

	memcpy(source.memory + SOURCE_MEMORY - 3, "end", 3);
	insns[0] = (struct tl_insn){ TL_OP_IMM, 0,
				     SOURCE_KERNEL + SOURCE_MEMORY - 7 };
	expect(insns, 3, "\3\0end", 5);
	assert_int_equal(result.marks.cuts, 1);
	assert_int_equal(result.statuses[0], TL_STATUS_INCOMPLETE);

	insns[0].imm = 0;
	expect(insns, 3, "\0\0", 2);
	assert_int_equal(result.marks.faults, 1);
	assert_int_equal(result.statuses[0], TL_STATUS_FAULT);
}

/* As many elements as a number says, which is cut to its size first. */
static void test_length(void **state)
{
	static const struct {
		u64 number;
		u32 arg;	/* of TL_OP_LENGTH: element, bytes and sign */
		const char *payload;
		u32 bytes;
		u8 status;
	} cases[] = {
		{ 2, 0x08000002, "\4\0abcd", 7, TL_STATUS_OK },
		{ 0, 0x08000002, "\0\0", 3, TL_STATUS_OK },
		{ 3, 0x08000002, "\6\0abcdef", 9, TL_STATUS_OK },
		/* more than there is room for is told */
		{ 4, 0x08000002, "\6\0abcdef", 9, TL_STATUS_TRUNCATED },
		{ ~0ull, 0x08000002, "\6\0abcdef", 9, TL_STATUS_TRUNCATED },
		/* below zero is nothing, if the number has a sign */
		{ ~0ull, 0x08004002, "\0\0", 3, TL_STATUS_OK },
		{ 0xff01, 0x01000001, "\1\0a", 4, TL_STATUS_OK },
		{ 0x1fe, 0x01004001, "\0\0", 3, TL_STATUS_OK },
	};
	u32 i;

	(void)state;
	memcpy(source.memory + 4, "abcdefgh", 8);
	for (i = 0; i < COUNT(cases); i++) {
		/* the last argument is the byte that ends each of the texts */
		const struct tl_insn insns[] = {
			{ TL_OP_IMM, 0, cases[i].number },
			{ TL_OP_LENGTH, cases[i].arg, 0 }, { TL_OP_REG, 0, 16 },
			{ TL_OP_PUT_BYTES, 6, 4 }, { TL_OP_PUT_REG, 1, 0 }, END
		};

		expect(insns, 6, cases[i].payload, cases[i].bytes);
		assert_int_equal(result.marks.cuts, cases[i].status != 0);
		if (cases[i].status)
			assert_int_equal(result.statuses[0], cases[i].status);
	}
}

static void test_user_string(void **state)
{
	static const struct tl_insn insns[] = {
		{ TL_OP_REG, 0, 24 }, { TL_OP_PUT_STRING, 8 | TL_ARG_USER, 0 },
		END,
	};

	(void)state;
	source.memory[0] = (u8)~'u';
	source.memory[1] = 0xff;
	expect(insns, 3, "\1\0u", 3);
}

/* Addresses, as many as are wanted; the world has three of the user's. */
static void test_stacks(void **state)
{
	struct tl_insn insns[] = { { TL_OP_PUT_STACK, 2, TL_STACK_KERNEL }, END };
	u8 expected[18] = { 16 };

	(void)state;
	memcpy(expected + 2, source.stack, 16);
	expect(insns, 2, expected, sizeof(expected));
	assert_int_equal(result.statuses[0], TL_STATUS_TRUNCATED);
	source.stack[0] = source.stack[1] = source.stack[2] = ~1ull;
	insns[0] = (struct tl_insn){ TL_OP_PUT_STACK, 3, TL_STACK_USER };
	expect(insns, 2, "\30\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0", 26);
	assert_int_equal(result.marks.faults + result.marks.cuts, 0);
	source.faults = 1;
	expect(insns, 2, "\0\0", 2);
	assert_int_equal(result.statuses[0], TL_STATUS_FAULT);
}

static void test_comm(void **state)
{
	static const struct tl_insn insns[] = { { TL_OP_PUT_COMM, 0, 0 }, END };

	(void)state;
	expect(insns, 2, "\4\0task", 6);
	source.comm = "";
	expect(insns, 2, "\0\0", 2);
	source.comm = "123456789abcdef";
	expect(insns, 2, "\17\000123456789abcdef", 17);
}

static void test_no_arguments(void **state)
{
	static const struct tl_insn insns[] = { END };
	struct tl_prog prog;
	u32 bad;

	(void)state;
	assert_int_equal(verify(&prog, insns, 1, false, &bad), TL_ERR_NONE);
	assert_int_equal(prog.put_count, 0);
	assert_int_equal(prog.max_bytes, 0);
	assert_true(prog.direct);
	free(prog.insns);
	expect(insns, 1, "", 0);
}

/* Three arguments of one kind each; @kinds has "n", "s" or "k" for each. */
static void check_fault(const char *kinds, u32 faulty)
{
	struct tl_insn insns[12];
	u32 count = 0, i, at = 0;
	struct tl_prog prog;

	for (i = 0; i < 3; i++) {
		u64 base = i == faulty ? 0x10 : SOURCE_KERNEL + 16 * i;

		if (kinds[i] == 'k') {
			insns[count++] = (struct tl_insn){
				TL_OP_STACK, 0, i == faulty ? 100 : i };
			insns[count++] = (struct tl_insn){ TL_OP_PUT, 4, 0 };
			continue;
		}
		insns[count++] = (struct tl_insn){ TL_OP_IMM, 0, base };
		if (kinds[i] == 'n') {
			insns[count++] = (struct tl_insn){ TL_OP_DEREF, 8, 0 };
			insns[count++] = (struct tl_insn){ TL_OP_PUT, 4, 0 };
		} else {
			insns[count++] = (struct tl_insn){ TL_OP_PUT_STRING, 3, 0 };
		}
	}
	insns[count++] = (struct tl_insn)END;
	assert_int_equal(verify(&prog, insns, count, false, &i), TL_ERR_NONE);
	run(&prog);
	free(prog.insns);
	assert_int_equal(result.marks.faults, 1);
	for (i = 0; i < 3; i++) {
		u8 value[8] = { 3, 0 };
		u32 bytes = kinds[i] == 's' ? 5 : 4;

		memcpy(value + (kinds[i] == 's' ? 2 : 0), source.memory + 16 * i, 4);
		if (kinds[i] == 'k')
			memcpy(value, &source.stack[i], 4);
		if (i == faulty) {
			memset(value, 0, sizeof(value));
			bytes = kinds[i] == 's' ? 2 : 4;
		}
		assert_memory_equal(result.payload + at, value, bytes);
		at += bytes;
		if (i == faulty)
			assert_int_equal(result.statuses[i], TL_STATUS_FAULT);
		else
			assert_int_equal(result.statuses[i], kinds[i] == 's' ?
					 TL_STATUS_TRUNCATED : TL_STATUS_OK);
	}
	assert_int_equal(result.bytes, at);
}

/* A fault of one argument leaves the others as they are, and in their places. */
static void test_faults(void **state)
{
	static const char letters[] = "nsk";
	char kinds[4] = "";
	u32 i, faulty;

	(void)state;
	for (i = 0; i < 27; i++) {
		kinds[0] = letters[i % 3];
		kinds[1] = letters[i / 3 % 3];
		kinds[2] = letters[i / 9];
		for (faulty = 0; faulty < 3; faulty++)
			check_fault(kinds, faulty);
	}
}

/* The fault in a chain is found at each of its links, and marked once. */
static void test_fault_in_chain(void **state)
{
	static const struct tl_insn insns[] = {
		{ TL_OP_PUT_REG, 8, 0 }, { TL_OP_REG, 0, 16 },
		{ TL_OP_DEREF, 1, 0 }, { TL_OP_DEREF, 1, SOURCE_KERNEL },
		{ TL_OP_DEREF, 1, SOURCE_KERNEL }, { TL_OP_PUT, 2, 0 },
		{ TL_OP_PUT_REG, 8, 8 }, END,
	};
	u8 value[18];
	u32 link;

	(void)state;
	for (link = 0; link < 3; link++) {
		source.faults = 1ull << link;
		memset(value, 0, sizeof(value));
		memcpy(value, &source.regs[0], 8);
		memcpy(value + 10, &source.regs[1], 8);
		expect(insns, COUNT(insns), value, sizeof(value));
		assert_int_equal(result.marks.faults, 1);
		assert_int_equal(accesses, link + 1);
		assert_memory_equal(result.statuses, "\0\1\0", 3);
	}
}

static void test_direct(void **state)
{
	static const struct tl_insn insns[] = {
		{ TL_OP_PUT_REG, 8, 0 }, { TL_OP_PUT_REG, 8, 160 },
		{ TL_OP_PUT_REG, 4, 8 }, { TL_OP_SP, 0, 0 }, { TL_OP_PUT, 8, 0 },
		{ TL_OP_PUT_REG, 8, 16 }, { TL_OP_RETVAL, 0, 0 },
		{ TL_OP_PUT, 2, 0 }, { TL_OP_CALLER, 0, 0 }, { TL_OP_PUT, 8, 0 },
		{ TL_OP_PLACE, 0, 0 }, { TL_OP_PUT, 8, 0 },
		{ TL_OP_IMM, 0, 77 }, { TL_OP_PUT, 1, 0 },
		{ TL_OP_REG, 0, 24 }, { TL_OP_PUT, 8, 0 }, END,
	};
	struct tl_prog prog;
	u8 *out;
	u32 bad;

	(void)state;
	assert_int_equal(verify(&prog, insns, COUNT(insns), true, &bad), 0);
	assert_true(prog.direct);
	assert_int_equal(prog.max_bytes, 8 + 8 + 4 + 8 + 8 + 2 + 8 + 8 + 1 + 8);
	assert_int_equal(prog.put_count, 10);
	run(&prog);
	assert_int_equal(result.bytes, prog.max_bytes);
	out = malloc(prog.max_bytes);
	assert_non_null(out);
	memset(out, 0xee, prog.max_bytes);
	tl_prog_run_direct(&prog, &source, out);
	assert_memory_equal(out, result.payload, prog.max_bytes);
	free(out);
	free(prog.insns);
}

/* One instruction that can fault, or whose length is open, and not direct. */
static void test_not_direct(void **state)
{
	static const struct tl_insn stack[] = { { TL_OP_STACK, 0, 1 },
						{ TL_OP_PUT, 8, 0 }, END };
	static const struct tl_insn deref[] = { { TL_OP_SP, 0, 0 },
						{ TL_OP_DEREF, 8, 0 },
						{ TL_OP_PUT, 8, 0 }, END };
	static const struct tl_insn comm[] = { { TL_OP_PUT_COMM, 0, 0 }, END };
	static const struct tl_insn frames[] = { { TL_OP_PUT_STACK, 127, 0 }, END };
	static const struct {
		const struct tl_insn *insns;
		u32 count, max_bytes;
	} rows[] = { { stack, 3, 8 }, { deref, 4, 8 }, { comm, 2, 17 },
		     { frames, 2, 2 + 127 * 8 },
		     { string_insns, 3, 10 } };
	struct tl_prog prog;
	u32 i, bad;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(verify(&prog, rows[i].insns, rows[i].count,
					false, &bad), 0);
		assert_false(prog.direct);
		assert_int_equal(prog.max_bytes, rows[i].max_bytes);
		assert_int_equal(prog.put_count, 1);
		free(prog.insns);
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_loads, make_source),
		cmocka_unit_test_setup(test_puts, make_source),
		cmocka_unit_test_setup(test_deref, make_source),
		cmocka_unit_test_setup(test_deref_chain, make_source),
		cmocka_unit_test_setup(test_string, make_source),
		cmocka_unit_test_setup(test_string_marks, make_source),
		cmocka_unit_test_setup(test_bytes, make_source),
		cmocka_unit_test_setup(test_length, make_source),
		cmocka_unit_test_setup(test_user_string, make_source),
		cmocka_unit_test_setup(test_stacks, make_source),
		cmocka_unit_test_setup(test_comm, make_source),
		cmocka_unit_test_setup(test_no_arguments, make_source),
		cmocka_unit_test_setup(test_faults, make_source),
		cmocka_unit_test_setup(test_fault_in_chain, make_source),
		cmocka_unit_test_setup(test_direct, make_source),
		cmocka_unit_test_setup(test_not_direct, make_source),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests_name("prog", tests, NULL, NULL);
}
