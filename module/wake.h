/* SPDX-License-Identifier: GPL-2.0-only */
/* Waking the reader. */
#ifndef TL_WAKE_H
#define TL_WAKE_H

#include <linux/irq_work.h>

void tl_wake_work(struct irq_work *work);

#endif
