// SPDX-License-Identifier: GPL-2.0-only
/* See input.h. The checks of tests/unit/ serve here too; they must abort. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../userspace/lib/symbols.h"
#include "../unit/btf_world.h"
#include "input.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	/* cmocka would leave a test, and there is none */
	setenv("CMOCKA_TEST_ABORT", "1", 1);
	assert_int_equal(load_symbols_with_types(NULL), 0);
	symbols_set_events(symbols, TEST_DATA "/events");
	return 0;
}

uint64_t input_number(struct input *in, unsigned int bytes)
{
	const struct input part = input_part(in, bytes);
	uint64_t value = 0;

	if (part.left)
		memcpy(&value, part.at, part.left);
	return value;
}

struct input input_part(struct input *in, size_t bytes)
{
	struct input part = { in->at, bytes < in->left ? bytes : in->left };

	if (part.left)
		in->at += part.left;
	in->left -= part.left;
	return part;
}

char *input_copy(const struct input *in)
{
	char *copy = malloc(in->left + 1);

	assert_non_null(copy);
	if (in->left)
		memcpy(copy, in->at, in->left);
	copy[in->left] = '\0';
	return copy;
}

const char *input_file(const uint8_t *bytes, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("input", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, bytes, size, 0), size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}
