/* SPDX-License-Identifier: GPL-2.0-only */
/* Text that may be any bytes. */
#ifndef TRAPLINE_CLI_UTF8_H
#define TRAPLINE_CLI_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/**
 * utf8_step() - the character at the beginning of a text
 * @text: not empty, ends with a NUL
 * @good: out: it is one of UTF-8, and no control character but a tab, nor the end
 *	of a line: a terminal can have it
 *
 * Returns its bytes; 1 for a byte that is part of none.
 */
size_t utf8_step(const char *text, bool *good);

#endif
