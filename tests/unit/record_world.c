// SPDX-License-Identifier: GPL-2.0-only
/* See record_world.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../userspace/lib/decode.h"
#include "event_verify_world.h"
#include "packet_build.h"
#include "prog_world.h"
#include "record_world.h"
#include "text_world.h"

int record_format_check(const struct trapline_record *record,
			const struct trapline_symbols *symbols,
			struct trapline_names *names)
{
	const struct trapline_format_opts nano = {
		.size = sizeof(nano),
		.nanoseconds = true,
	};
	const struct trapline_format_opts *opts =
		record->time_ns & 1 ? &nano : NULL;
	int length = trapline_format_record(record, symbols, names, opts, NULL,
					    0);
	size_t half = (size_t)length / 2;
	char *line, *part;

	if (length < 0)
		return length;
	line = malloc((size_t)length + 1);
	part = malloc(half + 1);
	assert_true(line && part);
	assert_int_equal(trapline_format_record(record, symbols, names, opts,
						line, (size_t)length + 1),
			 length);
	assert_int_equal(trapline_format_record(record, symbols, names, opts,
						part, half + 1), length);
	assert_int_equal(strlen(line), length);
	assert_int_equal(strlen(part), half);
	assert_memory_equal(line, part, half);
	text_is_printable(line, (size_t)length);
	free(part);
	free(line);
	return length;
}

/* One hit of the event, as hit.c records it, into a packet. */
static size_t build_hit(struct build *b, const struct trapline_event *event,
			const struct tl_prog *prog, const struct tl_source *src)
{
	static u8 payload[TL_RECORD_BYTES_MAX];
	u8 statuses[TL_ARGS_MAX];
	struct tl_marks marks = { 0 };
	u32 bytes;

	*src->accesses = 0;
	bytes = tl_prog_run(prog, src, payload, statuses, &marks);
	build_start(b, 1);
	build_extended(b, (unsigned int)event->id, 2,
		       marks.counted ? TL_CTX_EXCEPTIONAL : 0, 3);
	if (marks.counted)
		build_raw(b, statuses, prog->put_count);
	build_raw(b, payload, bytes);
	return build_end(b, 0, 3, 0, 0);
}

void record_check(struct trapline_event *event,
		  const struct trapline_symbols *symbols)
{
	const struct tl_prog_limits limits = event_limits(event);
	struct tl_prog prog = { .insns = event->insns };
	static const u64 faults[] = { 0, 1, 2, 0xaaaa, ~0ull };
	struct decode_events events = { 0 };
	struct trapline_record record;
	struct decode_cursor cursor;
	u32 accesses = 0, bad;
	struct tl_source src = { .comm = "a\tcomm", .accesses = &accesses };
	static struct build b;
	size_t i, size;

	assert_int_equal(tl_prog_verify(&prog, event->insn_count, &limits,
					&bad), TL_ERR_NONE);
	for (i = 0; i < SOURCE_REGS; i++)
		src.regs[i] = (i & 1 ? SOURCE_USER : SOURCE_KERNEL) + 8 * i;
	for (i = 0; i < SOURCE_MEMORY; i++)
		src.memory[i] = (u8)(i % 31 ? i : 0);
	event->id = 1;
	assert_int_equal(decode_events_add(&events, event), 0);
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		src.faults = faults[i];
		size = build_hit(&b, event, &prog, &src);
		assert_int_equal(decode_start(&cursor, &events, b.bytes, size),
				 0);
		assert_int_equal(decode_next(&cursor, &record), 1);
		assert_ptr_equal(event_part(record.event, record.place), event);
		assert_true(record_format_check(&record, symbols, NULL) > 0);
		/* the record ends where the packet does */
		assert_int_equal(decode_next(&cursor, &record), 0);
	}
	decode_events_free(&events);
	event->id = -1;
}
