/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What module/core/env.h is outside the kernel: the kernel's names for types,
 * accesses and ordering, in the words of the C library and the compiler.
 */
#ifndef TL_ENV_NATIVE_H
#define TL_ENV_NATIVE_H

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
#ifndef __aligned
#define __aligned(bytes) __attribute__((aligned(bytes)))
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
