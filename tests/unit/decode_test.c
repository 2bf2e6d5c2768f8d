// SPDX-License-Identifier: GPL-2.0-only
/* The decoder: every form of record, and packets that are not what they say. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode_world.h"

static void packet_without_records(void **state)
{
	struct decode_cursor cursor;

	(void)state;
	build_start(&decode_build, BEGIN);
	decode_begins(&cursor, BEGIN);
	decode_ends(&cursor);
}

static void time_is_rebuilt_from_27_bits(void **state)
{
	static const uint64_t gaps[] = { 0, 1, WRAP - 1, WRAP - 2, 2, 0,
					 WRAP / 2, WRAP - 1, WRAP - 1 };
	const size_t count = sizeof(gaps) / sizeof(gaps[0]);
	struct decode_cursor cursor;
	uint64_t time = BEGIN;
	size_t i;

	(void)state;
	build_start(&decode_build, BEGIN);
	for (i = 0; i < count; i++)
		build_record(&decode_build, 0, time += gaps[i], 0, 1 + (unsigned)i);
	decode_begins(&cursor, time);
	time = BEGIN;
	for (i = 0; i < count; i++)
		decode_gives(&cursor, 0, time += gaps[i], 1 + (unsigned)i);
	decode_ends(&cursor);
}

static void gap_of_a_wrap_needs_the_long_header(void **state)
{
	struct decode_cursor cursor;

	(void)state;
	build_start(&decode_build, BEGIN);
	build_record(&decode_build, 0, BEGIN, 0, 1);
	build_extended(&decode_build, 0, BEGIN + WRAP, 0, 2);
	build_record(&decode_build, 0, BEGIN + 2 * WRAP - 1, 0, 3);
	build_extended(&decode_build, 1500, BEGIN + 2 * WRAP - 1, 0, 4194303);
	build_extended(&decode_build, 0, BEGIN + 9 * WRAP + 1, 0, 5);
	decode_begins(&cursor, BEGIN + 9 * WRAP + 1);
	decode_gives(&cursor, 0, BEGIN, 1);
	decode_gives(&cursor, 0, BEGIN + WRAP, 2);
	decode_gives(&cursor, 0, BEGIN + 2 * WRAP - 1, 3);
	decode_gives(&cursor, 1500, BEGIN + 2 * WRAP - 1, 4194303);
	decode_gives(&cursor, 0, BEGIN + 9 * WRAP + 1, 5);
	decode_ends(&cursor);
}

static void numbers_and_constants(void **state)
{
	static const uint64_t expected[] = { 0xfe, 7, 0xfffffffb,
					     0x1122334455667788 };
	struct decode_cursor cursor;
	struct trapline_record record;
	const struct field *field;
	struct decode_value value;
	struct decode_args args;
	size_t i;

	(void)state;
	build_start(&decode_build, BEGIN);
	build_record(&decode_build, 1, BEGIN, TL_CTX_HARDIRQ, 9);
	build_number(&decode_build, 0xfe, 1);
	build_number(&decode_build, 0xfffffffb, 4);
	build_number(&decode_build, 0x1122334455667788, 8);
	decode_begins(&cursor, BEGIN);
	assert_int_equal(decode_next(&cursor, &record), 1);
	assert_int_equal(record.context, TRAPLINE_HARDIRQ);
	assert_null(record.status);
	decode_args_start(&args, &record);
	for (i = 0; i < 4; i++) {
		assert_int_equal(decode_args_next(&args, &field, &value), 1);
		assert_int_equal(value.number, expected[i]);
	}
	assert_int_equal(decode_args_next(&args, &field, &value), 0);
	decode_ends(&cursor);
}

static void exceptional_record_has_a_status_for_each_put(void **state)
{
	struct decode_cursor cursor;
	struct trapline_record record;
	const struct field *field;
	struct decode_value value;
	struct decode_args args;

	(void)state;
	build_start(&decode_build, BEGIN);
	build_record(&decode_build, 2, BEGIN, TL_CTX_EXCEPTIONAL, 9);
	build_raw(&decode_build, "\2\1\3", 3);
	build_string(&decode_build, "abc");
	build_number(&decode_build, 0, 2);
	build_string(&decode_build, "");
	build_record(&decode_build, 3, BEGIN, TL_CTX_EXCEPTIONAL | TL_CTX_NMI, 9);
	build_raw(&decode_build, "\0\1", 2);
	build_number(&decode_build, 0xffffffff81000123, 8);
	build_number(&decode_build, 0, 1);
	decode_begins(&cursor, BEGIN);

	assert_int_equal(decode_next(&cursor, &record), 1);
	decode_args_start(&args, &record);
	assert_int_equal(decode_args_next(&args, &field, &value), 1);
	assert_int_equal(value.status, TL_STATUS_TRUNCATED);
	assert_int_equal(value.length, 3);
	assert_memory_equal(value.string, "abc", 3);
	assert_int_equal(decode_args_next(&args, &field, &value), 1);
	assert_int_equal(value.status, TL_STATUS_FAULT);
	assert_int_equal(decode_args_next(&args, &field, &value), 1);
	assert_int_equal(value.status, TL_STATUS_INCOMPLETE);
	assert_int_equal(value.length, 0);
	assert_int_equal(decode_args_next(&args, &field, &value), 0);

	assert_int_equal(decode_next(&cursor, &record), 1);
	assert_int_equal(record.context, TRAPLINE_NMI);
	decode_args_start(&args, &record);
	assert_int_equal(decode_args_caller(&args, &value), 1);
	assert_int_equal(value.number, 0xffffffff81000123);
	assert_int_equal(decode_args_next(&args, &field, &value), 1);
	assert_int_equal(value.status, TL_STATUS_FAULT);
	decode_ends(&cursor);
}

static void bad_records(void **state)
{
	static const struct {
		unsigned int id;
		uint64_t time_ns;
		unsigned int context;
		const char *payload;
		size_t bytes;
	} cases[] = {
		{ 4, BEGIN, 0, "", 0 },		/* no such event */
		{ 1022, BEGIN, 0, "", 0 },
		{ 0, BEGIN, 8, "", 0 },		/* spare bits of the context */
		{ 0, BEGIN, 16, "", 0 },
		{ 0, BEGIN + 2, 0, "", 0 },	/* after the packet's end */
		{ 1, BEGIN, 0, "12345678", 8 },	/* shorter than the fields */
		{ 2, BEGIN, 0, "\xff\xff", 2 },	/* string past the end */
		{ 2, BEGIN, 0, "\x06\0abcdef", 8 },
		{ 1, BEGIN, TL_CTX_EXCEPTIONAL, "\2\0\0abcdefghijklm", 16 },
		{ 2, BEGIN, TL_CTX_EXCEPTIONAL, "\4\0\0\0\0nn\0", 8 },
		{ 3, BEGIN, TL_CTX_EXCEPTIONAL, "\2\0caller..n", 11 },
	};
	struct decode_cursor cursor;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		build_start(&decode_build, BEGIN);
		build_record(&decode_build, 0, BEGIN, 0, 1);
		build_record(&decode_build, cases[i].id, cases[i].time_ns,
			     cases[i].context, 1);
		build_raw(&decode_build, cases[i].payload, cases[i].bytes);
		decode_begins(&cursor, BEGIN + 1);
		decode_gives(&cursor, 0, BEGIN, 1);
		decode_refuses(&cursor);
	}
}

static void long_header_must_be_whole_and_not_go_back(void **state)
{
	struct decode_cursor cursor;

	(void)state;
	build_start(&decode_build, BEGIN);
	build_record(&decode_build, TL_EVENT_EXTENDED, 0, 0, 0);
	build_number(&decode_build, 0, 8);
	decode_begins(&cursor, END_LATE);
	decode_refuses(&cursor);

	build_start(&decode_build, BEGIN);
	build_extended(&decode_build, 0, BEGIN - 1, 0, 0);
	decode_begins(&cursor, END_LATE);
	decode_refuses(&cursor);

	build_start(&decode_build, BEGIN);
	build_extended(&decode_build, UINT32_MAX, BEGIN, 0, 0);
	decode_begins(&cursor, END_LATE);
	decode_refuses(&cursor);
}

static void bad_headers(void **state)
{
	static const struct {
		size_t offset;
		uint64_t value;
		size_t bytes;
	} changes[] = {
		{ offsetof(struct tl_packet_header, magic), 1, 4 },
		{ offsetof(struct tl_packet_header, stream_id), 1, 4 },
		{ offsetof(struct tl_packet_header, end_ns), BEGIN - 1, 8 },
		{ offsetof(struct tl_packet_header, content_bits), 0, 8 },
		{ offsetof(struct tl_packet_header, content_bits), 641, 8 },
		{ offsetof(struct tl_packet_header, content_bits),
		  UINT64_MAX - 7, 8 },
		{ offsetof(struct tl_packet_header, packet_bits), 8, 8 },
		{ offsetof(struct tl_packet_header, packet_bits),
		  8 * (4096 + 8), 8 },
		{ offsetof(struct tl_packet_header, packet_bits),
		  UINT64_MAX - 7, 8 },
		{ offsetof(struct tl_packet_header, format), 2, 4 },
	};
	struct trapline_record record;
	struct decode_cursor cursor;
	size_t i, size;

	(void)state;
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		build_start(&decode_build, BEGIN);
		build_record(&decode_build, 0, BEGIN, 0, 1);
		size = build_end(&decode_build, 0, BEGIN, 0, 0);
		memcpy(decode_build.bytes + changes[i].offset, &changes[i].value,
		       changes[i].bytes);
		assert_int_equal(decode_start(&cursor, &decode_table, decode_build.bytes,
					      size), -EBADMSG);
		assert_int_equal(decode_next(&cursor, &record), 0);
	}
}

static void nmi_in_an_nmi_is_an_nmi(void **state)
{
	struct trapline_record record;
	struct decode_cursor cursor;

	(void)state;
	build_start(&decode_build, BEGIN);
	build_record(&decode_build, 0, BEGIN, TL_CTX_NMI | TL_CTX_NESTED, 1);
	decode_begins(&cursor, BEGIN);
	assert_int_equal(decode_next(&cursor, &record), 1);
	assert_int_equal(record.context, TRAPLINE_NMI);
	decode_ends(&cursor);
}

/* What becomes of a record with one field that is @bytes long. */
static int decode_length(struct field *field, unsigned int bytes)
{
	struct trapline_event event = { .fields = field, .field_count = 1 };
	struct decode_events events = { 0 };
	struct trapline_record record;
	struct decode_cursor cursor;
	size_t size;
	int rc;

	assert_int_equal(decode_events_add(&events, &event), 0);
	build_start(&decode_build, BEGIN);
	build_record(&decode_build, 0, BEGIN, 0, 1);
	build_number(&decode_build, bytes, 2);
	build_raw(&decode_build, "abcdefghijklmnopqrstuvwx", bytes);
	size = build_end(&decode_build, 0, BEGIN, 0, 0);
	assert_int_equal(decode_start(&cursor, &events, decode_build.bytes,
				      size), 0);
	rc = decode_next(&cursor, &record);
	decode_events_free(&events);
	return rc;
}

/* More elements than the array has are nothing that its event can have made. */
static void array_is_as_long_as_it_may_be(void **state)
{
	struct field field = { .name = (char *)"x", .bytes = 2, .elements = 3 };
	unsigned int bytes;

	(void)state;
	for (bytes = 0; bytes <= 8; bytes++)
		assert_int_equal(decode_length(&field, bytes),
				 bytes <= 6 ? 1 : -EBADMSG);
}

/* A stack has whole addresses. */
static void stack_is_whole_addresses(void **state)
{
	struct field field = { .name = (char *)"x", .bytes = 8, .elements = 2,
			       .format = FIELD_KSTACK };
	unsigned int bytes;

	(void)state;
	for (bytes = 0; bytes <= 24; bytes++)
		assert_int_equal(decode_length(&field, bytes),
				 bytes % 8 || bytes > 16 ? -EBADMSG : 1);
}

static void unsound_events_are_refused(void **state)
{
	struct field field = { .name = (char *)"x", .bytes = 3 };
	struct trapline_event event = { .fields = &field, .field_count = 1 };
	struct decode_events none = { 0 };

	(void)state;
	assert_int_equal(decode_events_add(&none, &event), -EINVAL);
	field.bytes = 0;
	assert_int_equal(decode_events_add(&none, &event), -EINVAL);
	field.bytes = 4;
	event.id = -1;
	assert_int_equal(decode_events_add(&none, &event), -EINVAL);
	event.id = 0;
	assert_int_equal(decode_events_add(&none, &event), 0);
	decode_events_free(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packet_without_records),
		cmocka_unit_test(time_is_rebuilt_from_27_bits),
		cmocka_unit_test(gap_of_a_wrap_needs_the_long_header),
		cmocka_unit_test(numbers_and_constants),
		cmocka_unit_test(exceptional_record_has_a_status_for_each_put),
		cmocka_unit_test(nmi_in_an_nmi_is_an_nmi),
		cmocka_unit_test(bad_records),
		cmocka_unit_test(long_header_must_be_whole_and_not_go_back),
		cmocka_unit_test(bad_headers),
		cmocka_unit_test(array_is_as_long_as_it_may_be),
		cmocka_unit_test(stack_is_whole_addresses),
		cmocka_unit_test(unsound_events_are_refused),
	};

	return cmocka_run_group_tests_name("decode", tests, decode_world_make_table,
					   decode_world_free_table);
}
