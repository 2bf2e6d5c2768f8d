// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a packet: all its records and their arguments, as text. The
 * decoder stays inside, comes to an end, says at most once that something is
 * wrong, and no byte of a string breaks the line or reaches a terminal as a
 * command.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../uapi/trapline.h"
#include "../../userspace/lib/names.h"
#include "../../userspace/lib/text.h"
#include "../unit/record_world.h"
#include "../unit/symbols_world.h"
#include "../unit/text_world.h"
#include "events.h"
#include "input.h"

static unsigned int hex_digit(char c)
{
	return (unsigned int)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* The byte that an escape at @at stands for, which is left behind it. */
static char unescape(const char **at)
{
	const char letter = *(*at)++;
	unsigned int byte;

	switch (letter) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	case 'x':
		byte = hex_digit((*at)[0]) << 4 | hex_digit((*at)[1]);
		*at += 2;
		return (char)byte;
	default:
		return letter;
	}
}

/* A quoted string has all bytes of the string in it, and no quote. */
static void check_escape(const struct decode_value *value)
{
	const size_t size = 4 * value->length + 1;
	char *quoted = malloc(size);
	struct text text;
	const char *at;
	size_t i;

	assert_non_null(quoted);
	text_start(&text, quoted, size);
	escape_text(&text, value->string, value->length, ESCAPE_QUOTED);
	assert_true(text.length < size);
	text_is_printable(quoted, text.length);
	for (at = quoted, i = 0; i < value->length; i++) {
		char byte = *at++;

		assert_int_not_equal(byte, '"');
		if (byte == '\\')
			byte = unescape(&at);
		assert_int_equal(byte, value->string[i]);
	}
	assert_ptr_equal(at, quoted + text.length);
	free(quoted);
}

static void check_args(const struct trapline_record *record)
{
	unsigned int count = 0;
	const struct field *field;
	struct decode_value value;
	struct decode_args args;
	int rc;

	decode_args_start(&args, record);
	if (record->event->backend == TL_BACKEND_KRETPROBE)
		assert_int_equal(decode_args_caller(&args, &value), 1);
	while ((rc = decode_args_next(&args, &field, &value)) > 0) {
		count++;
		if (field->format == FIELD_STRING)
			check_escape(&value);
		else if (field->format == FIELD_KSTACK ||
			 field->format == FIELD_USTACK)
			assert_int_equal(value.length % field->bytes, 0);
	}
	/* decode_next() has yielded it: all of it is there */
	assert_int_equal(rc, 0);
	assert_int_equal(count, record->event->field_count);
}

static void take_record(struct trapline_names *names,
			const struct trapline_record *record)
{
	check_args(record);
	assert_true(record_format_check(record, symbols, names) > 0);
	if (record->event == names->task_new ||
	    record->event == names->task_name)
		assert_int_equal(names_record(record, names), 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct decode_events *table = events_make();
	struct trapline_names names = {
		.task_new = events[EVENT_TASK_NEW],
		.task_name = events[EVENT_TASK_NAME],
	};
	struct trapline_record record;
	struct decode_cursor cursor;
	size_t position;
	int rc;

	rc = decode_start(&cursor, table, bytes, size);
	assert_true(!rc || rc == -EBADMSG);
	assert_true(rc || cursor.packet.content_bytes <= size);
	position = cursor.position;
	while ((rc = decode_next(&cursor, &record)) > 0) {
		assert_true(cursor.position >= position + 8);
		assert_true(record.payload + record.payload_bytes <=
			    bytes + cursor.packet.content_bytes);
		position = cursor.position;
		take_record(&names, &record);
	}
	/* for good */
	assert_int_equal(decode_next(&cursor, &record), rc);
	assert_int_equal(cursor.position, position);
	name_table_free(&names.table);
	return 0;
}
