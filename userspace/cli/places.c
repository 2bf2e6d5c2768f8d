// SPDX-License-Identifier: GPL-2.0-only
/* See places.h. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "places.h"
#include "report.h"

/* So many of the refused places are named; --places has them all. */
#define NAMED_MAX 5

/**
 * struct place_name - "vfs_read", "ext4_file_open+4 [ext4]"
 * @text: the names of functions and modules have less than 512 bytes
 */
struct place_name {
	char text[1100];
};

static const char *name_place(struct place_name *name,
			      const struct trapline_place *place)
{
	char offset[24] = "";

	if (place->offset)
		snprintf(offset, sizeof(offset), "+%" PRIu64, place->offset);
	snprintf(name->text, sizeof(name->text), "%s%s%s%s%s", place->symbol,
		 offset, place->module ? " [" : "",
		 place->module ? place->module : "", place->module ? "]" : "");
	return name->text;
}

void places_print(FILE *stream, const struct trapline_event *event)
{
	struct trapline_place place = { .size = sizeof(place) };
	struct place_name name;
	char address[24];
	unsigned int i;

	for (i = 0; !trapline_event_place(event, i, &place); i++) {
		snprintf(address, sizeof(address), "0x%" PRIx64 " ",
			 place.address);
		/* a tracepoint has none */
		fprintf(stream, "  %s%s%s%s\n", place.address ? address : "",
			name_place(&name, &place),
			place.reason ? ": refused: " : "",
			place.reason ? place.reason : "");
	}
}

void places_report(const struct trapline_event *event)
{
	struct trapline_place place = { .size = sizeof(place) };
	unsigned int i, refused = 0, named = 0;
	struct place_name name;

	for (i = 0; !trapline_event_place(event, i, &place); i++)
		refused += place.state == TRAPLINE_PLACE_REFUSED;
	/* an event that is nowhere is shown as a line that is refused */
	if (!refused || refused == trapline_event_place_count(event))
		return;
	report("%s: the kernel refuses %u of its %u places; the others are traced",
	       trapline_event_name(event), refused,
	       trapline_event_place_count(event));
	for (i = 0; named < NAMED_MAX &&
	     !trapline_event_place(event, i, &place); i++) {
		if (place.state != TRAPLINE_PLACE_REFUSED)
			continue;
		report_more("  %s: %s", name_place(&name, &place), place.reason);
		named++;
	}
	if (refused > named)
		report_more("  and %u more, see --places", refused - named);
}

/* Somebody else's function of that name, @found; false: there is none. */
static bool find_other(const char *symbol,
		       const struct trapline_symbols *symbols,
		       struct trapline_event **event,
		       struct trapline_place *found)
{
	char *line;
	int rc;

	if (asprintf(&line, "p %s#all", symbol) < 0)
		return false;
	rc = trapline_event_parse(line, symbols, event, NULL);
	free(line);
	return !rc && *event && !trapline_event_place(*event, 0, found);
}

void places_note_waiting(const struct trapline_event *event,
			 const struct trapline_symbols *symbols)
{
	static const char note[] =
		"waits for its module, and is armed when that comes";
	struct trapline_place own = { .size = sizeof(own) };
	struct trapline_place other = { .size = sizeof(other) };
	const char *name = trapline_event_name(event);
	struct trapline_event *found = NULL;
	char letter[2];

	/* a pattern stands for what there was: its module has gone since */
	if (trapline_event_place_count(event) > 1) {
		report("note: %s: a place %s", name, note);
		return;
	}
	trapline_event_listing(event, letter, sizeof(letter));
	trapline_event_place(event, 0, &own);
	/* tracepoints of others are refused: only functions are left */
	if (!find_other(own.symbol, symbols, &found, &other))
		report("note: %s %s", name, note);
	else if (other.module)
		report("note: %s %s; %s is of the module %s: did you mean `%s %s:%s`?",
		       name, note, own.symbol, other.module, letter,
		       other.module, own.symbol);
	else
		report("note: %s %s; %s is the kernel's own: did you mean `%s %s`?",
		       name, note, own.symbol, letter, own.symbol);
	trapline_event_free(found);
}
