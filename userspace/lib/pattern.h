/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Patterns of places: "*" is anything, "?" one character. */
#ifndef TRAPLINE_PATTERN_H
#define TRAPLINE_PATTERN_H

#include <stdbool.h>

#include "spec.h"

/** pattern_fits() - does the pattern fit all of the name? */
bool pattern_fits(const struct spec_slice *pattern, const char *name);
/** pattern_longest_run() - the longest text in it that is none of its signs */
struct spec_slice pattern_longest_run(const struct spec_slice *pattern);

#endif
