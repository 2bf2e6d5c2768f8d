// SPDX-License-Identifier: GPL-2.0-only
/* trapline help: the commands, or one of them; and what wrong usage says. */
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "report.h"
#include "suggest.h"

static const struct command *const commands[] = {
	&command_live,
	&command_check,
	&command_doctor,
	&command_help,
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

const struct command *command_find(const char *name)
{
	size_t i;

	for (i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

const char *command_nearest(const char *word)
{
	unsigned int best = UINT_MAX;
	const char *name = NULL;
	size_t i;

	for (i = 0; i < COMMAND_COUNT; i++) {
		unsigned int distance =
			suggest_distance(word, commands[i]->name);

		if (distance < best && suggest_is_near(word, distance)) {
			best = distance;
			name = commands[i]->name;
		}
	}
	return name;
}

void help_command(const struct command *command)
{
	printf("usage: trapline %s %s\n\n%s\n", command->name, command->usage,
	       command->summary);
	if (command->details[0])
		printf("\n%s", command->details);
}

void help_all(void)
{
	size_t i;

	printf("usage: trapline COMMAND [OPTION...]\n"
	       "       trapline help COMMAND\n"
	       "       trapline --version\n\n"
	       "Traces functions of the running kernel.\n\n");
	for (i = 0; i < COMMAND_COUNT; i++)
		printf("  %-8s %s\n", commands[i]->name, commands[i]->summary);
}

/* The nearest long option, or NULL. */
static const char *nearest_option(const struct command *command,
				  const char *word)
{
	const struct option *option;
	unsigned int best = UINT_MAX;
	const char *name = NULL;

	for (option = command->options; option->name; option++) {
		unsigned int distance = suggest_distance(word, option->name);

		if (distance < best && suggest_is_near(word, distance)) {
			best = distance;
			name = option->name;
		}
	}
	return name;
}

static int usage_end(const struct command *command)
{
	report_more("usage: trapline %s %s", command->name, command->usage);
	return EXIT_USAGE;
}

int usage_error(const struct command *command, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	report("%s: %s", command->name, text);
	return usage_end(command);
}

static bool has_option(const struct command *command, int value)
{
	const struct option *option = command->options;

	while (option->name && option->val != value)
		option++;
	return option->name;
}

/*
 * getopt_long() leaves the letter of a short option in optopt, and what a long
 * one stands for there if it exists but its value is wrong; 0 otherwise. The
 * word before optind is the wrong one, unless more letters follow in it.
 */
static bool is_long_option(const struct command *command, int result,
			   const char *word)
{
	return !strncmp(word, "--", 2) &&
	       (result == ':' || !optopt || has_option(command, optopt));
}

int usage_option(const struct command *command, int result, char **argv)
{
	const char *word = argv[optind - 1];
	bool is_long = is_long_option(command, result, word);
	const char *near = NULL;
	char letter[3] = "-";

	if (!is_long) {
		/* a letter may stand in the middle of a word */
		letter[1] = (char)optopt;
		word = letter;
	} else if (!optopt) {
		near = nearest_option(command, word + 2);
	}
	if (result == ':')
		report("%s: %s needs a value", command->name, word);
	else if (is_long && optopt)
		report("%s: %s: this option takes no value", command->name,
		       word);
	else if (near)
		report("%s: there is no option %s; did you mean --%s?",
		       command->name, word, near);
	else if (optopt == ':' && has_option(command, 'e'))
		report("%s: there is no option -:; a deletion is given as -e -:EVENT",
		       command->name);
	else
		report("%s: there is no option %s", command->name, word);
	return usage_end(command);
}

static int run_help(const struct command *self, int argc, char **argv)
{
	const struct command *command;
	const char *near;

	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help_all();
		return EXIT_GOOD;
	}
	if (argc > 2)
		return usage_error(self, "one command at a time, not \"%s\"",
				   argv[2]);
	command = command_find(argv[1]);
	if (command) {
		help_command(command);
		return EXIT_GOOD;
	}
	near = command_nearest(argv[1]);
	if (near)
		return usage_error(self,
				   "there is no command \"%s\"; did you mean \"%s\"?",
				   argv[1], near);
	return usage_error(self, "there is no command \"%s\"", argv[1]);
}

static const struct option no_options[] = {
	{ "help", no_argument, NULL, OPTION_HELP },
	{ 0 },
};

const struct command command_help = {
	.name = "help",
	.usage = "[COMMAND]",
	.summary = "Tell what a command does and what its options are.",
	.details = "",
	.options = no_options,
	.run = run_help,
};
