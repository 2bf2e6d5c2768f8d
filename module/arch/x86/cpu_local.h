/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU-local atomics of x86-64: one unlocked instruction each. */
#ifndef TL_ARCH_X86_CPU_LOCAL_H
#define TL_ARCH_X86_CPU_LOCAL_H

/**
 * tl_cpu_try_cmpxchg() - replace a value if it is still the expected one
 * @ptr: the value
 * @old: in: what is expected; out, on failure: what was found
 * @new: what to store
 */
static __always_inline bool tl_cpu_try_cmpxchg(u64 *ptr, u64 *old, u64 new)
{
	bool done;

	asm volatile("cmpxchgq %[new], %[ptr]"
		     : "=@ccz"(done), [ptr] "+m"(*ptr), "+a"(*old)
		     : [new] "r"(new)
		     : "memory");
	return done;
}

/**
 * tl_cpu_add_return() - add, and tell the sum
 * @ptr: the value
 * @n: what to add
 */
static __always_inline u64 tl_cpu_add_return(u64 *ptr, u64 n)
{
	u64 old = n;

	asm volatile("xaddq %[old], %[ptr]"
		     : [old] "+r"(old), [ptr] "+m"(*ptr)
		     :
		     : "memory");
	return old + n;
}

#endif
