// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events with several places in a session: what the kernel refuses of them is
 * left out and nothing else, and where all fails nothing stays armed.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../userspace/lib/event.h"
#include "place_world.h"
#include "session_world.h"

/* An event with @count places. */
static struct trapline_event *new_pattern(const char *name, unsigned int count)
{
	struct trapline_event *event = new_event(name);

	event->place = strdup("f*");
	event->symbol = strdup("f0");
	event->more = calloc(count, sizeof(event->more[0]));
	assert_non_null(event->more);
	while (event->more_count + 1 < count) {
		struct trapline_event *part = new_event(name);

		part->whole = event;
		event->more[event->more_count++] = part;
		part->index = event->more_count;
	}
	return event;
}

/* What the kernel refuses of several places is left out, nothing else. */
static void test_places(void **state)
{
	struct trapline_session *session = open_session();
	struct trapline_event *one = new_event("one");
	struct trapline_event *five = new_pattern("five", 5);
	struct trapline_place place = { .size = sizeof(place) };
	unsigned int i;

	(void)state;
	assert_int_equal(trapline_event_place_count(five), 5);
	assert_int_equal(trapline_event_place_count(one), 1);
	assert_int_equal(trapline_event_place(five, 5, &place), -ENOENT);
	assert_int_equal(trapline_session_add(session, one, &err), 0);
	assert_int_equal(trapline_session_add(session, five, &err), 0);
	assert_int_equal(trapline_event_number(five), 1);
	/* numbers 1 to 5 in the kernel: the first, one within and the last */
	module.refuses = 1 << 1 | 1 << 3 | 1 << 5;
	assert_int_equal(trapline_session_enable(session, &err), 0);
	assert_int_equal(module.armed, 1 << 0 | 1 << 2 | 1 << 4);
	for (i = 0; i < 5; i++)
		assert_int_equal(state_of(five, i), i & 1 ?
				 TRAPLINE_PLACE_ARMED : TRAPLINE_PLACE_REFUSED);
	assert_int_equal(state_of(one, 0), TRAPLINE_PLACE_ARMED);
	/* they are not tried again */
	assert_int_equal(trapline_session_enable(session, &err), 0);
	assert_int_equal(trapline_session_stop(session, &err), 0);
	assert_int_equal(state_of(five, 1), TRAPLINE_PLACE_OFF);
	assert_int_equal(state_of(five, 0), TRAPLINE_PLACE_REFUSED);
	trapline_session_close(session);
}

/* Is an event refused in whole, under its place? */
static bool refused(struct trapline_session *session,
		    const struct trapline_event *event, const char *name)
{
	memset(&err, 0, sizeof(err));
	if (!trapline_session_refused(session, event, &err)) {
		assert_int_equal(err.code, 0);
		return false;
	}
	assert_string_equal(trapline_error_name(err.code), name);
	assert_int_equal(err.column, 2);
	assert_int_equal(err.os_errno, EINVAL);
	assert_true(trapline_error_is_place(&err));
	return true;
}

/* If the only event is nowhere, that is an error. */
static void test_places_all_refused(void **state)
{
	struct trapline_session *session = open_session();
	struct trapline_event *two = new_pattern("two", 2);

	(void)state;
	assert_int_equal(trapline_session_add(session, two, &err), 0);
	module.refuses = 1 << 0 | 1 << 1;
	assert_int_equal(trapline_session_enable(session, &err), -EINVAL);
	assert_string_equal(trapline_error_name(err.code), "places-refused");
	assert_int_equal(err.column, 2);
	assert_ptr_equal(trapline_session_failed(session), two);
	assert_int_equal(module.armed, 0);
	assert_int_equal(state_of(two, 1), TRAPLINE_PLACE_OFF);
	/* it can be tried again */
	module.refuses = 1 << 1;
	assert_int_equal(trapline_session_enable(session, &err), 0);
	assert_int_equal(module.armed, 1 << 0);
	assert_false(refused(session, two, NULL));
	trapline_session_close(session);
}

/* Events that the kernel refuses are left out as places are. */
static void test_events_refused(void **state)
{
	struct trapline_session *session = open_session();
	struct trapline_event *one = new_event("one");
	struct trapline_event *two = new_pattern("two", 2);
	struct trapline_event *three = new_event("three");

	(void)state;
	assert_int_equal(trapline_session_add(session, one, &err), 0);
	assert_int_equal(trapline_session_add(session, two, &err), 0);
	assert_int_equal(trapline_session_add(session, three, &err), 0);
	/* all: nothing is armed, and each can be asked for its reason */
	module.refuses = 0xf;
	assert_int_equal(trapline_session_enable(session, &err), -EINVAL);
	assert_ptr_equal(trapline_session_failed(session), one);
	assert_non_null(strstr(err.text, "kprobes/one"));
	assert_int_equal(module.armed, 0);
	assert_true(refused(session, two, "places-refused"));
	assert_true(refused(session, three, "kernel-refuses"));
	assert_int_equal(state_of(three, 0), TRAPLINE_PLACE_OFF);
	/* the last one is left */
	module.refuses = 0x7;
	assert_int_equal(trapline_session_enable(session, &err), 0);
	assert_int_equal(module.armed, 1 << 3);
	assert_true(refused(session, one, "kernel-refuses"));
	assert_non_null(strstr(err.text, "kprobes/one"));
	assert_true(refused(session, two, "places-refused"));
	assert_false(refused(session, three, NULL));
	assert_int_equal(state_of(one, 0), TRAPLINE_PLACE_REFUSED);
	/* what comes later is refused as the others are */
	assert_int_equal(trapline_session_add(session, new_event("four"), &err),
			 0);
	module.refuses = 1 << 4;
	assert_int_equal(trapline_session_enable(session, &err), 0);
	assert_int_equal(module.armed, 1 << 3);
	assert_int_equal(trapline_session_stop(session, &err), 0);
	assert_true(refused(session, one, "kernel-refuses"));
	trapline_session_close(session);
}

/* Not where all are wanted: that one is shown, and can be tried again. */
static void test_events_all_or_nothing(void **state)
{
	const struct trapline_session_opts opts = {
		.size = sizeof(opts),
		.all_or_nothing = true,
	};
	struct trapline_session *session = open_session();
	struct trapline_event *one = new_event("one");
	struct trapline_event *two = new_event("two");

	(void)state;
	assert_int_equal(trapline_session_setup(session, &opts, &err), 0);
	assert_int_equal(trapline_session_add(session, one, &err), 0);
	assert_int_equal(trapline_session_add(session, two, &err), 0);
	module.refuses = 1 << 1;
	assert_int_equal(trapline_session_enable(session, &err), -EINVAL);
	assert_ptr_equal(trapline_session_failed(session), two);
	assert_int_equal(module.armed, 0);
	assert_false(refused(session, two, NULL));
	module.refuses = 0;
	assert_int_equal(trapline_session_enable(session, &err), 0);
	assert_int_equal(module.armed, 3);
	trapline_session_close(session);
}

/* Who wants all or nothing is told of each place that is refused. */
static void test_all_or_nothing(void **state)
{
	const struct trapline_session_opts opts = {
		.size = sizeof(opts),
		.all_or_nothing = true,
	};
	struct trapline_session *session = open_session();
	struct trapline_event *five = new_pattern("five", 5);

	(void)state;
	assert_int_equal(trapline_session_setup(session, &opts, &err), 0);
	assert_int_equal(trapline_session_add(session, five, &err), 0);
	module.refuses = 1 << 2;
	assert_int_equal(trapline_session_enable(session, &err), -EINVAL);
	assert_ptr_equal(trapline_session_failed(session), five);
	assert_int_equal(err.column, 2);
	assert_int_equal(module.armed, 0);
	module.refuses = 0;
	assert_int_equal(trapline_session_enable(session, &err), 0);
	assert_int_equal(module.armed, 0x1f);
	trapline_session_close(session);
	session = open_session();
	assert_int_equal(trapline_session_setup(session, &opts, &err), 0);
	refuses(TL_EVENT_ADD, EINVAL, TL_ERR_PLACE_ADDRESS, 0);
	five = new_pattern("five", 5);
	assert_int_equal(trapline_session_add(session, five, &err), -EINVAL);
	assert_int_equal(state_of(five, 0), TRAPLINE_PLACE_OFF);
	trapline_event_free(five);
	trapline_session_close(session);
}

/* The kernel may refuse places before they are armed. */
static void test_places_not_added(void **state)
{
	struct trapline_session *session = open_session();
	struct trapline_event *event = new_pattern("e", 3);
	struct trapline_stats stats = { .size = sizeof(stats) };

	(void)state;
	refuses(TL_EVENT_ADD, EINVAL, TL_ERR_PLACE_ADDRESS, 0);
	assert_int_equal(trapline_session_add(session, event, &err), -EINVAL);
	assert_string_equal(trapline_error_name(err.code), "places-refused");
	assert_int_equal(trapline_event_number(event), -1);
	assert_int_equal(trapline_session_event_count(session), 0);
	/* of another reason it is not the place's fault */
	refuses(TL_EVENT_ADD, ENOSPC, TL_ERR_EVENTS, 0);
	assert_int_equal(trapline_session_add(session, event, &err), -ENOSPC);
	assert_int_equal(state_of(event, 0), TRAPLINE_PLACE_OFF);
	refuses(0, 0, 0, 0);
	assert_int_equal(trapline_session_add(session, event, &err), 0);
	assert_int_equal(trapline_session_stats(session, event, &stats, &err),
			 0);
	trapline_session_close(session);
}

/* What was known of places before: now the kernel is asked. */
static void test_known_before(void **state)
{
	struct trapline_session *session = open_session();
	struct trapline_event *three = new_pattern("three", 3);

	(void)state;
	three->more[0]->state = TRAPLINE_PLACE_REFUSED;
	three->more[0]->refused.code = TL_ERR_PLACE_BOUNDARY;
	assert_int_equal(trapline_session_add(session, three, &err), 0);
	module.refuses = 1 << 2;
	assert_int_equal(trapline_session_enable(session, &err), 0);
	assert_int_equal(state_of(three, 1), TRAPLINE_PLACE_ARMED);
	assert_int_equal(state_of(three, 2), TRAPLINE_PLACE_REFUSED);
	trapline_session_close(session);
}

/* A function of 20 bytes, with an instruction at each eighth address. */
static struct trapline_event *new_inside(uint64_t offset)
{
	struct trapline_event *event = new_event("inside");

	event->symbol = strdup("f");
	event->symbol_bytes = 20;
	event->offset = offset;
	event->address = 0x8000 + offset;
	return event;
}

/* Who is inside an instruction is told where the next ones begin. */
static void test_instructions(void **state)
{
	static const struct {
		uint64_t offset;
		const char *hint;
	} cases[] = {
		{ 3, "the nearest instructions begin at f+0 and f+8" },
		{ 15, "the nearest instructions begin at f+8 and f+16" },
		{ 18, "the nearest instruction begins at f+16" },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trapline_session *session = open_session();

		module.insn_bytes = 8;
		module.added = 0;
		assert_int_equal(trapline_session_add(session,
				 new_inside(cases[i].offset), &err), 0);
		assert_int_equal(trapline_session_enable(session, &err),
				 -EINVAL);
		assert_string_equal(err.hint, cases[i].hint);
		assert_int_equal(module.armed, 0);
		assert_int_equal(module.removed, module.added - 1);
		assert_true(refused(session, trapline_session_event(session, 0),
				    "kernel-refuses"));
		assert_string_equal(err.hint, cases[i].hint);
		/* a session that records is not asked */
		assert_int_equal(trapline_session_start(session, &err), 0);
		assert_int_equal(trapline_session_enable(session, &err),
				 -EINVAL);
		assert_string_equal(err.hint, "");
		trapline_session_close(session);
	}
}

int main(void)
{
	const struct CMUnitTest list[] = {
		cmocka_unit_test_setup(test_places, session_world_reset),
		cmocka_unit_test_setup(test_places_all_refused,
				       session_world_reset),
		cmocka_unit_test_setup(test_events_refused, session_world_reset),
		cmocka_unit_test_setup(test_events_all_or_nothing,
				       session_world_reset),
		cmocka_unit_test_setup(test_instructions, session_world_reset),
		cmocka_unit_test_setup(test_known_before, session_world_reset),
		cmocka_unit_test_setup(test_places_not_added,
				       session_world_reset),
		cmocka_unit_test_setup(test_all_or_nothing,
				       session_world_reset),
		cmocka_unit_test_setup(test_places,
				       session_world_reset_results),
		cmocka_unit_test_setup(test_places_all_refused,
				       session_world_reset_results),
		cmocka_unit_test_setup(test_events_refused,
				       session_world_reset_results),
		cmocka_unit_test_setup(test_events_all_or_nothing,
				       session_world_reset_results),
		cmocka_unit_test_setup(test_instructions,
				       session_world_reset_results),
		cmocka_unit_test_setup(test_all_or_nothing,
				       session_world_reset_results),
	};

	return cmocka_run_group_tests_name("session_places", list, NULL, NULL);
}
