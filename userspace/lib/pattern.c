// SPDX-License-Identifier: LGPL-2.1-or-later
/* See pattern.h. */
#include "pattern.h"

bool pattern_fits(const struct spec_slice *pattern, const char *name)
{
	const char *retry_name = NULL;
	int at = 0, retry = 0;

	while (*name || at < pattern->length) {
		const char c = at < pattern->length ? pattern->text[at] : '\0';

		if (c == '*') {
			retry = ++at;
			retry_name = name;
		} else if (*name && (c == '?' || c == *name)) {
			at++;
			name++;
		} else if (retry_name && *retry_name) {
			/* the last "*" takes one character more */
			name = ++retry_name;
			at = retry;
		} else {
			return false;
		}
	}
	return true;
}

struct spec_slice pattern_longest_run(const struct spec_slice *pattern)
{
	struct spec_slice longest = spec_cut(pattern, 0, 0);
	int from = 0;

	while (from < pattern->length) {
		const struct spec_slice rest = spec_cut(pattern, from,
							pattern->length);
		const int length = spec_find(&rest, "*?");

		if (length > longest.length)
			longest = spec_cut(&rest, 0, length);
		from += length + 1;
	}
	return longest;
}
