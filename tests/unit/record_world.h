/* SPDX-License-Identifier: GPL-2.0-only */
/* From an event to a record and to its line, as in a trace. */
#ifndef TRAPLINE_RECORD_WORLD_H
#define TRAPLINE_RECORD_WORLD_H

#include "../../userspace/lib/trapline.h"

/*
 * Print a record into memory of exactly its length: one line, printable, and
 * the same as far as it goes where there is less room.
 *
 * Returns what trapline_format_record() does.
 */
int record_format_check(const struct trapline_record *record,
			const struct trapline_symbols *symbols,
			struct trapline_names *names);

/*
 * Run the event's program, with and without faults: what it appends must be a
 * record of this event for the decoder, with a line.
 */
void record_check(struct trapline_event *event,
		  const struct trapline_symbols *symbols);

#endif
