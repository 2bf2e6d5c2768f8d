// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where instructions begin in a made-up kernel: each offset, probes in the way,
 * and cores that are not what they should be. What is not known is not refused.
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../userspace/lib/symbols.h"
#include "elf_world.h"
#include "place_world.h"
#include "random_world.h"
#include "symbols_world.h"

#define ROUNDS 2000
#define CODE_AT 0x200	/* in the file */
#define CODE_BYTES 0x800

/* the addresses of kallsyms.txt */
#define VFS_READ 0xffffffff81005000
#define COMMON_NAME 0xffffffff8100a000

/* A core with two segments: of vfs_read and those behind it, of common_name. */
static struct {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[3];
	unsigned char unused[CODE_AT - sizeof(Elf64_Ehdr) - 3 * sizeof(Elf64_Phdr)];
	unsigned char code[CODE_BYTES];
	unsigned char common_name[16];
} core;

static char core_path[64], list_path[64];
static int core_fd = -1, list_fd = -1;

/* vfs_read; the lengths of its instructions are in the strings' lengths */
#define INSN(bytes) { bytes, sizeof(bytes) - 1, false }
#define TRAP(bytes) { bytes, sizeof(bytes) - 1, true }
static const struct {
	const char *bytes;
	size_t length;
	bool is_trap;
} vfs_read[] = {
	INSN("\xf3\x0f\x1e\xfa"),			/* endbr64 */
	INSN("\xe8\x10\x20\x30\x40"),			/* call ftrace_caller */
	INSN("\x41\x57"),				/* push %r15 */
	INSN("\x48\x8b\x05\x44\x33\x22\x11"),		/* mov 0x11223344(%rip),%rax */
	INSN("\xc3"),					/* ret */
	TRAP("\xcc"),					/* int3 */
	INSN("\x65\x48\x8b\x04\x25\x28\x00\x00\x00"),	/* mov %gs:0x28,%rax */
	INSN("\xe9\xde\x05\x00\x00"),			/* jmp vfs_write */
	TRAP("\xcc"),
	TRAP("\xcc"),
	TRAP("\x0f\x0b"),				/* ud2 */
	TRAP("\xcc"),
	INSN("\x41\x55"),				/* push %r13 */
};
#define INSNS (sizeof(vfs_read) / sizeof(vfs_read[0]))
#define FILLER 0x13	/* where the first int3 is */
#define JUMP 0x1d

static void write_file(char *path, int *fd, const void *bytes, size_t size)
{
	if (*fd >= 0)
		close(*fd);
	*fd = elf_file(bytes, size);
	sprintf(path, "/proc/self/fd/%d", *fd);
}

static void write_core(void)
{
	write_file(core_path, &core_fd, &core, sizeof(core));
}

/* What the kernel lists of its probes; NULL: it cannot be read. */
static void write_list(const char *text)
{
	if (text)
		write_file(list_path, &list_fd, text, strlen(text));
	symbols_set_code(symbols, core_path, text ? list_path : "/no/such");
}

static void build_core(void)
{
	static const Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_CORE,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(ehdr),
		.e_ehsize = sizeof(ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 3,
	};
	static const Elf64_Phdr phdrs[] = {
		{ .p_type = PT_NOTE, .p_vaddr = VFS_READ, .p_filesz = 0x1000 },
		{ .p_type = PT_LOAD, .p_vaddr = COMMON_NAME,
		  .p_offset = CODE_AT + CODE_BYTES, .p_filesz = 16 },
		{ .p_type = PT_LOAD, .p_vaddr = VFS_READ, .p_offset = CODE_AT,
		  .p_filesz = CODE_BYTES },
	};
	size_t i, at = 0;

	core.ehdr = ehdr;
	memcpy(core.phdrs, phdrs, sizeof(phdrs));
	memset(core.code, 0x90, sizeof(core.code));
	for (i = 0; i < INSNS; i++) {
		memcpy(core.code + at, vfs_read[i].bytes, vfs_read[i].length);
		at += vfs_read[i].length;
	}
	memset(core.common_name, 0x90, sizeof(core.common_name));
}

static int setup(void **state)
{
	(void)state;
	build_core();
	write_core();
	write_list("");
	return 0;
}

/* Is "p PLACE" refused? Then as it is by the kernel. */
static bool is_refused(const char *place, struct trapline_error *err)
{
	struct trapline_event *event;
	char line[80];

	snprintf(line, sizeof(line), "p:e %s", place);
	if (!trapline_event_parse(line, symbols, &event, err)) {
		trapline_event_free(event);
		return false;
	}
	assert_null(event);
	assert_string_equal(trapline_error_name(err->code), "kernel-refuses");
	assert_non_null(strstr(err->text, "not the start of an instruction"));
	assert_int_equal(err->column, 4);
	assert_int_equal(err->length, strlen(place));
	return true;
}

static bool refuses(unsigned int offset)
{
	struct trapline_error err;
	char place[40];

	snprintf(place, sizeof(place), "vfs_read+%u", offset);
	return is_refused(place, &err);
}

/* The next instruction from the @i-th on, at @start, where a probe can be. */
static size_t probeable(size_t i, size_t start)
{
	for (; i < INSNS && vfs_read[i].is_trap; i++)
		start += vfs_read[i].length;
	return start;
}

/* Each offset of the instructions before @end is told from the others. */
static void expect_known(size_t end)
{
	size_t i, into, start = 0, before = 0;
	struct trapline_error err;
	char place[40], hint[120];

	for (i = 0; i < INSNS && start < end; i++) {
		const size_t behind = start + vfs_read[i].length;
		/* no probe at int3; at ud2 the kernel is to be asked */
		const bool is_int3 = vfs_read[i].length == 1 &&
				     vfs_read[i].is_trap;

		if (!vfs_read[i].is_trap)
			before = start;
		if (!is_int3)
			assert_false(refuses(start));
		for (into = start + !is_int3; into < behind; into++) {
			snprintf(place, sizeof(place), "vfs_read+%zu", into);
			assert_true(is_refused(place, &err));
			snprintf(hint, sizeof(hint), "the nearest instructions "
				 "begin at vfs_read+%zu and vfs_read+%zu",
				 before, probeable(i + 1, behind));
			assert_string_equal(err.hint, hint);
		}
		start = behind;
	}
}

/* From @start on nothing is refused, nor is anything before it wrongly. */
static void expect_unknown(size_t start)
{
	size_t offset;

	expect_known(start);
	for (offset = start + 1; offset < 0x40; offset++)
		assert_false(refuses(offset));
}

static void boundaries(void **state)
{
	struct trapline_error err;

	(void)state;
	expect_known(SIZE_MAX);
	assert_true(is_refused("0xffffffff81005001", &err));
	assert_string_equal(err.hint, "the nearest instructions begin at "
			    "vfs_read+0 and vfs_read+4");
	/* as the kernel says it, with the event and its place */
	assert_string_equal(err.text, "the kernel refuses: kprobes/e at "
			    "vfs_read+0x1: the address is not the start of an "
			    "instruction (EILSEQ)");
	/* nothing is behind the last one of a function */
	core.common_name[14] = 0x41;
	core.common_name[15] = 0x57;
	write_core();
	write_list("");
	assert_false(is_refused("0xffffffff8100a00e", &err));
	assert_true(is_refused("0xffffffff8100a00f", &err));
	assert_string_equal(err.hint, "the nearest instruction begins at "
			    "common_name+14");
}

/* Where int3 may be a probe's, the kernel's list decides, if there is one. */
static void probes(void **state)
{
	(void)state;
	write_list(NULL);
	expect_unknown(FILLER);
	symbols_set_code(symbols, core_path, NULL);
	expect_unknown(FILLER);
	/* the first byte behind the int3 is one's, too */
	write_list("ffffffff81005014  k  vfs_read+0x14    \n");
	expect_known(FILLER);
	assert_false(refuses(0x15));
	/* elsewhere, and of ftrace */
	write_list("ffffffff81004fff  r  schedule+0xfff    \n"
		   "ffffffff81005004  k  vfs_read+0x4    [FTRACE]\n"
		   "ffffffff81005100  k  vfs_read+0x100    [OPTIMIZED]\n");
	expect_known(SIZE_MAX);
	/* hidden addresses, or something else */
	write_list("0000000000000000  k  vfs_read+0x14    \n");
	expect_unknown(FILLER);
	write_list("what\n");
	expect_unknown(FILLER);
}

static void probe_in_the_way(void **state)
{
	(void)state;
	/* a list that was read too early or too late does not have it */
	core.code[9] = 0xcc;
	write_core();
	write_list("");
	expect_unknown(9);
	/* a jump to a copy, somewhere, and to one that kallsyms has */
	build_core();
	memcpy(core.code + 9, "\xe9\x00\x00\x00\x10", 5);
	write_core();
	write_list("");
	expect_unknown(9);
	memcpy(core.code + 9, "\xe9\xf2\xaf\x02\x3f", 5);
	write_core();
	write_list("");
	assert_ptr_equal(symbols_by_address(symbols, VFS_READ + 9 + 5 +
					    0x3f02aff2)->module[0], '_');
	expect_unknown(9);
}

/* Code that is none, or that is not there. */
static void bad_code(void **state)
{
	size_t size;

	(void)state;
	core.code[9] = 0x06;	/* invalid */
	write_core();
	write_list("");
	expect_unknown(9);
	memset(core.code + 9, 0, 100);
	write_core();
	write_list("");
	expect_unknown(9);
	/* the segment ends, or the file */
	build_core();
	for (size = 0; size < 0x20; size++) {
		core.phdrs[2].p_filesz = size;
		write_core();
		write_list("");
		if (size < 4)
			expect_unknown(0);
		else
			assert_true(refuses(3));
		assert_int_equal(refuses(0x1c), size >= JUMP);
	}
	build_core();
	for (size = 0; size < CODE_AT + JUMP; size++) {
		write_file(core_path, &core_fd, &core, size);
		write_list("");
		assert_false(refuses(0x1c));
	}
}

static void other_cores(void **state)
{
	(void)state;
	core.ehdr.e_machine = EM_AARCH64;
	write_core();
	write_list("");
	expect_unknown(0);
	build_core();
	core.ehdr.e_type = ET_EXEC;
	write_core();
	write_list("");
	expect_unknown(0);
	build_core();
	core.ehdr.e_ident[EI_CLASS] = ELFCLASS32;
	write_core();
	write_list("");
	expect_unknown(0);
	build_core();
	core.phdrs[2].p_offset = UINT64_MAX - 2;
	write_core();
	write_list("");
	expect_unknown(0);
	symbols_set_code(symbols, "/no/such/core", list_path);
	expect_unknown(0);
	symbols_set_code(symbols, NULL, NULL);
	expect_unknown(0);
}

/* Whatever is in the file, there is an answer. */
static void damaged(void **state)
{
	unsigned char *bytes = (unsigned char *)&core;
	unsigned int round, i, refused = 0;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		build_core();
		for (i = 0; i < 4; i++)
			bytes[random_number() % (round & 1 ? 0xf0 : 0x240)] =
				(unsigned char)random_number();
		write_core();
		write_list("");
		refused += refuses(0x1c);
	}
	assert_in_range(refused, 1, ROUNDS - 1);
}

/* Of several places those that can be are kept: vfs_read, vfs_readv, vfs_readx. */
static void patterns(void **state)
{
	struct trapline_event *event = NULL;
	struct trapline_error err;

	(void)state;
	memcpy(core.code + 0x500, "\x41\x57", 2);
	write_core();
	write_list("");
	event = parse_event("p vfs_read*+1");
	assert_int_equal(trapline_event_place_count(event), 3);
	assert_int_equal(state_of(event, 0), TRAPLINE_PLACE_REFUSED);
	assert_int_equal(state_of(event, 1), TRAPLINE_PLACE_OFF);
	assert_int_equal(state_of(event, 2), TRAPLINE_PLACE_REFUSED);
	trapline_event_free(event);
	memcpy(core.code + 0x300, "\x41\x57", 2);
	write_core();
	write_list("");
	assert_int_equal(trapline_event_parse("p vfs_read*+1", symbols, &event,
					      &err), -EINVAL);
	assert_null(event);
	assert_string_equal(trapline_error_name(err.code), "places-refused");
	assert_int_equal(err.column, 2);
	/* the only one of several is like one */
	assert_true(is_refused("vfs_readv#all+1", &err));
	assert_string_equal(err.hint, "the nearest instructions begin at "
			    "vfs_readv+0 and vfs_readv+2");
}

/* Places without an address, and what is wrong before that. */
static void others(void **state)
{
	struct trapline_event *event;
	struct trapline_error err;

	(void)state;
	trapline_event_free(parse_event("p nosuchmod:foo+3"));
	trapline_event_free(parse_event("t sched_switch"));
	assert_int_equal(trapline_event_parse("p vfs_read+3 $arg1", symbols,
					      &event, &err), -EINVAL);
	assert_string_equal(trapline_error_name(err.code), "args-not-entry");
}

int main(void)
{
	const struct CMUnitTest list[] = {
		cmocka_unit_test_setup(boundaries, setup),
		cmocka_unit_test_setup(probes, setup),
		cmocka_unit_test_setup(probe_in_the_way, setup),
		cmocka_unit_test_setup(bad_code, setup),
		cmocka_unit_test_setup(other_cores, setup),
		cmocka_unit_test_setup(damaged, setup),
		cmocka_unit_test_setup(patterns, setup),
		cmocka_unit_test_setup(others, setup),
	};

	return cmocka_run_group_tests_name("instructions", list, load_symbols,
					   free_symbols);
}
