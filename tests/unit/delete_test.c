// SPDX-License-Identifier: GPL-2.0-only
/* Deletions: what they remove, and what is said of those that do not. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../userspace/lib/trapline.h"
#include "symbols_world.h"

enum { EVENTS = 5 };

static const char *const lines[EVENTS] = {
	"p:a/x vfs_read", "p:a/y vfs_read", "p:b/x vfs_read", "p vfs_read", NULL,
};

static struct trapline_event *events[EVENTS];
static struct trapline_error err;

static int make_events(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < EVENTS; i++)
		events[i] = lines[i] ? parse_event(lines[i]) : NULL;
	return 0;
}

static int free_events(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < EVENTS; i++)
		trapline_event_free(events[i]);
	return 0;
}

/* @left has a letter for each event that is still there. */
static void deletes(const char *line, const char *left)
{
	char got[EVENTS + 1] = "";
	unsigned int i;

	assert_int_equal(trapline_events_delete(line, events, EVENTS, &err), 1);
	for (i = 0; i < EVENTS; i++)
		got[i] = events[i] ? '+' : '-';
	assert_string_equal(got, left);
}

static void test_names(void **state)
{
	(void)state;
	deletes("-:a/x", "-+++-");
	deletes("  -:x\r\n", "-+-+-");
	deletes("-:kprobes/p_vfs_read_0 # automatic", "-+---");
	deletes("-:a/", "-----");
}

static void test_all_groups(void **state)
{
	(void)state;
	deletes("-:x", "-+-+-");
	deletes("-:a.y", "---+-");
}

static void test_others(void **state)
{
	static const char *const others[] = {
		"", "# -:x", "p vfs_read", "p:-:x vfs_read", "\\-:x",
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(trapline_events_delete(others[i], events,
							EVENTS, &err), 0);
	for (i = 0; i < EVENTS - 1; i++)
		assert_non_null(events[i]);
}

static void test_refused(void **state)
{
	static const struct {
		const char *line;
		const char *name;
		int column;
		int length;
	} cases[] = {
		{ "-:nosuch", "delete-none", 2, 6 },
		{ " -:b/y", "delete-none", 3, 3 },
		{ "-:c/", "delete-none", 2, 1 },
		{ "-:", "event-empty", 2, 1 },
		{ "-", "delete-form", 0, 1 },
		{ "-x", "delete-form", 0, 2 },
		{ "-:x vfs_read", "delete-form", 4, 8 },
		{ "-:/x", "group-empty", 2, 1 },
		{ "-:1x", "event-name", 2, 2 },
		{ "-:x*", "event-name", 2, 2 },
	};
	unsigned int i, j;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(trapline_events_delete(cases[i].line, events,
							EVENTS, &err), -EINVAL);
		assert_string_equal(trapline_error_name(err.code),
				    cases[i].name);
		assert_int_equal(err.column, cases[i].column);
		assert_int_equal(err.length, cases[i].length);
		for (j = 0; j < EVENTS - 1; j++)
			assert_non_null(events[j]);
	}
	assert_int_equal(trapline_events_delete("-:x", NULL, 0, NULL),
			 -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names, make_events,
						free_events),
		cmocka_unit_test_setup_teardown(test_all_groups, make_events,
						free_events),
		cmocka_unit_test_setup_teardown(test_others, make_events,
						free_events),
		cmocka_unit_test_setup_teardown(test_refused, make_events,
						free_events),
	};

	return cmocka_run_group_tests_name("delete", tests, load_symbols,
					   free_symbols);
}
