// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Stacks as text.
 *
 * The newest frame is where execution is, the others are where it will return
 * to. What a return goes to may be the start of the next function, if the call
 * was the last thing that its function does: it is looked up by the byte before.
 */
#include <inttypes.h>
#include <string.h>

#include "../../uapi/trapline_packet.h"
#include "format_stack.h"
#include "processes.h"
#include "symbols.h"

/* Names of C++ can be longer than anybody wants to read. */
#define NAME_MAX_BYTES 256

static size_t frame_count(const struct field *field,
			  const struct decode_value *value)
{
	return value->length / field->bytes;
}

/* Before the frame number @index. */
static void start_frame(struct text *text, size_t index)
{
	if (index)
		text_add(text, " <- ");
}

/* " NAME=[", or all of it where there is no stack. */
static bool start_stack(struct text *text, const struct field *field,
			const struct decode_value *value)
{
	text_add(text, " %s=", field->name);
	text_add(text, value->status == TL_STATUS_FAULT ? "<fault>" : "[");
	return value->status != TL_STATUS_FAULT;
}

static void end_stack(struct text *text, const struct field *field,
		      const struct decode_value *value)
{
	if (value->status == TL_STATUS_TRUNCATED ||
	    value->status == TL_STATUS_INCOMPLETE) {
		start_frame(text, frame_count(field, value));
		text_add(text, value->status == TL_STATUS_TRUNCATED ?
				       "..." : "<fault>");
	}
	text_bytes(text, "]", 1);
}

/* The symbols at the bottom are offsets of per-CPU variables: no code is there. */
static const struct symbol *find_symbol(const struct trapline_symbols *symbols,
					uint64_t address)
{
	return symbols && address >> 63 ? symbols_by_address(symbols, address) :
					  NULL;
}

static void format_function(struct text *text, const char *name,
			    uint64_t offset, const char *module)
{
	text_add(text, "%s+0x%" PRIx64, name, offset);
	if (module)
		text_add(text, " [%s]", module);
}

/*
 * What has no symbol came after they were read, and its address is not for all
 * who see the output: see the caller of a return in format.c.
 */
static void format_kernel_frame(struct text *text,
				const struct trapline_symbols *symbols,
				const struct trapline_event *event,
				uint64_t address, bool is_newest)
{
	const struct symbol *symbol = find_symbol(symbols, address);

	/* of several names of the place it is the one that was asked for */
	if (is_newest && event->symbol && address == event->address) {
		format_function(text, event->symbol, event->offset,
				event->module);
		return;
	}
	if (symbol && symbol_is_trampoline(symbol, address)) {
		text_add(text, "[unknown/kretprobe'd]");
		return;
	}
	if (!is_newest)
		symbol = find_symbol(symbols, address - 1);
	if (!symbol) {
		text_add(text, "[unknown]");
		return;
	}
	format_function(text, symbol->name, address - symbol->address,
			symbol->module);
}

void format_kernel_stack(struct text *text, const struct field *field,
			 const struct decode_value *value,
			 const struct trapline_record *record,
			 const struct trapline_symbols *symbols)
{
	const struct trapline_event *part = event_part(record->event,
						       record->place);
	size_t i;

	if (!start_stack(text, field, value))
		return;
	for (i = 0; i < frame_count(field, value); i++) {
		start_frame(text, i);
		format_kernel_frame(text, symbols, part,
				    decode_element(field, value, i), !i);
	}
	end_stack(text, field, value);
}

static void format_name(struct text *text, const char *name, size_t length)
{
	escape_text(text, name, length, ESCAPE_FRAME);
}

/* What is mapped at a frame; all of its texts somebody else chose. */
static void format_place(struct text *text, const struct process_place *place)
{
	const size_t path_length = strlen(place->path);
	size_t length;

	if (place->symbol) {
		length = strnlen(place->symbol, NAME_MAX_BYTES);
		format_name(text, place->symbol, length);
		text_add(text, "%s+0x%" PRIx64 " (",
			 place->symbol[length] ? "..." : "", place->offset);
		format_name(text, place->path, path_length);
		text_bytes(text, ")", 1);
	} else if (place->path[0] == '[' && path_length > 2) {
		/* the kernel's own brackets, perhaps with a name in them */
		text_bytes(text, "[", 1);
		format_name(text, place->path + 1, path_length - 2);
		text_add(text, "]+0x%" PRIx64, place->offset);
	} else {
		format_name(text, place->path, path_length);
		text_add(text, "+0x%" PRIx64, place->offset);
	}
}

static void format_user_frame(struct text *text,
			      struct trapline_processes *processes,
			      const struct trapline_record *record,
			      uint64_t address, bool is_newest)
{
	const uint64_t before = is_newest ? 0 : 1;
	struct process_place place;

	if (!processes ||
	    !processes_find(processes, record, address - before, &place)) {
		text_add(text, "0x%" PRIx64, address);
	} else if (!place.path[0]) {
		text_add(text, "0x%" PRIx64 " [anon]", address);
	} else {
		place.offset += before;
		format_place(text, &place);
	}
}

void format_user_stack(struct text *text, const struct field *field,
		       const struct decode_value *value,
		       const struct trapline_record *record,
		       struct trapline_processes *processes)
{
	size_t i;

	if (!start_stack(text, field, value))
		return;
	for (i = 0; i < frame_count(field, value); i++) {
		start_frame(text, i);
		format_user_frame(text, processes, record,
				  decode_element(field, value, i), !i);
	}
	end_stack(text, field, value);
}
