// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with tracepoints, which it passes once for each reading of its
 * parameter "pass". Its numbers go up by one with each.
 */
#include <linux/module.h>
#include <linux/string.h>

/* What a tracepoint hands over, and a probe goes into. */
struct traced_thing {
	int number;
	const char *name;
};

#define CREATE_TRACE_POINTS
#include "traced.h"

static int traced_number;

static int traced_get(char *buffer, const struct kernel_param *kp)
{
	struct traced_thing thing = { .number = -1, .name = "a thing" };
	int n = ++traced_number;

	thing.number = -n;
	trace_traced_few(n, &thing);
	trace_traced_many(200 + n, -300 - n, -70000 - n, -5000000000 - n, "e",
			  1ull << 63 | n, n & 1, 'g' + n, 4000000000u + n,
			  -6000000000 - n, &thing, 65000 + n);
	return sysfs_emit(buffer, "%d\n", n);
}

static const struct kernel_param_ops traced_ops = {
	.get = traced_get,
};

module_param_cb(pass, &traced_ops, NULL, 0444);
MODULE_DESCRIPTION("A module whose tracepoints are probed by trapline's tests");
MODULE_LICENSE("GPL");
