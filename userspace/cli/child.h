/* SPDX-License-Identifier: GPL-2.0-only */
/* The command that is run while it is traced. */
#ifndef TRAPLINE_CHILD_H
#define TRAPLINE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct child - a process that waits for its start
 * @pid: 0: there is none
 * @go_fd: a byte into it starts the command, closing it ends the process
 * @error_fd: tells the errno of exec, or end of file when it succeeded
 * @ended: @status is known
 * @status: as from waitpid()
 */
struct child {
	pid_t pid;
	int go_fd;
	int error_fd;
	bool ended;
	int status;
};

/** child_fork() - make the process; it waits. Returns 0 or a negative errno */
int child_fork(struct child *child, char **argv);

/**
 * child_start() - let it execute the command
 *
 * Returns 0 once the command runs, or the negative errno of exec; the process
 * is then gone.
 */
int child_start(struct child *child);

/** child_poll() - has it ended? */
bool child_poll(struct child *child);
/** child_cancel() - end a process that was not started */
void child_cancel(struct child *child);

#endif
