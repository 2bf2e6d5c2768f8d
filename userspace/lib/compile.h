/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From the tree of a definition to an event: what needs the kernel's symbols,
 * and what it compiles to.
 */
#ifndef TRAPLINE_COMPILE_H
#define TRAPLINE_COMPILE_H

#include "event.h"
#include "spec.h"
#include "symbols.h"

/**
 * compile_event() - make an event
 * @spec: the definition; names and paths in it are replaced
 * @symbols: the kernel's symbols
 * @at: the function, or that of the tracepoint; NULL: to be found by the
 *	definition's place
 * @out: the event
 * @err: filled on failure
 */
int compile_event(struct spec *spec,
		  const struct trapline_symbols *symbols,
		  const struct symbol *at, struct trapline_event **out,
		  struct trapline_error *err);

/* ---- resolve.c -------------------------------------------------------- */

/**
 * resolve_place() - find where an event is
 * @spec: the definition
 * @symbols: the kernel's symbols
 * @at: the function, or that of the tracepoint; NULL: to be found
 * @event: place, address, symbol, module, offset and symbol_bytes are filled
 *	in, also in part when it fails
 * @err: filled on failure
 */
int resolve_place(const struct spec *spec,
		  const struct trapline_symbols *symbols,
		  const struct symbol *at, struct trapline_event *event,
		  struct trapline_error *err);
/** resolve_module_loaded() - is there a module of that name? */
bool resolve_module_loaded(const struct trapline_symbols *symbols,
			   const struct spec_slice *module);

/** resolve_tracepoint() - the same for a tracepoint; address and offset stay 0 */
int resolve_tracepoint(const struct spec *spec,
		       const struct trapline_symbols *symbols,
		       const struct symbol *at, struct trapline_event *event, struct trapline_error *err);

/**
 * resolve_symbol() - the address of the symbol of an "@SYMBOL"
 * @fetch: of kind SPEC_SYMBOL
 * @symbols: the kernel's symbols
 * @address: out: of the symbol, without the offset
 * @err: filled on failure
 */
int resolve_symbol(const struct spec_fetch *fetch,
		   const struct trapline_symbols *symbols, uint64_t *address,
		   struct trapline_error *err);

/* ---- places.c, places_function.c -------------------------------------- */

struct places_kind;

/**
 * struct places - what a name or a pattern stands for
 * @kind: functions or tracepoints, see places.h
 * @at: functions by their addresses, of several names of one address the first;
 *	those of tracepoints by name
 * @count: how many
 * @barred: how many fit, but cannot be probed
 */
struct places {
	const struct places_kind *kind;
	const struct symbol **at;
	size_t count;
	size_t barred;
};

/**
 * places_sort() - order functions by address, each address once
 * @places: filled in but for the order
 */
void places_sort(struct places *places);

/**
 * places_compile() - make an event at all places that its definition stands for
 * @spec: the definition, with a pattern or "#all"; names in it are replaced
 * @symbols: the kernel's symbols
 * @out: the event
 * @err: filled on failure
 */
int places_compile(struct spec *spec, const struct trapline_symbols *symbols,
		   struct trapline_event **out, struct trapline_error *err);

/* ---- suggest.c -------------------------------------------------------- */

/**
 * suggest_symbol() - a hint for a name that the kernel does not have
 * @symbols: the kernel's symbols
 * @name: the name
 * @only_code: suggest functions only
 * @err: its hint is filled in
 */
void suggest_symbol(const struct trapline_symbols *symbols, const char *name,
		    bool only_code, struct trapline_error *err);

/**
 * suggest_copies() - find the compiler's copies of a function
 * @symbols: the kernel's symbols
 * @module: only in this module, or NULL
 * @name: of the function, "icmp_reply"
 * @text: out: their names, "icmp_reply.constprop.0"
 * @size: of @text
 *
 * Returns the first of them, or NULL.
 */
const struct symbol *suggest_copies(const struct trapline_symbols *symbols,
				    const char *module, const char *name,
				    char *text, size_t size);

#endif
