/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events with several places: what the two kinds of places, functions and
 * tracepoints, do each in its own way. places.c does the rest.
 */
#ifndef TRAPLINE_PLACES_H
#define TRAPLINE_PLACES_H

#include "compile.h"

/**
 * struct places_kind - what a pattern can stand for
 * @one: what it is called where nothing fits
 * @many: what they are called
 * @narrow: a hint for a pattern that stands for too many
 * @check: can it be known what fits? Otherwise the line is refused.
 * @is_meant: does the place stand for this symbol, among others?
 * @name: what the user calls a symbol that is meant
 * @finish: order those that were found, each once, and leave out those that
 *	nobody means; these are counted as barred
 * @explain: nothing fits: a hint if it is known why; false: it is not
 * @suggest: nothing fits, and nothing like it: a hint for the longest text of
 *	the pattern
 */
struct places_kind {
	const char *one;
	const char *many;
	const char *narrow;
	int (*check)(const struct spec_place *place,
		     const struct trapline_symbols *symbols,
		     struct trapline_error *err);
	bool (*is_meant)(const struct spec_place *place,
			 const struct trapline_symbols *symbols,
			 const struct symbol *symbol);
	const char *(*name)(const struct symbol *symbol);
	void (*finish)(const struct spec_place *place,
		       const struct trapline_symbols *symbols,
		       struct places *places);
	bool (*explain)(const struct spec_place *place,
			const struct trapline_symbols *symbols,
			struct trapline_error *err);
	void (*suggest)(const struct spec_place *place,
			const struct trapline_symbols *symbols,
			const char *text, struct trapline_error *err);
};

/** places_functions - of p, r and c; see places_function.c */
extern const struct places_kind places_functions;
/** places_tracepoints - of t; see places_tracepoint.c */
extern const struct places_kind places_tracepoints;

/** places_count() - for how many symbols does a place stand? */
size_t places_count(const struct places_kind *kind,
		    const struct spec_place *place,
		    const struct trapline_symbols *symbols);

#endif
