/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In which context a handler runs, and whether it is inside another one.
 *
 * Contexts of a CPU are strictly nested. A handler in a context that is
 * already inside a handler can only have been reached through what that
 * handler calls: a recursion, which is counted and dropped. Any other nesting
 * is legitimate and gets scratch memory of its own.
 *
 * NMI context has two levels, since an int3 probe counts as an NMI and a real
 * one may come on top of it, or the other way round. An int3 in what a handler
 * calls is a recursion, all the same: it is on the stack of that handler.
 *
 * The last lines of an interrupt, irq_exit(), have the level of what it
 * interrupted: the kernel's count of it has ended by then. They wake ksoftirqd
 * ("threadirqs", PREEMPT_RT) and look after the tick of an idle CPU. In the middle
 * of a handler they are told by their stack, see tl_context_is_irq_exit().
 */
#ifndef TL_CONTEXT_H
#define TL_CONTEXT_H

#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "trapline_packet.h"
#include "trapline_prog.h"

/* Levels are numbered as the context flags of a record, TL_CTX_*. */
#define TL_LEVELS ((TL_CTX_NMI | TL_CTX_NESTED) + 1)
#define TL_SCRATCHES 5

/**
 * struct tl_scratch - where a record is made before its length is known
 * @statuses: one byte per argument
 * @payload: the arguments
 */
struct tl_scratch {
	u8 statuses[ALIGN(TL_ARGS_MAX, 8)];
	u8 payload[TL_RECORD_BYTES_MAX];
};

/**
 * struct tl_cpu - what each CPU has for handlers
 * @busy: stack pointer of the handler that runs in this context, or 0
 * @scratch: one per level, see tl_context_scratch()
 */
struct tl_cpu {
	unsigned long busy[TL_LEVELS];
	struct tl_scratch *scratch;
};

DECLARE_PER_CPU(struct tl_cpu, tl_cpu);

int tl_context_init(void);
void tl_context_exit(void);

/*
 * How deep NMIs are nested, int3 probes included. (7.3 has four bits for that, or
 * one on machines without room; not on x86-64. With one, the inner of two NMIs
 * would be taken for a recursion: counted, not mixed up.)
 */
static __always_inline u32 tl_nmi_depth(void)
{
	return (u32)(preempt_count() & NMI_MASK) / NMI_OFFSET;
}

static __always_inline size_t tl_context_level(void)
{
	if (likely(!(preempt_count() & (NMI_MASK | HARDIRQ_MASK))))
		return in_serving_softirq() ? TL_CTX_SOFTIRQ : TL_CTX_TASK;
	if (in_nmi())
		return tl_nmi_depth() == 1 ? TL_CTX_NMI :
					     TL_CTX_NMI | TL_CTX_NESTED;
	return TL_CTX_HARDIRQ;
}

/* Scratch memory of a level. */
static __always_inline struct tl_scratch *tl_context_scratch(size_t level)
{
	return this_cpu_read(tl_cpu.scratch) + min_t(size_t, level, TL_SCRATCHES - 1);
}

/* Is any context of this CPU inside a handler? */
static __always_inline bool tl_context_busy(void)
{
	const struct tl_cpu *cpu = this_cpu_ptr(&tl_cpu);
	u32 level;

	for (level = 0; level < TL_LEVELS; level++)
		if (READ_ONCE(cpu->busy[level]))
			return true;
	return false;
}

/*
 * Is this the stack of the handler that a level is busy with, and the handler among
 * its callers? What comes on top of a task has a stack of its own, but for an int3.
 */
static __always_inline bool tl_context_is_called(unsigned long handler)
{
	const unsigned long here = current_stack_pointer;

	return object_is_on_stack((void *)handler) == object_is_on_stack((void *)here) &&
	       handler - here < THREAD_SIZE;
}

/*
 * What an NMI, or an int3, interrupted. (nmi_enter() counts as an interrupt, too, and
 * a handler at the end of one does not.)
 */
static __always_inline size_t tl_context_below_nmi(void)
{
	if (tl_nmi_depth() > 1)
		return TL_CTX_NMI;
	if ((u32)hardirq_count() > HARDIRQ_OFFSET ||
	    raw_cpu_read(tl_cpu.busy[TL_CTX_HARDIRQ]))
		return TL_CTX_HARDIRQ;
	return in_serving_softirq() ? TL_CTX_SOFTIRQ : TL_CTX_TASK;
}

/*
 * Called in an NMI: is this an int3 in what a handler calls? The kernel holds it
 * back where the handler is a kprobe's, and only there.
 */
static __always_inline bool tl_context_is_own_int3(void)
{
	const unsigned long handler = raw_cpu_read(tl_cpu.busy[tl_context_below_nmi()]);

	return handler && tl_context_is_called(handler);
}

/*
 * Called where @level is busy: is it so with a handler that was interrupted, and is
 * this the end of that interrupt, in no handler there? (What interrupts a softirq
 * and ends on its stack wakes nobody. It would stop or start the tick of a nohz_full
 * CPU: such a hit counts as a recursion.)
 */
static __always_inline bool tl_context_is_irq_exit(size_t level)
{
	return level == TL_CTX_TASK &&
	       !tl_context_is_called(raw_cpu_read(tl_cpu.busy[TL_CTX_TASK])) &&
	       !raw_cpu_read(tl_cpu.busy[TL_CTX_HARDIRQ]);
}

/*
 * Is current what the event is about? Not in an interrupt, to its last line, which
 * only borrows the task. nmi_enter() counts as a hardirq too, so an int3 probe in a
 * task has as many of these as of those.
 */
static __always_inline bool tl_context_is_task(void)
{
	u32 irq_depth = (u32)hardirq_count() / HARDIRQ_OFFSET;

	return !in_serving_softirq() && irq_depth <= tl_nmi_depth() &&
	       !raw_cpu_read(tl_cpu.busy[TL_CTX_HARDIRQ]);
}

/* Is it, and has it user memory? */
static __always_inline bool tl_context_has_user(void)
{
	return current->mm && tl_context_is_task();
}

#endif
