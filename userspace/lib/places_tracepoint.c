// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which tracepoints a pattern stands for. Unlike that of a name, its subsystem
 * chooses, so what tracefs says of it must be known.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pattern.h"
#include "places.h"
#include "suggest.h"
#include "tracepoint.h"

static int check(const struct spec_place *place,
		 const struct trapline_symbols *symbols,
		 struct trapline_error *err)
{
	const struct spec_slice *slice = &place->subsystem;
	const char *folder = symbols_events(symbols);
	char reason[256] = "the symbols are not this kernel's";
	DIR *all;

	if (!slice->length)
		return 0;
	all = folder ? opendir(folder) : NULL;
	if (all) {
		closedir(all);
		return 0;
	}
	if (folder)
		snprintf(reason, sizeof(reason), "%s: %s", folder,
			 strerror(errno));
	error_set(err, ERR_TRACEPOINT_EVENTS, slice->column, slice->length,
		  spec_shown(slice), slice->text, reason);
	error_hint(err, "mount tracefs (mount -t tracefs tracefs "
		   "/sys/kernel/tracing) and be root, or leave %.*s/ away",
		   spec_shown(slice), slice->text);
	return -EINVAL;
}

static bool is_meant(const struct spec_place *place,
		     const struct trapline_symbols *symbols,
		     const struct symbol *symbol)
{
	const struct spec_slice *module = &place->module;
	const char *name = tracepoint_name(symbol);

	if (!name || !pattern_fits(&place->symbol, name))
		return false;
	if (module->length)
		return symbol->module && spec_is(module, symbol->module);
	return !place->subsystem.length ||
	       tracepoint_is_event(symbols_events(symbols), &place->subsystem,
				   name);
}

/* By their names, the kernel's own before those of modules. */
static int compare_names(const void *a, const void *b)
{
	const struct symbol *x = *(const struct symbol *const *)a;
	const struct symbol *y = *(const struct symbol *const *)b;
	const int names = strcmp(tracepoint_name(x), tracepoint_name(y));

	if (names)
		return names;
	return strcmp(x->module ? x->module : "", y->module ? y->module : "");
}

/* None is left out: what is a tracepoint can be probed. */
static void finish(const struct spec_place *place,
		   const struct trapline_symbols *symbols,
		   struct places *places)
{
	size_t i, kept = 0;

	(void)place;
	(void)symbols;
	qsort(places->at, places->count, sizeof(places->at[0]), compare_names);
	for (i = 0; i < places->count; i++)
		if (!kept ||
		    compare_names(&places->at[kept - 1], &places->at[i]))
			places->at[kept++] = places->at[i];
	places->count = kept;
}

/* What stands before "/" or ":" may be the mistake. */
static bool explain(const struct spec_place *place,
		    const struct trapline_symbols *symbols,
		    struct trapline_error *err)
{
	const struct spec_slice *owner = &place->module, *slice = &place->symbol;
	const char *folder = symbols_events(symbols);

	if (spec_is(&place->subsystem, "syscalls") ||
	    spec_starts(slice, "sys_enter_") || spec_starts(slice, "sys_exit_")) {
		tracepoint_hint_calls(err);
		return true;
	}
	/* what perf and bpftrace write before a ":" is a subsystem */
	if (folder && owner->length && !resolve_module_loaded(symbols, owner) &&
	    tracepoint_is_subsystem(folder, owner)) {
		error_hint(err, "did you mean %.*s/%.*s?", spec_shown(owner),
			   owner->text, spec_shown(slice), slice->text);
		return true;
	}
	owner = &place->subsystem;
	if (!owner->length || tracepoint_is_subsystem(folder, owner))
		return false;
	error_hint(err, "there is no subsystem %.*s; those that there are: %s",
		   spec_shown(owner), owner->text, folder);
	return true;
}

static void suggest(const struct spec_place *place,
		    const struct trapline_symbols *symbols, const char *text,
		    struct trapline_error *err)
{
	struct spec_place wider = *place;
	size_t count = 0;

	wider.subsystem.length = 0;
	if (place->subsystem.length)
		count = places_count(&places_tracepoints, &wider, symbols);
	if (count)
		error_hint(err, "%.*s alone fits %zu, of other subsystems",
			   spec_shown(&place->symbol), place->symbol.text,
			   count);
	else if (!tracepoint_suggest(symbols, text, err))
		error_hint(err, "its module may not be loaded; see %s",
			   "/sys/kernel/tracing/available_events");
}

const struct places_kind places_tracepoints = {
	.one = "tracepoint",
	.many = "tracepoints",
	.narrow = "a narrower pattern, SUBSYSTEM/PATTERN, or MODULE:PATTERN for "
		  "those of one module",
	.check = check,
	.is_meant = is_meant,
	.name = tracepoint_name,
	.finish = finish,
	.explain = explain,
	.suggest = suggest,
};
