// SPDX-License-Identifier: GPL-2.0-only
/* Commands: copy in, check what all have in common, run, copy out. */
#include <linux/capability.h>
#include <linux/security.h>
#include <linux/uaccess.h>

#include "command.h"

/**
 * tl_command_forbidden() - may the current task trace the kernel?
 *
 * Nothing below asks: register_kprobe() checks neither capabilities nor
 * lockdown. Returns TL_ERR_NONE if it may.
 */
enum tl_error_code tl_command_forbidden(void)
{
	if (!perfmon_capable())
		return TL_ERR_PRIVILEGE;
	if (security_locked_down(LOCKDOWN_KPROBES))
		return TL_ERR_LOCKDOWN;
	return TL_ERR_NONE;
}

static const struct tl_command_ops *
tl_command_find(const struct tl_command_ops *ops, unsigned int number)
{
	if (_IOC_TYPE(number) != TL_IOC_MAGIC)
		return NULL;
	for (; ops->run; ops++)
		if (ops->number == _IOC_NR(number))
			return ops;
	return NULL;
}

static int tl_command_copy_in(const struct tl_command_ops *ops,
			      union tl_command *command, u32 size,
			      void __user *arg)
{
	int err;

	if (size < offsetofend(union tl_command, flags))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(command, ops->bytes, arg, size);
	if (err)
		return err;
	/* the caller may have changed it meanwhile: the first one counts */
	command->size = size;
	return 0;
}

/**
 * tl_command_run() - run one ioctl
 * @table: the file's commands
 * @file: the file
 * @number: of the ioctl; what it encodes of a size is not looked at
 * @arg: address of the struct
 *
 * The struct is written back whether the command succeeds or not.
 */
long tl_command_run(const struct tl_command_ops *table, struct file *file,
		    unsigned int number, unsigned long arg)
{
	const struct tl_command_ops *ops = tl_command_find(table, number);
	void __user *uarg = (void __user *)arg;
	struct tl_error no_error = {};
	union tl_command command = {};
	struct tl_error *error;
	u32 size;
	int err;

	if (!ops)
		return -ENOTTY;
	if (get_user(size, (const u32 __user *)uarg))
		return -EFAULT;
	err = tl_command_copy_in(ops, &command, size, uarg);
	if (err == -E2BIG && put_user(ops->bytes, (u32 __user *)uarg))
		return -EFAULT;
	if (err)
		return err;

	error = &no_error;
	if (ops->error_at) {
		error = (struct tl_error *)((u8 *)&command + ops->error_at);
		*error = no_error;
	}
	if (ops->is_privileged)
		error->code = tl_command_forbidden();
	if (error->code) {
		err = -EPERM;
	} else if (command.flags) {
		error->code = TL_ERR_FLAGS;
		err = -EINVAL;
	} else {
		err = ops->run(file, ops->number, &command, error);
	}
	if (copy_to_user(uarg, &command, min(size, ops->bytes)))
		return -EFAULT;
	return err;
}
