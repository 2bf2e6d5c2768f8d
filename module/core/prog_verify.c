// SPDX-License-Identifier: GPL-2.0-only
/*
 * The verifier: what a program must be before it may run in a probe.
 *
 * What follows the filter is a straight line. It consists of runs "load, load,
 * ..., put", each of which makes one argument; a put that needs no accumulator
 * is a run by itself. From this follows all that the interpreter relies on: it
 * ends, it never appends more than max_bytes, it never uses an accumulator that
 * was not loaded, and after a fault there is a put to skip to.
 *
 * A filter consists of runs "load, load, ..., comparison" and of rejections, the
 * last of which is its end. Nothing in it puts, so all ways through it append the
 * same. Jumps go forward, inside it or to its end, and only to where a run or a
 * rejection begins: where nothing is loaded and nothing would be missed.
 */
#include "glob.h"
#include "prog.h"

#define TL_COMM_BYTES 15 /* TASK_COMM_LEN less the NUL, the same everywhere */

/* What a run of a filter or of an argument has loaded so far. */
enum tl_loaded {
	TL_LOADED_NOTHING,
	TL_LOADED_NUMBER,
	TL_LOADED_STRING,
};

/**
 * struct tl_verify - state of the verifier between two instructions
 * @prog: the program; its put_count, max_bytes and direct grow on the way
 * @limits: of the event
 * @loaded: what no put and no comparison has used
 * @needs_bytes: a length was told, for a TL_OP_PUT_BYTES that must follow
 * @string_max: the longest that the loaded string can be
 * @steps: of all matches so far, at most
 * @landings: bit n: something jumps to instruction n
 */
struct tl_verify {
	struct tl_prog *prog;
	const struct tl_prog_limits *limits;
	enum tl_loaded loaded;
	bool needs_bytes;
	u32 string_max;
	u32 steps;
	u64 landings[TL_PROG_INSNS_MAX / 64];
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

/* What was saved at the entry of the call that returns; it may not be there. */
static enum tl_error_code tl_verify_entry(struct tl_verify *v,
					  const struct tl_insn *insn)
{
	const bool is_arg = insn->op == TL_OP_REG;

	if (insn->arg != (is_arg ? TL_REG_ENTRY : TL_RETURN_DURATION) ||
	    insn->imm >= (is_arg ? TL_ENTRY_ARGS : 1))
		return TL_ERR_PROG_OPERAND;
	if (!v->limits->is_return)
		return TL_ERR_PROG_CONTEXT;
	v->loaded = TL_LOADED_NUMBER;
	v->prog->needs_entry = true;
	v->prog->direct = false;
	return TL_ERR_NONE;
}

/* A load that starts a new value. */
static enum tl_error_code tl_verify_load(struct tl_verify *v,
					 const struct tl_insn *insn)
{
	if (v->loaded)
		return TL_ERR_PROG_FLOW;
	if (insn->arg && (insn->op == TL_OP_REG || insn->op == TL_OP_RETVAL))
		return tl_verify_entry(v, insn);
	if (insn->arg)
		return TL_ERR_PROG_OPERAND;
	v->loaded = TL_LOADED_NUMBER;
	if (v->limits->args_only &&
	    (insn->op == TL_OP_STACK || insn->op == TL_OP_SP))
		return TL_ERR_PROG_FRAME;
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

/* Something of the task. Its name is for a match: @in_filter. */
static enum tl_error_code tl_verify_task(struct tl_verify *v,
					 const struct tl_insn *insn,
					 bool in_filter)
{
	if (v->loaded)
		return TL_ERR_PROG_FLOW;
	v->prog->direct = false;
	if (insn->arg < TL_TASK_TID || insn->arg > TL_TASK_FAMILY ||
	    insn->imm > (insn->arg == TL_TASK_FAMILY ? (u32)-1 : 0))
		return TL_ERR_PROG_OPERAND;
	v->loaded = TL_LOADED_NUMBER;
	if (insn->arg != TL_TASK_COMM)
		return TL_ERR_NONE;
	v->loaded = TL_LOADED_STRING;
	v->string_max = TL_COMM_BYTES;
	return in_filter ? TL_ERR_NONE : TL_ERR_PROG_PART;
}

static enum tl_error_code tl_verify_deref(struct tl_verify *v,
					  const struct tl_insn *insn)
{
	if (v->loaded != TL_LOADED_NUMBER)
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
	if (v->loaded != (needs_value ? TL_LOADED_NUMBER : TL_LOADED_NOTHING) ||
	    v->needs_bytes)
		return TL_ERR_PROG_FLOW;
	v->loaded = TL_LOADED_NOTHING;
	if (++v->prog->put_count > TL_ARGS_MAX)
		return TL_ERR_PROG_ARGS;
	v->prog->max_bytes += bytes;
	if (v->prog->max_bytes + v->prog->put_count > TL_PAYLOAD_BYTES_MAX)
		return TL_ERR_PROG_BYTES;
	return TL_ERR_NONE;
}

/* A string, or bytes: so many at most, with their number before them. */
static enum tl_error_code tl_verify_memory(struct tl_verify *v,
					   const struct tl_insn *insn)
{
	u32 max = insn->arg & ~TL_ARG_USER;

	v->prog->direct = false;
	if (!max || max > TL_STRING_BYTES_MAX)
		return TL_ERR_PROG_OPERAND;
	if (insn->op == TL_OP_PUT_BYTES)
		v->needs_bytes = false;
	return tl_verify_put(v, true, sizeof(u16) + max);
}

/* The length of what is put next. */
static enum tl_error_code tl_verify_length(struct tl_verify *v,
					   const struct tl_insn *insn)
{
	const u32 known = TL_LENGTH_ELEMENT | TL_TEST_SIGNED | TL_TEST_BYTES;

	if (v->loaded != TL_LOADED_NUMBER || v->needs_bytes)
		return TL_ERR_PROG_FLOW;
	if (insn->imm || insn->arg & ~known ||
	    !tl_size_ok(insn->arg & TL_LENGTH_ELEMENT) ||
	    !tl_size_ok((insn->arg & TL_TEST_BYTES) >> TL_TEST_BYTES_SHIFT))
		return TL_ERR_PROG_OPERAND;
	v->prog->direct = false;
	v->loaded = TL_LOADED_NOTHING;
	v->needs_bytes = true;
	return TL_ERR_NONE;
}

/* So many frames at most, with their length before them. */
static enum tl_error_code tl_verify_stack(struct tl_verify *v,
					  const struct tl_insn *insn)
{
	v->prog->direct = false;
	if (!insn->arg || insn->arg > TL_STACK_FRAMES_MAX ||
	    insn->imm > TL_STACK_USER)
		return TL_ERR_PROG_OPERAND;
	return tl_verify_put(v, false,
			     sizeof(u16) + insn->arg * (u32)sizeof(u64));
}

static bool tl_op_is_load(u32 op)
{
	return (op >= TL_OP_REG && op <= TL_OP_IMM) || op == TL_OP_CURRENT;
}

/* One instruction of what follows the filter. */
static enum tl_error_code tl_verify_insn(struct tl_verify *v,
					 const struct tl_insn *insn)
{
	enum tl_error_code code;

	if (tl_op_is_load(insn->op))
		return tl_verify_load(v, insn);
	switch (insn->op) {
	case TL_OP_DEREF:
		return tl_verify_deref(v, insn);
	case TL_OP_TASK:
		return tl_verify_task(v, insn, false);
	case TL_OP_LENGTH:
		return tl_verify_length(v, insn);
	case TL_OP_STRING:
	case TL_OP_TEST:
	case TL_OP_MATCH:
	case TL_OP_DATA:
		return TL_ERR_PROG_PART;
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
	case TL_OP_PUT_BYTES:
		return tl_verify_memory(v, insn);
	case TL_OP_PUT_STACK:
		return tl_verify_stack(v, insn);
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

/* ---- filters ---------------------------------------------------------- */

/* A string to be matched; the accumulator is its address. */
static enum tl_error_code tl_verify_text(struct tl_verify *v,
					 const struct tl_insn *insn)
{
	u32 max = insn->arg & ~TL_ARG_USER;

	if (v->loaded != TL_LOADED_NUMBER)
		return TL_ERR_PROG_FLOW;
	if (!max || max > TL_MATCH_STRING_MAX)
		return TL_ERR_PROG_OPERAND;
	v->loaded = TL_LOADED_STRING;
	v->string_max = max;
	return TL_ERR_NONE;
}

/* Where the comparison at @i jumps to: later, and not out of the filter. */
static enum tl_error_code tl_verify_jump(struct tl_verify *v, u32 i)
{
	u32 distance = v->prog->insns[i].arg & TL_TEST_JUMP;

	if (!distance || distance > v->prog->filter_count - i)
		return TL_ERR_PROG_JUMP;
	/* the end of the filter is not the last instruction: END follows */
	v->landings[(i + distance) / 64] |= 1ull << (i + distance) % 64;
	return TL_ERR_NONE;
}

static bool tl_verify_is_landing(const struct tl_verify *v, u32 i)
{
	return v->landings[i / 64] >> i % 64 & 1;
}

static enum tl_error_code tl_verify_test(struct tl_verify *v, u32 i)
{
	const struct tl_insn *insn = &v->prog->insns[i];
	u32 bytes = (insn->arg & TL_TEST_BYTES) >> TL_TEST_BYTES_SHIFT;
	u32 known = TL_TEST_JUMP | TL_TEST_IF_TRUE | TL_TEST_NOT |
		    TL_TEST_SIGNED | TL_TEST_AND | TL_TEST_BYTES;

	if (v->loaded != TL_LOADED_NUMBER)
		return TL_ERR_PROG_FLOW;
	if (insn->arg & ~known || !tl_size_ok(bytes))
		return TL_ERR_PROG_OPERAND;
	v->loaded = TL_LOADED_NOTHING;
	return tl_verify_jump(v, i);
}

/* A comparison with a pattern; its data follow, and *@i goes to the last one. */
static enum tl_error_code tl_verify_match(struct tl_verify *v, u32 *i)
{
	const struct tl_insn *insn = &v->prog->insns[*i];
	u32 bytes = (u32)insn->imm, retry_bytes, count, k;
	enum tl_error_code code;

	if (v->loaded != TL_LOADED_STRING)
		return TL_ERR_PROG_FLOW;
	if (insn->imm > TL_MATCH_PATTERN_MAX ||
	    insn->arg & ~(TL_TEST_JUMP | TL_TEST_IF_TRUE | TL_TEST_NOT))
		return TL_ERR_PROG_OPERAND;
	v->loaded = TL_LOADED_NOTHING;
	code = tl_verify_jump(v, *i);
	if (code)
		return code;
	count = tl_glob_insns(bytes);
	for (k = 1; k <= count; k++) {
		const struct tl_insn *data = insn + k;
		u32 used = bytes - (k - 1) * 8;

		++*i;
		if (*i >= v->prog->filter_count || data->op != TL_OP_DATA)
			return TL_ERR_PROG_PATTERN;
		if (data->arg || (used < 8 && data->imm >> used * 8))
			return TL_ERR_PROG_OPERAND;
		if (tl_verify_is_landing(v, *i))
			return TL_ERR_PROG_JUMP;
	}
	if (!tl_glob_measure(insn + 1, bytes, &retry_bytes))
		return TL_ERR_PROG_PATTERN;
	v->steps += v->string_max * (retry_bytes + 1) + bytes;
	return v->steps > TL_MATCH_STEPS_MAX ? TL_ERR_PROG_STEPS : TL_ERR_NONE;
}

/* One instruction of the filter, or a comparison with its data. */
static enum tl_error_code tl_verify_filter_insn(struct tl_verify *v, u32 *i)
{
	const struct tl_insn *insn = &v->prog->insns[*i];

	if (v->loaded && tl_verify_is_landing(v, *i))
		return TL_ERR_PROG_JUMP;
	if (tl_op_is_load(insn->op))
		return tl_verify_load(v, insn);
	switch (insn->op) {
	case TL_OP_DEREF:
		return tl_verify_deref(v, insn);
	case TL_OP_TASK:
		return tl_verify_task(v, insn, true);
	case TL_OP_STRING:
		return tl_verify_text(v, insn);
	case TL_OP_TEST:
		return tl_verify_test(v, *i);
	case TL_OP_MATCH:
		return tl_verify_match(v, i);
	case TL_OP_DATA:
		return TL_ERR_PROG_PATTERN;
	case TL_OP_REJECT:
		if (v->loaded)
			return TL_ERR_PROG_FLOW;
		return insn->arg || insn->imm ? TL_ERR_PROG_OPERAND : TL_ERR_NONE;
	}
	if (insn->op == TL_OP_END)
		return TL_ERR_PROG_END;
	return TL_OP_IS_PUT(insn->op) || insn->op == TL_OP_LENGTH ?
		       TL_ERR_PROG_PART : TL_ERR_PROG_OP;
}

/* The filter: what stands before the last rejection, and that itself. */
static enum tl_error_code tl_verify_filter(struct tl_verify *v, u32 insn_count,
					   u32 *bad_insn)
{
	struct tl_prog *prog = v->prog;
	enum tl_error_code code;
	u32 i;

	for (i = insn_count - 1; i; i--)
		if (prog->insns[i - 1].op == TL_OP_REJECT)
			break;
	prog->filter_count = i;
	prog->body = prog->insns + i;
	for (i = 0; i < prog->filter_count; i++) {
		*bad_insn = i;
		code = tl_verify_filter_insn(v, &i);
		if (code) {
			*bad_insn = i;
			return code;
		}
	}
	return TL_ERR_NONE;
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
	prog->needs_entry = false;
	code = tl_verify_filter(&v, insn_count, bad_insn);
	if (code)
		return code;
	prog->direct = true;
	for (i = prog->filter_count; i < insn_count - 1; i++) {
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
	return v.loaded || v.needs_bytes ? TL_ERR_PROG_FLOW : TL_ERR_NONE;
}
