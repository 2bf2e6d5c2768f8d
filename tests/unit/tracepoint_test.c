// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints as places: what a refusal says of them, their subsystems, their
 * records as lines.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../userspace/lib/decode.h"
#include "../../userspace/lib/error.h"
#include "../../userspace/lib/symbols.h"
#include "btf_world.h"

/* A hint of "" is none; otherwise a part of it. */
static void refused(const char *line, const char *name, int column, int length,
		    const char *text, const char *hint)
{
	struct trapline_event *event;
	struct trapline_error err;

	memset(&err, 0xa5, sizeof(err));
	print_message("# %s\n", line);
	assert_int_equal(trapline_event_parse(line, symbols, &event, &err),
			 -EINVAL);
	assert_null(event);
	assert_string_equal(err.text, text);
	assert_string_equal(trapline_error_name(err.code), name);
	assert_int_equal(err.column, column);
	assert_int_equal(err.length, length);
	if (hint[0])
		assert_non_null(strstr(err.hint, hint));
	else
		assert_string_equal(err.hint, "");
}

static void test_forms(void **state)
{
	(void)state;
	refused("t:sched_switch", "tracepoint-missing", 14, 1,
		"the tracepoint is missing", "did you mean `t sched_switch`?");
	refused("t:sched/sched_switch", "tracepoint-missing", 20, 1,
		"the tracepoint is missing",
		"did you mean `t sched/sched_switch`?");
	refused("t", "tracepoint-missing", 1, 1, "the tracepoint is missing",
		"t:NAME sched_switch");
	refused("t a/b:c", "tracepoint-form", 2, 5, "\"a/b:c\" is not a "
		"tracepoint; a tracepoint is NAME, SUBSYSTEM/NAME or MODULE:NAME",
		"");
	refused("t sched_switch+4", "tracepoint-suffix", 14, 2, "\"+4\" cannot "
		"follow a tracepoint: it is no function, and has neither "
		"offsets nor a return", "");
	refused("t:sched_switch prev=$arg2", "place-argument", 15, 10,
		"place \"prev=$arg2\" is not a symbol",
		"did you mean `t sched_switch prev=$arg2`?");
	refused("t $arg2", "place-argument", 2, 5,
		"place \"$arg2\" is not a symbol", "t TRACEPOINT ARGUMENT");
	refused("t9 sched_switch", "maxactive-on-tracepoint", 1, 1,
		"a tracepoint (t) takes no number after its letter; only a "
		"return probe (r, c) does", "");
}

static void test_unknown(void **state)
{
	(void)state;
	refused("t sched/sched_swich", "tracepoint-unknown", 8, 11,
		"the kernel has no tracepoint sched_swich",
		"did you mean sched_switch?");
	refused("t vfs_read", "tracepoint-unknown", 2, 8,
		"the kernel has no tracepoint vfs_read",
		"did you mean `p vfs_read`?");
	refused("t syscalls/sys_enter_openat", "tracepoint-unknown", 11, 16,
		"the kernel has no tracepoint sys_enter_openat",
		"share two tracepoints");
	refused("t nothing_like_it", "tracepoint-unknown", 2, 15,
		"the kernel has no tracepoint nothing_like_it",
		"its module may not be loaded");
}

static void test_arguments(void **state)
{
	(void)state;
	refused("t sched_switch %di", "tracepoint-register", 15, 3,
		"\"%di\" is a register; a tracepoint has only its arguments",
		"$arg1, $arg2");
	refused("t sched_switch $stack0", "tracepoint-stack", 15, 7,
		"\"$stack0\" is of the stack; a tracepoint has only its "
		"arguments", "$arg1, $arg2");
	refused("t sched_switch $retval->f_pos", "tracepoint-return", 15, 7,
		"\"$retval\" is known when a function returns; a tracepoint is "
		"none", "");
	refused("t sched_switch $arg5", "no-such-variable", 15, 5,
		"\"$arg5\": sched_switch has 4 parameters",
		"preempt, prev, next and prev_state");
	refused("t sched_switch cpu", "no-such-variable", 15, 3,
		"sched_switch has no parameter cpu",
		"preempt, prev, next and prev_state");
	refused("t sched_switch prev->pd", "no-such-member", 21, 2,
		"struct task_struct has no member pd", "did you mean pid");
	refused("t no_types $arg13", "tracepoint-args", 11, 6,
		"\"$arg13\": no tracepoint has more than 12 arguments", "");
	refused("t no_types $arg*", "btf-function", 11, 5, "the kernel's types "
		"(BTF) do not have the tracepoint no_types", "$arg1, $arg2");
	refused("t odd foo", "btf-function", 6, 3, "the kernel's types (BTF) do "
		"not have the tracepoint odd", "$arg1, $arg2");
	refused("t sys_enter foo", "no-such-variable", 12, 3,
		"sys_enter has no parameter foo", "its parameters are");
}

static void event_is(const char *line, const char *module, const char *symbol,
		     const char *listed)
{
	struct trapline_event *event = parse_event(line);
	char text[200];

	if (module)
		assert_string_equal(event->module, module);
	else
		assert_null(event->module);
	assert_string_equal(event->symbol, symbol);
	assert_true(trapline_event_listing(event, text, sizeof(text)) > 0);
	assert_string_equal(text, listed);
	trapline_event_free(event);
}

/* Told by its module, a tracepoint need not be there: the module may come. */
static void test_modules(void **state)
{
	struct trapline_event *event;
	struct trapline_error err;

	(void)state;
	event_is("t ext4_begin", "ext4", "ext4_begin",
		 "t:tracepoints/ext4_begin ext4_begin");
	event_is("t ext4:ext4_begin", "ext4", "ext4_begin",
		 "t:tracepoints/ext4_begin ext4:ext4_begin");
	event_is("t:x absent_mod:come $arg1 if arg1 == 1", "absent_mod", "come",
		 "t:tracepoints/x absent_mod:come arg1=$arg1 if arg1 == 1");
	event_is("t sched_switch", NULL, "sched_switch",
		 "t:tracepoints/sched_switch sched_switch");
	refused("t sched:sched_switch", "tracepoint-module", 2, 5,
		"the module sched has no tracepoint sched_switch",
		"did you mean sched_switch, which the kernel has?");
	refused("t absent:ext4_begin", "tracepoint-module", 2, 6,
		"the module absent has no tracepoint ext4_begin",
		"did you mean ext4:ext4_begin?");
	refused("t ext4:ext4_begn", "tracepoint-module", 2, 4,
		"the module ext4 has no tracepoint ext4_begn", "");
	/* which file of types is missing depends on where they are */
	assert_int_equal(trapline_event_parse("t absent:come p", symbols, &event,
					      &err), -EINVAL);
	assert_string_equal(trapline_error_name(err.code), "btf-missing");
	assert_non_null(strstr(err.text, "absent: there is no such file"));
}

/* ---- subsystems ------------------------------------------------------- */

static void make_folder(const char *folder, const char *name)
{
	char path[100];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void remove_folder(const char *folder, const char *name)
{
	char path[100];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(rmdir(path), 0);
}

static void taken(const char *line)
{
	trapline_event_free(parse_event(line));
}

/* Right or wrong where it is known; without tracefs, and without an event: taken. */
static void test_subsystems(void **state)
{
	static const char *const names[] = {
		"other", "sched", "sched/sched_switch", "raw-syscalls",
		"raw-syscalls/sys_enter",
	};
	char folder[] = "/tmp/trapline-events.XXXXXX";
	size_t i;

	(void)state;
	taken("t wrong/sched_switch");
	symbols_set_events(symbols, "/nonexistent");
	taken("t wrong/sched_switch");
	assert_non_null(mkdtemp(folder));
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		make_folder(folder, names[i]);
	symbols_set_events(symbols, folder);
	taken("t sched/sched_switch");
	taken("t raw-syscalls/sys_enter");
	taken("t other/no_types");
	refused("t other/sched_switch $arg1", "tracepoint-subsystem", 2, 5,
		"the tracepoint sched_switch is not in the subsystem other",
		"did you mean sched/sched_switch?");
	refused("t wrong/sys_enter", "tracepoint-subsystem", 2, 5,
		"the tracepoint sys_enter is not in the subsystem wrong",
		"did you mean raw-syscalls/sys_enter?");
	refused("t sched:sched_switch", "tracepoint-module", 2, 5,
		"the module sched has no tracepoint sched_switch",
		"did you mean sched/sched_switch?");
	symbols_set_events(symbols, NULL);
	while (i--)
		remove_folder(folder, names[i]);
	assert_int_equal(rmdir(folder), 0);
}

/* ---- patterns --------------------------------------------------------- */

/* The places of an event, "sched_switch ext4_begin[ext4]". */
static void places_are(const char *line, const char *want)
{
	struct trapline_event *event = parse_event(line);
	struct trapline_place place = { .size = sizeof(place) };
	char got[512] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; !trapline_event_place(event, i, &place); i++) {
		assert_int_equal(place.address, 0);
		assert_int_equal(place.offset, 0);
		used += (size_t)snprintf(got + used, sizeof(got) - used,
					 "%s%s%s%s%s", i ? " " : "",
					 place.symbol, place.module ? "[" : "",
					 place.module ? place.module : "",
					 place.module ? "]" : "");
	}
	assert_int_equal(i, trapline_event_place_count(event));
	assert_string_equal(got, want);
	trapline_event_free(event);
}

/* All of the name; the kernel's and those of modules; what is no tracepoint is none. */
static void test_patterns(void **state)
{
	(void)state;
	places_are("t sched_switch", "sched_switch");
	places_are("t sched_*", "sched_switch sched_wakeup sched_waking");
	places_are("t sched_wak?up", "sched_wakeup");
	places_are("t *_??????", "sched_switch sched_wakeup sched_waking");
	places_are("t ext4:*", "ext4_begin[ext4]");
	places_are("t *", "ext4_begin[ext4] no_types odd sched_switch "
		   "sched_wakeup sched_waking sys_enter");
}

static void test_pattern_subsystems(void **state)
{
	(void)state;
	symbols_set_events(symbols, TEST_DATA "/events");
	places_are("t sched/*", "sched_switch sched_wakeup");
	places_are("t sched/*wak*", "sched_wakeup");
	places_are("t ext4/ext4_*", "ext4_begin[ext4]");
	places_are("t raw_syscalls/*", "sys_enter");
	event_is("t raw_syscalls/*", NULL, "sys_enter",
		 "t:tracepoints/raw_syscalls__ raw_syscalls/*");
	refused("t syscalls/*", "pattern-empty", 2, 10,
		"no tracepoint fits syscalls/*", "share two tracepoints");
	refused("t shed/sched_*", "pattern-empty", 2, 12,
		"no tracepoint fits shed/sched_*",
		"there is no subsystem shed");
	refused("t sched/wak*", "pattern-empty", 2, 10,
		"no tracepoint fits sched/wak*", "*wak* fits 1");
	refused("t raw_syscalls/sched_*", "pattern-empty", 2, 20,
		"no tracepoint fits raw_syscalls/sched_*",
		"sched_* alone fits 3");
	refused("t sched:sched_*", "pattern-empty", 2, 13,
		"no tracepoint fits sched:sched_*",
		"did you mean sched/sched_*?");
	symbols_set_events(symbols, NULL);
}

static void test_pattern_refused(void **state)
{
	(void)state;
	refused("t sched_swich*", "pattern-empty", 2, 12,
		"no tracepoint fits sched_swich*", "did you mean sched_switch?");
	refused("t waking*", "pattern-empty", 2, 7,
		"no tracepoint fits waking*", "*waking* fits 1");
	refused("t zzzzzzzz*", "pattern-empty", 2, 9,
		"no tracepoint fits zzzzzzzz*", "available_events");
	refused("t absent:sched_*", "pattern-empty", 2, 14,
		"no tracepoint fits absent:sched_*", "modprobe absent");
	refused("t sys_exit_*", "pattern-empty", 2, 10,
		"no tracepoint fits sys_exit_*", "share two tracepoints");
	refused("t:x */sched_*", "unsupported", 4, 1, "the pattern of "
		"subsystems \"*\" is not supported by this version",
		"SUBSYSTEM/PATTERN");
	refused("t ex*:ext4_*", "unsupported", 2, 3, "the pattern of modules "
		"\"ex*\" is not supported by this version", "MODULE:PATTERN");
	/* which of them there are is only known to tracefs */
	refused("t sched/*", "tracefs-unreadable", 2, 5, "which tracepoints the "
		"subsystem sched has cannot be known: the symbols are not this "
		"kernel's", "leave sched/ away");
	symbols_set_events(symbols, "/nonexistent");
	refused("t sched/*", "tracefs-unreadable", 2, 5, "which tracepoints the "
		"subsystem sched has cannot be known: /nonexistent: No such "
		"file or directory", "mount tracefs");
	symbols_set_events(symbols, NULL);
}

/* Each has arguments of its own; who does not have what is asked for is named. */
static void test_pattern_arguments(void **state)
{
	struct trapline_event *event;
	unsigned int i;

	(void)state;
	event = parse_event("t sched_* $arg* if tid == 1");
	assert_int_equal(event->field_count, 4);
	assert_int_equal(event_part(event, 1)->field_count, 1);
	assert_string_equal(event_part(event, 1)->fields[0].name, "p");
	for (i = 0; i < 3; i++)
		assert_string_equal(event_part(event, i)->filter, "tid == 1");
	trapline_event_free(event);
	refused("t sched_* prev", "no-such-variable", 10, 4,
		"sched_wakeup has no parameter prev", "its only parameter is p");
	refused("t sched_wa* p->pd", "no-such-member", 15, 2,
		"struct task_struct has no member pd",
		"; that is so at sched_wakeup, one of 2 places");
	refused("t * $arg*", "btf-function", 4, 5, "the kernel's types (BTF) do "
		"not have the tracepoint no_types", "$arg1, $arg2");
}

/* ---- records ---------------------------------------------------------- */

/* A record of the place number @place of an event. */
static void place_is(const char *definition, unsigned int place,
		     const void *payload, size_t bytes, const char *expected)
{
	struct trapline_event *event = parse_event(definition);
	const struct trapline_record record = {
		.event = event, .time_ns = 1234567890000, .cpu = 1, .tid = 0,
		.payload = payload, .payload_bytes = bytes, .place = place,
	};
	char line[200];

	assert_true(trapline_format_record(&record, symbols, NULL, NULL, line,
					   sizeof(line)) > 0);
	assert_string_equal(line, expected);
	trapline_event_free(event);
}

static void line_is(const char *definition, const void *payload, size_t bytes,
		    const char *expected)
{
	place_is(definition, 0, payload, bytes, expected);
}

static void test_records(void **state)
{
	static const unsigned char payload[] = { 1, 0xfe, 0xff, 0xff, 0xff };

	(void)state;
	line_is("t:sw sched/sched_switch preempt n=$arg4:s32", payload, 5,
		"          <idle>-0       [001] .....  1234.567890: sw: "
		"(sched_switch) preempt=1 n=-2");
	line_is("t ext4_begin", payload, 0,
		"          <idle>-0       [001] .....  1234.567890: ext4_begin: "
		"(ext4_begin [ext4])");
	/* of several it is the one that it was */
	place_is("t:w sched_*", 0, payload, 0, "          <idle>-0       [001] "
		 ".....  1234.567890: w: (sched_switch)");
	place_is("t:w sched_* $arg1:u8 if tid != 1", 2, payload, 1, "          "
		 "<idle>-0       [001] .....  1234.567890: w: (sched_waking) p=1");
	place_is("t:w *_begin n=$arg2:s32", 0, payload + 1, 4, "          <idle>-0"
		 "       [001] .....  1234.567890: w: (ext4_begin [ext4]) n=-2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_subsystems),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_pattern_subsystems),
		cmocka_unit_test(test_pattern_refused),
		cmocka_unit_test(test_pattern_arguments),
		cmocka_unit_test(test_records),
	};

	return cmocka_run_group_tests_name("tracepoint", tests,
					   load_symbols_with_types,
					   free_symbols);
}
