// SPDX-License-Identifier: GPL-2.0-only
/* A module to be probed: reading its parameter "call" calls target_call(). */
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
MODULE_DESCRIPTION("A module to be probed by trapline's tests");
MODULE_LICENSE("GPL");
