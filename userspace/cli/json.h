/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs are to read: JSON. */
#ifndef TRAPLINE_CLI_JSON_H
#define TRAPLINE_CLI_JSON_H

#include <stdio.h>

/**
 * json_string() - a text in quotes
 * @stream: where to
 * @text: UTF-8; a byte that is none becomes \u00XX
 */
void json_string(FILE *stream, const char *text);

#endif
