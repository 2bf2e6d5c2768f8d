/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels, each behind a function of ours. What a kernel
 * has is decided by compiling the files of probes/ (see Kbuild), never by its
 * version: distributions move changes between versions.
 */
#ifndef TL_COMPAT_H
#define TL_COMPAT_H

#include <linux/mm.h>

/* Flags of a mapping that is being made: 6.3 made them unwritable directly. */
static inline void tl_vm_flags_set(struct vm_area_struct *vma,
				   unsigned long flags)
{
#ifdef TL_HAVE_VM_FLAGS_SET
	vm_flags_set(vma, flags);
#else
	vma->vm_flags |= flags;
#endif
}

static inline void tl_vm_flags_clear(struct vm_area_struct *vma,
				     unsigned long flags)
{
#ifdef TL_HAVE_VM_FLAGS_SET
	vm_flags_clear(vma, flags);
#else
	vma->vm_flags &= ~flags;
#endif
}

#endif
