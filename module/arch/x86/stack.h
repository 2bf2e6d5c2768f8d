/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks of x86-64: the kernel's own unwinder, and frames of user code. */
#ifndef TL_ARCH_X86_STACK_H
#define TL_ARCH_X86_STACK_H

#include <linux/ptrace.h>
#include <linux/sched.h>

#include <asm/segment.h>
#include <asm/unwind.h>

/**
 * struct tl_arch_unwind - on the way up the kernel's stack
 * @regs: from which it began
 * @state: the unwinder's
 */
struct tl_arch_unwind {
	struct pt_regs regs;
	struct unwind_state state;
};

/*
 * The registers are copied: after an int3 they point behind it, where the stack
 * may look other than at the probed instruction.
 */
static inline void tl_arch_unwind_start(struct tl_arch_unwind *unwind,
					const struct pt_regs *regs,
					unsigned long address)
{
	unwind->regs = *regs;
	unwind->regs.ip = address;
	unwind_start(&unwind->state, current, &unwind->regs, NULL);
}

/*
 * From here, which is in something that was called there. Where that frame cannot
 * be found the unwinder ends with an error.
 */
static inline void tl_arch_unwind_start_after(struct tl_arch_unwind *unwind,
					      unsigned long address)
{
	struct unwind_state *state = &unwind->state;

	unwind_start(state, current, NULL, NULL);
	while (!unwind_done(state) && unwind_get_return_address(state) != address)
		unwind_next_frame(state);
	unwind_next_frame(state);
}

/* Frames that a return probe has diverted are told as they would be without. */
static inline unsigned long tl_arch_unwind_next(struct tl_arch_unwind *unwind)
{
	unsigned long address = unwind_get_return_address(&unwind->state);

	/* at the end of a user's task this is what finds it to be the end */
	unwind_next_frame(&unwind->state);
	return address;
}

static inline bool tl_arch_unwind_is_whole(const struct tl_arch_unwind *unwind)
{
	return !unwind->state.error;
}

static inline bool tl_arch_user_frame(struct tl_arch_frame *frame,
				      const struct pt_regs *regs)
{
	/* threads of the kernel which work for a process have none of their own */
	if (!user_mode((struct pt_regs *)regs) || (!regs->ip && !regs->sp))
		return false;
	frame->address = regs->ip;
	frame->pointer = regs->bp;
	frame->floor = regs->sp;
	frame->word_bytes = regs->cs == __USER32_CS ? 4 : 8;
	return true;
}

#endif
