/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's types: what functions take and return, where the members of
 * structs are. A thin layer over the BTF of libbpf, which does the reading.
 *
 * BTF is some 6 MB, so it is read when a definition first needs it, once. What
 * is handed out points into it and lives as long as the struct types.
 */
#ifndef TRAPLINE_BTF_H
#define TRAPLINE_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf;
struct types;

/** struct types_ref - a type: its number in a BTF; 0 is void */
struct types_ref {
	const struct btf *btf;
	uint32_t id;
};

enum types_kind {
	TYPES_VOID,
	TYPES_INT,	/* char and bool too */
	TYPES_ENUM,
	TYPES_POINTER,
	TYPES_STRUCT,	/* union too */
	TYPES_ARRAY,
	TYPES_OTHER,	/* float, a function, a struct that is only declared */
};

/**
 * struct types_shape - what a type is, without typedef, const and the like
 * @kind: what
 * @word: for texts: "an integer", "struct"
 * @name: of a struct or an integer; "" for one without
 * @bytes: its size; 0 where it has none
 * @is_signed: of an integer or an enum
 * @ref: itself
 * @inner: what a pointer points to, what an array has
 * @count: elements of an array; 0: as many as there are
 */
struct types_shape {
	enum types_kind kind;
	const char *word;
	const char *name;
	size_t bytes;
	bool is_signed;
	struct types_ref ref;
	struct types_ref inner;
	uint32_t count;
};

/**
 * struct types_member - a member of a struct, also one of its anonymous ones
 * @type: its type
 * @bit_offset: from the start of the struct that was searched
 * @bits: of a bit field; 0: it is none
 */
struct types_member {
	struct types_ref type;
	uint64_t bit_offset;
	unsigned int bits;
};

/**
 * struct types_function - what a function takes and returns
 * @proto: its prototype
 * @result: what it returns
 * @param_count: named ones and others, without "..."
 * @is_variadic: more may follow
 * @first: number of the first one in @proto; those before are not its own
 * @nameless: bits, by the number in @proto: several functions have the name,
 *	and call this parameter differently
 */
struct types_function {
	struct types_ref proto;
	struct types_ref result;
	unsigned int param_count;
	bool is_variadic;
	unsigned int first;
	uint64_t nameless;
};

/** enum types_found - what a look-up by name found */
enum types_found {
	TYPES_NONE,
	TYPES_FOUND,	/* one, or several that are the same */
	TYPES_SEVERAL,	/* several that differ */
};

/**
 * types_new() - nothing is read yet
 * @folder: where the BTF of the kernel ("vmlinux") and of each module is
 *
 * Returns NULL for want of memory.
 */
struct types *types_new(const char *folder);
void types_free(struct types *types);

/**
 * types_load() - read BTF, unless that was done or tried before
 * @types: the types
 * @module: of this module; NULL: of the kernel itself
 * @missing: out: NULL, or a text that says why it cannot be had
 *
 * Returns 0 in both cases, or -ENOMEM. What else is here finds nothing in what
 * was not read.
 */
int types_load(struct types *types, const char *module, const char **missing);

/**
 * types_function() - look up a function
 * @types: the types
 * @module: of this module; NULL: of the kernel itself
 * @name: the function
 * @function: out
 *
 * Nothing of @function is to be used unless it is TYPES_FOUND. Without BTF
 * there is none.
 */
enum types_found types_function(struct types *types, const char *module,
				const char *name,
				struct types_function *function);
/**
 * types_tracepoint() - look up what a tracepoint hands to its probes
 *
 * As types_function(); what it returns is of no meaning.
 */
enum types_found types_tracepoint(struct types *types, const char *module,
				  const char *name,
				  struct types_function *function);
/** types_param() - a parameter, @index from 0; returns its name or "" */
const char *types_param(const struct types_function *function,
			unsigned int index, struct types_ref *type);

/**
 * types_struct() - look up a struct, a union, or a typedef of one, by name
 *
 * In the BTF of @module, if that has it, else in the kernel's. Of several that
 * differ it is the only one that has @member.
 */
enum types_found types_struct(struct types *types, const char *module,
			      const char *name, const char *member,
			      struct types_ref *type);

/**
 * types_same() - are these the same type?
 *
 * By what is seen of them: names, sizes and signs, and the members of structs,
 * not the members of those. They may have two numbers all the same.
 */
bool types_same(struct types_ref one, struct types_ref two);

/** types_look() - what is this type? */
void types_look(struct types_ref ref, struct types_shape *shape);

/** types_member() - find a member of a struct by name */
bool types_member(struct types_ref ref, const char *name,
		  struct types_member *member);

/**
 * types_each_member() - call @each with each member's name
 *
 * Members of anonymous members are members.
 */
void types_each_member(struct types_ref ref,
		       void (*each)(const char *name, void *data), void *data);

#endif
