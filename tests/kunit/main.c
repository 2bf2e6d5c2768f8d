// SPDX-License-Identifier: GPL-2.0-only
/*
 * trapline_kunit: the engine's objects, and KUnit suites in place of a device.
 *
 * The suites are run from here and not by KUnit's own hook for modules: older
 * kernels call that before the parameters are parsed and before this function.
 */
#include <linux/init.h>
#include <linux/module.h>

#include "context.h"
#include "probe.h"
#include "ring_limit.h"
#include "suites.h"
#include "user.h"

static unsigned int rounds = 1;
module_param(rounds, uint, 0400);
MODULE_PARM_DESC(rounds, "Repeat what is repeated that many times as often");

static struct kunit_suite *tl_suites[] = {
	&tl_ring_suite, &tl_wake_suite, &tl_prog_suite, &tl_filter_suite,
	&tl_memory_suite, &tl_stack_suite,
	&tl_hit_suite, &tl_nest_suite, &tl_storm_suite, &tl_recursion_suite,
	&tl_place_suite, &tl_event_suite, &tl_probe_suite, &tl_tracepoint_suite, &tl_session_suite,
	&tl_fail_suite,
};

u32 tl_rounds(u32 few)
{
	return few * rounds;
}

static int __init tl_kunit_init(void)
{
	int err;

	tl_ring_limit_init();
	err = tl_context_init();
	if (err)
		return err;
	err = tl_tracepoint_init();
	if (err)
		goto fail_context;
	err = tl_function_init();
	if (err)
		goto fail_tracepoint;
	tl_user_begin();
	err = tl_suites_run(tl_suites, ARRAY_SIZE(tl_suites));
	if (!err)
		return 0;
	tl_function_exit();
fail_tracepoint:
	tl_tracepoint_exit();
fail_context:
	tl_context_exit();
	return err;
}

static void __exit tl_kunit_exit(void)
{
	__kunit_test_suites_exit(tl_suites, ARRAY_SIZE(tl_suites));
	tl_function_exit();
	tl_tracepoint_exit();
	tl_context_exit();
}

module_init(tl_kunit_init);
module_exit(tl_kunit_exit);
MODULE_DESCRIPTION("KUnit suites of trapline's engine");
MODULE_LICENSE("GPL");
