// SPDX-License-Identifier: GPL-2.0-only
/* Must compile: if it does not, no answer of the other probes means anything. */
#include <linux/module.h>
#include <linux/mm.h>

unsigned long tl_sanity(struct vm_area_struct *vma);
unsigned long tl_sanity(struct vm_area_struct *vma)
{
	return vma_pages(vma);
}
