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

#include "prog_world.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define RUNS 300000
#define END { TL_OP_END, 0, 0 }
#define PUT { TL_OP_PUT, 8, 0 }

u64 tl_env_clock_ns(void)
{
	return 0;
}

static const u32 args[] = { 0, 1, 2, 3, 4, 5, 8, 9, 16, 255, 256,
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
				   TL_OP_DEREF, TL_OP_PUT, TL_OP_PUT_REG,
				   TL_OP_PUT_STRING, TL_OP_PUT_COMM };
	struct tl_insn insn = { ops[draw(COUNT(ops))], 0, 0 };

	/* mostly as it must be, sometimes anything */
	switch (draw(40) ? insn.op : 0) {
	case TL_OP_REG:
		insn.imm = 8 * draw(5);
		break;
	case TL_OP_STACK:
		insn.imm = draw(10);
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
		insn.arg = 1 + draw(12);
		insn.imm = draw(3);
		break;
	case 0:
		insn.arg = args[draw(COUNT(args))];
		insn.imm = imms[draw(COUNT(imms))];
		break;
	}
	if (draw(4) == 0 &&
	    (insn.op == TL_OP_DEREF || insn.op == TL_OP_PUT_STRING))
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
					op == TL_OP_PUT_STRING :
					op < TL_OP_DEREF || op == TL_OP_PUT_REG ||
					op == TL_OP_PUT_COMM;
		} while (!fits && draw(50));
		loaded = insns[i].op <= TL_OP_DEREF;
	}
	if (loaded)
		insns[count++] = (struct tl_insn)PUT;
	if (draw(50))
		insns[count++] = (struct tl_insn)END;
	return count;
}

/**
 * struct model - the second interpreter, argument by argument
 * @acc: accumulator
 * @faulted: the current argument has faulted
 * @out: payload
 * @bytes: its length
 * @statuses: of the arguments
 * @count: arguments so far
 */
struct model {
	u64 acc;
	bool faulted;
	u8 out[TL_RECORD_BYTES_MAX];
	u32 bytes;
	u8 statuses[TL_ARGS_MAX];
	u32 count;
};

static void model_append(struct model *m, const void *bytes, u32 count)
{
	memcpy(m->out + m->bytes, bytes, count);
	m->bytes += count;
}

static void model_string(struct model *m, const struct tl_source *src,
			 const struct tl_insn *insn)
{
	u32 status = TL_STATUS_OK;
	u16 length = 0;
	u8 text[TL_STRING_BYTES_MAX];

	if (m->faulted)
		status = TL_STATUS_FAULT;
	else
		length = (u16)tl_source_string(src, text, m->acc + insn->imm,
					       insn->arg & ~TL_ARG_USER,
					       insn->arg & TL_ARG_USER, &status);
	model_append(m, &length, 2);
	model_append(m, text, length);
	m->statuses[m->count++] = (u8)status;
}

static void model_load(struct model *m, const struct tl_source *src,
		       const struct tl_insn *insn)
{
	u64 address = m->acc + insn->imm;

	switch (insn->op) {
	case TL_OP_REG:
		m->acc = tl_source_reg(src, insn->imm);
		break;
	case TL_OP_STACK:
		m->faulted = !tl_source_stack(src, insn->imm, &m->acc);
		break;
	case TL_OP_SP:
		m->acc = tl_source_sp(src);
		break;
	case TL_OP_RETVAL:
		m->acc = tl_source_retval(src);
		break;
	case TL_OP_CALLER:
		m->acc = tl_source_caller(src);
		break;
	case TL_OP_PLACE:
		m->acc = tl_source_place(src);
		break;
	case TL_OP_IMM:
		m->acc = insn->imm;
		break;
	case TL_OP_DEREF:
		if (m->faulted)
			break;
		m->acc = 0;
		m->faulted = !tl_source_read(src, (u8 *)&m->acc, address,
					     insn->arg & ~TL_ARG_USER,
					     insn->arg & TL_ARG_USER);
		break;
	}
}

static void model_run(struct model *m, const struct tl_source *src,
		      const struct tl_insn *insn)
{
	u8 text[17];
	u16 length;
	u64 value;

	for (; insn->op != TL_OP_END; insn++) {
		if (insn->op <= TL_OP_DEREF) {
			model_load(m, src, insn);
			continue;
		}
		if (insn->op == TL_OP_PUT_STRING) {
			model_string(m, src, insn);
		} else if (insn->op == TL_OP_PUT_COMM) {
			length = (u16)tl_source_comm(src, text);
			model_append(m, &length, 2);
			model_append(m, text, length);
			m->statuses[m->count++] = TL_STATUS_OK;
		} else {
			value = insn->op == TL_OP_PUT_REG ?
				tl_source_reg(src, insn->imm) : m->acc;
			value = m->faulted ? 0 : value;
			model_append(m, &value, insn->arg);
			m->statuses[m->count++] = m->faulted ? TL_STATUS_FAULT :
							       TL_STATUS_OK;
		}
		m->faulted = false;
	}
}

/* Run in memory of exactly the promised size, and as the model does. */
static void check_run(const struct tl_prog *prog, struct tl_source *src)
{
	static struct model model;
	u8 *out = malloc(prog->max_bytes + !prog->max_bytes);
	u8 *statuses = malloc(prog->put_count + !prog->put_count);
	struct tl_marks marks = { 0 };
	u32 bytes, i, faults = 0, cuts = 0;

	assert_true(out && statuses);
	*src->accesses = 0;
	bytes = tl_prog_run(prog, src, out, statuses, &marks);
	*src->accesses = 0;
	model.bytes = 0;
	model.count = 0;
	model.faulted = false;
	model_run(&model, src, prog->insns);
	assert_int_equal(model.count, prog->put_count);
	assert_int_equal(bytes, model.bytes);
	assert_true(bytes <= prog->max_bytes);
	assert_memory_equal(out, model.out, bytes);
	for (i = 0; i < model.count; i++) {
		faults += model.statuses[i] == TL_STATUS_FAULT;
		cuts += model.statuses[i] > TL_STATUS_FAULT;
	}
	assert_int_equal(marks.faults, faults);
	assert_int_equal(marks.cuts, cuts);
	if (faults || cuts)
		assert_memory_equal(statuses, model.statuses, model.count);
	if (prog->direct) {
		assert_int_equal(bytes, prog->max_bytes);
		assert_int_equal(faults + cuts, 0);
		memset(out, 0xee, bytes);
		tl_prog_run_direct(prog, src, out);
		assert_memory_equal(out, model.out, bytes);
	}
	free(statuses);
	free(out);
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
		check_run(&prog, &src);
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
