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
		      const struct symbol *symbol, struct trapline_event *event,
		      struct trapline_error *err)
{
	const struct spec_slice *subsystem = &place->subsystem;

	event->symbol = strdup(tracepoint_of(symbol));
	if (symbol->module)
		event->module = strdup(symbol->module);
	if (!event->symbol || (symbol->module && !event->module) ||
	    asprintf(&event->place, "%.*s%s%s", subsystem->length,
		     subsystem->length ? subsystem->text : "",
		     subsystem->length ? "/" : "", event->symbol) < 0) {
		event->place = NULL;
		return spec_no_memory(err);
	}
	return 0;
}

int resolve_tracepoint(const struct spec *spec,
		       const struct trapline_symbols *symbols,
		       struct trapline_event *event, struct trapline_error *err)
{
	const struct spec_place *place = &spec->place;
	char full[sizeof(prefix) + SPEC_TRACEPOINT_MAX];
	const struct symbol *const *found;
	const char *name = full + sizeof(prefix) - 1;
	int ret;

	snprintf(full, sizeof(full), "%s%.*s", prefix, place->symbol.length,
		 place->symbol.text);
	/* of several of a name the kernel's own comes first */
	if (!symbols_by_name(symbols, NULL, full, &found))
		return refuse_unknown(place, name, symbols, err);
	ret = check_subsystem(place, symbols_events(symbols), name, err);
	return ret ? ret : fill_event(place, found[0], event, err);
}
