/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where instructions begin in the kernel's functions. The kernel takes a probe
 * nowhere else, and says so only when it is armed. Here it is said before, as
 * far as it is known: what is not is left to the kernel.
 */
#ifndef TRAPLINE_INSTRUCTIONS_H
#define TRAPLINE_INSTRUCTIONS_H

#include <stdint.h>

#include "event.h"
#include "symbols.h"

enum instruction_place {
	INSTRUCTION_UNKNOWN,	/* the code cannot be read, or not be trusted */
	INSTRUCTION_BEGINS,
	INSTRUCTION_INSIDE,	/* or at what is none of the function's: int3 */
};

/**
 * struct instruction - the nearest ones where a probe can be
 * @before: offset of the one that begins before; that which was asked for: none
 * @behind: of the one behind; it may be that of the function's end
 */
struct instruction {
	uint64_t before;
	uint64_t behind;
};

/**
 * instruction_at() - is an offset the beginning of an instruction?
 * @symbols: tell where the code is to be read: symbols_set_code()
 * @start: address of the function
 * @bytes: its size
 * @offset: in it
 * @around: filled in for INSTRUCTION_INSIDE
 */
enum instruction_place instruction_at(const struct trapline_symbols *symbols,
				      uint64_t start, uint64_t bytes,
				      uint64_t offset,
				      struct instruction *around);

/**
 * instructions_check() - are the places of an event where instructions begin?
 * @event: of several places those where none begins are marked as refused
 * @symbols: the kernel's symbols
 * @err: filled on failure
 *
 * Returns 0, or -EINVAL if no place is left.
 */
int instructions_check(struct trapline_event *event,
		       const struct trapline_symbols *symbols,
		       struct trapline_error *err);

#endif
