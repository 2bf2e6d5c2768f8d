// SPDX-License-Identifier: GPL-2.0-only
/* The second interpreter of programs, see prog_model.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "prog_model.h"

/**
 * struct model - the second interpreter, argument by argument
 * @acc: accumulator
 * @faulted: the current argument has faulted
 * @out: payload
 * @bytes: its length
 * @statuses: of the arguments
 * @count: arguments so far
 * @wanted: elements that a length asks for; those of @element bytes
 * @element: 0: none was told
 */
struct model {
	u64 acc;
	bool faulted;
	u64 wanted;
	u32 element;
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

static void model_memory(struct model *m, const struct tl_source *src,
			 const struct tl_insn *insn)
{
	const bool user = insn->arg & TL_ARG_USER;
	const u32 max = insn->arg & ~TL_ARG_USER;
	const u64 address = m->acc + insn->imm;
	u32 status = TL_STATUS_OK;
	u16 length = 0;
	const bool is_less = m->element && m->wanted <= max / m->element;
	u8 text[TL_STRING_BYTES_MAX];

	if (insn->op == TL_OP_PUT_STACK) {
		length = (u16)tl_source_frames(src, text, insn->arg,
					       (u32)insn->imm, &status);
	} else if (m->faulted) {
		status = TL_STATUS_FAULT;
	} else if (is_less && !m->wanted) {
		length = 0;
	} else if (insn->op == TL_OP_PUT_BYTES) {
		length = (u16)tl_source_bytes(src, text, address,
					      is_less ? (u32)m->wanted *
							m->element : max,
					      user, &status);
		if (status == TL_STATUS_OK && m->element && !is_less)
			status = TL_STATUS_TRUNCATED;
	}
	else {
		length = (u16)tl_source_string(src, text, address, max, user,
					       &status);
	}
	model_append(m, &length, 2);
	model_append(m, text, length);
	m->statuses[m->count++] = (u8)status;
}

static void model_load(struct model *m, const struct tl_source *src,
		       const struct tl_insn *insn)
{
	u64 address = m->acc + insn->imm;

	if (m->faulted)
		return;
	switch (insn->op) {
	case TL_OP_REG:
		if (insn->arg == TL_REG_ENTRY) {
			m->faulted = !tl_source_entry(src, insn->imm, &m->acc);
			break;
		}
		m->acc = tl_source_reg(src, insn->imm);
		break;
	case TL_OP_STACK:
		m->faulted = !tl_source_stack(src, insn->imm, &m->acc);
		break;
	case TL_OP_SP:
		m->acc = tl_source_sp(src);
		break;
	case TL_OP_RETVAL:
		if (insn->arg == TL_RETURN_DURATION) {
			m->faulted = !tl_source_duration(src, &m->acc);
			break;
		}
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
	case TL_OP_CURRENT:
		m->acc = tl_source_current(src);
		break;
	case TL_OP_TASK:
		if (insn->arg == TL_TASK_FAMILY)
			m->acc = src->task[TL_TASK_TGID] - insn->imm <= 1;
		else
			m->acc = insn->arg < TL_TASK_COMM ?
					 src->task[insn->arg] : 0;
		break;
	case TL_OP_DEREF:
		m->acc = 0;
		m->faulted = !tl_source_read(src, (u8 *)&m->acc, address,
					     insn->arg & ~TL_ARG_USER,
					     insn->arg & TL_ARG_USER);
		break;
	}
}

static int64_t model_signed(u64 value, u32 bytes);

static void model_length(struct model *m, const struct tl_insn *insn)
{
	const u32 bytes = insn->arg >> 24;
	const int64_t number = model_signed(m->acc, bytes);

	m->element = insn->arg % 16;
	m->wanted = bytes < 8 ? m->acc % (1ull << 8 * bytes) : m->acc;
	if ((insn->arg & TL_TEST_SIGNED) && number < 0)
		m->wanted = 0;
}

static void model_run(struct model *m, const struct tl_source *src,
		      const struct tl_insn *insn)
{
	u8 text[17];
	u16 length;
	u64 value;

	for (; insn->op != TL_OP_END; insn++) {
		if (insn->op < TL_OP_PUT) {
			model_load(m, src, insn);
			continue;
		}
		if (insn->op == TL_OP_LENGTH) {
			model_length(m, insn);
			continue;
		}
		if (insn->op == TL_OP_PUT_STRING ||
		    insn->op == TL_OP_PUT_BYTES ||
		    insn->op == TL_OP_PUT_STACK) {
			model_memory(m, src, insn);
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
		m->element = 0;
	}
}

/* ---- filters ---------------------------------------------------------- */

/*
 * The token at the start of @pattern, which is no "*": which bytes it stands
 * for. Returns its length.
 */
static u32 model_token(const u8 *pattern, bool *stands_for)
{
	bool reverse = pattern[0] == '[' && pattern[1] == '!';
	u32 at = 1, low, high, i;

	memset(stands_for, pattern[0] == '?' || reverse, 256);
	if (pattern[0] == '?')
		return 1;
	if (pattern[0] != '[') {
		at = pattern[0] == '\\';
		stands_for[pattern[at]] = true;
		return at + 1;
	}
	at += reverse;
	while (pattern[at] != ']') {
		at += pattern[at] == '\\';
		low = pattern[at++];
		high = low;
		if (pattern[at] == '-' && pattern[at + 1] != ']') {
			at++;
			at += pattern[at] == '\\';
			high = pattern[at++];
		}
		for (i = low; i <= high; i++)
			stands_for[i] = !reverse;
	}
	return at + 1;
}

/*
 * Is the text what the pattern stands for? Token by token: where in the text
 * can it be after this one?
 */
static bool model_glob(const u8 *pattern, u32 pattern_bytes, const u8 *text,
		       u32 text_bytes)
{
	bool can_be[TL_MATCH_STRING_MAX + 1] = { true };
	bool stands_for[256];
	u32 at = 0, i;

	while (at < pattern_bytes) {
		if (pattern[at] == '*') {
			at++;
			for (i = 1; i <= text_bytes; i++)
				can_be[i] |= can_be[i - 1];
			continue;
		}
		at += model_token(pattern + at, stands_for);
		for (i = text_bytes; i; i--)
			can_be[i] = can_be[i - 1] && stands_for[text[i - 1]];
		can_be[0] = false;
	}
	return can_be[text_bytes];
}

bool prog_model_glob(const struct tl_insn *match, const u8 *text, u32 text_bytes)
{
	u8 pattern[TL_MATCH_PATTERN_MAX];
	u32 i;

	for (i = 0; i < match->imm; i++)
		pattern[i] = (u8)(match[1 + i / 8].imm >> 8 * (i % 8));
	return model_glob(pattern, (u32)match->imm, text, text_bytes);
}

/* A number of so many bytes. */
static int64_t model_signed(u64 value, u32 bytes)
{
	switch (bytes) {
	case 1:
		return (int8_t)value;
	case 2:
		return (int16_t)value;
	case 4:
		return (int32_t)value;
	}
	return (int64_t)value;
}

static bool model_test(const struct tl_insn *insn, u64 value)
{
	const u32 bytes = insn->arg >> 24;
	const bool is_signed = insn->arg & TL_TEST_SIGNED;
	const int64_t a = model_signed(value, bytes), b = (int64_t)insn->imm;
	bool result;

	if (bytes < 8)
		value %= 1ull << 8 * bytes;
	switch (insn->arg & TL_TEST_CONDITION) {
	case TL_TEST_EQUAL:
		result = is_signed ? a == b : value == insn->imm;
		break;
	case TL_TEST_BELOW:
		result = is_signed ? a < b : value < insn->imm;
		break;
	case TL_TEST_ABOVE:
		result = is_signed ? a > b : value > insn->imm;
		break;
	default:
		result = ((is_signed ? (u64)a : value) & insn->imm) != 0;
	}
	return insn->arg & TL_TEST_NOT ? !result : result;
}

/* The string that @insn loads. */
static u32 model_text(struct model *m, const struct tl_source *src,
		      const struct tl_insn *insn, u8 *text)
{
	u32 status = TL_STATUS_OK, length;

	if (insn->op == TL_OP_TASK)
		return tl_source_comm(src, text);
	if (m->faulted)
		return 0;
	length = tl_source_string(src, text, m->acc + insn->imm,
				  insn->arg & ~TL_ARG_USER,
				  insn->arg & TL_ARG_USER, &status);
	m->faulted = status == TL_STATUS_FAULT ||
		     status == TL_STATUS_INCOMPLETE;
	return length;
}

/* Does the filter let the hit through? Each instruction at most once. */
static bool model_filter(struct model *m, const struct tl_source *src,
			 const struct tl_prog *prog)
{
	u8 text[TL_MATCH_STRING_MAX];
	u32 i = 0, next, length = 0;

	for (; i < prog->filter_count; i = next) {
		const struct tl_insn *insn = &prog->insns[i];
		bool is_true;

		next = i + 1;
		switch (insn->op) {
		case TL_OP_REJECT:
			return false;
		case TL_OP_TEST:
			is_true = !m->faulted && model_test(insn, m->acc);
			break;
		case TL_OP_MATCH:
			next += (u32)(insn->imm + 7) / 8;
			is_true = !m->faulted &&
				  prog_model_glob(insn, text, length) ==
				  !(insn->arg & TL_TEST_NOT);
			break;
		case TL_OP_STRING:
			length = model_text(m, src, insn, text);
			continue;
		default:
			if (insn->op == TL_OP_TASK && insn->arg == TL_TASK_COMM)
				length = model_text(m, src, insn, text);
			else
				model_load(m, src, insn);
			continue;
		}
		m->faulted = false;
		if (is_true == !!(insn->arg & TL_TEST_IF_TRUE))
			next = i + (insn->arg & TL_TEST_JUMP);
		assert_true(next > i);
	}
	assert_int_equal(i, prog->filter_count);
	return true;
}

bool prog_model_filter_check(const struct tl_prog *prog, struct tl_source *src)
{
	static struct model model;
	u8 *text = malloc(TL_MATCH_STRING_MAX);
	bool passes;

	assert_non_null(text);
	*src->accesses = 0;
	passes = tl_prog_filter(prog, src, text);
	*src->accesses = 0;
	model.faulted = false;
	assert_int_equal(passes, model_filter(&model, src, prog));
	free(text);
	return passes;
}

void prog_model_check(const struct tl_prog *prog, struct tl_source *src)
{
	static struct model model;
	u8 *out = malloc(prog->max_bytes + !prog->max_bytes);
	u8 *statuses = malloc(prog->put_count + !prog->put_count);
	struct tl_marks marks = { 0 };
	u32 bytes, i, faults = 0, cuts = 0;

	assert_true(out && statuses);
	prog_model_filter_check(prog, src);
	*src->accesses = 0;
	bytes = tl_prog_run(prog, src, out, statuses, &marks);
	*src->accesses = 0;
	model.bytes = 0;
	model.count = 0;
	model.faulted = false;
	model.element = 0;
	model_run(&model, src, prog->body);
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
