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
#define TYPES_FOLDER "/sys/kernel/btf"
#define BLACKLIST_PATH "/sys/kernel/debug/kprobes/blacklist"
#define TRACEABLE_PATH "/sys/kernel/tracing/available_filter_functions"
#define EVENTS_FOLDER "/sys/kernel/tracing/events"
#define CORE_PATH "/proc/kcore"
#define PROBES_PATH "/sys/kernel/debug/kprobes/list"

/**
 * struct trapline_symbols - the table
 * @file: the symbols in the file's order
 * @by_name: sorted by hash of the name, name, module (the kernel first) and
 *	address
 * @by_address: sorted by address; of several names the file's first first,
 *	which is the one that the kernel prints
 * @types: of the kernel that the symbols are of, or NULL: not known
 * @blacklist: of that kernel, or NULL: not known
 * @traceable: functions of that kernel that ftrace knows, or NULL: not known
 * @events: where that kernel lists its events, or NULL: not known
 * @code: where its code is seen
 */
struct trapline_symbols {
	struct kallsyms file;
	const struct symbol **by_name;
	const struct symbol **by_address;
	struct types *types;
	struct blacklist *blacklist;
	struct traceable *traceable;
	const char *events;
	struct code_files code;
};

/* What is sorted: a key and where it came from. */
struct sort_key {
	uint64_t key;
	uint64_t index;
};

/* ---- order ------------------------------------------------------------ */

#define DIGIT_BITS 8
#define DIGITS (1u << DIGIT_BITS)

static unsigned int digit_of(const struct sort_key *key, unsigned int shift)
{
	return key->key >> shift & (DIGITS - 1);
}

/* Sort by one digit into @to, keeping the order of equal ones. */
static void sort_digit(const struct sort_key *from, struct sort_key *to,
		       size_t count, unsigned int shift)
{
	size_t at[DIGITS + 1] = { 0 };
	size_t i;

	for (i = 0; i < count; i++)
		at[digit_of(&from[i], shift) + 1]++;
	for (i = 0; i < DIGITS; i++)
		at[i + 1] += at[i];
	for (i = 0; i < count; i++)
		to[at[digit_of(&from[i], shift)]++] = from[i];
}

/*
 * Sort the keys, equal ones by their index: digit by digit from the lowest one
 * on (radix sort), a tenth of the work of comparing. @keys has room for twice
 * as many; there is an even number of digits, so that they end where they were.
 */
static void sort_keys(struct sort_key *keys, size_t count)
{
	struct sort_key *from = keys, *to = keys + count, *last;
	unsigned int shift;

	for (shift = 0; shift < 64; shift += DIGIT_BITS) {
		sort_digit(from, to, count, shift);
		last = from;
		from = to;
		to = last;
	}
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

/*
 * Code that the kernel makes while it runs has no module: what kallsyms has in
 * brackets there tells its maker. Its pages lie among those of the modules.
 */
bool symbol_is_made_at_run_time(const struct symbol *symbol)
{
	static const char builtin[] = "__builtin__";

	return symbol->module &&
	       (!strncmp(symbol->module, builtin, strlen(builtin)) ||
		!strcmp(symbol->module, "bpf"));
}

/* True if nothing but @symbol can be between its address and that of @next. */
static bool reaches(const struct symbol *symbol, const struct symbol *next)
{
	if (compare_modules(next->module, symbol->module) ||
	    symbol_is_made_at_run_time(symbol))
		return false;
	/* a module's code and its data may have other modules between them */
	if (symbol->module && symbol_is_code(next) != symbol_is_code(symbol))
		return false;
	return next->address >> 63 == symbol->address >> 63;
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
	 * A module's last symbol does not reach to the next module, a page of
	 * generated code not to the next such page, and the per-CPU offsets at
	 * the bottom not to the kernel. Their true ends are not known; code ends
	 * with its page at least.
	 */
	if (next && (reaches(symbols->by_address[to - 1], next) ||
		     next->address - address < page_end))
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
	struct sort_key *keys = calloc(2 * count, sizeof(*keys));

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
	/* a file's symbols may be those of another kernel */
	if (!ret && !path) {
		symbols_set_events(symbols, EVENTS_FOLDER);
		symbols_set_code(symbols, CORE_PATH, PROBES_PATH);
	}
	if (!ret && !path && (symbols_set_types(symbols, TYPES_FOLDER) ||
			      symbols_set_blacklist(symbols, BLACKLIST_PATH) ||
			      symbols_set_traceable(symbols, TRACEABLE_PATH)))
		ret = no_memory(err);
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
	types_free(symbols->types);
	blacklist_free(symbols->blacklist);
	traceable_free(symbols->traceable);
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

struct types *symbols_types(const struct trapline_symbols *symbols)
{
	return symbols->types;
}

int symbols_set_types(struct trapline_symbols *symbols, const char *folder)
{
	struct types *types = types_new(folder);

	if (!types)
		return -ENOMEM;
	types_free(symbols->types);
	symbols->types = types;
	return 0;
}

struct blacklist *symbols_blacklist(const struct trapline_symbols *symbols)
{
	return symbols->blacklist;
}

int symbols_set_blacklist(struct trapline_symbols *symbols, const char *path)
{
	struct blacklist *list = blacklist_new(path);

	if (!list)
		return -ENOMEM;
	blacklist_free(symbols->blacklist);
	symbols->blacklist = list;
	return 0;
}

struct traceable *symbols_traceable(const struct trapline_symbols *symbols)
{
	return symbols->traceable;
}

int symbols_set_traceable(struct trapline_symbols *symbols, const char *path)
{
	struct traceable *list = traceable_new(path);

	if (!list)
		return -ENOMEM;
	traceable_free(symbols->traceable);
	symbols->traceable = list;
	return 0;
}

bool symbol_is_trampoline(const struct symbol *symbol, uint64_t address)
{
	return symbol->address == address &&
	       (!strcmp(symbol->name, "arch_rethook_trampoline") ||
		!strcmp(symbol->name, "__kretprobe_trampoline"));
}

const char *symbols_events(const struct trapline_symbols *symbols)
{
	return symbols->events;
}

void symbols_set_events(struct trapline_symbols *symbols, const char *folder)
{
	symbols->events = folder;
}

const struct code_files *symbols_code(const struct trapline_symbols *symbols)
{
	return &symbols->code;
}

void symbols_set_code(struct trapline_symbols *symbols, const char *core,
		      const char *probes)
{
	symbols->code.core = core;
	symbols->code.probes = probes;
}

bool symbol_is_code(const struct symbol *symbol)
{
	return strchr("tTwW", symbol->type);
}
