/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the values of a hit come from: filled in by a backend's handler, read
 * by the interpreter (core/prog_run.h), which is included here.
 */
#ifndef TL_SOURCE_H
#define TL_SOURCE_H

#include <linux/cgroup.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/thread_info.h>

#include "entry.h"
#include "family.h"
#include "memory.h"
#include "place.h"
#include "stack.h"

/**
 * struct tl_source - one hit
 * @regs: registers at the place, or the arguments of a tracepoint
 * @place: what was hit
 * @caller: where execution goes on after a return, or after the handler of a
 *	tracepoint; 0 at an entry
 * @entry: what was saved when the call began, of a return; NULL at an entry
 */
struct tl_source {
	struct pt_regs *regs;
	const struct tl_place *place;
	unsigned long caller;
	const struct tl_entry *entry;
};

static __always_inline u64 tl_source_reg(const struct tl_source *src, u64 offset)
{
	return *(const u64 *)((const u8 *)src->regs + offset);
}

static __always_inline u64 tl_source_sp(const struct tl_source *src)
{
	return kernel_stack_pointer(src->regs);
}

static __always_inline u64 tl_source_retval(const struct tl_source *src)
{
	return regs_return_value(src->regs);
}

static __always_inline u64 tl_source_caller(const struct tl_source *src)
{
	return src->caller;
}

static __always_inline u64 tl_source_place(const struct tl_source *src)
{
	return src->place->address;
}

/* Not for an event at an entry: the verifier sees to that. */
static __always_inline bool tl_source_entry(const struct tl_source *src, u64 number,
					    u64 *value)
{
	*value = src->entry->is_saved ? src->entry->args[number] : 0;
	return src->entry->is_saved;
}

static __always_inline bool tl_source_duration(const struct tl_source *src, u64 *value)
{
	u64 now_ns;

	*value = 0;
	if (!src->entry->is_saved)
		return false;
	/* the clock may step back between two CPUs, a little */
	now_ns = tl_env_clock_ns();
	if (now_ns > src->entry->time_ns)
		*value = now_ns - src->entry->time_ns;
	return true;
}

static __always_inline u64 tl_source_current(const struct tl_source *src)
{
	return (unsigned long)current;
}

static __always_inline bool tl_source_read(const struct tl_source *src, u8 *to,
					   u64 address, u32 bytes, bool user)
{
	return tl_memory_read(to, address, bytes, user);
}

/*
 * A word of the stack that the registers are on. What is past its end is not
 * this stack's and must not look as if it were: a fault. Of the stacks of
 * interrupts no end is known but that of the page.
 */
static __always_inline bool tl_source_stack(const struct tl_source *src,
					    u64 index, u64 *value)
{
	unsigned long top = kernel_stack_pointer(src->regs);
	unsigned long address = top + index * sizeof(*value);
	unsigned long base = (unsigned long)task_stack_page(current);

	*value = 0;
	if (top - base < THREAD_SIZE ? address - base >= THREAD_SIZE :
				       (address ^ top) & PAGE_MASK)
		return false;
	return tl_memory_read((u8 *)value, address, sizeof(*value), false);
}

static __always_inline u32 tl_source_string(const struct tl_source *src, u8 *to,
					    u64 address, u32 max, bool user,
					    u32 *status)
{
	return tl_memory_string(to, address, max, user, status);
}

static __always_inline u32 tl_source_bytes(const struct tl_source *src, u8 *to,
					   u64 address, u32 size, bool user,
					   u32 *status)
{
	return tl_memory_bytes(to, address, size, user, status);
}

/* NULL of a tracepoint: it has arguments in their place. */
static __always_inline const struct pt_regs *
tl_source_regs(const struct tl_source *src)
{
	return src->place->ops->arg_count ? NULL : src->regs;
}

static __always_inline u32 tl_source_frames(const struct tl_source *src, u8 *to,
					    u32 max, u32 which, u32 *status)
{
	if (which == TL_STACK_USER)
		return tl_stack_user(to, max, tl_source_regs(src), status);
	return tl_stack_kernel(to, max, tl_source_regs(src),
			       src->caller ?: src->place->address, status);
}

static __always_inline u32 tl_source_comm(const struct tl_source *src, u8 *to)
{
	u32 length = strnlen(current->comm, TASK_COMM_LEN - 1);

	memcpy(to, current->comm, length);
	return length;
}

/*
 * What is to be had of the task, without a lock and without waiting. Preemption
 * is off, which holds what RCU protects: the sets of cgroups.
 */
static __always_inline u64 tl_source_task(const struct tl_source *src, u32 which,
					  u64 number)
{
	switch (which) {
	case TL_TASK_TID:
		return (u32)current->pid;
	case TL_TASK_TGID:
		return (u32)current->tgid;
	case TL_TASK_CPU:
		return raw_smp_processor_id();
	case TL_TASK_FAMILY:
		return tl_family_has((u32)number);
	}
#ifdef CONFIG_CGROUPS
	return cgroup_id(rcu_dereference_raw(current->cgroups)->dfl_cgrp);
#else
	return 0;
#endif
}

#include "core/prog_run.h"

#endif
