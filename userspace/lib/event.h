/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An event as the library knows it: made by compile.c from a parsed line,
 * handed to the kernel by session.c, used by decode.c and format.c to read
 * the records. The kernel knows only @backend, @address, @maxactive, @insns, and
 * of a tracepoint, in place of an address, @symbol and @module.
 */
#ifndef TRAPLINE_EVENT_H
#define TRAPLINE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "../../uapi/trapline.h"
#include "../../uapi/trapline_prog.h"
#include "trapline.h"

enum field_format {
	FIELD_UNSIGNED,	/* 12 */
	FIELD_SIGNED,	/* -12 */
	FIELD_HEX,	/* 0xc */
	FIELD_STRING,	/* "text" */
	FIELD_CHAR,	/* 'c' */
	FIELD_SYMBOL,	/* vfs_read+0x0/0x1a0 */
	FIELD_SYMSTR,	/* "vfs_read+0x0/0x1a0" */
	FIELD_KSTACK,	/* [vfs_read+0x0 <- ksys_read+0x6b] */
	FIELD_USTACK,	/* [read+0x12 (/lib/libc.so.6) <- main+0x34 (/bin/x)] */
};

/**
 * struct field - one argument of an event
 * @name: as printed before "="
 * @text: the fetch as the kernel lists it, "+0($arg2):string"
 * @format: how to print it
 * @bytes: 1, 2, 4 or 8, of one element of an array; 0 for a string, which is a
 *	u16 length and its bytes
 * @bits: of a bit field, inside of @bytes; 0: it is none
 * @shift: of a bit field: the bits below it
 * @elements: of an array; 0: it is none. One of numbers is a u16 length and the
 *	bytes that could be read; one of strings has a field for each of them. A
 *	stack is an array of addresses, in one piece always.
 * @element: which one of an array of strings
 * @constant: it is not in the record: its value is @value or @string
 * @value: of a constant number
 * @string: of a constant string
 */
struct field {
	char *name;
	char *text;
	enum field_format format;
	unsigned int bytes;
	unsigned int bits;
	unsigned int shift;
	unsigned int elements;
	unsigned int element;
	bool constant;
	uint64_t value;
	char *string;
};

/**
 * struct trapline_event - an event
 *
 * One with several places is as many of these, each with its own number in the
 * kernel and its own program: the first is what others see as the event and
 * owns the rest.
 *
 * @group: "kprobes" by default, of a tracepoint "tracepoints"
 * @name: of the event
 * @line: definition, word for word
 * @note: what to tell the user of it, or NULL
 * @filter: what stands behind its "if", or NULL
 * @backend: TL_BACKEND_*
 * @by: the backend that it was added with
 * @is_call: its records are of whole calls: letter "c"
 * @maxactive: 0: the module's choice
 * @instances: what it chose; 0 before, and where there are none
 * @follows_module: the kernel is told the symbol: armed when its module comes,
 *	again when it comes back
 * @waits: its module was not loaded when the line was parsed
 * @address: armed address; 0 for one in a module that has not come, and for a
 *	tracepoint
 * @symbol: of the function that contains @address; the name of a tracepoint
 * @module: of the symbol; NULL for the kernel itself
 * @offset: @address less the symbol's
 * @symbol_bytes: size of the function; 0: not known before its module comes
 * @place: the place as the kernel lists it, "vfs_read+5" or "ext4:f"; a pattern
 *	or a tracepoint as it was written
 * @written: of several places, the arguments as they were written; NULL: @fields
 *	tell them
 * @insns: the program, its filter first
 * @insn_count: its length, END included
 * @fields: the arguments as the user wrote them. A return event's program
 *	puts the caller (8 bytes) before them; it is not a field.
 * @field_count: how many
 * @id: number in the kernel; -1 before
 * @number: number in the session; -1 before; of the first place only
 * @whole: the first place of the event; NULL: this is it
 * @index: which place of the event, from 0
 * @more: the other places, of the first one; NULL: there are none
 * @more_count: how many
 * @state: of this place
 * @refused: why the kernel did not take this place the last time, or will not take it
 */
struct trapline_event {
	char *group;
	char *name;
	char *line;
	char *note;
	char *filter;
	uint32_t backend;
	uint32_t by;
	bool is_call;
	uint32_t maxactive;
	uint32_t instances;
	bool follows_module;
	bool waits;
	uint64_t address;
	char *symbol;
	char *module;
	uint64_t offset;
	uint64_t symbol_bytes;
	char *place;
	char *written;
	struct tl_insn *insns;
	unsigned int insn_count;
	struct field *fields;
	unsigned int field_count;
	int id;
	int number;
	struct trapline_event *whole;
	unsigned int index;
	struct trapline_event **more;
	unsigned int more_count;
	enum trapline_place_state state;
	struct tl_error refused;
};

/** event_part() - one place of an event, @index from 0 */
const struct trapline_event *event_part(const struct trapline_event *event,
					unsigned int index);

#endif
