/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From addresses in processes to what is mapped there.
 *
 * A process is looked up by the thread id of a record, when the record is
 * printed: its mappings are then those of a moment later.
 */
#ifndef TRAPLINE_PROCESSES_H
#define TRAPLINE_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "trapline.h"

/**
 * struct process_place - what is at an address
 * @symbol: the function; NULL: not known
 * @path: of the file; "[vdso]" and the like; "" for memory without a file
 * @offset: in the function, or in the file (of "[vdso]" and the like in it)
 *
 * The texts are those of the table, up to the next look-up.
 */
struct process_place {
	const char *symbol;
	const char *path;
	uint64_t offset;
};

/**
 * processes_new() - an empty table
 * @proc: the folder to look in, "/proc"; it must outlive the table
 * @is_ours: it shows the thread ids that records have
 *
 * Returns NULL for want of memory.
 */
struct trapline_processes *processes_new(const char *proc, bool is_ours);

/**
 * processes_find() - look up an address
 * @processes: the table
 * @record: whose thread, and when
 * @address: the address
 * @place: out
 *
 * Returns false where nothing is known of it: the process has ended, or has no
 * code there.
 */
bool processes_find(struct trapline_processes *processes,
		    const struct trapline_record *record, uint64_t address,
		    struct process_place *place);

#endif
