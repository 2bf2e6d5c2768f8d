// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From the tree of a definition to an event and its program.
 *
 * Each argument compiles to a run of instructions: a load of its base, a read
 * for each step of memory, from the inside out, and a put. A bare register is
 * one instruction, a constant none: its value is in the event, not in the
 * records.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../uapi/trapline.h"
#include "../../uapi/trapline_packet.h"
#include "compile.h"
#include "regs.h"

enum {
	STRING_MAX = 4096,	/* as long as the kernel's own probes */
	COMM_BYTES = 15,	/* the longest name of a task */
	LENGTH_BYTES = 2,	/* what a string has before its bytes */
};

/**
 * struct compiler - what compiling an event needs
 * @spec: the definition
 * @symbols: the kernel's symbols
 * @event: what becomes of it
 * @err: why it does not
 * @arg: the argument that is being compiled, or NULL
 * @room: instructions allocated
 */
struct compiler {
	const struct spec *spec;
	const struct trapline_symbols *symbols;
	struct trapline_event *event;
	struct trapline_error *err;
	const struct spec_arg *arg;
	unsigned int room;
};

/**
 * struct read - one read of memory
 * @displacement: added to the address
 * @user: from user memory
 */
struct read {
	uint64_t displacement;
	bool user;
};

/* ---- instructions ----------------------------------------------------- */

static int emit(struct compiler *c, uint32_t op, uint32_t arg, uint64_t imm)
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

/* ---- what may be combined --------------------------------------------- */

static bool is_text(const struct spec_fetch *fetch)
{
	return fetch->kind == SPEC_COMM || fetch->kind == SPEC_TEXT;
}

static bool is_memory(const struct spec_fetch *fetch)
{
	return fetch->kind == SPEC_DEREF || fetch->kind == SPEC_ADDRESS ||
	       fetch->kind == SPEC_SYMBOL;
}

static int refuse_value(struct compiler *c, const struct spec_type *type)
{
	const struct spec_slice *fetch = &c->arg->fetch->where;

	error_set(c->err, ERR_NEEDS_MEMORY, type->where.column,
		  type->where.length, spec_shown(&type->where),
		  type->where.text, spec_shown(fetch), fetch->text);
	error_hint(c->err, "if it is an address, read there: +0(%.*s):%.*s",
		   spec_shown(fetch), fetch->text, spec_shown(&type->where),
		   type->where.text);
	return -EINVAL;
}

static int check_type(struct compiler *c, const struct spec_type *type)
{
	const struct spec_fetch *fetch = c->arg->fetch;
	const bool string = type->format == FIELD_STRING;

	if (is_text(fetch)) {
		if (!type->where.length || spec_is(&type->where, "string"))
			return 0;
		error_set(c->err, ERR_NEEDS_STRING, type->where.column,
			  type->where.length, spec_shown(&fetch->where),
			  fetch->where.text);
		return -EINVAL;
	}
	if (type->array.length && !is_memory(fetch))
		return refuse_value(c, type);
	if (type->array.length)
		return spec_unsupported(c->err, "the array", &type->array);
	/* the kernel takes \ADDRESS:string for a string at that address */
	if (string && !is_memory(fetch) && fetch->kind != SPEC_NUMBER)
		return refuse_value(c, type);
	return 0;
}

/* The type of an argument, the default one if none was given. */
static struct spec_type type_of(const struct spec_arg *arg)
{
	struct spec_type type = arg->type;

	if (type.where.length)
		return type;
	type.format = is_text(arg->fetch) ? FIELD_STRING : FIELD_HEX;
	type.bytes = is_text(arg->fetch) ? 0 : 8;
	return type;
}

/* ---- bases ------------------------------------------------------------ */

static int find_register(struct compiler *c, const struct spec_fetch *fetch,
			 uint64_t *offset)
{
	if (regs_find(fetch->name.text, (size_t)fetch->name.length, offset))
		return 0;
	spec_refuse(c->err, ERR_REGISTER, &fetch->where);
	error_hint(c->err, "the registers are %s", regs_names);
	return -EINVAL;
}

static int check_argument(struct compiler *c, const struct spec_fetch *fetch)
{
	if (c->spec->kind == SPEC_RETURN)
		return spec_unsupported(c->err, "at the return of a function,",
					&fetch->where);
	if (!c->event->offset)
		return 0;
	spec_refuse(c->err, ERR_ARG_NOT_ENTRY, &fetch->where);
	error_hint(c->err, "put the probe on %s itself, or name the register "
		   "that holds it at this place", c->event->symbol);
	return -EINVAL;
}

static int load_register(struct compiler *c, const struct spec_fetch *fetch)
{
	uint64_t offset;
	int ret = find_register(c, fetch, &offset);

	if (ret)
		return ret;
	if (!regs_is_ip(offset))
		return emit(c, TL_OP_REG, 0, offset);
	/*
	 * What the register holds depends on the mechanism of the probe; what
	 * is meant is where execution goes on.
	 */
	if (c->spec->kind == SPEC_RETURN)
		return emit(c, TL_OP_CALLER, 0, 0);
	return emit(c, TL_OP_PLACE, 0, 0);
}

static int load_argument(struct compiler *c, const struct spec_fetch *fetch)
{
	uint64_t word;
	int ret = check_argument(c, fetch);

	if (ret)
		return ret;
	if (regs_argument(fetch->number, &word))
		return emit(c, TL_OP_REG, 0, word);
	return emit(c, TL_OP_STACK, 0, word);
}

static int load_symbol(struct compiler *c, const struct spec_fetch *fetch)
{
	uint64_t address;
	int ret = resolve_symbol(fetch, c->symbols, &address, c->err);

	return ret ? ret : emit(c, TL_OP_IMM, 0, address + fetch->number);
}

static int load_base(struct compiler *c, const struct spec_fetch *fetch)
{
	switch (fetch->kind) {
	case SPEC_REGISTER:
		return load_register(c, fetch);
	case SPEC_ARGUMENT:
		return load_argument(c, fetch);
	case SPEC_STACK_POINTER:
		return emit(c, TL_OP_SP, 0, 0);
	case SPEC_STACK:
		return emit(c, TL_OP_STACK, 0, fetch->number);
	case SPEC_RETVAL:
		if (c->spec->kind == SPEC_ENTRY)
			return spec_refuse(c->err, ERR_RETVAL_ENTRY,
					   &fetch->where);
		return emit(c, TL_OP_RETVAL, 0, 0);
	case SPEC_ADDRESS:
	case SPEC_NUMBER:
		return emit(c, TL_OP_IMM, 0, fetch->number);
	case SPEC_SYMBOL:
		return load_symbol(c, fetch);
	case SPEC_COMM:
	case SPEC_TEXT:
	case SPEC_DEREF:
		break;
	}
	return spec_refuse(c->err, ERR_DEREF_TEXT, &fetch->where);
}

/* ---- arguments -------------------------------------------------------- */

/*
 * The reads of an argument, the first to be done first. "@ADDRESS" is one
 * itself, and a string is one in any case.
 */
static int collect_reads(const struct spec_arg *arg, bool string,
			 struct read *reads, const struct spec_fetch **base)
{
	const struct spec_fetch *fetch;
	int depth = 0;
	int count, i;

	for (fetch = arg->fetch; fetch->kind == SPEC_DEREF;
	     fetch = fetch->inner)
		depth++;
	*base = fetch;
	count = depth + (is_memory(fetch) || (string && !depth));
	memset(reads, 0, sizeof(*reads) * (size_t)count);
	for (fetch = arg->fetch, i = count; fetch->kind == SPEC_DEREF;
	     fetch = fetch->inner) {
		i--;
		reads[i].displacement = fetch->number;
		reads[i].user = fetch->user;
	}
	return count;
}

/* One read, not the last one of a string. */
static int emit_deref(struct compiler *c, const struct read *read,
		      unsigned int bytes)
{
	return emit(c, TL_OP_DEREF, bytes | (read->user ? TL_ARG_USER : 0),
		    read->displacement);
}

static int compile_value(struct compiler *c, const struct spec_type *type)
{
	struct read reads[SPEC_DEREF_MAX + 1];
	const bool string = type->format == FIELD_STRING;
	const struct spec_fetch *base;
	int count = collect_reads(c->arg, string, reads, &base);
	int last = count - 1;
	int i, ret;

	ret = load_base(c, base);
	for (i = 0; !ret && i < last; i++)
		ret = emit_deref(c, &reads[i], 8);
	if (ret)
		return ret;
	if (string) {
		/* how long it may be is known at the end: fit_strings() */
		bool user = reads[last].user || type->user;

		return emit(c, TL_OP_PUT_STRING, user ? TL_ARG_USER : 0,
			    reads[last].displacement);
	}
	if (count) {
		ret = emit_deref(c, &reads[last], type->bytes);
	} else {
		struct tl_insn *load;

		load = &c->event->insns[c->event->insn_count - 1];
		if (load->op == TL_OP_REG) {
			load->op = TL_OP_PUT_REG;
			load->arg = type->bytes;
			return 0;
		}
	}
	return ret ? ret : emit(c, TL_OP_PUT, type->bytes, 0);
}

/* A value that needs no record; returns false for others. */
static bool set_constant(struct field *field, const struct spec_fetch *fetch)
{
	if (fetch->kind == SPEC_TEXT) {
		field->string = strndup(fetch->name.text,
					(size_t)fetch->name.length);
	} else if (fetch->kind == SPEC_NUMBER &&
		   field->format != FIELD_STRING) {
		field->value = fetch->number;
		if (field->bytes < 8)
			field->value &= (1ULL << field->bytes * 8) - 1;
	} else {
		return false;
	}
	field->constant = true;
	return true;
}

static int compile_arg(struct compiler *c, struct field *field)
{
	const struct spec_arg *arg = c->arg;
	const struct spec_type type = type_of(arg);
	int ret = check_type(c, &type);

	if (ret)
		return ret;
	field->name = strdup(arg->name);
	field->text = strndup(arg->body.text, (size_t)arg->body.length);
	field->format = type.format;
	field->bytes = type.bytes;
	if (!field->name || !field->text)
		return spec_no_memory(c->err);
	if (set_constant(field, arg->fetch))
		return arg->fetch->kind == SPEC_TEXT && !field->string ?
		       spec_no_memory(c->err) : 0;
	if (arg->fetch->kind == SPEC_COMM)
		return emit(c, TL_OP_PUT_COMM, 0, 0);
	return compile_value(c, &type);
}

/* ---- the whole -------------------------------------------------------- */

/*
 * Give all strings the same longest length, so that the longest record is
 * still one that the kernel takes.
 */
static void fit_strings(struct trapline_event *event)
{
	uint32_t left = TL_RECORD_BYTES_MAX - sizeof(struct tl_record_extended);
	uint32_t strings = 0;
	uint32_t max;
	unsigned int i;

	for (i = 0; i < event->insn_count; i++) {
		const struct tl_insn *insn = &event->insns[i];

		if (insn->op < TL_OP_PUT || insn->op == TL_OP_END)
			continue;
		left--;		/* its status */
		if (insn->op == TL_OP_PUT || insn->op == TL_OP_PUT_REG)
			left -= insn->arg;
		else
			left -= LENGTH_BYTES;
		if (insn->op == TL_OP_PUT_COMM)
			left -= COMM_BYTES;
		strings += insn->op == TL_OP_PUT_STRING;
	}
	if (!strings)
		return;
	max = left / strings < STRING_MAX ? left / strings : STRING_MAX;
	for (i = 0; i < event->insn_count; i++)
		if (event->insns[i].op == TL_OP_PUT_STRING)
			event->insns[i].arg |= max;
}

static int compile_program(struct compiler *c)
{
	const struct spec *spec = c->spec;
	struct trapline_event *event = c->event;
	int ret = 0;

	if (spec->arg_count) {
		event->fields = calloc(spec->arg_count,
				       sizeof(event->fields[0]));
		if (!event->fields)
			return spec_no_memory(c->err);
	}
	if (spec->kind == SPEC_RETURN) {
		ret = emit(c, TL_OP_CALLER, 0, 0);
		if (!ret)
			ret = emit(c, TL_OP_PUT, 8, 0);
	}
	while (!ret && event->field_count < spec->arg_count) {
		c->arg = &spec->args[event->field_count];
		ret = compile_arg(c, &event->fields[event->field_count++]);
	}
	if (!ret)
		ret = emit(c, TL_OP_END, 0, 0);
	if (!ret)
		fit_strings(event);
	return ret;
}

/* The name of an event that was given none, as the kernel makes it. */
static char *automatic_name(const struct spec *spec)
{
	const struct spec_place *place = &spec->place;
	const char letter = spec->kind == SPEC_RETURN ? 'r' : 'p';
	const bool module = place->module.length;
	char name[SPEC_NAME_MAX + 1];
	char *at;

	if (place->is_address)
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
	const struct spec *spec = c->spec;
	struct trapline_event *event = c->event;
	int ret;

	event->id = -1;
	event->backend = spec->kind == SPEC_RETURN ? TL_BACKEND_KRETPROBE :
						     TL_BACKEND_KPROBE;
	event->maxactive = spec->maxactive;
	event->line = strdup(spec->line);
	event->group = spec->group.length ? name_of(&spec->group) :
					    strdup("kprobes");
	event->name = spec->event.length ? name_of(&spec->event) :
					   automatic_name(spec);
	if (!event->line || !event->group || !event->name)
		return spec_no_memory(c->err);
	ret = resolve_place(spec, c->symbols, event, c->err);
	return ret ? ret : compile_program(c);
}

int compile_event(const struct spec *spec,
		  const struct trapline_symbols *symbols,
		  struct trapline_event **out, struct trapline_error *err)
{
	struct compiler c = { .spec = spec, .symbols = symbols, .err = err };
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
