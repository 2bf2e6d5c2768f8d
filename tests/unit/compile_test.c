// SPDX-License-Identifier: GPL-2.0-only
/* Events and their programs, instruction by instruction, and their limits. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/prog.h"

#include "../../userspace/lib/event.h"
#include "event_verify_world.h"
#include "symbols_world.h"

#define USER TL_ARG_USER
#define BANNER 0xffffffff82000000
#define JIFFIES 0xffffffff82001000

/* ---- programs --------------------------------------------------------- */

static const struct {
	const char *line;
	struct tl_insn insns[10];
} programs[] = {
	{ "p vfs_read", { { TL_OP_END, 0, 0 } } },
	{ "p vfs_read %di %si:u8 %dx:s16",
	  { { TL_OP_PUT_REG, 8, DI }, { TL_OP_PUT_REG, 1, SI },
	    { TL_OP_PUT_REG, 2, DX }, { TL_OP_END, 0, 0 } } },
	{ "p vfs_read %rdi %rsp %flags",
	  { { TL_OP_PUT_REG, 8, DI }, { TL_OP_PUT_REG, 8, SP },
	    { TL_OP_PUT_REG, 8, FLAGS }, { TL_OP_END, 0, 0 } } },
	{ "p vfs_read $arg1 $arg2 $arg3 $arg4 $arg5:u32 $arg6",
	  { { TL_OP_PUT_REG, 8, DI }, { TL_OP_PUT_REG, 8, SI },
	    { TL_OP_PUT_REG, 8, DX }, { TL_OP_PUT_REG, 8, CX },
	    { TL_OP_PUT_REG, 4, R8 }, { TL_OP_PUT_REG, 8, R9 },
	    { TL_OP_END, 0, 0 } } },
	{ "p vfs_read $arg7 $arg9:u16",
	  { { TL_OP_STACK, 0, 1 }, { TL_OP_PUT, 8, 0 },
	    { TL_OP_STACK, 0, 3 }, { TL_OP_PUT, 2, 0 },
	    { TL_OP_END, 0, 0 } } },
	{ "p vfs_read+4 %ip $stack $stack3:u32",
	  { { TL_OP_PLACE, 0, 0 }, { TL_OP_PUT, 8, 0 },
	    { TL_OP_SP, 0, 0 }, { TL_OP_PUT, 8, 0 },
	    { TL_OP_STACK, 0, 3 }, { TL_OP_PUT, 4, 0 },
	    { TL_OP_END, 0, 0 } } },
	{ "r vfs_read",
	  { { TL_OP_CALLER, 0, 0 }, { TL_OP_PUT, 8, 0 },
	    { TL_OP_END, 0, 0 } } },
	{ "p vfs_read%return $retval:s32 %ip",
	  { { TL_OP_CALLER, 0, 0 }, { TL_OP_PUT, 8, 0 },
	    { TL_OP_RETVAL, 0, 0 }, { TL_OP_PUT, 4, 0 },
	    { TL_OP_CALLER, 0, 0 }, { TL_OP_PUT, 8, 0 },
	    { TL_OP_END, 0, 0 } } },
	{ "r vfs_read +0($retval):string %ax",
	  { { TL_OP_CALLER, 0, 0 }, { TL_OP_PUT, 8, 0 },
	    { TL_OP_RETVAL, 0, 0 }, { TL_OP_PUT_STRING, 4096, 0 },
	    { TL_OP_PUT_REG, 8, AX }, { TL_OP_END, 0, 0 } } },
	{ "p vfs_read +8(+16(%di)):u32",
	  { { TL_OP_REG, 0, DI }, { TL_OP_DEREF, 8, 16 },
	    { TL_OP_DEREF, 4, 8 }, { TL_OP_PUT, 4, 0 },
	    { TL_OP_END, 0, 0 } } },
	{ "p vfs_read -8($stack) -0x10(%di):s8",
	  { { TL_OP_SP, 0, 0 }, { TL_OP_DEREF, 8, (__u64)-8 },
	    { TL_OP_PUT, 8, 0 }, { TL_OP_REG, 0, DI },
	    { TL_OP_DEREF, 1, (__u64)-16 }, { TL_OP_PUT, 1, 0 },
	    { TL_OP_END, 0, 0 } } },
	{ "p vfs_read +u8(+16($arg1)):u16",
	  { { TL_OP_REG, 0, DI }, { TL_OP_DEREF, 8, 16 },
	    { TL_OP_DEREF, 2 | USER, 8 }, { TL_OP_PUT, 2, 0 },
	    { TL_OP_END, 0, 0 } } },
	{ "p vfs_read +8(+u16($arg7))",
	  { { TL_OP_STACK, 0, 1 }, { TL_OP_DEREF, 8 | USER, 16 },
	    { TL_OP_DEREF, 8, 8 }, { TL_OP_PUT, 8, 0 },
	    { TL_OP_END, 0, 0 } } },
	{ "p vfs_read +4(+8(%di)):string",
	  { { TL_OP_REG, 0, DI }, { TL_OP_DEREF, 8, 8 },
	    { TL_OP_PUT_STRING, 4096, 4 }, { TL_OP_END, 0, 0 } } },
	{ "p vfs_read +u4(%si):string +0(%si):ustring",
	  { { TL_OP_REG, 0, SI }, { TL_OP_PUT_STRING, 4096 | USER, 4 },
	    { TL_OP_REG, 0, SI }, { TL_OP_PUT_STRING, 4096 | USER, 0 },
	    { TL_OP_END, 0, 0 } } },
	{ "p vfs_read @jiffies+4:u32 @0x1000",
	  { { TL_OP_IMM, 0, JIFFIES + 4 }, { TL_OP_DEREF, 4, 0 },
	    { TL_OP_PUT, 4, 0 }, { TL_OP_IMM, 0, 0x1000 },
	    { TL_OP_DEREF, 8, 0 }, { TL_OP_PUT, 8, 0 },
	    { TL_OP_END, 0, 0 } } },
	{ "p vfs_read @linux_banner:string",
	  { { TL_OP_IMM, 0, BANNER }, { TL_OP_PUT_STRING, 4096, 0 },
	    { TL_OP_END, 0, 0 } } },
	{ "p vfs_read +0(@linux_banner):string",
	  { { TL_OP_IMM, 0, BANNER }, { TL_OP_DEREF, 8, 0 },
	    { TL_OP_PUT_STRING, 4096, 0 }, { TL_OP_END, 0, 0 } } },
	{ "p vfs_read +2(@jiffies-4):u8",
	  { { TL_OP_IMM, 0, JIFFIES - 4 }, { TL_OP_DEREF, 8, 0 },
	    { TL_OP_DEREF, 1, 2 }, { TL_OP_PUT, 1, 0 },
	    { TL_OP_END, 0, 0 } } },
	{ "p vfs_read +8(\\0x1000):u32 \\0x2000:ustring",
	  { { TL_OP_IMM, 0, 0x1000 }, { TL_OP_DEREF, 4, 8 },
	    { TL_OP_PUT, 4, 0 }, { TL_OP_IMM, 0, 0x2000 },
	    { TL_OP_PUT_STRING, 4096 | USER, 0 }, { TL_OP_END, 0, 0 } } },
	{ "p openat $sysarg1:s32 $sysarg4 $sysarg2:ustring",
	  { { TL_OP_REG, 0, DI }, { TL_OP_DEREF, 4, 112 },
	    { TL_OP_PUT, 4, 0 }, { TL_OP_REG, 0, DI },
	    { TL_OP_DEREF, 8, 56 }, { TL_OP_PUT, 8, 0 },
	    { TL_OP_REG, 0, DI }, { TL_OP_DEREF, 8, 104 },
	    { TL_OP_PUT_STRING, 4096 | USER, 0 }, { TL_OP_END, 0, 0 } } },
	{ "p openat +u8($sysarg3) $sysarg5:u8[4]",
	  { { TL_OP_REG, 0, DI }, { TL_OP_DEREF, 8, 96 },
	    { TL_OP_DEREF, 8 | USER, 8 }, { TL_OP_PUT, 8, 0 },
	    { TL_OP_REG, 0, DI }, { TL_OP_DEREF, 8, 72 },
	    { TL_OP_PUT_BYTES, 4, 0 }, { TL_OP_END, 0, 0 } } },
	{ "r sys_openat $sysarg6",
	  { { TL_OP_CALLER, 0, 0 }, { TL_OP_PUT, 8, 0 },
	    { TL_OP_REG, TL_REG_ENTRY, 0 }, { TL_OP_DEREF, 8, 64 },
	    { TL_OP_PUT, 8, 0 }, { TL_OP_END, 0, 0 } } },
	{ "p vfs_read $comm $comm:string",
	  { { TL_OP_PUT_COMM, 0, 0 }, { TL_OP_PUT_COMM, 0, 0 },
	    { TL_OP_END, 0, 0 } } },
	{ "p vfs_read $kstack u=$ustack:127 %di",
	  { { TL_OP_PUT_STACK, 16, TL_STACK_KERNEL },
	    { TL_OP_PUT_STACK, 127, TL_STACK_USER },
	    { TL_OP_PUT_REG, 8, DI }, { TL_OP_END, 0, 0 } } },
	{ "p vfs_read \\10 %di \\\"abc\"",
	  { { TL_OP_PUT_REG, 8, DI }, { TL_OP_END, 0, 0 } } },
};

static void test_programs(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct trapline_event *event = parse_event(programs[i].line);
		const struct tl_insn *expected = programs[i].insns;
		unsigned int at = 0;

		for (; at < event->insn_count; at++) {
			const struct tl_insn *got = &event->insns[at];

			if (got->op == expected[at].op &&
			    got->arg == expected[at].arg &&
			    got->imm == expected[at].imm)
				continue;
			fail_msg("%s: instruction %u is %u %u %#llx",
				 programs[i].line, at, got->op, got->arg,
				 got->imm);
		}
		assert_int_equal(expected[at - 1].op, TL_OP_END);
		verify_event(event);
		trapline_event_free(event);
	}
}

/* ---- fields and events ------------------------------------------------ */

static void check_field(const struct field *field, enum field_format format,
			unsigned int bytes, bool constant)
{
	assert_int_equal(field->format, format);
	assert_int_equal(field->bytes, bytes);
	assert_int_equal(field->constant, constant);
}

static void test_fields(void **state)
{
	struct trapline_event *event;

	(void)state;
	event = parse_event("p vfs_read %di u=%di:u8 %di:s16 +0(%si):ustring $comm");
	assert_int_equal(event->field_count, 5);
	check_field(&event->fields[0], FIELD_HEX, 8, false);
	check_field(&event->fields[1], FIELD_UNSIGNED, 1, false);
	check_field(&event->fields[2], FIELD_SIGNED, 2, false);
	check_field(&event->fields[3], FIELD_STRING, 0, false);
	check_field(&event->fields[4], FIELD_STRING, 0, false);
	assert_string_equal(event->fields[0].name, "arg1");
	assert_string_equal(event->fields[1].name, "u");
	assert_string_equal(event->fields[1].text, "%di:u8");
	assert_string_equal(event->fields[3].text, "+0(%si):ustring");
	trapline_event_free(event);
}

static void test_constants(void **state)
{
	struct trapline_event *event;

	(void)state;
	event = parse_event("p vfs_read \\-1:s32 \\-1:u8 \\0x10 \\\"hi\" "
		      "s=\\\"a: b\":string \\0x12345678:x16");
	check_field(&event->fields[0], FIELD_SIGNED, 4, true);
	assert_int_equal(event->fields[0].value, 0xffffffff);
	check_field(&event->fields[1], FIELD_UNSIGNED, 1, true);
	assert_int_equal(event->fields[1].value, 255);
	check_field(&event->fields[2], FIELD_HEX, 8, true);
	assert_int_equal(event->fields[2].value, 16);
	check_field(&event->fields[3], FIELD_STRING, 0, true);
	assert_string_equal(event->fields[3].string, "hi");
	assert_string_equal(event->fields[4].string, "a: b");
	assert_int_equal(event->fields[5].value, 0x5678);
	assert_int_equal(event->insn_count, 1);
	trapline_event_free(event);
}

static void test_event(void **state)
{
	struct trapline_event *event = parse_event("r8:g/e tgt:name_store+0 $retval");

	(void)state;
	assert_string_equal(trapline_event_group(event), "g");
	assert_string_equal(trapline_event_name(event), "e");
	assert_int_equal(event->backend, TL_BACKEND_KRETPROBE);
	assert_int_equal(event->maxactive, 8);
	assert_int_equal(event->address, 0xffffffffc0020010);
	assert_string_equal(event->symbol, "name_store");
	assert_string_equal(event->module, "tgt");
	assert_int_equal(event->offset, 0);
	assert_int_equal(event->id, -1);
	trapline_event_free(event);
	event = parse_event("p 0xffffffff81005010 %di");
	assert_int_equal(event->backend, TL_BACKEND_KPROBE);
	assert_int_equal(event->maxactive, 0);
	assert_string_equal(event->symbol, "vfs_read");
	assert_null(event->module);
	assert_int_equal(event->offset, 16);
	assert_int_equal(event->symbol_bytes, 0x300);
	trapline_event_free(event);
	trapline_event_free(NULL);
}

/* An automatic name is a name: no dot, no colon, not too long. */
static void test_automatic_name(void **state)
{
	struct trapline_event *event = parse_event("p icmp_push_reply.constprop.0");

	(void)state;
	assert_string_equal(event->name, "p_icmp_push_reply_constprop_0_0");
	trapline_event_free(event);
	event = parse_event("r a_function_with_a_name_that_is_longer_than_an_event_"
		      "may_be_named");
	assert_string_equal(event->name, "r_a_function_with_a_name_that_is_"
			    "longer_than_an_event_may_be_na");
	assert_int_equal(strlen(event->name), 63);
	trapline_event_free(event);
}

static void test_listing_is_cut(void **state)
{
	struct trapline_event *event = parse_event("p:t vfs_read %di");
	const char *whole = "p:kprobes/t vfs_read arg1=%di";
	char buf[64];
	size_t size;

	(void)state;
	assert_int_equal(trapline_event_listing(event, NULL, 0),
			 strlen(whole));
	for (size = 1; size < sizeof(buf); size++) {
		char *exact = malloc(size);
		size_t length = strlen(whole) < size ? strlen(whole) : size - 1;

		assert_int_equal(trapline_event_listing(event, exact, size),
				 strlen(whole));
		assert_memory_equal(exact, whole, length);
		assert_int_equal(exact[length], 0);
		free(exact);
	}
	trapline_event_free(event);
}

/* ---- limits ----------------------------------------------------------- */

/* A line of @letter with @count arguments @arg. */
static void repeat(char *line, size_t size, char letter, int count,
		   const char *arg)
{
	size_t length = (size_t)snprintf(line, size, "%c vfs_read", letter);

	while (count--)
		length += (size_t)snprintf(line + length, size - length, " %s",
					   arg);
}

/* Strings share the longest record; one or two have what they want. */
static void test_strings_fit(void **state)
{
	static const char letters[] = "pr";
	char line[4096];
	int count, i;

	(void)state;
	for (i = 0; letters[i]; i++) {
		for (count = 1; count <= 128; count++) {
			struct trapline_event *event;
			uint32_t payload, max;

			repeat(line, sizeof(line), letters[i], count,
			       "+0(%si):string");
			event = parse_event(line);
			payload = verify_event(event);
			max = event->insns[event->insn_count - 2].arg;
			assert_true(max <= 4096);
			assert_true(count > 7 || max == 4096);
			/* at most one byte a string is wasted */
			if (max < 4096)
				assert_true(payload + (uint32_t)count >
					    TL_PAYLOAD_BYTES_MAX);
			trapline_event_free(event);
		}
	}
	repeat(line, sizeof(line), 'r', 126, "+0(%si):string");
	strcat(line, " $comm %di:u8");
	trapline_event_free(parse_event(line));
}

static void test_program_limit(void **state)
{
	static char line[128 * 200];
	struct trapline_event *event;
	struct trapline_error err;
	char arg[200] = "";
	int i;

	(void)state;
	for (i = 0; i < 40; i++)
		strcat(arg, "+0(");
	strcat(arg, "%di");
	for (i = 0; i < 40; i++)
		strcat(arg, ")");
	repeat(line, sizeof(line), 'p', 97, arg);	/* 97 * 42 + 1 */
	event = parse_event(line);
	verify_event(event);
	trapline_event_free(event);
	repeat(line, sizeof(line), 'p', 98, arg);
	assert_int_equal(trapline_event_parse(line, symbols, &event, &err),
			 -EINVAL);
	assert_string_equal(trapline_error_name(err.code), "program-long");
	assert_int_equal(err.column, strlen(line) - strlen(arg));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_event),
		cmocka_unit_test(test_automatic_name),
		cmocka_unit_test(test_listing_is_cut),
		cmocka_unit_test(test_strings_fit),
		cmocka_unit_test(test_program_limit),
	};

	return cmocka_run_group_tests_name("compile", tests, load_symbols,
					   free_symbols);
}
