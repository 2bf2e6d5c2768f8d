// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends NMIs to a guest for qemu/run --nmi, through QEMU's monitor.
 *
 *   nmi HZ SOCKET CTL
 *
 * SOCKET is that of a QMP monitor, CTL the file with the lines of the guest's
 * control port. The first NMI waits for the line "begin" there: the guest has
 * handlers by then, while an NMI at the start of its boot would reset it. The last
 * one comes before the line "proof ...", with which the guest begins to end: QEMU
 * may wait for ever for a command of its monitor that it is asked for while it ends.
 *
 * Ends then, or when QEMU has ended, or on SIGTERM, and prints how many NMIs QEMU has
 * taken. Status 125 if it could not do its work; whether the run was one that
 * needed it is for qemu/run to judge.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define HARNESS_FAILED	125
#define POLL_US		10000
#define SECOND_NS	1000000000L

static volatile sig_atomic_t stopped;

static void __attribute__((noreturn)) fail(const char *what, const char *why)
{
	fprintf(stderr, "qemu/run: nmi: %s: %s\n", what, why);
	exit(HARNESS_FAILED);
}

static void on_sigterm(int number)
{
	(void)number;
	stopped = 1;
}

/* Without SA_RESTART: what waits shall see that it is over. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_sigterm };

	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* Should qemu/run be killed outright. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
}

/*
 * QEMU has just been started, and makes the socket when it comes to it. If it
 * never does, the run ends, and qemu/run has the words for that.
 */
static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (sock < 0)
		fail("socket", strerror(errno));
	if (strlen(path) >= sizeof(address.sun_path))
		fail(path, strerror(ENAMETOOLONG));
	strcpy(address.sun_path, path);
	while (connect(sock, (struct sockaddr *)&address, sizeof(address))) {
		if (stopped)
			exit(HARNESS_FAILED);
		if (errno != ENOENT && errno != ECONNREFUSED && errno != EINTR)
			fail(path, strerror(errno));
		usleep(POLL_US);
	}
	return sock;
}

static bool starts_with(const char *line, const char *start)
{
	return !strncmp(line, start, strlen(start));
}

/* Has the guest sent a line that starts like this? */
static bool has_sent(const char *ctl_path, const char *start)
{
	FILE *ctl = fopen(ctl_path, "r");
	char line[256];
	bool found = false;

	while (ctl && !found && fgets(line, sizeof(line), ctl))
		found = starts_with(line, start);
	if (ctl)
		fclose(ctl);
	return found;
}

/*
 * One command, and its answer, between whatever else QEMU has to tell: its
 * greeting, events. False when QEMU has gone.
 */
static bool execute(int sock, FILE *answers, const char *command)
{
	static char *line;
	static size_t size;

	if (dprintf(sock, "{\"execute\":\"%s\"}\n", command) < 0)
		return false;
	while (getline(&line, &size, answers) > 0) {
		if (starts_with(line, "{\"return\":"))
			return true;
		if (starts_with(line, "{\"error\":"))
			fail(command, line);
	}
	return false;
}

/* The next time, one period after the last; those that are over are let go. */
static void wait_for_next(struct timespec *next, long period_ns)
{
	struct timespec now;

	next->tv_nsec += period_ns;
	next->tv_sec += next->tv_nsec / SECOND_NS;
	next->tv_nsec %= SECOND_NS;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec > next->tv_sec ||
	    (now.tv_sec == next->tv_sec && now.tv_nsec > next->tv_nsec))
		*next = now;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

static unsigned long inject(int sock, FILE *answers, const char *ctl_path,
			    long period_ns)
{
	unsigned long injected = 0;
	struct timespec next;

	clock_gettime(CLOCK_MONOTONIC, &next);
	while (!stopped && !has_sent(ctl_path, "proof ") &&
	       execute(sock, answers, "inject-nmi")) {
		injected++;
		wait_for_next(&next, period_ns);
	}
	return injected;
}

int main(int argc, char **argv)
{
	unsigned long hz, injected = 0;
	FILE *answers;
	int sock;

	hz = argc == 4 ? strtoul(argv[1], NULL, 10) : 0;
	if (!hz || hz > SECOND_NS) {
		fprintf(stderr, "usage: nmi HZ SOCKET CTL\n");
		return 2;
	}
	catch_signals();
	sock = connect_to(argv[2]);
	answers = fdopen(sock, "r");
	if (!answers)
		fail(argv[2], strerror(errno));
	while (!stopped && !has_sent(argv[3], "begin\n"))
		usleep(POLL_US);
	if (!stopped && execute(sock, answers, "qmp_capabilities"))
		injected = inject(sock, answers, argv[3],
				  SECOND_NS / (long)hz);
	printf("%lu\n", injected);
	return 0;
}
