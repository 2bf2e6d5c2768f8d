// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's symbols: reading them, and looking them up. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../userspace/lib/symbols.h"
#include "symbols_world.h"

/* Load a file that has this text; the table is freed. */
static int load_text(const char *text, size_t length,
		     struct trapline_error *err)
{
	char path[] = "/tmp/trapline-symbols-XXXXXX";
	struct trapline_symbols *table;
	int fd = mkstemp(path);
	int ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, length), length);
	close(fd);
	ret = trapline_symbols_load(path, &table, err);
	unlink(path);
	if (ret)
		assert_null(table);
	trapline_symbols_free(table);
	return ret;
}

static void test_by_name(void **state)
{
	const struct symbol *const *found;

	(void)state;
	assert_int_equal(symbols_by_name(symbols, NULL, "vfs_read", &found), 1);
	assert_string_equal(found[0]->name, "vfs_read");
	assert_null(found[0]->module);
	assert_int_equal(found[0]->address, 0xffffffff81005000);
	assert_int_equal(found[0]->bytes, 0x300);
	assert_int_equal(found[0]->type, 'T');
	assert_int_equal(symbols_by_name(symbols, NULL, "vfs_rea", &found), 0);
	assert_null(found);
	assert_int_equal(symbols_by_name(symbols, NULL, "", &found), 0);
}

/* All of one name are neighbours, those of the kernel first. */
static void test_same_name(void **state)
{
	const struct symbol *const *found;

	(void)state;
	assert_int_equal(symbols_by_name(symbols, NULL, "name_show", &found),
			 2);
	assert_int_equal(found[0]->address, 0xffffffff81007000);
	assert_int_equal(found[1]->address, 0xffffffff81008000);
	assert_int_equal(symbols_by_name(symbols, "tgt", "name_show", &found),
			 0);
	assert_int_equal(symbols_by_name(symbols, "tgt", "tgt_init", &found),
			 1);
	assert_string_equal(found[0]->module, "tgt");
	assert_int_equal(symbols_by_name(symbols, "ext4", "tgt_init", &found),
			 0);
}

static void test_by_address(void **state)
{
	static const struct {
		uint64_t address;
		const char *name;
	} cases[] = {
		{ 0xffffffff81005000, "vfs_read" },
		{ 0xffffffff810052ff, "vfs_read" },
		{ 0xffffffff81005300, "vfs_readv" },
		/* of two names the first, as the kernel prints it */
		{ 0xffffffff81000000, "_text" },
		{ 0xffffffff81006001, "__x64_sys_openat" },
		/* modules are not in order in the file */
		{ 0xffffffffc0000000, "ext4_file_open" },
		{ 0xffffffffc0020000, "tgt_init" },
		/* the last of a module ends with its page */
		{ 0xffffffffc0000fff, "ext4_helper.isra.0" },
		{ 0xffffffffc0001000, NULL },
		{ 0xffffffffc0025fff, "tgt_data" },
		{ 0xffffffffc0026000, NULL },
		/* other modules may lie between a module's code and its data */
		{ 0xffffffffc0020fff, "name_store" },
		{ 0xffffffffc0021000, NULL },
		/* and between pages of code that the kernel makes as it runs */
		{ 0xffffffffc0030fff, "kprobe_optinsn_page" },
		{ 0xffffffffc0031000, NULL },
		{ 0xffffffffc0034fff, NULL },
		{ 0xffffffffc004003f, "bpf_prog_6deef7357e7b4530" },
		{ 0xffffffffc0040040, "bpf_prog_ae8d7fd1a1ccdf3b" },
		{ 0xffffffffc0041000, NULL },
		{ 0xffffffff82003000, NULL },
		{ 0, "fixed_percpu_data" },
		{ 0x400000, NULL },
		{ UINT64_MAX, NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct symbol *symbol;

		symbol = symbols_by_address(symbols, cases[i].address);
		if (cases[i].name) {
			assert_non_null(symbol);
			assert_string_equal(symbol->name, cases[i].name);
		} else {
			assert_null(symbol);
		}
	}
}

static void test_each_is_found(void **state)
{
	size_t i;

	(void)state;
	assert_int_equal(symbols_count(symbols), 75);
	for (i = 0; i < symbols_count(symbols); i++) {
		const struct symbol *symbol = symbols_at(symbols, i);
		const struct symbol *const *found;
		const struct symbol *at;
		size_t count;

		count = symbols_by_name(symbols, symbol->module, symbol->name,
					&found);
		assert_true(count >= 1);
		while (count && found[count - 1] != symbol)
			count--;
		assert_true(count >= 1);
		at = symbols_by_address(symbols, symbol->address);
		assert_int_equal(at->address, symbol->address);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *text;
		const char *reason;
	} cases[] = {
		{ "", "symbols-empty" },
		{ "0000000000000000 T a\n0000000000000000 t b\t[m]\n",
		  "symbols-hidden" },
		{ "ffffffff81000000 T a\nhello\n", "symbols-form" },
		{ "ffffffff81000000\n", "symbols-form" },
		{ "ffffffff81000000 T \n", "symbols-form" },
		{ "ffffffff81000000 Tx a\n", "symbols-form" },
		{ " T a\n", "symbols-form" },
		{ "11112222333344445 T a\n", "symbols-form" },
		{ "f T", "symbols-form" },
		{ "f", "symbols-form" },
	};
	struct trapline_error err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(load_text(cases[i].text, strlen(cases[i].text),
				      &err) < 0);
		assert_string_equal(trapline_error_name(err.code),
				    cases[i].reason);
		assert_true(err.text[0]);
	}
	assert_true(load_text("ffffffff81000000 T a\n\0b\n", 24, &err) < 0);
	assert_int_equal(load_text("f T a", 5, &err), 0);
	assert_int_equal(load_text("f T a\t[m", 8, &err), 0);
}

static void test_no_file(void **state)
{
	struct trapline_symbols *table;
	struct trapline_error err;

	(void)state;
	assert_int_equal(trapline_symbols_load("/nowhere", &table, &err),
			 -ENOENT);
	assert_null(table);
	assert_int_equal(err.os_errno, ENOENT);
	assert_non_null(strstr(err.text, "/nowhere"));
	assert_int_equal(trapline_symbols_load("/", &table, &err), -EISDIR);
}

/* More than the first buffer holds, with many symbols of one address. */
static void test_large(void **state)
{
	const size_t lines = 400000;
	char *text = malloc(lines * 40);
	struct trapline_error err;
	size_t used = 0;
	size_t i;

	(void)state;
	assert_non_null(text);
	for (i = 0; i < lines; i++)
		used += (size_t)sprintf(text + used, "%016zx t function_%zu\n",
					0xffffffff90000000 - i / 4 * 16,
					i % 1000);
	assert_int_equal(load_text(text, used, &err), 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_name),
		cmocka_unit_test(test_same_name),
		cmocka_unit_test(test_by_address),
		cmocka_unit_test(test_each_is_found),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests_name("symbols", tests, load_symbols,
					   free_symbols);
}
