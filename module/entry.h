/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is kept of a call from its entry to its return, in the kernel's instance
 * of the return probe.
 */
#ifndef TL_ENTRY_H
#define TL_ENTRY_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "core/env.h"
#include "trapline_prog.h"

/**
 * struct tl_entry - one call that is under way
 * @is_saved: the rest was filled in; it is not where no event wanted it then
 * @time_ns: when it began
 * @args: the first arguments, those in registers
 */
struct tl_entry {
	bool is_saved;
	u64 time_ns;
	u64 args[TL_ENTRY_ARGS];
};

static __always_inline void tl_entry_save(struct tl_entry *entry, struct pt_regs *regs)
{
	u32 i;

	for (i = 0; i < TL_ENTRY_ARGS; i++)
		entry->args[i] = regs_get_kernel_argument(regs, i);
	entry->time_ns = tl_env_clock_ns();
}

#endif
