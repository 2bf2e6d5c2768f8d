/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own events, of perf: what others see of what we trace. */
#ifndef TESTS_GUEST_TL_PERF_H
#define TESTS_GUEST_TL_PERF_H

#include "tl.h"

/**
 * perf_open() - a counter of an event, in this thread
 * @event: "SUBSYSTEM/NAME"
 * @filter: what it lets through
 */
int perf_open(const char *event, const char *filter);
uint64_t perf_count(int fd);

/** perf_open_ring() - the same with a record of each, in a ring; one at a time */
int perf_open_ring(const char *event, const char *filter);
/** perf_ring_records() - how many there are; none is lost, or the test ends */
uint64_t perf_ring_records(int fd);
void perf_close_ring(int fd);

#endif
