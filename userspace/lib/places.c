// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * All places of an event that has several: "p vfs_*", "p ext4:*read*",
 * "p name_show#all". Each place is compiled as if it stood there alone, since
 * parameters may be elsewhere in each function, and becomes a part of the event.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "suggest.h"
#include "text.h"

/* ---- which functions -------------------------------------------------- */

/* Does the pattern fit all of the name? "*" is anything, "?" one character. */
static bool fits(const struct spec_slice *pattern, const char *name)
{
	const char *retry_name = NULL;
	int at = 0, retry = 0;

	while (*name || at < pattern->length) {
		const char c = at < pattern->length ? pattern->text[at] : '\0';

		if (c == '*') {
			retry = ++at;
			retry_name = name;
		} else if (*name && (c == '?' || c == *name)) {
			at++;
			name++;
		} else if (retry_name && *retry_name) {
			/* the last "*" takes one character more */
			name = ++retry_name;
			at = retry;
		} else {
			return false;
		}
	}
	return true;
}

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
		     const struct symbol *symbol)
{
	const struct spec_slice *module = &place->module;

	if (!symbol_is_code(symbol) || symbol_is_made_at_run_time(symbol))
		return false;
	if (module->length &&
	    (!symbol->module || !spec_is(module, symbol->module)))
		return false;
	if (place->is_all)
		return spec_is(&place->symbol, symbol->name);
	return !is_no_function(symbol) && fits(&place->symbol, symbol->name);
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
static void leave_out(const struct spec_place *place,
		      const struct trapline_symbols *symbols,
		      struct places *places)
{
	struct traceable *list = symbols_traceable(symbols);
	size_t i, kept = 0;

	for (i = 0; i < places->count; i++) {
		const struct symbol *symbol = places->at[i];

		if (!forbidden_at(symbols, symbol->address) &&
		    (place->is_all || traceable_has(list, symbol)))
			places->at[kept++] = symbol;
	}
	places->barred = places->count - kept;
	places->count = kept;
}

static int collect(const struct spec_place *place,
		   const struct trapline_symbols *symbols,
		   struct places *places, struct trapline_error *err)
{
	size_t i, room = 0;

	for (i = 0; i < symbols_count(symbols); i++) {
		const struct symbol *symbol = symbols_at(symbols, i);
		const struct symbol **at = places->at;

		if (!is_meant(place, symbol))
			continue;
		if (places->count == room) {
			room = room ? room * 2 : 64;
			at = realloc(at, room * sizeof(at[0]));
			if (!at)
				return spec_no_memory(err);
			places->at = at;
		}
		at[places->count++] = symbol;
	}
	if (places->count)
		places_sort(places);
	leave_out(place, symbols, places);
	return 0;
}

/* ---- what is refused -------------------------------------------------- */

/* The longest run of characters of a pattern that are none of its signs. */
static struct spec_slice longest_run(const struct spec_slice *pattern)
{
	struct spec_slice longest = spec_cut(pattern, 0, 0);
	int from = 0;

	while (from < pattern->length) {
		const struct spec_slice rest = spec_cut(pattern, from,
							pattern->length);
		const int length = spec_find(&rest, "*?");

		if (length > longest.length)
			longest = spec_cut(&rest, 0, length);
		from += length + 1;
	}
	return longest;
}

/* A pattern that fits something: "*TEXT*" for the longest text of this one. */
static bool suggest_wider(const struct spec_place *place,
			  const struct trapline_symbols *symbols,
			  struct trapline_error *err)
{
	const struct spec_slice run = longest_run(&place->symbol);
	struct spec_place wider = *place;
	char pattern[80];
	size_t i, count = 0;

	if (!run.length || run.length + 3 > (int)sizeof(pattern))
		return false;
	snprintf(pattern, sizeof(pattern), "*%.*s*", run.length, run.text);
	wider.symbol.text = pattern;
	wider.symbol.length = (int)strlen(pattern);
	for (i = 0; i < symbols_count(symbols); i++)
		count += is_meant(&wider, symbols_at(symbols, i));
	if (count)
		error_hint(err, "%s fits %zu", pattern, count);
	return count;
}

static bool is_pending(const struct spec_place *place,
		       const struct trapline_symbols *symbols)
{
	return place->module.length &&
	       !resolve_module_loaded(symbols, &place->module);
}

static int refuse_empty(const struct spec_place *place,
			const struct trapline_symbols *symbols,
			const struct places *places, struct trapline_error *err)
{
	const struct spec_slice run = longest_run(&place->symbol);
	char *name = strndup(run.text, (size_t)run.length);

	if (!name)
		return spec_no_memory(err);
	error_set(err, ERR_PATTERN_EMPTY, place->where.column,
		  place->where.length, spec_shown(&place->where),
		  place->where.text);
	if (is_pending(place, symbols))
		error_hint(err, "the module is not loaded, so what it has is "
			   "not known; load it first: modprobe %.*s",
			   spec_shown(&place->module), place->module.text);
	else if (places->barred)
		error_hint(err, "%zu fit where the kernel allows no "
			   "probe, or that ftrace does not know; give "
			   "one by its name and see", places->barred);
	else if (!suggest_wider(place, symbols, err))
		suggest_symbol(symbols, name, true, err);
	free(name);
	return -EINVAL;
}

static int check_count(const struct spec_place *place,
		       const struct trapline_symbols *symbols,
		       const struct places *places, struct trapline_error *err)
{
	if (!places->count)
		return refuse_empty(place, symbols, places, err);
	if (places->count <= SPEC_PLACES_MAX)
		return 0;
	error_set(err, ERR_PLACES_MANY, place->where.column,
		  place->where.length, spec_shown(&place->where),
		  place->where.text, places->count, SPEC_PLACES_MAX);
	error_hint(err, "a narrower pattern, or MODULE:PATTERN for those of "
		   "one module");
	return -EINVAL;
}

/* ---- the event -------------------------------------------------------- */

/*
 * The arguments as they were written: what stands for them may differ from one
 * function to the next. A call's own ones are not in the line.
 */
static char *written_args(const struct spec *spec)
{
	struct text text;
	char *written;
	size_t size = 1;
	unsigned int i;

	for (i = 0; i < spec->arg_count; i++)
		size += (size_t)spec->args[i].where.length + 1;
	written = malloc(size);
	if (!written)
		return NULL;
	text_start(&text, written, size);
	for (i = 0; i < spec->arg_count; i++)
		if (!spec->args[i].is_added)
			text_add(&text, " %.*s", spec->args[i].where.length,
				 spec->args[i].where.text);
	return written;
}

/* "vfs_*", without "%return": the letter says it */
static char *written_place(const struct spec_place *place)
{
	return strndup(place->where.text,
		       (size_t)spec_find(&place->where, "%"));
}

/* Says which of the functions is not like the others. */
static void name_place(struct trapline_error *err, const struct places *places,
		       size_t which)
{
	if (!err->hint[0] && err->code != ERR_NO_MEMORY)
		error_hint(err, "that is so at %s, one of %zu places",
			   places->at[which]->name, places->count);
}

/* Takes over @part, which is compiled. */
static void add_part(struct trapline_event *event, struct trapline_event *part)
{
	part->whole = event;
	event->more[event->more_count++] = part;
	part->index = event->more_count;
}

/* The others: names in a tree are replaced, so each needs one of its own. */
static int compile_more(struct trapline_event *event,
			const struct trapline_symbols *symbols,
			const struct places *places, struct trapline_error *err)
{
	struct trapline_event *part;
	struct spec *spec;
	size_t i;
	int ret = 0;

	event->more = calloc(places->count, sizeof(event->more[0]));
	if (!event->more)
		return spec_no_memory(err);
	for (i = 1; !ret && i < places->count; i++) {
		ret = spec_parse(event->line, &spec, err);
		if (ret)
			break;
		ret = compile_event(spec, symbols, places->at[i], &part, err);
		if (ret)
			name_place(err, places, i);
		else
			add_part(event, part);
		spec_free(spec);
	}
	return ret;
}

static int compile_all(struct spec *spec,
		       const struct trapline_symbols *symbols,
		       const struct places *places,
		       struct trapline_event **out, struct trapline_error *err)
{
	char *written = written_args(spec);
	char *place = written_place(&spec->place);
	int ret;

	if (written && place)
		ret = compile_event(spec, symbols, places->at[0], out, err);
	else
		ret = spec_no_memory(err);
	if (ret) {
		free(written);
		free(place);
		if (places->count > 1)
			name_place(err, places, 0);
		return ret;
	}
	free((*out)->place);
	(*out)->place = place;
	(*out)->written = written;
	return compile_more(*out, symbols, places, err);
}

int places_compile(struct spec *spec, const struct trapline_symbols *symbols,
		   struct trapline_event **out, struct trapline_error *err)
{
	struct places places = { 0 };
	int ret;

	*out = NULL;
	ret = collect(&spec->place, symbols, &places, err);
	/* where there is not even one, the reason is that of a single place */
	if (!ret && spec->place.is_all && !places.count && places.barred <= 1 &&
	    !is_pending(&spec->place, symbols))
		ret = compile_event(spec, symbols, NULL, out, err);
	else if (!ret)
		ret = check_count(&spec->place, symbols, &places, err);
	if (!ret && places.count)
		ret = compile_all(spec, symbols, &places, out, err);
	if (ret) {
		trapline_event_free(*out);
		*out = NULL;
	}
	free(places.at);
	return ret;
}
