/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks as arrays of addresses, in any context. */
#ifndef TL_STACK_H
#define TL_STACK_H

#include <linux/ptrace.h>
#include <linux/types.h>

u32 tl_stack_kernel(u8 *to, u32 max, const struct pt_regs *regs,
		    unsigned long first, u32 *status);
u32 tl_stack_user(u8 *to, u32 max, const struct pt_regs *regs, u32 *status);

#endif
