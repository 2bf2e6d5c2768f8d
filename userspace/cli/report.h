/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages to the user: all of them come through here. */
#ifndef TRAPLINE_REPORT_H
#define TRAPLINE_REPORT_H

#include "../lib/trapline.h"

/**
 * report_as_json() - from now on each message is a JSON object on a line
 *
 * With code and name of the reason (0 and "message" for what is no error of the
 * library), text and proposal, and for definitions file, line and column.
 */
void report_as_json(void);

/** report() - "trapline: ..." to stderr, a format of printf() */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** report_more() - a line that belongs to the message before, as it is */
void report_more(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** report_error() - an error that has no line: reason and hint */
void report_error(const struct trapline_error *err);

/**
 * report_line_error() - an error of a definition
 * @file: where the line is from; NULL for the command line
 * @number: of the line in the file, from 1
 * @line: the definition
 * @err: what is wrong with it
 *
 * The line, a caret under what is wrong, the reason, the hint.
 */
void report_line_error(const char *file, unsigned int number,
		       const char *line, const struct trapline_error *err);

#endif
