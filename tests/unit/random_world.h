/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers for tests that damage something. */
#ifndef TRAPLINE_RANDOM_WORLD_H
#define TRAPLINE_RANDOM_WORLD_H

#include <stdint.h>

/* The next one; the same row of them in each run (xorshift). */
uint64_t random_number(void);

#endif
