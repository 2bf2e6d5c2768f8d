// SPDX-License-Identifier: LGPL-2.1-or-later
/* Where a place is: its symbol among the kernel's. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "regs.h"

/**
 * struct wanted - a name that is looked up
 * @symbols: where
 * @name: what
 * @module: where only, or NULL
 * @only_code: it must be a function
 * @choice: which of several, from 1; 0: there must be only one
 * @slice: the name in the line
 * @where: what of the line is wrong if it is not found
 */
struct wanted {
	const struct trapline_symbols *symbols;
	const char *name;
	const char *module;
	bool only_code;
	unsigned int choice;
	struct spec_slice slice;
	struct spec_slice where;
};

/* The compiler has made something else of the function, under other names. */
static bool refuse_copy(const struct wanted *wanted,
			struct trapline_error *err)
{
	const struct symbol *copy;
	char copies[256];

	copy = suggest_copies(wanted->symbols, wanted->module, wanted->name,
			      copies, sizeof(copies));
	if (!copy)
		return false;
	error_set(err, ERR_SYMBOL_COPY, wanted->where.column,
		  wanted->where.length, spec_shown(&wanted->slice),
		  wanted->slice.text, copies);
	error_hint(err, strstr(copy->name, ".cold") ?
		   "%s is only the part of it that seldom runs" :
		   "try %s; it may not be called in all cases, and its "
		   "arguments may differ from those in the source", copy->name);
	return true;
}

/*
 * A function that the kernel's types have, and its symbols do not. Most that
 * were inlined are in neither.
 */
static int refuse_inlined(const struct wanted *wanted,
			  struct trapline_error *err)
{
	struct types *types = symbols_types(wanted->symbols);
	struct types_function function;
	const char *missing;

	if (!types || !wanted->only_code)
		return 0;
	if (types_load(types, wanted->module, &missing))
		return spec_no_memory(err);
	if (types_function(types, wanted->module, wanted->name, &function) ==
	    TYPES_NONE)
		return 0;
	error_set(err, ERR_SYMBOL_INLINED, wanted->where.column,
		  wanted->where.length, spec_shown(&wanted->slice),
		  wanted->slice.text);
	error_hint(err, "probe a function that calls it");
	return -EINVAL;
}

static int refuse_missing(const struct wanted *wanted,
			  struct trapline_error *err)
{
	const struct spec_slice *where = &wanted->where;
	const struct spec_slice *slice = &wanted->slice;
	int ret;

	if (wanted->only_code && refuse_copy(wanted, err))
		return -EINVAL;
	ret = refuse_inlined(wanted, err);
	if (ret)
		return ret;
	if (wanted->module) {
		error_set(err, ERR_SYMBOL_MODULE, where->column, where->length,
			  (int)strnlen(wanted->module, 80), wanted->module,
			  spec_shown(slice), slice->text);
		error_hint(err, "see /proc/kallsyms for those that it has");
		return -EINVAL;
	}
	error_set(err, ERR_SYMBOL_UNKNOWN, where->column, where->length,
		  spec_shown(slice), slice->text);
	suggest_symbol(wanted->symbols, wanted->name, wanted->only_code, err);
	return -EINVAL;
}

static int refuse_ambiguous(const struct wanted *wanted,
			    const struct places *places,
			    struct trapline_error *err)
{
	char list[400];
	size_t used = 0;
	size_t i;

	error_set(err, ERR_SYMBOL_AMBIGUOUS, wanted->where.column,
		  wanted->where.length, places->count,
		  spec_shown(&wanted->slice), wanted->slice.text);
	for (i = 0; i < places->count; i++) {
		const struct symbol *symbol = places->at[i];

		if (used + 80 > sizeof(list)) {
			snprintf(list + used, sizeof(list) - used, ", ...");
			break;
		}
		used += (size_t)snprintf(list + used, sizeof(list) - used,
					 "%s%s0x%llx%s%.*s%s", used ? ", " : "",
					 wanted->only_code ? "" : "@",
					 (unsigned long long)symbol->address,
					 symbol->module ? " [" : "",
					 symbol->module ? 30 : 0,
					 symbol->module ? symbol->module : "",
					 symbol->module ? "]" : "");
	}
	if (wanted->only_code)
		error_hint(err, "choose: %s#1 to %s#%zu are at %s; %s#all are "
			   "all of them", wanted->name, wanted->name,
			   places->count, list, wanted->name);
	else
		error_hint(err, "give one of the addresses instead: %s", list);
	return -EINVAL;
}

/* The one that is meant, of those that there are. */
static int choose(const struct wanted *wanted, const struct places *places,
		  const struct symbol **out, struct trapline_error *err)
{
	if (!places->count) {
		spec_refuse(err, ERR_SYMBOL_DATA, &wanted->slice);
		error_hint(err, "its value can be an argument: @%s",
			   wanted->name);
		return -EINVAL;
	}
	if (wanted->choice > places->count) {
		error_set(err, ERR_CHOICE_RANGE,
			  wanted->slice.column + wanted->slice.length, 2,
			  spec_shown(&wanted->slice), wanted->slice.text,
			  wanted->choice, places->count);
		return -EINVAL;
	}
	if (places->count > 1 && !wanted->choice)
		return refuse_ambiguous(wanted, places, err);
	*out = places->at[wanted->choice ? wanted->choice - 1 : 0];
	return 0;
}

/* Add all symbols of a name, functions only if that is wanted. */
static int add_symbols(const struct wanted *wanted, const char *name,
		       struct places *places, size_t *found)
{
	const struct symbol *const *first;
	size_t i;

	*found = symbols_by_name(wanted->symbols, wanted->module, name, &first);
	if (!*found)
		return 0;
	free(places->at);
	places->at = calloc(*found, sizeof(places->at[0]));
	if (!places->at)
		return -ENOMEM;
	for (i = 0; i < *found; i++)
		if (!wanted->only_code || symbol_is_code(first[i]))
			places->at[places->count++] = first[i];
	/* two names of one address are one place */
	places_sort(places);
	return 0;
}

/* "openat" and "sys_openat" are "__x64_sys_openat" if they are nothing else. */
static int add_system_call(const struct wanted *wanted, struct places *places,
			   size_t *found)
{
	const char *name = wanted->name;
	size_t size = strlen(regs_syscall_prefix) + strlen(name) + 1;
	char *wrapper = malloc(size);
	size_t more = 0;
	int ret;

	if (!wrapper)
		return -ENOMEM;
	if (!strncmp(name, "sys_", 4))
		name += 4;
	snprintf(wrapper, size, "%s%s", regs_syscall_prefix, name);
	ret = add_symbols(wanted, wrapper, places, &more);
	if (more)
		*found = more;
	free(wrapper);
	return ret;
}

/* The only symbol of a name. */
static int find_symbol(const struct wanted *wanted, const struct symbol **out,
		       struct trapline_error *err)
{
	struct places places = { 0 };
	size_t found;
	int ret = add_symbols(wanted, wanted->name, &places, &found);

	if (!ret && !places.count && wanted->only_code && !wanted->module)
		ret = add_system_call(wanted, &places, &found);
	if (ret)
		ret = spec_no_memory(err);
	else if (!found)
		ret = refuse_missing(wanted, err);
	else
		ret = choose(wanted, &places, out, err);
	free(places.at);
	return ret;
}

static int refuse_address(const struct spec_place *place,
			  struct trapline_error *err)
{
	error_set(err, ERR_PLACE_ADDRESS, place->where.column,
		  place->where.length, (unsigned long long)place->address);
	error_hint(err, "addresses change at each boot (KASLR); see "
		   "/proc/kallsyms for those of now");
	return -EINVAL;
}

static int find_place(const struct spec_place *place,
		      const struct trapline_symbols *symbols,
		      const struct symbol **symbol, struct trapline_error *err)
{
	struct wanted wanted = {
		.symbols = symbols,
		.only_code = true,
		.choice = place->choice,
		.slice = place->symbol,
		.where = place->where,
	};
	char *name, *module;
	int ret;

	if (place->is_address) {
		*symbol = symbols_by_address(symbols, place->address);
		return *symbol && symbol_is_code(*symbol) ? 0 :
		       refuse_address(place, err);
	}
	name = strndup(place->symbol.text, (size_t)place->symbol.length);
	module = strndup(place->module.text ? place->module.text : "",
			 (size_t)place->module.length);
	if (name && module) {
		wanted.name = name;
		wanted.module = module[0] ? module : NULL;
		ret = find_symbol(&wanted, symbol, err);
	} else {
		ret = spec_no_memory(err);
	}
	free(name);
	free(module);
	return ret;
}

/* The place as the kernel lists it: an offset of 0 is not shown. */
static char *place_text(const struct trapline_event *event, bool with_module)
{
	const char *module = with_module ? event->module : "";
	size_t size = strlen(module) + strlen(event->symbol) + 24;
	char *text = malloc(size);
	int length;

	if (!text)
		return NULL;
	length = snprintf(text, size, "%s%s%s", module, with_module ? ":" : "",
			  event->symbol);
	if (event->offset)
		snprintf(text + length, size - (size_t)length, "+%llu",
			 (unsigned long long)event->offset);
	return text;
}

static int refuse_return_offset(const struct spec_place *place,
				const struct trapline_event *event,
				struct trapline_error *err)
{
	spec_refuse(err, ERR_RETURN_OFFSET, &place->where);
	error_hint(err, "r %s for the return, p %s+%llu for what "
		   "happens there", event->symbol, event->symbol,
		   (unsigned long long)event->offset);
	return -EINVAL;
}

static int check_offset(const struct spec *spec,
			const struct trapline_event *event,
			const struct trapline_symbols *symbols,
			struct trapline_error *err)
{
	const struct spec_slice *where = &spec->place.where;
	const struct symbol *other;

	if (spec->kind == SPEC_RETURN && event->offset)
		return refuse_return_offset(&spec->place, event, err);
	if (event->offset < event->symbol_bytes)
		return 0;
	error_set(err, ERR_PLACE_OFFSET, where->column, where->length,
		  (unsigned long long)event->offset, event->symbol,
		  (unsigned long long)event->symbol_bytes);
	other = symbols_by_address(symbols, event->address);
	if (other && symbol_is_code(other) &&
	    event->address > event->address - event->offset)
		error_hint(err, "that would be in %s", other->name);
	return -EINVAL;
}

bool resolve_module_loaded(const struct trapline_symbols *symbols,
			   const struct spec_slice *module)
{
	size_t i;

	for (i = 0; i < symbols_count(symbols); i++) {
		const struct symbol *symbol = symbols_at(symbols, i);

		if (symbol->module && spec_is(module, symbol->module))
			return true;
	}
	return false;
}

/* A place in a module that is not there: what can be said of it now. */
static int expect_place(const struct spec *spec, struct trapline_event *event,
			struct trapline_error *err)
{
	const struct spec_place *place = &spec->place;

	if (place->choice) {
		error_set(err, ERR_PENDING_CHOICE, place->where.column,
			  place->where.length, spec_shown(&place->module),
			  place->module.text, place->choice);
		error_hint(err, "load it first");
		return -EINVAL;
	}
	event->offset = place->offset;
	event->follows_module = true;
	event->waits = true;
	event->symbol = strndup(place->symbol.text,
				(size_t)place->symbol.length);
	event->module = strndup(place->module.text,
				(size_t)place->module.length);
	if (!event->symbol || !event->module)
		return spec_no_memory(err);
	if (spec->kind != SPEC_ENTRY && event->offset)
		return refuse_return_offset(place, event, err);
	event->place = place_text(event, true);
	return event->place ? 0 : spec_no_memory(err);
}

/* A name that the module has once will be found when it comes back. */
static bool will_be_found(const struct spec_place *place,
			  const struct symbol *symbol)
{
	return symbol->module && !place->is_address && !place->choice;
}

/* What the kernel would refuse too, later and without a reason of its own. */
static int check_forbidden(const struct spec *spec,
			   const struct trapline_event *event,
			   const struct trapline_symbols *symbols,
			   struct trapline_error *err)
{
	static const struct {
		enum error_code code;
		const char *hint;
	} refusals[] = {
		[FORBIDDEN_BLACKLIST] = {
			ERR_PLACE_BLACKLIST, "probe a function that calls it; "
			"/sys/kernel/debug/kprobes/blacklist is the list" },
		[FORBIDDEN_NOINSTR] = {
			ERR_PLACE_NOINSTR, "probe a function that it calls" },
		[FORBIDDEN_INIT] = {
			ERR_PLACE_INIT, "the kernel's own probes can be there "
			"while it starts: kprobe_event= among its parameters" },
	};
	const struct spec_slice *where = &spec->place.where;
	enum forbidden why = forbidden_at(symbols, event->address);

	if (!why)
		return 0;
	error_set(err, refusals[why].code, where->column, where->length,
		  event->symbol);
	error_hint(err, "%s", refusals[why].hint);
	return -EINVAL;
}

int resolve_place(const struct spec *spec,
		  const struct trapline_symbols *symbols,
		  const struct symbol *at, struct trapline_event *event,
		  struct trapline_error *err)
{
	const struct spec_place *place = &spec->place;
	const struct symbol *symbol = at;
	int ret = 0;

	if (spec->kind == SPEC_TRACEPOINT)
		return resolve_tracepoint(spec, symbols, at, event, err);
	if (!at && place->module.length &&
	    !resolve_module_loaded(symbols, &place->module))
		return expect_place(spec, event, err);
	if (!at)
		ret = find_place(place, symbols, &symbol, err);
	if (ret)
		return ret;
	event->offset = place->is_address ? place->address - symbol->address :
					    place->offset;
	event->address = symbol->address + event->offset;
	event->follows_module = !at && will_be_found(place, symbol);
	event->symbol_bytes = symbol->bytes;
	event->symbol = strdup(symbol->name);
	if (symbol->module)
		event->module = strdup(symbol->module);
	if (!event->symbol || (symbol->module && !event->module))
		return spec_no_memory(err);
	ret = check_offset(spec, event, symbols, err);
	if (!ret)
		ret = check_forbidden(spec, event, symbols, err);
	if (ret)
		return ret;
	event->place = place_text(event, event->module &&
				  (place->is_address || place->module.length));
	return event->place ? 0 : spec_no_memory(err);
}

int resolve_symbol(const struct spec_fetch *fetch,
		   const struct trapline_symbols *symbols, uint64_t *address,
		   struct trapline_error *err)
{
	struct wanted wanted = {
		.symbols = symbols,
		.slice = fetch->name,
		.where = fetch->where,
	};
	const struct symbol *symbol;
	char *name = strndup(fetch->name.text, (size_t)fetch->name.length);
	int ret;

	if (!name)
		return spec_no_memory(err);
	wanted.name = name;
	ret = find_symbol(&wanted, &symbol, err);
	free(name);
	if (!ret)
		*address = symbol->address;
	return ret;
}
