/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TL_ARCH_X86_ARCH_H
#define TL_ARCH_X86_ARCH_H

#include <linux/elf-em.h>
#include <linux/pgtable.h>
#include <linux/types.h>

/* Whose register frame the programs are for, as TL_QUERY tells it. */
#define TL_ARCH_ELF_MACHINE EM_X86_64

/**
 * tl_arch_can_map() - can anything be mapped at an address?
 * @address: the address
 *
 * Not where it is not canonical: that is another exception than a page fault,
 * and one that the kernel warns of. Its own check before a read that may fault
 * goes by what the CPU could do, not by the page tables in use.
 */
static __always_inline bool tl_arch_can_map(unsigned long address)
{
	const int unused_bits = BITS_PER_LONG - (PGDIR_SHIFT + 9);

	return (long)(address << unused_bits) >> unused_bits == (long)address;
}

/* Words that a function takes in registers, behind a first argument. */
#define TL_ARCH_WORDS_IN_REGISTERS 5

#endif
