// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a program. What the verifier refuses has a place and a reason;
 * what it takes runs within what it promised, and as a second interpreter says.
 *
 * Input: flags, a seed for registers and memory, which looks at memory fault;
 * then instructions as they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../unit/prog_model.h"
#include "input.h"

#define FLAG_RETURN 1
#define FLAG_TRACEPOINT 2

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Registers mostly point somewhere near the memory that there is. */
static void fill_source(struct tl_source *src, uint32_t seed)
{
	u32 i;

	for (i = 0; i < SOURCE_MEMORY; i++)
		src->memory[i] = (u8)(next(&seed) % 6 ? i : 0);
	for (i = 0; i < SOURCE_STACK; i++)
		src->stack[i] = SOURCE_KERNEL + next(&seed) % 300;
	for (i = 0; i < SOURCE_REGS; i++)
		src->regs[i] = (next(&seed) & 1 ? SOURCE_KERNEL : SOURCE_USER) +
			       next(&seed) % 300;
	for (i = 0; i < TL_TASK_COMM; i++)
		src->task[i] = next(&seed) % 4;
}

/* A tracepoint has words of arguments, and nothing that leads to a stack. */
static void check_loads(const struct tl_insn *insns, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		assert_int_not_equal(insns[i].op, TL_OP_SP);
		assert_int_not_equal(insns[i].op, TL_OP_STACK);
		if (insns[i].op == TL_OP_REG || insns[i].op == TL_OP_PUT_REG)
			assert_in_range(insns[i].imm, 0,
					8 * (TL_TRACEPOINT_ARGS - 1));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static u32 accesses;
	struct tl_source src = { .comm = "a comm", .accesses = &accesses };
	struct input in = { bytes, size };
	uint32_t flags = (uint32_t)input_number(&in, 1);
	uint32_t seed = (uint32_t)input_number(&in, 3);
	u32 count, bad = ~0u;
	const bool args_only = flags & FLAG_TRACEPOINT;
	const struct tl_prog_limits limits = {
		.regs_bytes = args_only ? 8 * TL_TRACEPOINT_ARGS : REGS_BYTES,
		.is_return = flags & FLAG_RETURN && !args_only,
		.args_only = args_only,
	};
	enum tl_error_code code;
	struct tl_prog prog;

	src.faults = input_number(&in, 8);
	count = (u32)(in.left / sizeof(struct tl_insn));
	fill_source(&src, seed);
	code = verify_within(&prog, (const struct tl_insn *)in.at, count,
			     &limits, &bad);
	if (code) {
		assert_true((args_only && code == TL_ERR_PROG_FRAME) ||
			    (code >= TL_ERR_PROG_LENGTH &&
			     code <= TL_ERR_PROG_ARGS) ||
			    (code >= TL_ERR_PROG_JUMP &&
			     code <= TL_ERR_PROG_STEPS));
		assert_true(bad < count || (!bad && !count));
		return 0;
	}
	assert_true(prog.put_count <= TL_ARGS_MAX);
	assert_true(prog.max_bytes + prog.put_count <= TL_PAYLOAD_BYTES_MAX);
	if (args_only)
		check_loads(prog.insns, count);
	prog_model_check(&prog, &src);
	free(prog.insns);
	return 0;
}
