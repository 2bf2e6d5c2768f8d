/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of /proc/kallsyms as symbols, in the file's order. */
#ifndef TRAPLINE_KALLSYMS_H
#define TRAPLINE_KALLSYMS_H

#include "symbols.h"

/**
 * struct kallsyms - a file of symbols
 * @text: the file, cut into strings
 * @symbols: its lines; @bytes are not known yet
 * @hashes: kallsyms_hash() of the names
 * @count: how many
 */
struct kallsyms {
	char *text;
	struct symbol *symbols;
	uint64_t *hashes;
	size_t count;
};

/**
 * kallsyms_load() - read a file of symbols
 * @path: the file
 * @file: all zero; to be freed with kallsyms_free(), after a failure too
 * @err: filled on failure
 */
int kallsyms_load(const char *path, struct kallsyms *file,
		  struct trapline_error *err);
void kallsyms_free(struct kallsyms *file);

/** kallsyms_hash() - hash of a name */
uint64_t kallsyms_hash(const char *name);

#endif
