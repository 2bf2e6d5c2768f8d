/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A probe definition as a tree: what a line says, not what it means.
 *
 *	spec_lex.c	words, names, numbers
 *	spec_parse.c	letter, names, arguments' names
 *	spec_place.c	the place
 *	spec_tracepoint.c  the place that is a tracepoint
 *	spec_fetch.c	what an argument fetches
 *	spec_path.c	parameters and members by name
 *	spec_type.c	the type that it has
 *	spec_delete.c	lines that remove what stands above them
 *	spec_filter.c	which hits are recorded, see filter.h
 *	resolve.c	where a place is (the kernel's symbols); suggest.c: what
 *			was meant, if it is nowhere; resolve_tracepoint.c: the same
 *			of tracepoints
 *	places.c	all places of an event that has several
 *	compile.c	the event and its program
 *
 * Nothing here knows a symbol or a register. Each part of the tree keeps its
 * slice of the line, so that whoever refuses it can say where it stands.
 */
#ifndef TRAPLINE_SPEC_H
#define TRAPLINE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "event.h"

/* Limits of the language. Those of the kernel's own probes where it has one. */
enum {
	SPEC_LINE_MAX = 65536,
	SPEC_ARGS_MAX = 128,
	SPEC_NAME_MAX = 63,		/* group, event */
	SPEC_ARG_NAME_MAX = 32,
	SPEC_MAXACTIVE_MAX = 4096,
	SPEC_STACK_MAX = 2048,		/* words of a kernel stack of 16 KiB */
	SPEC_ARGUMENT_MAX = 128,	/* N of $argN */
	SPEC_LENGTH_BYTES_MAX = 4096,	/* of an array whose length is an argument */
	SPEC_DEREF_MAX = 64,		/* reads inside each other */
	SPEC_ARRAY_MAX = 4096,
	SPEC_PLACES_MAX = 1024,		/* of one event */
	SPEC_FRAMES_MAX = 127,		/* of a stack */
	SPEC_FRAMES = 16,		/* where no number is given */
	SPEC_TRACEPOINT_MAX = 200,	/* a tracepoint's name */
};

/**
 * struct spec_slice - a part of the line
 * @text: its first character; it ends by @length, not by a NUL
 * @length: in characters
 * @column: of its first character in the line, from 0
 */
struct spec_slice {
	const char *text;
	int length;
	int column;
};

enum spec_kind {
	SPEC_ENTRY,
	SPEC_RETURN,
	SPEC_TRACEPOINT,
};

/**
 * struct spec_place - where
 * @where: all of it
 * @is_address: a number; otherwise a symbol
 * @address: the number
 * @module: of the symbol; length 0: none given
 * @symbol: the symbol; the name of a tracepoint
 * @subsystem: of a tracepoint; length 0: none given
 * @choice: which of several of that name, by their addresses, from 1; 0: the
 *	only one
 * @is_pattern: @symbol has "*" or "?": all functions, or tracepoints, that it fits
 * @is_all: all functions of that name
 * @offset: bytes after it
 */
struct spec_place {
	struct spec_slice where;
	bool is_address;
	uint64_t address;
	struct spec_slice module;
	struct spec_slice symbol;
	struct spec_slice subsystem;
	unsigned int choice;
	bool is_pattern;
	bool is_all;
	uint64_t offset;
};

enum spec_fetch_kind {
	SPEC_REGISTER,		/* %name */
	SPEC_ARGUMENT,		/* $argN: number */
	SPEC_SYSTEM_ARGUMENT,	/* $sysargN: number */
	SPEC_STACK_POINTER,	/* $stack */
	SPEC_STACK,		/* $stackN: number */
	SPEC_RETVAL,		/* $retval */
	SPEC_DURATION,		/* $duration */
	SPEC_TASK,		/* $tid, ...: number is one of TL_TASK_* */
	SPEC_COMM,		/* $comm */
	SPEC_FRAME_LIST,	/* $kstack:number, user: $ustack:number */
	SPEC_ADDRESS,		/* @number */
	SPEC_SYMBOL,		/* @name, number is the offset */
	SPEC_NUMBER,		/* \number */
	SPEC_TEXT,		/* \"name" */
	SPEC_DEREF,		/* +number(inner), +unumber(inner) */
	SPEC_CURRENT,		/* $current */
	SPEC_ALL_ARGUMENTS,	/* $arg* */
	SPEC_PARAMETER,		/* name */
	SPEC_PATH,		/* path, from inner on */
};

enum spec_step_kind {
	SPEC_ARROW,	/* ->name */
	SPEC_DOT,	/* .name */
	SPEC_INDEX,	/* [number] */
};

/**
 * struct spec_step - one step of a path
 * @kind: which
 * @where: all of it
 * @name: of the member; the number as it stands
 * @number: of the element
 */
struct spec_step {
	enum spec_step_kind kind;
	struct spec_slice where;
	struct spec_slice name;
	uint64_t number;
};

/**
 * struct spec_path - the way from a value to a member, "(type,field)inner->..."
 * @type: name of the struct that the value points to; length 0: as its type says
 * @field: the value points to this member of it; length 0: to the struct
 * @steps: the way
 * @step_count: how many
 */
struct spec_path {
	struct spec_slice type;
	struct spec_slice field;
	struct spec_step *steps;
	unsigned int step_count;
};

/**
 * struct spec_fetch - one step of a fetch, the outermost first
 * @kind: which
 * @where: all of it
 * @name: what the kind calls name, without signs and quotes
 * @number: what the kind calls number; negative ones in two's complement
 * @user: the memory is the user's (DEREF), the stack is (FRAME_LIST)
 * @inner: what gives the address (DEREF), where a path begins (PATH), or NULL
 * @path: of a PATH, or NULL
 */
struct spec_fetch {
	enum spec_fetch_kind kind;
	struct spec_slice where;
	struct spec_slice name;
	uint64_t number;
	bool user;
	struct spec_fetch *inner;
	struct spec_path *path;
};

enum spec_name_of {
	SPEC_NAME_OF_NONE,
	SPEC_NAME_OF_DENTRY,	/* %pd */
	SPEC_NAME_OF_FILE,	/* %pD */
};

/**
 * struct spec_type - the type of an argument
 * @where: what follows ":"; length 0: no type is given
 * @format: how the value is printed
 * @bytes: 1, 2, 4, 8, or 0 for a string
 * @user: the string is in user memory
 * @bits: of a bit field; 0: it is none
 * @shift: of a bit field: the bits below it
 * @array: "[N]" of an array; length 0: none
 * @length_of: the name of an earlier argument in the place of N; length 0: none
 * @elements: N, or how many there can be
 * @name_of: the string is the name of what is pointed to
 */
struct spec_type {
	struct spec_slice where;
	enum field_format format;
	unsigned int bytes;
	bool user;
	unsigned int bits;
	unsigned int shift;
	struct spec_slice array;
	struct spec_slice length_of;
	unsigned int elements;
	enum spec_name_of name_of;
};

/**
 * struct spec_arg - one argument
 * @where: all of it
 * @body: without "NAME="
 * @name: given, or "argN"
 * @fetch: the outermost step
 * @type: of the value
 * @listed: the body as it is listed; NULL: as it was written
 * @is_added: it is not in the line: each record of a call has it
 */
struct spec_arg {
	struct spec_slice where;
	struct spec_slice body;
	char name[SPEC_ARG_NAME_MAX + 1];
	struct spec_fetch *fetch;
	struct spec_type type;
	char *listed;
	bool is_added;
};

/**
 * struct spec - a definition
 * @line: a copy of the line; all slices point into it
 * @kind: entry, return or tracepoint
 * @is_call: a return whose records are of whole calls, letter "c"
 * @maxactive: 0: not given
 * @group: length 0: not given
 * @event: length 0: not given
 * @place: where
 * @args: the arguments
 * @arg_count: how many
 * @filter: which hits are recorded; NULL: all. See filter.h.
 */
struct spec {
	char *line;
	enum spec_kind kind;
	bool is_call;
	unsigned int maxactive;
	struct spec_slice group;
	struct spec_slice event;
	struct spec_place place;
	struct spec_arg *args;
	unsigned int arg_count;
	struct filter *filter;
};

/**
 * spec_parse() - a line becomes a tree
 * @line: the line
 * @out: the tree, to be freed with spec_free(); NULL if the line has no
 *	definition
 * @err: filled on failure
 */
int spec_parse(const char *line, struct spec **out, struct trapline_error *err);
/** spec_free() - free a tree, whole or half built; NULL is allowed */
void spec_free(struct spec *spec);

/** spec_free_fetch() - free a chain of steps; NULL is allowed */
void spec_free_fetch(struct spec_fetch *fetch);
/** spec_new_fetch() - an empty step at @link, or NULL */
struct spec_fetch *spec_new_fetch(struct spec_fetch **link,
				  struct trapline_error *err);
/**
 * spec_check_names() - is the name of each argument free?
 *
 * To be asked when all of them are known: names of parameters are not before
 * the place is resolved.
 */
int spec_check_names(const struct spec *spec, struct trapline_error *err);

/**
 * spec_parse_names() - parse "[GROUP/][EVENT]"
 * @spec: group and event are filled in
 * @names: the names
 * @err: filled on failure
 */
int spec_parse_names(struct spec *spec, const struct spec_slice *names,
		     struct trapline_error *err);

/* ---- spec_place.c, spec_fetch.c, spec_path.c, spec_type.c -------------- */

/**
 * spec_parse_place() - parse the second word of a definition
 * @spec: letter and names are known; place is filled in, and kind becomes
 *	SPEC_RETURN at "%return"
 * @word: the word
 * @err: filled on failure
 */
int spec_parse_place(struct spec *spec, const struct spec_slice *word,
		     struct trapline_error *err);

/** spec_parse_tracepoint() - the same for a tracepoint */
int spec_parse_tracepoint(struct spec *spec, const struct spec_slice *word,
			  struct trapline_error *err);
/** spec_missing_tracepoint() - refuse a line that ends at @end, before the place */
int spec_missing_tracepoint(const struct spec *spec,
			    const struct spec_slice *end,
			    struct trapline_error *err);
/** spec_place_argument() - refuse @word, an argument where the place should be */
int spec_place_argument(const struct spec *spec, const struct spec_slice *word,
			struct trapline_error *err);

/**
 * spec_parse_fetch() - parse an argument's body, its type included
 * @arg: body is set, fetch and type are filled in
 * @err: filled on failure; what was allocated stays in @arg
 */
int spec_parse_fetch(struct spec_arg *arg, struct trapline_error *err);

/**
 * spec_parse_chain() - parse a fetch, without a type
 * @arg: body is set, fetch is filled in
 * @at: in and out: where in the body
 * @err: filled on failure; what was allocated stays in @arg
 */
int spec_parse_chain(struct spec_arg *arg, int *at, struct trapline_error *err);

/**
 * spec_parse_base() - parse what is no read of memory and no text
 * @fetch: where is set, the others are filled in
 * @err: filled on failure
 */
int spec_parse_base(struct spec_fetch *fetch, struct trapline_error *err);

/**
 * spec_parse_path() - parse a parameter's name, and members of anything
 * @fetch: where is set: NAME, or BASE->..., or (TYPE)FETCH->...
 * @err: filled on failure; what was allocated stays in @fetch
 */
int spec_parse_path(struct spec_fetch *fetch, struct trapline_error *err);
/** spec_path_base() - how much of "$name->member" is "$name" */
int spec_path_base(const struct spec_slice *where);
/** spec_cast_length() - how long is the fetch that begins with "(TYPE"? */
int spec_cast_length(const struct spec_slice *rest);

/**
 * struct spec_task - a number that is known of the current task
 * @name: "$name" in an argument, "name" in a filter
 * @which: TL_TASK_*
 * @bytes: it has
 */
struct spec_task {
	const char *name;
	uint32_t which;
	unsigned int bytes;
};

/** spec_find_task() - by its name; NULL: there is none of that name */
const struct spec_task *spec_find_task(const struct spec_slice *name);

/**
 * spec_parse_type() - parse the type of an argument
 * @type: where is set, the others are filled in
 * @err: filled on failure
 */
int spec_parse_type(struct spec_type *type, struct trapline_error *err);

/* ---- spec_lex.c ------------------------------------------------------- */

/**
 * struct spec_lexer - reads a line word by word
 * @line: the line
 * @at: what comes next
 * @words: how many words were read
 */
struct spec_lexer {
	const char *line;
	const char *at;
	unsigned int words;
};

/** spec_lex_word() - the next word, or false at the end or at a comment;
 * then @word is empty and stands behind the last one */
bool spec_lex_word(struct spec_lexer *lexer, struct spec_slice *word);

bool spec_is_space(char c);
bool spec_is_digit(char c);
bool spec_is_alnum(char c);	/* "_" included */
/** spec_is_name() - is it a name of C? */
bool spec_is_name(const struct spec_slice *slice);
/** spec_is() - is the slice this text? */
bool spec_is(const struct spec_slice *slice, const char *text);
/** spec_starts() - does the slice start with this text? */
bool spec_starts(const struct spec_slice *slice, const char *text);
/** spec_find() - position of the first of these characters, or the length */
int spec_find(const struct spec_slice *slice, const char *characters);
/** spec_cut() - part of a slice, from @from up to, not with, @to */
struct spec_slice spec_cut(const struct spec_slice *slice, int from, int to);
/** spec_shown() - how many characters of a slice an error text shows */
int spec_shown(const struct spec_slice *slice);

/**
 * spec_refuse() - report a slice of the line
 * @err: filled
 * @code: a reason whose text shows at most one thing, the slice
 * @slice: the wrong part; an empty one marks where something is missing
 *
 * Returns -EINVAL.
 */
int spec_refuse(struct trapline_error *err, enum error_code code,
		const struct spec_slice *slice);
/** spec_unsupported() - the same for what a later version may understand */
int spec_unsupported(struct trapline_error *err, const char *what,
		     const struct spec_slice *slice);
/** spec_no_memory() - the same for want of memory; returns -ENOMEM */
int spec_no_memory(struct trapline_error *err);

/**
 * spec_number() - the slice as a number as C writes them
 * @slice: the number, all of it
 * @value: out
 *
 * Returns 0, -EINVAL for what is no number, -ERANGE for more than 64 bits.
 */
int spec_number(const struct spec_slice *slice, uint64_t *value);
/** spec_signed() - the same with an optional sign, in two's complement */
int spec_signed(const struct spec_slice *slice, uint64_t *value);
/** spec_decimal() - digits only, and a leading zero means nothing */
int spec_decimal(const struct spec_slice *slice, uint64_t *value);

#endif
