// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a file of symbols: refused with a reason, or a table in which
 * each symbol is found by its name and by its address.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../userspace/lib/symbols.h"
#include "input.h"

static void check_symbol(const struct trapline_symbols *table, size_t index)
{
	const struct symbol *symbol = symbols_at(table, index);
	const struct symbol *const *found;
	const struct symbol *other;
	size_t count = symbols_by_name(table, symbol->module, symbol->name,
				       &found);
	bool seen = false;
	size_t i;

	for (i = 0; i < count; i++) {
		assert_string_equal(found[i]->name, symbol->name);
		seen |= found[i] == symbol;
	}
	assert_true(seen);
	assert_true(symbol->bytes);
	other = symbols_by_address(table, symbol->address);
	assert_non_null(other);
	assert_int_equal(other->address, symbol->address);
	assert_int_equal(other->bytes, symbol->bytes);
	/* its last byte is its own, and what follows is not */
	assert_ptr_equal(symbols_by_address(table, symbol->address +
					    symbol->bytes - 1), other);
	assert_ptr_not_equal(symbols_by_address(table, symbol->address +
						symbol->bytes), other);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct trapline_symbols *table;
	struct trapline_error err = { .column = 7 };
	size_t i;
	int ret;

	ret = trapline_symbols_load(input_file(bytes, size), &table, &err);
	if (ret) {
		assert_null(table);
		assert_true(ret == -EINVAL || ret == -ENOENT || ret == -EPERM);
		assert_true(err.text[0] && err.column == -1);
		return 0;
	}
	assert_true(symbols_count(table));
	for (i = 0; i < symbols_count(table); i++)
		check_symbol(table, i);
	symbols_by_address(table, 0);
	symbols_by_address(table, UINT64_MAX);
	trapline_symbols_free(table);
	return 0;
}
