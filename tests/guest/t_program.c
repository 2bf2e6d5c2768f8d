// SPDX-License-Identifier: GPL-2.0-only
/* Programs that the verifier must refuse: reason and instruction of each. */
#include "tl.h"

#define END { TL_OP_END, 0, 0 }
#define LOAD { TL_OP_REG, 0, REG_DI }
#define PUT { TL_OP_PUT, 8, 0 }
#define TEST(jump) { TL_OP_TEST, 8 << TL_TEST_BYTES_SHIFT | (jump), 0 }
#define REJECT { TL_OP_REJECT, 0, 0 }

static const struct attempt {
	const char *name;
	struct tl_insn insns[6];
	uint32_t count;
	uint32_t code;
	uint32_t insn;
	bool at_return;
} attempts[] = {
	{ "only the end", { END }, 1, TL_ERR_NONE, 0, false },
	{ "a load and a put", { LOAD, PUT, END }, 3, TL_ERR_NONE, 0, false },
	{ "no end", { LOAD, PUT }, 2, TL_ERR_PROG_END, 1, false },
	{ "two ends", { END, END }, 2, TL_ERR_PROG_END, 0, false },
	{ "something behind the end", { END, LOAD, PUT }, 3, TL_ERR_PROG_END, 0,
	  false },
	{ "an end with an operand", { { TL_OP_END, 1, 0 } }, 1,
	  TL_ERR_PROG_OPERAND, 0, false },
	{ "an end with a constant", { { TL_OP_END, 0, 1 } }, 1,
	  TL_ERR_PROG_OPERAND, 0, false },
	{ "instruction 0", { { 0, 0, 0 }, END }, 2, TL_ERR_PROG_OP, 0, false },
	{ "instruction 21", { LOAD, PUT, { 21, 0, 0 }, END }, 4, TL_ERR_PROG_OP, 2,
	  false },
	{ "instruction 33", { { 33, 0, 0 }, END }, 2, TL_ERR_PROG_OP, 0, false },
	{ "instruction 2^32 - 1", { { -1u, 0, 0 }, END }, 2, TL_ERR_PROG_OP, 0,
	  false },
	{ "a register past the frame", { { TL_OP_REG, 0, 168 }, PUT, END }, 3,
	  TL_ERR_PROG_REGISTER, 0, false },
	{ "a register before the frame", { { TL_OP_REG, 0, -8ull }, PUT, END }, 3,
	  TL_ERR_PROG_REGISTER, 0, false },
	{ "half a register", { { TL_OP_REG, 0, 4 }, PUT, END }, 3,
	  TL_ERR_PROG_REGISTER, 0, false },
	{ "the last register", { { TL_OP_REG, 0, 160 }, PUT, END }, 3,
	  TL_ERR_NONE, 0, false },
	{ "a put register past the frame", { { TL_OP_PUT_REG, 8, 168 }, END }, 2,
	  TL_ERR_PROG_REGISTER, 0, false },
	{ "a put register far past", { LOAD, PUT,
	  { TL_OP_PUT_REG, 8, 1ull << 63 }, END }, 4, TL_ERR_PROG_REGISTER, 2,
	  false },
	{ "a put register of 3 bytes", { { TL_OP_PUT_REG, 3, REG_DI }, END }, 2,
	  TL_ERR_PROG_OPERAND, 0, false },
	{ "a load with an operand", { { TL_OP_REG, 1, REG_DI }, PUT, END }, 3,
	  TL_ERR_PROG_OPERAND, 0, false },
	{ "the stack pointer with a constant", { { TL_OP_SP, 0, 1 }, PUT, END },
	  3, TL_ERR_PROG_OPERAND, 0, false },
	{ "a stack index of 65536", { { TL_OP_STACK, 0, 65536 }, PUT, END }, 3,
	  TL_ERR_PROG_OPERAND, 0, false },
	{ "two loads in a row", { LOAD, LOAD, PUT, END }, 4, TL_ERR_PROG_FLOW, 1,
	  false },
	{ "a put of nothing", { PUT, END }, 2, TL_ERR_PROG_FLOW, 0, false },
	{ "two puts of one value", { LOAD, PUT, PUT, END }, 4, TL_ERR_PROG_FLOW,
	  2, false },
	{ "a load that nobody uses", { LOAD, END }, 2, TL_ERR_PROG_FLOW, 1,
	  false },
	{ "a load before a put register", { LOAD, { TL_OP_PUT_REG, 8, REG_DI },
	  END }, 3, TL_ERR_PROG_FLOW, 1, false },
	{ "a load before a name", { LOAD, { TL_OP_PUT_COMM, 0, 0 }, END }, 3,
	  TL_ERR_PROG_FLOW, 1, false },
	{ "a dereference of nothing", { { TL_OP_DEREF, 8, 0 }, PUT, END }, 3,
	  TL_ERR_PROG_FLOW, 0, false },
	{ "a dereference of 3 bytes", { LOAD, { TL_OP_DEREF, 3, 0 }, PUT, END },
	  4, TL_ERR_PROG_OPERAND, 1, false },
	{ "a dereference of 16 bytes", { LOAD, { TL_OP_DEREF, 16, 0 }, PUT,
	  END }, 4, TL_ERR_PROG_OPERAND, 1, false },
	{ "a dereference with an unknown flag", { LOAD,
	  { TL_OP_DEREF, 1u << 30 | 8, 0 }, PUT, END }, 4, TL_ERR_PROG_OPERAND,
	  1, false },
	{ "a put of 0 bytes", { LOAD, { TL_OP_PUT, 0, 0 }, END }, 3,
	  TL_ERR_PROG_OPERAND, 1, false },
	{ "a put with a constant", { LOAD, { TL_OP_PUT, 8, 1 }, END }, 3,
	  TL_ERR_PROG_OPERAND, 1, false },
	{ "a string of nothing", { { TL_OP_PUT_STRING, 16, 0 }, END }, 2,
	  TL_ERR_PROG_FLOW, 0, false },
	{ "a string of at most 0", { LOAD, { TL_OP_PUT_STRING, 0, 0 }, END }, 3,
	  TL_ERR_PROG_OPERAND, 1, false },
	{ "a user string of at most 0", { LOAD,
	  { TL_OP_PUT_STRING, TL_ARG_USER, 0 }, END }, 3, TL_ERR_PROG_OPERAND,
	  1, false },
	{ "a string that is too long", { LOAD,
	  { TL_OP_PUT_STRING, TL_STRING_BYTES_MAX + 1, 0 }, END }, 3,
	  TL_ERR_PROG_OPERAND, 1, false },
	{ "the longest string", { LOAD,
	  { TL_OP_PUT_STRING, TL_STRING_BYTES_MAX, 0 }, END }, 3, TL_ERR_NONE, 0,
	  false },
	{ "two of the longest strings", { LOAD,
	  { TL_OP_PUT_STRING, TL_STRING_BYTES_MAX, 0 }, LOAD,
	  { TL_OP_PUT_STRING, TL_STRING_BYTES_MAX, 0 }, END }, 5,
	  TL_ERR_PROG_BYTES, 3, false },
	{ "a name with an operand", { { TL_OP_PUT_COMM, 1, 0 }, END }, 2,
	  TL_ERR_PROG_OPERAND, 0, false },
	{ "a result at entry", { { TL_OP_RETVAL, 0, 0 }, PUT, END }, 3,
	  TL_ERR_PROG_CONTEXT, 0, false },
	{ "a caller at entry", { LOAD, PUT, { TL_OP_CALLER, 0, 0 }, PUT, END },
	  5, TL_ERR_PROG_CONTEXT, 2, false },
	{ "a result at return", { { TL_OP_RETVAL, 0, 0 }, PUT, END }, 3,
	  TL_ERR_NONE, 0, true },
	{ "a caller at return", { { TL_OP_CALLER, 0, 0 }, PUT, END }, 3,
	  TL_ERR_NONE, 0, true },
	{ "a filter that rejects all", { REJECT, END }, 2, TL_ERR_NONE, 0,
	  false },
	{ "a filter that asks", { LOAD, TEST(2), REJECT, LOAD, PUT, END }, 6,
	  TL_ERR_NONE, 0, false },
	{ "a jump behind the filter's end", { LOAD, TEST(3), REJECT, LOAD, PUT,
	  END }, 6, TL_ERR_PROG_JUMP, 1, false },
	{ "a jump to itself", { LOAD, TEST(0), REJECT, END }, 4,
	  TL_ERR_PROG_JUMP, 1, false },
	{ "a jump between a load and its test", { LOAD, TEST(2), LOAD, TEST(1),
	  REJECT, END }, 6, TL_ERR_PROG_JUMP, 3, false },
	{ "a test without a filter", { LOAD, TEST(1), LOAD, PUT, END }, 5,
	  TL_ERR_PROG_PART, 1, false },
	{ "a put in a filter", { LOAD, PUT, REJECT, END }, 4, TL_ERR_PROG_PART,
	  1, false },
	{ "a pattern without its data", { { TL_OP_TASK, TL_TASK_COMM, 0 },
	  { TL_OP_MATCH, 2, 8 }, REJECT, END }, 4, TL_ERR_PROG_PATTERN, 2,
	  false },
	{ "a pattern that does not end", { { TL_OP_TASK, TL_TASK_COMM, 0 },
	  { TL_OP_MATCH, 2, 1 }, { TL_OP_DATA, 0, '[' }, REJECT, END }, 5,
	  TL_ERR_PROG_PATTERN, 2, false },
	{ "something of the task that there is not", {
	  { TL_OP_TASK, 7, 0 }, PUT, END }, 3, TL_ERR_PROG_OPERAND, 0, false },
	{ "a task's cgroup as an argument", { { TL_OP_TASK, TL_TASK_CGROUP, 0 },
	  PUT, END }, 3, TL_ERR_NONE, 0, false },
};

/* @count times the same instruction, and the end. */
static void test_many(int dev, uint64_t address, struct tl_insn insn,
		      uint32_t count, uint32_t code, uint32_t at)
{
	static struct tl_insn insns[TL_PROG_INSNS_MAX + 1];
	struct tl_event_add add;
	uint32_t i;

	for (i = 0; i < count; i++)
		insns[i] = insn;
	insns[count] = (struct tl_insn)END;
	CHECK_EQ(dev_try_add(dev, TL_BACKEND_KPROBE, address, 0, insns,
			     count + 1, &add), code ? -EINVAL : 0);
	CHECK_EQ(add.error.code, code);
	if (code)
		CHECK_EQ(add.error.insn, at);
}

int main(void)
{
	uint64_t address = symbol("__x64_sys_getppid");
	int dev = dev_ready(4096, 2);
	struct tl_event_add add;
	uint32_t good = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(attempts); i++) {
		const struct attempt *a = &attempts[i];

		tap_case("%s", a->name);
		CHECK_EQ(dev_try_add(dev, a->at_return ? TL_BACKEND_KRETPROBE :
							 TL_BACKEND_KPROBE,
				     address, 0, a->insns, a->count, &add),
			 a->code ? -EINVAL : 0);
		CHECK_EQ(add.error.code, a->code);
		if (a->code)
			CHECK_EQ(add.error.insn, a->insn);
		else
			CHECK_EQ(add.id, good++);
	}

	tap_case("as many arguments as there may be, and one more");
	test_many(dev, address, (struct tl_insn){ TL_OP_PUT_REG, 8, REG_DI },
		  TL_ARGS_MAX, TL_ERR_NONE, 0);
	test_many(dev, address, (struct tl_insn){ TL_OP_PUT_REG, 8, REG_DI },
		  TL_ARGS_MAX + 1, TL_ERR_PROG_ARGS, TL_ARGS_MAX);

	tap_case("as deep a chain as a program is long");
	{
		static struct tl_insn insns[TL_PROG_INSNS_MAX];

		insns[0] = (struct tl_insn)LOAD;
		for (i = 1; i < TL_PROG_INSNS_MAX - 2; i++)
			insns[i] = (struct tl_insn){ TL_OP_DEREF, 8, 0 };
		insns[i++] = (struct tl_insn)PUT;
		insns[i] = (struct tl_insn)END;
		CHECK_EQ(dev_try_add(dev, TL_BACKEND_KPROBE, address, 0, insns,
				     TL_PROG_INSNS_MAX, &add), 0);
		/* and it runs: to its first fault, in no time */
		dev_enable(dev, add.id);
		dev_start(dev);
		getppid();
		CHECK_EQ(dev_stats(dev, add.id).recorded, 1);
		CHECK_EQ(dev_stats(dev, add.id).faults, 1);
	}
	close(dev);
	return tap_done();
}
