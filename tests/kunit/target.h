/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions to be probed. */
#ifndef TL_KUNIT_TARGET_H
#define TL_KUNIT_TARGET_H

#include <linux/types.h>

/* @a + 2 * @b, with and without a call of ftrace at its entry. */
long tl_target_traced(long a, long b);
long tl_target_untraced(long a, long b);

/* Calls itself until @depth is 1: as many returns. Returns @depth. */
long tl_target_nested(long depth);

/* @a + 2 * @b, whose first instruction of one byte moves the stack. */
long tl_target_push(long a, long b);

/* 3 * (@a + @b) + 7, in instructions that are known: */
long tl_target_steps(long a, long b);

/* Where in it the one is that multiplies; the register for results has the sum. */
extern const unsigned long tl_target_steps_middle;

/* What a probe has made of the code at @address. */
enum tl_mechanism { TL_BY_INT3, TL_BY_JUMP, TL_BY_FTRACE, TL_BY_NOTHING };
enum tl_mechanism tl_target_mechanism(unsigned long address);

/* Is a return address in a function whose name begins with @name? */
bool tl_target_is_in(u64 address, const char *name);

#endif
