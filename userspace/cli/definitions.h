/* SPDX-License-Identifier: GPL-2.0-only */
/* The definitions that a user gives: on the command line or in files. */
#ifndef TRAPLINE_DEFINITIONS_H
#define TRAPLINE_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "../lib/trapline.h"

/**
 * struct definition - one line
 * @text: without the newline
 * @file: where it is from; NULL for the command line
 * @number: of the line in the file, from 1
 * @nul: 0-based column of a NUL byte in the line, or -1
 * @event: what it became; NULL for an empty line or a comment
 * @is_taken: a session owns @event
 * @refusal: why the kernel wants no probe at its place, or NULL
 */
struct definition {
	char *text;
	const char *file;
	unsigned int number;
	int nul;
	struct trapline_event *event;
	bool is_taken;
	char *refusal;
};

/** struct definitions - all of them, in the order in which they were given */
struct definitions {
	struct definition *items;
	size_t count;
};

/** definitions_add() - a line of the command line; exits when out of memory */
void definitions_add(struct definitions *defs, const char *text);

/**
 * definitions_add_file() - the lines of a file
 * @defs: where to
 * @path: "-" for standard input; must stay valid
 *
 * Returns 0, or -1 after a message.
 */
int definitions_add_file(struct definitions *defs, const char *path);

/**
 * definitions_parse() - turn all into events
 * @defs: the definitions
 * @symbols: the kernel's symbols
 *
 * Reports the errors of all lines. Returns how many have one; see also
 * definitions_refused().
 */
size_t definitions_parse(struct definitions *defs,
			 const struct trapline_symbols *symbols);

/**
 * definitions_note() - say what is done in another way than the user may think
 *
 * Of each line what trapline_event_note() has, and once of all:
 * f events are fprobes in the kernel's own language; here they are p events, or
 * with %return r events: at entries by ftrace where that can be, or kprobes.
 */
void definitions_note(const struct definitions *defs);

/**
 * definitions_error() - report the error of a line, and remember it if it is the
 * place that is refused
 */
void definitions_error(struct definition *item,
		       const struct trapline_error *err);
/** definitions_refused() - how many lines are right and have no event, since the
 * kernel refuses their places
 */
size_t definitions_refused(const struct definitions *defs);
/** definitions_note_refused() - how many of how many, while the others are traced */
void definitions_note_refused(const struct definitions *defs);
/** definitions_list_refused() - which and why, after all is over */
void definitions_list_refused(const struct definitions *defs);

/** definitions_events() - how many lines became events */
size_t definitions_events(const struct definitions *defs);
/** definitions_free() - events included that no session owns */
void definitions_free(struct definitions *defs);

#endif
