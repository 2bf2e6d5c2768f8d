/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions that an ftrace_ops is called for. */
#ifndef TL_PROBE_FILTER_H
#define TL_PROBE_FILTER_H

#include <linux/types.h>

struct ftrace_ops;

int tl_filter_add(struct ftrace_ops *ops, unsigned long *ips, u32 count);
void tl_filter_remove(struct ftrace_ops *ops, unsigned long *ips, u32 count);
int tl_filter_clear(struct ftrace_ops *ops);

#endif
