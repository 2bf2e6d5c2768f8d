// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which tracepoint is meant, and whether there is one.
 *
 * Each tracepoint NAME has a function __traceiter_NAME, which calls its probes:
 * kallsyms has it on every kernel, with its module, and no tracefs is needed. The
 * subsystem is a word of tracefs alone: the kernel's tracepoints have none. It is
 * checked where tracefs can be read, and means nothing elsewhere.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile.h"
#include "suggest.h"
#include "tracepoint.h"

static const char prefix[] = "__traceiter_";

const char *tracepoint_name(const struct symbol *symbol)
{
	struct spec_slice name = { 0 };

	if (strncmp(symbol->name, prefix, sizeof(prefix) - 1) ||
	    !symbol_is_code(symbol))
		return NULL;
	name.text = symbol->name + sizeof(prefix) - 1;
	name.length = (int)strnlen(name.text, SPEC_TRACEPOINT_MAX + 1);
	if (name.length > SPEC_TRACEPOINT_MAX)
		return NULL;
	/* with a "." it is a piece that the compiler has made of the function */
	return spec_is_name(&name) ? name.text : NULL;
}

bool tracepoint_suggest(const struct trapline_symbols *symbols,
			const char *name, struct trapline_error *err)
{
	struct suggest suggest = { .name = name };
	size_t i;

	for (i = 0; i < symbols_count(symbols); i++) {
		const char *other = tracepoint_name(symbols_at(symbols, i));

		if (other)
			suggest_try(&suggest, other);
	}
	return suggest_hint(&suggest, err);
}

void tracepoint_hint_calls(struct trapline_error *err)
{
	error_hint(err, "system calls share two tracepoints: "
		   "`t sys_enter regs id if id == NUMBER`, and sys_exit; or "
		   "`p __x64_sys_NAME`");
}

static int refuse_unknown(const struct spec_place *place, const char *name,
			  const struct trapline_symbols *symbols,
			  struct trapline_error *err)
{
	const struct spec_slice *symbol = &place->symbol;
	const struct symbol *const *functions;

	error_set(err, ERR_TRACEPOINT_UNKNOWN, symbol->column, symbol->length,
		  spec_shown(symbol), symbol->text);
	if (!strncmp(name, "sys_enter_", 10) || !strncmp(name, "sys_exit_", 9))
		tracepoint_hint_calls(err);
	else if (tracepoint_suggest(symbols, name, err))
		return -EINVAL;
	else if (symbols_by_name(symbols, NULL, name, &functions))
		error_hint(err, "it is a function: did you mean `p %s`?", name);
	else
		error_hint(err, "its module may not be loaded; see %s",
			   "/sys/kernel/tracing/available_events");
	return -EINVAL;
}

/* ---- subsystems ------------------------------------------------------- */

static bool has_event(const char *folder, const char *subsystem,
		      const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/%s", folder, subsystem, name);
	return !access(path, F_OK);
}

bool tracepoint_is_event(const char *folder, const struct spec_slice *subsystem,
			 const char *name)
{
	char text[SPEC_TRACEPOINT_MAX + 1];

	snprintf(text, sizeof(text), "%.*s", subsystem->length,
		 subsystem->text);
	return has_event(folder, text, name);
}

bool tracepoint_is_subsystem(const char *folder,
			     const struct spec_slice *subsystem)
{
	return tracepoint_is_event(folder, subsystem, ".");
}

/* The first subsystem that has an event of this name; false: none has. */
static bool find_subsystem(const char *folder, const char *name, char *found,
			   size_t size)
{
	DIR *all = opendir(folder);
	const struct dirent *entry;
	bool is_found = false;

	if (!all)
		return false;
	while (!is_found && (entry = readdir(all))) {
		is_found = entry->d_name[0] != '.' &&
			   has_event(folder, entry->d_name, name);
		if (is_found)
			snprintf(found, size, "%s", entry->d_name);
	}
	closedir(all);
	return is_found;
}

/*
 * Not every tracepoint is an event of tracefs. Of one that is none nobody can
 * tell the subsystem.
 */
static int check_subsystem(const struct spec_place *place, const char *folder,
			   const char *name, struct trapline_error *err)
{
	const struct spec_slice *slice = &place->subsystem;
	char found[256];

	if (!slice->length || !folder)
		return 0;
	if (tracepoint_is_event(folder, slice, name) ||
	    !find_subsystem(folder, name, found, sizeof(found)))
		return 0;
	error_set(err, ERR_TRACEPOINT_SUBSYSTEM, slice->column, slice->length,
		  name, spec_shown(slice), slice->text);
	error_hint(err, "did you mean %s/%s?", found, name);
	return -EINVAL;
}

/* ---- the place -------------------------------------------------------- */

/* As it was written: with the module or the subsystem only if it was told. */
static char *place_text(const struct spec_place *place, const char *name)
{
	const struct spec_slice *owner = place->module.length ?
						 &place->module :
						 &place->subsystem;
	const char *mark = place->module.length ? ":" : owner->length ? "/" : "";
	const size_t size = (size_t)owner->length + strlen(name) + 2;
	char *text = malloc(size);

	if (text)
		snprintf(text, size, "%.*s%s%s", owner->length,
			 owner->length ? owner->text : "", mark, name);
	return text;
}

static int fill_event(const struct spec_place *place, const char *name,
		      const char *module, struct trapline_event *event,
		      struct trapline_error *err)
{
	event->symbol = strdup(name);
	event->module = module ? strdup(module) : NULL;
	event->place = place_text(place, name);
	return event->symbol && event->place && (!module || event->module) ?
	       0 : spec_no_memory(err);
}

/* It is not there: what can be said of it now. */
static int expect_event(const struct spec_place *place, const char *name,
			struct trapline_event *event, struct trapline_error *err)
{
	char module[SPEC_TRACEPOINT_MAX + 1];

	snprintf(module, sizeof(module), "%.*s", place->module.length,
		 place->module.text);
	event->waits = true;
	return fill_event(place, name, module, event, err);
}

/* Who has the tracepoint. What perf and bpftrace write before a ":" is a subsystem. */
static void hint_owner(const char *folder, const struct symbol *found,
		       struct trapline_error *err)
{
	const char *name = tracepoint_name(found);
	char subsystem[256];

	if (found->module)
		error_hint(err, "did you mean %s:%s?", found->module, name);
	else if (folder && find_subsystem(folder, name, subsystem, sizeof(subsystem)))
		error_hint(err, "did you mean %s/%s?", subsystem, name);
	else
		error_hint(err, "did you mean %s, which the kernel has?", name);
}

/*
 * In a module that may not be there: it is waited for then, unless somebody else
 * has a tracepoint of that name, who is probably meant. @found are all of the name.
 */
static int resolve_in_module(const struct spec_place *place, const char *name,
			     const struct trapline_symbols *symbols,
			     const struct symbol *const *found, size_t count,
			     struct trapline_event *event,
			     struct trapline_error *err)
{
	const struct spec_slice *module = &place->module;
	size_t i;

	for (i = 0; i < count; i++)
		if (found[i]->module && spec_is(module, found[i]->module))
			return fill_event(place, name, found[i]->module, event, err);
	if (!count && !resolve_module_loaded(symbols, module))
		return expect_event(place, name, event, err);
	error_set(err, ERR_TRACEPOINT_MODULE, module->column, module->length,
		  spec_shown(module), module->text, spec_shown(&place->symbol),
		  place->symbol.text);
	if (count)
		hint_owner(symbols_events(symbols), found[0], err);
	return -EINVAL;
}

int resolve_tracepoint(const struct spec *spec,
		       const struct trapline_symbols *symbols,
		       const struct symbol *at, struct trapline_event *event,
		       struct trapline_error *err)
{
	const struct spec_place *place = &spec->place;
	char full[sizeof(prefix) + SPEC_TRACEPOINT_MAX];
	const struct symbol *const *found;
	const char *name = full + sizeof(prefix) - 1;
	size_t count;
	int ret;

	if (at)
		return fill_event(place, tracepoint_name(at), at->module, event,
				  err);
	snprintf(full, sizeof(full), "%s%.*s", prefix, place->symbol.length,
		 place->symbol.text);
	count = symbols_by_name(symbols, NULL, full, &found);
	if (place->module.length)
		return resolve_in_module(place, name, symbols, found, count,
					 event, err);
	/* of several of a name the kernel's own comes first */
	if (!count)
		return refuse_unknown(place, name, symbols, err);
	ret = check_subsystem(place, symbols_events(symbols), name, err);
	return ret ? ret :
		     fill_event(place, name, found[0]->module, event, err);
}
