// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever a line is, it becomes a program that the kernel's own verifier
 * takes, or a refusal that points into the line.
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

#include "core/prog.h"

#include "../../userspace/lib/event.h"
#include "event_verify_world.h"
#include "symbols_world.h"

enum {
	ROUNDS = 40000,	/* unless TRAPLINE_ROUNDS says otherwise */
	LINES_MAX = 512,
};

/* What lines are made of, for a mutation that is not quickly refused. */
static const char *const parts[] = {
	" ", "\t", "#", "#2", "p", "r", ":", "/", ".", "vfs_read",
	"name_show", "+", "-", "+0(", "+u8(", ")", "(", "%", "%di", "%ip", "%return",
	"$arg1", "$retval", "$stack", "$stack3", "$comm", "@", "@jiffies",
	"\\", "\\\"", "\"", "\\-1", "=", "a=", "u8", ":s32", ":string",
	":ustring", ":b1@2/8", "[4]", "[", "]", "0", "9", "0x", "18446744073709",
	"->", "*", "if", "\n", "\r", "\x01", "\xff", "~", "tgt:", "_", "$",
};

static uint32_t random_next(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Replace up to three characters somewhere by one of the parts. */
static void mutate(char *line, size_t size, uint32_t *seed)
{
	size_t length = strlen(line);
	size_t from = random_next(seed) % (length + 1);
	size_t cut = random_next(seed) % 4;
	const char *part = parts[random_next(seed) %
				 (sizeof(parts) / sizeof(parts[0]))];
	char rest[1024];

	if (cut > length - from)
		cut = length - from;
	snprintf(rest, sizeof(rest), "%s", line + from + cut);
	snprintf(line + from, size - from, "%s%s",
		 random_next(seed) % 4 ? part : "", rest);
}

/* A listing is a definition of the same event, unless its name is no longer
 * enough to tell which symbol it is. */
static void check_listing(const struct trapline_event *event)
{
	char listing[4096], again[4096];
	struct trapline_event *other;
	struct trapline_error err;

	trapline_event_listing(event, listing, sizeof(listing));
	if (trapline_event_parse(listing, symbols, &other, &err)) {
		assert_string_equal(trapline_error_name(err.code),
				    "symbol-ambiguous");
		return;
	}
	trapline_event_listing(other, again, sizeof(again));
	assert_string_equal(listing, again);
	assert_int_equal(event->address, other->address);
	assert_int_equal(event->insn_count, other->insn_count);
	assert_memory_equal(event->insns, other->insns,
			    event->insn_count * sizeof(event->insns[0]));
	trapline_event_free(other);
}

/* Returns 1 if the line was accepted. */
static int try_line(const char *text)
{
	char *line = strdup(text);	/* an exact size for the sanitizer */
	struct trapline_event *event;
	struct trapline_error err;
	int ret;

	memset(&err, 0xa5, sizeof(err));
	ret = trapline_event_parse(line, symbols, &event, &err);
	if (ret) {
		assert_int_equal(ret, -EINVAL);
		assert_null(event);
		assert_true(err.text[0]);
		assert_string_not_equal(trapline_error_name(err.code),
					"unknown");
		assert_true(err.column >= 0);
		assert_true((size_t)err.column <= strlen(line));
		assert_true(err.length >= 1);
	} else if (event) {
		verify_event(event);
		check_listing(event);
		trapline_event_free(event);
	}
	free(line);
	return !ret;
}

static void test_mutations(void **state)
{
	FILE *file = fopen(TEST_DATA "/definitions.txt", "r");
	const char *asked = getenv("TRAPLINE_ROUNDS");
	const int rounds = asked ? atoi(asked) : ROUNDS;
	static char lines[LINES_MAX][1024];
	uint32_t seed = 20240229;
	size_t count = 0;
	int accepted = 0;
	int i, changes;

	(void)state;
	assert_non_null(file);
	while (count < LINES_MAX && fgets(lines[count], sizeof(lines[0]), file))
		if (!strchr(";\t", lines[count][0]))
			count++;
	fclose(file);
	assert_true(count > 300);
	for (i = 0; i < rounds; i++) {
		char line[1024];

		snprintf(line, sizeof(line), "%s",
			 lines[random_next(&seed) % count]);
		line[strcspn(line, "\n")] = '\0';
		for (changes = i % 4; changes >= 0; changes--)
			mutate(line, sizeof(line), &seed);
		accepted += try_line(line);
	}
	/* both ways are taken */
	assert_true(accepted > rounds / 50);
	assert_true(accepted < rounds / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests_name("mutation", tests, load_symbols,
					   free_symbols);
}
