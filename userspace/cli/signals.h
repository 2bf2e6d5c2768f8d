/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals that end a run, or ask for a snapshot. */
#ifndef TRAPLINE_CLI_SIGNALS_H
#define TRAPLINE_CLI_SIGNALS_H

#include <stdbool.h>

/**
 * signals_catch() - from here on SIGINT, SIGTERM and SIGHUP only count
 *
 * They, and SIGCHLD, end a wait (epoll, sleep). A write that blocks goes on after
 * the first of them, so that nothing of the output is lost; the second one ends
 * it with EINTR.
 */
void signals_catch(void);
/** signals_catch_snapshots() - from here on SIGUSR2 asks for a snapshot */
void signals_catch_snapshots(void);

/** signals_asked() - how often somebody wanted the end */
int signals_asked(void);
/** signals_last() - the last signal that did */
int signals_last(void);
/** signals_is_ours() - it was not sent by the terminal, to the command as well */
bool signals_is_ours(void);
/** signals_snapshots() - how often a snapshot was asked for */
int signals_snapshots(void);

#endif
