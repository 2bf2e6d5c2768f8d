// SPDX-License-Identifier: GPL-2.0-only
/* The distance between words: Damerau and Levenshtein's. */
#include <limits.h>
#include <string.h>

#include "suggest.h"

#define WORD_MAX 63

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

unsigned int suggest_distance(const char *a, const char *b)
{
	unsigned int rows[3][WORD_MAX + 1];
	size_t a_length = strlen(a), b_length = strlen(b), i, j;

	if (a_length > WORD_MAX || b_length > WORD_MAX)
		return UINT_MAX;
	for (j = 0; j <= b_length; j++)
		rows[0][j] = (unsigned int)j;
	for (i = 1; i <= a_length; i++) {
		unsigned int *now = rows[i % 3];
		const unsigned int *up = rows[(i + 2) % 3];
		const unsigned int *up2 = rows[(i + 1) % 3];

		now[0] = (unsigned int)i;
		for (j = 1; j <= b_length; j++) {
			unsigned int change = a[i - 1] != b[j - 1];

			now[j] = least(up[j] + 1, now[j - 1] + 1);
			now[j] = least(now[j], up[j - 1] + change);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				now[j] = least(now[j], up2[j - 2] + 1);
		}
	}
	return rows[a_length % 3][b_length];
}

int suggest_is_near(const char *word, unsigned int distance)
{
	return distance <= 1 + strlen(word) / 4;
}
