/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KUnit and what else tests use, as newer kernels have it. What a kernel has is
 * found by compiling the files of probes/ (see Kbuild), or is a macro.
 */
#ifndef TL_KUNIT_COMPAT_H
#define TL_KUNIT_COMPAT_H

#include <kunit/resource.h>
#include <kunit/test.h>
#include <linux/hrtimer.h>
#include <linux/sched.h>

#include <asm/apic.h>

#ifndef KUNIT_CASE_SLOW
#define KUNIT_CASE_SLOW(name) KUNIT_CASE(name)
#endif

#ifndef KUNIT_EXPECT_MEMEQ
#define KUNIT_EXPECT_MEMEQ(test, left, right, size) \
	KUNIT_EXPECT_EQ(test, 0, memcmp(left, right, size))
#define KUNIT_ASSERT_MEMEQ(test, left, right, size) \
	KUNIT_ASSERT_EQ(test, 0, memcmp(left, right, size))
#endif

#ifndef TL_KUNIT_HAS_ACTION
typedef void kunit_action_t(void *ctx);

int kunit_add_action_or_reset(struct kunit *test, kunit_action_t *fn, void *ctx);
void kunit_release_action(struct kunit *test, kunit_action_t *fn, void *ctx);
#endif

static inline int tl_suites_run(struct kunit_suite **suites, int count)
{
#ifdef TL_KUNIT_HAS_SUITES_RUN
	return __kunit_test_suites_init(suites, count, true);
#else
	return __kunit_test_suites_init(suites, count);
#endif
}

static inline void tl_hrtimer_setup(struct hrtimer *timer,
				    enum hrtimer_restart (*fn)(struct hrtimer *timer),
				    enum hrtimer_mode mode)
{
#ifdef TL_KUNIT_HAS_HRTIMER_SETUP
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = fn;
#endif
}

static inline void tl_apic_send(int cpu, int vector)
{
#ifdef TL_KUNIT_HAS_APIC_SEND
	__apic_send_IPI_mask(cpumask_of(cpu), vector);
#else
	apic->send_IPI_mask(cpumask_of(cpu), vector);
#endif
}

/* How many allocations from now the one is that fails; 0: none. */
static inline u32 tl_fail_nth(void)
{
#ifdef CONFIG_FAULT_INJECTION
	return READ_ONCE(current->fail_nth);
#else
	return 0;
#endif
}

static inline void tl_fail_nth_set(u32 n)
{
#ifdef CONFIG_FAULT_INJECTION
	WRITE_ONCE(current->fail_nth, n);
#endif
}

#endif
