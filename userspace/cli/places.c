// SPDX-License-Identifier: GPL-2.0-only
/* See places.h. */
#include <inttypes.h>

#include "places.h"
#include "report.h"

/* So many of the refused places are named; --places has them all. */
#define NAMED_MAX 5

/* "vfs_read", "ext4_file_open+4 [ext4]" */
static void print_name(FILE *stream, const struct trapline_place *place)
{
	fprintf(stream, "%s", place->symbol);
	if (place->offset)
		fprintf(stream, "+%" PRIu64, place->offset);
	if (place->module)
		fprintf(stream, " [%s]", place->module);
}

void places_print(FILE *stream, const struct trapline_event *event)
{
	struct trapline_place place = { .size = sizeof(place) };
	unsigned int i;

	for (i = 0; !trapline_event_place(event, i, &place); i++) {
		fprintf(stream, "  0x%" PRIx64 " ", place.address);
		print_name(stream, &place);
		if (place.reason)
			fprintf(stream, ": refused: %s", place.reason);
		fputc('\n', stream);
	}
}

void places_report(const struct trapline_event *event)
{
	struct trapline_place place = { .size = sizeof(place) };
	unsigned int i, refused = 0, named = 0;

	for (i = 0; !trapline_event_place(event, i, &place); i++)
		refused += place.state == TRAPLINE_PLACE_REFUSED;
	if (!refused)
		return;
	report("%s: the kernel refuses %u of its %u places; the others are traced",
	       trapline_event_name(event), refused,
	       trapline_event_place_count(event));
	for (i = 0; named < NAMED_MAX &&
	     !trapline_event_place(event, i, &place); i++) {
		if (place.state != TRAPLINE_PLACE_REFUSED)
			continue;
		fputs("  ", stderr);
		print_name(stderr, &place);
		fprintf(stderr, ": %s\n", place.reason);
		named++;
	}
	if (refused > named)
		fprintf(stderr, "  and %u more, see --places\n",
			refused - named);
}
