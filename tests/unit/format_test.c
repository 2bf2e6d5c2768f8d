// SPDX-License-Identifier: GPL-2.0-only
/* Records as text: golden lines, as the kernel's own tracer prints them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../userspace/lib/decode.h"
#include "../../userspace/lib/names.h"
#include "packet_build.h"

#define SECONDS(s, us) ((s) * UINT64_C(1000000000) + (us) * UINT64_C(1000))

static const char kallsyms[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 T ksys_read\n"
	"ffffffff81000200 T vfs_read\n"
	"ffffffff81000470 T vfs_write\n"
	"ffffffff81000500 T arch_rethook_trampoline\n"
	"ffffffff81000600 T _etext\n"
	"ffffffffc0000000 t ext4_file_open\t[ext4]\n"
	"ffffffffc0000080 t ext4_next\t[ext4]\n";

static struct field fields[] = {
	{ .name = (char *)"u", .format = FIELD_UNSIGNED, .bytes = 1 },
	{ .name = (char *)"s", .format = FIELD_SIGNED, .bytes = 2 },
	{ .name = (char *)"x", .format = FIELD_HEX, .bytes = 8 },
	{ .name = (char *)"k", .format = FIELD_SIGNED, .bytes = 1,
	  .constant = true, .value = 0xffff },
	{ .name = (char *)"text", .format = FIELD_STRING, .constant = true,
	  .string = (char *)"con\"st" },
	{ .name = (char *)"path", .format = FIELD_STRING },
};

static struct trapline_event entry = {
	.group = (char *)"kprobes", .name = (char *)"t",
	.backend = TL_BACKEND_KPROBE, .symbol = (char *)"vfs_read",
	.address = 0xffffffff81000204, .offset = 4, .symbol_bytes = 0x270,
	.fields = fields, .field_count = 6,
};

static struct trapline_event in_module = {
	.group = (char *)"kprobes", .name = (char *)"open",
	.backend = TL_BACKEND_KPROBE, .symbol = (char *)"ext4_file_open",
	.module = (char *)"ext4", .symbol_bytes = 0x80,
};

static struct trapline_event at_return = {
	.group = (char *)"kprobes", .name = (char *)"r",
	.backend = TL_BACKEND_KRETPROBE, .symbol = (char *)"vfs_read",
	.symbol_bytes = 0x270, .fields = &fields[1], .field_count = 1,
};

static struct trapline_symbols *symbols;
static struct trapline_names names;
static struct build payload;
static char line[1024];

static int set_up(void **state)
{
	char path[] = "/tmp/trapline-format-XXXXXX";
	struct trapline_error err;
	int fd = mkstemp(path), rc;

	(void)state;
	if (fd < 0 ||
	    write(fd, kallsyms, sizeof(kallsyms) - 1) != sizeof(kallsyms) - 1)
		return -1;
	close(fd);
	rc = trapline_symbols_load(path, &symbols, &err);
	unlink(path);
	name_table_set(&names.table, 42, "cat", 3);
	name_table_set(&names.table, 43, "a\n\"b\\\x1b", 6);
	name_table_set(&names.table, 4194303, "sixteen-or-more-bytes", 21);
	return rc;
}

static int tear_down(void **state)
{
	(void)state;
	name_table_free(&names.table);
	trapline_symbols_free(symbols);
	return 0;
}

/* A record of @event; its payload is what the test put into @payload. */
static struct trapline_record record_of(const struct trapline_event *event,
					const char *status)
{
	struct trapline_record record = {
		.event = event,
		.time_ns = SECONDS(1234, 567890),
		.cpu = 1,
		.tid = 42,
		.payload = payload.bytes,
		.payload_bytes = payload.at,
		.status = (const unsigned char *)status,
	};

	return record;
}

static void line_is(const struct trapline_record *record, const char *expected)
{
	int length = trapline_format_record(record, symbols, &names, NULL, line,
					    sizeof(line));

	assert_string_equal(line, expected);
	assert_int_equal(length, strlen(expected));
}

static void fill_entry(const char *path)
{
	payload.at = 0;
	build_number(&payload, 250, 1);
	build_number(&payload, 0xfffe, 2);
	build_number(&payload, 0xffff888012345678, 8);
	build_string(&payload, path);
}

static void entry_line(void **state)
{
	struct trapline_record record;

	(void)state;
	fill_entry("/etc/passwd");
	record = record_of(&entry, NULL);
	line_is(&record,
		"             cat-42      [001] .....  1234.567890: t: "
		"(vfs_read+0x4/0x270) u=250 s=-2 x=0xffff888012345678 k=-1 "
		"text=\"con\\\"st\" path=\"/etc/passwd\"");
}

static void return_line(void **state)
{
	struct trapline_record record;

	(void)state;
	payload.at = 0;
	build_number(&payload, 0xffffffff81000150, 8);
	build_number(&payload, 0xffff, 2);
	record = record_of(&at_return, NULL);
	line_is(&record,
		"             cat-42      [001] .....  1234.567890: r: "
		"(ksys_read+0x50/0x100 <- vfs_read) s=-1");
}

static void callers(void **state)
{
	static const struct {
		uint64_t address;
		const char *text;
	} cases[] = {
		{ 0xffffffffc0000010, "(ext4_file_open+0x10/0x80 [ext4] <- " },
		{ 0xffffffff81000500, "([unknown/kretprobe'd] <- " },
		{ 0x1234, "([unknown] <- " },
		{ 0, "(0 <- " },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trapline_record record;

		payload.at = 0;
		build_number(&payload, cases[i].address, 8);
		build_number(&payload, 0, 2);
		record = record_of(&at_return, NULL);
		trapline_format_record(&record, symbols, &names, NULL, line,
				       sizeof(line));
		assert_non_null(strstr(line, cases[i].text));
	}
}

static void module_and_contexts(void **state)
{
	static const struct {
		enum trapline_context context;
		const char *line;
	} cases[] = {
		{ TRAPLINE_TASK, "..... " },
		{ TRAPLINE_SOFTIRQ, "..s.. " },
		{ TRAPLINE_HARDIRQ, "..h.. " },
		{ TRAPLINE_NMI, "..z.. " },
	};
	char expected[256];
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct trapline_record record;

		payload.at = 0;
		record = record_of(&in_module, NULL);
		record.context = cases[i].context;
		snprintf(expected, sizeof(expected),
			 "             cat-42      [001] %s 1234.567890: open: "
			 "(ext4_file_open+0x0/0x80 [ext4])", cases[i].line);
		line_is(&record, expected);
	}
}

static void idle_long_and_strange_tasks(void **state)
{
	static const struct {
		unsigned int tid;
		const char *start;
	} cases[] = {
		{ 0, "          <idle>-0       [001] " },
		{ 43, "      a\\n\"b\\\\x1b-43      [001] " },
		{ 4194303, " sixteen-or-more-4194303 [001] " },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trapline_record record;

		payload.at = 0;
		record = record_of(&in_module, NULL);
		record.tid = cases[i].tid;
		trapline_format_record(&record, symbols, &names, NULL, line,
				       sizeof(line));
		line[strlen(cases[i].start)] = '\0';
		assert_string_equal(line, cases[i].start);
	}
}

static void times(void **state)
{
	static const struct {
		uint64_t time_ns;
		bool nanoseconds;
		const char *text;
	} cases[] = {
		{ 0, false, "     0.000000: " },
		{ 1499, false, "     0.000001: " },
		{ 1500, false, "     0.000002: " },
		{ 1999999999, false, "     2.000000: " },
		{ 1999999999, true, "     1.999999999: " },
		{ SECONDS(1234567, 1), true, " 1234567.000001000: " },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trapline_format_opts opts = {
			.size = sizeof(opts),
			.nanoseconds = cases[i].nanoseconds,
		};
		struct trapline_record record;

		payload.at = 0;
		record = record_of(&in_module, NULL);
		record.time_ns = cases[i].time_ns;
		trapline_format_record(&record, symbols, &names, &opts, line,
				       sizeof(line));
		assert_non_null(strstr(line, cases[i].text));
	}
}

static void strings_are_escaped(void **state)
{
	static const struct {
		const char *raw;
		const char *text;
	} cases[] = {
		{ "", "" },
		{ "a\nb\tc\rd", "a\\nb\\tc\\rd" },
		{ "\x01\x1b\x7f", "\\x01\\x1b\\x7f" },
		{ "\"\\", "\\\"\\\\" },
		{ "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7",
		  "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7" },
		{ "\xff\xc3", "\\xff\\xc3" },
		{ "\xc0\x80", "\\xc0\\x80" },		/* overlong */
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },	/* surrogate */
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
		{ "\xe2\x82", "\\xe2\\x82" },		/* cut */
		{ "\xe2\x82(", "\\xe2\\x82(" },
		{ "\xc2\x85", "\\xc2\\x85" },		/* next line */
		{ "\xe2\x80\xa8", "\\xe2\\x80\\xa8" },	/* line separator */
	};
	char expected[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trapline_record record;

		fill_entry(cases[i].raw);
		record = record_of(&entry, NULL);
		trapline_format_record(&record, symbols, &names, NULL, line,
				       sizeof(line));
		snprintf(expected, sizeof(expected), " path=\"%s\"",
			 cases[i].text);
		assert_string_equal(strstr(line, " path="), expected);
	}
}

static void marks(void **state)
{
	static const struct {
		const char *status;
		const char *end;
	} cases[] = {
		{ "\0\0\0\2", " path=\"abc\"..." },
		{ "\0\0\0\3", " path=\"abc\"<fault>" },
		{ "\0\0\0\1", " path=<fault>" },
		{ "\1\0\0\0", " u=<fault> s=-2 x=0xffff888012345678 k=-1 "
			      "text=\"con\\\"st\" path=\"abc\"" },
		{ "\0\1\1\0", " u=250 s=<fault> x=<fault> k=-1 "
			      "text=\"con\\\"st\" path=\"abc\"" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trapline_record record;
		size_t length;

		fill_entry("abc");
		record = record_of(&entry, cases[i].status);
		length = (size_t)trapline_format_record(&record, symbols,
							&names, NULL, line,
							sizeof(line));
		assert_string_equal(line + length - strlen(cases[i].end),
				    cases[i].end);
	}
}

static void short_buffers_are_filled_and_measured(void **state)
{
	struct trapline_record record;
	char part[256];
	int length;
	size_t size;

	(void)state;
	fill_entry("/etc/\n");
	record = record_of(&entry, NULL);
	length = trapline_format_record(&record, symbols, &names, NULL, line,
					sizeof(line));
	assert_int_equal(trapline_format_record(&record, symbols, &names, NULL,
						NULL, 0), length);
	for (size = 1; size < (size_t)length + 2; size++) {
		memset(part, 'X', sizeof(part));
		assert_int_equal(trapline_format_record(&record, symbols,
							&names, NULL, part,
							size), length);
		assert_int_equal(strlen(part), size - 1 < (size_t)length ?
				 size - 1 : (size_t)length);
		assert_memory_equal(part, line, strlen(part));
		assert_int_equal(part[size], 'X');
	}
}

static void wrong_payloads_are_refused(void **state)
{
	struct trapline_record record;
	size_t bytes;

	(void)state;
	fill_entry("abc");
	record = record_of(&entry, NULL);
	for (bytes = 0; bytes < payload.at + 2; bytes++) {
		record.payload_bytes = bytes;
		if (bytes == payload.at)
			continue;
		assert_int_equal(trapline_format_record(&record, symbols,
							&names, NULL, line,
							sizeof(line)),
				 -EBADMSG);
	}
}

/* The types that are not only a number, in one record. */
static void types(void **state)
{
	struct field typed[] = {
		{ .name = (char *)"bits", .format = FIELD_UNSIGNED, .bytes = 2,
		  .bits = 5, .shift = 3 },
		{ .name = (char *)"c", .format = FIELD_CHAR, .bytes = 1 },
		{ .name = (char *)"q", .format = FIELD_CHAR, .bytes = 1 },
		{ .name = (char *)"n", .format = FIELD_CHAR, .bytes = 1 },
		{ .name = (char *)"sym", .format = FIELD_SYMBOL, .bytes = 8 },
		{ .name = (char *)"none", .format = FIELD_SYMBOL, .bytes = 8 },
		{ .name = (char *)"str", .format = FIELD_SYMSTR, .bytes = 8 },
		{ .name = (char *)"k", .format = FIELD_UNSIGNED, .bytes = 1,
		  .bits = 4, .shift = 4, .constant = true, .value = 0xa5 },
	};
	struct trapline_event event = entry;
	struct trapline_record record;

	(void)state;
	event.fields = typed;
	event.field_count = sizeof(typed) / sizeof(typed[0]);
	payload.at = 0;
	build_number(&payload, 0x1f8, 2);
	build_number(&payload, 'l', 1);
	build_number(&payload, '\'', 1);
	build_number(&payload, 0x90, 1);
	build_number(&payload, 0xffffffff81000150, 8);
	build_number(&payload, 7, 8);
	build_number(&payload, 0xffffffffc0000010, 8);
	record = record_of(&event, NULL);
	line_is(&record,
		"             cat-42      [001] .....  1234.567890: t: "
		"(vfs_read+0x4/0x270) bits=31 c='l' q='\\'' n='\\x90' "
		"sym=ksys_read+0x50/0x100 none=0x7 "
		"str=\"ext4_file_open+0x10/0x80 [ext4]\" k=10");
}

/* Arrays: of numbers, cut off, of strings, with a fault in each. */
static void arrays(void **state)
{
	struct field lists[] = {
		{ .name = (char *)"x", .format = FIELD_HEX, .bytes = 2,
		  .elements = 3 },
		{ .name = (char *)"cut", .format = FIELD_SIGNED, .bytes = 4,
		  .elements = 8 },
		{ .name = (char *)"gone", .format = FIELD_SIGNED, .bytes = 4,
		  .elements = 8 },
		{ .name = (char *)"more", .format = FIELD_HEX, .bytes = 2,
		  .elements = 2 },
		{ .name = (char *)"none", .format = FIELD_HEX, .bytes = 2,
		  .elements = 2 },
		{ .name = (char *)"s", .format = FIELD_STRING, .elements = 2,
		  .element = 0 },
		{ .name = (char *)"s", .format = FIELD_STRING, .elements = 2,
		  .element = 1 },
	};
	const char status[] = { TL_STATUS_OK, TL_STATUS_INCOMPLETE,
				TL_STATUS_FAULT, TL_STATUS_TRUNCATED,
				TL_STATUS_OK, TL_STATUS_OK,
				TL_STATUS_FAULT };
	struct trapline_event event = entry;
	struct trapline_record record;

	(void)state;
	event.fields = lists;
	event.field_count = sizeof(lists) / sizeof(lists[0]);
	payload.at = 0;
	build_number(&payload, 6, 2);
	build_number(&payload, 0x000300020001, 6);
	/* the last element was not whole */
	build_number(&payload, 6, 2);
	build_number(&payload, 0xabcdfffffffe, 6);
	build_number(&payload, 0, 2);
	build_number(&payload, 4, 2);
	build_number(&payload, 0x00020001, 4);
	build_number(&payload, 0, 2);
	build_string(&payload, "one");
	build_string(&payload, "");
	record = record_of(&event, status);
	line_is(&record,
		"             cat-42      [001] .....  1234.567890: t: "
		"(vfs_read+0x4/0x270) x={0x1,0x2,0x3} cut={-2,<fault>} "
		"gone=<fault> more={0x1,0x2,...} none={} s={\"one\",<fault>}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entry_line),
		cmocka_unit_test(return_line),
		cmocka_unit_test(callers),
		cmocka_unit_test(module_and_contexts),
		cmocka_unit_test(idle_long_and_strange_tasks),
		cmocka_unit_test(times),
		cmocka_unit_test(types),
		cmocka_unit_test(arrays),
		cmocka_unit_test(strings_are_escaped),
		cmocka_unit_test(marks),
		cmocka_unit_test(short_buffers_are_filled_and_measured),
		cmocka_unit_test(wrong_payloads_are_refused),
	};

	return cmocka_run_group_tests_name("format", tests, set_up, tear_down);
}
