/* SPDX-License-Identifier: GPL-2.0-only */
/* The places of events, for the user. */
#ifndef TRAPLINE_CLI_PLACES_H
#define TRAPLINE_CLI_PLACES_H

#include <stdio.h>

#include "../lib/trapline.h"

/** places_print() - each place of an event on a line of its own, indented */
void places_print(FILE *stream, const struct trapline_event *event);
/** places_report() - say on stderr which places the kernel has refused */
void places_report(const struct trapline_event *event);
/** places_note_waiting() - say that an event waits for its module, and who else
 * has such a function: who writes "kprobe:vfs_read" has no module in mind
 */
void places_note_waiting(const struct trapline_event *event,
			 const struct trapline_symbols *symbols);

#endif
