// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the corpus is grown from (see grow), made by the real thing: the lines of
 * tests/unit/definitions.txt, the programs that they compile to, packets that
 * the module's ring has written, the symbols of kallsyms.txt.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../../userspace/lib/event.h"
#include "../unit/elf_world.h"
#include "../unit/prog_world.h"
#include "../unit/ring_world.h"
#include "../unit/symbols_world.h"
#include "events.h"
#include "input.h"

#define LINES_OF_FILE 12
#define RECORDS 24

/* What merge_fuzz.c takes for its operations. */
#define MERGE_ROUND "\x00\x05"
#define MERGE_BYTES 2

/* What goes to keep/TARGET stays in the corpus whatever it reaches. */
static const char *folder;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	(void)bytes;
	(void)size;
	return 0;
}

/* A file FOLDER/TARGET/NUMBER of two parts. */
static void put(const char *target, const void *head, size_t head_size,
		const void *bytes, size_t size)
{
	static unsigned int number;
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, target);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/%s/%04u", folder, target, number++);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(head, 1, head_size, file), head_size);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void put_text(const char *target, const char *text)
{
	put(target, "", 0, text, strlen(text));
}

/* The program of a line that is one, for returns and entries. */
static void put_program(const char *line)
{
	struct trapline_event *event;
	char head[12] = { 0 };

	if (trapline_event_parse(line, symbols, &event, NULL) || !event)
		return;
	head[0] = event->backend == TL_BACKEND_KRETPROBE ? 1 :
		  event->backend == TL_BACKEND_TRACEPOINT ? 2 : 0;
	put("prog", head, sizeof(head), event->insns,
	    event->insn_count * sizeof(event->insns[0]));
	memset(head + 4, 0x55, 8);
	put("prog", head, sizeof(head), event->insns,
	    event->insn_count * sizeof(event->insns[0]));
	trapline_event_free(event);
}

static void put_definitions(void)
{
	FILE *file = fopen(TEST_DATA "/definitions.txt", "r");
	char line[4096], part[LINES_OF_FILE * sizeof(line)] = "";
	unsigned int count = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (strchr(";\t", line[0]))
			continue;
		strcat(part, line);
		if (++count % LINES_OF_FILE == 0) {
			put_text("file", part);
			part[0] = '\0';
		}
		line[strcspn(line, "\n")] = '\0';
		put_text("line", line);
		put_program(line);
	}
	fclose(file);
}

/*
 * The longest chain of reads that there may be, and one read more. Kept: what
 * is one step from a limit reaches nothing that other inputs do not.
 */
static void put_chains(void)
{
	char line[1024];
	int depth, i;

	for (depth = 64; depth <= 65; depth++) {
		strcpy(line, "p:t vfs_read ");
		for (i = 0; i < depth; i++)
			strcat(line, "+0(");
		strcat(line, "@jiffies");
		for (i = 0; i < depth; i++)
			strcat(line, ")");
		strcat(line, ":ustring");
		put_text("keep/line", line);
		put_program(line);
	}
}

/* As many arguments as there may be, and one more. */
static void put_arguments(void)
{
	char line[2048];
	int count, i;

	for (count = 128; count <= 129; count++) {
		strcpy(line, "r:t vfs_read");
		for (i = 0; i < count; i++)
			strcat(line, " %di:u8");
		put_text("line", line);
		put_program(line);
	}
}

/* A hit of an event, as hit.c records it. */
static void hit(const struct trapline_event *event, u64 faults)
{
	static u8 payload[TL_RECORD_BYTES_MAX];
	static u32 accesses;
	struct tl_source src = {
		.comm = "a\tcomm \xc3\xa4", .accesses = &accesses,
		.faults = faults,
	};
	u8 statuses[TL_ARGS_MAX];
	struct tl_marks marks = { 0 };
	struct tl_slice slice;
	struct tl_prog prog;
	u32 i, bytes, bad, puts;
	u8 *at;

	for (i = 0; i < SOURCE_REGS; i++)
		src.regs[i] = (i == 12 ? SOURCE_USER : SOURCE_KERNEL) + 4 * i;
	for (i = 0; i < SOURCE_MEMORY; i++)
		src.memory[i] = (u8)(i % 13 ? 0x20 + i : 0);
	assert_int_equal(verify(&prog, event->insns, event->insn_count,
				event->backend == TL_BACKEND_KRETPROBE, &bad),
			 TL_ERR_NONE);
	accesses = 0;
	bytes = tl_prog_run(&prog, &src, payload, statuses, &marks);
	puts = marks.counted ? prog.put_count : 0;
	if (tl_ring_reserve(&world.ring, bytes + puts, (u32)event->id,
			    &slice) == TL_RECORDED) {
		at = tl_record_store(&world.ring, &slice, (u32)event->id,
				     puts ? TL_CTX_EXCEPTIONAL : 0, 77);
		memcpy(at, statuses, puts);
		memcpy(at + puts, payload, bytes);
		tl_ring_commit(&world.ring, &slice);
	}
	free(prog.insns);
}

/* A packet as it is, without the rest of the page, and one for the merge. */
static void put_packet(const u8 *packet)
{
	struct tl_packet_header header;
	char head[3] = { MERGE_BYTES };
	u8 copy[4096];
	u16 size;

	memcpy(&header, packet, sizeof(header));
	size = (u16)(header.content_bits / 8);
	assert_true(size <= sizeof(copy));
	header.packet_bits = header.content_bits;
	memcpy(copy, packet, size);
	memcpy(copy, &header, sizeof(header));
	put("packet", "", 0, copy, size);
	header.cpu = 0;
	memset(header.uuid, 0x5a, sizeof(header.uuid));
	memcpy(copy, &header, sizeof(header));
	memcpy(head + 1, &size, sizeof(size));
	put("merge", head, sizeof(head), copy, size);
}

/* All events, one after the other, with more and more faults. */
/* A file with a few functions. */
static void put_image(unsigned int section)
{
	static const struct elf_symbol functions[] = {
		{ "first", 0, 0x10, STB_LOCAL, STT_FUNC },
		{ "__second", 0x100, 0, STB_GLOBAL, STT_FUNC },
		{ "second", 0x100, 0x40, STB_WEAK, STT_GNU_IFUNC },
		{ NULL, 0, 0, 0, 0 },
	};
	unsigned char bytes[ELF_WORLD_BYTES];

	elf_build(bytes, section, functions);
	put("image", "", 0, bytes, sizeof(bytes));
}

static void put_packets(bool wild)
{
	const struct world_config config = {
		.packet_shift = 9, .count_shift = 4, .wild = wild,
	};
	const struct decode_events *table = events_make();
	struct tl_packet_view view;
	u32 i;

	world_make(&config);
	for (i = 0; i < RECORDS; i++) {
		hit(events[i % EVENT_COUNT], i > 2 * EVENT_COUNT ? i : 0);
		hit(table->layouts[EVENT_HIGH].event, 0);
	}
	world_flush();
	while (!tl_ring_take(&world.ring, &world.reader, &view))
		put_packet(tl_ring_buffer(&world.ring, view.buffer));
	world_free();
}

static void put_symbols(void)
{
	FILE *file = fopen(TEST_DATA "/kallsyms.txt", "r");
	char text[4096];
	size_t size, from;

	assert_non_null(file);
	size = fread(text, 1, sizeof(text), file);
	fclose(file);
	for (from = 0; from < size; from += size / 4)
		put("symbols", "", 0, text + from, size / 4 + 7);
	put("symbols", "", 0, text, size);
	put_text("symbols", "0000000000000000 T hidden\n");
	put_text("symbols", "fffffffffffff000 T last\t[module]");
}

/* Words for the command; ";" is the NUL behind each. */
static void put_words(const char *target, const char *words)
{
	char copy[256];
	size_t i;

	snprintf(copy, sizeof(copy), "%s", words);
	for (i = 0; i < strlen(words); i++)
		if (copy[i] == ';')
			copy[i] = '\0';
	put(target, "", 0, copy, strlen(words));
}

static void put_rest(void)
{
	static const char *const words[] = {
		"-e;p vfs_read;--;ls;", "4M;-n;16;-w;", "--bytes=64k;-o;file;",
		"live;", "liv;", "--nano;-f;probes;true;", "0x1000;", "--evnt;",
		"-h;", "-b;4096;-n;4096;-ep x;",
	};
	static const char *const comms[] = {
		"kworker/0:1-events", "kworker/R-slub_-slub_flushwq",
		"a name that is far too long", "cat", "kworker/u8:2+flush",
		"kworker/R-rcu_gp",
	};
	static const char rounds[] = "\x01\x02\x03\x00\x00\x02\x04\x05\x06"
		MERGE_ROUND "\x09\x01\x07\x02\x01\x00\x04" MERGE_ROUND
		"\x03\x11\x02\x00\x00\x00\x01\x01\x01\x05\x0c" MERGE_ROUND
		"\x06\x07\x00\x01";
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		put_words("options", words[i]);
	put_words("keep/options", "4096M;");
	for (i = 0; i < sizeof(comms) / sizeof(comms[0]); i++)
		put("comm", "\x01\x02\x00", 3, comms[i], strlen(comms[i]));
	put("merge", "", 0, rounds, sizeof(rounds) - 1);
}

int main(int argc, char **argv)
{
	char keep[4096];

	if (argc != 2) {
		fputs("usage: seed FOLDER\n", stderr);
		return 2;
	}
	LLVMFuzzerInitialize(&argc, &argv);
	folder = argv[1];
	snprintf(keep, sizeof(keep), "%s/keep", folder);
	mkdir(folder, 0777);
	mkdir(keep, 0777);
	put_definitions();
	put_chains();
	put_arguments();
	put_image(SHT_SYMTAB);
	put_image(SHT_DYNSYM);
	put_packets(false);
	put_packets(true);
	put_symbols();
	put_rest();
	trapline_symbols_free(symbols);
	return 0;
}
