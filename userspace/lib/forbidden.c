// SPDX-License-Identifier: LGPL-2.1-or-later
/* See forbidden.h. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forbidden.h"
#include "symbols.h"

struct range {
	uint64_t start;
	uint64_t end;
};

/**
 * struct blacklist - the kernel's list
 * @path: its file
 * @is_read: it was tried to
 * @ranges: what is in it
 * @count: how many
 */
struct blacklist {
	char *path;
	bool is_read;
	struct range *ranges;
	size_t count;
};

struct blacklist *blacklist_new(const char *path)
{
	struct blacklist *list = calloc(1, sizeof(*list));

	if (!list)
		return NULL;
	list->path = strdup(path);
	if (list->path)
		return list;
	free(list);
	return NULL;
}

void blacklist_free(struct blacklist *list)
{
	if (!list)
		return;
	free(list->ranges);
	free(list->path);
	free(list);
}

/* "0xSTART-0xEND	NAME"; false for want of memory */
static bool add_line(struct blacklist *list, const char *line)
{
	struct range range, *grown = list->ranges;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64, &range.start, &range.end) != 2)
		return true;
	/* full at each power of two */
	if (!(list->count & (list->count - 1)))
		grown = realloc(grown, (list->count ? list->count * 2 : 1) *
				sizeof(*grown));
	if (!grown)
		return false;
	list->ranges = grown;
	list->ranges[list->count++] = range;
	return true;
}

/*
 * The list serves to say earlier and better what the kernel would say anyway:
 * what cannot be read, for want of rights or of memory, is left to it.
 */
static void read_list(struct blacklist *list)
{
	size_t size = 0;
	char *line = NULL;
	FILE *file;

	list->is_read = true;
	file = fopen(list->path, "re");
	if (!file)
		return;
	while (getline(&line, &size, file) >= 0 && add_line(list, line))
		;
	free(line);
	fclose(file);
}

static bool is_listed(struct blacklist *list, uint64_t address)
{
	size_t i;

	if (!list)
		return false;
	if (!list->is_read)
		read_list(list);
	for (i = 0; i < list->count; i++)
		if (address >= list->ranges[i].start &&
		    address < list->ranges[i].end)
			return true;
	return false;
}

/* Is it between two labels of the kernel's linker script? */
static bool is_between(const struct trapline_symbols *symbols,
		       const char *start, const char *end, uint64_t address)
{
	const struct symbol *const *first, *const *last;

	return symbols_by_name(symbols, NULL, start, &first) &&
	       symbols_by_name(symbols, NULL, end, &last) &&
	       address >= first[0]->address && address < last[0]->address;
}

enum forbidden forbidden_at(const struct trapline_symbols *symbols,
			    uint64_t address)
{
	if (is_between(symbols, "_sinittext", "_einittext", address))
		return FORBIDDEN_INIT;
	if (is_between(symbols, "__noinstr_text_start", "__noinstr_text_end",
		       address) ||
	    is_between(symbols, "__entry_text_start", "__entry_text_end",
		       address))
		return FORBIDDEN_NOINSTR;
	if (is_between(symbols, "__kprobes_text_start", "__kprobes_text_end",
		       address) ||
	    is_listed(symbols_blacklist(symbols), address))
		return FORBIDDEN_BLACKLIST;
	return FORBIDDEN_NOT;
}
