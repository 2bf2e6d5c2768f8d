/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * trapline: the fetch program that runs at each hit of an event.
 *
 * One accumulator of 64 bits, no loop, no branch back: a program ends after at
 * most as many steps as it has instructions. "Load" instructions set the
 * accumulator, a "put" appends one argument to the record and ends it. A load
 * that faults skips to the put of its argument, which then appends zeros (an
 * empty string, no bytes) and marks the argument with %TL_STATUS_FAULT.
 *
 * A program may begin with a filter (since 1.1), which ends with its last
 * %TL_OP_REJECT and puts nothing. It consists of comparisons: loads, and one
 * %TL_OP_TEST or %TL_OP_MATCH that uses up what they loaded and may jump
 * forward, to a later comparison, to a rejection, or to what follows the filter.
 * Whoever comes to a rejection is done: nothing is appended, reserved, or
 * recorded, and the hit counts as filtered.
 *
 * The kernel verifies a program before it takes it: known codes, zero in what
 * is reserved, register offsets inside the register frame, every load consumed
 * by a put or a comparison, jumps only to where nothing is loaded, the most that
 * it can append at most %TL_RECORD_BYTES_MAX.
 */
#ifndef _UAPI_TRAPLINE_PROG_H
#define _UAPI_TRAPLINE_PROG_H

#include <linux/types.h>

/* Limits, also told by TL_QUERY (since 1.0). */
#define TL_PROG_INSNS_MAX	4096	/* instructions of one program */
#define TL_ARGS_MAX		129	/* puts of one program: 128 arguments and the caller */
#define TL_RECORD_BYTES_MAX	32768	/* one record, header and status bytes included */
#define TL_STRING_BYTES_MAX	32000	/* one string, its length field not counted */

/* Limits of filters (since 1.1). */
#define TL_MATCH_STRING_MAX	4096	/* one string that is matched */
#define TL_MATCH_PATTERN_MAX	256	/* bytes of one pattern */
#define TL_MATCH_STEPS_MAX	262144	/* of a filter: the sum over its matches of the longest
					 * string, times one and the bytes of the pattern
					 * behind its first "*", and all of its bytes */

/* Limit of stacks (since 1.1). */
#define TL_STACK_FRAMES_MAX	127	/* addresses of one stack */

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
#define TL_OP_REG	1	/* when offset in pt_regs   that register, 8 bytes; with
				 *	or number	   @arg TL_REG_ENTRY (since 1.1):
				 *			   argument number @imm, from 0,
				 *			   as it was at the entry of the
				 *			   function that returns      */
#define TL_OP_STACK	2	/* -    index < 65536      word on the kernel stack   */
#define TL_OP_SP	3	/* -    -                  kernel stack pointer       */
#define TL_OP_RETVAL	4	/* which -                 return value (returns only); with
				 *			   @arg TL_RETURN_DURATION (since
				 *			   1.1): nanoseconds since the
				 *			   entry of the function      */
#define TL_OP_CALLER	5	/* -    -                  return address (returns only) */
#define TL_OP_PLACE	6	/* -    -                  armed address of the event */
#define TL_OP_IMM	7	/* -    value              @imm                       */
#define TL_OP_DEREF	8	/* size displacement       1, 2, 4 or 8 bytes at
				 *			   accumulator + @imm,
				 *			   zero-extended              */
#define TL_OP_CURRENT	9	/* -    -                  address of the current task's
				 *			   struct task_struct
				 *			   (since 1.1)                */

/*
 * The frame of a tracepoint (%TL_BACKEND_TRACEPOINT, since 1.1) is not a pt_regs:
 * it has %TL_TRACEPOINT_ARGS words of 8 bytes, the arguments that the tracepoint
 * hands to its probes, and nothing else. So argument N, from 0, is what
 * %TL_OP_REG and %TL_OP_PUT_REG have at offset 8 * N. What is behind the last
 * argument that the tracepoint has, or above the bytes of its type, is not
 * specified: the kernel does not know how many there are, its BTF does.
 * %TL_OP_STACK and %TL_OP_SP are refused there.
 */
#define TL_TRACEPOINT_ARGS	12

#define TL_REG_ENTRY		1 /* of TL_OP_REG: at the entry (returns only) */
#define TL_ENTRY_ARGS		6 /* arguments that are kept from there */
#define TL_RETURN_DURATION	1 /* of TL_OP_RETVAL */

#define TL_OP_TASK	10	/* which -, or number      of the current task: TL_TASK_*
				 *			   (since 1.1)                */

/* Which, of %TL_OP_TASK. In an interrupt the task is the one interrupted. */
#define TL_TASK_TID	1 /* thread id in the initial pid namespace */
#define TL_TASK_TGID	2 /* process id there */
#define TL_TASK_CPU	3 /* number of the CPU */
#define TL_TASK_CGROUP	4 /* id of its cgroup of version 2; 0: the kernel has none */
#define TL_TASK_COMM	5 /* its name, a string for %TL_OP_MATCH: only in filters */
#define TL_TASK_FAMILY	6 /* 1 if its process is process number @imm, or has that among its
			   * parents, grandparents and so on, 64 at most; else 0
			   */

/*
 * Filters (since 1.1). A comparison is true or not. One whose loads fault is
 * not true, whatever its condition, %TL_TEST_NOT included.
 *
 *  code             arg        imm
 */
#define TL_OP_STRING	11	/* max  displacement       read the string at accumulator +
				 *			   @imm, for a match; one that
				 *			   runs into what cannot be read
				 *			   is a fault                 */
#define TL_OP_TEST	12	/* test constant           compare the accumulator with
				 *			   @imm                       */
#define TL_OP_MATCH	13	/* test bytes              compare the string with the
				 *			   pattern of @imm bytes that
				 *			   stands in the %TL_OP_DATA
				 *			   behind it, which are passed
				 *			   over                       */
#define TL_OP_DATA	14	/* -    8 bytes            of a pattern, the first one
				 *			   lowest; unused ones zero   */
#define TL_OP_REJECT	15	/* -    -                  the hit is filtered        */

/*
 * @arg of %TL_OP_TEST and %TL_OP_MATCH. A number is cut to its size, and extended
 * to 64 bits by zeros or by its sign; @imm is compared as it is. A pattern is that
 * of a whole string: "*" is any bytes, "?" one, "[a-z]" one of these, "[!a-z]" one
 * of the others, and the byte behind a "\" is itself, in brackets too.
 */
#define TL_TEST_JUMP		0x00000fffu /* how many instructions on, at least 1 */
#define TL_TEST_IF_TRUE		0x00001000u /* jump if true; else if not true */
#define TL_TEST_NOT		0x00002000u /* the reverse of the condition */
#define TL_TEST_SIGNED		0x00004000u /* extend by the sign (TEST) */
#define TL_TEST_CONDITION	0x00070000u /* TL_TEST_EQUAL, ... (TEST) */
#define TL_TEST_EQUAL		0x00000000u
#define TL_TEST_BELOW		0x00010000u /* less; as signed, if signed */
#define TL_TEST_ABOVE		0x00020000u /* greater; as signed, if signed */
#define TL_TEST_AND		0x00030000u /* has one of the bits of @imm */
#define TL_TEST_BYTES		0x0f000000u /* size: 1, 2, 4, 8 bytes (TEST) */
#define TL_TEST_BYTES_SHIFT	24

/*
 * A length that is only known at the hit (since 1.1): the next put, which must be
 * %TL_OP_PUT_BYTES, takes as many elements as the accumulator says. A number
 * below zero is none; what is more than its @size is marked as truncated. @arg is
 * the bytes of an element, with %TL_TEST_BYTES and %TL_TEST_SIGNED of the number.
 */
#define TL_OP_LENGTH	32	/* see above -             nothing: as after a put    */
#define TL_LENGTH_ELEMENT	0x0000000fu /* 1, 2, 4 or 8 */

/*
 * Puts: the codes from 16 to 30. Each is one argument of the record, in this
 * order. All others are loads, or put nothing.
 */
#define TL_OP_IS_PUT(op) ((op) >= TL_OP_PUT && (op) < TL_OP_END)
#define TL_OP_PUT	16	/* size -                  low 1, 2, 4 or 8 bytes of the
				 *			   accumulator                */
#define TL_OP_PUT_REG	17	/* size offset in pt_regs  low bytes of that register */
#define TL_OP_PUT_STRING 18	/* max  displacement       u16 length, then the bytes of the
				 *			   string at accumulator + @imm,
				 *			   without its NUL            */
#define TL_OP_PUT_COMM	19	/* -    -                  u16 length, name of the task */
#define TL_OP_PUT_BYTES	20	/* size displacement       u16 length, then @size bytes at
				 *			   accumulator + @imm, or those
				 *			   before the first that cannot be
				 *			   read (since 1.1); fewer after
				 *			   a TL_OP_LENGTH             */
#define TL_OP_PUT_STACK	22	/* max  which              u16 length in bytes, then the stack
				 *			   as addresses of 8 bytes, @max of
				 *			   them at most, the newest first:
				 *			   TL_STACK_* (since 1.1)     */

/*
 * Which, of %TL_OP_PUT_STACK. That of the kernel begins at the place, at a return
 * where execution goes on, at a tracepoint in what has called its probes; that of the
 * user where he called the kernel, or was interrupted, and goes on along frame
 * pointers. A stack that has more addresses is truncated, one that could not be
 * followed to its end incomplete. A task without user memory has an empty one; an
 * interrupt, which has borrowed the task, a fault.
 */
#define TL_STACK_KERNEL	0
#define TL_STACK_USER	1

/** TL_OP_END - last instruction of each program, and only there */
#define TL_OP_END	31

#endif
