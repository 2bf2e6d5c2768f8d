/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of tasks inside the library: what the tests look into.
 */
#ifndef TRAPLINE_NAMES_H
#define TRAPLINE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "name_table.h"
#include "trapline.h"

/**
 * struct trapline_names - the names at one point of the record stream
 * @session: its own; NULL if names cannot be followed
 * @task_new: event of a task that runs for the first time; NULL if not made
 * @task_name: event of a task that gets a name; NULL if not made
 * @table: what is known
 * @proc_is_ours: /proc shows thread ids of the initial namespace, as records
 *	have them
 * @overwrites: as the sessions whose records are named: read now and then
 * @scanned_ns: when /proc was read last
 */
struct trapline_names {
	struct trapline_session *session;
	const struct trapline_event *task_new;
	const struct trapline_event *task_name;
	struct name_table table;
	bool proc_is_ours;
	bool overwrites;
	uint64_t scanned_ns;
};

/** names_record() - a record of the own session, the sink's callback */
int names_record(const struct trapline_record *record, void *data);

/**
 * names_comm_length() - how much of a line of /proc/TID/comm is the name
 * @line: without the newline
 * @length: of @line
 *
 * The kernel shows workers of workqueues with what they work on appended
 * ("kworker/0:1-events") and kernel threads with their long names; the task's
 * name, which ftrace prints, is shorter.
 */
size_t names_comm_length(const char *line, size_t length);

#endif
