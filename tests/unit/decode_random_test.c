// SPDX-License-Identifier: GPL-2.0-only
/* The decoder on packets that were cut or changed: never outside, never for ever. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode_world.h"
#include "random_world.h"

/* Fills the packet with records of every kind; returns how many. */
static unsigned int fill_packet(void)
{
	unsigned int count = 0, i;

	build_start(&decode_build, BEGIN);
	for (i = 0; i < 20; i++) {
		build_record(&decode_build, 1, BEGIN + i, 0, i);
		build_raw(&decode_build, "0123456789abc", 13);
		build_record(&decode_build, 2, BEGIN + i, TL_CTX_EXCEPTIONAL, i);
		build_raw(&decode_build, "\2\0\3", 3);
		build_string(&decode_build, "a string");
		build_number(&decode_build, i, 2);
		build_string(&decode_build, "another");
		build_extended(&decode_build, 3, BEGIN + i, 0, i);
		build_raw(&decode_build, "caller..n", 9);
		count += 3;
	}
	return count;
}

/* All records and all their arguments, as a user reads them. */
static unsigned int read_all(const unsigned char *bytes, size_t size)
{
	struct trapline_record record;
	struct decode_cursor cursor;
	unsigned int count = 0;
	volatile unsigned char sum = 0;

	if (decode_start(&cursor, &decode_table, bytes, size))
		return 0;
	while (decode_next(&cursor, &record) > 0) {
		const struct field *field;
		struct decode_value value;
		struct decode_args args;
		size_t i;

		decode_args_start(&args, &record);
		if (record.event->backend == TL_BACKEND_KRETPROBE)
			assert_int_equal(decode_args_caller(&args, &value), 1);
		while (decode_args_next(&args, &field, &value) > 0)
			for (i = 0; !field->bytes && i < value.length; i++)
				sum = (unsigned char)(sum + value.string[i]);
		count++;
	}
	return count;
}

/* Each length of content, with not a byte more in memory. */
static void truncated_packets(void **state)
{
	unsigned int count = fill_packet(), last = 0;
	size_t content = decode_build.at, bytes;

	(void)state;
	build_end(&decode_build, 0, END_LATE, 0, 0);
	for (bytes = 0; bytes <= content; bytes++) {
		uint64_t bits = bytes * 8;
		unsigned char *copy;
		unsigned int found;

		memcpy(decode_build.bytes + offsetof(struct tl_packet_header,
					      content_bits), &bits, 8);
		memcpy(decode_build.bytes + offsetof(struct tl_packet_header,
					      packet_bits), &bits, 8);
		copy = decode_copy(bytes);
		found = read_all(copy, bytes);
		assert_true(found >= last);
		last = found;
		free(copy);
	}
	assert_int_equal(last, count);
}

static void random_changes_never_lead_outside(void **state)
{
	size_t round, i;

	(void)state;
	for (round = 0; round < 50000; round++) {
		size_t header = sizeof(struct tl_packet_header), size;
		unsigned char *copy;

		fill_packet();
		size = (decode_build.at + 7) & ~(size_t)7;
		build_end(&decode_build, 0, END_LATE, 0, 0);
		decode_build.bytes[offsetof(struct tl_packet_header, packet_bits)] =
			(unsigned char)(size * 8);
		decode_build.bytes[offsetof(struct tl_packet_header, packet_bits) +
			    1] = (unsigned char)(size * 8 >> 8);
		for (i = 0; i < 1 + round % 20; i++) {
			size_t at = random_number() % size;

			/* most of them behind the header, or all is refused */
			if (at < header && round % 16)
				at += header;
			decode_build.bytes[at] = (unsigned char)random_number();
		}
		copy = decode_copy(size);
		read_all(copy, size);
		free(copy);
	}
}

static void random_records_never_lead_outside(void **state)
{
	size_t round, i, size = 1024;

	(void)state;
	for (round = 0; round < 50000; round++) {
		unsigned char *copy;

		build_start(&decode_build, BEGIN);
		decode_build.at = size;
		build_end(&decode_build, 0, END_LATE, 0, 0);
		decode_build.bytes[offsetof(struct tl_packet_header, packet_bits)] = 0;
		decode_build.bytes[offsetof(struct tl_packet_header, packet_bits) +
			    1] = (unsigned char)(size * 8 >> 8);
		for (i = sizeof(struct tl_packet_header); i < size; i += 8) {
			uint64_t word = random_number();

			/* often the number of an event that there is */
			if (word >> 60)
				word &= ~UINT64_C(0x3fc);
			memcpy(decode_build.bytes + i, &word, 8);
		}
		copy = decode_copy(size);
		read_all(copy, size);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truncated_packets),
		cmocka_unit_test(random_changes_never_lead_outside),
		cmocka_unit_test(random_records_never_lead_outside),
	};

	return cmocka_run_group_tests_name("decode_random", tests, decode_world_make_table,
					   decode_world_free_table);
}
