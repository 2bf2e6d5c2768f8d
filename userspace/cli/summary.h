/* SPDX-License-Identifier: GPL-2.0-only */
/* The table at the end of a trace: what became of the hits. */
#ifndef TRAPLINE_SUMMARY_H
#define TRAPLINE_SUMMARY_H

#include <stdint.h>

#include "../lib/trapline.h"

/**
 * summary_print() - to stderr; -1 after a message
 * @session: stopped
 * @printed: how many records were printed, of each event by its number; NULL
 *	if nothing was overwritten, or not all that the rings had was read
 */
int summary_print(struct trapline_session *session, const uint64_t *printed);

#endif
