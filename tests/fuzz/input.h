/* SPDX-License-Identifier: GPL-2.0-only */
/* The fuzzer's bytes as numbers and parts. */
#ifndef TRAPLINE_FUZZ_INPUT_H
#define TRAPLINE_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct input - what is left of the bytes
 * @at: the next one
 * @left: how many
 */
struct input {
	const uint8_t *at;
	size_t left;
};

/** input_number() - the next @bytes, little endian; zeros behind the end */
uint64_t input_number(struct input *in, unsigned int bytes);

/** input_part() - the next @bytes as they are, or as many as there are */
struct input input_part(struct input *in, size_t bytes);

/** input_copy() - what is left, with a NUL behind, on a heap of that size */
char *input_copy(const struct input *in);

/** input_file() - a file of these bytes, for what takes a path; the same one
 * each time
 */
const char *input_file(const uint8_t *bytes, size_t size);

/* What libFuzzer calls; each target has the second one. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif
