/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What compile_filter.c and compile_compare.c share. */
#ifndef TRAPLINE_FILTER_CODE_H
#define TRAPLINE_FILTER_CODE_H

#include "filter.h"

/**
 * struct filter_code - a filter that is being compiled
 * @event: whose filter; its program is not touched meanwhile
 * @use_args: names of its arguments are known
 * @err: filled on failure
 * @insns: the instructions so far
 * @insn_count: how many
 * @room: how many are allocated
 * @jumps: the comparisons so far: the instruction, and the label it jumps to
 * @jump_count: how many
 * @labels: where they are, in instructions
 * @label_count: how many there are
 * @retry_bytes: of the patterns that look at whole strings: bytes behind their
 *	first "*", and one for each
 * @fixed_steps: the most steps that the other matches take
 */
struct filter_code {
	struct trapline_event *event;
	bool use_args;
	struct trapline_error *err;
	struct tl_insn *insns;
	unsigned int insn_count;
	unsigned int room;
	struct {
		unsigned int insn;
		unsigned int label;
	} jumps[FILTER_COMPARE_MAX];
	unsigned int jump_count;
	unsigned int labels[FILTER_COMPARE_MAX + 1];
	unsigned int label_count;
	unsigned int retry_bytes;
	unsigned int fixed_steps;
};

/** filter_emit() - append an instruction */
int filter_emit(struct filter_code *code, uint32_t op, uint32_t arg,
		uint64_t imm);

/**
 * filter_compare() - append the loads and the comparison of a node
 * @code: where to
 * @node: of kind FILTER_COMPARE
 * @flags: TL_TEST_IF_TRUE, TL_TEST_NOT, or both
 *
 * The comparison is the last instruction but for the pattern's; its jump is 0.
 * *@insn is its number.
 */
int filter_compare(struct filter_code *code, const struct filter_node *node,
		   uint32_t flags, unsigned int *insn);

#endif
