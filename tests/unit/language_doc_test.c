// SPDX-License-Identifier: GPL-2.0-only
/*
 * docs/LANGUAGE.md says what is true: each example is accepted, listed or
 * refused as the page has it, and no refusal is without an example.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../userspace/lib/error.h"
#include "../../userspace/lib/symbols.h"
#include "btf_world.h"

#ifndef TEST_DATA
#define TEST_DATA "tests/unit"
#endif

#define PAGE TEST_DATA "/../../docs/LANGUAGE.md"

enum {
	ACCEPTED_MIN = 40,	/* fewer: the blocks were not found */
	REFUSED_MIN = 90,
	FIRST_OF_LANGUAGE = 100,	/* numbers of errors below are others' */
};

struct reason {
	int code;
	const char *name;
	bool seen;
};

#define REASON(number, name, id, text) { number, id, false },
static struct reason reasons[] = { ERROR_LIST(REASON) };
#undef REASON

/* Named in the page, but their lines are too long for it. */
static const char *const without_example[] = {
	"line-long", "line-many", "args-many", "deref-depth", "program-long",
	"filter-many", "filter-text-long", "filter-steps",
	"filter-late", "places-refused", "places-many",
	"place-blacklisted", "delete-none", "tracefs-unreadable",
};

/**
 * struct page - the page, read line by line
 * @text: all of it
 * @line: the current line, without its end
 * @number: of the line
 */
struct page {
	char text[65536];
	char *line;
	char *next;
	unsigned int number;
};

static struct page page;

static int load(void **state)
{
	FILE *file = fopen(PAGE, "re");
	size_t length;

	if (!file)
		return -1;
	length = fread(page.text, 1, sizeof(page.text), file);
	fclose(file);
	if (!length || length == sizeof(page.text) ||
	    memchr(page.text, '\0', length) || load_symbols_with_types(state))
		return -1;
	symbols_set_events(symbols, TEST_DATA "/events");
	return 0;
}

static bool starts(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* The next line of the page; false at its end. */
static bool next_line(void)
{
	static char copy[sizeof(page.text)];

	if (!page.number) {
		memcpy(copy, page.text, sizeof(copy));
		page.next = copy;
	}
	page.number++;
	page.line = strsep(&page.next, "\n");
	if (!page.line) {
		page.number = 0;
		return false;
	}
	return true;
}

/* The next line of a block that is not empty; false at the block's end. */
static bool next_in_block(void)
{
	while (next_line()) {
		if (!strcmp(page.line, "```"))
			return false;
		if (page.line[0])
			return true;
	}
	fail_msg("a block without an end");
	return false;
}

/* Run @block for each block of @kind. */
static void each_block(const char *kind, void (*block)(void))
{
	while (next_line()) {
		if (!starts(page.line, "```"))
			continue;
		if (!strcmp(page.line + 3, kind)) {
			block();
			continue;
		}
		while (next_line() && strcmp(page.line, "```"))
			;
	}
}

/* ---- accepted --------------------------------------------------------- */

static unsigned int accepted;

static void accept(void)
{
	struct trapline_event *event;
	struct trapline_error err;

	if (trapline_event_parse(page.line, symbols, &event, &err))
		fail_msg("LANGUAGE.md:%u: \"%s\" is refused (%s): %s",
			 page.number, page.line, trapline_error_name(err.code),
			 err.text);
	trapline_event_free(event);
	accepted++;
}

static void check_listing(const char *definition, const char *want)
{
	struct trapline_event *event;
	struct trapline_error err;
	char listing[512];

	assert_int_equal(trapline_event_parse(definition, symbols, &event,
					      &err), 0);
	assert_non_null(event);
	trapline_event_listing(event, listing, sizeof(listing));
	trapline_event_free(event);
	if (strcmp(listing, want))
		fail_msg("LANGUAGE.md:%u: \"%s\" is listed as \"%s\"",
			 page.number, definition, listing);
}

static void accept_block(void)
{
	const char *definition = NULL;

	while (next_in_block()) {
		if (starts(page.line, "listed: ")) {
			assert_non_null(definition);
			check_listing(definition, page.line + strlen("listed: "));
			continue;
		}
		definition = page.line;
		accept();
	}
}

static void test_accepted(void **state)
{
	(void)state;
	each_block("probe", accept_block);
	assert_true(accepted >= ACCEPTED_MIN);
}

/* ---- refused ---------------------------------------------------------- */

static unsigned int refused;

static void refuse(const char *name)
{
	struct trapline_event *event;
	struct trapline_error err;
	int ret = trapline_event_parse(page.line, symbols, &event, &err);

	trapline_event_free(event);
	if (!ret)
		fail_msg("LANGUAGE.md:%u: \"%s\" is accepted, not \"%s\"",
			 page.number, page.line, name);
	if (strcmp(trapline_error_name(err.code), name))
		fail_msg("LANGUAGE.md:%u: \"%s\" is refused as \"%s\", not \"%s\"",
			 page.number, page.line, trapline_error_name(err.code),
			 name);
	refused++;
}

static void mark_seen(const char *name)
{
	const size_t count = sizeof(reasons) / sizeof(reasons[0]);
	bool known = false;
	size_t i;

	/* two numbers may have one name */
	for (i = 0; i < count; i++) {
		if (strcmp(reasons[i].name, name))
			continue;
		reasons[i].seen = true;
		known = true;
	}
	if (!known)
		fail_msg("LANGUAGE.md:%u: there is no error \"%s\"",
			 page.number, name);
}

static void refuse_block(void)
{
	const char *name = NULL;
	unsigned int examples = 0;

	while (next_in_block()) {
		if (!starts(page.line, "error: ")) {
			assert_non_null(name);
			refuse(name);
			examples++;
			continue;
		}
		if (name && !examples)
			fail_msg("LANGUAGE.md:%u: no example for \"%s\"",
				 page.number, name);
		name = page.line + strlen("error: ");
		mark_seen(name);
		examples = 0;
	}
	assert_true(examples > 0);
}

static void test_refused(void **state)
{
	(void)state;
	each_block("probe-error", refuse_block);
	assert_true(refused >= REFUSED_MIN);
}

/* Each error of the language has an example, or is named with its test. */
static void test_complete(void **state)
{
	const size_t exceptions = sizeof(without_example) /
				  sizeof(without_example[0]);
	const size_t count = sizeof(reasons) / sizeof(reasons[0]);
	char row[64];
	size_t i;

	(void)state;
	for (i = 0; i < exceptions; i++) {
		snprintf(row, sizeof(row), "\n| `%s` |", without_example[i]);
		if (!strstr(page.text, row))
			fail_msg("LANGUAGE.md does not name \"%s\"",
				 without_example[i]);
		mark_seen(without_example[i]);
	}
	for (i = 0; i < count; i++)
		if (reasons[i].code >= FIRST_OF_LANGUAGE && !reasons[i].seen)
			fail_msg("LANGUAGE.md has no example for \"%s\"",
				 reasons[i].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_complete),
	};

	return cmocka_run_group_tests_name("language_doc", tests, load, free_symbols);
}
