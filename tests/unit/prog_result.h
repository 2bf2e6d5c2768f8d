/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs that must be taken, run once, and what they made. */
#ifndef PROG_RESULT_H
#define PROG_RESULT_H

#include "prog_world.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define END { TL_OP_END, 0, 0 }

static u32 accesses;
static struct tl_source source;

/**
 * struct result - of a run
 * @payload: what was appended
 * @bytes: its length
 * @statuses: of the arguments, if there is a mark
 * @marks: the marks
 */
struct result {
	u8 payload[TL_RECORD_BYTES_MAX];
	u32 bytes;
	u8 statuses[TL_ARGS_MAX];
	struct tl_marks marks;
};

static struct result result;

static inline int make_source(void **state)
{
	u32 i;

	(void)state;
	memset(&source, 0, sizeof(source));
	for (i = 0; i < SOURCE_REGS; i++)
		source.regs[i] = 0x8877665544332200ull + i;
	for (i = 0; i < SOURCE_STACK; i++)
		source.stack[i] = 0x57ac000000000000ull + i;
	for (i = 0; i < SOURCE_MEMORY; i++)
		source.memory[i] = (u8)(i + 1);
	source.comm = "task";
	source.accesses = &accesses;
	/* regs[2] and [3] point to memory */
	source.regs[2] = SOURCE_KERNEL;
	source.regs[3] = SOURCE_USER;
	return 0;
}

/* Run in memory of exactly the promised size. */
static inline void run(const struct tl_prog *prog)
{
	u8 *out = malloc(prog->max_bytes + !prog->max_bytes);
	u8 *statuses = malloc(prog->put_count + !prog->put_count);

	assert_non_null(out);
	assert_non_null(statuses);
	memset(&result, 0, sizeof(result));
	accesses = 0;
	result.bytes = tl_prog_run(prog, &source, out, statuses, &result.marks);
	assert_true(result.bytes <= prog->max_bytes);
	memcpy(result.payload, out, result.bytes);
	if (result.marks.faults || result.marks.cuts)
		memcpy(result.statuses, statuses, prog->put_count);
	free(out);
	free(statuses);
}

/* Verify, which must succeed, run, and compare the payload. */
static inline void expect(const struct tl_insn *insns, u32 count, const void *payload,
		   u32 bytes)
{
	struct tl_prog prog;
	u32 bad;

	assert_int_equal(verify(&prog, insns, count, true, &bad), TL_ERR_NONE);
	run(&prog);
	assert_int_equal(result.bytes, bytes);
	assert_memory_equal(result.payload, payload, bytes);
	free(prog.insns);
}

#endif
