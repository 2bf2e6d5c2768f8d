/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The way along a path, for compile_path.c: what each step leads to, and which
 * addresses are read on the way.
 */
#ifndef TRAPLINE_COMPILE_WALK_H
#define TRAPLINE_COMPILE_WALK_H

#include "compiler.h"

/**
 * struct value - what a fetch gives
 * @known: its type is
 * @points: it is the address of a @type; else it is a @type
 * @in_memory: it is read from memory
 * @type: see @points
 * @bits: of a bit field; 0: it is none
 * @shift: of a bit field: the bits below it, in what is read
 * @unit: of a bit field: the bytes that are read
 */
struct value {
	bool known;
	bool points;
	bool in_memory;
	struct types_ref type;
	unsigned int bits;
	unsigned int shift;
	unsigned int unit;
};

/**
 * struct walk - on the way along a path
 * @c: the compiler
 * @done: the path so far, for texts
 * @at: what it leads to so far
 * @offset: of that, from the last address
 * @bit: of a bit field in the byte at @offset
 * @reads: offsets of the addresses that were read on the way
 * @read_count: how many
 */
struct walk {
	struct compiler *c;
	struct spec_slice done;
	struct value at;
	uint64_t offset;
	unsigned int bit;
	uint64_t reads[SPEC_DEREF_MAX + 1];
	unsigned int read_count;
};

/** walk_describe() - "struct file", "an integer (int)", "a pointer"; @buf */
const char *walk_describe(struct types_ref type, char *buf, size_t size);

/** walk_step() - take a step */
int walk_step(struct walk *w, const struct spec_step *step);

/**
 * walk_struct() - look up a struct by name
 * @c: the compiler
 * @slice: what needs it, and is refused
 * @name: of the struct
 * @member: that is wanted of it, and tells structs of one name apart
 * @type: out
 */
int walk_struct(struct compiler *c, const struct spec_slice *slice,
		const char *name, struct spec_slice member,
		struct types_ref *type);
/** walk_offset() - the offset of a member of a member: "f_path.dentry" */
int walk_offset(struct compiler *c, struct types_ref type,
		struct spec_slice path, uint64_t *offset);

#endif
