// SPDX-License-Identifier: GPL-2.0-only
/* trapline check: what a definition means, without the kernel's help. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/trapline.h"
#include "cli.h"
#include "definitions.h"
#include "places.h"
#include "report.h"

static int print_event(const struct trapline_event *event)
{
	size_t length = trapline_event_listing(event, NULL, 0);
	char *text = malloc(length + 1);

	if (!text) {
		report("out of memory");
		return -1;
	}
	trapline_event_listing(event, text, length + 1);
	puts(text);
	free(text);
	return 0;
}

static int check(struct definitions *defs, bool with_places)
{
	struct trapline_symbols *symbols;
	struct trapline_error err = { 0 };
	int status = EXIT_GOOD;
	size_t i;

	if (trapline_symbols_load(NULL, &symbols, &err)) {
		report_error(&err);
		return EXIT_FAILED;
	}
	if (definitions_parse(defs, symbols))
		status = EXIT_FAILED;
	definitions_note(defs);
	for (i = 0; i < defs->count; i++) {
		const struct trapline_event *event = defs->items[i].event;

		if (event && print_event(event))
			status = EXIT_FAILED;
		if (event && with_places)
			places_print(stdout, event);
	}
	trapline_symbols_free(symbols);
	return status;
}

/**
 * struct check_options - what the user wants
 * @given: there was a file; an empty one is something to check, too
 * @places: list the places of each event
 */
struct check_options {
	bool given;
	bool places;
};

/* Takes the options; -1 to go on, or an exit code. */
static int read_options(const struct command *self, int argc, char **argv,
			struct definitions *defs, struct check_options *to)
{
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":hf:", self->options,
				     NULL)) != -1) {
		switch (option) {
		case 'f':
			if (definitions_add_file(defs, optarg))
				return EXIT_FAILED;
			to->given = true;
			break;
		case OPTION_JSON_ERRORS:
			report_as_json();
			break;
		case OPTION_PLACES:
			to->places = true;
			break;
		case OPTION_HELP:
			help_command(self);
			return EXIT_GOOD;
		default:
			return usage_option(self, option, argv);
		}
	}
	return -1;
}

static int run_check(const struct command *self, int argc, char **argv)
{
	struct definitions defs = { 0 };
	struct check_options to = { 0 };
	int status = read_options(self, argc, argv, &defs, &to);
	int i;

	if (status < 0 && optind == argc && !to.given)
		status = usage_error(self, "what is to be checked?");
	for (i = optind; status < 0 && i < argc; i++) {
		if (strcmp(argv[i], "-"))
			definitions_add(&defs, argv[i]);
		else if (definitions_add_file(&defs, "-"))
			status = EXIT_FAILED;
	}
	if (status < 0)
		status = check(&defs, to.places);
	definitions_free(&defs);
	return status;
}

static const struct option options[] = {
	{ "file", required_argument, NULL, 'f' },
	{ "json-errors", no_argument, NULL, OPTION_JSON_ERRORS },
	{ "places", no_argument, NULL, OPTION_PLACES },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ 0 },
};

const struct command command_check = {
	.name = "check",
	.usage = "LINE... | -f FILE | -",
	.summary = "Check definitions of events without making them.",
	.details =
	"Prints each event as the kernel would list it, or what is wrong and\n"
	"where. The module need not be loaded. \"-\" reads standard input.\n\n"
	"  -f, --file FILE   definitions from a file, one a line\n"
	"      --places      list the places of each event, too\n"
	"      --json-errors  each message is a JSON object on a line\n"
	"  -h, --help        this text\n",
	.options = options,
	.run = run_check,
};
