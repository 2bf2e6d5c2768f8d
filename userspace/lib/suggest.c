// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names that were meant, for a name that the kernel does not have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "regs.h"
#include "suggest.h"

enum {
	NEAR_LENGTH = 100,	/* longer names are not compared */
	COPIES_MAX = 4,
};

static int least(int a, int b, int c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

/*
 * How many characters must be changed, added or taken away to make @b of @a;
 * more than @limit are all the same. Both are at most NEAR_LENGTH long.
 */
static int edit_distance(const char *a, int a_length, const char *b,
			 int b_length, int limit)
{
	int row[NEAR_LENGTH + 1];
	int i, j;

	for (j = 0; j <= b_length; j++)
		row[j] = j;
	for (i = 1; i <= a_length; i++) {
		int corner = row[0];
		int best = i;

		row[0] = i;
		for (j = 1; j <= b_length; j++) {
			int above = row[j];

			row[j] = least(above + 1, row[j - 1] + 1,
				       corner + (a[i - 1] != b[j - 1]));
			corner = above;
			if (row[j] < best)
				best = row[j];
		}
		if (best > limit)
			return best;
	}
	return row[b_length];
}

/* Keep a name if it is among the nearest; the nearest first. */
static void keep(struct near_name near[SUGGEST_MAX], const char *name,
		 int distance)
{
	int i, place = SUGGEST_MAX;

	for (i = SUGGEST_MAX - 1; i >= 0; i--) {
		if (near[i].name && !strcmp(near[i].name, name))
			return;
		if (!near[i].name || distance < near[i].distance)
			place = i;
	}
	if (place == SUGGEST_MAX)
		return;
	memmove(&near[place + 1], &near[place],
		sizeof(near[0]) * (size_t)(SUGGEST_MAX - 1 - place));
	near[place] = (struct near_name){ name, distance };
}

void suggest_try(struct suggest *suggest, const char *name)
{
	const int length = (int)strnlen(suggest->name, NEAR_LENGTH + 1);
	const int limit = length < 4 ? 1 : length < 10 ? 2 : 3;
	const int other = (int)strnlen(name, NEAR_LENGTH + 1);
	int distance;

	if (length > NEAR_LENGTH || other > NEAR_LENGTH ||
	    abs(other - length) > limit)
		return;
	distance = edit_distance(suggest->name, length, name, other, limit);
	if (distance <= limit)
		keep(suggest->near, name, distance);
}

bool suggest_hint(const struct suggest *suggest, struct trapline_error *err)
{
	const struct near_name *near = suggest->near;

	if (near[2].name)
		error_hint(err, "did you mean %s, %s or %s?", near[0].name,
			   near[1].name, near[2].name);
	else if (near[1].name)
		error_hint(err, "did you mean %s or %s?", near[0].name,
			   near[1].name);
	else if (near[0].name)
		error_hint(err, "did you mean %s?", near[0].name);
	return near[0].name;
}

/* Neither the symbols nor the types have it; names like it stay in the hint. */
static void hint_inlined(struct trapline_error *err, bool near)
{
	char names[sizeof(err->hint)];

	if (!err)
		return;
	memcpy(names, err->hint, sizeof(names));
	error_hint(err, "%s%sthe kernel's types (BTF) do not have it either: it "
		   "may be inlined everywhere, a macro, or in a module that is "
		   "not loaded", near ? names : "", near ? " " : "");
}

void suggest_symbol(const struct trapline_symbols *symbols, const char *name,
		    bool only_code, struct trapline_error *err)
{
	const char *const prefix = regs_syscall_prefix;
	struct types *types = symbols_types(symbols);
	struct suggest suggest = { .name = name };
	const char *missing;
	bool near;
	size_t i;

	for (i = 0; i < symbols_count(symbols); i++) {
		const struct symbol *symbol = symbols_at(symbols, i);

		if (only_code && !symbol_is_code(symbol))
			continue;
		suggest_try(&suggest, symbol->name);
		/* a system call goes by its plain name, too */
		if (only_code && !strncmp(symbol->name, prefix, strlen(prefix)))
			suggest_try(&suggest, symbol->name + strlen(prefix));
	}
	near = suggest_hint(&suggest, err);
	if (only_code && types && !types_load(types, NULL, &missing) &&
	    !missing)
		hint_inlined(err, near);
	else if (near)
		return;
	else if (only_code)
		error_hint(err, "the compiler may have put it into its callers "
			   "(inlined), it may be a macro, or its module is "
			   "not loaded; see /proc/kallsyms");
	else
		error_hint(err, "see /proc/kallsyms; variables are only there "
			   "if the kernel has CONFIG_KALLSYMS_ALL");
}

const struct symbol *suggest_copies(const struct trapline_symbols *symbols,
				    const char *module, const char *name,
				    char *text, size_t size)
{
	const size_t length = strlen(name);
	const struct symbol *first = NULL;
	unsigned int copies = 0;
	size_t used = 0;
	size_t i;

	text[0] = '\0';
	for (i = 0; i < symbols_count(symbols); i++) {
		const struct symbol *symbol = symbols_at(symbols, i);

		if (strncmp(symbol->name, name, length) ||
		    symbol->name[length] != '.' || !symbol_is_code(symbol))
			continue;
		if (module && (!symbol->module ||
			       strcmp(symbol->module, module)))
			continue;
		if (copies++ >= COPIES_MAX || used >= size)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 first ? ", " : "", symbol->name);
		/* the part that seldom runs is the least wanted */
		if (!first || strstr(first->name, ".cold"))
			first = symbol;
	}
	return first;
}
