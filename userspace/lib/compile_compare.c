// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One comparison of a filter.
 *
 * An argument is fetched for it as it is for the record: by the same loads,
 * which are copied from the event's program. What would be put is compared.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../uapi/trapline.h"
#include "filter_code.h"

#define COMM_BYTES 15 /* the longest name of a task */

/**
 * struct operand - what is compared
 * @name: of it
 * @insns: how it is loaded, and its last instruction, which puts it; NULL for
 *	what is asked of the task
 * @load_count: instructions before the put
 * @task: TL_TASK_*; 0: the time since the entry of the call
 * @number: for TL_TASK_FAMILY
 * @is_text: a string
 * @format: of a number
 * @bytes: of a number
 */
struct operand {
	const struct spec_slice *name;
	const struct tl_insn *insns;
	unsigned int load_count;
	uint32_t task;
	uint64_t number;
	bool is_text;
	enum field_format format;
	unsigned int bytes;
};

/* ---- what is compared ------------------------------------------------- */

/* What only filters know: a second name, and what is no number. */
static const struct spec_task pid = { "pid", TL_TASK_TGID, 4 };
static const struct spec_task comm = { "comm", TL_TASK_COMM, 0 };
static const struct spec_task family = { "family", TL_TASK_FAMILY, 4 };

/* The instructions that load and put field number @field. */
static void find_run(const struct trapline_event *event, unsigned int field,
		     struct operand *operand)
{
	const struct tl_insn *insn = event->insns;
	/* a return's program puts the caller first */
	unsigned int puts = event->backend == TL_BACKEND_KRETPROBE;
	unsigned int i;

	for (i = 0; i < field; i++)
		puts += !event->fields[i].constant;
	for (; puts; insn++)
		puts -= TL_OP_IS_PUT(insn->op);
	operand->insns = insn;
	while (!TL_OP_IS_PUT(insn->op))
		insn++;
	operand->load_count = (unsigned int)(insn - operand->insns);
}

static int refuse_type(struct filter_code *code, const struct operand *operand)
{
	return spec_refuse(code->err, ERR_FILTER_TYPE, operand->name);
}

static int find_field(struct filter_code *code, unsigned int number,
		      struct operand *operand)
{
	const struct field *field = &code->event->fields[number];
	uint32_t put;

	if (field->constant)
		return spec_refuse(code->err, ERR_FILTER_CONSTANT,
				   operand->name);
	if (field->bits || field->elements)
		return refuse_type(code, operand);
	find_run(code->event, number, operand);
	operand->format = field->format;
	operand->bytes = field->bytes;
	put = operand->insns[operand->load_count].op;
	switch (field->format) {
	case FIELD_STRING:
		operand->is_text = true;
		return put == TL_OP_PUT_STRING || put == TL_OP_PUT_COMM ?
		       0 : refuse_type(code, operand);
	case FIELD_UNSIGNED:
	case FIELD_SIGNED:
	case FIELD_HEX:
	case FIELD_CHAR:
		return put == TL_OP_PUT || put == TL_OP_PUT_REG ?
		       0 : refuse_type(code, operand);
	default:
		return refuse_type(code, operand);
	}
}

static int unknown_name(struct filter_code *code, const struct spec_slice *name)
{
	spec_refuse(code->err, code->use_args ? ERR_FILTER_NAME :
		    ERR_FILTER_TASK_NAME, name);
	if (spec_is(name, "common_pid"))
		error_hint(code->err, "the thread is tid, its process tgid");
	return -EINVAL;
}

/* How long the call took, of an event where it has returned. */
static int find_duration(struct filter_code *code, struct operand *operand)
{
	if (code->event->backend != TL_BACKEND_KRETPROBE)
		return spec_refuse(code->err, ERR_FILTER_DURATION,
				   operand->name);
	operand->format = FIELD_UNSIGNED;
	operand->bytes = 8;
	return 0;
}

/* An argument of the event hides what is asked of the task. */
static int find_operand(struct filter_code *code, struct operand *operand)
{
	const struct spec_slice *name = operand->name;
	const struct spec_task *task = spec_find_task(name);
	unsigned int i;

	for (i = 0; code->use_args && i < code->event->field_count; i++)
		if (spec_is(name, code->event->fields[i].name))
			return find_field(code, i, operand);
	if (spec_is(name, pid.name))
		task = &pid;
	else if (spec_is(name, comm.name))
		task = &comm;
	else if (spec_is(name, family.name))
		task = &family;
	else if (code->use_args && spec_is(name, "duration"))
		return find_duration(code, operand);
	if (!task)
		return unknown_name(code, name);
	operand->task = task->which;
	operand->bytes = task->bytes;
	operand->is_text = !task->bytes;
	operand->format = FIELD_UNSIGNED;
	return 0;
}

/* ---- numbers ---------------------------------------------------------- */

/*
 * Can the argument have this value at all? One that is printed in hexadecimal
 * is a row of bits: it can be equal to a negative number, but not below or
 * above one. For "&" each number of so many bits will do.
 */
static bool is_in_range(const struct operand *operand, enum field_format format,
			const struct filter_node *node)
{
	const unsigned int bits = operand->bytes * 8;
	const uint64_t top = ~0ull >> (64 - bits);
	const bool is_bits = node->op == FILTER_BITS;

	if (node->value.text[0] == '-') {
		if (format != FIELD_SIGNED && !is_bits &&
		    (format != FIELD_HEX || node->op > FILTER_UNEQUAL))
			return false;
		return (int64_t)node->number >= -1 - (int64_t)(top >> 1);
	}
	if (format == FIELD_SIGNED && !is_bits)
		return node->number <= top >> 1;
	return node->number <= top;
}

static int check_range(struct filter_code *code, const struct operand *operand,
		       const struct filter_node *node)
{
	if (is_in_range(operand, operand->format, node))
		return 0;
	error_set(code->err, ERR_FILTER_RANGE, node->value.column,
		  node->value.length, spec_shown(operand->name),
		  operand->name->text, operand->bytes,
		  operand->format == FIELD_SIGNED ? "" : "un",
		  spec_shown(&node->value), node->value.text);
	/* only where that helps: not for what is signed, nor for what is too low */
	if (operand->insns && is_in_range(operand, FIELD_SIGNED, node))
		error_hint(code->err, "give the argument a signed type: :s%u",
			   operand->bytes * 8);
	return -EINVAL;
}

static const uint32_t conditions[] = {
	[FILTER_EQUAL] = TL_TEST_EQUAL,
	[FILTER_UNEQUAL] = TL_TEST_EQUAL | TL_TEST_NOT,
	[FILTER_BELOW] = TL_TEST_BELOW,
	[FILTER_BELOW_EQUAL] = TL_TEST_ABOVE | TL_TEST_NOT,
	[FILTER_ABOVE] = TL_TEST_ABOVE,
	[FILTER_ABOVE_EQUAL] = TL_TEST_BELOW | TL_TEST_NOT,
	[FILTER_BITS] = TL_TEST_AND,
};

static int emit_loads(struct filter_code *code, const struct operand *operand)
{
	unsigned int i;
	int ret = 0;

	if (!operand->insns && !operand->task)
		return filter_emit(code, TL_OP_RETVAL, TL_RETURN_DURATION, 0);
	if (!operand->insns)
		return filter_emit(code, TL_OP_TASK, operand->task,
				   operand->number);
	for (i = 0; i < operand->load_count && !ret; i++)
		ret = filter_emit(code, operand->insns[i].op,
				  operand->insns[i].arg, operand->insns[i].imm);
	if (!ret && operand->insns[i].op == TL_OP_PUT_REG)
		ret = filter_emit(code, TL_OP_REG, 0, operand->insns[i].imm);
	if (!ret && operand->insns[i].op == TL_OP_PUT_COMM)
		ret = filter_emit(code, TL_OP_TASK, TL_TASK_COMM, 0);
	return ret;
}

/* The kernel is asked whether the number is one of the family: 1 or 0. */
static int ask_family(struct filter_code *code, struct operand *operand,
		      const struct filter_node *node, uint64_t *number)
{
	if (operand->insns || operand->task != TL_TASK_FAMILY)
		return 0;
	if (node->op != FILTER_EQUAL && node->op != FILTER_UNEQUAL)
		return spec_refuse(code->err, ERR_FILTER_FAMILY, &node->where);
	operand->number = *number;
	*number = 1;
	return 0;
}

static int compare_number(struct filter_code *code, struct operand *operand,
			  const struct filter_node *node, uint32_t flags)
{
	const uint64_t mask = ~0ull >> (64 - operand->bytes * 8);
	uint64_t number = node->number;
	int ret;

	if (node->is_text || node->op == FILTER_GLOB) {
		error_set(code->err, ERR_FILTER_NUMBER, node->where.column,
			  node->where.length, spec_shown(operand->name),
			  operand->name->text);
		return -EINVAL;
	}
	ret = check_range(code, operand, node);
	if (!ret)
		ret = ask_family(code, operand, node, &number);
	if (!ret)
		ret = emit_loads(code, operand);
	if (ret)
		return ret;
	flags ^= conditions[node->op];
	flags |= operand->bytes << TL_TEST_BYTES_SHIFT;
	if (operand->format == FIELD_SIGNED && node->op != FILTER_BITS)
		flags |= TL_TEST_SIGNED;
	else
		number &= mask;
	return filter_emit(code, TL_OP_TEST, flags, number);
}

/* ---- texts ------------------------------------------------------------ */

/**
 * struct pattern - what a text is compared with
 * @bytes: as the kernel takes them
 * @count: how many
 * @tokens: before the first "*", each of which stands for one byte
 * @text_min: bytes of the shortest text that it fits
 * @has_star: it has a "*"
 * @retry_bytes: behind the first "*"
 */
struct pattern {
	unsigned char bytes[TL_MATCH_PATTERN_MAX];
	unsigned int count;
	unsigned int tokens;
	unsigned int text_min;
	bool has_star;
	unsigned int retry_bytes;
};

/* The class at @at of the pattern: its length, or 0 if it is none. */
static unsigned int class_length(const struct pattern *pattern, unsigned int at)
{
	unsigned int i = at + 1;
	int low = -1;	/* what a "-" would begin its range with */

	if (i < pattern->count && pattern->bytes[i] == '!')
		i++;
	if (i < pattern->count && pattern->bytes[i] == ']')
		return 0;
	for (; i < pattern->count && pattern->bytes[i] != ']'; i++) {
		const bool is_range = low >= 0 && pattern->bytes[i] == '-' &&
				      i + 1 < pattern->count &&
				      pattern->bytes[i + 1] != ']';

		i += is_range;
		if (pattern->bytes[i] == '\\')
			i++;
		if (i >= pattern->count ||
		    (is_range && pattern->bytes[i] < low))
			return 0;
		low = is_range ? -1 : pattern->bytes[i];
	}
	return i < pattern->count ? i + 1 - at : 0;
}

/* Count what the pattern is made of. False: a class is not one. */
static bool measure(struct pattern *pattern)
{
	unsigned int i = 0;

	while (i < pattern->count) {
		unsigned int length = 1;

		pattern->text_min += pattern->bytes[i] != '*';
		if (pattern->bytes[i] == '*') {
			if (!pattern->has_star)
				pattern->retry_bytes = pattern->count - i - 1;
			pattern->has_star = true;
		} else if (pattern->bytes[i] == '\\') {
			length = 2;
		} else if (pattern->bytes[i] == '[') {
			length = class_length(pattern, i);
			if (!length)
				return false;
		}
		pattern->tokens += !pattern->has_star;
		i += length;
	}
	return true;
}

/*
 * The pattern of a node's text. In a text "\" makes the next character itself.
 * What is compared with == and != has no other special characters.
 */
static int make_pattern(struct filter_code *code,
			const struct filter_node *node,
			struct pattern *pattern)
{
	const bool is_glob = node->op == FILTER_GLOB;
	const struct spec_slice text = spec_cut(&node->value, 1,
						node->value.length - 1);
	int i;

	for (i = 0; i < text.length; i++) {
		const bool is_escaped = text.text[i] == '\\';

		if (pattern->count + 2 > TL_MATCH_PATTERN_MAX) {
			error_set(code->err, ERR_FILTER_TEXT_LONG, text.column,
				  text.length, TL_MATCH_PATTERN_MAX);
			return -EINVAL;
		}
		i += is_escaped;
		if (strchr("*?[]!-\\", text.text[i]) && (is_escaped || !is_glob))
			pattern->bytes[pattern->count++] = '\\';
		pattern->bytes[pattern->count++] = (unsigned char)text.text[i];
	}
	if (measure(pattern))
		return 0;
	return spec_refuse(code->err, ERR_FILTER_PATTERN, &node->value);
}

static int emit_pattern(struct filter_code *code, const struct pattern *pattern,
			uint32_t flags, unsigned int *insn)
{
	unsigned int i, k;
	int ret;

	*insn = code->insn_count;
	ret = filter_emit(code, TL_OP_MATCH, flags, pattern->count);
	for (i = 0; i < pattern->count && !ret; i += 8) {
		uint64_t word = 0;

		for (k = 0; k < 8 && i + k < pattern->count; k++)
			word |= (uint64_t)pattern->bytes[i + k] << k * 8;
		ret = filter_emit(code, TL_OP_DATA, 0, word);
	}
	return ret;
}

/*
 * How much of a string is looked at: no more than the pattern needs. 0 for all
 * of it: how long it may be is known when all is compiled.
 */
static unsigned int text_max(struct filter_code *code,
			     const struct pattern *pattern)
{
	unsigned int max;

	if (pattern->retry_bytes) {
		code->retry_bytes += pattern->retry_bytes + 1;
		code->fixed_steps += pattern->count;
		return 0;
	}
	/* one more byte shows that the string goes on where it must not */
	max = pattern->tokens + !pattern->has_star;
	max += !max;
	code->fixed_steps += max + pattern->count;
	return max;
}

/* The kernel cuts a task's name: a text that is longer fits none. */
static int check_comm(struct filter_code *code, const struct operand *operand,
		      const struct filter_node *node,
		      const struct pattern *pattern)
{
	if (pattern->text_min <= COMM_BYTES)
		return 0;
	error_set(code->err, ERR_FILTER_COMM, node->value.column,
		  node->value.length, spec_shown(operand->name),
		  operand->name->text, COMM_BYTES, pattern->text_min);
	error_hint(code->err, "the kernel cuts the name of a task: compare "
		   "with the first %d bytes of it", COMM_BYTES);
	return -EINVAL;
}

static int compare_text(struct filter_code *code,
			const struct operand *operand,
			const struct filter_node *node, uint32_t flags,
			unsigned int *insn)
{
	struct pattern pattern = { .count = 0 };
	const struct tl_insn *put = NULL;
	unsigned int max;
	int ret;

	if (!node->is_text ||
	    (node->op > FILTER_UNEQUAL && node->op != FILTER_GLOB)) {
		error_set(code->err, ERR_FILTER_TEXT, node->where.column,
			  node->where.length, spec_shown(operand->name),
			  operand->name->text);
		return -EINVAL;
	}
	if (operand->insns)
		put = &operand->insns[operand->load_count];
	ret = make_pattern(code, node, &pattern);
	if (!ret && (!put || put->op == TL_OP_PUT_COMM))
		ret = check_comm(code, operand, node, &pattern);
	if (!ret)
		ret = emit_loads(code, operand);
	if (ret)
		return ret;
	if (put && put->op == TL_OP_PUT_STRING) {
		max = text_max(code, &pattern);
		ret = filter_emit(code, TL_OP_STRING,
				  max | (put->arg & TL_ARG_USER), put->imm);
	} else {
		code->fixed_steps += COMM_BYTES * (pattern.retry_bytes + 1) +
				     pattern.count;
	}
	if (node->op == FILTER_UNEQUAL)
		flags ^= TL_TEST_NOT;
	return ret ? ret : emit_pattern(code, &pattern, flags, insn);
}

int filter_compare(struct filter_code *code, const struct filter_node *node,
		   uint32_t flags, unsigned int *insn)
{
	struct operand operand = { .name = &node->name };
	int ret = find_operand(code, &operand);

	if (ret)
		return ret;
	if (operand.is_text)
		return compare_text(code, &operand, node, flags, insn);
	ret = compare_number(code, &operand, node, flags);
	*insn = code->insn_count - 1;
	return ret;
}
