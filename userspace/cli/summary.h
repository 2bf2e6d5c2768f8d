/* SPDX-License-Identifier: GPL-2.0-only */
/* The table at the end of a trace: what became of the hits. */
#ifndef TRAPLINE_SUMMARY_H
#define TRAPLINE_SUMMARY_H

#include "../lib/trapline.h"

/** summary_print() - to stderr; -1 after a message */
int summary_print(struct trapline_session *session);

#endif
