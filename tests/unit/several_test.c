// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types of which there are several with one name: what of them is the same is
 * known, and what differs is not taken from the first one. See btf_world.c.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../uapi/trapline.h"
#include "../../userspace/lib/event.h"
#include "../../userspace/lib/symbols.h"
#include "btf_world.h"

static void accepted(const char *line, const char *want)
{
	struct trapline_event *event = parse_event(line);
	char listing[200];

	trapline_event_listing(event, listing, sizeof(listing));
	assert_string_equal(listing, want);
	trapline_event_free(event);
}

static void refused(const char *line, const char *name, int column,
		    const char *text, const char *hint)
{
	struct trapline_event *event;
	struct trapline_error err;

	assert_int_equal(trapline_event_parse(line, symbols, &event, &err),
			 -EINVAL);
	assert_string_equal(err.text, text);
	assert_string_equal(trapline_error_name(err.code), name);
	assert_int_equal(err.column, column);
	assert_non_null(strstr(err.hint, hint));
}

#define DIFFER(name) "the kernel's types (BTF) have several functions " name \
	", of which the parameters or the results differ"

static void test_functions_differ(void **state)
{
	(void)state;
	refused("p icmp_reply s->f_flags", "btf-function", 13,
		DIFFER("icmp_reply"), "+OFFSET(ADDRESS)");
	refused("p icmp_reply $arg*", "btf-function", 13, DIFFER("icmp_reply"),
		"$argN");
	refused("r name_show#1 $retval->f_flags", "btf-function", 14,
		DIFFER("name_show"), "$argN");
	/* nothing is known, so nothing is refused for it */
	accepted("p:a icmp_reply $arg1 $arg3",
		 "p:kprobes/a icmp_reply arg1=$arg1 arg2=$arg3");
	refused("p vfs_twice", "symbol-inlined", 2, "the kernel has no symbol "
		"vfs_twice, but its types (BTF) have that function: the "
		"compiler has put it into its callers (inlined)", "");
}

static void test_names_differ(void **state)
{
	(void)state;
	accepted("p:a bonding_show file->f_flags $arg2",
		 "p:kprobes/a bonding_show arg1=file->f_flags arg2=$arg2");
	refused("p bonding_show a", "no-such-variable", 15, "not all functions "
		"bonding_show have a parameter a",
		"its parameters are file and $arg2");
	refused("p bonding_show $arg3", "no-such-variable", 15,
		"\"$arg3\": bonding_show has 2 parameters",
		"its parameters are file and $arg2");
	/* a stub says "__unused" of what the system call has a name for */
	accepted("p:a __x64_sys_openat regs->flags $arg1",
		 "p:kprobes/a __x64_sys_openat arg1=regs->flags regs=regs");
}

#define TWINS "the kernel's types (BTF) have several structs twin that " \
	"differ, and not only one of them has the member "

static void test_structs(void **state)
{
	(void)state;
	trapline_event_free(parse_event("p vfs_read (twin)%di->left"));
	trapline_event_free(parse_event("p vfs_read (twin,right)%di->both"));
	trapline_event_free(parse_event("p vfs_read (same)%di->two->f_flags"));
	refused("p vfs_read (twin)%di->both", "struct-several", 12,
		TWINS "both", "+OFFSET(ADDRESS)");
	refused("p vfs_read (twin,both)%di->left", "struct-several", 12,
		TWINS "both", "+OFFSET(ADDRESS)");
	refused("p vfs_read (twin)%di->none", "struct-several", 12,
		TWINS "none", "+OFFSET(ADDRESS)");
}

/* "struct late;", and the struct itself elsewhere */
static void test_declared(void **state)
{
	struct trapline_event *event;

	(void)state;
	event = parse_event("p vfs_read (holder)%di->late->later");
	assert_int_equal(event->insns[2].op, TL_OP_DEREF);
	assert_int_equal(event->insns[2].imm, 8);
	trapline_event_free(event);
	trapline_event_free(parse_event("p vfs_read (holder)%di->late[1].later"));
	refused("p vfs_read (holder)%di->late->latr", "no-such-member", 30,
		"struct late has no member latr", "did you mean later");
	refused("p vfs_read (holder)%di->twin->left", "not-a-struct", 28,
		"\"(holder)%di->twin\" has no members; it is a pointer to "
		"struct twin", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_differ),
		cmocka_unit_test(test_names_differ),
		cmocka_unit_test(test_structs),
		cmocka_unit_test(test_declared),
	};

	return cmocka_run_group_tests_name("several", tests,
					   load_symbols_with_types,
					   free_symbols);
}
