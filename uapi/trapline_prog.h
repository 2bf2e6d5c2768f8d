/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * trapline: the fetch program that runs at each hit of an event.
 *
 * One accumulator of 64 bits, no loop, no branch back: a program ends after at
 * most as many steps as it has instructions. "Load" instructions set the
 * accumulator, a "put" appends one argument to the record and ends it. A load
 * that faults skips to the put of its argument, which then appends zeros (an
 * empty string) and marks the argument with %TL_STATUS_FAULT.
 *
 * The kernel verifies a program before it takes it: known codes, zero in what
 * is reserved, register offsets inside the register frame, every load consumed
 * by a put, the most that it can append at most %TL_RECORD_BYTES_MAX.
 */
#ifndef _UAPI_TRAPLINE_PROG_H
#define _UAPI_TRAPLINE_PROG_H

#include <linux/types.h>

/* Limits, also told by TL_QUERY (since 1.0). */
#define TL_PROG_INSNS_MAX	4096	/* instructions of one program */
#define TL_ARGS_MAX		129	/* puts of one program: 128 arguments and the caller */
#define TL_RECORD_BYTES_MAX	32768	/* one record, header and status bytes included */
#define TL_STRING_BYTES_MAX	32000	/* one string, its length field not counted */

/**
 * struct tl_insn - one instruction
 * @op: TL_OP_*
 * @arg: size in bytes or longest string, with %TL_ARG_USER for user memory
 * @imm: constant, register offset or signed displacement, as @op says
 *
 * Since 1.0.
 */
struct tl_insn {
	__u32 op;
	__u32 arg;
	__u64 imm;
};

/** TL_ARG_USER - flag in &tl_insn.arg: the address is one of user memory */
#define TL_ARG_USER 0x80000000u

/*
 * Loads. "-" means that the field must be zero.
 *
 *  code             arg        imm            accumulator afterwards
 */
#define TL_OP_REG	1	/* -    offset in pt_regs   that register, 8 bytes     */
#define TL_OP_STACK	2	/* -    index < 65536      word on the kernel stack   */
#define TL_OP_SP	3	/* -    -                  kernel stack pointer       */
#define TL_OP_RETVAL	4	/* -    -                  return value (returns only) */
#define TL_OP_CALLER	5	/* -    -                  return address (returns only) */
#define TL_OP_PLACE	6	/* -    -                  armed address of the event */
#define TL_OP_IMM	7	/* -    value              @imm                       */
#define TL_OP_DEREF	8	/* size displacement       1, 2, 4 or 8 bytes at
				 *			   accumulator + @imm,
				 *			   zero-extended              */

/*
 * Puts: the codes from 16 to 30. Each is one argument of the record, in this
 * order. The codes below are loads and whatever else puts nothing.
 */
#define TL_OP_PUT	16	/* size -                  low 1, 2, 4 or 8 bytes of the
				 *			   accumulator                */
#define TL_OP_PUT_REG	17	/* size offset in pt_regs  low bytes of that register */
#define TL_OP_PUT_STRING 18	/* max  displacement       u16 length, then the bytes of the
				 *			   string at accumulator + @imm,
				 *			   without its NUL            */
#define TL_OP_PUT_COMM	19	/* -    -                  u16 length, name of the task */

/** TL_OP_END - last instruction of each program, and only there */
#define TL_OP_END	31

#endif
