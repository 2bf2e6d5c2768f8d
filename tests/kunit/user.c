// SPDX-License-Identifier: GPL-2.0-only
/*
 * User memory for tests. Each test has a thread of its own, without any; the
 * process that loads the module waits in its init function and lends its own.
 * It ends after the last test, and what was mapped ends with it.
 */
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>

#include "user.h"

static struct mm_struct *tl_user_mm;

void tl_user_begin(void)
{
	tl_user_mm = current->mm;
}

/*
 * A thread that ends gives its address space back as a process does, and not
 * as kthread_unuse_mm(): a user and no reference of its own.
 */
static void tl_user_attach(void)
{
	if (current->mm)
		return;
	mmget(tl_user_mm);
	kthread_use_mm(tl_user_mm);
	mmdrop(tl_user_mm);
}

unsigned long tl_user_map(struct kunit *test, unsigned long bytes)
{
	unsigned long at;

	tl_user_attach();
	at = vm_mmap(NULL, 0, bytes, PROT_READ | PROT_WRITE,
		     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, at, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(at));
	return at;
}
