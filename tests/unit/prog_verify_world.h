/* SPDX-License-Identifier: GPL-2.0-only */
/* The verifier as the tests of programs call it. */
#ifndef TL_TEST_PROG_VERIFY_WORLD_H
#define TL_TEST_PROG_VERIFY_WORLD_H

#include "core/prog.h"

#define SOURCE_REGS 21
#define REGS_BYTES (SOURCE_REGS * 8)

/*
 * Verify @count instructions in memory of exactly that size, so that a look
 * beyond it is seen. On success @prog keeps them; free prog->insns.
 */
enum tl_error_code verify(struct tl_prog *prog, const struct tl_insn *insns,
			  u32 count, bool is_return, u32 *bad_insn);
/* The same for an event with these limits. */
enum tl_error_code verify_within(struct tl_prog *prog,
				 const struct tl_insn *insns, u32 count,
				 const struct tl_prog_limits *limits,
				 u32 *bad_insn);

#endif
