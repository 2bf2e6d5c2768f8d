// SPDX-License-Identifier: GPL-2.0-only
/* See prog_verify_world.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prog_verify_world.h"

enum tl_error_code verify(struct tl_prog *prog,
				 const struct tl_insn *insns, u32 count,
				 bool is_return, u32 *bad_insn)
{
	const struct tl_prog_limits limits = {
		.regs_bytes = REGS_BYTES,
		.is_return = is_return,
	};

	return verify_within(prog, insns, count, &limits, bad_insn);
}

enum tl_error_code verify_within(struct tl_prog *prog,
				 const struct tl_insn *insns, u32 count,
				 const struct tl_prog_limits *limits,
				 u32 *bad_insn)
{
	enum tl_error_code code;

	memset(prog, 0xa5, sizeof(*prog));
	prog->insns = malloc(count * sizeof(*insns) + !count);
	assert_non_null(prog->insns);
	memcpy(prog->insns, insns, count * sizeof(*insns));
	code = tl_prog_verify(prog, count, limits, bad_insn);
	if (code) {
		free(prog->insns);
		prog->insns = NULL;
	}
	return code;
}
