// SPDX-License-Identifier: GPL-2.0-only
/* See decode_world.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode_world.h"

static struct field empty_fields[1];

static struct field number_fields[] = {
	{ .name = (char *)"a", .format = FIELD_UNSIGNED, .bytes = 1 },
	{ .name = (char *)"k", .format = FIELD_HEX, .bytes = 8,
	  .constant = true, .value = 7 },
	{ .name = (char *)"b", .format = FIELD_SIGNED, .bytes = 4 },
	{ .name = (char *)"c", .format = FIELD_HEX, .bytes = 8 },
};

static struct field string_fields[] = {
	{ .name = (char *)"s", .format = FIELD_STRING },
	{ .name = (char *)"n", .format = FIELD_UNSIGNED, .bytes = 2 },
	{ .name = (char *)"t", .format = FIELD_STRING },
};

/* Numbers of the events are their places here. */
struct trapline_event decode_world_events[DECODE_EVENTS] = {
	{ .name = (char *)"empty", .backend = TL_BACKEND_KPROBE, .id = 0,
	  .fields = empty_fields },
	{ .name = (char *)"numbers", .backend = TL_BACKEND_KPROBE, .id = 1,
	  .fields = number_fields, .field_count = 4 },
	{ .name = (char *)"strings", .backend = TL_BACKEND_KPROBE, .id = 2,
	  .fields = string_fields, .field_count = 3 },
	{ .name = (char *)"ret", .backend = TL_BACKEND_KRETPROBE, .id = 3,
	  .fields = number_fields, .field_count = 1 },
	{ .name = (char *)"high", .backend = TL_BACKEND_KPROBE, .id = 1500,
	  .fields = empty_fields },
};

struct decode_events decode_table;
struct build decode_build;

int decode_world_make_table(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(decode_world_events) / sizeof(decode_world_events[0]); i++)
		if (decode_events_add(&decode_table, &decode_world_events[i]))
			return -1;
	return 0;
}

int decode_world_free_table(void **state)
{
	(void)state;
	decode_events_free(&decode_table);
	return 0;
}

unsigned char *decode_copy(size_t size)
{
	unsigned char *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, decode_build.bytes, size);
	return copy;
}

void decode_begins(struct decode_cursor *cursor, uint64_t end_ns)
{
	size_t size = build_end(&decode_build, 3, end_ns, 0, 0);

	assert_int_equal(decode_start(cursor, &decode_table, decode_build.bytes, size), 0);
}

void decode_gives(struct decode_cursor *cursor, unsigned int id,
		    uint64_t time_ns, unsigned int tid)
{
	struct trapline_record record;

	assert_int_equal(decode_next(cursor, &record), 1);
	assert_int_equal(record.event->id, id);
	assert_int_equal(record.time_ns, time_ns);
	assert_int_equal(record.tid, tid);
	assert_int_equal(record.cpu, 3);
}

void decode_ends(struct decode_cursor *cursor)
{
	struct trapline_record record;

	assert_int_equal(decode_next(cursor, &record), 0);
	assert_int_equal(decode_next(cursor, &record), 0);
}

void decode_refuses(struct decode_cursor *cursor)
{
	struct trapline_record record;
	size_t position = cursor->position;

	assert_int_equal(decode_next(cursor, &record), -EBADMSG);
	assert_int_equal(decode_next(cursor, &record), -EBADMSG);
	assert_int_equal(cursor->position, position);
}
