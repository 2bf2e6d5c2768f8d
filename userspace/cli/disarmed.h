/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes that are registered, and yet never hit: somebody has switched off all
 * kprobes, or ftrace.
 */
#ifndef TRAPLINE_CLI_DISARMED_H
#define TRAPLINE_CLI_DISARMED_H

#include <stdbool.h>
#include <time.h>

#include "../lib/trapline.h"

/**
 * struct disarmed - what is known of the kernel's switch of all kprobes
 * @is_off: the last time that somebody looked
 * @was_off: at some time of the trace
 * @looked: when that was
 */
struct disarmed {
	bool is_off;
	bool was_off;
	struct timespec looked;
};

/** disarmed_warn() - before anything is armed: what will never be hit */
void disarmed_warn(struct disarmed *disarmed,
		   const struct trapline_session *session);
/** disarmed_look() - has somebody turned the switch? For each round of a trace:
 * it looks once a second
 */
void disarmed_look(struct disarmed *disarmed,
		   const struct trapline_session *session);
/** disarmed_end() - look once more, when the trace is over */
void disarmed_end(struct disarmed *disarmed,
		  const struct trapline_session *session);
/** disarmed_sum_up() - say at the end that hits are missing */
void disarmed_sum_up(const struct disarmed *disarmed);

#endif
