// SPDX-License-Identifier: GPL-2.0-only
/* See signals.h. */
#include <signal.h>
#include <stddef.h>

#include "signals.h"

static const int endings[] = { SIGINT, SIGTERM, SIGHUP };

static volatile sig_atomic_t count;
static volatile sig_atomic_t last;
static volatile sig_atomic_t is_ours;
static volatile sig_atomic_t snapshots;

/*
 * stdio drops what a write that fails has left over, so the first signal must
 * not make it fail. Who sends another one does not want to wait.
 */
static void end_restarts(void)
{
	struct sigaction action;
	size_t i;

	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		sigaction(endings[i], NULL, &action);
		action.sa_flags &= ~SA_RESTART;
		sigaction(endings[i], &action, NULL);
	}
}

/* A signal of the terminal reaches the command by itself, another one not. */
static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (number == SIGCHLD)
		return; /* it only ends the wait of the reader */
	if (number == SIGUSR2) {
		snapshots = snapshots + 1;
		return;
	}
	last = number;
	is_ours = info->si_code != SI_KERNEL;
	count = count + 1;
	end_restarts();
}

/* With SA_RESTART epoll_wait() and nanosleep() end nevertheless: signal(7). */
static void catch_signal(int number)
{
	struct sigaction action = { 0 };

	action.sa_sigaction = on_signal;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

/*
 * SIGINT is caught even if it was ignored: a script's background job starts
 * like that, and must be able to end us. SIGHUP is not: nohup means it.
 */
void signals_catch(void)
{
	struct sigaction old;
	size_t i;

	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (endings[i] == SIGHUP && !sigaction(SIGHUP, NULL, &old) &&
		    old.sa_handler == SIG_IGN)
			continue;
		catch_signal(endings[i]);
	}
	catch_signal(SIGCHLD);
	/* errors of write(), not the end of the summary: nobody reads, too large a file */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

void signals_catch_snapshots(void)
{
	catch_signal(SIGUSR2);
}

int signals_asked(void)
{
	return count;
}

int signals_last(void)
{
	return last;
}

bool signals_is_ours(void)
{
	return is_ours;
}

int signals_snapshots(void)
{
	return snapshots;
}
