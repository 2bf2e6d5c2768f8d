/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of the kernel's tracepoints; see resolve_tracepoint.c. */
#ifndef TRAPLINE_TRACEPOINT_H
#define TRAPLINE_TRACEPOINT_H

#include <stdbool.h>

#include "spec.h"
#include "symbols.h"

/** tracepoint_name() - of the tracepoint that a symbol is of, or NULL */
const char *tracepoint_name(const struct symbol *symbol);

/**
 * tracepoint_is_event() - does tracefs have an event of that name?
 * @folder: with its events
 * @subsystem: in that one
 * @name: of the event
 */
bool tracepoint_is_event(const char *folder, const struct spec_slice *subsystem,
			 const char *name);
/** tracepoint_is_subsystem() - does tracefs have a subsystem of that name? */
bool tracepoint_is_subsystem(const char *folder,
			     const struct spec_slice *subsystem);

/** tracepoint_suggest() - a hint with names like this one; false: there are none */
bool tracepoint_suggest(const struct trapline_symbols *symbols,
			const char *name, struct trapline_error *err);
/** tracepoint_hint_calls() - a hint for whoever means one system call */
void tracepoint_hint_calls(struct trapline_error *err);

#endif
