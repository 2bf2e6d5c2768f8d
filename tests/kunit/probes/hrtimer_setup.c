// SPDX-License-Identifier: GPL-2.0-only
/* Linux 6.13: hrtimer_setup() instead of hrtimer_init() and an assignment. */
#include <linux/hrtimer.h>

void tl_probe(struct hrtimer *timer,
	      enum hrtimer_restart (*fn)(struct hrtimer *timer));
void tl_probe(struct hrtimer *timer,
	      enum hrtimer_restart (*fn)(struct hrtimer *timer))
{
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
}
