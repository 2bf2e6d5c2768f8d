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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static u32 accesses;
	struct tl_source src = { .comm = "a comm", .accesses = &accesses };
	struct input in = { bytes, size };
	uint32_t flags = (uint32_t)input_number(&in, 1);
	uint32_t seed = (uint32_t)input_number(&in, 3);
	u32 count, bad = ~0u;
	enum tl_error_code code;
	struct tl_prog prog;

	src.faults = input_number(&in, 8);
	count = (u32)(in.left / sizeof(struct tl_insn));
	fill_source(&src, seed);
	code = verify(&prog, (const struct tl_insn *)in.at, count,
		      flags & FLAG_RETURN, &bad);
	if (code) {
		assert_true((code >= TL_ERR_PROG_LENGTH &&
			     code <= TL_ERR_PROG_ARGS) ||
			    (code >= TL_ERR_PROG_JUMP &&
			     code <= TL_ERR_PROG_STEPS));
		assert_true(bad < count || (!bad && !count));
		return 0;
	}
	assert_true(prog.put_count <= TL_ARGS_MAX);
	assert_true(prog.max_bytes + prog.put_count <= TL_PAYLOAD_BYTES_MAX);
	prog_model_check(&prog, &src);
	free(prog.insns);
	return 0;
}
