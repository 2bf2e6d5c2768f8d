/* SPDX-License-Identifier: GPL-2.0-only */
/* A second interpreter of programs, for whoever makes them at random. */
#ifndef TL_TEST_PROG_MODEL_H
#define TL_TEST_PROG_MODEL_H

#include "prog_world.h"

/*
 * Run a verified program in memory of exactly the promised size: what it
 * appends and marks must be what the second interpreter says.
 */
void prog_model_check(const struct tl_prog *prog, struct tl_source *src);

/*
 * Run a verified program's filter, which may be none: it must decide as the
 * second interpreter does. Returns what that is: true lets the hit through.
 */
bool prog_model_filter_check(const struct tl_prog *prog, struct tl_source *src);

/* Is the text what the pattern of a TL_OP_MATCH and its data stands for? */
bool prog_model_glob(const struct tl_insn *match, const u8 *text,
		     u32 text_bytes);

#endif
