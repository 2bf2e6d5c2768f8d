// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as a definition: a refusal that points into the line, or a program
 * that the kernel's verifier takes, a listing that means the same, and records
 * that can be printed.
 */
#include <stdlib.h>

#include "../unit/line_world.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct input in = { bytes, size };
	char *line = input_copy(&in);

	line_check(line);
	free(line);
	return 0;
}
