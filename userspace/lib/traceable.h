/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions that ftrace knows: those of C that are not notrace. A pattern
 * stands for these only, where the list can be read. Labels in assembly look
 * like functions in kallsyms, and a return probe at one that is none changes a
 * word of the stack that is no return address.
 */
#ifndef TRAPLINE_TRACEABLE_H
#define TRAPLINE_TRACEABLE_H

#include <stdbool.h>

struct symbol;
struct traceable;

/**
 * traceable_new() - nothing is read yet
 * @path: of available_filter_functions; must stay valid
 *
 * Returns NULL for want of memory.
 */
struct traceable *traceable_new(const char *path);
void traceable_free(struct traceable *list);

/** traceable_has() - is it in the list? True where there is no list. */
bool traceable_has(struct traceable *list, const struct symbol *symbol);

#endif
