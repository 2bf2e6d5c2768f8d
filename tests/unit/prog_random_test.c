// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random programs: what the verifier takes must run within what it promised
 * and as a second interpreter says, whichever of its loads fault; what it
 * refuses must only be refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "prog_model.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define RUNS 300000
#define END { TL_OP_END, 0, 0 }
#define PUT { TL_OP_PUT, 8, 0 }

u64 tl_env_clock_ns(void)
{
	return 0;
}

static const u32 args[] = { 0, 1, 2, 3, 4, 5, 8, 9, 16, 127, 128, 255, 256,
			    TL_STRING_BYTES_MAX, TL_STRING_BYTES_MAX + 1, 65536,
			    0x7fffffff, TL_ARG_USER, TL_ARG_USER | 1,
			    TL_ARG_USER | 8, TL_ARG_USER | 3, 0xffffffff };
static const u64 imms[] = { 0, 1, 7, 8, 160, 161, 168, 65535, 65536, 65544,
			    1ull << 32, (1ull << 32) | 8, 1ull << 63,
			    (u64)-8, ~0ull };

/* A generator of its own, so that a failure comes again everywhere. */
static u64 seed;

static u32 draw(u32 limit)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)((seed >> 33) % limit);
}

static struct tl_insn draw_insn(void)
{
	static const u32 ops[] = { TL_OP_REG, TL_OP_STACK, TL_OP_SP, TL_OP_RETVAL,
				   TL_OP_CALLER, TL_OP_PLACE, TL_OP_IMM,
				   TL_OP_CURRENT, TL_OP_DEREF, TL_OP_PUT,
				   TL_OP_PUT_REG, TL_OP_PUT_STRING, TL_OP_PUT_BYTES,
				   TL_OP_PUT_COMM, TL_OP_LENGTH, TL_OP_PUT_STACK };
	struct tl_insn insn = { ops[draw(COUNT(ops))], 0, 0 };

	/* mostly as it must be, sometimes anything */
	switch (draw(40) ? insn.op : 0) {
	case TL_OP_REG:
		insn.arg = draw(4) == 0;
		insn.imm = insn.arg ? draw(TL_ENTRY_ARGS) : 8 * draw(5);
		break;
	case TL_OP_STACK:
		insn.imm = draw(10);
		break;
	case TL_OP_RETVAL:
		insn.arg = draw(2);
		break;
	case TL_OP_IMM:
		insn.imm = SOURCE_KERNEL + draw(260);
		break;
	case TL_OP_DEREF:
	case TL_OP_PUT:
	case TL_OP_PUT_REG:
		insn.arg = 1u << draw(4);
		insn.imm = insn.op == TL_OP_PUT_REG ? 8 * draw(SOURCE_REGS) : 0;
		break;
	case TL_OP_PUT_STRING:
	case TL_OP_PUT_BYTES:
		insn.arg = 1 + draw(12);
		insn.imm = draw(3);
		break;
	case TL_OP_LENGTH:
		insn.arg = 1u << draw(4) | 1u << (24 + draw(4)) |
			   (draw(2) ? TL_TEST_SIGNED : 0);
		break;
	case TL_OP_PUT_STACK:
		insn.arg = 1 + draw(SOURCE_STACK + 2);
		insn.imm = draw(2);
		break;
	case 0:
		insn.arg = args[draw(COUNT(args))];
		insn.imm = imms[draw(COUNT(imms))];
		break;
	}
	if (draw(4) == 0 &&
	    (insn.op == TL_OP_DEREF || insn.op == TL_OP_PUT_STRING ||
	     insn.op == TL_OP_PUT_BYTES))
		insn.arg |= TL_ARG_USER;
	return insn;
}

static u32 draw_program(struct tl_insn *insns, u32 limit)
{
	u32 count = 1 + draw(limit - 1);
	bool loaded = false;
	u32 i;

	for (i = 0; i < count; i++) {
		bool fits;

		/* a random line has little chance to be a program: help it */
		do {
			u32 op;

			insns[i] = draw_insn();
			op = insns[i].op;
			fits = loaded ? op == TL_OP_DEREF || op == TL_OP_PUT ||
					op == TL_OP_PUT_STRING ||
					op == TL_OP_PUT_BYTES ||
					op == TL_OP_LENGTH :
					op < TL_OP_DEREF || op == TL_OP_PUT_REG ||
					op == TL_OP_PUT_COMM ||
					op == TL_OP_PUT_STACK;
		} while (!fits && draw(50));
		loaded = insns[i].op <= TL_OP_DEREF;
	}
	if (loaded)
		insns[count++] = (struct tl_insn)PUT;
	if (draw(50))
		insns[count++] = (struct tl_insn)END;
	return count;
}

static void test_random(void **state)
{
	static u32 accesses;
	struct tl_source src = { .comm = "random", .accesses = &accesses };
	struct tl_insn insns[20];
	u32 run, taken = 0, direct = 0, i, bad;
	struct tl_prog prog;

	(void)state;
	seed = 1;
	for (i = 0; i < SOURCE_MEMORY; i++)
		src.memory[i] = (u8)(draw(6) ? i : 0);
	for (run = 0; run < RUNS; run++) {
		u32 count = draw_program(insns, COUNT(insns) - 2);

		if (verify(&prog, insns, count, draw(2), &bad)) {
			assert_true(bad < count);
			continue;
		}
		taken++;
		direct += prog.direct;
		for (i = 0; i < SOURCE_REGS; i++)
			src.regs[i] = (draw(2) ? SOURCE_KERNEL : SOURCE_USER) +
				      draw(300);
		src.faults = draw(2) ? 0 : 1ull << draw(12) | 1ull << draw(12);
		prog_model_check(&prog, &src);
		free(prog.insns);
	}
	/* the draw is worth something only if both kinds come often */
	assert_in_range(taken, RUNS / 4, RUNS * 9 / 10);
	assert_in_range(direct, RUNS / 50, RUNS);
}

/* Bytes that know nothing of instructions. */
static void test_noise(void **state)
{
	struct tl_insn insns[8];
	u32 run, i, bad;
	struct tl_prog prog;

	(void)state;
	seed = 2;
	for (run = 0; run < RUNS; run++) {
		u32 count = 1 + draw(8);

		for (i = 0; i < count; i++) {
			insns[i].op = draw(3) ? draw(33) : draw(~0u);
			insns[i].arg = draw(3) ? draw(10) : draw(~0u);
			insns[i].imm = draw(3) ? draw(200) : seed;
		}
		verify(&prog, insns, count, true, &bad);
		assert_true(bad < count);
		free(prog.insns);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests_name("prog_random", tests, NULL, NULL);
}
