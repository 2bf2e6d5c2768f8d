// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs QEMU for qemu/run: passes the guest's output on while it comes, and
 * ends QEMU when its time is over or when this program is told to stop.
 *
 *   watch SECONDS CTL VERDICT LOG [-t] -- QEMU ARGUMENT...
 *
 * QEMU gets three sockets, as file descriptors OUT_FD, ERR_FD and CTL_FD.
 * What it sends on the first two goes to our stdout and stderr; the lines on
 * the third go to the file CTL, and "drain OUT ERR" lines among them are
 * answered once that many bytes have come (see guest/main.c).  QEMU's own messages
 * go to the file LOG.  With -t QEMU keeps our terminal.
 *
 * VERDICT gets one line: "qemu STATUS", "timeout", "signal N" or "pipe" (our
 * reader has gone).  Judging what it means is qemu/run's work.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUT_FD		10
#define ERR_FD		11
#define CTL_FD		12
#define HARNESS_FAILED	125
#define GRACE_MS	2000	/* for QEMU to put the terminal right again */

/*
 * A pipe that polls as writable takes this much without blocking, so that a
 * slow reader cannot keep us from the clock and from signals.
 */
#define WRITE_MAX	4096

struct stream {
	int from;		/* our end of QEMU's socket, -1 after its end */
	int to;
	uint64_t received;
	size_t start, end;	/* the part of buf still to be written */
	char buf[65536];
};

static struct stream streams[2] = {
	{ .to = STDOUT_FILENO },
	{ .to = STDERR_FILENO },
};

static struct {
	int sock, file;
	char line[256];
	size_t len;
	bool asked;		/* a drain line waits for its answer */
	unsigned long long out, err;
} ctl;

static pid_t qemu;
static const char *verdict_path;

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "qemu/run: watch: %s: %s\n", what, strerror(errno));
	if (qemu > 0)
		kill(qemu, SIGKILL);
	exit(HARNESS_FAILED);
}

static void __attribute__((noreturn)) finish(const char *word, int number)
{
	FILE *f = fopen(verdict_path, "w");

	if (!f || fprintf(f, "%s %d\n", word, number) < 0 || fclose(f))
		fail(verdict_path);
	exit(0);
}

/* ---- QEMU's life ------------------------------------------------------ */

static void place_fd(int fd, int where)
{
	if (dup2(fd, where) < 0)
		_exit(HARNESS_FAILED);
}

/* In the child.  QEMU must not outlive us, however we end. */
static void __attribute__((noreturn)) become_qemu(char **argv, int *socks,
						  int log, bool tty,
						  const sigset_t *mask)
{
	static const int fds[] = { OUT_FD, ERR_FD, CTL_FD };
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < 3; i++)
		place_fd(socks[i], fds[i]);
	if (!tty) {
		place_fd(open("/dev/null", O_RDONLY), STDIN_FILENO);
		place_fd(log, STDOUT_FILENO);
	}
	place_fd(log, STDERR_FILENO);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(HARNESS_FAILED);
}

static void start_qemu(char **argv, const char *log_path, bool tty,
		       const sigset_t *mask)
{
	int pair[2], ours[3], theirs[3], i;
	int log = open(log_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (log < 0)
		fail(log_path);
	for (i = 0; i < 3; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
			fail("socketpair");
		/* Out of the way of the numbers that QEMU's ends will get. */
		ours[i] = fcntl(pair[0], F_DUPFD_CLOEXEC, CTL_FD + 1);
		theirs[i] = fcntl(pair[1], F_DUPFD_CLOEXEC, CTL_FD + 1);
		close(pair[0]);
		close(pair[1]);
	}
	qemu = fork();
	if (qemu < 0)
		fail("fork");
	if (qemu == 0)
		become_qemu(argv, theirs, log, tty, mask);
	for (i = 0; i < 3; i++)
		close(theirs[i]);
	close(log);
	streams[0].from = ours[0];
	streams[1].from = ours[1];
	ctl.sock = ours[2];
}

/* Gently first: QEMU then restores a terminal it has changed. */
static void end_qemu(void)
{
	int waited;

	kill(qemu, SIGTERM);
	for (waited = 0; waited < GRACE_MS; waited += 10) {
		if (waitpid(qemu, NULL, WNOHANG))
			return;
		usleep(10000);
	}
	kill(qemu, SIGKILL);
	waitpid(qemu, NULL, 0);
}

/* ---- output ------------------------------------------------------------ */

static void receive(struct stream *s)
{
	ssize_t n = read(s->from, s->buf, sizeof(s->buf));

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0) {
		close(s->from);
		s->from = -1;
		return;
	}
	s->received += n;
	s->start = 0;
	s->end = n;
}

static void pass_on(struct stream *s)
{
	size_t len = s->end - s->start;
	ssize_t n;

	n = write(s->to, s->buf + s->start, len < WRITE_MAX ? len : WRITE_MAX);
	if (n >= 0) {
		s->start += n;
	} else if (errno == EPIPE) {
		end_qemu();
		finish("pipe", SIGPIPE);
	} else if (errno != EINTR && errno != EAGAIN) {
		fail(s->to == STDOUT_FILENO ? "stdout" : "stderr");
	}
}

static struct pollfd stream_poll(const struct stream *s)
{
	if (s->start < s->end)
		return (struct pollfd){ .fd = s->to, .events = POLLOUT };
	return (struct pollfd){ .fd = s->from, .events = POLLIN };
}

static void serve_stream(struct stream *s)
{
	if (s->start < s->end)
		pass_on(s);
	else
		receive(s);
}

/* ---- the control port --------------------------------------------------- */

static void answer_drain(void)
{
	if (!ctl.asked || streams[0].received < ctl.out ||
	    streams[1].received < ctl.err)
		return;
	ctl.asked = false;
	if (send(ctl.sock, "go\n", 3, MSG_NOSIGNAL) != 3)
		fprintf(stderr, "qemu/run: watch: the guest hears nothing\n");
}

static void serve_ctl(void)
{
	char buf[4096];
	ssize_t n = read(ctl.sock, buf, sizeof(buf)), i;

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0) {
		close(ctl.sock);
		ctl.sock = -1;
		return;
	}
	if (write(ctl.file, buf, n) != n)
		fail("the control file");
	for (i = 0; i < n; i++) {
		if (buf[i] != '\n') {
			if (ctl.len < sizeof(ctl.line) - 1)
				ctl.line[ctl.len++] = buf[i];
			continue;
		}
		ctl.line[ctl.len] = '\0';
		ctl.len = 0;
		if (sscanf(ctl.line, "drain %llu %llu", &ctl.out, &ctl.err) == 2)
			ctl.asked = true;
	}
}

/* ---- the main loop ------------------------------------------------------ */

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* A signal for us ends the run; QEMU's end is seen by its sockets' end. */
static void serve_signal(int sigfd)
{
	struct signalfd_siginfo info;

	if (read(sigfd, &info, sizeof(info)) != sizeof(info))
		return;
	end_qemu();
	finish("signal", info.ssi_signo);
}

static bool all_passed_on(void)
{
	return streams[0].from < 0 && streams[1].from < 0 && ctl.sock < 0 &&
	       streams[0].start == streams[0].end &&
	       streams[1].start == streams[1].end;
}

static void relay(int sigfd, int64_t deadline)
{
	struct pollfd fds[4];

	while (!all_passed_on()) {
		int64_t left = deadline - now_ms();

		if (left <= 0) {
			end_qemu();
			finish("timeout", 0);
		}
		fds[0] = stream_poll(&streams[0]);
		fds[1] = stream_poll(&streams[1]);
		fds[2] = (struct pollfd){ .fd = ctl.sock, .events = POLLIN };
		fds[3] = (struct pollfd){ .fd = sigfd, .events = POLLIN };
		if (poll(fds, 4, left) <= 0)
			continue;
		if (fds[3].revents)
			serve_signal(sigfd);
		if (fds[0].revents)
			serve_stream(&streams[0]);
		if (fds[1].revents)
			serve_stream(&streams[1]);
		if (fds[2].revents)
			serve_ctl();
		answer_drain();
	}
}

/* The signals that end us are read from a descriptor, in the loop. */
static int catch_signals(sigset_t *old)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, old);
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		fail("signalfd");
	return fd;
}

int main(int argc, char **argv)
{
	int arg = 5, status = 0, sigfd;
	bool tty = false;
	sigset_t mask;

	if (argc > arg && !strcmp(argv[arg], "-t")) {
		tty = true;
		arg++;
	}
	if (argc < arg + 2 || strcmp(argv[arg], "--")) {
		fprintf(stderr, "usage: watch SECONDS CTL VERDICT LOG [-t] -- QEMU ARGUMENT...\n");
		return 2;
	}
	verdict_path = argv[3];
	ctl.file = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (ctl.file < 0)
		fail(argv[2]);
	/* Should qemu/run be killed outright, end like on a Ctrl-C. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigfd = catch_signals(&mask);
	start_qemu(argv + arg + 1, argv[4], tty, &mask);
	relay(sigfd, now_ms() + 1000LL * atoi(argv[1]));
	waitpid(qemu, &status, 0);
	finish("qemu", WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
					     WEXITSTATUS(status));
}
