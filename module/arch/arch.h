/* SPDX-License-Identifier: GPL-2.0-only */
/* What the module must know of the architecture. */
#ifndef TL_ARCH_ARCH_H
#define TL_ARCH_ARCH_H

#if defined(CONFIG_X86_64)
#include "x86/arch.h"
#elif defined(CONFIG_ARM64)
#include "arm64/arch.h"
#else
#error "trapline knows the register frames of x86-64 and arm64 only"
#endif

/*
 * Behind the words in registers, those that the function which this is inlined into
 * takes on the stack.
 */
static __always_inline const unsigned long *tl_arch_stack_words(void)
{
#ifdef __CHECKER__ /* which does not know it */
	return __builtin_frame_address(0);
#else
	return __builtin_dwarf_cfa();
#endif
}

#endif
