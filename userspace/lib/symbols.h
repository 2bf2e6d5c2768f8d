/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's symbols, inside the library: look-up by name and by address.
 */
#ifndef TRAPLINE_SYMBOLS_H
#define TRAPLINE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "btf.h"
#include "forbidden.h"
#include "traceable.h"
#include "trapline.h"

/**
 * struct symbol - one line of kallsyms
 * @name: of the symbol
 * @module: NULL for the kernel itself
 * @address: where it starts
 * @bytes: to the next symbol with another address, as the kernel counts it
 * @type: letter of nm(1); t, T, w, W are code
 */
struct symbol {
	const char *name;
	const char *module;
	uint64_t address;
	uint64_t bytes;
	char type;
};

/**
 * symbols_by_name() - all symbols of a name
 * @symbols: the table
 * @module: only of this module; NULL: the kernel and all modules
 * @name: the name
 * @first: out: the first of them, the others follow it in memory
 *
 * Returns how many there are.
 */
size_t symbols_by_name(const struct trapline_symbols *symbols,
		       const char *module, const char *name,
		       const struct symbol *const **first);

/** symbols_by_address() - the symbol that contains an address, or NULL */
const struct symbol *symbols_by_address(const struct trapline_symbols *symbols,
					uint64_t address);

/** symbols_count() - how many there are, for a walk over all of them */
size_t symbols_count(const struct trapline_symbols *symbols);
/** symbols_at() - one of them, @index from 0, in no order to rely on */
const struct symbol *symbols_at(const struct trapline_symbols *symbols,
				size_t index);

/**
 * symbols_types() - the kernel's types, to be read when they are needed
 * @symbols: the table
 *
 * Returns NULL where the symbols came from a file and not from this kernel.
 */
struct types *symbols_types(const struct trapline_symbols *symbols);
/** symbols_set_types() - others than the running kernel's; see types_new() */
int symbols_set_types(struct trapline_symbols *symbols, const char *folder);

/** symbols_blacklist() - the kernel's kprobe blacklist, see forbidden.h */
struct blacklist *symbols_blacklist(const struct trapline_symbols *symbols);
/** symbols_set_blacklist() - another than the running kernel's */
int symbols_set_blacklist(struct trapline_symbols *symbols, const char *path);

/** symbols_traceable() - the functions that ftrace knows, see traceable.h */
struct traceable *symbols_traceable(const struct trapline_symbols *symbols);
/** symbols_set_traceable() - others; @path must stay valid */
int symbols_set_traceable(struct trapline_symbols *symbols, const char *path);

/**
 * symbol_is_trampoline() - is it where a diverted return goes first?
 * @symbol: what contains @address
 * @address: that of a caller; only the start of the trampoline stands for one
 */
bool symbol_is_trampoline(const struct symbol *symbol, uint64_t address);

/**
 * symbols_events() - the folder where tracefs lists the kernel's events
 * @symbols: the table
 *
 * Returns NULL where the symbols came from a file. It may not be there, or not
 * be readable.
 */
const char *symbols_events(const struct trapline_symbols *symbols);
/** symbols_set_events() - another one than the running kernel's; it is not copied */
void symbols_set_events(struct trapline_symbols *symbols, const char *folder);

/**
 * struct code_files - where the kernel's code is seen, see instructions.h
 * @core: /proc/kcore; NULL where the symbols came from a file
 * @probes: the list of the kprobes that are in it; NULL: not known
 */
struct code_files {
	const char *core;
	const char *probes;
};

/** symbols_code() - where the code of these symbols is */
const struct code_files *symbols_code(const struct trapline_symbols *symbols);
/** symbols_set_code() - others than the running kernel's; they are not copied */
void symbols_set_code(struct trapline_symbols *symbols, const char *core,
		      const char *probes);

/** symbol_is_code() - is it a function (or a label inside code)? */
bool symbol_is_code(const struct symbol *symbol);
/** symbol_is_made_at_run_time() - is it code of no module and no function? */
bool symbol_is_made_at_run_time(const struct symbol *symbol);

#endif
