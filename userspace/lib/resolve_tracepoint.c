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

static const char prefix[] = "__traceiter_";

/* The tracepoint that a symbol is of, or NULL. */
static const char *tracepoint_of(const struct symbol *symbol)
{
	const size_t length = sizeof(prefix) - 1;

	return strncmp(symbol->name, prefix, length) ? NULL :
						       symbol->name + length;
}

static int refuse_unknown(const struct spec_place *place, const char *name,
			  const struct trapline_symbols *symbols,
			  struct trapline_error *err)
{
	const struct spec_slice *symbol = &place->symbol;
	struct suggest suggest = { .name = name };
	const struct symbol *const *functions;
	size_t i;

	error_set(err, ERR_TRACEPOINT_UNKNOWN, symbol->column, symbol->length,
		  spec_shown(symbol), symbol->text);
	if (!strncmp(name, "sys_enter_", 10) || !strncmp(name, "sys_exit_", 9)) {
		error_hint(err, "system calls share two tracepoints: "
			   "`t sys_enter regs id if id == NUMBER`, and "
			   "sys_exit; or `p __x64_sys_NAME`");
		return -EINVAL;
	}
	for (i = 0; i < symbols_count(symbols); i++) {
		const char *other = tracepoint_of(symbols_at(symbols, i));

		if (other)
			suggest_try(&suggest, other);
	}
	if (suggest_hint(&suggest, err))
		return -EINVAL;
	if (symbols_by_name(symbols, NULL, name, &functions))
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
	char subsystem[256], found[256];

	if (!slice->length || !folder)
		return 0;
	snprintf(subsystem, sizeof(subsystem), "%.*s", slice->length,
		 slice->text);
	if (has_event(folder, subsystem, name) ||
	    !find_subsystem(folder, name, found, sizeof(found)))
		return 0;
	error_set(err, ERR_TRACEPOINT_SUBSYSTEM, slice->column, slice->length,
		  name, spec_shown(slice), slice->text);
	error_hint(err, "did you mean %s/%s?", found, name);
	return -EINVAL;
}

/* ---- the place -------------------------------------------------------- */

static int fill_event(const struct spec_place *place,
		      const char *module, struct trapline_event *event,
		      struct trapline_error *err)
{
	const struct spec_slice *owner = place->module.length ?
						 &place->module :
						 &place->subsystem;
	const char *mark = place->module.length ? ":" : "/";

	event->symbol = strndup(place->symbol.text, (size_t)place->symbol.length);
	event->module = module ? strdup(module) : NULL;
	if (!event->symbol || (module && !event->module) ||
	    asprintf(&event->place, "%.*s%s%s", owner->length,
		     owner->length ? owner->text : "",
		     owner->length ? mark : "", event->symbol) < 0) {
		event->place = NULL;
		return spec_no_memory(err);
	}
	return 0;
}

/* It is not there: what can be said of it now. */
static int expect_event(const struct spec_place *place,
			struct trapline_event *event, struct trapline_error *err)
{
	char module[SPEC_TRACEPOINT_MAX + 1];

	snprintf(module, sizeof(module), "%.*s", place->module.length,
		 place->module.text);
	event->waits = true;
	return fill_event(place, module, event, err);
}

/* Who has the tracepoint. What perf and bpftrace write before a ":" is a subsystem. */
static void hint_owner(const char *folder, const struct symbol *found,
		       struct trapline_error *err)
{
	const char *name = tracepoint_of(found);
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
static int resolve_in_module(const struct spec_place *place,
			     const struct trapline_symbols *symbols,
			     const struct symbol *const *found, size_t count,
			     struct trapline_event *event,
			     struct trapline_error *err)
{
	const struct spec_slice *module = &place->module;
	size_t i;

	for (i = 0; i < count; i++)
		if (found[i]->module && spec_is(module, found[i]->module))
			return fill_event(place, found[i]->module, event, err);
	if (!count && !resolve_module_loaded(symbols, module))
		return expect_event(place, event, err);
	error_set(err, ERR_TRACEPOINT_MODULE, module->column, module->length,
		  spec_shown(module), module->text, spec_shown(&place->symbol),
		  place->symbol.text);
	if (count)
		hint_owner(symbols_events(symbols), found[0], err);
	return -EINVAL;
}

int resolve_tracepoint(const struct spec *spec,
		       const struct trapline_symbols *symbols,
		       struct trapline_event *event, struct trapline_error *err)
{
	const struct spec_place *place = &spec->place;
	char full[sizeof(prefix) + SPEC_TRACEPOINT_MAX];
	const struct symbol *const *found;
	const char *name = full + sizeof(prefix) - 1;
	size_t count;
	int ret;

	snprintf(full, sizeof(full), "%s%.*s", prefix, place->symbol.length,
		 place->symbol.text);
	count = symbols_by_name(symbols, NULL, full, &found);
	if (place->module.length)
		return resolve_in_module(place, symbols, found, count, event,
					 err);
	/* of several of a name the kernel's own comes first */
	if (!count)
		return refuse_unknown(place, name, symbols, err);
	ret = check_subsystem(place, symbols_events(symbols), name, err);
	return ret ? ret : fill_event(place, found[0]->module, event, err);
}
