/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only file of core/ that knows whether it is compiled for the kernel or
 * for a native test: integer types, accesses, ordering, the clock.
 *
 * What it is outside the kernel is in tests/native/env_native.h. A native test
 * that takes a clock defines tl_env_clock_ns() and, if it interleaves contexts,
 * TL_INTERLEAVE and tl_point().
 */
#ifndef TL_CORE_ENV_H
#define TL_CORE_ENV_H

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/types.h>

/* tl_env_clock_ns() - CLOCK_MONOTONIC, callable from any context */
static __always_inline u64 tl_env_clock_ns(void)
{
	return ktime_get_mono_fast_ns();
}

/* Full atomics on words that other CPUs use too. */
static __always_inline u64 tl_shared_cmpxchg(u64 *ptr, u64 old, u64 new)
{
	return cmpxchg(ptr, old, new);
}

#else

#include "env_native.h"

#endif

/*
 * tl_point() stands after each access that another context of the CPU may
 * observe. It is nothing here; a search over interleavings runs nested
 * writers at each of them.
 */
#ifdef TL_INTERLEAVE
void tl_point(void);
#else
static __always_inline void tl_point(void)
{
}
#endif

#include "../arch/cpu_local.h"

#endif
