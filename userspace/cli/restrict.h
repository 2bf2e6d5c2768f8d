/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose hits are recorded: --pid, --comm and --cgroup. */
#ifndef TRAPLINE_RESTRICT_H
#define TRAPLINE_RESTRICT_H

#include <stddef.h>

#include <stdbool.h>

#include "definitions.h"

/**
 * struct restriction - what the options ask for
 * @pids: processes
 * @pid_count: how many; 0: all
 * @children: and what descends from them
 * @comm: a pattern for the name of the task; NULL: any
 * @cgroup: the folder of a cgroup; NULL: any
 */
struct restriction {
	unsigned int *pids;
	size_t pid_count;
	bool children;
	const char *comm;
	const char *cgroup;
};

/** restrict_add_pids() - "PID[,PID]..."; -1 for what is not; exits when out of
 * memory */
int restrict_add_pids(struct restriction *only, const char *list);
/** restrict_events() - all definitions that are events; -1 after a message */
int restrict_events(const struct restriction *only,
		    const struct definitions *defs);
/** restrict_free() - free what was added */
void restrict_free(struct restriction *only);

#endif
