// SPDX-License-Identifier: GPL-2.0-only
/* trapline check: what a definition means, as far as that is known without arming it. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/trapline.h"
#include "cli.h"
#include "definitions.h"
#include "places.h"
#include "report.h"

/* what getopt_long() returns for a word that is none, after "-" */
#define NO_OPTION 1

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

static bool is_inside(const struct trapline_event *event)
{
	struct trapline_place place = { .size = sizeof(place) };

	return trapline_event_place_count(event) == 1 &&
	       !trapline_event_place(event, 0, &place) && place.offset;
}

/* Armed for a moment, of a session that does not record. */
static int try_event(struct trapline_session *session, const char *line,
		     const struct trapline_symbols *symbols,
		     struct trapline_error *err)
{
	struct trapline_event *event;

	if (trapline_event_parse(line, symbols, &event, err))
		return -1;
	if (!trapline_session_add(session, event, err))
		return trapline_session_enable(session, err);
	trapline_event_free(event);
	return -1;
}

/*
 * The library has refused what it knows to be inside an instruction. Of the rest
 * the kernel is asked where the module is loaded and the user may; else whoever
 * arms the event is told.
 */
static bool is_refused(const struct definition *item,
		       const struct trapline_symbols *symbols)
{
	const struct trapline_session_opts opts = {
		.size = sizeof(opts),
		.packet_bytes = 4096,
		.packet_count = 2,
	};
	struct trapline_session *session;
	struct trapline_error err = { 0 };
	bool refused = false;

	if (!is_inside(item->event) || trapline_session_open(&session, &err))
		return false;
	if (!trapline_session_setup(session, &opts, &err) &&
	    try_event(session, item->text, symbols, &err)) {
		report_line_error(item->file, item->number, item->text, &err);
		refused = true;
	}
	trapline_session_close(session);
	return refused;
}

static int check_event(const struct definition *item,
		       const struct trapline_symbols *symbols, bool with_places)
{
	if (is_refused(item, symbols) || print_event(item->event))
		return -1;
	if (with_places)
		places_print(stdout, item->event);
	places_report(item->event);
	if (trapline_event_waits(item->event))
		places_note_waiting(item->event, symbols);
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
	for (i = 0; i < defs->count; i++)
		if (defs->items[i].event &&
		    check_event(&defs->items[i], symbols, with_places))
			status = EXIT_FAILED;
	trapline_symbols_free(symbols);
	return status;
}

/**
 * struct check_options - what the user wants
 * @given: there was a definition or a file; an empty one is something to check
 * @places: list the places of each event
 */
struct check_options {
	bool given;
	bool places;
};

/* A word that is no option. */
static int take_word(struct definitions *defs, const char *word,
		     struct check_options *to)
{
	to->given = true;
	if (!strcmp(word, "-"))
		return definitions_add_file(defs, word) ? EXIT_FAILED : -1;
	definitions_add(defs, word);
	return -1;
}

/* One option; -1 to go on, or an exit code. */
static int take_option(const struct command *self, int option, char **argv,
		       struct definitions *defs, struct check_options *to)
{
	switch (option) {
	case NO_OPTION:
		return take_word(defs, optarg, to);
	case 'e':
		definitions_add(defs, optarg);
		to->given = true;
		return -1;
	case 'f':
		to->given = true;
		return definitions_add_file(defs, optarg) ? EXIT_FAILED : -1;
	case OPTION_JSON_ERRORS:
		report_as_json();
		return -1;
	case OPTION_PLACES:
		to->places = true;
		return -1;
	case OPTION_HELP:
		help_command(self);
		return EXIT_GOOD;
	default:
		return usage_option(self, option, argv);
	}
}

static int run_check(const struct command *self, int argc, char **argv)
{
	struct definitions defs = { 0 };
	struct check_options to = { 0 };
	int option, status = -1;

	opterr = 0;
	/* "-": definitions in their order, however they are given: deletions */
	while (status < 0 &&
	       (option = getopt_long(argc, argv, "-:he:f:", self->options,
				     NULL)) != -1)
		status = take_option(self, option, argv, &defs, &to);
	for (; status < 0 && optind < argc; optind++)
		status = take_word(&defs, argv[optind], &to);
	if (status < 0 && !to.given)
		status = usage_error(self, "what is to be checked?");
	if (status < 0)
		status = check(&defs, to.places);
	definitions_free(&defs);
	return status;
}

static const struct option options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "file", required_argument, NULL, 'f' },
	{ "json-errors", no_argument, NULL, OPTION_JSON_ERRORS },
	{ "places", no_argument, NULL, OPTION_PLACES },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ 0 },
};

const struct command command_check = {
	.name = "check",
	.usage = "[-e] LINE... | -f FILE | -",
	.summary = "Check definitions of events without making them.",
	.details =
	"Prints each event as the kernel would list it, or what is wrong and\n"
	"where. The module need not be loaded. Whether an instruction begins at\n"
	"FUNCTION+OFFSET is known where /proc/kcore can be read (as root), and the kernel\n"
	"is asked where the module is loaded and the user may trace. \"-\" reads standard\n"
	"input.\n\n"
	"  -e, --event LINE  a definition, also one that begins with -: a deletion\n"
	"  -f, --file FILE   definitions from a file, one a line\n"
	"      --places      list the places of each event, too\n"
	"      --json-errors  each message is a JSON object on a line\n"
	"  -h, --help        this text\n",
	.options = options,
	.run = run_check,
};
