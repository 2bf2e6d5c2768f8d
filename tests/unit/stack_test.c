// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks as text: frames of the kernel by its symbols, frames of processes by a
 * folder that is made here as /proc would be, and by the real one.
 */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../userspace/lib/clock.h"
#include "../../userspace/lib/decode.h"
#include "../../userspace/lib/processes.h"
#include "elf_world.h"
#include "packet_build.h"
#include "symbols_world.h"

#define VFS_READ 0xffffffff81005000
#define VFS_READV 0xffffffff81005300
#define TID 42

static const struct elf_symbol elf_symbols[] = {
	{ "main", 0x100, 0x40, STB_GLOBAL, STT_FUNC },
	{ "last_call", 0x140, 0x10, STB_GLOBAL, STT_FUNC },
	{ "bad <- [name]\n\\", 0x200, 0x20, STB_GLOBAL, STT_FUNC },
	{ NULL, 0, 0, 0, 0 },
};

static char folder[] = "/tmp/trapline-stack-XXXXXX";
static struct trapline_processes *processes;
static struct build payload;
static char line[4096];

/* ---- the folder ------------------------------------------------------- */

static const char *in_folder(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put_file(const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(in_folder(name), "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static unsigned long long inode_of(const char *name)
{
	struct stat st;

	assert_int_equal(stat(in_folder(name), &st), 0);
	return st.st_ino;
}

/* The mappings of the thread, with the inodes of /prog and of /pipe. */
static void put_maps(unsigned long long prog, unsigned long long pipe)
{
	char text[2048];
	int length = snprintf(text, sizeof(text),
		"00401000-00402000 r-xp 00001000 08:01 %llu    /prog\n"
		"00402000-00403000 rw-p 00002000 08:01 %llu    /prog\n"
		"00500000-00501000 r-xp 00000000 08:01 %llu    /pipe\n"
		"00600000-00601000 rwxp 00000000 00:00 0 \n"
		"00700000-00701000 r-xp 00005000 08:01 77      /a b <- ]\\012 (deleted)\n"
		"7ffe0000-7ffe2000 r-xp 00000000 00:00 0       [vdso]\n"
		"not a line of this kind\n"
		"7fff0000-7ffe2000 r-xp 00000000 00:00 0       backwards\n",
		prog, prog, pipe);

	put_file("42/maps", text, (size_t)length);
}

/* It began so many ticks after the machine, which may have slept since. */
static void put_stat(unsigned long long ticks)
{
	char text[256];
	int length = snprintf(text, sizeof(text),
			      "42 (a) b ) S 1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 "
			      "20 0 1 0 %llu 1000 100 1844", ticks);

	put_file("42/stat", text, (size_t)length);
}

static int set_up(void **state)
{
	static unsigned char elf[ELF_WORLD_BYTES];

	if (load_symbols(state) || !mkdtemp(folder))
		return -1;
	assert_int_equal(mkdir(in_folder("42"), 0700), 0);
	assert_int_equal(mkdir(in_folder("42/root"), 0700), 0);
	elf_build(elf, SHT_SYMTAB, elf_symbols);
	put_file("42/root/prog", elf, sizeof(elf));
	assert_int_equal(mkfifo(in_folder("42/root/pipe"), 0700), 0);
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "42/maps", "42/stat",
		"42/root/prog", "42/root/pipe", "42/root", "42", "" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		remove(in_folder(names[i]));
	return free_symbols(state);
}

static int open_table(void **state)
{
	(void)state;
	put_maps(inode_of("42/root/prog"), inode_of("42/root/pipe"));
	put_stat(0);
	processes = processes_new(folder, true);
	return processes ? 0 : -1;
}

static int close_table(void **state)
{
	(void)state;
	trapline_processes_close(processes);
	return 0;
}

/* ---- records ---------------------------------------------------------- */

static struct field fields[] = {
	{ .name = (char *)"k", .format = FIELD_KSTACK, .bytes = 8, .elements = 9 },
	{ .name = (char *)"u", .format = FIELD_USTACK, .bytes = 8, .elements = 9 },
};

static struct trapline_event event = {
	.name = (char *)"t", .symbol = (char *)"vfs_read", .fields = fields,
	.field_count = 2,
};

/* The place of the records, of those that the event has. */
static unsigned int place;

static const uint64_t none[1];

static void put_stack(const uint64_t *addresses, unsigned int count)
{
	build_number(&payload, 8 * count, 2);
	build_raw(&payload, addresses, 8 * count);
}

/* What is printed of the fields @name and, if any, those behind it. */
static const char *print(const char *name, const char *status, unsigned int tid)
{
	const struct trapline_format_opts opts = {
		.size = sizeof(opts),
		.processes = processes,
	};
	const struct trapline_record record = {
		.event = &event,
		.place = place,
		.tid = tid,
		.time_ns = clock_now_ns(CLOCK_MONOTONIC),
		.payload = payload.bytes,
		.payload_bytes = payload.at,
		.status = (const unsigned char *)status,
	};
	int length = trapline_format_record(&record, symbols, NULL, &opts, line,
					    sizeof(line));

	assert_int_equal(length, strlen(line));
	return strstr(line, name);
}

static void kernel_is(const uint64_t *addresses, unsigned int count,
		      const char *status, const char *expected)
{
	payload.at = 0;
	put_stack(addresses, count);
	put_stack(none, 0);
	assert_string_equal(print(" k=", status, TID), expected);
}

static void user_is(const uint64_t *addresses, unsigned int count,
		    const char *status, const char *expected)
{
	payload.at = 0;
	put_stack(none, 0);
	put_stack(addresses, count);
	assert_string_equal(print(" u=", status, TID), expected);
}

/* ---- the kernel's ----------------------------------------------------- */

/* Of an event with several places, the one of the record gives the name. */
static void kernel_places(const uint64_t *stack)
{
	struct trapline_event second = {
		.name = event.name, .symbol = (char *)"an_alias",
		.address = VFS_READV, .fields = fields, .field_count = 2,
		.whole = &event,
	};
	struct trapline_event *more[] = { &second };

	event.address = VFS_READ;
	event.more = more;
	event.more_count = 1;
	place = 1;
	kernel_is(stack + 2, 1, NULL, " k=[an_alias+0x0] u=[]");
	kernel_is(stack, 1, NULL, " k=[vfs_read+0x0] u=[]");
	place = 0;
	kernel_is(stack + 2, 1, NULL, " k=[vfs_readv+0x0] u=[]");
	event.more = NULL;
	event.more_count = 0;
	event.address = 0;
}

static void kernel_frames(void **state)
{
	static const uint64_t stack[] = {
		VFS_READ, VFS_READ + 0x6b,
		VFS_READV,	/* behind a call that was the last one of vfs_read() */
		0xffffffffc0020014, 0x1234, 0,
	};

	(void)state;
	kernel_is(stack, 2, NULL, " k=[vfs_read+0x0 <- vfs_read+0x6b] u=[]");
	kernel_is(stack, 2, "\2", " k=[vfs_read+0x0 <- vfs_read+0x6b <- ...] u=[]");
	kernel_is(stack, 1, "\3", " k=[vfs_read+0x0 <- <fault>] u=[]");
	kernel_is(stack, 0, "\3", " k=[<fault>] u=[]");
	kernel_is(stack, 0, "\1", " k=<fault> u=[]");
	kernel_is(stack, 0, NULL, " k=[] u=[]");
	kernel_is(stack + 3, 3, NULL,
		  " k=[name_store+0x4 [tgt] <- [unknown] <- [unknown]] u=[]");
	kernel_is(stack + 1, 2, NULL,
		  " k=[vfs_read+0x6b <- vfs_read+0x300] u=[]");
	kernel_places(stack);
	/* the place is called as it was asked for, not as its address */
	event.address = VFS_READV;
	event.offset = 0x300;
	kernel_is(stack + 2, 1, NULL, " k=[vfs_read+0x300] u=[]");
	event.address = 0;
	/* execution may be there */
	kernel_is(stack + 2, 1, NULL, " k=[vfs_readv+0x0] u=[]");
}

/* ---- the user's ------------------------------------------------------- */

static void user_frames(void **state)
{
	static const uint64_t stack[] = {
		0x401140,	/* execution is there */
		0x401140,	/* a return: main has called last */
		0x401050,	/* no function */
		0x402010,	/* no code */
		0x600010, 0x700010, 0x7ffe05b2, 0xffffffff81005000,
	};

	(void)state;
	user_is(stack, 3, NULL,
		" u=[last_call+0x0 (/prog) <- main+0x40 (/prog) <- /prog+0x1050]");
	user_is(stack + 3, 5, NULL,
		" u=[0x402010 <- 0x600010 [anon] <- "
		"/a b \\x3c- \\x5d\\\\012 (deleted)+0x5010 <- "
		"[vdso]+0x5b2 <- 0xffffffff81005000]");
	user_is(stack, 1, "\0\2", " u=[last_call+0x0 (/prog) <- ...]");
	user_is(stack, 1, "\0\3", " u=[last_call+0x0 (/prog) <- <fault>]");
	user_is(stack, 0, "\0\1", " u=<fault>");
}

/* A name cannot look like another frame, or break the line. */
static void names_are_escaped(void **state)
{
	static const uint64_t stack[] = { 0x401204 };

	(void)state;
	user_is(stack, 1, NULL,
		" u=[bad \\x3c- \\x5bname\\x5d\\n\\\\+0x4 (/prog)]");
}

static void another_file_of_that_name(void **state)
{
	static const uint64_t stack[] = { 0x401104 };

	(void)state;
	put_maps(inode_of("42/root/prog") + 1, 0);
	user_is(stack, 1, NULL, " u=[/prog+0x1104]");
}

/* A pipe with the right inode would never open. */
static void no_regular_file(void **state)
{
	static const uint64_t stack[] = { 0x500004 };

	(void)state;
	user_is(stack, 1, NULL, " u=[/pipe+0x4]");
}

static void ended_processes(void **state)
{
	static const uint64_t stack[] = { 0x401104 };

	(void)state;
	payload.at = 0;
	put_stack(none, 0);
	put_stack(stack, 1);
	/* it was never seen */
	assert_string_equal(print(" u=", NULL, 43), " u=[0x401104]");
	assert_string_equal(print(" u=", NULL, 0), " u=[0x401104]");
	user_is(stack, 1, NULL, " u=[main+0x4 (/prog)]");
	/* it is gone: what was known stays */
	assert_int_equal(unlink(in_folder("42/maps")), 0);
	usleep(150000);
	user_is(stack, 1, NULL, " u=[main+0x4 (/prog)]");
}

/* A file that is built again, and has the inode number and the path of the old one. */
static void built_again(void **state)
{
	static const struct elf_symbol others[] = {
		{ "other", 0x100, 0x40, STB_GLOBAL, STT_FUNC },
		{ NULL, 0, 0, 0, 0 },
	};
	static const uint64_t stack[] = { 0x401104 };
	static unsigned char elf[ELF_WORLD_BYTES];

	(void)state;
	user_is(stack, 1, NULL, " u=[main+0x4 (/prog)]");
	usleep(150000);
	elf_build(elf, SHT_SYMTAB, others);
	put_file("42/root/prog", elf, sizeof(elf));
	user_is(stack, 1, NULL, " u=[other+0x4 (/prog)]");
	/* who cannot be asked any more still has what was there */
	assert_int_equal(unlink(in_folder("42/maps")), 0);
	elf_build(elf, SHT_SYMTAB, elf_symbols);
	put_file("42/root/prog", elf, sizeof(elf));
	usleep(150000);
	user_is(stack, 1, NULL, " u=[other+0x4 (/prog)]");
}

/* Who has the number now came after the record. */
static void number_is_used_again(void **state)
{
	static const uint64_t stack[] = { 0x401104 };
	unsigned long long now =
		clock_now_ns(CLOCK_BOOTTIME) / 1000000000 *
		(unsigned long long)sysconf(_SC_CLK_TCK);

	(void)state;
	put_stat(now + 10ull * (unsigned long long)sysconf(_SC_CLK_TCK));
	user_is(stack, 1, NULL, " u=[0x401104]");
	usleep(150000);
	put_stat(now - 10ull);
	user_is(stack, 1, NULL, " u=[main+0x4 (/prog)]");
}

/* What is mapped later is found when it is asked for. */
static void mapped_later(void **state)
{
	static const uint64_t stack[] = { 0x401104 };

	(void)state;
	put_file("42/maps", "", 0);
	user_is(stack, 1, NULL, " u=[0x401104]");
	put_maps(inode_of("42/root/prog"), 0);
	usleep(20000);
	user_is(stack, 1, NULL, " u=[main+0x4 (/prog)]");
}

/* Numbers without a table, and in a /proc of other numbers. */
static void no_table(void **state)
{
	static const uint64_t stack[] = { 0x401104 };
	struct trapline_processes *const kept = processes;

	(void)state;
	processes = NULL;
	user_is(stack, 1, NULL, " u=[0x401104]");
	processes = processes_new(folder, false);
	user_is(stack, 1, NULL, " u=[0x401104]");
	trapline_processes_close(processes);
	processes = kept;
}

/* This very process, and a function of it. */
static void real_process(void **state)
{
	struct trapline_record record = {
		.tid = (unsigned int)getpid(),
		.time_ns = clock_now_ns(CLOCK_MONOTONIC),
	};
	struct trapline_processes *table = processes_new("/proc", true);
	struct process_place found = { 0 };
	char path[4096] = "";

	(void)state;
	assert_non_null(table);
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	assert_true(processes_find(table, &record, (uintptr_t)real_process + 1,
				   &found));
	assert_string_equal(found.path, path);
	assert_string_equal(found.symbol, "real_process");
	assert_int_equal(found.offset, 1);
	assert_false(processes_find(table, &record, 8, &found));
	/* data is no code */
	assert_false(processes_find(table, &record, (uintptr_t)line, &found));
	trapline_processes_close(table);
}

#define table_test(f) cmocka_unit_test_setup_teardown(f, open_table, close_table)

int main(void)
{
	const struct CMUnitTest tests[] = {
		table_test(kernel_frames),
		table_test(user_frames),
		table_test(names_are_escaped),
		table_test(another_file_of_that_name),
		table_test(no_regular_file),
		table_test(ended_processes),
		table_test(built_again),
		table_test(number_is_used_again),
		table_test(mapped_later),
		table_test(no_table),
		cmocka_unit_test(real_process),
	};

	return cmocka_run_group_tests_name("stack", tests, set_up, tear_down);
}
