// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The kernel's symbols, sorted. There are some 150,000 of them at each start,
 * so what is sorted are pairs of a number and an index, never strings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "kallsyms.h"

#define PAGE_BYTES 4096

/**
 * struct trapline_symbols - the table
 * @file: the symbols in the file's order
 * @by_name: sorted by hash of the name, name, module (the kernel first) and
 *	address
 * @by_address: sorted by address; of several names the file's first first,
 *	which is the one that the kernel prints
 */
struct trapline_symbols {
	struct kallsyms file;
	const struct symbol **by_name;
	const struct symbol **by_address;
};

/* What is sorted: a key and where it came from. */
struct sort_key {
	uint64_t key;
	uint64_t index;
};

/* ---- order ------------------------------------------------------------ */

static int compare_keys(const void *a, const void *b)
{
	const struct sort_key *x = a;
	const struct sort_key *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Sort the keys, which most often are in order already. */
static void sort_keys(struct sort_key *keys, size_t count)
{
	size_t i;

	for (i = 1; i < count; i++)
		if (keys[i - 1].key > keys[i].key)
			break;
	if (i < count)
		qsort(keys, count, sizeof(*keys), compare_keys);
}

static void sort_by_address(struct trapline_symbols *symbols,
			    struct sort_key *keys)
{
	size_t i;

	for (i = 0; i < symbols->file.count; i++) {
		keys[i].key = symbols->file.symbols[i].address;
		keys[i].index = i;
	}
	sort_keys(keys, symbols->file.count);
	for (i = 0; i < symbols->file.count; i++)
		symbols->by_address[i] = &symbols->file.symbols[keys[i].index];
}

/* Names without a module, NULL, come first. */
static int compare_modules(const char *a, const char *b)
{
	if (a && b)
		return a == b ? 0 : strcmp(a, b);
	return (a != NULL) - (b != NULL);
}

static int compare_names(const void *a, const void *b)
{
	const struct symbol *x = *(const struct symbol *const *)a;
	const struct symbol *y = *(const struct symbol *const *)b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = compare_modules(x->module, y->module);
	if (order)
		return order;
	return x->address < y->address ? -1 : x->address > y->address;
}

static void sort_by_name(struct trapline_symbols *symbols,
			 struct sort_key *keys)
{
	const size_t count = symbols->file.count;
	size_t i, run;

	for (i = 0; i < count; i++) {
		keys[i].key = symbols->file.hashes[i];
		keys[i].index = i;
	}
	sort_keys(keys, count);
	for (i = 0; i < count; i++)
		symbols->by_name[i] = &symbols->file.symbols[keys[i].index];
	for (i = 0; i < count; i += run) {
		for (run = 1; i + run < count &&
		     keys[i + run].key == keys[i].key; run++)
			;
		if (run > 1)
			qsort(&symbols->by_name[i], run,
			      sizeof(symbols->by_name[0]), compare_names);
	}
}

/* Where the file has a symbol. */
static size_t position(const struct trapline_symbols *symbols,
		       const struct symbol *symbol)
{
	return (size_t)(symbol - symbols->file.symbols);
}

/* Give all symbols of one address, @from up to @to, their size. */
static void set_bytes(struct trapline_symbols *symbols, size_t from, size_t to)
{
	const uint64_t address = symbols->by_address[from]->address;
	const uint64_t page_end = PAGE_BYTES - address % PAGE_BYTES;
	const struct symbol *next = NULL;
	uint64_t bytes = page_end;
	size_t i;

	if (to < symbols->file.count)
		next = symbols->by_address[to];
	/*
	 * A module's last symbol does not reach to the next module, and the
	 * per-CPU offsets at the bottom do not reach to the kernel. Their true
	 * ends are not known; code ends with its page at least.
	 */
	if (next && !compare_modules(next->module,
				     symbols->by_address[to - 1]->module) &&
	    next->address >> 63 == address >> 63)
		bytes = next->address - address;
	else if (next && next->address - address < page_end)
		bytes = next->address - address;
	for (i = from; i < to; i++)
		symbols->file.symbols[position(symbols, symbols->by_address[i])]
			.bytes = bytes;
}

static void set_all_bytes(struct trapline_symbols *symbols)
{
	size_t from, to;

	for (from = 0; from < symbols->file.count; from = to) {
		for (to = from + 1; to < symbols->file.count &&
		     symbols->by_address[to]->address ==
		     symbols->by_address[from]->address; to++)
			;
		set_bytes(symbols, from, to);
	}
}

/* ---- the table -------------------------------------------------------- */

static int no_memory(struct trapline_error *err)
{
	error_set(err, ERR_NO_MEMORY, -1, 0);
	return -ENOMEM;
}

static int sort(struct trapline_symbols *symbols, struct trapline_error *err)
{
	const size_t count = symbols->file.count;
	struct sort_key *keys = calloc(count, sizeof(*keys));

	symbols->by_name = calloc(count, sizeof(symbols->by_name[0]));
	symbols->by_address = calloc(count, sizeof(symbols->by_address[0]));
	if (!keys || !symbols->by_name || !symbols->by_address) {
		free(keys);
		return no_memory(err);
	}
	sort_by_address(symbols, keys);
	set_all_bytes(symbols);
	sort_by_name(symbols, keys);
	free(keys);
	return 0;
}

int trapline_symbols_load(const char *path, struct trapline_symbols **out,
			  struct trapline_error *err)
{
	struct trapline_symbols *symbols = calloc(1, sizeof(*symbols));
	int ret;

	*out = NULL;
	if (!symbols)
		return no_memory(err);
	ret = kallsyms_load(path ? path : "/proc/kallsyms", &symbols->file,
			    err);
	if (!ret)
		ret = sort(symbols, err);
	if (ret)
		trapline_symbols_free(symbols);
	else
		*out = symbols;
	return ret;
}

void trapline_symbols_free(struct trapline_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->by_address);
	free(symbols->by_name);
	kallsyms_free(&symbols->file);
	free(symbols);
}

/* ---- look-up ---------------------------------------------------------- */

static uint64_t hash_at(const struct trapline_symbols *symbols, size_t i)
{
	return symbols->file.hashes[position(symbols, symbols->by_name[i])];
}

/* First of by_name whose hash is not below @hash. */
static size_t first_of_hash(const struct trapline_symbols *symbols,
			    uint64_t hash)
{
	size_t low = 0, high = symbols->file.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (hash_at(symbols, middle) < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t symbols_by_name(const struct trapline_symbols *symbols,
		       const char *module, const char *name,
		       const struct symbol *const **first)
{
	const uint64_t hash = kallsyms_hash(name);
	size_t at = first_of_hash(symbols, hash);
	size_t found = 0;

	*first = NULL;
	/* all of one name and one module are neighbours */
	for (; at < symbols->file.count && hash_at(symbols, at) == hash; at++) {
		const struct symbol *symbol = symbols->by_name[at];

		if (strcmp(symbol->name, name) ||
		    (module && compare_modules(symbol->module, module)))
			continue;
		if (!found++)
			*first = &symbols->by_name[at];
	}
	return found;
}

/* First of by_address that is not below @address. */
static size_t first_of_address(const struct trapline_symbols *symbols,
			       uint64_t address)
{
	size_t low = 0, high = symbols->file.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->by_address[middle]->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct symbol *symbols_by_address(const struct trapline_symbols *symbols,
					uint64_t address)
{
	size_t at = first_of_address(symbols, address);
	const struct symbol *symbol;

	if (at == symbols->file.count ||
	    symbols->by_address[at]->address > address) {
		if (!at)
			return NULL;
		symbol = symbols->by_address[at - 1];
		at = first_of_address(symbols, symbol->address);
	}
	symbol = symbols->by_address[at];
	return address - symbol->address < symbol->bytes ? symbol : NULL;
}

size_t symbols_count(const struct trapline_symbols *symbols)
{
	return symbols->file.count;
}

const struct symbol *symbols_at(const struct trapline_symbols *symbols,
				size_t index)
{
	return &symbols->file.symbols[index];
}

bool symbol_is_code(const struct symbol *symbol)
{
	return strchr("tTwW", symbol->type);
}
