// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names and types of the kernel: the programs that they become, the types of
 * the values, and each refusal with its text. The types are those of
 * btf_world.h.
 */
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

#include "core/prog.h"

#include "../../userspace/lib/event.h"
#include "../../userspace/lib/symbols.h"
#include "btf_world.h"
#include "event_verify_world.h"

#define USER TL_ARG_USER

/* ---- programs --------------------------------------------------------- */

#define REG(offset)		{ TL_OP_REG, 0, offset }
#define PUT_REG(bytes, offset)	{ TL_OP_PUT_REG, bytes, offset }
#define READ(bytes, offset)	{ TL_OP_DEREF, bytes, (uint64_t)(offset) }
#define PUT(bytes)		{ TL_OP_PUT, bytes, 0 }
#define STRING(flags, offset)	{ TL_OP_PUT_STRING, 4096 | (flags), offset }
#define CURRENT			{ TL_OP_CURRENT, 0, 0 }
#define CALLER			{ TL_OP_CALLER, 0, 0 }, PUT(8)
#define END			{ TL_OP_END, 0, 0 }

static const struct {
	const char *line;
	const char *fields;	/* of each one name, format and bytes */
	struct tl_insn insns[13];
} programs[] = {
	{ "p vfs_read $arg*", "file x8 buf x8 count u8 pos x8",
	  { PUT_REG(8, DI), PUT_REG(8, SI), PUT_REG(8, DX), PUT_REG(8, CX),
	    END } },
	{ "p vfs_read %di $arg* %di", "arg1 x8 file x8 buf x8 count u8 pos x8 "
	  "arg6 x8",
	  { PUT_REG(8, DI), PUT_REG(8, DI), PUT_REG(8, SI), PUT_REG(8, DX),
	    PUT_REG(8, CX), PUT_REG(8, DI), END } },
	{ "p vfs_readx $arg*", "flag u1 letter s1 word u2 kind s4 uid x4 "
	  "arg6 x8 any x8",
	  { PUT_REG(1, DI), PUT_REG(1, SI), PUT_REG(2, DX), PUT_REG(4, CX),
	    PUT_REG(4, R8), PUT_REG(8, R9), { TL_OP_STACK, 0, 1 }, PUT(8),
	    END } },
	{ "p vfs_readx $arg9 n=$arg1", "arg1 x8 n x8",
	  { { TL_OP_STACK, 0, 3 }, PUT(8), PUT_REG(8, DI), END } },
	{ "p do_sys_openat2 $arg1 x=dfd y=dfd:u8 $arg2:x16 n=$arg1",
	  "dfd s4 x s4 y u1 filename x2 n x8",
	  { PUT_REG(4, DI), PUT_REG(4, DI), PUT_REG(1, DI), PUT_REG(2, SI),
	    PUT_REG(8, DI), END } },
	{ "p vfs_readv before", "before s4", { PUT_REG(4, DI), END } },
	{ "p vfs_read file->f_flags $arg1->f_pos:x32", "arg1 u4 arg2 x4",
	  { REG(DI), READ(4, FILE_FLAGS), PUT(4), REG(DI), READ(4, FILE_POS),
	    PUT(4), END } },
	{ "p vfs_read file->f_path.dentry->d_name.len", "arg1 u4",
	  { REG(DI), READ(8, FILE_PATH + PATH_DENTRY),
	    READ(4, DENTRY_NAME + QSTR_LEN), PUT(4), END } },
	{ "p vfs_read file->f_inode file->f_path pos[2]", "arg1 x8 arg2 x8 "
	  "arg3 s8",
	  { REG(DI), READ(8, FILE_INODE), PUT(8), REG(DI), READ(8, FILE_PATH),
	    PUT(8), REG(CX), READ(8, 16), PUT(8), END } },
	{ "p vfs_read file->f_nums[3] file->f_tag[7]", "arg1 s4 arg2 s1",
	  { REG(DI), READ(4, FILE_NUMS + 12), PUT(4), REG(DI),
	    READ(1, FILE_TAG + 7), PUT(1), END } },
	{ "p vfs_read file->f_next->f_next[1].f_flags", "arg1 u4",
	  { REG(DI), READ(8, FILE_NEXT), READ(8, FILE_NEXT),
	    READ(4, FILE_BYTES + FILE_FLAGS), PUT(4), END } },
	{ "p vfs_read a=file->f_name:string b=file->f_tag:string", "a \" b \"",
	  { REG(DI), READ(8, FILE_NAME), STRING(0, 0), REG(DI),
	    STRING(0, FILE_TAG), END } },
	{ "p do_sys_openat2 filename:ustring", "filename \"",
	  { REG(SI), STRING(USER, 0), END } },
	{ "p vfs_read $current $current->pid $current->comm:string",
	  "arg1 x8 arg2 s4 arg3 \"",
	  { CURRENT, PUT(8), CURRENT, READ(4, TASK_PID), PUT(4), CURRENT,
	    STRING(0, TASK_COMM), END } },
	{ "p vfs_read+4 $current->pid:x8 +8($current):u16", "arg1 x1 arg2 u2",
	  { CURRENT, READ(1, TASK_PID), PUT(1), CURRENT, READ(2, 8), PUT(2),
	    END } },
	{ "r vfs_readv $retval $retval->f_pos", "arg1 x8 arg2 s8",
	  { CALLER, { TL_OP_RETVAL, 0, 0 }, PUT(8), { TL_OP_RETVAL, 0, 0 },
	    READ(8, FILE_POS), PUT(8), END } },
	{ "r vfs_read $arg1 file->f_flags count", "file x8 arg2 u4 count u8",
	  { CALLER, { TL_OP_REG, TL_REG_ENTRY, 0 }, PUT(8),
	    { TL_OP_REG, TL_REG_ENTRY, 0 }, READ(4, FILE_FLAGS), PUT(4),
	    { TL_OP_REG, TL_REG_ENTRY, 2 }, PUT(8), END } },
	{ "r vfs_read $retval n=+0($retval)", "arg1 s8 n x8",
	  { CALLER, { TL_OP_RETVAL, 0, 0 }, PUT(8), { TL_OP_RETVAL, 0, 0 },
	    READ(8, 0), PUT(8), END } },
	{ "t sched_switch $arg*", "preempt u1 prev x8 next x8 prev_state u4",
	  { PUT_REG(1, 0), PUT_REG(8, 8), PUT_REG(8, 16), PUT_REG(4, 24),
	    END } },
	{ "t sched_switch $arg2 prev->pid n=next->comm:string s=prev_state:x8 "
	  "x=$arg4", "prev x8 arg2 s4 n \" s x1 x x8",
	  { PUT_REG(8, 8), REG(8), READ(4, TASK_PID), PUT(4), REG(16),
	    STRING(0, TASK_COMM), PUT_REG(1, 24), PUT_REG(8, 24), END } },
	{ "t sys_enter $arg1 $arg2 n=$arg1->f_flags (file)$arg2->f_pos",
	  "arg1 x8 arg2 x8 n u4 arg4 s8",
	  { PUT_REG(8, 0), PUT_REG(8, 8), REG(0), READ(4, FILE_FLAGS), PUT(4),
	    REG(8), READ(8, FILE_POS), PUT(8), END } },
	{ "t no_types $arg1 $arg12 +8($arg3):u16 $current->pid",
	  "arg1 x8 arg2 x8 arg3 u2 arg4 s4",
	  { PUT_REG(8, 0), PUT_REG(8, 88), REG(16), READ(2, 8), PUT(2),
	    CURRENT, READ(4, TASK_PID), PUT(4), END } },
	{ "t ext4_begin $arg* i=info->i_size", "info x8 blocks s4 i s8",
	  { PUT_REG(8, 0), PUT_REG(4, 8), REG(0), READ(8, 0), PUT(8), END } },
	{ "p vfs_read (file)%si->f_flags (file)+8(%si)->f_flags:u8",
	  "arg1 u4 arg2 u1",
	  { REG(SI), READ(4, FILE_FLAGS), PUT(4), REG(SI), READ(8, 8),
	    READ(1, FILE_FLAGS), PUT(1), END } },
	{ "p vfs_read (task_struct,tasks)%di->pid", "arg1 s4",
	  { REG(DI), READ(4, TASK_PID - TASK_TASKS), PUT(4), END } },
	{ "p vfs_read (task_struct,tasks.prev)+0(file->f_op)->state", "arg1 s8",
	  { REG(DI), READ(8, FILE_OP), READ(8, 0),
	    READ(8, -(TASK_TASKS + 8)), PUT(8), END } },
	{ "p vfs_read +8(file->f_path.dentry):u16", "arg1 u2",
	  { REG(DI), READ(8, FILE_PATH + PATH_DENTRY), READ(2, 8), PUT(2),
	    END } },
	{ "p vfs_read (file)file->f_path.dentry", "arg1 x8",
	  { REG(DI), READ(8, FILE_PATH + PATH_DENTRY), PUT(8), END } },
	{ "p vfs_read $arg1:%pD d=%si:%pd", "arg1 \" d \"",
	  { REG(DI), READ(8, FILE_PATH + PATH_DENTRY),
	    READ(8, DENTRY_NAME + QSTR_NAME), STRING(0, 0), REG(SI),
	    READ(8, DENTRY_NAME + QSTR_NAME), STRING(0, 0), END } },
	{ "p ext4:ext4_file_open info->i_names:string[2] info->i_names:x64[2]",
	  "arg1 \" arg1 \" arg2 x8",
	  { REG(DI), READ(8, INFO_NAMES), STRING(0, 0), REG(DI),
	    READ(8, INFO_NAMES + 8), STRING(0, 0), REG(DI),
	    { TL_OP_PUT_BYTES, 16, INFO_NAMES }, END } },
	{ "p vfs_read file->f_nums:s32[4]", "arg1 s4",
	  { REG(DI), { TL_OP_PUT_BYTES, 16, FILE_NUMS }, END } },
	{ "p vfs_read file->f_a file->f_b file->f_b:x8 file->f_a:b2@1/8",
	  "arg1 u4:3@0 arg2 s4:5@3 arg3 x4:5@3 arg4 u1:2@1",
	  { REG(DI), READ(4, FILE_BITS), PUT(4), REG(DI), READ(4, FILE_BITS),
	    PUT(4), REG(DI), READ(4, FILE_BITS), PUT(4), REG(DI),
	    READ(1, FILE_BITS), PUT(1), END } },
	{ "p vfs_read file->f_c", "arg1 u4:4@9",
	  { REG(DI), READ(4, FILE_BITS), PUT(4), END } },
	{ "p vfs_read file->f_packed file->f_far", "arg1 u8:31@3 arg2 u2:9@6",
	  { REG(DI), READ(8, FILE_PACKED), PUT(8), REG(DI),
	    READ(2, FILE_PACKED + 4), PUT(2), END } },
	{ "p ext4:ext4_file_open info->i_file->f_flags", "arg1 u4",
	  { REG(DI), READ(8, INFO_FILE), READ(4, FILE_FLAGS), PUT(4), END } },
	{ "p tgt:name_store (file)%di->f_flags $current->pid", "arg1 u4 arg2 s4",
	  { REG(DI), READ(4, FILE_FLAGS), PUT(4), CURRENT, READ(4, TASK_PID),
	    PUT(4), END } },
};

static char format_letter(const struct field *field)
{
	switch (field->format) {
	case FIELD_UNSIGNED:
		return 'u';
	case FIELD_SIGNED:
		return 's';
	case FIELD_HEX:
		return 'x';
	default:
		return '"';
	}
}

static void check_fields(const struct trapline_event *event, const char *want)
{
	char text[200] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < event->field_count; i++) {
		const struct field *field = &event->fields[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%s %c", i ? " " : "", field->name,
					 format_letter(field));
		if (field->bytes)
			used += (size_t)snprintf(text + used,
						 sizeof(text) - used, "%u",
						 field->bytes);
		if (field->bits)
			used += (size_t)snprintf(text + used,
						 sizeof(text) - used, ":%u@%u",
						 field->bits, field->shift);
	}
	assert_string_equal(text, want);
}

static void test_programs(void **state)
{
	size_t i, count;

	(void)state;
	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct trapline_event *event = parse_event(programs[i].line);

		verify_event(event);
		print_message("# %s\n", programs[i].line);
		check_fields(event, programs[i].fields);
		for (count = 0; programs[i].insns[count].op != TL_OP_END;
		     count++)
			;
		assert_int_equal(event->insn_count, count + 1);
		assert_memory_equal(event->insns, programs[i].insns,
				    (count + 1) * sizeof(event->insns[0]));
		trapline_event_free(event);
	}
}

/* ---- refusals --------------------------------------------------------- */

#define NO_TYPES "+OFFSET(ADDRESS)"

/* A hint of "" is none; otherwise a part of it. */
static const struct {
	const char *line;
	int column;
	int length;
	const char *name;
	const char *text;
	const char *hint;
} refusals[] = {
	{ "p vfs_read foo", 11, 3, "no-such-variable",
	  "vfs_read has no parameter foo",
	  "its parameters are file, buf, count and pos" },
	{ "p schedule foo", 11, 3, "no-such-variable",
	  "schedule has no parameter foo", "it has none" },
	{ "p vfs_read n=$arg5", 13, 5, "no-such-variable",
	  "\"$arg5\": vfs_read has 4 parameters",
	  "its parameters are file, buf, count and pos" },
	{ "p vfs_read +0(+8($arg12))", 17, 6, "no-such-variable",
	  "\"$arg12\": vfs_read has 4 parameters", "its parameters are" },
	{ "p schedule $arg*", 11, 5, "no-such-variable",
	  "\"$arg*\": schedule has 0 parameters", "it has none" },
	{ "p vfs_read file->f_flag", 17, 6, "no-such-member",
	  "struct file has no member f_flag", "did you mean f_flags" },
	{ "p vfs_read file->f_path.x", 24, 1, "no-such-member",
	  "struct path has no member x", "there are mnt, dentry" },
	{ "p vfs_read (task_struct,task)%di->pid", 24, 4, "no-such-member",
	  "struct task_struct has no member task", "did you mean tasks" },
	{ "p vfs_read count->x", 16, 2, "not-a-pointer", "\"->\" needs a "
	  "pointer; \"count\" is an integer (long unsigned int)", "" },
	{ "p vfs_read file->f_nums->x", 23, 2, "not-a-pointer", "\"->\" needs "
	  "a pointer; \"file->f_nums\" is an array", "" },
	{ "p vfs_read pos->x", 14, 3, "not-a-struct", "\"pos\" has no members; "
	  "it is a pointer to an integer (long int)", "" },
	{ "p vfs_read file->f_op->x", 21, 3, "not-a-struct",
	  "\"file->f_op\" has no members; it is a pointer to void", "" },
	{ "p vfs_read file->f_flags.x", 24, 2, "not-a-struct",
	  "\"file->f_flags\" has no members; it is an integer (unsigned int)",
	  "" },
	{ "p vfs_read file->f_path->dentry", 23, 2, "needs-dot",
	  "\"file->f_path\" is no pointer but struct path itself: its members "
	  "follow \".\", not \"->\"", "" },
	{ "p vfs_read file.f_flags", 15, 1, "needs-arrow", "\"file\" is a "
	  "pointer: members follow \"->\", not \".\"", "" },
	{ "p vfs_read $current.pid", 19, 1, "needs-arrow", "\"$current\" is a "
	  "pointer: members follow \"->\", not \".\"", "" },
	{ "p vfs_read file-f_flags", 15, 1, "hyphen",
	  "\"-\" alone means nothing here; members follow \"->\"", "" },
	{ "p vfs_read file->", 17, 1, "member-empty",
	  "the name of a member is missing after \"->\"", "" },
	{ "p vfs_read file->f_path.:u8", 24, 1, "member-empty",
	  "the name of a member is missing after \".\"", "" },
	{ "p vfs_read (file)%di", 20, 1, "member-empty",
	  "the name of a member is missing after \"(file)%di\"", "" },
	{ "p vfs_read (task_struct,)%di->pid", 23, 1, "member-empty",
	  "the name of a member is missing after \",\"", "" },
	{ "p vfs_read (task_struct,.tasks)%di->pid", 23, 1, "member-empty",
	  "the name of a member is missing after \",\"", "" },
	{ "p vfs_read (task_struct,tasks..prev)%di->pid", 29, 1,
	  "member-empty", "the name of a member is missing after \".\"", "" },
	{ "p vfs_read (task_struct,tasks.)%di->pid", 29, 1, "member-empty",
	  "the name of a member is missing after \".\"", "" },
	{ "p vfs_read file->1st", 17, 3, "member-name",
	  "\"1st\" is not the name of a member", "" },
	{ "p vfs_read (nothing)%di->x", 12, 7, "no-such-struct", "the kernel's "
	  "types (BTF) do not have a struct or union nothing", "" },
	{ "p vfs_read file->f_nums[x]", 23, 3, "index-form",
	  "\"[x]\" is not the number of an element, [N]", "" },
	{ "p vfs_read file->f_nums[4]", 24, 1, "index-range",
	  "there is no element 4: \"file->f_nums\" has 4", "" },
	{ "p vfs_read file->f_op[0]", 21, 3, "not-an-array", "\"file->f_op\" "
	  "has no elements that could be counted; it is a pointer", "" },
	{ "p vfs_read $arg* x=%di $arg*", 23, 5, "args-form", "\"$arg*\": $arg* "
	  "stands for all arguments, once, with no name, type or anything "
	  "around it", "" },
	{ "p vfs_read a=$arg*", 11, 7, "args-form", "\"a=$arg*\": $arg* "
	  "stands for all arguments, once, with no name, type or anything "
	  "around it", "" },
	{ "p vfs_readv $arg*", 12, 5, "args-by-value", "where the parameter "
	  "after of vfs_readv is cannot be told: pair is 16 bytes by value",
	  "say where it is: %di, %si, %dx" },
	{ "p vfs_readv x=$arg3:s32", 14, 5, "args-by-value", "where the "
	  "parameter after of vfs_readv is cannot be told: pair is 16 bytes by "
	  "value", "say where it is" },
	{ "r schedule $retval", 11, 7, "retval-void",
	  "schedule returns nothing", "" },
	{ "p vfs_read buf:string[2]", 15, 9, "not-a-text",
	  "\"buf\" is no text; it is a pointer to an integer (char)",
	  "+0(buf):string[2]" },
	{ "p vfs_inlined", 2, 11, "symbol-inlined",
	  "the kernel has no symbol vfs_inlined, but its types (BTF) have that "
	  "function: the compiler has put it into its callers (inlined)",
	  "probe a function that calls it" },
	{ "p rcu_read_lock", 2, 13, "symbol-unknown",
	  "the kernel has no symbol rcu_read_lock",
	  "the kernel's types (BTF) do not have it either" },
	{ "p vfs_raed", 2, 8, "symbol-unknown", "the kernel has no symbol vfs_raed",
	  "did you mean vfs_read? the kernel's types (BTF) do not have it" },
	{ "p vfs_read +0(file->f_a)", 14, 9, "unsupported", "as an address the "
	  "bit field \"file->f_a\" is not supported by this version", "" },
	{ "p vfs_read count:string", 17, 6, "not-a-text",
	  "\"count\" is no text; it is an integer (long unsigned int)",
	  "+0(count):string" },
	{ "p vfs_read pos:ustring", 15, 7, "not-a-text",
	  "\"pos\" is no text; it is a pointer to an integer (long int)",
	  "+0(pos):ustring" },
	{ "p vfs_read file->f_path:string", 24, 6, "not-a-text",
	  "\"file->f_path\" is no text; it is struct path", "" },
	{ "p vfs_write count", 12, 5, "btf-function", "the kernel's types "
	  "(BTF) do not have the function vfs_write", NO_TYPES },
	{ "p udp_send_skb.isra.0 skb->len", 22, 3, "btf-function", "the "
	  "kernel's types (BTF) do not have the function udp_send_skb.isra.0",
	  "the compiler has made something else of it" },
	{ "p vfs_read+4 file", 13, 4, "args-not-entry", "\"file\" is only "
	  "known at the start of a function, not at an offset",
	  "put the probe on vfs_read itself" },
	{ "p vfs_readx uid.val", 15, 4, "unsupported", "a member of a struct "
	  "that is passed by value, \".val\" is not supported by this version",
	  "" },
	{ "p vfs_readx $arg8->x", 12, 5, "unsupported", "the type of \"$arg8\" "
	  "is not supported by this version", "" },
	{ "p vfs_read $comm:%pd", 17, 3, "needs-string-type",
	  "\"$comm\" is a text; its type can only be string", "" },
	{ "p vfs_read file=%di $arg1", 20, 5, "arg-name-used",
	  "the name \"file\" is used by an earlier argument", "" },
	{ "p vfs_read file=%di $arg*", 20, 5, "arg-name-used",
	  "the name \"file\" is used by an earlier argument", "" },
	{ "p vfs_read +0(%di)->x", 18, 3, "fetch-tail", "\"->x\" follows the "
	  "argument; only \":TYPE\" can", "say it: (STRUCT)+0(%di)->x" },
};

static void test_refusals(void **state)
{
	struct trapline_event *event;
	struct trapline_error err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		memset(&err, 0xa5, sizeof(err));
		print_message("# %s\n", refusals[i].line);
		assert_int_equal(trapline_event_parse(refusals[i].line, symbols,
						      &event, &err), -EINVAL);
		assert_null(event);
		assert_string_equal(err.text, refusals[i].text);
		assert_string_equal(trapline_error_name(err.code),
				    refusals[i].name);
		assert_int_equal(err.column, refusals[i].column);
		assert_int_equal(err.length, refusals[i].length);
		if (refusals[i].hint[0])
			assert_non_null(strstr(err.hint, refusals[i].hint));
		else
			assert_string_equal(err.hint, "");
	}
}

static void refuse(const char *line, const char *name)
{
	struct trapline_event *event;
	struct trapline_error err;

	assert_int_equal(trapline_event_parse(line, symbols, &event, &err),
			 -EINVAL);
	assert_string_equal(trapline_error_name(err.code), name);
}

/* All that reads memory counts together, whatever way it is written. */
static void test_limits(void **state)
{
	static char line[65536];
	char *at;
	int i;

	(void)state;
	at = line + sprintf(line, "p vfs_read file");
	for (i = 0; i < 63; i++)
		at += sprintf(at, "->f_next");
	strcpy(at, "->f_name");
	trapline_event_free(parse_event(line));
	strcpy(at, "->f_name:string");
	refuse(line, "deref-depth");
	strcpy(at, "->f_next->f_next");
	refuse(line, "deref-depth");
	/* what has no end is refused at its start */
	at = line + sprintf(line, "p vfs_read ");
	for (i = 0; i < 10000; i++)
		at += sprintf(at, "(file)");
	refuse(line, "member-empty");
	strcpy(at, "%di->f_op");
	refuse(line, "unsupported");
	at = line + sprintf(line, "p vfs_read %%di");
	for (i = 0; i < 124; i++)
		at += sprintf(at, " %%di");
	strcpy(at, " $arg*");
	refuse(line, "args-many");
	strcpy(at - 4, " $arg*");
	trapline_event_free(parse_event(line));
	trapline_event_free(parse_event("p vfs_read pos[576460752303423487]"));
	refuse("p vfs_read pos[576460752303423488]", "index-form");
	refuse("p vfs_read pos[2305843009213693952]", "index-form");
}

/* ---- BTF that there is not -------------------------------------------- */

static void refuse_without(const char *folder, const char *line,
			   const char *text)
{
	struct trapline_event *event;
	struct trapline_error err;

	assert_int_equal(symbols_set_types(symbols, folder), 0);
	assert_int_equal(trapline_event_parse(line, symbols, &event, &err),
			 -EINVAL);
	assert_string_equal(trapline_error_name(err.code), "btf-missing");
	assert_string_equal(err.text, text);
	assert_non_null(strstr(err.hint, "CONFIG_DEBUG_INFO_BTF"));
	/* again, from what is known now */
	refuse(line, "btf-missing");
}

static void accept_without(const char *line, const char *want)
{
	struct trapline_event *event = parse_event(line);
	char listing[200];

	trapline_event_listing(event, listing, sizeof(listing));
	assert_string_equal(listing, want);
	trapline_event_free(event);
}

/* Nothing else is refused then, and there are fewer questions asked. */
static void test_missing(void **state)
{
	char folder[] = "/tmp/trapline-btf.XXXXXX";
	char text[200], path[60];

	(void)state;
	refuse_without("/nonexistent", "p vfs_read $arg*", "\"$arg*\" needs the "
		       "kernel's types (BTF), which are not there: "
		       "/nonexistent/vmlinux: there is no such file");
	refuse_without("/nonexistent", "p ext4:ext4_file_open info", "\"info\" "
		       "needs the kernel's types (BTF), which are not there: "
		       "/nonexistent/vmlinux: there is no such file");
	refuse_without("/nonexistent", "p vfs_read (file)%di->f_flags",
		       "\"file\" needs the kernel's types (BTF), which are not "
		       "there: /nonexistent/vmlinux: there is no such file");
	refuse_without("/nonexistent", "p vfs_read %di:%pd",
		       "\"%pd\" needs the kernel's types (BTF), which are not "
		       "there: /nonexistent/vmlinux: there is no such file");
	accept_without("p:a vfs_read $arg1 $arg9 $current +0($arg2):string",
		       "p:kprobes/a vfs_read arg1=$arg1 arg2=$arg9 "
		       "arg3=$current arg4=+0($arg2):string");
	accept_without("r:a vfs_read $retval",
		       "r:kprobes/a vfs_read arg1=$retval");
	assert_non_null(mkdtemp(folder));
	write_types(folder, "vmlinux", "no BTF", 6);
	snprintf(path, sizeof(path), "%s/vmlinux", folder);
	snprintf(text, sizeof(text), "\"file\" needs the kernel's types (BTF), "
		 "which are not there: %s: it is not BTF that can be read",
		 path);
	refuse_without(folder, "p vfs_read file", text);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests_name("path", tests,
					   load_symbols_with_types,
					   free_symbols);
}
