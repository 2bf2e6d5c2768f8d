/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TRAPLINE_CLOCK_H
#define TRAPLINE_CLOCK_H

#include <stdint.h>
#include <time.h>

/** clock_now_ns() - the time of a clock in nanoseconds */
static inline uint64_t clock_now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) +
	       (uint64_t)now.tv_nsec;
}

#endif
