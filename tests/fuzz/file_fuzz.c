// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a file of definitions: each line becomes an event or is
 * reported, with its number, and nothing of it reaches the terminal as a
 * command.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../userspace/cli/definitions.h"
#include "../unit/symbols_world.h"
#include "../unit/text_world.h"
#include "input.h"
#include "stream.h"

/*
 * A line of the file is shown indented, with its tabs; the rest is the command's
 * own text. All of it is UTF-8 without controls.
 */
static void check_printed(char *text)
{
	char *line, *end, *at;

	for (line = text; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		for (at = line; line[0] == ' ' && at < end; at++)
			if (*at == '\t')
				*at = ' ';
		text_is_printable(line, (size_t)(end - line));
	}
}

static size_t count_lines(const uint8_t *bytes, size_t size)
{
	size_t lines = size && bytes[size - 1] != '\n', i;

	for (i = 0; i < size; i++)
		lines += bytes[i] == '\n';
	return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct definitions defs = { 0 };
	struct stream stream = { 0 };
	size_t wrong;
	int ret;

	/* nothing is read behind a line that is too long */
	if (size > 65536)
		return 0;
	stream_catch(&stream);
	ret = definitions_add_file(&defs, input_file(bytes, size));
	wrong = definitions_parse(&defs, symbols);
	stream_release(&stream);
	assert_int_equal(ret, 0);
	assert_int_equal(defs.count, count_lines(bytes, size));
	assert_true(wrong + definitions_events(&defs) <= defs.count);
	assert_true(!wrong == !stream.length);
	check_printed(stream.text);
	definitions_free(&defs);
	free(stream.text);
	return 0;
}
