// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From the tree of a definition to an event and its program: the instructions
 * of all arguments (compile_arg.c), one after the other.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../uapi/trapline.h"
#include "../../uapi/trapline_packet.h"
#include "compiler.h"
#include "filter.h"

enum {
	STRING_MAX = 4096,	/* as long as the kernel's own probes */
	STRING_MIN = 16,	/* less is of no use to anybody */
	COMM_BYTES = 15,	/* the longest name of a task */
	LENGTH_BYTES = 2,	/* what a string has before its bytes */
};

/* ---- instructions ----------------------------------------------------- */

int compiler_emit(struct compiler *c, uint32_t op, uint32_t arg, uint64_t imm)
{
	struct trapline_event *event = c->event;
	struct tl_insn *insns = event->insns;

	if (event->insn_count == TL_PROG_INSNS_MAX - (op != TL_OP_END)) {
		error_set(c->err, ERR_PROGRAM_LONG, c->arg->where.column,
			  c->arg->where.length, TL_PROG_INSNS_MAX);
		return -EINVAL;
	}
	if (event->insn_count == c->room) {
		c->room = c->room ? c->room * 2 : 16;
		insns = realloc(insns, c->room * sizeof(*insns));
		if (!insns)
			return spec_no_memory(c->err);
		event->insns = insns;
	}
	insns[event->insn_count++] = (struct tl_insn){
		.op = op, .arg = arg, .imm = imm,
	};
	return 0;
}

/* ---- the whole -------------------------------------------------------- */

/* What a put appends without the bytes of a string, its status included. */
static uint32_t put_bytes(const struct tl_insn *insn)
{
	const uint32_t size = insn->arg & ~TL_ARG_USER;

	switch (insn->op) {
	case TL_OP_PUT:
	case TL_OP_PUT_REG:
		return 1 + size;
	case TL_OP_PUT_BYTES:
		return 1 + LENGTH_BYTES + size;
	case TL_OP_PUT_STACK:
		return 1 + LENGTH_BYTES + size * (uint32_t)sizeof(uint64_t);
	case TL_OP_PUT_COMM:
		return 1 + LENGTH_BYTES + COMM_BYTES;
	}
	return 1 + LENGTH_BYTES;
}

/*
 * Give all strings the same longest length, so that the longest record is
 * still one that the kernel takes.
 */
static int fit_strings(struct compiler *c)
{
	const uint32_t room = TL_RECORD_BYTES_MAX -
			      sizeof(struct tl_record_extended);
	struct trapline_event *event = c->event;
	const struct spec_slice *first, *last;
	uint32_t bytes = 0, strings = 0, max;
	unsigned int i;

	for (i = 0; i < event->insn_count; i++) {
		const struct tl_insn *insn = &event->insns[i];

		if (!TL_OP_IS_PUT(insn->op))
			continue;
		bytes += put_bytes(insn);
		strings += insn->op == TL_OP_PUT_STRING;
	}
	if (bytes + strings * STRING_MIN > room) {
		first = &c->spec->args[0].where;
		last = &c->spec->args[c->spec->arg_count - 1].where;
		error_set(c->err, ERR_RECORD_LONG, first->column,
			  last->column + last->length - first->column, bytes,
			  room);
		return -EINVAL;
	}
	if (!strings)
		return 0;
	max = (room - bytes) / strings;
	if (max > STRING_MAX)
		max = STRING_MAX;
	for (i = 0; i < event->insn_count; i++)
		if (event->insns[i].op == TL_OP_PUT_STRING)
			event->insns[i].arg |= max;
	return 0;
}

static int alloc_fields(struct compiler *c)
{
	const struct spec *spec = c->spec;
	unsigned int count = 0, i;

	for (i = 0; i < spec->arg_count; i++) {
		const struct spec_slice *where = &spec->args[i].where;

		count += compile_fields(&spec->args[i]);
		if (count <= SPEC_ARGS_MAX)
			continue;
		error_set(c->err, ERR_STRINGS_MANY, where->column,
			  where->length, SPEC_ARGS_MAX);
		return -EINVAL;
	}
	if (!count)
		return 0;
	c->event->fields = calloc(count, sizeof(c->event->fields[0]));
	return c->event->fields ? 0 : spec_no_memory(c->err);
}

static int compile_filter(struct compiler *c)
{
	const struct filter *filter = c->spec->filter;

	if (!filter)
		return 0;
	c->event->filter = strndup(filter->where.text,
				   (size_t)filter->where.length);
	if (!c->event->filter)
		return spec_no_memory(c->err);
	return filter_compile(filter, c->event, true, c->err);
}

static int compile_program(struct compiler *c)
{
	const struct spec *spec = c->spec;
	struct trapline_event *event = c->event;
	unsigned int i;
	int ret = alloc_fields(c);

	if (!ret && spec->kind == SPEC_RETURN) {
		ret = compiler_emit(c, TL_OP_CALLER, 0, 0);
		if (!ret)
			ret = compiler_emit(c, TL_OP_PUT, 8, 0);
	}
	for (i = 0; !ret && i < spec->arg_count; i++) {
		struct field *fields = &event->fields[event->field_count];

		c->arg = &spec->args[i];
		event->field_count += compile_fields(c->arg);
		ret = compile_arg(c, fields);
	}
	if (!ret)
		ret = compiler_emit(c, TL_OP_END, 0, 0);
	if (!ret)
		ret = fit_strings(c);
	return ret ? ret : compile_filter(c);
}

/* Of a tracepoint its name; a pattern is told from those of other subsystems. */
static void name_tracepoint(const struct spec_place *place, char *name,
			    size_t size)
{
	const struct spec_slice *owner = place->module.length ?
						 &place->module :
						 &place->subsystem;
	const int length = place->is_pattern ? owner->length : 0;

	/* 9p: a subsystem, but no name */
	snprintf(name, size, "%s%.*s%s%.*s",
		 length && spec_is_digit(owner->text[0]) ? "_" : "", length,
		 length ? owner->text : "", length ? "_" : "",
		 place->symbol.length, place->symbol.text);
}

/* The name of an event that was given none, as the kernel makes it. */
static char *automatic_name(const struct spec *spec)
{
	const struct spec_place *place = &spec->place;
	const char letter = spec->is_call ? 'c' :
			    spec->kind == SPEC_RETURN ? 'r' : 'p';
	const bool module = place->module.length;
	char name[SPEC_NAME_MAX + 1];
	char *at;

	if (spec->kind == SPEC_TRACEPOINT)
		name_tracepoint(place, name, sizeof(name));
	else if (place->is_address)
		snprintf(name, sizeof(name), "%c_0x%llx", letter,
			 (unsigned long long)place->address);
	else
		snprintf(name, sizeof(name), "%c_%.*s%s%.*s_%llu", letter,
			 place->module.length,
			 module ? place->module.text : "", module ? "_" : "",
			 place->symbol.length, place->symbol.text,
			 (unsigned long long)place->offset);
	for (at = name; *at; at++)
		if (!spec_is_alnum(*at))
			*at = '_';
	return strdup(name);
}

static char *name_of(const struct spec_slice *slice)
{
	return strndup(slice->text, (size_t)slice->length);
}

static int fill_event(struct compiler *c)
{
	static const uint32_t backend_of[] = {
		[SPEC_ENTRY] = TL_BACKEND_KPROBE,
		[SPEC_RETURN] = TL_BACKEND_KRETPROBE,
		[SPEC_TRACEPOINT] = TL_BACKEND_TRACEPOINT,
	};
	const struct spec *spec = c->spec;
	struct trapline_event *event = c->event;
	int ret;

	event->id = -1;
	event->number = -1;
	event->backend = backend_of[spec->kind];
	event->is_call = spec->is_call;
	event->maxactive = spec->maxactive;
	event->line = strdup(spec->line);
	event->group = spec->group.length ? name_of(&spec->group) :
					    strdup(spec->kind == SPEC_TRACEPOINT ?
						   "tracepoints" : "kprobes");
	event->name = spec->event.length ? name_of(&spec->event) :
					   automatic_name(spec);
	if (!event->line || !event->group || !event->name)
		return spec_no_memory(c->err);
	ret = resolve_place(spec, c->symbols, c->at, event, c->err);
	if (!ret)
		ret = compile_added(c);
	if (!ret)
		ret = compile_names(c);
	if (!ret)
		ret = compile_paths(c);
	if (!ret)
		ret = compile_program(c);
	return ret ? ret : compile_note(c);
}

int compile_event(struct spec *spec,
		  const struct trapline_symbols *symbols,
		  const struct symbol *at, struct trapline_event **out,
		  struct trapline_error *err)
{
	struct compiler c = {
		.spec = spec, .symbols = symbols, .at = at, .err = err,
	};
	int ret;

	*out = NULL;
	c.event = calloc(1, sizeof(*c.event));
	if (!c.event)
		return spec_no_memory(err);
	ret = fill_event(&c);
	if (ret)
		trapline_event_free(c.event);
	else
		*out = c.event;
	return ret;
}
