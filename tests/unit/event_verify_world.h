/* SPDX-License-Identifier: GPL-2.0-only */
/* What the compiler made, before the verifier of the kernel. */
#ifndef TRAPLINE_EVENT_VERIFY_WORLD_H
#define TRAPLINE_EVENT_VERIFY_WORLD_H

#include <stdint.h>

#include "core/prog.h"

#include "../../userspace/lib/event.h"

/* Offsets in struct pt_regs of x86-64. */
enum {
	DI = 112,
	SI = 104,
	DX = 96,
	CX = 88,
	R8 = 72,
	R9 = 64,
	AX = 80,
	SP = 152,
	FLAGS = 144,
};

/* What the kernel lets a program of this event ask for. */
struct tl_prog_limits event_limits(const struct trapline_event *event);

/* The kernel's verifier takes the program; returns its longest payload. */
uint32_t verify_event(const struct trapline_event *event);

#endif
