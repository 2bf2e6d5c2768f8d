// SPDX-License-Identifier: GPL-2.0-only
/*
 * The verifier: what a program must be before it may run in a probe.
 *
 * A program is a straight line. It consists of runs "load, load, ..., put",
 * each of which makes one argument; a put that needs no accumulator is a run
 * by itself. From this follows all that the interpreter relies on: it ends,
 * it never appends more than max_bytes, it never uses an accumulator that was
 * not loaded, and after a fault there is a put to skip to.
 */
#include "prog.h"

#define TL_COMM_BYTES 15 /* TASK_COMM_LEN less the NUL, the same everywhere */

/**
 * struct tl_verify - state of the verifier between two instructions
 * @prog: the program; its put_count, max_bytes and direct grow on the way
 * @limits: of the event
 * @loaded: the accumulator has a value that no put has used
 */
struct tl_verify {
	struct tl_prog *prog;
	const struct tl_prog_limits *limits;
	bool loaded;
};

static bool tl_size_ok(u32 bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static enum tl_error_code tl_verify_reg(const struct tl_verify *v, u64 offset)
{
	if (offset % sizeof(u64) || offset >= v->limits->regs_bytes ||
	    v->limits->regs_bytes - offset < sizeof(u64))
		return TL_ERR_PROG_REGISTER;
	return TL_ERR_NONE;
}

/* A load that starts a new value. */
static enum tl_error_code tl_verify_load(struct tl_verify *v,
					 const struct tl_insn *insn)
{
	if (v->loaded)
		return TL_ERR_PROG_FLOW;
	if (insn->arg)
		return TL_ERR_PROG_OPERAND;
	v->loaded = true;
	switch (insn->op) {
	case TL_OP_REG:
		return tl_verify_reg(v, insn->imm);
	case TL_OP_STACK:
		v->prog->direct = false;
		/* no stack is as large as this many words */
		return insn->imm < 65536 ? TL_ERR_NONE : TL_ERR_PROG_OPERAND;
	case TL_OP_IMM:
		return TL_ERR_NONE;
	case TL_OP_RETVAL:
	case TL_OP_CALLER:
		if (!v->limits->is_return)
			return TL_ERR_PROG_CONTEXT;
		break;
	}
	return insn->imm ? TL_ERR_PROG_OPERAND : TL_ERR_NONE;
}

static enum tl_error_code tl_verify_deref(struct tl_verify *v,
					  const struct tl_insn *insn)
{
	if (!v->loaded)
		return TL_ERR_PROG_FLOW;
	v->prog->direct = false;
	if (!tl_size_ok(insn->arg & ~TL_ARG_USER))
		return TL_ERR_PROG_OPERAND;
	return TL_ERR_NONE;
}

/* An argument of @bytes at most is complete. */
static enum tl_error_code tl_verify_put(struct tl_verify *v, bool needs_value,
					u32 bytes)
{
	if (v->loaded != needs_value)
		return TL_ERR_PROG_FLOW;
	v->loaded = false;
	if (++v->prog->put_count > TL_ARGS_MAX)
		return TL_ERR_PROG_ARGS;
	v->prog->max_bytes += bytes;
	if (v->prog->max_bytes + v->prog->put_count > TL_PAYLOAD_BYTES_MAX)
		return TL_ERR_PROG_BYTES;
	return TL_ERR_NONE;
}

static enum tl_error_code tl_verify_string(struct tl_verify *v,
					   const struct tl_insn *insn)
{
	u32 max = insn->arg & ~TL_ARG_USER;

	v->prog->direct = false;
	if (!max || max > TL_STRING_BYTES_MAX)
		return TL_ERR_PROG_OPERAND;
	return tl_verify_put(v, true, sizeof(u16) + max);
}

static enum tl_error_code tl_verify_insn(struct tl_verify *v,
					 const struct tl_insn *insn)
{
	enum tl_error_code code;

	switch (insn->op) {
	case TL_OP_REG:
	case TL_OP_STACK:
	case TL_OP_SP:
	case TL_OP_RETVAL:
	case TL_OP_CALLER:
	case TL_OP_PLACE:
	case TL_OP_IMM:
		return tl_verify_load(v, insn);
	case TL_OP_DEREF:
		return tl_verify_deref(v, insn);
	case TL_OP_PUT:
		if (!tl_size_ok(insn->arg) || insn->imm)
			return TL_ERR_PROG_OPERAND;
		return tl_verify_put(v, true, insn->arg);
	case TL_OP_PUT_REG:
		if (!tl_size_ok(insn->arg))
			return TL_ERR_PROG_OPERAND;
		code = tl_verify_reg(v, insn->imm);
		return code ? code : tl_verify_put(v, false, insn->arg);
	case TL_OP_PUT_STRING:
		return tl_verify_string(v, insn);
	case TL_OP_PUT_COMM:
		v->prog->direct = false;
		if (insn->arg || insn->imm)
			return TL_ERR_PROG_OPERAND;
		return tl_verify_put(v, false, sizeof(u16) + TL_COMM_BYTES);
	case TL_OP_END:
		return TL_ERR_PROG_END; /* not the last one */
	}
	return TL_ERR_PROG_OP;
}

/**
 * tl_prog_verify() - check a program and learn its sizes
 * @prog: insns is set and holds @insn_count instructions; the rest is filled in
 * @insn_count: their number
 * @limits: of the event
 * @bad_insn: number of the refused instruction
 *
 * Returns TL_ERR_NONE or the reason of the refusal. Whatever the instructions
 * are, nothing outside of them is read.
 */
enum tl_error_code tl_prog_verify(struct tl_prog *prog, u32 insn_count,
				  const struct tl_prog_limits *limits,
				  u32 *bad_insn)
{
	struct tl_verify v = { .prog = prog, .limits = limits };
	const struct tl_insn *end;
	enum tl_error_code code;
	u32 i;

	*bad_insn = 0;
	if (!insn_count || insn_count > TL_PROG_INSNS_MAX)
		return TL_ERR_PROG_LENGTH;
	prog->put_count = 0;
	prog->max_bytes = 0;
	prog->direct = true;
	for (i = 0; i < insn_count - 1; i++) {
		*bad_insn = i;
		code = tl_verify_insn(&v, &prog->insns[i]);
		if (code)
			return code;
	}
	*bad_insn = i;
	end = &prog->insns[i];
	if (end->op != TL_OP_END)
		return TL_ERR_PROG_END;
	if (end->arg || end->imm)
		return TL_ERR_PROG_OPERAND;
	return v.loaded ? TL_ERR_PROG_FLOW : TL_ERR_NONE;
}
