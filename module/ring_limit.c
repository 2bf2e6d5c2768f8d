// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of rings, counted: a session takes what all its rings need before
 * any of it is allocated, and gives it back when the last file of it is closed.
 */
#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "ring_limit.h"

static unsigned int ring_mib_max;
module_param(ring_mib_max, uint, 0400);
MODULE_PARM_DESC(ring_mib_max,
		 "Most memory that the rings of all sessions may take, in MiB (default: a quarter of the memory)");

static unsigned int session_mib_max;
module_param(session_mib_max, uint, 0400);
MODULE_PARM_DESC(session_mib_max,
		 "Most memory that the rings of one session may take, in MiB (default: as ring_mib_max)");

static u64 tl_ring_pages_max;
static u64 tl_session_pages_max;
static atomic64_t tl_ring_pages = ATOMIC64_INIT(0);

static u64 tl_mib_to_pages(unsigned int mib)
{
	return (u64)mib << (20 - PAGE_SHIFT);
}

/**
 * tl_ring_limit_init() - read the parameters
 */
void tl_ring_limit_init(void)
{
	tl_ring_pages_max = ring_mib_max ? tl_mib_to_pages(ring_mib_max) :
					   totalram_pages() / 4;
	tl_session_pages_max = tl_ring_pages_max;
	if (session_mib_max)
		tl_session_pages_max = min(tl_mib_to_pages(session_mib_max),
					   tl_ring_pages_max);
}

/**
 * tl_ring_limit_take() - take memory for the rings of one session
 * @pages: for all of them
 *
 * Returns false, with nothing taken, where that is over a limit.
 */
bool tl_ring_limit_take(u64 pages)
{
	if (pages > tl_session_pages_max)
		return false;
	/* too much for a moment at most: both of two that race may fail */
	if (atomic64_add_return((s64)pages, &tl_ring_pages) <=
	    (s64)tl_ring_pages_max)
		return true;
	tl_ring_limit_give(pages);
	return false;
}

/**
 * tl_ring_limit_give() - give back what a session has taken
 * @pages: as taken
 */
void tl_ring_limit_give(u64 pages)
{
	atomic64_sub((s64)pages, &tl_ring_pages);
}

/** tl_ring_limit_session_bytes() - the limit of one session */
u64 tl_ring_limit_session_bytes(void)
{
	return tl_session_pages_max << PAGE_SHIFT;
}

/** tl_ring_limit_bytes() - the limit of all sessions together */
u64 tl_ring_limit_bytes(void)
{
	return tl_ring_pages_max << PAGE_SHIFT;
}
