/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fetch program as the kernel keeps it, and its verifier.
 * uapi/trapline_prog.h has the instruction set, prog_run.h the interpreter.
 */
#ifndef TL_CORE_PROG_H
#define TL_CORE_PROG_H

#include "env.h"
#include "trapline.h"
#include "trapline_packet.h"
#include "trapline_prog.h"

/**
 * struct tl_prog - a verified program
 * @put_count: arguments, one status byte each in an exceptional record
 * @max_bytes: the most that a payload without status bytes can have
 * @needs_entry: it loads what was saved at the entry of a call
 * @filter_count: instructions of the filter, which come first; 0: it has none
 * @direct: always exactly @max_bytes and unable to fault, so that it may store
 *	right into the ring, without a copy; said of what follows the filter
 * @insns: the instructions, the last one is TL_OP_END
 * @body: what follows the filter
 */
struct tl_prog {
	u32 put_count;
	u32 max_bytes;
	bool needs_entry;
	u32 filter_count;
	bool direct;
	struct tl_insn *insns;
	const struct tl_insn *body;
};

/**
 * struct tl_prog_limits - what a program may ask of its event
 * @regs_bytes: size of the frame: registers, or arguments of a tracepoint
 * @is_return: the event is a return: value and caller can be loaded
 * @args_only: the frame has arguments: no stack pointer is in it
 */
struct tl_prog_limits {
	u32 regs_bytes;
	bool is_return;
	bool args_only;
};

enum tl_error_code tl_prog_verify(struct tl_prog *prog, u32 insn_count,
				  const struct tl_prog_limits *limits,
				  u32 *bad_insn);

/* The longest payload: a record less its longest header. */
#define TL_PAYLOAD_BYTES_MAX \
	(TL_RECORD_BYTES_MAX - (u32)sizeof(struct tl_record_extended))

#endif
