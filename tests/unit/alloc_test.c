// SPDX-License-Identifier: GPL-2.0-only
/*
 * Want of memory: each allocation of the library's way from text to an event
 * fails once. It must say so, leave nothing behind (the leak sanitizer looks)
 * and hand out nothing.
 *
 * The allocators are defined here, before those of the sanitizer or libc, and
 * pass on to them.
 */
#include <dlfcn.h>
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

#include "../../userspace/lib/trapline.h"
#include "btf_world.h"

#ifndef TEST_DATA
#define TEST_DATA "tests/unit"
#endif

/* How many allocations succeed before one fails; negative: all succeed. */
static int countdown = -1;
static bool failed;

static bool fails(void)
{
	if (countdown < 0 || countdown-- > 0)
		return false;
	failed = true;
	errno = ENOMEM;
	return true;
}

/* The function of that name that this program would use without this file. */
static void find_next(const char *name, void *function)
{
	void *next = dlsym(RTLD_NEXT, name);

	if (!next)
		abort();
	memcpy(function, &next, sizeof(next));
}

void *malloc(size_t size)
{
	static void *(*next)(size_t size);

	if (!next)
		find_next("malloc", &next);
	return fails() ? NULL : next(size);
}

void *calloc(size_t count, size_t size)
{
	static void *(*next)(size_t count, size_t size);

	if (!next)
		find_next("calloc", &next);
	return fails() ? NULL : next(count, size);
}

void *realloc(void *old, size_t size)
{
	static void *(*next)(void *old, size_t size);

	if (!next)
		find_next("realloc", &next);
	return fails() ? NULL : next(old, size);
}

char *strndup(const char *text, size_t size)
{
	size_t length = strnlen(text, size);
	char *copy = malloc(length + 1);

	if (!copy)
		return NULL;
	copy[length] = '\0';
	return memcpy(copy, text, length);
}

char *strdup(const char *text)
{
	return strndup(text, PTRDIFF_MAX);
}

/* ---- the tests -------------------------------------------------------- */

static void test_symbols(void **state)
{
	struct trapline_symbols *table;
	struct trapline_error err;
	int count, ret;

	(void)state;
	for (count = 0;; count++) {
		failed = false;
		countdown = count;
		ret = trapline_symbols_load(TEST_DATA "/kallsyms.txt", &table,
					    &err);
		countdown = -1;
		if (!failed)
			break;
		assert_int_equal(ret, -ENOMEM);
		assert_null(table);
		assert_string_equal(trapline_error_name(err.code), "memory");
	}
	assert_int_equal(ret, 0);
	assert_int_equal(count, 7);
	trapline_symbols_free(table);
}

static const char *const lines[] = {
	"p vfs_read",
	"p:g/e tgt:tgt_init+4 %di %si",
	"r4 vfs_read a=+8(+16($retval)):string $comm \\1 s=\\\"a b\"",
	"p vfs_read n=%di s=+0(%si):string if n == 1 || !(s ~ \"*a*b\" && tid == 5)",
	"p:g/many vfs_read* %di +0(%si):string if tid == 1",
	"t:g/many sched_* $arg1 +0($arg2):string if tid == 1",
	"p 0xffffffffc0020000 @jiffies+8 +u0(@linux_banner):u8 %di %si %dx %cx",
};

/* With types, see btf_world.h. */
static const char *const typed_lines[] = {
	"p vfs_read $arg* file->f_path.dentry->d_name.name:string $current->pid",
	"p vfs_read (task_struct,tasks)+8(%si)->comm:string x=file:%pD $arg2:string",
};

static void check_line(const struct trapline_symbols *table,
		       const char *line)
{
	struct trapline_event *event;
	struct trapline_error err;
	int count, ret;

	for (count = 0;; count++) {
		failed = false;
		countdown = count;
		ret = trapline_event_parse(line, table, &event, &err);
		countdown = -1;
		if (!failed)
			break;
		assert_int_equal(ret, -ENOMEM);
		assert_null(event);
		assert_string_equal(trapline_error_name(err.code), "memory");
	}
	assert_int_equal(ret, 0);
	assert_true(count > 5);
	trapline_event_free(event);
}

static void test_events(void **state)
{
	size_t i;

	assert_int_equal(load_symbols(state), 0);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check_line(symbols, lines[i]);
	free_symbols(state);
}

static void test_types(void **state)
{
	size_t i;

	assert_int_equal(load_symbols_with_types(state), 0);
	for (i = 0; i < sizeof(typed_lines) / sizeof(typed_lines[0]); i++)
		check_line(symbols, typed_lines[i]);
	free_symbols(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_types),
	};

	return cmocka_run_group_tests_name("alloc", tests, NULL, NULL);
}
