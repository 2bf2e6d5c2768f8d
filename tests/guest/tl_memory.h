/* SPDX-License-Identifier: GPL-2.0-only */
/* How much memory the kernel has in use, as exactly as it tells. */
#ifndef TESTS_GUEST_TL_MEMORY_H
#define TESTS_GUEST_TL_MEMORY_H

/**
 * struct memory - in KiB
 * @available: free, or to be had at once; with what each CPU has put aside
 * @slab: of the kernel's small objects
 * @percpu: of per-CPU allocations
 * @vmalloc: mapped by vmalloc() and vmap()
 */
struct memory {
	long long available;
	long long slab;
	long long percpu;
	long long vmalloc;
};

/** memory_read() - now, when caches are given back and callbacks have run */
struct memory memory_read(void);

#endif
