/* SPDX-License-Identifier: GPL-2.0-only */
/* Work for an interrupt of this CPU: here it comes at once. */
#ifndef TL_TEST_LINUX_IRQ_WORK_H
#define TL_TEST_LINUX_IRQ_WORK_H

struct irq_work {
	void (*func)(struct irq_work *work);
};

static inline void irq_work_queue(struct irq_work *work)
{
	work->func(work);
}

#endif
