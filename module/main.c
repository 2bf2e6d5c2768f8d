// SPDX-License-Identifier: GPL-2.0-only
/*
 * trapline: a tracing engine in a module. Loading and unloading.
 *
 * Unloading needs no code of its own for what is in use: each session and each
 * ring is an open file, and an open file holds the module.
 */
#include <linux/init.h>
#include <linux/module.h>

#include "chardev.h"
#include "context.h"
#include "place_module.h"
#include "probe.h"
#include "ring_limit.h"

static int __init tl_init(void)
{
	int err;

	tl_ring_limit_init();
	err = tl_context_init();
	if (err)
		return err;
	err = tl_place_module_init();
	if (err)
		goto fail_context;
	err = tl_tracepoint_init();
	if (err)
		goto fail_place;
	err = tl_function_init();
	if (err)
		goto fail_tracepoint;
	err = tl_chardev_init();
	if (!err)
		return 0;
	tl_function_exit();
fail_tracepoint:
	tl_tracepoint_exit();
fail_place:
	tl_place_module_exit();
fail_context:
	tl_context_exit();
	return err;
}

static void __exit tl_exit(void)
{
	tl_chardev_exit();
	tl_function_exit();
	tl_tracepoint_exit();
	tl_place_module_exit();
	tl_context_exit();
}

module_init(tl_init);
module_exit(tl_exit);
MODULE_DESCRIPTION("Tracing engine: kprobes, kretprobes, ftrace and tracepoints into mapped per-CPU packet rings");
MODULE_LICENSE("GPL");
MODULE_VERSION("1.0");
