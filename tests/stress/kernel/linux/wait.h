/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What module/wake.c and the poll() of a ring file use of the kernel, as far as
 * its memory accesses go: a queue of one sleeper under a lock.
 *
 * The lock is the kernel's of x86: taking it is an exchange, leaving it a plain
 * store. So the place in the queue may still be in the store buffer when the
 * sleeper looks at the ring, which is what barrier D is for.
 */
#ifndef TL_TEST_LINUX_WAIT_H
#define TL_TEST_LINUX_WAIT_H

#include <sys/epoll.h>

#include "core/env.h"

#define container_of(at, type, member) \
	((type *)((char *)(at) - offsetof(type, member)))
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)

typedef unsigned int __poll_t;

/**
 * struct wait_queue_head - a queue of at most one sleeper
 * @lock: 1 where it is held
 * @queued: the sleeper is on it
 * @triggered: it was woken
 */
typedef struct wait_queue_head {
	u32 lock;
	u32 queued __aligned(64);
	u32 triggered __aligned(64);
} wait_queue_head_t;

static inline void wait_queue_lock(wait_queue_head_t *wait)
{
	while (__atomic_exchange_n(&wait->lock, 1, __ATOMIC_ACQUIRE))
		;
}

static inline void wait_queue_unlock(wait_queue_head_t *wait)
{
	__atomic_store_n(&wait->lock, 0, __ATOMIC_RELEASE);
}

static inline bool waitqueue_active(const wait_queue_head_t *wait)
{
	return READ_ONCE(wait->queued);
}

static inline void wake_up_poll(wait_queue_head_t *wait, u32 events)
{
	(void)events;
	wait_queue_lock(wait);
	if (wait->queued)
		WRITE_ONCE(wait->triggered, 1);
	wait_queue_unlock(wait);
}

#endif
