// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A record as the line that ftrace prints, to the byte where trapline knows
 * what ftrace knows, so that scripts written for its output keep working.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../uapi/trapline.h"
#include "../../uapi/trapline_packet.h"
#include "decode.h"
#include "format_stack.h"
#include "symbols.h"
#include "text.h"

#define NSEC_PER_SEC UINT64_C(1000000000)
#define USEC_PER_SEC UINT64_C(1000000)
#define UNKNOWN_TASK "?"
/* the longest name of a task, each byte escaped */
#define NAME_BUF (4 * 16 + 1)

static void format_task(struct text *text,
			const struct trapline_record *record,
			struct trapline_names *names)
{
	const char *name = UNKNOWN_TASK;
	char buf[NAME_BUF];
	struct text escaped;

	if (!record->tid)
		name = "<idle>";
	else if (names)
		name = trapline_names_get(names, record->tid);
	text_start(&escaped, buf, sizeof(buf));
	escape_text(&escaped, name, strlen(name), ESCAPE_PLAIN);
	text_add(text, "%16s-%-7u ", buf, record->tid);
}

/* The column of the context; of the others trapline knows nothing. */
static char context_letter(enum trapline_context context)
{
	switch (context) {
	case TRAPLINE_SOFTIRQ:
		return 's';
	case TRAPLINE_HARDIRQ:
		return 'h';
	case TRAPLINE_NMI:
		return 'z';
	case TRAPLINE_TASK:
		break;
	}
	return '.';
}

static void format_time(struct text *text, uint64_t time_ns, bool nanoseconds)
{
	uint64_t us;

	if (nanoseconds) {
		text_add(text, " %5" PRIu64 ".%09" PRIu64 ": ",
			 time_ns / NSEC_PER_SEC, time_ns % NSEC_PER_SEC);
		return;
	}
	/* the kernel's ns2usecs() rounds */
	us = (time_ns + 500) / 1000;
	text_add(text, " %5" PRIu64 ".%06" PRIu64 ": ", us / USEC_PER_SEC,
		 us % USEC_PER_SEC);
}

/* The kernel's %pS. */
static void format_place(struct text *text, const char *symbol,
			 const char *module, uint64_t offset, uint64_t bytes)
{
	text_add(text, "%s+0x%" PRIx64 "/0x%" PRIx64, symbol, offset, bytes);
	if (module)
		text_add(text, " [%s]", module);
}

/*
 * What has no symbol came after they were read, and with it an address that its
 * reader may not be meant to see: he can fetch it, as data, if he is.
 */
static void format_caller(struct text *text,
			  const struct trapline_symbols *symbols,
			  uint64_t address)
{
	const struct symbol *symbol =
		symbols ? symbols_by_address(symbols, address) : NULL;

	if (!address)
		text_add(text, "0");
	else if (!symbol)
		text_add(text, "[unknown]");
	else if (symbol_is_trampoline(symbol, address))
		/* the caller itself was a tail call or probed */
		text_add(text, "[unknown/kretprobe'd]");
	else
		format_place(text, symbol->name, symbol->module,
			     address - symbol->address, symbol->bytes);
}

static int format_where(struct text *text, struct decode_args *args,
			const struct trapline_symbols *symbols)
{
	const struct trapline_event *event = event_part(args->record->event,
							args->record->place);
	struct decode_value caller;

	if (event->backend == TL_BACKEND_KRETPROBE) {
		if (decode_args_caller(args, &caller) < 0)
			return -EBADMSG;
		if (caller.status == TL_STATUS_FAULT)
			text_add(text, "<fault>");
		else
			format_caller(text, symbols, caller.number);
		text_add(text, " <- %s", event->symbol ? event->symbol : "?");
	} else if (event->backend == TL_BACKEND_TRACEPOINT) {
		/* it is no place in code: ftrace shows a function of the same name */
		text_add(text, event->module ? "%s [%s]" : "%s", event->symbol,
			 event->module);
	} else if (event->symbol) {
		format_place(text, event->symbol, event->module, event->offset,
			     event->symbol_bytes);
	} else {
		text_add(text, "0x%" PRIx64, event->address);
	}
	return 0;
}

static void format_string(struct text *text, const struct decode_value *value)
{
	text_bytes(text, "\"", 1);
	escape_text(text, value->string, value->length, ESCAPE_QUOTED);
	text_bytes(text, "\"", 1);
	if (value->status == TL_STATUS_TRUNCATED)
		text_add(text, "...");
	else if (value->status == TL_STATUS_INCOMPLETE)
		text_add(text, "<fault>");
}

/*
 * As %pS does: a number where nothing is known of it. The symbols at the bottom
 * are offsets of per-CPU variables, which no address means.
 */
static void format_symbol(struct text *text,
			  const struct trapline_symbols *symbols,
			  uint64_t address)
{
	const struct symbol *symbol =
		symbols ? symbols_by_address(symbols, address) : NULL;

	if (symbol && address >> 63)
		format_place(text, symbol->name, symbol->module,
			     address - symbol->address, symbol->bytes);
	else
		text_add(text, "0x%" PRIx64, address);
}

static void format_char(struct text *text, uint64_t number)
{
	const char c = (char)number;

	text_bytes(text, "'", 1);
	escape_text(text, &c, 1, ESCAPE_CHARACTER);
	text_bytes(text, "'", 1);
}

static void format_number(struct text *text, const struct field *field,
			  const struct trapline_symbols *symbols,
			  uint64_t number)
{
	unsigned int unused = 64 - (field->bits ? field->bits :
						  8 * field->bytes);

	/* a constant may have more bits than its type */
	number = number >> field->shift << unused;
	switch (field->format) {
	case FIELD_SIGNED:
		text_add(text, "%" PRId64, (int64_t)number >> unused);
		break;
	case FIELD_HEX:
		text_add(text, "0x%" PRIx64, number >> unused);
		break;
	case FIELD_CHAR:
		format_char(text, number >> unused);
		break;
	case FIELD_SYMBOL:
		format_symbol(text, symbols, number);
		break;
	case FIELD_SYMSTR:
		text_bytes(text, "\"", 1);
		format_symbol(text, symbols, number);
		text_bytes(text, "\"", 1);
		break;
	default:
		text_add(text, "%" PRIu64, number >> unused);
	}
}

/* What could be read of an array, and that there was more. */
static void format_array(struct text *text, const struct field *field,
			 const struct trapline_symbols *symbols,
			 const struct decode_value *value)
{
	const size_t count = value->length / field->bytes;
	size_t i;

	text_bytes(text, "{", 1);
	for (i = 0; i < count; i++) {
		if (i)
			text_bytes(text, ",", 1);
		format_number(text, field, symbols,
			      decode_element(field, value, i));
	}
	if (value->status == TL_STATUS_INCOMPLETE)
		text_add(text, "%s<fault>", count ? "," : "");
	else if (value->status == TL_STATUS_TRUNCATED)
		text_add(text, ",...");
	text_bytes(text, "}", 1);
}

static void format_value(struct text *text, const struct field *field,
			 const struct trapline_symbols *symbols,
			 const struct decode_value *value)
{
	if (value->status == TL_STATUS_FAULT)
		text_add(text, "<fault>");
	else if (field->format == FIELD_STRING)
		format_string(text, value);
	else if (field->elements)
		format_array(text, field, symbols, value);
	else
		format_number(text, field, symbols, value->number);
}

static void format_field(struct text *text, const struct field *field,
			 const struct trapline_symbols *symbols,
			 const struct decode_value *value)
{
	const bool strings = field->elements && field->format == FIELD_STRING;

	if (!field->element)
		text_add(text, " %s=%s", field->name, strings ? "{" : "");
	else
		text_bytes(text, ",", 1);
	format_value(text, field, symbols, value);
	if (strings && field->element + 1 == field->elements)
		text_bytes(text, "}", 1);
}

/* A caller's struct may be older and so shorter than ours. */
static struct trapline_processes *
processes_of(const struct trapline_format_opts *opts)
{
	return opts && opts->size >= sizeof(*opts) ? opts->processes : NULL;
}

int trapline_format_record(const struct trapline_record *record,
			   const struct trapline_symbols *symbols,
			   struct trapline_names *names,
			   const struct trapline_format_opts *opts, char *buf,
			   size_t size)
{
	const struct field *field;
	struct decode_value value;
	struct decode_args args;
	struct text text;
	int rc;

	text_start(&text, buf, size);
	format_task(&text, record, names);
	text_add(&text, "[%03u] ..%c..", record->cpu,
		 context_letter(record->context));
	format_time(&text, record->time_ns, opts && opts->nanoseconds);
	text_add(&text, "%s: (", record->event->name);
	decode_args_start(&args, record);
	if (format_where(&text, &args, symbols))
		return -EBADMSG;
	text_add(&text, ")");
	while ((rc = decode_args_next(&args, &field, &value)) > 0)
		if (field->format == FIELD_USTACK)
			format_user_stack(&text, field, &value, record,
					  processes_of(opts));
		else if (field->format == FIELD_KSTACK)
			format_kernel_stack(&text, field, &value, record,
					    symbols);
		else
			format_field(&text, field, symbols, &value);
	return rc < 0 ? rc : (int)text.length;
}
