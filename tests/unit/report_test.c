// SPDX-License-Identifier: GPL-2.0-only
/* Messages to the user: any bytes, long lines, and objects for programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../userspace/cli/definitions.h"
#include "../../userspace/cli/places.h"
#include "../../userspace/cli/report.h"
#include "../../userspace/lib/error.h"
#include "../../userspace/lib/event.h"

static FILE *terminal;
static char *said;
static size_t said_bytes;

static void listen(void)
{
	terminal = stderr;
	stderr = open_memstream(&said, &said_bytes);
	assert_non_null(stderr);
}

static void stop_listening(void)
{
	assert_int_equal(fclose(stderr), 0);
	stderr = terminal;
}

static void expect(const char *text)
{
	stop_listening();
	assert_string_equal(said, text);
	free(said);
}

static void line_error(const char *line, int column, int length)
{
	struct trapline_error err = {
		.column = column, .length = length, .text = "wrong",
	};

	listen();
	report_line_error(NULL, 0, line, &err);
}

/* What is no character of UTF-8, or a control, is a "?" for each byte that stands alone. */
static void any_bytes(void **state)
{
	(void)state;
	line_error("p \x9b" "2J x", 6, 1);
	expect("  p ?2J x\n        ^\ntrapline: wrong\n");
	line_error("p \xc3\xa4 x", 5, 1);
	expect("  p \xc3\xa4 x\n      ^\ntrapline: wrong\n");
	/* the control U+009B is one character, cut ones are bytes */
	line_error("\xc2\x9b\xe2\x82 x", 5, 1);
	expect("  ??? x\n      ^\ntrapline: wrong\n");
	line_error("\xf4\x90\x80\x80\x80\xff\t\x1b\x7f", 7, 9);
	expect("  ??????\t??\n        \t^~\ntrapline: wrong\n");
	/* from the middle of one */
	line_error("a\xe2\x82\xac" "b", 2, 3);
	expect("  a\xe2\x82\xac" "b\n   ^~\ntrapline: wrong\n");
	/* what ends a line for others */
	line_error("a\xe2\x80\xa8\xe2\x80\xaa" "b", 7, 1);
	expect("  a?\xe2\x80\xaa" "b\n     ^\ntrapline: wrong\n");
	line_error("ab", 9, 1);
	expect("  ab\n    ^\ntrapline: wrong\n");
	line_error("ab\xc3", -1, 0);
	expect("  ab?\ntrapline: wrong\n");
	/* elsewhere in a message: a file's name */
	listen();
	report("%s: gone", "a\n\x9b\xc2\x9b\xc3\xa4");
	expect("trapline: a???\xc3\xa4: gone\n");
}

static void long_lines(void **state)
{
	static char line[70000];
	const char *caret;

	(void)state;
	memset(line, 'x', sizeof(line) - 1);
	line_error(line, 65536, 1);
	stop_listening();
	assert_in_range(said_bytes, 2000, 4000);
	assert_memory_equal(said, "  ...x", 6);
	assert_non_null(strstr(said, "x...\n"));
	/* the caret is below what it means */
	caret = strchr(said, '\n') + 1;
	assert_int_equal(strcspn(caret, "^"), 5 + 1000);
	free(said);
	line_error(line, 5, 3);
	stop_listening();
	assert_memory_equal(said, "  xxx", 5);
	assert_non_null(strstr(said, "x...\n       ^~~\n"));
	free(said);
}

static struct trapline_event refused_event(void)
{
	const struct trapline_event event = {
		.name = (char *)"x", .symbol = (char *)"f", .offset = 4,
		.module = (char *)"m", .state = TRAPLINE_PLACE_REFUSED,
	};

	return event;
}

static void refused_places(void **state)
{
	struct trapline_event more[7], event = refused_event();
	struct trapline_event *list[7];
	size_t i;

	(void)state;
	for (i = 0; i < 7; i++) {
		more[i] = event;
		list[i] = more + i;
	}
	event.more = list;
	event.more_count = 7;
	more[6].state = TRAPLINE_PLACE_ARMED;
	listen();
	places_report(&event);
	stop_listening();
	assert_non_null(strstr(said, "trapline: x: the kernel refuses 7 of its 8"));
	assert_non_null(strstr(said, "\n  f+4 [m]: "));
	assert_non_null(strstr(said, "\n  and 2 more, see --places\n"));
	free(said);
	/* one that is nowhere is a definition that is refused */
	more[6].state = TRAPLINE_PLACE_REFUSED;
	listen();
	places_report(&event);
	stop_listening();
	assert_string_equal(said, "");
	free(said);
}

/* What is refused for its place is remembered, and what is wrong is not. */
static void refused_definitions(void **state)
{
	struct trapline_error err = { .column = 2, .length = 1 };
	struct definitions defs = { 0 };

	(void)state;
	definitions_add(&defs, "p f\r");
	definitions_add(&defs, "p g");
	defs.items[1].event = calloc(1, sizeof(*defs.items[1].event));
	assert_non_null(defs.items[1].event);
	error_set(&err, ERR_SYMBOL_UNKNOWN, 2, 1, 1, "f");
	listen();
	definitions_error(&defs.items[0], &err);
	definitions_note_refused(&defs);
	definitions_list_refused(&defs);
	stop_listening();
	assert_string_equal(said, "  p f\n    ^\n"
			    "trapline: the kernel has no symbol f\n");
	free(said);
	error_set(&err, ERR_PLACE_INIT, 2, 1, "f");
	listen();
	definitions_error(&defs.items[0], &err);
	stop_listening();
	assert_memory_equal(said, "  p f\n    ^\ntrapline: f was code", 30);
	free(said);
	listen();
	definitions_note_refused(&defs);
	definitions_list_refused(&defs);
	stop_listening();
	assert_int_equal(definitions_refused(&defs), 1);
	assert_string_equal(said, "trapline: the kernel refuses 1 of 2 events; "
			    "the others are traced\n"
			    "trapline: not traced: p f: f was code of the kernel's "
			    "start: its memory was freed after that\n");
	free(said);
	definitions_free(&defs);
}

/* The last one: there is no way back. */
static void as_objects(void **state)
{
	struct trapline_event event = refused_event(), armed = refused_event();
	struct trapline_event *list[] = { &armed };
	const char *line;

	(void)state;
	armed.state = TRAPLINE_PLACE_ARMED;
	event.more = list;
	event.more_count = 1;
	report_as_json();
	listen();
	places_report(&event);
	report("\xe2\x80\xa9");
	report("a\x9b\xc2\x9b\t\xc3\xa4\"\\");
	stop_listening();
	for (line = said; *line; line = strchr(line, '\n') + 1)
		assert_memory_equal(line, "{\"code\": 0, ", 12);
	assert_non_null(strstr(said, "\"text\": \"f+4 [m]: "));
	assert_non_null(strstr(said, "\"\\u2029\""));
	assert_non_null(strstr(said, "\"a\\u009b\\u009b\\u0009\xc3\xa4\\\"\\\\\""));
	free(said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(refused_places),
		cmocka_unit_test(refused_definitions),
		cmocka_unit_test(as_objects),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
