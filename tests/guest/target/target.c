// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module to be probed: its init function calls target_call(7), and reading
 * its parameter "call" calls target_call(41).
 */
#include <linux/module.h>

static noinline __noclone int target_call(int number)
{
	barrier();
	return number + 1;
}

static int target_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", target_call(41));
}

static const struct kernel_param_ops target_ops = {
	.get = target_get,
};

module_param_cb(call, &target_ops, NULL, 0444);

static int __init target_init(void)
{
	return target_call(7) < 0;
}

static void __exit target_exit(void)
{
}

module_init(target_init);
module_exit(target_exit);
MODULE_DESCRIPTION("A module to be probed by trapline's tests");
MODULE_LICENSE("GPL");
