/* SPDX-License-Identifier: GPL-2.0-only */
/* Which word was meant? */
#ifndef TRAPLINE_SUGGEST_H
#define TRAPLINE_SUGGEST_H

/**
 * suggest_distance() - letters to insert, delete, change or swap between words
 *
 * Words of more than 63 letters are far from everything.
 */
unsigned int suggest_distance(const char *a, const char *b);

/** suggest_is_near() - is the distance small enough for a proposal? */
int suggest_is_near(const char *word, unsigned int distance);

#endif
