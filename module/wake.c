// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waking the reader, from any context.
 *
 * A packet may be delivered in an NMI, where no lock can be taken: an irq_work
 * wakes instead. It costs something only where somebody sleeps:
 *
 *	writer					sleeper (poll, read)
 *
 *	slot = FULL				queue itself on wait
 *	C. smp_mb()				D. smp_mb()
 *	is anybody on wait?			is the ring readable?
 *	   then irq_work_queue()		   then do not sleep
 *
 * Store, then load of what the other one stores: only a full barrier on both
 * sides excludes that both see the old value and the reader sleeps over a full
 * packet. C pairs with D, once per packet and not per record.
 */
#include <linux/kprobes.h>
#include <linux/poll.h>

#include "ring_cpu.h"
#include "wake.h"

/**
 * tl_wake_work() - wake whoever waits for a ring
 * @work: the ring's
 *
 * The lock of a wait queue may sleep with PREEMPT_RT. There an irq_work runs in
 * a thread, unless it is made "hard": this one must not be.
 */
void tl_wake_work(struct irq_work *work)
{
	struct tl_ring_cpu *rc = container_of(work, struct tl_ring_cpu, wake);

	wake_up_poll(&rc->wait, EPOLLIN | EPOLLRDNORM);
}

/**
 * tl_ring_delivered() - a packet can be read; called by core/ring.c
 * @ring: whose
 */
void tl_ring_delivered(struct tl_ring *ring)
{
	struct tl_ring_cpu *rc = container_of(ring, struct tl_ring_cpu, ring);

	smp_mb(); /* C, see above */
	if (waitqueue_active(&rc->wait) && tl_ring_cpu_readable(rc, false))
		irq_work_queue(&rc->wake);
}

NOKPROBE_SYMBOL(tl_ring_delivered);
