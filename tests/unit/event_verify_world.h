/* SPDX-License-Identifier: GPL-2.0-only */
/* What the compiler made, before the verifier of the kernel. */
#ifndef TRAPLINE_EVENT_VERIFY_WORLD_H
#define TRAPLINE_EVENT_VERIFY_WORLD_H

#include <stdint.h>

#include "../../userspace/lib/event.h"

/* The kernel's verifier takes the program; returns its longest payload. */
uint32_t verify_event(const struct trapline_event *event);

#endif
