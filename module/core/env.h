/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only file of core/ that knows whether it is compiled for the kernel or
 * for a native test: integer types, accesses, ordering, the clock.
 *
 * A native test that takes a clock defines tl_env_clock_ns() and, if it
 * interleaves contexts, TL_INTERLEAVE and tl_point().
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

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#ifndef noinline
#define noinline __attribute__((noinline))
#endif
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value) __atomic_store_n(&(x), value, __ATOMIC_RELAXED)
#define smp_load_acquire(ptr) __atomic_load_n(ptr, __ATOMIC_ACQUIRE)
#define smp_store_release(ptr, value) \
	__atomic_store_n(ptr, value, __ATOMIC_RELEASE)
#define NOKPROBE_SYMBOL(function)
#define ALIGN(x, a) (((x) + (a) - 1) & ~((a) - 1))
#define BIT(n) (1ul << (n))

u64 tl_env_clock_ns(void);

static __always_inline u64 tl_shared_cmpxchg(u64 *ptr, u64 old, u64 new)
{
	__atomic_compare_exchange_n(ptr, &old, new, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_ACQUIRE);
	return old;
}

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
