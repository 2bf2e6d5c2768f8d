// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever a line is, it becomes a program that the kernel's own verifier
 * takes, or a refusal that points into the line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "line_world.h"
#include "btf_world.h"

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
	"->", "*", "if", "file", "->f_next", ".dentry", "->f_path", "[0]",
	"$current", "$arg*", "(file)", "(task_struct,tasks)", ":%pd", "f_tag",
	"count", "\n", "\r", "\x01", "\xff", "~", "tgt:", "_", "$",
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
		accepted += line_check(line);
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

	return cmocka_run_group_tests_name("mutation", tests,
					   load_symbols_with_types,
					   free_symbols);
}
