// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * All places of an event that has several: "p vfs_*", "p ext4:*read*",
 * "p name_show#all", "t sched_*". Each place is compiled as if it stood there
 * alone, since parameters may be elsewhere in each function, and becomes a part
 * of the event.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pattern.h"
#include "places.h"
#include "text.h"

/* ---- which places ----------------------------------------------------- */

static int collect(const struct spec_place *place,
		   const struct trapline_symbols *symbols,
		   struct places *places, struct trapline_error *err)
{
	size_t i, room = 0;

	for (i = 0; i < symbols_count(symbols); i++) {
		const struct symbol *symbol = symbols_at(symbols, i);
		const struct symbol **at = places->at;

		if (!places->kind->is_meant(place, symbols, symbol))
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
		places->kind->finish(place, symbols, places);
	return 0;
}

size_t places_count(const struct places_kind *kind,
		    const struct spec_place *place,
		    const struct trapline_symbols *symbols)
{
	size_t i, count = 0;

	for (i = 0; i < symbols_count(symbols); i++)
		count += kind->is_meant(place, symbols, symbols_at(symbols, i));
	return count;
}

/* ---- what is refused -------------------------------------------------- */

/* A pattern that fits something: "*TEXT*" for the longest text of this one. */
static bool suggest_wider(const struct places_kind *kind,
			  const struct spec_place *place,
			  const struct trapline_symbols *symbols,
			  struct trapline_error *err)
{
	const struct spec_slice run = pattern_longest_run(&place->symbol);
	struct spec_place wider = *place;
	char pattern[80];
	size_t count;

	if (!run.length || run.length + 3 > (int)sizeof(pattern))
		return false;
	snprintf(pattern, sizeof(pattern), "*%.*s*", run.length, run.text);
	wider.symbol.text = pattern;
	wider.symbol.length = (int)strlen(pattern);
	count = places_count(kind, &wider, symbols);
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

/* @text: the longest one of the pattern */
static void hint_empty(const struct spec_place *place,
		       const struct trapline_symbols *symbols,
		       const struct places *places, const char *text,
		       struct trapline_error *err)
{
	const struct places_kind *kind = places->kind;

	if (kind->explain && kind->explain(place, symbols, err))
		return;
	if (is_pending(place, symbols))
		error_hint(err, "the module is not loaded, so what it has is "
			   "not known; load it first: modprobe %.*s",
			   spec_shown(&place->module), place->module.text);
	else if (places->barred)
		error_hint(err, "%zu fit where the kernel allows no "
			   "probe, or that ftrace does not know; give "
			   "one by its name and see", places->barred);
	else if (!suggest_wider(kind, place, symbols, err))
		kind->suggest(place, symbols, text, err);
}

static int refuse_empty(const struct spec_place *place,
			const struct trapline_symbols *symbols,
			const struct places *places, struct trapline_error *err)
{
	const struct spec_slice run = pattern_longest_run(&place->symbol);
	char *text = strndup(run.text, (size_t)run.length);

	if (!text)
		return spec_no_memory(err);
	error_set(err, ERR_PATTERN_EMPTY, place->where.column,
		  place->where.length, places->kind->one,
		  spec_shown(&place->where), place->where.text);
	hint_empty(place, symbols, places, text, err);
	free(text);
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
		  place->where.text, places->count, places->kind->many,
		  SPEC_PLACES_MAX);
	error_hint(err, "%s", places->kind->narrow);
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

/* Says which of the places is not like the others, unless the text does. */
static void name_place(struct trapline_error *err, const struct places *places,
		       size_t which)
{
	const char *name = places->kind->name(places->at[which]);
	char hint[sizeof(err->hint)];

	if (err->code == ERR_NO_MEMORY || (err->hint[0] && strstr(err->text, name)))
		return;
	memcpy(hint, err->hint, sizeof(hint));
	error_hint(err, "%s%sthat is so at %s, one of %zu places", hint,
		   hint[0] ? "; " : "", name, places->count);
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
	const bool is_tracepoint = spec->kind == SPEC_TRACEPOINT;
	struct places places = {
		.kind = is_tracepoint ? &places_tracepoints : &places_functions,
	};
	int ret = 0;

	*out = NULL;
	if (places.kind->check)
		ret = places.kind->check(&spec->place, symbols, err);
	if (!ret)
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
