// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a line of /proc/TID/comm: the name is its beginning, and what
 * the table of names then has.
 *
 * Input: a thread id, then the line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../userspace/lib/names.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct name_table table = { 0 };
	struct input in = { bytes, size };
	unsigned int tid = (unsigned int)input_number(&in, 3);
	size_t left = in.left;
	/* without the NUL: a look behind the line must be seen */
	char *copy = input_copy(&in), *line = malloc(left + !left);
	const char *name;
	size_t length;

	assert_non_null(line);
	memcpy(line, copy, left);
	length = names_comm_length(line, left);
	assert_true(length <= left && length < NAME_BYTES);
	/* only workers are shown with more than their names */
	if (length < left && length < NAME_BYTES - 1)
		assert_memory_equal(line, "kworker/", 8);
	assert_int_equal(name_table_set(&table, tid, line, length), 0);
	name = name_table_get(&table, tid);
	if (tid) {
		copy[length] = '\0';
		assert_string_equal(name, copy);
	} else {
		assert_null(name);
	}
	assert_null(name_table_get(&table, tid + 1));
	name_table_free(&table);
	free(line);
	free(copy);
	return 0;
}
