/* SPDX-License-Identifier: GPL-2.0-only */
/* What the verifier says of a program, for the tests that write programs down. */
#ifndef TL_PROG_EXPECT_H
#define TL_PROG_EXPECT_H

#include "prog_world.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define END { TL_OP_END, 0, 0 }
#define SP { TL_OP_SP, 0, 0 }
#define PUT { TL_OP_PUT, 8, 0 }

/* The reason of a refusal, and the instruction; of an entry, not of a return. */
static inline void expect(const struct tl_insn *insns, u32 count,
		   enum tl_error_code expected, u32 expected_insn)
{
	struct tl_prog prog;
	enum tl_error_code code;
	u32 bad = 12345;

	code = verify(&prog, insns, count, false, &bad);
	if (code != expected || (code && bad != expected_insn))
		fail_msg("code %d at %u, but %d at %u was expected", code, bad,
			 expected, expected_insn);
	free(prog.insns);
}

#define EXPECT(code, bad, ...)                                          \
	do {                                                            \
		static const struct tl_insn insns_[] = { __VA_ARGS__ }; \
		expect(insns_, COUNT(insns_), code, bad);               \
	} while (0)

#endif
