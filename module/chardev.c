// SPDX-License-Identifier: GPL-2.0-only
/* /dev/trapline: open is a session, ioctl a command on it, close its end. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/printk.h>

#include "arch/arch.h"
#include "chardev.h"
#include "command.h"
#include "probe.h"
#include "ring_file.h"
#include "ring_limit.h"
#include "session.h"

static int tl_open(struct inode *inode, struct file *file)
{
	enum tl_error_code code = tl_command_forbidden();

	if (code == TL_ERR_LOCKDOWN)
		pr_notice_once("kernel lockdown is at confidentiality, which forbids probes\n");
	if (code)
		return -EPERM;
	file->private_data = tl_session_create();
	return file->private_data ? nonseekable_open(inode, file) : -ENOMEM;
}

static int tl_release(struct inode *inode, struct file *file)
{
	tl_session_end(file->private_data);
	return 0;
}

static int tl_run_query(struct tl_call *call)
{
	call->command.query = (struct tl_query){
		.size = call->command.query.size,
		.abi_major = TL_ABI_MAJOR,
		.abi_minor = TL_ABI_MINOR,
		.format = TL_FORMAT,
		.arch = TL_ARCH_ELF_MACHINE,
		.features = TL_FEATURE_OVERWRITE | TL_FEATURE_FILTER |
			    TL_FEATURE_SYMBOL | TL_FEATURE_RESULTS,
		.backends = tl_probe_backends(),
		.insns_max = TL_PROG_INSNS_MAX,
		.args_max = TL_ARGS_MAX,
		.record_bytes_max = TL_RECORD_BYTES_MAX,
		.string_bytes_max = TL_STRING_BYTES_MAX,
		.events_max = TL_EVENTS_MAX,
		.places_max = 1,
		.maxactive_max = TL_MAXACTIVE_MAX,
		.regs_bytes = sizeof(struct pt_regs),
		.packet_bytes_min = max_t(u32, PAGE_SIZE,
					  1u << TL_PACKET_SHIFT_MIN),
		.packet_bytes_max = 1u << TL_PACKET_SHIFT_MAX,
		.packet_count_min = 1u << TL_COUNT_SHIFT_MIN,
		.packet_count_max = 1u << TL_COUNT_SHIFT_MAX,
		.cpu_count = nr_cpu_ids,
		.task_tid_offset = offsetof(struct task_struct, pid),
		.ring_bytes_max = tl_ring_limit_bytes(),
		.session_bytes_max = tl_ring_limit_session_bytes(),
	};
	return 0;
}

static int tl_run_locked(struct tl_session *session, struct tl_call *call)
{
	union tl_command *command = &call->command;

	switch (call->number) {
	case _IOC_NR(TL_SESSION_SETUP):
		return tl_session_setup(session, &command->setup);
	case _IOC_NR(TL_EVENT_ADD):
		return tl_session_event_add(session, &command->event_add);
	case _IOC_NR(TL_EVENT_CTL):
		return tl_session_event_ctl(session, &command->event_ctl);
	case _IOC_NR(TL_SESSION_CTL):
		return tl_session_ctl(session, &command->session_ctl);
	case _IOC_NR(TL_RING_OPEN):
		return tl_ring_file_open(session, call);
	case _IOC_NR(TL_STATS):
		return tl_session_stats(session, &command->stats);
	}
	return -ENOTTY;
}

/* The other commands are the session's, one at a time. */
static int tl_run_session(struct tl_call *call)
{
	struct tl_session *session = call->file->private_data;
	int err;

	if (mutex_lock_killable(&session->lock))
		return -EINTR;
	err = tl_run_locked(session, call);
	mutex_unlock(&session->lock);
	return err;
}

static const struct tl_command_ops tl_commands[] = {
	{
		.number = _IOC_NR(TL_QUERY),
		.bytes = sizeof(struct tl_query),
		.bytes_min = sizeof(struct tl_query),
		.run = tl_run_query,
	},
	{
		.number = _IOC_NR(TL_SESSION_SETUP),
		.bytes = sizeof(struct tl_session_setup),
		.bytes_min = sizeof(struct tl_session_setup),
		.error_at = offsetof(struct tl_session_setup, error),
		.is_privileged = true,
		.run = tl_run_session,
	},
	{
		.number = _IOC_NR(TL_EVENT_ADD),
		.bytes = sizeof(struct tl_event_add),
		.bytes_min = sizeof(struct tl_event_add),
		.error_at = offsetof(struct tl_event_add, error),
		.is_privileged = true,
		.run = tl_run_session,
	},
	{
		.number = _IOC_NR(TL_EVENT_CTL),
		.bytes = sizeof(struct tl_event_ctl),
		.bytes_min = sizeof(struct tl_event_ctl),
		.error_at = offsetof(struct tl_event_ctl, error),
		.is_privileged = true,
		.run = tl_run_session,
	},
	{
		.number = _IOC_NR(TL_SESSION_CTL),
		.bytes = sizeof(struct tl_session_ctl),
		.bytes_min = sizeof(struct tl_session_ctl),
		.error_at = offsetof(struct tl_session_ctl, error),
		/* stopping must always be possible; start asks by itself */
		.run = tl_run_session,
	},
	{
		.number = _IOC_NR(TL_RING_OPEN),
		.bytes = sizeof(struct tl_ring_open),
		.bytes_min = sizeof(struct tl_ring_open),
		.error_at = offsetof(struct tl_ring_open, error),
		.is_privileged = true,
		.run = tl_run_session,
	},
	{
		.number = _IOC_NR(TL_STATS),
		.bytes = sizeof(struct tl_stats),
		.bytes_min = sizeof(struct tl_stats),
		.error_at = offsetof(struct tl_stats, error),
		.run = tl_run_session,
	},
	{}
};

static long tl_ioctl(struct file *file, unsigned int number, unsigned long arg)
{
	return tl_command_run(tl_commands, file, number, arg);
}

static const struct file_operations tl_file_ops = {
	.owner = THIS_MODULE,
	.open = tl_open,
	.release = tl_release,
	.unlocked_ioctl = tl_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice tl_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = TL_DEVICE_NAME,
	.fops = &tl_file_ops,
	.mode = 0600,
};

/** tl_chardev_init() - make /dev/trapline; last step of loading */
int tl_chardev_init(void)
{
	return misc_register(&tl_device);
}

/** tl_chardev_exit() - remove /dev/trapline; no file of it is open */
void tl_chardev_exit(void)
{
	misc_deregister(&tl_device);
}
