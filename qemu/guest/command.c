// SPDX-License-Identifier: GPL-2.0-only
/* PID 1 of a test guest: the command and what it prints. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "guest.h"

/* /guest/argv as an argument vector. */
char **read_argv(void)
{
	size_t len = 0, pos, n = 0;
	char *text = read_file("/guest/argv", &len);
	char **argv;

	if (!text || !len)
		return NULL;
	argv = calloc(len + 1, sizeof(*argv));
	if (!argv)
		return NULL;
	for (pos = 0; pos < len; pos += strlen(text + pos) + 1)
		argv[n++] = text + pos;
	return argv;
}

/* The console as a terminal that a shell can use, with the host's size. */
static void take_terminal(const char *settings)
{
	struct winsize size = { 0 };
	struct termios tio;
	char term[64] = "vt100";
	int fd = open("/dev/ttyS0", O_RDWR);

	if (fd < 0)
		return;
	sscanf(settings, "%63s %hu %hu", term, &size.ws_row, &size.ws_col);
	setenv("TERM", term, 1);
	setsid();
	ioctl(fd, TIOCSCTTY, 1);
	if (size.ws_row && size.ws_col)
		ioctl(fd, TIOCSWINSZ, &size);
	if (!tcgetattr(fd, &tio)) {
		tio.c_iflag |= ICRNL | IXON;
		tio.c_oflag &= ~ONLCR;	/* the host's terminal does it */
		tio.c_lflag |= ISIG | ICANON | ECHO | ECHOE | ECHOK | IEXTEN;
		tcsetattr(fd, TCSANOW, &tio);
	}
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static void take_pipes(void)
{
	int null = open("/dev/null", O_RDONLY);

	setsid();
	dup2(null, STDIN_FILENO);
	dup2(pumps[0].child, STDOUT_FILENO);
	dup2(pumps[1].child, STDERR_FILENO);
	if (null > STDERR_FILENO)
		close(null);
}

/* In the child: become the command.  127 and 126 are what a shell would say. */
static void __attribute__((noreturn)) become(char **argv, const char *terminal)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (terminal)
		take_terminal(terminal);
	else
		take_pipes();
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Pass on one read; false at the end of the pipe. */
static bool pump_once(struct pump *p)
{
	static char buf[65536];
	ssize_t n = read(p->from, buf, sizeof(buf));

	if (n < 0)
		return errno == EINTR;
	if (n == 0)
		return false;
	if (write_all(p->to, buf, n)) {
		trouble(p->port);
		return false;
	}
	p->bytes += n;
	return true;
}

/*
 * Pass on what is in the pipe now.  An orphan of the command may go on writing
 * for ever, so this does not try to see the pipe empty.
 */
static void pump_rest(struct pump *p)
{
	uint64_t end;
	int left = 0;

	if (p->from < 0 || ioctl(p->from, FIONREAD, &left))
		return;
	end = p->bytes + left;
	while (p->bytes < end && pump_once(p))
		;
}

static void close_pump(struct pump *p)
{
	close(p->from);
	p->from = -1;
}

/*
 * PID 1 inherits every orphan, so reap all; true when @child is among them.
 */
static bool reap(pid_t child, int *status)
{
	bool ended = false;
	pid_t pid;
	int st;

	while ((pid = waitpid(-1, &st, WNOHANG)) > 0) {
		if (pid == child) {
			*status = st;
			ended = true;
		}
	}
	return ended;
}

/*
 * Relay until the command itself ends.  Its orphans may hold the pipes open,
 * so the end of the pipes is not waited for: what is in them by then is.
 */
static int relay(pid_t child, int sigfd)
{
	struct signalfd_siginfo info;
	struct pollfd fds[4];
	int status = 0;
	size_t i;

	for (;;) {
		fds[0] = (struct pollfd){ .fd = pumps[0].from, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = pumps[1].from, .events = POLLIN };
		fds[2] = (struct pollfd){ .fd = kmsg, .events = POLLIN };
		fds[3] = (struct pollfd){ .fd = sigfd, .events = POLLIN };
		if (poll(fds, 4, -1) < 0)
			continue;
		for (i = 0; i < 2; i++)
			if (fds[i].revents && !pump_once(&pumps[i]))
				close_pump(&pumps[i]);
		if (fds[2].revents)
			read_log();
		if (fds[3].revents && read(sigfd, &info, sizeof(info)) > 0 &&
		    reap(child, &status))
			break;
	}
	for (i = 0; i < 2; i++)
		pump_rest(&pumps[i]);
	return status;
}

static int exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool open_pipes(void)
{
	int fd[2];
	size_t i;

	for (i = 0; i < 2; i++) {
		if (pipe2(fd, O_CLOEXEC))
			return false;
		pumps[i].from = fd[0];
		pumps[i].child = fd[1];
	}
	return true;
}

/* Run the command; its status as a shell would put it. */
int run(char **argv)
{
	char *terminal = read_line("/guest/tty");
	sigset_t chld;
	int sigfd;
	pid_t pid;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	sigfd = signalfd(-1, &chld, SFD_CLOEXEC);
	if (sigfd < 0 || !open_pipes()) {
		trouble("pipes");
		return 0;
	}
	tell("begin");
	pid = fork();
	if (pid < 0) {
		trouble("fork");
		return 0;
	}
	if (pid == 0)
		become(argv, terminal);
	close(pumps[0].child);
	close(pumps[1].child);
	return exit_status(relay(pid, sigfd));
}
