/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A search over the interleavings of a CPU's contexts.
 *
 * The contexts of a CPU are strictly stack-ordered: what interrupts a writer
 * is over before the writer goes on. So complete calls, made at the points
 * where the ring's code has touched what others see (tl_point()), are all
 * interleavings there are. The search runs an operation, counts its points,
 * and repeats it with each action at each point; then with each second action
 * at each later point, inside the first or after it; and so on.
 *
 * The reader is on another CPU and need not be nested. But a take has one
 * access at which it takes effect, the exchange or the look that finds
 * nothing; so it does what a complete take does at that point.
 */
#ifndef TL_TEST_RING_SEARCH_H
#define TL_TEST_RING_SEARCH_H

#include "ring_world.h"

#define SEARCH_DEPTH_MAX 4

/**
 * struct action - what can happen at a point, or be the outer operation
 * @name: for the report of a failure
 * @run: it
 */
struct action {
	const char *name;
	void (*run)(void);
};

/**
 * struct search_plan - what to search
 * @config: the ring
 * @states: what is done before, uninterrupted: lists up to NULL, up to NULL
 * @outers: the interrupted operations; up to NULL
 * @actions: what interrupts them; up to NULL
 * @depth: interruptions at most
 */
struct search_plan {
	struct world_config config;
	const struct action *const *const *states;
	const struct action *const *outers;
	const struct action *const *actions;
	u32 depth;
};

/**
 * struct search_count - what searches have done
 * @worlds: runs
 * @ends: the different states in which they have ended
 */
struct search_count {
	u64 worlds;
	u64 ends;
};

/*
 * Search all of @plan, in two processes, and add to @count what was done.
 * Fails the test at the first thing that is wrong.
 */
void search_all(const struct search_plan *plan, struct search_count *count);

/* A teardown: if the test has failed, tells in words which run it was. */
int search_tell(void **state);

#endif
