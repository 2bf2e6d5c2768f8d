/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * What calls.ko offers at /dev/calls: functions to be probed, called as often
 * as is asked, or from all contexts of all CPUs at once. Each call has two
 * arguments: a number, and a stamp that is made from the number and the caller,
 * so that a record can be known as whole.
 */
#ifndef TESTS_GUEST_CALLS_H
#define TESTS_GUEST_CALLS_H

#include <linux/types.h>
#include <linux/ioctl.h>

/* Who calls. */
#define CALLS_TASK	0
#define CALLS_TIMER	1 /* hrtimer: a hard interrupt */
#define CALLS_SOFTIRQ	2 /* tasklet */
#define CALLS_WORK	3 /* irq_work: a hard interrupt, too */
#define CALLS_NMI	4 /* one that a CPU has sent to another */
#define CALLS_MONITOR	5 /* one from outside of the guest; CPU 0 only */
#define CALLS_CALLERS	6

#define CALLS_CPUS	8

/* The places, and what the kernel makes of a probe there. */
#define CALLS_ENTRY	0 /* start of a function: ftrace */
#define CALLS_JUMP	1 /* in a function, where a jump fits */
#define CALLS_INT3	2 /* in a function, where a jump does not fit */
#define CALLS_PLACES	3

/**
 * struct calls_places - CALLS_PLACES_GET
 * @address: of each place; the arguments are in rdi and rsi at all of them
 * @opcode: the first byte there now: what the kernel has made of a probe
 */
struct calls_places {
	__u64 address[CALLS_PLACES];
	__u32 opcode[CALLS_PLACES + 1];
};

#define CALLS_OPCODE_JUMP 0xe9
#define CALLS_OPCODE_INT3 0xcc

/**
 * struct calls_make - CALLS_MAKE: calls with the numbers of the caller
 * @first: number of the first call
 * @count: how many
 * @place: which function
 * @reserved: zero
 */
struct calls_make {
	__u64 first;
	__u64 count;
	__u32 place;
	__u32 reserved;
};

/**
 * struct calls_storm - CALLS_STORM: who calls what, from now on
 * @period_us: from one round of interrupts to the next; 0: none
 * @places: of each caller, bits 1 << CALLS_ENTRY, ...
 */
struct calls_storm {
	__u32 period_us;
	__u32 places[CALLS_CALLERS];
};

/**
 * struct calls_counts - CALLS_COUNTS_GET
 * @count: calls so far of each place that a caller calls, numbered from 1 on
 */
struct calls_counts {
	__u64 count[CALLS_CPUS][CALLS_CALLERS];
};

#define CALLS_PLACES_GET _IOR('c', 1, struct calls_places)
#define CALLS_MAKE	 _IOW('c', 2, struct calls_make)
/* argument: calls of a task's places, numbered by the CPU's own counter */
#define CALLS_TASK_RUN	 _IO('c', 3)
#define CALLS_STORM	 _IOW('c', 4, struct calls_storm)
#define CALLS_COUNTS_GET _IOR('c', 5, struct calls_counts)

static inline __u64 calls_stamp(__u64 number, __u32 caller)
{
	return number * 0x9e3779b97f4a7c15ull << 3 | caller;
}

#endif
