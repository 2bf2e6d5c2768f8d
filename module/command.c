// SPDX-License-Identifier: GPL-2.0-only
/* Commands: copy in, check what all have in common, run, copy out. */
#include <linux/capability.h>
#include <linux/file.h>
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

	if (size < ops->bytes_min)
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

static int tl_command_do(const struct tl_command_ops *ops, struct tl_call *call)
{
	call->error = &call->no_error;
	if (ops->error_at) {
		call->error = (struct tl_error *)((u8 *)&call->command +
						  ops->error_at);
		*call->error = call->no_error;
	}
	if (ops->is_privileged)
		call->error->code = tl_command_forbidden();
	if (call->error->code)
		return -EPERM;
	if (call->command.flags) {
		call->error->code = TL_ERR_FLAGS;
		return -EINVAL;
	}
	return ops->run(call);
}

/* Nobody knows a file whose number could not be told: it must not stay open. */
static void tl_command_opened(struct tl_call *call, bool is_told)
{
	if (!call->opened)
		return;
	if (is_told) {
		fd_install(call->opened_fd, call->opened);
	} else {
		put_unused_fd(call->opened_fd);
		fput(call->opened);
	}
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
	struct tl_call call = { .file = file };
	bool is_told;
	u32 size;
	int err;

	if (!ops)
		return -ENOTTY;
	call.number = ops->number;
	if (get_user(size, (const u32 __user *)uarg))
		return -EFAULT;
	err = tl_command_copy_in(ops, &call.command, size, uarg);
	if (err == -E2BIG && put_user(ops->bytes, (u32 __user *)uarg))
		return -EFAULT;
	if (err)
		return err;
	err = tl_command_do(ops, &call);
	is_told = !copy_to_user(uarg, &call.command, min(size, ops->bytes));
	tl_command_opened(&call, is_told);
	return is_told ? err : -EFAULT;
}
