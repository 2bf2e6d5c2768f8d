/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command's frame: subcommands and exit codes.
 */
#ifndef TRAPLINE_CLI_H
#define TRAPLINE_CLI_H

#include <getopt.h>

/* Exit codes, the same for all subcommands. */
#define EXIT_GOOD	0
#define EXIT_FAILED	1
#define EXIT_USAGE	2

/**
 * struct command - a subcommand
 * @name: the word
 * @usage: what follows it
 * @summary: one line
 * @details: the options, each on a line; may be empty
 * @options: the same for getopt_long(), --help included
 * @run: gets argv from the word on; returns an exit code
 */
struct command {
	const char *name;
	const char *usage;
	const char *summary;
	const char *details;
	const struct option *options;
	int (*run)(const struct command *self, int argc, char **argv);
};

extern const struct command command_live;
extern const struct command command_check;
extern const struct command command_doctor;
extern const struct command command_help;

/* Values of long options that have no letter. */
#define OPTION_HELP 'h'
#define OPTION_NANO 256
#define OPTION_PID 257
#define OPTION_COMM 258
#define OPTION_CGROUP 259
#define OPTION_CHILDREN 260
#define OPTION_PLACES 261
#define OPTION_JSON_ERRORS 262
#define OPTION_KPROBES 263
#define OPTION_ALL_OR_NOTHING 264

/** command_find() - by name, or NULL */
const struct command *command_find(const char *name);
/** command_nearest() - the name that looks most like a word, or NULL */
const char *command_nearest(const char *word);

/** help_command() - the help of one subcommand, to stdout */
void help_command(const struct command *command);
/** help_all() - the list of subcommands, to stdout */
void help_all(void);

/** usage_option() - getopt_long() met a wrong option; returns EXIT_USAGE */
int usage_option(const struct command *command, int result, char **argv);
/** usage_error() - wrong usage, a format of printf(); returns EXIT_USAGE */
int usage_error(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
