/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TL_ARCH_ARM64_ARCH_H
#define TL_ARCH_ARM64_ARCH_H

#include <linux/elf-em.h>
#include <linux/types.h>

#ifdef CONFIG_CPU_BIG_ENDIAN
#error "trapline's packets are little endian as they stand in memory"
#endif

/* Whose register frame the programs are for, as TL_QUERY tells it. */
#define TL_ARCH_ELF_MACHINE EM_AARCH64

/**
 * tl_arch_can_map() - can anything be mapped at an address?
 * @address: the address
 *
 * Where nothing can, a read is an ordinary fault.
 */
static __always_inline bool tl_arch_can_map(unsigned long address)
{
	return true;
}

/* Words that a function takes in registers, behind a first argument. */
#define TL_ARCH_WORDS_IN_REGISTERS 7

#endif
