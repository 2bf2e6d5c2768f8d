// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * See traceable.h. There are some 60,000 lines "NAME" and "NAME [MODULE]"; what
 * is kept of each is a hash. Two names of one hash would let a function in that
 * is not listed, which the kernel then is asked about, as about all.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kallsyms.h"
#include "symbols.h"
#include "traceable.h"

/**
 * struct traceable - the list
 * @path: its file
 * @is_read: it was tried to
 * @hashes: of what is in it, sorted
 * @count: how many; 0: there is no list
 */
struct traceable {
	const char *path;
	bool is_read;
	uint64_t *hashes;
	size_t count;
};

struct traceable *traceable_new(const char *path)
{
	struct traceable *list = calloc(1, sizeof(*list));

	if (list)
		list->path = path;
	return list;
}

void traceable_free(struct traceable *list)
{
	if (!list)
		return;
	free(list->hashes);
	free(list);
}

static uint64_t hash_of(const char *name, const char *module)
{
	return kallsyms_hash(name) ^ (module ? kallsyms_hash(module) << 1 : 0);
}

/* "NAME [MODULE]"; false for want of memory */
static bool add_line(struct traceable *list, char *line)
{
	char *end = line + strcspn(line, " \t\n");
	char *module = strchr(end, '[');
	uint64_t *grown = list->hashes;

	/* full at each power of two */
	if (!(list->count & (list->count - 1)))
		grown = realloc(grown, (list->count ? list->count * 2 : 1) *
				sizeof(*grown));
	if (!grown)
		return false;
	*end = '\0';
	if (module) {
		module++;
		module[strcspn(module, "]\n")] = '\0';
	}
	list->hashes = grown;
	list->hashes[list->count++] = hash_of(line, module);
	return true;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Half a list would be worse than none. */
static void read_list(struct traceable *list)
{
	size_t size = 0;
	char *line = NULL;
	bool good = true;
	FILE *file;

	list->is_read = true;
	file = fopen(list->path, "re");
	if (!file)
		return;
	while (good && getline(&line, &size, file) >= 0)
		good = add_line(list, line);
	if (!good || ferror(file))
		list->count = 0;
	free(line);
	fclose(file);
	if (list->count)
		qsort(list->hashes, list->count, sizeof(list->hashes[0]),
		      compare);
}

bool traceable_has(struct traceable *list, const struct symbol *symbol)
{
	const uint64_t hash = hash_of(symbol->name, symbol->module);

	if (!list)
		return true;
	if (!list->is_read)
		read_list(list);
	return !list->count || bsearch(&hash, list->hashes, list->count,
				       sizeof(hash), compare);
}
