/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads of memory that may not be there, in any context. */
#ifndef TL_MEMORY_H
#define TL_MEMORY_H

#include <linux/types.h>

bool tl_memory_read_kernel(u8 *to, unsigned long address, u32 bytes);
bool tl_memory_read(u8 *to, unsigned long address, u32 bytes, bool user);
u32 tl_memory_string(u8 *to, unsigned long address, u32 max, bool user,
		     u32 *status);
u32 tl_memory_bytes(u8 *to, unsigned long address, u32 size, bool user,
		    u32 *status);

#endif
