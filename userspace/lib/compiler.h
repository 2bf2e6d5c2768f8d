/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the compiler's files share:
 *
 *	compile.c	the event and its whole program
 *	compile_name.c	what arguments are called; parameters by name
 *	compile_path.c	names and members become registers and offsets
 *	compile_walk.c	along a path, step by step
 *	compile_arg.c	one argument becomes instructions
 *	compile_note.c	what may be meant in another way than it is written
 */
#ifndef TRAPLINE_COMPILER_H
#define TRAPLINE_COMPILER_H

#include "compile.h"

/**
 * struct compiler - what compiling an event needs
 * @spec: the definition
 * @symbols: the kernel's symbols
 * @at: the function that it is for; NULL: to be found
 * @event: what becomes of it
 * @err: why it does not
 * @arg: the argument that is being compiled, or NULL
 * @room: instructions allocated
 * @function: of the event, if its types are known
 * @function_asked: they were looked for
 * @function_found: whether they were found
 */
struct compiler {
	struct spec *spec;
	const struct trapline_symbols *symbols;
	const struct symbol *at;
	struct trapline_event *event;
	struct trapline_error *err;
	const struct spec_arg *arg;
	unsigned int room;
	struct types_function function;
	bool function_asked;
	enum types_found function_found;
};

/** compiler_emit() - append an instruction */
int compiler_emit(struct compiler *c, uint32_t op, uint32_t arg, uint64_t imm);

/** compile_fields() - how many fields an argument has: of an array of strings
 * each one is a field */
unsigned int compile_fields(const struct spec_arg *arg);

/**
 * compile_arg() - append the instructions of c->arg
 * @c: the compiler
 * @fields: as many as compile_fields() says, filled in: how the values are
 *	found in a record, and printed
 */
int compile_arg(struct compiler *c, struct field *fields);

/** compile_check_argument() - may a parameter of the function be used? */
int compile_check_argument(struct compiler *c, const struct spec_fetch *fetch);

/** compile_check_return() - may what a return has be used? An entry is refused
 * with @code */
int compile_check_return(struct compiler *c, const struct spec_fetch *fetch,
			 enum error_code code);

/* ---- compile_name.c --------------------------------------------------- */

/**
 * compile_names() - give each argument its name, and "$arg*" its arguments
 *
 * To be called when the place is resolved.
 */
int compile_names(struct compiler *c);

/** compile_added() - leave out a $retval that was added where there is none */
int compile_added(struct compiler *c);

/**
 * compile_function() - what the event's function takes and returns
 * @c: the compiler
 * @function: out: NULL where that is not known
 *
 * Returns 0 or -ENOMEM.
 */
int compile_function(struct compiler *c,
		     const struct types_function **function);
/**
 * compile_need_function() - the same for who cannot do without
 * @slice: what is refused where it is not known
 */
int compile_need_function(struct compiler *c, const struct spec_slice *slice,
			  const struct types_function **function);
/** compile_need_types() - refuse @slice if the BTF of @module is not there */
int compile_need_types(struct compiler *c, const char *module,
		       const struct spec_slice *slice);
/**
 * compile_param() - check that a parameter is where $argN looks for it
 * @c: the compiler
 * @function: its function
 * @number: N
 * @slice: what is refused
 */
int compile_param(struct compiler *c, const struct types_function *function,
		  uint64_t number, const struct spec_slice *slice);
/** compile_find_param() - the number, from 1, of a parameter by name */
int compile_find_param(struct compiler *c,
		       const struct types_function *function,
		       const struct spec_slice *name, uint64_t *number);

/* ---- compile_path.c --------------------------------------------------- */

/**
 * compile_paths() - all that needs types becomes what does not
 *
 * After this each fetch is reads of memory around a base that is a register or
 * the like, and where a type is known from the kernel it is in the argument.
 */
int compile_paths(struct compiler *c);

/* ---- compile_note.c --------------------------------------------------- */

/** compile_note() - what to say of an event that is right otherwise */
int compile_note(struct compiler *c);

#endif
