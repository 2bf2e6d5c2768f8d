/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Thread id to name: a hash table with open addressing. Nothing is removed: a
 * record of a task can be printed long after the task has gone, and there are
 * at most 2^22 thread ids.
 */
#ifndef TRAPLINE_NAME_TABLE_H
#define TRAPLINE_NAME_TABLE_H

#include <stddef.h>

/** NAME_BYTES - longest name and its NUL, the kernel's TASK_COMM_LEN */
#define NAME_BYTES 16

struct name_entry {
	unsigned int tid; /* 0: free */
	char name[NAME_BYTES];
};

/** struct name_table - all zero is an empty one */
struct name_table {
	struct name_entry *entries;
	size_t size; /* a power of two, or 0 */
	size_t used;
};

/**
 * name_table_set() - the name of a thread from now on
 * @table: the table
 * @tid: not 0
 * @name: need not end with a NUL; cut at 15 bytes or at a NUL
 * @length: of @name
 *
 * Returns 0 or -ENOMEM.
 */
int name_table_set(struct name_table *table, unsigned int tid,
		   const char *name, size_t length);

/** name_table_get() - the name, or NULL; valid until the next set */
const char *name_table_get(const struct name_table *table, unsigned int tid);
void name_table_free(struct name_table *table);

#endif
