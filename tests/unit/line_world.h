/* SPDX-License-Identifier: GPL-2.0-only */
/* What must hold for any line that somebody takes for a definition. */
#ifndef TRAPLINE_LINE_WORLD_H
#define TRAPLINE_LINE_WORLD_H

/*
 * Parse a line, with the symbols of symbols_world.h: it becomes a program that
 * the kernel's own verifier takes, or a refusal that points into the line.
 *
 * Returns 1 if it was accepted.
 */
int line_check(const char *text);

#endif
