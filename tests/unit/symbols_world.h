/* SPDX-License-Identifier: GPL-2.0-only */
/* The symbols of kallsyms.txt, for the tests that need some. */
#ifndef TRAPLINE_SYMBOLS_WORLD_H
#define TRAPLINE_SYMBOLS_WORLD_H

#include "../../userspace/lib/trapline.h"

extern struct trapline_symbols *symbols;

/* The event of a line, which must be one. */
struct trapline_event *parse_event(const char *line);

/* Set-up and tear-down of a group of tests. */
int load_symbols(void **state);
int free_symbols(void **state);

#endif
