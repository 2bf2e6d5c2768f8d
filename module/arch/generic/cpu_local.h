/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU-local atomics for machines whose cheapest atomic is a shared one: relaxed,
 * since the contexts of one CPU see its own accesses in program order.
 */
#ifndef TL_ARCH_GENERIC_CPU_LOCAL_H
#define TL_ARCH_GENERIC_CPU_LOCAL_H

#ifdef __KERNEL__

static __always_inline bool tl_cpu_try_cmpxchg(u64 *ptr, u64 *old, u64 new)
{
	u64 found;
	bool done;

	barrier(); /* relaxed does not hold back plain stores by itself */
	found = cmpxchg_relaxed(ptr, *old, new);
	barrier();
	done = found == *old;
	*old = found;
	return done;
}

static __always_inline u64 tl_cpu_add_return(u64 *ptr, u64 n)
{
	u64 old = READ_ONCE(*ptr);

	while (!tl_cpu_try_cmpxchg(ptr, &old, old + n))
		;
	return old + n;
}

#else

static __always_inline bool tl_cpu_try_cmpxchg(u64 *ptr, u64 *old, u64 new)
{
	bool done;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	done = __atomic_compare_exchange_n(ptr, old, new, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return done;
}

static __always_inline u64 tl_cpu_add_return(u64 *ptr, u64 n)
{
	u64 sum;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	sum = __atomic_add_fetch(ptr, n, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return sum;
}

#endif
#endif
