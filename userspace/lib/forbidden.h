/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the kernel is known to allow no probe, before it is asked. What is not
 * known here it says itself when the probe is armed.
 */
#ifndef TRAPLINE_FORBIDDEN_H
#define TRAPLINE_FORBIDDEN_H

#include <stdint.h>

struct blacklist;
struct trapline_symbols;

enum forbidden {
	FORBIDDEN_NOT,
	FORBIDDEN_BLACKLIST,	/* in the kprobe blacklist */
	FORBIDDEN_NOINSTR,	/* in code that nothing may interrupt */
	FORBIDDEN_INIT,		/* its memory was freed after the start */
};

/** forbidden_at() - may there be a probe at an address? */
enum forbidden forbidden_at(const struct trapline_symbols *symbols,
			    uint64_t address);

/**
 * blacklist_new() - nothing is read yet
 * @path: /sys/kernel/debug/kprobes/blacklist, or a file of that form
 *
 * A file that cannot be read is an empty list. Returns NULL for want of memory.
 */
struct blacklist *blacklist_new(const char *path);
void blacklist_free(struct blacklist *list);

#endif
