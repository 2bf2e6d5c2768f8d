// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A filter becomes comparisons and jumps forward, which go before the program.
 *
 * "!" is moved inwards until it is at the comparisons, where it reverses the
 * condition. What is left are "&&" and "||", so a comparison that is not true,
 * because a value could not be read, can make nothing true: neither it nor its
 * negation lets a hit through by itself.
 *
 * Each comparison jumps, or does not, to where the result is known; what it
 * needs is fetched right before it, so what is jumped over is not fetched.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../uapi/trapline.h"
#include "filter_code.h"

/* Steps that are kept for a filter of the task alone that comes before it. */
#define STEPS_KEPT (1 << 14)

int filter_emit(struct filter_code *code, uint32_t op, uint32_t arg,
		uint64_t imm)
{
	struct tl_insn *insns = code->insns;

	if (code->insn_count == code->room) {
		code->room = code->room ? code->room * 2 : 16;
		insns = realloc(insns, code->room * sizeof(*insns));
		if (!insns)
			return spec_no_memory(code->err);
		code->insns = insns;
	}
	insns[code->insn_count++] = (struct tl_insn){
		.op = op, .arg = arg, .imm = imm,
	};
	return 0;
}

/* ---- the tree --------------------------------------------------------- */

/**
 * struct branch - where the result of a part of the tree leads
 * @is_not: the result of the part is reversed
 * @if_true: go to @label if the result is true, else if it is not; in the other
 *	case go on behind the part
 * @label: number of it
 */
struct branch {
	bool is_not;
	bool if_true;
	unsigned int label;
};

static int branch_on(struct filter_code *code, const struct filter *filter,
		     unsigned int number, struct branch to);

static int branch_on_compare(struct filter_code *code,
			     const struct filter_node *node, struct branch to)
{
	const unsigned int jump = code->jump_count;
	const uint32_t flags = (to.if_true ? TL_TEST_IF_TRUE : 0) |
			       (to.is_not ? TL_TEST_NOT : 0);

	code->jumps[jump].label = to.label;
	code->jump_count++;
	return filter_compare(code, node, flags, &code->jumps[jump].insn);
}

/* "&&", or the "||" that it is under a "!", and the reverse. */
static int branch_on_both(struct filter_code *code, const struct filter *filter,
			  const struct filter_node *node, struct branch to)
{
	const bool is_and = (node->kind == FILTER_AND) != to.is_not;
	struct branch left = to;
	int ret;

	/* is the left side enough for what the label stands for? */
	if (to.if_true != is_and)
		goto both;
	left.if_true = !to.if_true;
	left.label = code->label_count++;
	ret = branch_on(code, filter, node->left, left);
	if (!ret)
		ret = branch_on(code, filter, node->right, to);
	code->labels[left.label] = code->insn_count;
	return ret;

both:
	ret = branch_on(code, filter, node->left, to);
	return ret ? ret : branch_on(code, filter, node->right, to);
}

/*
 * As deep as the tree is: a chain of "&&" and "||" is as deep as it is long,
 * at most FILTER_COMPARE_MAX, and "!" and "(" at most FILTER_DEPTH_MAX.
 */
static int branch_on(struct filter_code *code, const struct filter *filter,
		     unsigned int number, struct branch to)
{
	const struct filter_node *node = &filter->nodes[number];

	switch (node->kind) {
	case FILTER_COMPARE:
		return branch_on_compare(code, node, to);
	case FILTER_NOT:
		to.is_not = !to.is_not;
		return branch_on(code, filter, node->left, to);
	case FILTER_AND:
	case FILTER_OR:
		break;
	}
	return branch_on_both(code, filter, node, to);
}

/* ---- the whole -------------------------------------------------------- */

static void set_jumps(struct filter_code *code)
{
	unsigned int i;

	for (i = 0; i < code->jump_count; i++) {
		const unsigned int insn = code->jumps[i].insn;

		code->insns[insn].arg |= code->labels[code->jumps[i].label] -
					 insn;
	}
}

/*
 * Give all strings that are looked at as a whole the same longest length, so
 * that a hit takes no longer than the kernel allows.
 */
static int fit_texts(struct filter_code *code, const struct filter *filter)
{
	const unsigned int limit = code->use_args ?
				   TL_MATCH_STEPS_MAX - STEPS_KEPT : STEPS_KEPT;
	unsigned int max = TL_MATCH_STRING_MAX;
	unsigned int i;

	if (code->fixed_steps > limit)
		return spec_refuse(code->err, ERR_FILTER_STEPS, &filter->where);
	if (!code->retry_bytes)
		return 0;
	if (max > (limit - code->fixed_steps) / code->retry_bytes)
		max = (limit - code->fixed_steps) / code->retry_bytes;
	if (!max)
		return spec_refuse(code->err, ERR_FILTER_STEPS, &filter->where);
	for (i = 0; i < code->insn_count; i++)
		if (code->insns[i].op == TL_OP_STRING &&
		    !(code->insns[i].arg & ~TL_ARG_USER))
			code->insns[i].arg |= max;
	return 0;
}

/* Put the instructions before those that the event has. */
static int prepend(struct filter_code *code, const struct filter *filter)
{
	struct trapline_event *event = code->event;
	const unsigned int count = code->insn_count + event->insn_count;
	struct tl_insn *insns = code->insns;

	if (count > TL_PROG_INSNS_MAX) {
		error_set(code->err, ERR_FILTER_LONG, filter->where.column,
			  filter->where.length, TL_PROG_INSNS_MAX);
		return -EINVAL;
	}
	insns = realloc(insns, count * sizeof(*insns));
	if (!insns)
		return spec_no_memory(code->err);
	memcpy(insns + code->insn_count, event->insns,
	       event->insn_count * sizeof(*insns));
	free(event->insns);
	event->insns = insns;
	event->insn_count = count;
	code->insns = NULL;
	return 0;
}

int filter_compile(const struct filter *filter, struct trapline_event *event,
		   bool use_args, struct trapline_error *err)
{
	struct filter_code code = {
		.event = event,
		.use_args = use_args,
		.err = err,
	};
	const struct branch accept = {
		.if_true = true,
		.label = code.label_count++,
	};
	int ret;

	ret = branch_on(&code, filter, filter->count - 1, accept);
	if (!ret)
		ret = filter_emit(&code, TL_OP_REJECT, 0, 0);
	code.labels[accept.label] = code.insn_count;
	if (!ret)
		ret = fit_texts(&code, filter);
	if (!ret && code.insn_count <= TL_PROG_INSNS_MAX)
		set_jumps(&code);
	if (!ret)
		ret = prepend(&code, filter);
	free(code.insns);
	return ret;
}
