/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TL_ARCH_ARM64_ARCH_H
#define TL_ARCH_ARM64_ARCH_H

#include <linux/elf-em.h>

/* Whose register frame the programs are for, as TL_QUERY tells it. */
#define TL_ARCH_ELF_MACHINE EM_AARCH64

#endif
