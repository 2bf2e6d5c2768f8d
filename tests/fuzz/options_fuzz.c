// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any words as options of `trapline live` and words of `trapline help`. Nothing
 * is traced, read or written: the linker puts the functions below between
 * (--wrap, see the Makefile).
 *
 * Input: words, each with a NUL behind it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../userspace/cli/cli.h"
#include "../../userspace/cli/live.h"
#include "input.h"
#include "stream.h"

#define WORDS 16

int __wrap_live_open_output(struct live *live);
int __wrap_live_prepare(struct live *live);
void __wrap_signals_catch_snapshots(void);
int __wrap_definitions_add_file(struct definitions *defs, const char *path);

/* What the run would have been. */
static struct {
	bool prepared;
	unsigned int packet_bytes;
	unsigned int packet_count;
} seen;

int __wrap_live_open_output(struct live *live)
{
	live->output = live->output_name ? fmemopen(NULL, 16, "w") : stdout;
	assert_non_null(live->output);
	return 0;
}

void __wrap_signals_catch_snapshots(void)
{
}

int __wrap_definitions_add_file(struct definitions *defs, const char *path)
{
	if (!path[0])
		return -1;
	definitions_add(defs, path);
	return 0;
}

int __wrap_live_prepare(struct live *live)
{
	assert_true(live->defs.count > 0);
	assert_non_null(live->output);
	seen.prepared = true;
	seen.packet_bytes = live->opts.packet_bytes;
	seen.packet_count = live->opts.packet_count;
	return -1;
}

/* 0, the default, or a power of two in the range. */
static void check_power(unsigned int value, unsigned int min, unsigned int max)
{
	if (!value)
		return;
	assert_int_equal(value & (value - 1), 0);
	assert_in_range(value, min, max);
}

/* The value of "-b N" alone, as somebody reads it who has more bits. */
static void check_value(const char *word, unsigned int bytes)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(word, &end, 0);
	assert_int_equal(errno, 0);
	assert_true(value <= UINT32_MAX);
	if (*end == 'k' || *end == 'K')
		value *= 1024;
	else if (*end)
		value *= 1024 * 1024;
	assert_true(strlen(end) <= 1);
	assert_int_equal(value, bytes);
}

static int call(const struct command *command, char **argv, int argc)
{
	struct stream stream = { 0 };
	int status;

	memset(&seen, 0, sizeof(seen));
	optind = 0; /* from the beginning */
	stream_catch(&stream);
	status = command->run(command, argc, argv);
	stream_release(&stream);
	assert_in_range(status, EXIT_GOOD, EXIT_USAGE);
	/* something is said of all but a run */
	assert_true(seen.prepared || stream.length || status == EXIT_FAILED);
	assert_true(!seen.prepared || status == EXIT_FAILED);
	free(stream.text);
	return status;
}

static int cut_words(char *words, size_t size, char **argv)
{
	char *end = words + size;
	int argc = 1;

	argv[0] = (char *)"live";
	for (; words < end && argc < WORDS; words += strlen(words) + 1)
		argv[argc++] = words;
	argv[argc] = NULL;
	return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct input in = { bytes, size };
	char *words = input_copy(&in), *again = input_copy(&in);
	char *argv[WORDS + 1], *alone[] = {
		(char *)"live", (char *)"-e", (char *)"p x", (char *)"-b", NULL,
		NULL,
	};
	int argc = cut_words(words, size, argv);

	call(&command_live, argv, argc);
	check_power(seen.packet_bytes, 4096, 4 << 20);
	check_power(seen.packet_count, 2, 4096);
	argc = cut_words(again, size, argv);
	call(&command_help, argv, argc);
	if (argc > 1) {
		alone[4] = argv[1];
		call(&command_live, alone, 5);
		if (seen.prepared)
			check_value(argv[1], seen.packet_bytes);
	}
	free(again);
	free(words);
	return 0;
}
