// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines that are right, and of which something is to be said: arguments that
 * are called as parameters are and fetch something else, and arguments on the
 * stack of which nothing is known. The types are those of btf_world.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../userspace/lib/symbols.h"
#include "../../userspace/lib/trapline.h"
#include "btf_world.h"

#define EVERYWHERE "; as $argN or by its name a parameter is found everywhere"
#define UNCHECKED(arg, function) \
	arg " is a word of the stack; without types (BTF) of " function \
	" nobody has checked that it has so many parameters"

/* NULL: nothing is said */
static const struct {
	const char *line;
	const char *note;
} cases[] = {
	/* the example of the kernel's documentation */
	{ "p:myprobe do_sys_openat2 dfd=%ax filename=%dx flags=%cx "
	  "mode=+4($stack)",
	  "at the entry of do_sys_openat2 dfd ($arg1) is in %di, not in %ax, "
	  "filename ($arg2) is in %si, not in %dx" EVERYWHERE },
	{ "p do_sys_openat2 dfd=%di filename=%rsi how=%rdx", NULL },
	{ "p do_sys_openat2 dfd=%si:s32",
	  "at the entry of do_sys_openat2 dfd ($arg1) is in %di, not in %si"
	  EVERYWHERE },
	{ "p vfs_read pos=+0x10($stack) count=$stack1 buf=+4($stack)",
	  "at the entry of vfs_read pos ($arg4) is in %cx, not in "
	  "+0x10($stack), count ($arg3) is in %dx, not in $stack1, "
	  "buf ($arg2) is in %si, not in +4($stack)" EVERYWHERE },
	{ "p vfs_readx any=%r9",
	  "at the entry of vfs_readx any ($arg7) is in $stack1, not in %r9"
	  EVERYWHERE },
	{ "p vfs_readx any=$stack2",
	  "at the entry of vfs_readx any ($arg7) is in $stack1, not in $stack2"
	  EVERYWHERE },
	{ "p vfs_readx any=$stack1 word=%dx", NULL },
	{ "p vfs_readx any=+8($stack)", NULL },
	/* no name, or none of a parameter; what is made of it; the parameter */
	{ "p do_sys_openat2 %ax fd=%ax", NULL },
	{ "p do_sys_openat2 filename=+0(%dx):string how=+8(%si)",
	  NULL },
	{ "p do_sys_openat2 dfd=$arg2 filename=how how=+0(+8($stack))", NULL },
	{ "p do_sys_openat2 dfd=\\1 filename=$comm", NULL },
	/* not at the entry */
	{ "p do_sys_openat2+4 dfd=%ax", NULL },
	{ "r do_sys_openat2 dfd=%ax", NULL },
	/* where it is cannot be told: behind a struct by value */
	{ "p vfs_readv before=%ax after=%ax",
	  "at the entry of vfs_readv before ($arg1) is in %di, not in %ax"
	  EVERYWHERE },
	/* once for all places of a pattern */
	{ "p vfs_read* file=%cx", "at the entry of vfs_read file ($arg1) is in "
	  "%di, not in %cx" EVERYWHERE },
	{ "p vfs_read* before=%ax", "at the entry of vfs_readv before ($arg1) "
	  "is in %di, not in %ax" EVERYWHERE },
	/* no types of that function */
	{ "p tgt:name_store a=%di $arg6", NULL },
	{ "p tgt:name_store $arg6 $arg7", UNCHECKED("$arg7", "name_store") },
	{ "p tgt:name_store x=+0(+8($arg9)):string $arg8",
	  UNCHECKED("$arg9", "name_store") },
	/* with types it is checked, or known to have more: "..." */
	{ "p vfs_readx $arg7 $arg9", NULL },
	{ "t no_types $arg8", NULL },
	{ "p vfs_read", NULL },
};

static void test_notes(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trapline_error err = { 0 };
		struct trapline_event *event;
		const char *note;

		if (trapline_event_parse(cases[i].line, symbols, &event, &err))
			fail_msg("%s: %s", cases[i].line, err.text);
		note = trapline_event_note(event);
		if (!note != !cases[i].note)
			fail_msg("%s: %s", cases[i].line, note ? note : "-");
		if (note)
			assert_string_equal(note, cases[i].note);
		trapline_event_free(event);
	}
}

/* Without any types there is no name to compare with. */
static void test_without_types(void **state)
{
	static const char line[] = "p do_sys_openat2 dfd=%ax how=$arg7";
	struct trapline_event *event;

	(void)state;
	assert_int_equal(symbols_set_types(symbols, "/nonexistent"), 0);
	assert_int_equal(trapline_event_parse(line, symbols, &event, NULL), 0);
	assert_string_equal(trapline_event_note(event),
			    UNCHECKED("$arg7", "do_sys_openat2"));
	trapline_event_free(event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_without_types),
	};

	return cmocka_run_group_tests_name("note", tests,
					   load_symbols_with_types,
					   free_symbols);
}
