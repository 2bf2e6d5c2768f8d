/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From frame to frame of a stack:
 *
 *	tl_arch_unwind_start(&unwind, regs, address)	the kernel's, from there on
 *	tl_arch_unwind_start_after(&unwind, address)	from the caller's frame on whose
 *							code goes on at the address
 *	tl_arch_unwind_next(&unwind)			next return address, or 0
 *	tl_arch_unwind_is_whole(&unwind)		after the 0: was it the end?
 *	tl_arch_user_frame(&frame, regs)		the user's newest; false: none
 */
#ifndef TL_ARCH_STACK_H
#define TL_ARCH_STACK_H

#include <linux/types.h>

/**
 * struct tl_arch_frame - a frame of a user stack
 * @address: where execution is in it
 * @pointer: its frame pointer, at which that of its caller and the return address
 *	are, one word each
 * @floor: a frame pointer below this is none
 * @word_bytes: size of these words; 0: not known how frames look
 */
struct tl_arch_frame {
	u64 address;
	u64 pointer;
	u64 floor;
	u32 word_bytes;
};

#if defined(CONFIG_X86_64)
#include "x86/stack.h"
#else
#include "arm64/stack.h"
#endif

#endif
