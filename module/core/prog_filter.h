/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interpreter of filters: the end of prog_run.h, which includes it.
 *
 * A filter is a row of comparisons, each of which may jump forward. What a
 * comparison needs is loaded right before it, so a comparison that is jumped
 * over costs nothing.
 */
#ifndef TL_CORE_PROG_FILTER_H
#define TL_CORE_PROG_FILTER_H

#include "glob.h"

/* Does the value fulfil the condition of a TL_OP_TEST? */
static __always_inline bool tl_filter_test(const struct tl_insn *insn, u64 value)
{
	u32 unused = 64 - 8 * ((insn->arg & TL_TEST_BYTES) >>
			       TL_TEST_BYTES_SHIFT);
	bool is_signed = insn->arg & TL_TEST_SIGNED;
	u64 other = insn->imm;
	bool is_true;

	value <<= unused;
	value = is_signed ? (u64)((s64)value >> unused) : value >> unused;
	if (is_signed) {
		/* the order of signed numbers is that of these */
		value ^= 1ull << 63;
		other ^= 1ull << 63;
	}
	switch (insn->arg & TL_TEST_CONDITION) {
	case TL_TEST_EQUAL:
		is_true = value == other;
		break;
	case TL_TEST_BELOW:
		is_true = value < other;
		break;
	case TL_TEST_ABOVE:
		is_true = value > other;
		break;
	default:
		if (is_signed)
			value ^= 1ull << 63;
		is_true = value & insn->imm;
		break;
	}
	return is_true ^ !!(insn->arg & TL_TEST_NOT);
}

/* Is the string what a TL_OP_MATCH asks for? */
static __always_inline bool tl_filter_match(const struct tl_insn *insn,
					    const u8 *text, u32 text_bytes)
{
	return tl_glob_match(insn + 1, (u32)insn->imm, text, text_bytes) ^
	       !!(insn->arg & TL_TEST_NOT);
}

/* Reads the string that a comparison needs. Returns false for a fault. */
static __always_inline bool tl_filter_string(const struct tl_insn *insn,
					     const struct tl_source *src,
					     u64 acc, u8 *text, u32 *text_bytes)
{
	u32 status = TL_STATUS_OK;

	if (insn->op == TL_OP_TASK) {
		*text_bytes = tl_source_comm(src, text);
		return true;
	}
	*text_bytes = tl_source_string(src, text, acc + insn->imm,
				       insn->arg & ~TL_ARG_USER,
				       insn->arg & TL_ARG_USER, &status);
	/* of one that is longer than what is looked at the rest is no matter */
	return status == TL_STATUS_OK || status == TL_STATUS_TRUNCATED;
}

static __always_inline bool tl_filter_is_string(const struct tl_insn *insn)
{
	return insn->op == TL_OP_STRING ||
	       (insn->op == TL_OP_TASK && insn->arg == TL_TASK_COMM);
}

/* Where a comparison that is @is_true, or not, leads. */
static __always_inline const struct tl_insn *
tl_filter_next(const struct tl_insn *insn, bool is_true)
{
	if (is_true == !!(insn->arg & TL_TEST_IF_TRUE))
		return insn + (insn->arg & TL_TEST_JUMP);
	if (insn->op == TL_OP_MATCH)
		insn += tl_glob_insns((u32)insn->imm);
	return insn + 1;
}

/**
 * tl_prog_filter() - does the filter of a program let a hit through?
 * @prog: verified
 * @src: where values come from
 * @text: room for %TL_MATCH_STRING_MAX bytes
 *
 * Takes at most as many steps as the filter has instructions. Each comparison
 * is true or not; one whose loads fault is not.
 */
static __always_inline bool tl_prog_filter(const struct tl_prog *prog,
					   const struct tl_source *src, u8 *text)
{
	const struct tl_insn *insn = prog->insns;
	u32 text_bytes = 0;
	u8 *none = NULL; /* nothing is put here */
	u64 acc = 0;

	while (insn < prog->body) {
		bool is_good;

		/* the most frequent ones first: compilers make no jump table */
		if (likely(insn->op == TL_OP_TEST)) {
			insn = tl_filter_next(insn, tl_filter_test(insn, acc));
			continue;
		}
		if (insn->op == TL_OP_REJECT)
			return false;
		if (insn->op == TL_OP_MATCH) {
			bool is_true = tl_filter_match(insn, text, text_bytes);

			insn = tl_filter_next(insn, is_true);
			continue;
		}
		if (insn->op == TL_OP_REG && likely(!insn->arg)) {
			acc = tl_source_reg(src, insn->imm);
			is_good = true;
		} else if (tl_filter_is_string(insn)) {
			is_good = tl_filter_string(insn, src, acc, text,
						   &text_bytes);
		} else {
			is_good = tl_prog_simple(insn, src, &acc, &none) ||
				  tl_prog_load(insn, src, &acc);
		}
		insn++;
		if (likely(is_good))
			continue;

		/* A fault: the comparison is not true, whatever it is. */
		while (insn->op != TL_OP_TEST && insn->op != TL_OP_MATCH)
			insn++;
		insn = tl_filter_next(insn, false);
	}
	return true;
}

#endif
