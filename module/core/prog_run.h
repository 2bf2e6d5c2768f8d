/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interpreter of verified programs.
 *
 * It is parameterised by its source: whoever includes this file has defined
 * struct tl_source and, before the inclusion, these functions on it:
 *
 *	u64 tl_source_reg(src, offset)
 *	bool tl_source_stack(src, index, &value)	false: out of the stack
 *	u64 tl_source_sp(src)
 *	u64 tl_source_retval(src)
 *	u64 tl_source_caller(src)
 *	u64 tl_source_place(src)
 *	bool tl_source_entry(src, number, &value)	false: it was not saved
 *	bool tl_source_duration(src, &value)		false: neither was the time
 *	bool tl_source_read(src, to, address, bytes, user)	false: a fault
 *	u32 tl_source_string(src, to, address, max, user, &status)
 *	u32 tl_source_bytes(src, to, address, size, user, &status)
 *	u32 tl_source_frames(src, to, max, which, &status)	TL_STACK_*; in bytes
 *	u32 tl_source_comm(src, to)			at most 15 bytes
 *	u64 tl_source_task(src, which, number)		TL_TASK_*, but the name
 *
 * The kernel's are in module/source.h, the tests have their own.
 */
#ifndef TL_CORE_PROG_RUN_H
#define TL_CORE_PROG_RUN_H

#include "prog.h"

/**
 * struct tl_marks - what went wrong in one run
 * @faults: arguments marked fault
 * @cuts: arguments marked truncated or incomplete
 * @counted: the puts before this instruction are counted; NULL: nothing is
 * @index: how many they are
 */
struct tl_marks {
	u32 faults;
	u32 cuts;
	const struct tl_insn *counted;
	u32 index;
};

/* Append the low @bytes bytes of @value. */
static __always_inline u8 *tl_put(u8 *out, u64 value, u32 bytes)
{
	switch (bytes) {
	case 1:
		*out = (u8)value;
		break;
	case 2:
		memcpy(out, &value, 2);
		break;
	case 4:
		memcpy(out, &value, 4);
		break;
	default:
		memcpy(out, &value, 8);
		break;
	}
	return out + bytes;
}

/*
 * Mark the argument that @put appends, in a status array that is made at the
 * first mark. Its number is counted here, from the last mark on: only marked
 * arguments need it.
 */
static __always_inline void tl_mark(const struct tl_prog *prog,
				    const struct tl_insn *put,
				    struct tl_marks *marks, u8 *statuses,
				    u32 status)
{
	if (!marks->counted) {
		memset(statuses, TL_STATUS_OK, prog->put_count);
		marks->counted = prog->body;
	}
	for (; marks->counted < put; marks->counted++)
		marks->index += TL_OP_IS_PUT(marks->counted->op);
	statuses[marks->index] = (u8)status;
	if (status == TL_STATUS_FAULT)
		marks->faults++;
	else
		marks->cuts++;
}

#define TL_NO_LIMIT ((u32)-1)

/*
 * The bytes that a TL_OP_LENGTH asks for. The number is cut to its size; what is
 * more than any put can append is only that.
 */
static __always_inline u32 tl_prog_length(const struct tl_insn *insn, u64 number)
{
	const u32 unused = 64 - 8 * ((insn->arg & TL_TEST_BYTES) >>
				     TL_TEST_BYTES_SHIFT);
	const u32 element = insn->arg & TL_LENGTH_ELEMENT;

	number <<= unused;
	if ((insn->arg & TL_TEST_SIGNED) && (s64)number < 0)
		return 0;
	number >>= unused;
	if (number > TL_STRING_BYTES_MAX)
		number = TL_STRING_BYTES_MAX + 1;
	return (u32)number * element;
}

/* Append a string, a piece of memory, or a stack, with its length before it. */
static __always_inline u8 *tl_put_memory(const struct tl_source *src, u8 *out,
					 u64 address,
					 const struct tl_insn *insn, u32 limit,
					 u32 *status)
{
	bool user = insn->arg & TL_ARG_USER;
	u32 max = insn->arg & ~TL_ARG_USER;
	u8 *to = out + sizeof(u16);
	u32 length = 0;

	if (insn->op == TL_OP_PUT_STACK)
		length = tl_source_frames(src, to, max, (u32)insn->imm, status);
	else if (insn->op == TL_OP_PUT_STRING)
		length = tl_source_string(src, to, address, max, user, status);
	else if (limit)
		length = tl_source_bytes(src, to, address, limit < max ? limit : max,
					 user, status);
	if (limit != TL_NO_LIMIT && limit > max && *status == TL_STATUS_OK)
		*status = TL_STATUS_TRUNCATED;
	return tl_put(out, length, sizeof(u16)) + length;
}

/*
 * A put of a whole register, which most arguments are: op and arg looked at in
 * one piece.
 */
static __always_inline bool tl_insn_is_word(const struct tl_insn *insn)
{
	static const u64 word = TL_OP_PUT_REG | (u64)sizeof(u64) << 32;
	u64 head;

	memcpy(&head, insn, sizeof(head));
	return head == word;
}

/*
 * The instructions that cannot fault and append a fixed length: all that a
 * direct program has. Returns false for any other one, and for TL_OP_END.
 */
static __always_inline bool tl_prog_simple(const struct tl_insn *insn,
					   const struct tl_source *src, u64 *acc,
					   u8 **out)
{
	/* the most frequent one first: compilers make no jump table here */
	if (likely(insn->op == TL_OP_PUT_REG)) {
		*out = tl_put(*out, tl_source_reg(src, insn->imm), insn->arg);
		return true;
	}
	switch (insn->op) {
	case TL_OP_REG:
		if (unlikely(insn->arg))
			return false;
		*acc = tl_source_reg(src, insn->imm);
		return true;
	case TL_OP_SP:
		*acc = tl_source_sp(src);
		return true;
	case TL_OP_RETVAL:
		if (unlikely(insn->arg))
			return false;
		*acc = tl_source_retval(src);
		return true;
	case TL_OP_CALLER:
		*acc = tl_source_caller(src);
		return true;
	case TL_OP_PLACE:
		*acc = tl_source_place(src);
		return true;
	case TL_OP_IMM:
		*acc = insn->imm;
		return true;
	case TL_OP_CURRENT:
		*acc = tl_source_current(src);
		return true;
	case TL_OP_PUT:
		*out = tl_put(*out, *acc, insn->arg);
		return true;
	}
	return false;
}

/* The other loads, most of which can fault. Returns false for a fault. */
static __always_inline bool tl_prog_load(const struct tl_insn *insn,
					 const struct tl_source *src, u64 *acc)
{
	u64 address = *acc + insn->imm;

	switch (insn->op) {
	case TL_OP_STACK:
		return tl_source_stack(src, insn->imm, acc);
	case TL_OP_REG:
		return tl_source_entry(src, insn->imm, acc);
	case TL_OP_RETVAL:
		return tl_source_duration(src, acc);
	case TL_OP_TASK:
		*acc = tl_source_task(src, insn->arg, insn->imm);
		return true;
	}
	*acc = 0; /* what is not read of it must be 0 */
	return tl_source_read(src, (u8 *)acc, address,
			      insn->arg & ~TL_ARG_USER,
			      insn->arg & TL_ARG_USER);
}

/**
 * tl_prog_run_direct() - run a direct program
 * @prog: verified, and direct; its filter, if any, has let the hit through
 * @src: where values come from
 * @out: room for prog->max_bytes, all of which are written
 */
static __always_inline void tl_prog_run_direct(const struct tl_prog *prog,
					       const struct tl_source *src,
					       u8 *out)
{
	const struct tl_insn *insn = prog->body;
	u64 acc = 0;

	for (;;) {
		while (likely(tl_insn_is_word(insn))) {
			out = tl_put(out, tl_source_reg(src, insn->imm),
				     sizeof(u64));
			insn++;
		}
		if (likely(insn->op == TL_OP_END))
			return;
		tl_prog_simple(insn++, src, &acc, &out);
	}
}

/**
 * tl_prog_run() - run any program
 * @prog: verified; its filter, if any, has let the hit through
 * @src: where values come from
 * @out: room for prog->max_bytes
 * @statuses: room for prog->put_count; filled in only if there is a mark
 * @marks: zeroed by the caller; counts what was marked
 *
 * Returns the bytes appended. Goes once through the instructions, and where
 * there are marks a second time to number them.
 */
static __always_inline u32 tl_prog_run(const struct tl_prog *prog,
				       const struct tl_source *src, u8 *out,
				       u8 *statuses, struct tl_marks *marks)
{
	const struct tl_insn *insn;
	u32 limit = TL_NO_LIMIT;
	u8 *start = out;
	u64 acc = 0;

	for (insn = prog->body; insn->op != TL_OP_END; insn++) {
		u32 status = TL_STATUS_OK;
		u32 length;

		if (tl_prog_simple(insn, src, &acc, &out))
			continue;
		switch (insn->op) {
		case TL_OP_PUT_STRING:
		case TL_OP_PUT_BYTES:
		case TL_OP_PUT_STACK:
			out = tl_put_memory(src, out, acc + insn->imm, insn, limit,
					    &status);
			limit = TL_NO_LIMIT;
			if (status != TL_STATUS_OK)
				tl_mark(prog, insn, marks, statuses, status);
			continue;
		case TL_OP_LENGTH:
			limit = tl_prog_length(insn, acc);
			continue;
		case TL_OP_PUT_COMM:
			length = tl_source_comm(src, out + sizeof(u16));
			out = tl_put(out, length, sizeof(u16)) + length;
			continue;
		}
		if (tl_prog_load(insn, src, &acc))
			continue;

		/* A fault: go to the put of this argument, append zeros. */
		while (!TL_OP_IS_PUT(insn->op))
			insn++;
		limit = TL_NO_LIMIT;
		tl_mark(prog, insn, marks, statuses, TL_STATUS_FAULT);
		out = tl_put(out, 0, insn->op == TL_OP_PUT ? insn->arg :
							     sizeof(u16));
	}
	return (u32)(out - start);
}

#include "prog_filter.h"

#endif
