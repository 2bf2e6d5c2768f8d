/* SPDX-License-Identifier: GPL-2.0-only */
/* Strings against patterns: "*", "?", "[a-z]", "[!a-z]", "\\". */
#ifndef TL_CORE_GLOB_H
#define TL_CORE_GLOB_H

#include "env.h"
#include "trapline_prog.h"

bool tl_glob_measure(const struct tl_insn *data, u32 pattern_bytes,
		     u32 *retry_bytes);
bool tl_glob_match(const struct tl_insn *data, u32 pattern_bytes,
		   const u8 *text, u32 text_bytes);

/* The instructions that hold a pattern of so many bytes. */
static __always_inline u32 tl_glob_insns(u32 pattern_bytes)
{
	return (u32)((pattern_bytes + sizeof(u64) - 1) / sizeof(u64));
}

#endif
