// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which functions a pattern, or a name that several have, stands for. */
#include <stdlib.h>
#include <string.h>

#include "pattern.h"
#include "places.h"

static bool starts(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/*
 * Code that is no function: the part of one that seldom runs, to which it
 * jumps; the padding before one; a call that the kernel rewrites. Nobody means
 * these by a pattern, and at the first a return probe would take a wrong word
 * of the stack for the return address.
 */
static bool is_no_function(const struct symbol *symbol)
{
	return strstr(symbol->name, ".cold") || starts(symbol->name, "__pfx_") ||
	       starts(symbol->name, "__cfi_") || starts(symbol->name, "__SCT__");
}

static bool is_meant(const struct spec_place *place,
		     const struct trapline_symbols *symbols,
		     const struct symbol *symbol)
{
	const struct spec_slice *module = &place->module;

	(void)symbols;
	if (!symbol_is_code(symbol) || symbol_is_made_at_run_time(symbol))
		return false;
	if (module->length &&
	    (!symbol->module || !spec_is(module, symbol->module)))
		return false;
	if (place->is_all)
		return spec_is(&place->symbol, symbol->name);
	return !is_no_function(symbol) &&
	       pattern_fits(&place->symbol, symbol->name);
}

static const char *name_of(const struct symbol *symbol)
{
	return symbol->name;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct symbol *x = *(const struct symbol *const *)a;
	const struct symbol *y = *(const struct symbol *const *)b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	/* the file's first, which is the name that the kernel prints */
	return x < y ? -1 : x > y;
}

void places_sort(struct places *places)
{
	size_t i, kept = 0;

	qsort(places->at, places->count, sizeof(places->at[0]),
	      compare_addresses);
	for (i = 0; i < places->count; i++) {
		if (kept &&
		    places->at[kept - 1]->address == places->at[i]->address)
			continue;
		places->at[kept++] = places->at[i];
	}
	places->count = kept;
}

/* Without those that the kernel is known to refuse, or may be no functions. */
static void finish(const struct spec_place *place,
		   const struct trapline_symbols *symbols,
		   struct places *places)
{
	struct traceable *list = symbols_traceable(symbols);
	size_t i, kept = 0;

	places_sort(places);
	for (i = 0; i < places->count; i++) {
		const struct symbol *symbol = places->at[i];

		if (!forbidden_at(symbols, symbol->address) &&
		    (place->is_all || traceable_has(list, symbol)))
			places->at[kept++] = symbol;
	}
	places->barred = places->count - kept;
	places->count = kept;
}

static void suggest(const struct spec_place *place,
		    const struct trapline_symbols *symbols, const char *text,
		    struct trapline_error *err)
{
	(void)place;
	suggest_symbol(symbols, text, true, err);
}

const struct places_kind places_functions = {
	.one = "function that can be probed",
	.many = "functions",
	.narrow = "a narrower pattern, or MODULE:PATTERN for those of one module",
	.is_meant = is_meant,
	.name = name_of,
	.finish = finish,
	.suggest = suggest,
};
