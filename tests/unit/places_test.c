// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events with several places: which functions a pattern and "#all" stand for,
 * in which order, and how their records are told apart.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../userspace/lib/event.h"
#include "../../userspace/lib/symbols.h"
#include "btf_world.h"
#include "symbols_world.h"

/* The functions of an event, "vfs_read vfs_readv+4 ext4_file_open[ext4]". */
static void check_places(const char *line, const char *want)
{
	struct trapline_event *event = parse_event(line);
	struct trapline_place place = { .size = sizeof(place) };
	char got[512] = "";
	size_t used = 0;
	uint64_t last = 0;
	unsigned int i;

	for (i = 0; !trapline_event_place(event, i, &place); i++) {
		assert_true(place.address > last);
		assert_int_equal(place.state, TRAPLINE_PLACE_OFF);
		last = place.address;
		used += (size_t)snprintf(got + used, sizeof(got) - used,
					 "%s%s", i ? " " : "", place.symbol);
		if (place.offset)
			used += (size_t)snprintf(got + used, sizeof(got) - used,
						 "+%llu", (unsigned long long)
						 place.offset);
		if (place.module)
			used += (size_t)snprintf(got + used, sizeof(got) - used,
						 "[%s]", place.module);
	}
	assert_int_equal(i, trapline_event_place_count(event));
	assert_string_equal(got, want);
	trapline_event_free(event);
}

static void test_patterns(void **state)
{
	(void)state;
	check_places("p vfs_read", "vfs_read");
	check_places("p vfs_read*", "vfs_read vfs_readv vfs_readx");
	check_places("p vfs_read?", "vfs_readv vfs_readx");
	check_places("p vfs_*+4", "vfs_read+4 vfs_readv+4 vfs_readx+4 vfs_write+4");
	check_places("p *_read", "vfs_read ext4_file_read[ext4]");
	check_places("p *v*s*r*d", "vfs_read");
	check_places("p ?fs_read", "vfs_read");
	check_places("r ext4:*", "ext4_file_open[ext4] ext4_file_read[ext4] "
		     "__traceiter_ext4_begin[ext4] ext4_helper.isra.0[ext4]");
	/* two names of one address are one place; .cold is no function */
	check_places("p *_sys_openat", "__x64_sys_openat");
	check_places("p udp_send_skb*", "udp_send_skb.isra.0");
}

static void test_all(void **state)
{
	struct trapline_event *one, *all;

	(void)state;
	check_places("p vfs_read#all", "vfs_read");
	check_places("p name_show#all+8", "name_show+8 name_show+8");
	one = parse_event("p name_show#2");
	all = parse_event("p name_show#all");
	assert_int_equal(one->address, event_part(all, 1)->address);
	trapline_event_free(one);
	trapline_event_free(all);
}

/* What the kernel is known to refuse is not among them. */
static void test_forbidden(void **state)
{
	struct trapline_event *event;
	struct trapline_error err;

	(void)state;
	check_places("p *_kprobe", "get_kprobe");
	check_places("p *et_kprob*", "get_kprobe");
	assert_int_equal(symbols_set_blacklist(symbols, TEST_DATA
					       "/blacklist.txt"), 0);
	assert_int_equal(trapline_event_parse("p *_kprobe", symbols, &event,
					      &err), -EINVAL);
	assert_string_equal(trapline_error_name(err.code), "pattern-empty");
	assert_non_null(strstr(err.hint, "1 fit where the kernel allows no"));
	assert_int_equal(trapline_event_parse("p get_kprobe+8", symbols,
					      &event, &err), -EINVAL);
	assert_string_equal(trapline_error_name(err.code), "place-blacklisted");
	assert_true(trapline_error_is_place(&err));
	assert_int_equal(err.column, 2);
	/* the list may not be there, or not to be read */
	assert_int_equal(symbols_set_blacklist(symbols, "/no/such/list"), 0);
	check_places("p *_kprobe", "get_kprobe");
	check_places("p get_kprobe+8", "get_kprobe+8");
}

/* Of functions that ftrace does not know only those that are named. */
static void test_traceable(void **state)
{
	struct trapline_event *event;
	struct trapline_error err;

	(void)state;
	assert_int_equal(symbols_set_traceable(symbols, TEST_DATA
					       "/traceable.txt"), 0);
	check_places("p vfs_*", "vfs_read vfs_write");
	check_places("p *_file_*", "ext4_file_open[ext4]");
	check_places("p name_show#all", "name_show name_show");
	check_places("p vfs_readv", "vfs_readv");
	assert_int_equal(trapline_event_parse("p vfs_readv*", symbols, &event,
					      &err), -EINVAL);
	assert_non_null(strstr(err.hint, "ftrace does not know"));
	assert_int_equal(symbols_set_traceable(symbols, "/no/such/list"), 0);
	check_places("p vfs_readv*", "vfs_readv");
}

/* An empty match proposes something. */
static void test_proposals(void **state)
{
	static const struct {
		const char *line;
		const char *hint;
	} cases[] = {
		{ "p vfs_reed*", "vfs_read" },
		{ "p openat2*", "*openat2* fits 1" },
		{ "p asm_exc*", "allows no probe" },
		{ "p early_*", "allows no probe" },
	};
	struct trapline_event *event;
	struct trapline_error err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(trapline_event_parse(cases[i].line, symbols,
						      &event, &err), -EINVAL);
		assert_string_equal(trapline_error_name(err.code),
				    "pattern-empty");
		if (!strstr(err.hint, cases[i].hint))
			fail_msg("%s: %s", cases[i].line, err.hint);
	}
}

/* Each place has a program of its own: parameters differ. */
static void test_parameters(void **state)
{
	struct trapline_event *event;
	struct trapline_error err;
	char listing[128];

	(void)state;
	assert_int_equal(load_symbols_with_types(state), 0);
	assert_int_equal(trapline_event_parse("p vfs_read* $arg1", symbols,
					      &event, &err), 0);
	assert_int_equal(trapline_event_place_count(event), 3);
	trapline_event_listing(event, listing, sizeof(listing));
	assert_string_equal(listing,
			    "p:kprobes/p_vfs_read__0 vfs_read* $arg1");
	trapline_event_free(event);
	/* one that is not like the others is named */
	assert_int_equal(trapline_event_parse("p vfs_read* count", symbols,
					      &event, &err), -EINVAL);
	assert_null(event);
	assert_non_null(strstr(err.text, "vfs_readv"));
	/* in a call, what nobody asked for is only where it is */
	assert_int_equal(trapline_event_parse("c *ch*d*", symbols, &event,
					      &err), 0);
	assert_string_equal(event->symbol, "schedule");
	assert_int_equal(event->field_count, 1);
	trapline_event_free(event);
	assert_int_equal(trapline_event_parse("c *ch*d* $retval", symbols,
					      &event, &err), -EINVAL);
	assert_string_equal(trapline_error_name(err.code), "retval-void");
	assert_int_equal(trapline_event_parse("p vfs_w* $retval", symbols,
					      &event, &err), -EINVAL);
	assert_string_equal(err.hint, "");
	assert_int_equal(trapline_event_parse("p vfs_* $retval", symbols,
					      &event, &err), -EINVAL);
	assert_non_null(strstr(err.hint, "vfs_read, one of 4 places"));
	free_symbols(state);
}

/* kallsyms with that many functions, @name and a number */
static int load_many(struct trapline_symbols **many, const char *name,
		     unsigned int count)
{
	char path[] = "/tmp/places_test.XXXXXX";
	int fd = mkstemp(path), ret;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	unsigned int i;

	assert_non_null(file);
	for (i = 0; i < count; i++)
		fprintf(file, "%016llx t %s%u\n",
			0xffffffff81000000ULL + 16 * i, name, i);
	fclose(file);
	ret = trapline_symbols_load(path, many, NULL);
	remove(path);
	return ret;
}

static void test_limit(void **state)
{
	struct trapline_symbols *many;
	struct trapline_event *event;
	struct trapline_error err;

	(void)state;
	assert_int_equal(load_many(&many, "many_", 1025), 0);
	assert_int_equal(trapline_event_parse("p many_*", many, &event, &err),
			 -EINVAL);
	assert_string_equal(trapline_error_name(err.code), "places-many");
	assert_non_null(strstr(err.text, "1025 functions, the limit is 1024"));
	assert_int_equal(trapline_event_parse("p many_?*", many, &event, &err),
			 -EINVAL);
	trapline_symbols_free(many);
	assert_int_equal(load_many(&many, "many_", 1024), 0);
	assert_int_equal(trapline_event_parse("p many_*", many, &event, &err),
			 0);
	assert_int_equal(trapline_event_place_count(event), 1024);
	trapline_event_free(event);
	trapline_symbols_free(many);
}

static void test_tracepoint_limit(void **state)
{
	struct trapline_symbols *many;
	struct trapline_event *event;
	struct trapline_error err;

	(void)state;
	assert_int_equal(load_many(&many, "__traceiter_many_", 1025), 0);
	assert_int_equal(trapline_event_parse("t many_*", many, &event, &err),
			 -EINVAL);
	assert_string_equal(trapline_error_name(err.code), "places-many");
	assert_non_null(strstr(err.text, "1025 tracepoints, the limit is 1024"));
	assert_non_null(strstr(err.hint, "SUBSYSTEM/PATTERN"));
	assert_int_equal(trapline_event_parse("t many_??*", many, &event, &err),
			 0);
	assert_int_equal(trapline_event_place_count(event), 1015);
	trapline_event_free(event);
	trapline_symbols_free(many);
}

/* A condition of the whole run is one of each place. */
static void test_restrict(void **state)
{
	struct trapline_event *event = parse_event("p vfs_read*");
	const unsigned int before = event->insn_count;
	unsigned int i;

	(void)state;
	assert_int_equal(trapline_event_restrict(event, "tgid == 5", NULL), 0);
	for (i = 0; i < 3; i++)
		assert_true(event_part(event, i)->insn_count > before);
	trapline_event_free(event);
	event = parse_event("t sched_*");
	assert_int_equal(trapline_event_restrict(event, "tgid == 5", NULL), 0);
	for (i = 0; i < 3; i++)
		assert_true(event_part(event, i)->insn_count > 1);
	trapline_event_free(event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_patterns, load_symbols,
						free_symbols),
		cmocka_unit_test_setup_teardown(test_all, load_symbols,
						free_symbols),
		cmocka_unit_test_setup_teardown(test_forbidden, load_symbols,
						free_symbols),
		cmocka_unit_test_setup_teardown(test_traceable, load_symbols,
						free_symbols),
		cmocka_unit_test_setup_teardown(test_proposals, load_symbols,
						free_symbols),
		cmocka_unit_test_setup_teardown(test_restrict, load_symbols,
						free_symbols),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_tracepoint_limit),
	};

	return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
