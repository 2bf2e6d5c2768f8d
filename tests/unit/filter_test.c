// SPDX-License-Identifier: GPL-2.0-only
/* Filters, instruction by instruction, and their limits. */
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

#include "../../userspace/lib/filter.h"
#include "event_verify_world.h"
#include "symbols_world.h"

#define IF_TRUE TL_TEST_IF_TRUE
#define NOT TL_TEST_NOT
#define SIGNED TL_TEST_SIGNED
#define BYTES(n) ((n) << TL_TEST_BYTES_SHIFT)
#define END { TL_OP_END, 0, 0 }
#define REJECT { TL_OP_REJECT, 0, 0 }

static const struct {
	const char *line;
	struct tl_insn insns[14];
} programs[] = {
	{ "p vfs_read if tid == 5",
	  { { TL_OP_TASK, TL_TASK_TID, 0 },
	    { TL_OP_TEST, BYTES(4) | IF_TRUE | 2, 5 }, REJECT, END } },
	/* each is asked only if it must be, and goes where all is known */
	{ "p vfs_read a=%di:s8 if a < -1 && tgid >= 2 || cpu & 4",
	  { { TL_OP_REG, 0, DI },
	    { TL_OP_TEST, BYTES(1) | SIGNED | TL_TEST_BELOW | 3, -1ull },
	    { TL_OP_TASK, TL_TASK_TGID, 0 },
	    { TL_OP_TEST, BYTES(4) | TL_TEST_BELOW | NOT | IF_TRUE | 4, 2 },
	    { TL_OP_TASK, TL_TASK_CPU, 0 },
	    { TL_OP_TEST, BYTES(4) | TL_TEST_AND | IF_TRUE | 2, 4 },
	    REJECT, { TL_OP_PUT_REG, 1, DI }, END } },
	/* "!" is at the comparisons, and has exchanged || and && */
	{ "p vfs_read if !(tid != 1 || !(pid <= 2)) && cgroup == 3",
	  { { TL_OP_TASK, TL_TASK_TID, 0 },
	    { TL_OP_TEST, BYTES(4) | 5, 1 },
	    { TL_OP_TASK, TL_TASK_TGID, 0 },
	    { TL_OP_TEST, BYTES(4) | TL_TEST_ABOVE | NOT | 3, 2 },
	    { TL_OP_TASK, TL_TASK_CGROUP, 0 },
	    { TL_OP_TEST, BYTES(8) | IF_TRUE | 2, 3 }, REJECT, END } },
	/* the second of two arguments, the same loads as for the record */
	{ "r vfs_read \\1 m=+u8(+16(%si)):s16 if m == -2",
	  { { TL_OP_REG, 0, SI }, { TL_OP_DEREF, 8, 16 },
	    { TL_OP_DEREF, 2 | TL_ARG_USER, 8 },
	    { TL_OP_TEST, BYTES(2) | SIGNED | IF_TRUE | 2, -2ull }, REJECT,
	    { TL_OP_CALLER, 0, 0 }, { TL_OP_PUT, 8, 0 },
	    { TL_OP_REG, 0, SI }, { TL_OP_DEREF, 8, 16 },
	    { TL_OP_DEREF, 2 | TL_ARG_USER, 8 }, { TL_OP_PUT, 2, 0 }, END } },
	{ "p vfs_read if comm ~ \"d[a-z]*\"",
	  { { TL_OP_TASK, TL_TASK_COMM, 0 },
	    { TL_OP_MATCH, IF_TRUE | 3, 7 },
	    { TL_OP_DATA, 0, 0x2a5d7a2d615b64 }, REJECT, END } },
	{ "p vfs_read if comm != \"a*b\" && tid == 1",
	  { { TL_OP_TASK, TL_TASK_COMM, 0 }, { TL_OP_MATCH, NOT | 4, 4 },
	    { TL_OP_DATA, 0, 0x622a5c61 }, { TL_OP_TASK, TL_TASK_TID, 0 },
	    { TL_OP_TEST, BYTES(4) | IF_TRUE | 2, 1 }, REJECT, END } },
	{ "p vfs_read if comm == \"\"",
	  { { TL_OP_TASK, TL_TASK_COMM, 0 }, { TL_OP_MATCH, IF_TRUE | 2, 0 },
	    REJECT, END } },
};

static void check_program(const char *line, const struct tl_insn *expected)
{
	struct trapline_event *event = parse_event(line);
	unsigned int i;

	verify_event(event);
	for (i = 0; i < event->insn_count; i++) {
		const struct tl_insn *insn = &event->insns[i];

		if (memcmp(insn, &expected[i], sizeof(*insn)))
			fail_msg("%s: instruction %u is %u %#x %#llx", line, i,
				 insn->op, insn->arg,
				 (unsigned long long)insn->imm);
	}
	assert_int_equal(expected[i - 1].op, TL_OP_END);
	trapline_event_free(event);
}

static void test_programs(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		check_program(programs[i].line, programs[i].insns);
}

/* How much of a string is read for each pattern. */
static void test_string_max(void **state)
{
	static const struct {
		const char *compare;
		unsigned int max;
	} cases[] = {
		{ "== \"abc\"", 4 },
		{ "!= \"\"", 1 },
		{ "== \"a*\"", 3 },
		{ "~ \"abc*\"", 3 },
		{ "~ \"a?[x-z]\\**\"", 4 },
		{ "~ \"*\"", 1 },
		{ "~ \"a\\*\"", 3 },
		{ "~ \"*c\"", 4096 },
		{ "~ \"a*c\" || s ~ \"b*\" || s ~ \"*d*\"", 4096 },
	};
	char line[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trapline_event *event;

		snprintf(line, sizeof(line),
			 "p vfs_read s=+u8(%%di):ustring if s %s",
			 cases[i].compare);
		event = parse_event(line);
		verify_event(event);
		assert_int_equal(event->insns[1].op, TL_OP_STRING);
		assert_int_equal(event->insns[1].imm, 8);
		if (event->insns[1].arg != (cases[i].max | TL_ARG_USER))
			fail_msg("%s: %#x", line, event->insns[1].arg);
		trapline_event_free(event);
	}
}

/* ---- limits ----------------------------------------------------------- */

static void refused(const char *line, const char *name)
{
	struct trapline_event *event;
	struct trapline_error err;

	assert_int_equal(trapline_event_parse(line, symbols, &event, &err),
			 -EINVAL);
	assert_string_equal(trapline_error_name(err.code), name);
	assert_in_range(err.column, 0, strlen(line));
}

/* @count times @term, with @between between them, behind @head. */
static char *chain(const char *head, const char *term, const char *between,
		   unsigned int count)
{
	static char line[65536];
	size_t used = (size_t)snprintf(line, sizeof(line), "%s", head);
	unsigned int i;

	for (i = 0; i < count; i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used,
					 "%s%s", i ? between : "", term);
	return line;
}

static void accepted(const char *line)
{
	struct trapline_event *event = parse_event(line);

	verify_event(event);
	trapline_event_free(event);
}

static void test_limits(void **state)
{
	const char *head = "p vfs_read s=+0(%di):string c=$comm if ";
	char text[300] = "", term[400];

	(void)state;
	accepted(chain("p vfs_read if ", "tid == 1", " || ", 128));
	accepted(chain("p vfs_read if ", "!(tid == 1)", " && ", 128));
	refused(chain("p vfs_read if ", "tid == 1", " || ", 129),
		"filter-many");
	memset(text, 'x', 255);
	snprintf(term, sizeof(term), "s == \"%s\"", text);
	accepted(chain(head, term, "", 1));
	memset(text, 'x', 257);
	snprintf(term, sizeof(term), "s == \"%s\"", text);
	refused(chain(head, term, "", 1), "filter-text-long");
	memset(text, 0, sizeof(text));
	/* special ones take two */
	memset(text, '?', 129);
	snprintf(term, sizeof(term), "s == \"%s\"", text);
	refused(chain(head, term, "", 1), "filter-text-long");
	/* the name of a task has 15 bytes, wherever it comes from */
	accepted(chain(head, "c == \"systemd-journal\"", "", 1));
	refused(chain(head, "c == \"systemd-journald\"", "", 1),
		"filter-text-long");
}

/* Many long patterns: shorter strings, and at some point none at all. */
static void test_steps(void **state)
{
	const char *head = "p vfs_read s=+0(%di):string if ";
	char text[300] = "*", term[400];
	struct trapline_event *event;

	(void)state;
	memset(text + 1, 'x', 253);
	snprintf(term, sizeof(term), "s ~ \"%s\"", text);
	accepted(chain(head, term, " || ", 1));
	event = parse_event(chain(head, term, " || ", 100));
	verify_event(event);
	assert_int_equal(event->insns[1].op, TL_OP_STRING);
	assert_in_range(event->insns[1].arg, 2, 20);
	trapline_event_free(event);
	/* the name of the task has its length, and what is long is one byte */
	text[1] = '[';
	text[253] = ']';
	snprintf(term, sizeof(term), "comm ~ \"%s\"", text);
	accepted(chain(head, term, " || ", 50));
	refused(chain(head, term, " || ", 70), "filter-steps");
	refused(chain(head, term, " || ", 128), "filter-steps");
}

/* Filter and arguments together are one program. */
static void test_length(void **state)
{
	char term[200] = "a == 1", fetch[500] = "p vfs_read a=";
	unsigned int i;

	(void)state;
	for (i = 0; i < 40; i++)
		strcat(fetch, "+0(");
	strcat(fetch, "%di");
	for (i = 0; i < 40; i++)
		strcat(fetch, ")");
	strcat(fetch, " if ");
	accepted(chain(fetch, term, " || ", 90));
	refused(chain(fetch, term, " || ", 100), "program-long");
}

/* ---- what a program adds ---------------------------------------------- */

static void test_restrict(void **state)
{
	static const struct tl_insn expected[] = {
		{ TL_OP_TASK, TL_TASK_TGID, 0 },
		{ TL_OP_TEST, BYTES(4) | IF_TRUE | 2, 7 }, REJECT,
		{ TL_OP_REG, 0, DI },
		{ TL_OP_TEST, BYTES(8) | IF_TRUE | 2, 9 }, REJECT,
		{ TL_OP_PUT_REG, 8, DI }, END,
	};
	struct trapline_event *event = parse_event("p vfs_read tgid=%di if tgid == 9");
	struct trapline_error err;
	char listing[100];

	(void)state;
	assert_int_equal(trapline_event_restrict(event, "tgid == 7", &err), 0);
	verify_event(event);
	assert_int_equal(event->insn_count, 8);
	assert_memory_equal(event->insns, expected, sizeof(expected));
	trapline_event_listing(event, listing, sizeof(listing));
	assert_string_equal(listing, "p:kprobes/p_vfs_read_0 vfs_read tgid=%di "
			    "if tgid == 9");

	assert_int_equal(trapline_event_restrict(event, "tid == 1 && arg1 == 2",
						 &err), -EINVAL);
	assert_string_equal(trapline_error_name(err.code), "filter-name");
	assert_int_equal(err.column, 12);
	assert_int_equal(trapline_event_restrict(event, "", NULL), -EINVAL);
	assert_int_equal(event->insn_count, 8);
	event->number = 0;
	assert_int_equal(trapline_event_restrict(event, "tid == 1", &err),
			 -EBUSY);
	assert_string_equal(trapline_error_name(err.code), "filter-late");
	trapline_event_free(event);
}

/* An argument that is neither put as a number nor as a string. */
static void test_type(void **state)
{
	static const struct {
		enum field_format format;
		uint32_t put;
		int ret;
	} cases[] = {
		{ FIELD_HEX, TL_OP_PUT_REG, 0 },
		{ FIELD_HEX, TL_OP_PUT_STRING, -EINVAL },
		{ FIELD_STRING, TL_OP_PUT_REG, -EINVAL },
		{ (enum field_format)99, TL_OP_PUT_REG, -EINVAL },
		{ FIELD_HEX, 30, -EINVAL },
	};
	struct filter *filter;
	struct trapline_error err;
	const char *text = "arg1 == 1";
	size_t i;

	(void)state;
	assert_int_equal(filter_parse(text, text, &filter, &err), 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trapline_event *event = parse_event("p vfs_read %di");

		event->fields[0].format = cases[i].format;
		event->insns[0].op = cases[i].put;
		assert_int_equal(filter_compile(filter, event, true, &err),
				 cases[i].ret);
		if (cases[i].ret)
			assert_string_equal(trapline_error_name(err.code),
					    "filter-type");
		trapline_event_free(event);
	}
	filter_free(filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_string_max),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_restrict),
		cmocka_unit_test(test_type),
	};

	return cmocka_run_group_tests_name("filter", tests, load_symbols,
					   free_symbols);
}
