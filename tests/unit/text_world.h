/* SPDX-License-Identifier: GPL-2.0-only */
/* What text must be that a terminal gets: see escape_text(). */
#ifndef TRAPLINE_TEXT_WORLD_H
#define TRAPLINE_TEXT_WORLD_H

#include <stddef.h>

/*
 * It is valid UTF-8, on one line, and nothing in it controls a terminal. The
 * judge is the C library, and not the code that is tested.
 */
void text_is_printable(const char *text, size_t length);

#endif
