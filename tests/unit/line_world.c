// SPDX-License-Identifier: GPL-2.0-only
/* See line_world.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/prog.h"

#include "../../userspace/lib/event.h"
#include "event_verify_world.h"
#include "line_world.h"
#include "record_world.h"
#include "symbols_world.h"
#include "text_world.h"

/* The listing of an event; to be freed. */
static char *listing_of(const struct trapline_event *event)
{
	size_t length = trapline_event_listing(event, NULL, 0);
	char *listing = malloc(length + 1);

	assert_non_null(listing);
	assert_int_equal(trapline_event_listing(event, listing, length + 1),
			 length);
	assert_int_equal(strlen(listing), length);
	return listing;
}

static void check_same(const struct trapline_event *event,
		       const struct trapline_event *other)
{
	unsigned int i;

	assert_int_equal(event->more_count, other->more_count);
	for (i = 0; i <= event->more_count; i++) {
		const struct trapline_event *a = event_part(event, i);
		const struct trapline_event *b = event_part(other, i);

		assert_int_equal(a->address, b->address);
		assert_int_equal(a->insn_count, b->insn_count);
		assert_memory_equal(a->insns, b->insns,
				    a->insn_count * sizeof(a->insns[0]));
	}
}

/*
 * A listing is a definition of the same event, unless its name is no longer
 * enough to tell which symbol it is, or the names that it adds make it too long.
 */
static void check_listing(const struct trapline_event *event)
{
	char *listing = listing_of(event), *again;
	struct trapline_event *other;
	struct trapline_error err;

	if (trapline_event_parse(listing, symbols, &other, &err)) {
		if (strcmp(trapline_error_name(err.code), "line-long"))
			assert_string_equal(trapline_error_name(err.code),
					    "symbol-ambiguous");
		free(listing);
		return;
	}
	again = listing_of(other);
	assert_string_equal(listing, again);
	check_same(event, other);
	trapline_event_free(other);
	free(again);
	free(listing);
}

/* A reason, and a part of the line; a missing part is behind the last one. */
static void check_refusal(const struct trapline_error *err, const char *line)
{
	assert_string_not_equal(trapline_error_name(err->code), "unknown");
	assert_true(err->text[0]);
	text_is_printable(err->text, strlen(err->text));
	text_is_printable(err->hint, strlen(err->hint));
	assert_true(err->column >= 0);
	assert_true(err->length >= 1);
	assert_true((size_t)err->column + (size_t)err->length <=
		    strlen(line) + 1);
}

int line_check(const char *text)
{
	char *line = strdup(text);	/* an exact size for the sanitizer */
	struct trapline_event *event;
	struct trapline_error err;
	unsigned int i;
	int ret;

	memset(&err, 0xa5, sizeof(err));
	ret = trapline_event_parse(line, symbols, &event, &err);
	if (ret) {
		assert_int_equal(ret, -EINVAL);
		assert_null(event);
		check_refusal(&err, line);
	} else if (event) {
		verify_event(event);
		check_listing(event);
		record_check(event, symbols);
		for (i = 0; i < event->more_count; i++) {
			verify_event(event->more[i]);
			record_check(event->more[i], symbols);
		}
		trapline_event_free(event);
	}
	free(line);
	return !ret;
}
