// SPDX-License-Identifier: GPL-2.0-only
/*
 * guard SECONDS COMMAND...: runs a test, for so long at most, and ends all that
 * it leaves behind. Waits without nanosleep(), which tests probe and count.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct pollfd ended = { .events = POLLIN };
	int status;
	pid_t pid;

	if (argc < 3)
		return 2;
	pid = fork();
	if (pid < 0)
		return 125;
	if (!pid) {
		setpgid(0, 0);
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	setpgid(pid, pid);
	ended.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (poll(&ended, 1, atoi(argv[1]) * 1000) == 0) {
		kill(-pid, SIGKILL);
		waitpid(pid, &status, 0);
		return 124;
	}
	kill(-pid, SIGKILL);
	if (waitpid(pid, &status, 0) < 0)
		return 125;
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}
