// SPDX-License-Identifier: GPL-2.0-only
/* Linux 6.3: vm_flags_set() and vm_flags_clear(); vm_flags became read-only. */
#include <linux/mm.h>

void tl_probe(struct vm_area_struct *vma);
void tl_probe(struct vm_area_struct *vma)
{
	vm_flags_set(vma, VM_DONTCOPY);
	vm_flags_clear(vma, VM_MAYWRITE);
}
