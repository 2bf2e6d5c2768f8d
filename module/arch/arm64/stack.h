/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks of arm64. Its unwinder is not exported: of the kernel's stack only the
 * first address is known.
 */
#ifndef TL_ARCH_ARM64_STACK_H
#define TL_ARCH_ARM64_STACK_H

#include <linux/ptrace.h>

struct tl_arch_unwind {
};

static inline void tl_arch_unwind_start(struct tl_arch_unwind *unwind,
					const struct pt_regs *regs,
					unsigned long address)
{
}

static inline void tl_arch_unwind_start_after(struct tl_arch_unwind *unwind,
					      unsigned long address)
{
}

static inline unsigned long tl_arch_unwind_next(struct tl_arch_unwind *unwind)
{
	return 0;
}

static inline bool tl_arch_unwind_is_whole(const struct tl_arch_unwind *unwind)
{
	return false;
}

static inline bool tl_arch_user_frame(struct tl_arch_frame *frame,
				      const struct pt_regs *regs)
{
	/* threads of the kernel which work for a process have none of their own */
	if (!user_mode(regs) || (!regs->pc && !regs->sp))
		return false;
	frame->address = regs->pc;
	frame->pointer = regs->regs[29];
	frame->floor = regs->sp;
	frame->word_bytes = compat_user_mode(regs) ? 0 : sizeof(u64);
	return true;
}

#endif
