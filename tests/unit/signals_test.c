// SPDX-License-Identifier: GPL-2.0-only
/* Signals while the output blocks: the first one loses nothing, the second one ends it. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../userspace/cli/signals.h"

#define STEP_MS 100

enum {
	BYTES = 300000,	/* more than a pipe and a buffer of stdio hold */
};

static void wait_ms(int ms)
{
	const struct timespec wait = { .tv_nsec = ms * 1000000L };

	nanosleep(&wait, NULL);
}

/* Sends the signals, with time for a write to block again, then reads all. */
static void read_slowly(int fd, const int *signals, int wanted)
{
	char bytes[4096];
	ssize_t got;
	int count = 0;

	for (; *signals; signals++) {
		wait_ms(STEP_MS);
		kill(getppid(), *signals);
	}
	wait_ms(STEP_MS);
	while ((got = read(fd, bytes, sizeof(bytes))) > 0)
		count += (int)got;
	_exit(wanted < 0 || count == wanted ? 0 : 1);
}

static pid_t start_reader(int fds[2], const int *signals, int wanted)
{
	pid_t reader;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	reader = fork();
	assert_true(reader >= 0);
	if (!reader) {
		close(fds[1]);
		read_slowly(fds[0], signals, wanted);
	}
	close(fds[0]);
	return reader;
}

static void end_reader(pid_t reader)
{
	int status;

	while (waitpid(reader, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	assert_int_equal(status, 0);
}

/* errno of what stdio did with BYTES bytes; 0: all were written. */
static int write_all(int fd)
{
	static char bytes[1000];
	FILE *stream = fdopen(fd, "w");
	int i, error = 0;

	assert_non_null(stream);
	for (i = 0; i < BYTES / 1000 && !error; i++)
		if (fwrite(bytes, 1, 1000, stream) != 1000)
			error = errno;
	if (!error && fflush(stream))
		error = errno;
	fclose(stream);
	return error;
}

static void the_first_loses_nothing(void **state)
{
	static const int signals[] = { SIGCHLD, SIGCHLD, SIGUSR2, SIGINT, 0 };
	int fds[2];
	pid_t reader = start_reader(fds, signals, BYTES);

	(void)state;
	assert_int_equal(write_all(fds[1]), 0);
	end_reader(reader);
	assert_int_equal(signals_asked(), 1);
	assert_int_equal(signals_last(), SIGINT);
	assert_true(signals_is_ours());
	assert_int_equal(signals_snapshots(), 1);
}

/* One of another kind, too. */
static void the_second_ends_it(void **state)
{
	static const int signals[] = { SIGTERM, 0 };
	int fds[2];
	pid_t reader = start_reader(fds, signals, -1);

	(void)state;
	assert_int_equal(signals_asked(), 1);
	assert_int_equal(write_all(fds[1]), EINTR);
	end_reader(reader);
	assert_int_equal(signals_asked(), 2);
	assert_int_equal(signals_last(), SIGTERM);
}

/* Whatever is restarted, a wait for records is not. */
static void waits_end(void **state)
{
	static const int signals[] = { SIGCHLD, 0 };
	struct epoll_event event;
	int fds[2], fd = epoll_create1(0);
	pid_t reader = start_reader(fds, signals, -1);

	(void)state;
	assert_int_equal(epoll_wait(fd, &event, 1, 10000), -1);
	assert_int_equal(errno, EINTR);
	close(fds[1]);
	close(fd);
	end_reader(reader);
}

static int catch_all(void **state)
{
	(void)state;
	signals_catch();
	signals_catch_snapshots();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_end),
		cmocka_unit_test(the_first_loses_nothing),
		cmocka_unit_test(the_second_ends_it),
	};

	return cmocka_run_group_tests_name("signals", tests, catch_all, NULL);
}
