/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was meant, for a name that there is not: the nearest of those that there
 * are.
 */
#ifndef TRAPLINE_SUGGEST_H
#define TRAPLINE_SUGGEST_H

#include <stdbool.h>

#include "trapline.h"

enum { SUGGEST_MAX = 3 };	/* names proposed */

struct near_name {
	const char *name;
	int distance;
};

/**
 * struct suggest - a search for near names
 * @name: for this one; set by the caller, with all else zero
 * @near: the nearest so far, the nearest first
 */
struct suggest {
	const char *name;
	struct near_name near[SUGGEST_MAX];
};

/** suggest_try() - a name that there is; must outlive the search */
void suggest_try(struct suggest *suggest, const char *name);
/** suggest_hint() - propose what was found; false if that is nothing */
bool suggest_hint(const struct suggest *suggest, struct trapline_error *err);

#endif
