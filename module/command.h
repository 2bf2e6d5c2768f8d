/* SPDX-License-Identifier: GPL-2.0-only */
/* How a command's struct comes in and goes out, the same for all of them. */
#ifndef TL_COMMAND_H
#define TL_COMMAND_H

#include <linux/fs.h>

#include "trapline.h"

/**
 * union tl_command - the struct of any command
 */
union tl_command {
	struct {
		u32 size;
		u32 flags;
	};
	struct tl_query query;
	struct tl_session_setup setup;
	struct tl_event_add event_add;
	struct tl_event_ctl event_ctl;
	struct tl_session_ctl session_ctl;
	struct tl_ring_open ring_open;
	struct tl_ring_get ring_get;
	struct tl_stats stats;
};

/**
 * struct tl_call - one call of a command
 * @file: on which file
 * @number: _IOC_NR() of the command
 * @command: its struct
 * @error: in @command, or @no_error if that has none
 * @no_error: where what is not told goes
 * @opened: a new file, to be known as @opened_fd once the caller was told so
 * @opened_fd: reserved for it
 */
struct tl_call {
	struct file *file;
	u32 number;
	union tl_command command;
	struct tl_error *error;
	struct tl_error no_error;
	struct file *opened;
	int opened_fd;
};

/**
 * struct tl_command_ops - a command
 * @number: _IOC_NR() of it
 * @bytes: size of its struct
 * @bytes_min: size that the struct had in version 1.0
 * @error_at: offset of its struct tl_error; 0: it has none
 * @is_privileged: needs the right to trace at the time of the call
 * @run: does it; 0 or a negative errno, and the struct to be written back
 */
struct tl_command_ops {
	u32 number;
	u32 bytes;
	u32 bytes_min;
	u32 error_at;
	bool is_privileged;
	int (*run)(struct tl_call *call);
};

long tl_command_run(const struct tl_command_ops *table, struct file *file,
		    unsigned int number, unsigned long arg);
enum tl_error_code tl_command_forbidden(void);

#endif
