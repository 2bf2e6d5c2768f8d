/* SPDX-License-Identifier: GPL-2.0-only */
/* What the library says of an event's places. */
#ifndef TRAPLINE_PLACE_WORLD_H
#define TRAPLINE_PLACE_WORLD_H

#include "../../userspace/lib/trapline.h"

/* The state of place number @index, which has a reason if it is refused, and only then. */
enum trapline_place_state state_of(const struct trapline_event *event,
				   unsigned int index);

#endif
