// SPDX-License-Identifier: LGPL-2.1-or-later
/* Thread id to name. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "name_table.h"

#define FIRST_SIZE 1024

/* The entry of @tid, or the free one where it belongs. */
static struct name_entry *find(const struct name_table *table,
			       unsigned int tid)
{
	size_t mask = table->size - 1;
	/* thread ids come in rows; multiply so that rows do not pile up */
	size_t at = (size_t)(tid * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

	while (table->entries[at].tid && table->entries[at].tid != tid)
		at = (at + 1) & mask;
	return &table->entries[at];
}

/* Keeps at least a quarter free, so that find() ends soon. */
static int make_room(struct name_table *table)
{
	struct name_table grown;
	size_t i;

	if (table->used + 1 <= table->size / 4 * 3)
		return 0;
	grown.size = table->size ? 2 * table->size : FIRST_SIZE;
	grown.used = table->used;
	grown.entries = calloc(grown.size, sizeof(*grown.entries));
	if (!grown.entries)
		return -ENOMEM;
	for (i = 0; i < table->size; i++)
		if (table->entries[i].tid)
			*find(&grown, table->entries[i].tid) =
				table->entries[i];
	free(table->entries);
	*table = grown;
	return 0;
}

int name_table_set(struct name_table *table, unsigned int tid,
		   const char *name, size_t length)
{
	struct name_entry *entry;

	if (!tid)
		return 0;
	if (make_room(table))
		return -ENOMEM;
	entry = find(table, tid);
	if (!entry->tid) {
		entry->tid = tid;
		table->used++;
	}
	length = strnlen(name, length < NAME_BYTES - 1 ? length :
							 NAME_BYTES - 1);
	memset(entry->name, 0, sizeof(entry->name));
	memcpy(entry->name, name, length);
	return 0;
}

const char *name_table_get(const struct name_table *table, unsigned int tid)
{
	const struct name_entry *entry;

	if (!table->size || !tid)
		return NULL;
	entry = find(table, tid);
	return entry->tid ? entry->name : NULL;
}

void name_table_free(struct name_table *table)
{
	free(table->entries);
	memset(table, 0, sizeof(*table));
}
