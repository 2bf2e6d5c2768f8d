// SPDX-License-Identifier: GPL-2.0-only
/* From which processes the current task descends. */
#include <linux/kprobes.h>
#include <linux/sched.h>

#include "family.h"

#define TL_FAMILY_DEPTH 64

/**
 * tl_family_has() - is the current task's process this one, or descends from it?
 * @tgid: number of the process in the initial namespace
 *
 * Called with preemption off: a parent may exit meanwhile and give its children
 * to another, but RCU keeps what the pointer was read from. That of a task which
 * was released, as one that ends may be while it still runs, is not kept.
 */
bool tl_family_has(u32 tgid)
{
	const struct task_struct *task = current;
	int i;

	for (i = 0; i < TL_FAMILY_DEPTH; i++) {
		const struct task_struct *parent;

		if ((u32)task->tgid == tgid)
			return true;
		if (!pid_alive(task))
			break;
		parent = rcu_dereference_raw(task->real_parent);
		if (parent == task)
			break;
		task = parent;
	}
	return false;
}

NOKPROBE_SYMBOL(tl_family_has);
