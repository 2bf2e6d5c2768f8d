/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TL_TEST_LINUX_POLL_H
#define TL_TEST_LINUX_POLL_H

#include <linux/wait.h>

struct file {
	void *private_data;
};

typedef struct poll_table {
	int unused;
} poll_table;

static inline void poll_wait(struct file *file, wait_queue_head_t *wait,
			     poll_table *table)
{
	(void)file;
	(void)table;
	wait_queue_lock(wait);
	WRITE_ONCE(wait->queued, 1);
	wait_queue_unlock(wait);
}

#endif
