// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions that an ftrace_ops is called for, by where ftrace calls from. The
 * kernel changes the code of all of them, registered ops or not, at once.
 */
#include <linux/ftrace.h>

#include "probe_filter.h"

/**
 * tl_filter_add() - put functions into the filter
 * @ops: of the filter
 * @ips: where ftrace calls from
 * @count: of them; not 0
 *
 * Returns 0 or a negative errno, with nothing changed: -EINVAL if one of them is
 * not there.
 */
int tl_filter_add(struct ftrace_ops *ops, unsigned long *ips, u32 count)
{
	return ftrace_set_filter_ips(ops, ips, count, 0, 0);
}

/**
 * tl_filter_remove() - take functions out of the filter
 * @ops: of the filter
 * @ips: where ftrace calls from
 * @count: of them, or 0
 *
 * One that is there twice, as two sessions leave, fails the whole. What cannot be
 * removed, without memory, stays, and its calls find no place.
 */
void tl_filter_remove(struct ftrace_ops *ops, unsigned long *ips, u32 count)
{
	if (!count || !ftrace_set_filter_ips(ops, ips, count, 1, 0))
		return;
	while (count--)
		ftrace_set_filter_ips(ops, &ips[count], 1, 1, 0);
}

/**
 * tl_filter_clear() - forget all functions of the filter
 * @ops: of the filter, not registered: without one they would trace all functions
 *
 * Not by ftrace_free_filter(): older kernels go on with what it has freed. Returns 0
 * or a negative errno.
 */
int tl_filter_clear(struct ftrace_ops *ops)
{
	return ftrace_set_filter(ops, NULL, 0, 1);
}
