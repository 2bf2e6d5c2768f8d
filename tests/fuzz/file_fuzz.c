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
 * A line of the file as it is shown: it need not be UTF-8, but has none of the
 * controls that there are, one byte long or two.
 */
static void check_shown(const char *line)
{
	const unsigned char *at;

	for (at = (const unsigned char *)line; *at; at++) {
		assert_true(*at == '\t' || (*at >= 0x20 && *at != 0x7f));
		assert_false(at[0] == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f);
	}
}

/* What is shown is indented; the rest is the command's own text. */
static void check_printed(char *text)
{
	char *line, *end;

	for (line = text; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		*end = '\0';
		check_shown(line);
		if (line[0] != ' ')
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
