// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command that is run while it is traced: it is forked early and waits on
 * a pipe, so that nothing but the exec lies between start and command.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"

/* In the new process: waits, executes, tells why it could not. */
static void run_child(int go_fd, int error_fd, char **argv)
{
	ssize_t count;
	char byte;
	int error;

	do {
		count = read(go_fd, &byte, 1);
	} while (count < 0 && errno == EINTR);
	if (count != 1)
		_exit(EXIT_FAILURE); /* called off, or the parent has died */
	execvp(argv[0], argv);
	error = errno;
	count = write(error_fd, &error, sizeof(error));
	_exit(count == sizeof(error) ? 127 : 126);
}

int child_fork(struct child *child, char **argv)
{
	int go[2], error[2], rc;

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(error, O_CLOEXEC)) {
		rc = -errno;
		goto close_go;
	}
	child->pid = fork();
	if (child->pid < 0) {
		rc = -errno;
		child->pid = 0;
		goto close_error;
	}
	if (!child->pid) {
		close(go[1]);
		close(error[0]);
		run_child(go[0], error[1], argv);
	}
	close(go[0]);
	close(error[1]);
	child->go_fd = go[1];
	child->error_fd = error[0];
	child->ended = false;
	return 0;

close_error:
	close(error[0]);
	close(error[1]);
close_go:
	close(go[0]);
	close(go[1]);
	return rc;
}

static void reap(struct child *child)
{
	while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
		;
	child->ended = true;
}

int child_start(struct child *child)
{
	ssize_t count;
	int error = 0;

	do {
		count = write(child->go_fd, "", 1);
	} while (count < 0 && errno == EINTR);
	close(child->go_fd);
	do {
		count = read(child->error_fd, &error, sizeof(error));
	} while (count < 0 && errno == EINTR);
	close(child->error_fd);
	if (count != sizeof(error))
		return 0;
	reap(child);
	return -error;
}

bool child_poll(struct child *child)
{
	if (!child->pid || child->ended)
		return child->ended;
	if (waitpid(child->pid, &child->status, WNOHANG) == child->pid)
		child->ended = true;
	return child->ended;
}

void child_cancel(struct child *child)
{
	if (!child->pid || child->ended)
		return;
	close(child->go_fd);
	close(child->error_fd);
	reap(child);
}
