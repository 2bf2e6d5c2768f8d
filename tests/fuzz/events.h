/* SPDX-License-Identifier: GPL-2.0-only */
/* The events whose packets are decoded: of each kind one, by number. */
#ifndef TRAPLINE_FUZZ_EVENTS_H
#define TRAPLINE_FUZZ_EVENTS_H

#include "../../userspace/lib/decode.h"

enum {
	EVENT_EMPTY,
	EVENT_NUMBERS,
	EVENT_STRINGS,
	EVENT_RETURN,
	EVENT_TASK_NEW,		/* as names.c makes them */
	EVENT_TASK_NAME,
	EVENT_STACKS,
	EVENT_COUNT,
	/* where the last one is, so that its records have the long header */
	EVENT_HIGH = 1500,
};

extern struct trapline_event *events[EVENT_COUNT];

/** events_make() - compile them all; also into the decoder's table */
const struct decode_events *events_make(void);

#endif
