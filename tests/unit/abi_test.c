// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ABI: sizes, offsets and numbers of uapi/ against tests/abi/uapi.txt.
 *
 *	abi_test --update	write that file anew
 *
 * What a release had stays as it was; a new line is an addition, a changed one
 * is a mistake. abi_list.h is made from the headers by tests/abi/fields.awk.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trapline.h"
#include "trapline_packet.h"
#include "trapline_prog.h"

#define LIST TEST_DATA "/../abi/uapi.txt"
#define TEXT_MAX 65536

/**
 * struct line - something of the ABI
 * @kind: "struct", "field", "ioctl" or "constant"
 * @name: its name
 * @in: the struct of a field
 * @type: of a field, its element if it is an array
 * @offset: of a field
 * @value: of a number, size of the others
 */
struct line {
	const char *kind;
	const char *name;
	const char *in;
	const char *type;
	size_t offset;
	uint64_t value;
};

#define STRUCT(name) \
	{ "struct", #name, NULL, NULL, 0, sizeof(struct name) },
#define FIELD(in, name, type) \
	{ "field", #name, #in, #type, offsetof(struct in, name), \
	  sizeof(((struct in *)NULL)->name) },
#define IOCTL(name) { "ioctl", #name, NULL, NULL, 0, (uint64_t)(name) },
#define CONSTANT(name) { "constant", #name, NULL, NULL, 0, (uint64_t)(name) },

static const struct line lines[] = {
#include "abi_list.h"
#define ERROR(number, name, text) \
	{ "error", "TL_ERR_" #name, NULL, NULL, 0, number },
	TL_ERROR_LIST(ERROR)
};

#define LINES (sizeof(lines) / sizeof(lines[0]))

static char text[TEXT_MAX];

static void make_text(void)
{
	size_t at = 0, i;

	for (i = 0; i < LINES; i++) {
		const struct line *l = &lines[i];

		if (l->in)
			at += (size_t)snprintf(text + at, TEXT_MAX - at,
					       "field %s.%s offset %zu size %llu\n",
					       l->in, l->name, l->offset,
					       (unsigned long long)l->value);
		else
			at += (size_t)snprintf(text + at, TEXT_MAX - at,
					       "%s %s %llu\n", l->kind, l->name,
					       (unsigned long long)l->value);
		if (at >= TEXT_MAX)
			abort();
	}
}

static int update(void)
{
	FILE *file = fopen(LIST, "w");

	if (!file || fputs(text, file) < 0 || fclose(file)) {
		perror(LIST);
		return 1;
	}
	return 0;
}

/* The lines of @from that are not in @in. */
static unsigned int missing(const char *from, const char *in, const char *what)
{
	unsigned int count = 0;
	char line[256];

	while (*from) {
		size_t length = strcspn(from, "\n");

		snprintf(line, sizeof(line), "%.*s\n", (int)length, from);
		if (!strstr(in, line)) {
			fprintf(stderr, "# %s: %s", what, line);
			count++;
		}
		from += length + (from[length] == '\n');
	}
	return count;
}

static void test_list(void **state)
{
	static char recorded[TEXT_MAX];
	FILE *file = fopen(LIST, "r");
	unsigned int differences;
	size_t length;

	(void)state;
	assert_non_null(file);
	length = fread(recorded, 1, sizeof(recorded) - 1, file);
	recorded[length] = '\0';
	fclose(file);
	differences = missing(recorded, text, "gone or changed");
	differences += missing(text, recorded, "not in tests/abi/uapi.txt");
	assert_int_equal(differences, 0);
}

/* Fields have the same size on every machine, and nothing lies between. */
static void test_no_padding(void **state)
{
	size_t i, end = 0;
	const struct line *of = NULL;

	(void)state;
	for (i = 0; i < LINES; i++) {
		const struct line *l = &lines[i];

		if (l->in) {
			if (l->offset != end)
				fail_msg("a hole before %s.%s", l->in, l->name);
			end += l->value;
			continue;
		}
		if (of && of->value != end)
			fail_msg("padding at the end of %s", of->name);
		if (of && of->value % 8)
			fail_msg("%s is no multiple of 8 bytes", of->name);
		of = strcmp(l->kind, "struct") ? NULL : l;
		end = 0;
	}
}

static void test_types(void **state)
{
	static const char *const allowed[] = { "__u8", "__u32", "__s32", "__u64",
					       "struct tl_error" };
	size_t i, j;

	(void)state;
	for (i = 0; i < LINES; i++) {
		if (!lines[i].in)
			continue;
		for (j = 0; j < 5 && strcmp(lines[i].type, allowed[j]); j++)
			;
		if (j == 5)
			fail_msg("%s.%s is a %s", lines[i].in, lines[i].name,
				 lines[i].type);
		/* where a u64 is, all machines must want it there */
		if (!strcmp(lines[i].type, "__u64"))
			assert_int_equal(lines[i].offset % 8, 0);
	}
}

/* Numbers of ioctls and of errors are used once. */
static void test_numbers_differ(void **state)
{
	size_t i, j;

	(void)state;
	for (i = 0; i < LINES; i++)
		for (j = 0; j < i; j++)
			if (strcmp(lines[i].kind, "constant") && !lines[i].in &&
			    strcmp(lines[i].kind, "struct") &&
			    !strcmp(lines[i].kind, lines[j].kind) &&
			    (lines[i].value & 0xffff) ==
			    (lines[j].value & 0xffff))
				fail_msg("%s and %s have the same number",
					 lines[i].name, lines[j].name);
}

/* What the list is made from was read completely. */
static void test_list_is_whole(void **state)
{
	size_t i, structs = 0, ioctls = 0;

	(void)state;
	for (i = 0; i < LINES; i++) {
		structs += !strcmp(lines[i].kind, "struct");
		ioctls += !strcmp(lines[i].kind, "ioctl");
	}
	assert_true(structs >= 14);
	assert_true(ioctls >= 8);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_no_padding),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_numbers_differ),
		cmocka_unit_test(test_list_is_whole),
	};

	make_text();
	if (argc > 1 && !strcmp(argv[1], "--update"))
		return update();
	return cmocka_run_group_tests_name("abi", tests, NULL, NULL);
}
