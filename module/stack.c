// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks as arrays of addresses, in any context: no lock, no memory, no page is
 * brought in, and no more steps than frames that are wanted.
 *
 * Of the kernel's own functions for this only the unwinder itself is exported
 * (arch/). User stacks are followed along their frame pointers.
 */
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>

#include "arch/stack.h"
#include "context.h"
#include "memory.h"
#include "stack.h"
#include "trapline_packet.h"

/**
 * struct tl_frames - addresses that are being gathered
 * @to: room for @max of them, not aligned
 * @max: at least 1
 * @count: so far
 */
struct tl_frames {
	u8 *to;
	u32 max;
	u32 count;
};

/* Returns false where there is no room. */
static bool tl_frames_add(struct tl_frames *frames, u64 address)
{
	if (frames->count == frames->max)
		return false;
	memcpy(frames->to + frames->count * sizeof(address), &address,
	       sizeof(address));
	frames->count++;
	return true;
}

NOKPROBE_SYMBOL(tl_frames_add);

/* As many as were wanted are there, and one more. */
static u32 tl_frames_cut(const struct tl_frames *frames, u32 *status)
{
	*status = TL_STATUS_TRUNCATED;
	return frames->count * sizeof(u64);
}

NOKPROBE_SYMBOL(tl_frames_cut);

/* There are no more; @is_whole: not because they could not be found. */
static u32 tl_frames_end(const struct tl_frames *frames, bool is_whole,
			 u32 *status)
{
	*status = is_whole ? TL_STATUS_OK : TL_STATUS_INCOMPLETE;
	return frames->count * sizeof(u64);
}

NOKPROBE_SYMBOL(tl_frames_end);

/**
 * tl_stack_kernel() - the kernel's stack of a hit
 * @to: room for @max addresses
 * @max: at least 1
 * @regs: at the hit; NULL: not known, in a handler that was called
 * @first: the address that is hit; where execution goes on after a return, or,
 *	without registers, after the handler
 * @status: TL_STATUS_* of the result
 *
 * Goes from there to the oldest caller; nothing of the handler is in it. Returns
 * the length in bytes.
 */
u32 tl_stack_kernel(u8 *to, u32 max, const struct pt_regs *regs,
		    unsigned long first, u32 *status)
{
	struct tl_frames frames = { .to = to, .max = max };
	struct tl_arch_unwind unwind;
	unsigned long address;

	if (regs && user_mode((struct pt_regs *)regs))
		return tl_frames_end(&frames, true, status);
	if (regs)
		tl_arch_unwind_start(&unwind, regs, first);
	else
		tl_arch_unwind_start_after(&unwind, first);
	tl_frames_add(&frames, first);
	while ((address = tl_arch_unwind_next(&unwind)))
		if (!tl_frames_add(&frames, address))
			return tl_frames_cut(&frames, status);
	return tl_frames_end(&frames, tl_arch_unwind_is_whole(&unwind), status);
}

NOKPROBE_SYMBOL(tl_stack_kernel);

/*
 * The registers with which the task left user mode; NULL in an interrupt or an
 * NMI, which has come upon a task that may be anywhere. An NMI has a stack of its
 * own, a probe by int3, which counts as one, has not.
 */
static const struct pt_regs *tl_user_regs(const struct pt_regs *regs)
{
	unsigned long base = (unsigned long)task_stack_page(current);
	unsigned long top;

	if (!tl_context_is_task())
		return NULL;
	if (regs && user_mode((struct pt_regs *)regs))
		return regs;
	/* a handler that was called is on the stack of its caller */
	top = regs ? kernel_stack_pointer((struct pt_regs *)regs) :
		     current_stack_pointer;
	return top - base < THREAD_SIZE ? task_pt_regs(current) : NULL;
}

NOKPROBE_SYMBOL(tl_user_regs);

/*
 * From one frame to the next older one. Returns false where none can be found,
 * and an @address of 0 at the end of the chain.
 */
static bool tl_user_next(struct tl_arch_frame *frame, u64 *address)
{
	u32 bytes = frame->word_bytes;
	u64 pointer = 0;
	u8 words[2 * sizeof(u64)];

	*address = 0;
	if (!frame->pointer)
		return true;
	/* older frames are above; what is not goes round, or is none */
	if (!bytes || frame->pointer < frame->floor ||
	    frame->pointer % bytes ||
	    !tl_memory_read(words, frame->pointer, 2 * bytes, true))
		return false;
	memcpy(&pointer, words, bytes);
	memcpy(address, words + bytes, bytes);
	frame->floor = frame->pointer + 2 * bytes;
	frame->pointer = pointer;
	return true;
}

NOKPROBE_SYMBOL(tl_user_next);

/**
 * tl_stack_user() - the user's stack of a hit
 * @to: room for @max addresses
 * @max: at least 1
 * @regs: at the hit; NULL: not known, in a handler that was called
 * @status: TL_STATUS_* of the result
 *
 * Goes from where the task left user mode along its frame pointers. Returns the
 * length in bytes.
 */
u32 tl_stack_user(u8 *to, u32 max, const struct pt_regs *regs, u32 *status)
{
	const struct pt_regs *user = tl_user_regs(regs);
	struct tl_frames frames = { .to = to, .max = max };
	struct tl_arch_frame frame;
	bool found;
	u64 address;

	if (!user) {
		*status = TL_STATUS_FAULT;
		return 0;
	}
	/* a kernel thread has left no user mode, whose memory ever it uses */
	if (!current->mm || !tl_arch_user_frame(&frame, user))
		return tl_frames_end(&frames, true, status);
	tl_frames_add(&frames, frame.address);
	while ((found = tl_user_next(&frame, &address)) && address)
		if (!tl_frames_add(&frames, address))
			return tl_frames_cut(&frames, status);
	return tl_frames_end(&frames, found, status);
}

NOKPROBE_SYMBOL(tl_stack_user);
