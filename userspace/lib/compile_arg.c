// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One argument of a definition becomes a run of instructions: a load of its
 * base, a read for each step of memory, from the inside out, and a put. A bare
 * register is one instruction, a constant none: its value is in the event, not
 * in the records.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../uapi/trapline.h"
#include "compiler.h"
#include "regs.h"

/**
 * struct read - one read of memory
 * @displacement: added to the address
 * @user: from user memory
 */
struct read {
	uint64_t displacement;
	bool user;
};

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
	if (type->length_of.length && string)
		return spec_unsupported(c->err, "a number of strings from an argument,",
					&type->array);
	if (type->elements * type->bytes > TL_STRING_BYTES_MAX) {
		error_set(c->err, ERR_ARRAY_BYTES, type->array.column,
			  type->array.length, type->elements * type->bytes,
			  TL_STRING_BYTES_MAX);
		return -EINVAL;
	}
	/* the kernel takes \ADDRESS:string for a string at that address */
	if (string && !is_memory(fetch) && fetch->kind != SPEC_NUMBER)
		return refuse_value(c, type);
	return 0;
}

/* The type of an argument, the default one if none was given. */
static struct spec_type type_of(const struct spec_arg *arg)
{
	struct spec_type type = arg->type;

	if (type.length_of.length && type.bytes)
		type.elements = SPEC_LENGTH_BYTES_MAX / type.bytes;
	if (type.where.length || type.bytes)
		return type;	/* given, or known from the kernel's types */
	type.format = is_text(arg->fetch) ? FIELD_STRING : FIELD_HEX;
	type.bytes = is_text(arg->fetch) ? 0 : 8;
	if (arg->fetch->kind == SPEC_DURATION || arg->fetch->kind == SPEC_TASK)
		type.format = FIELD_UNSIGNED;
	if (arg->fetch->kind == SPEC_FRAME_LIST) {
		type.format = arg->fetch->user ? FIELD_USTACK : FIELD_KSTACK;
		type.elements = (unsigned int)arg->fetch->number;
	}
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

int compile_check_argument(struct compiler *c, const struct spec_fetch *fetch)
{
	if (c->spec->kind == SPEC_TRACEPOINT) {
		if (fetch->number <= TL_TRACEPOINT_ARGS)
			return 0;
		error_set(c->err, ERR_TRACEPOINT_ARGS, fetch->where.column,
			  fetch->where.length, spec_shown(&fetch->where),
			  fetch->where.text, TL_TRACEPOINT_ARGS);
		return -EINVAL;
	}
	if (c->spec->kind == SPEC_RETURN && fetch->number > TL_ENTRY_ARGS) {
		error_set(c->err, ERR_ARG_NOT_KEPT, fetch->where.column,
			  fetch->where.length, spec_shown(&fetch->where),
			  fetch->where.text, TL_ENTRY_ARGS);
		return -EINVAL;
	}
	if (!c->event->offset)
		return 0;
	spec_refuse(c->err, ERR_ARG_NOT_ENTRY, &fetch->where);
	error_hint(c->err, "put the probe on %s itself, or name the register "
		   "that holds it at this place", c->event->symbol);
	return -EINVAL;
}

int compile_check_return(struct compiler *c, const struct spec_fetch *fetch,
			 enum error_code code)
{
	switch (c->spec->kind) {
	case SPEC_RETURN:
		return 0;
	case SPEC_TRACEPOINT:
		code = ERR_TRACEPOINT_RETURN;
		break;
	case SPEC_ENTRY:
		break;
	}
	return spec_refuse(c->err, code, &fetch->where);
}

/* What a tracepoint does not have is refused with @code. */
static int check_frame(struct compiler *c, const struct spec_fetch *fetch,
		       enum error_code code)
{
	if (c->spec->kind != SPEC_TRACEPOINT)
		return 0;
	spec_refuse(c->err, code, &fetch->where);
	error_hint(c->err, "they are $arg1, $arg2, ..., and where the kernel "
		   "has BTF, their names; $arg* is all of them");
	return -EINVAL;
}

static int load_register(struct compiler *c, const struct spec_fetch *fetch)
{
	uint64_t offset;
	int ret = check_frame(c, fetch, ERR_TRACEPOINT_REGISTER);

	if (!ret)
		ret = find_register(c, fetch, &offset);
	if (ret)
		return ret;
	if (!regs_is_ip(offset))
		return compiler_emit(c, TL_OP_REG, 0, offset);
	/*
	 * What the register holds depends on the mechanism of the probe; what
	 * is meant is where execution goes on.
	 */
	if (c->spec->kind == SPEC_RETURN)
		return compiler_emit(c, TL_OP_CALLER, 0, 0);
	return compiler_emit(c, TL_OP_PLACE, 0, 0);
}

static int load_argument(struct compiler *c, const struct spec_fetch *fetch)
{
	uint64_t word;
	int ret = compile_check_argument(c, fetch);

	if (ret)
		return ret;
	if (c->spec->kind == SPEC_RETURN)
		return compiler_emit(c, TL_OP_REG, TL_REG_ENTRY,
				     fetch->number - 1);
	if (c->spec->kind == SPEC_TRACEPOINT)
		return compiler_emit(c, TL_OP_REG, 0, (fetch->number - 1) *
				     sizeof(uint64_t));
	if (regs_argument(fetch->number, &word))
		return compiler_emit(c, TL_OP_REG, 0, word);
	return compiler_emit(c, TL_OP_STACK, 0, word);
}

static int load_symbol(struct compiler *c, const struct spec_fetch *fetch)
{
	uint64_t address;
	int ret = resolve_symbol(fetch, c->symbols, &address, c->err);

	return ret ? ret : compiler_emit(c, TL_OP_IMM, 0, address + fetch->number);
}

static int load_stack(struct compiler *c, const struct spec_fetch *fetch)
{
	int ret = check_frame(c, fetch, ERR_TRACEPOINT_STACK);

	if (ret)
		return ret;
	return fetch->kind == SPEC_STACK ?
	       compiler_emit(c, TL_OP_STACK, 0, fetch->number) :
	       compiler_emit(c, TL_OP_SP, 0, 0);
}

static int load_return(struct compiler *c, const struct spec_fetch *fetch)
{
	const bool is_time = fetch->kind == SPEC_DURATION;
	int ret = compile_check_return(c, fetch, is_time ? ERR_DURATION_ENTRY :
							   ERR_RETVAL_ENTRY);

	return ret ? ret : compiler_emit(c, TL_OP_RETVAL, is_time ?
					 TL_RETURN_DURATION : 0, 0);
}

static int load_base(struct compiler *c, const struct spec_fetch *fetch)
{
	switch (fetch->kind) {
	case SPEC_REGISTER:
		return load_register(c, fetch);
	case SPEC_ARGUMENT:
		return load_argument(c, fetch);
	case SPEC_STACK_POINTER:
	case SPEC_STACK:
		return load_stack(c, fetch);
	case SPEC_RETVAL:
	case SPEC_DURATION:
		return load_return(c, fetch);
	case SPEC_TASK:
		return compiler_emit(c, TL_OP_TASK, (uint32_t)fetch->number, 0);
	case SPEC_ADDRESS:
	case SPEC_NUMBER:
		return compiler_emit(c, TL_OP_IMM, 0, fetch->number);
	case SPEC_SYMBOL:
		return load_symbol(c, fetch);
	case SPEC_CURRENT:
		return compiler_emit(c, TL_OP_CURRENT, 0, 0);
	case SPEC_COMM:
	case SPEC_TEXT:
	case SPEC_DEREF:
		break;
	case SPEC_FRAME_LIST:
		return spec_refuse(c->err, ERR_STACK_VALUE, &fetch->where);
	case SPEC_ALL_ARGUMENTS:
	case SPEC_SYSTEM_ARGUMENT:
	case SPEC_PARAMETER:
	case SPEC_PATH:
		break;	/* replaced before */
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
	return compiler_emit(c, TL_OP_DEREF, bytes | (read->user ? TL_ARG_USER : 0),
		    read->displacement);
}

/*
 * A string. One of an array is where the pointer of that number points to; the
 * pointers are where a string without "[N]" would be.
 */
static int compile_string(struct compiler *c, const struct spec_type *type,
			  unsigned int element)
{
	struct read reads[SPEC_DEREF_MAX + 1];
	const struct spec_fetch *base;
	int count = collect_reads(c->arg, true, reads, &base);
	const struct read *last = &reads[count - 1];
	const bool user = last->user || type->user;
	uint64_t displacement = last->displacement;
	int i, ret;

	ret = load_base(c, base);
	for (i = 0; !ret && i < count - 1; i++)
		ret = emit_deref(c, &reads[i], 8);
	if (!ret && type->elements) {
		struct read pointer = *last;

		pointer.displacement += element * sizeof(uint64_t);
		ret = emit_deref(c, &pointer, sizeof(uint64_t));
		displacement = 0;
	}
	/* how long it may be is known at the end: fit_strings() */
	return ret ? ret : compiler_emit(c, TL_OP_PUT_STRING,
					 user ? TL_ARG_USER : 0, displacement);
}

/* What was loaded last is the value. */
static int put_value(struct compiler *c, unsigned int bytes)
{
	struct tl_insn *load = &c->event->insns[c->event->insn_count - 1];

	if (load->op != TL_OP_REG || load->arg)
		return compiler_emit(c, TL_OP_PUT, bytes, 0);
	load->op = TL_OP_PUT_REG;
	load->arg = bytes;
	return 0;
}

/* Load what an argument is; @last is left to do: the read of an array. */
static int load_value(struct compiler *c, const struct spec_arg *arg,
		      const struct spec_type *type, struct read *last)
{
	struct read reads[SPEC_DEREF_MAX + 1];
	const struct spec_fetch *base;
	int count = collect_reads(arg, false, reads, &base);
	const struct read *read = reads;
	int ret = load_base(c, base);

	for (; !ret && count > 1; count--)
		ret = emit_deref(c, read++, 8);
	if (count)
		*last = *read;
	if (ret || !count || type->elements)
		return ret;
	return emit_deref(c, read, type->bytes);
}

/* The length of an array: the value of an earlier argument, loaded once more. */
static int compile_length(struct compiler *c, const struct spec_type *type)
{
	const struct spec_slice *name = &type->length_of;
	const struct spec_arg *of = c->spec->args;
	struct spec_type number;
	struct read last;
	uint32_t arg;
	int ret;

	while (of < c->arg && !spec_is(name, of->name))
		of++;
	if (of == c->arg)
		return spec_refuse(c->err, ERR_LENGTH_NAME, name);
	number = type_of(of);
	if (number.elements || number.bits || is_text(of->fetch) ||
	    number.format > FIELD_HEX)
		return spec_refuse(c->err, ERR_LENGTH_NUMBER, name);
	ret = load_value(c, of, &number, &last);
	arg = type->bytes | number.bytes << TL_TEST_BYTES_SHIFT;
	if (number.format == FIELD_SIGNED)
		arg |= TL_TEST_SIGNED;
	return ret ? ret : compiler_emit(c, TL_OP_LENGTH, arg, 0);
}

static int compile_value(struct compiler *c, const struct spec_type *type)
{
	struct read last;
	int ret = 0;

	if (type->length_of.length)
		ret = compile_length(c, type);
	if (!ret)
		ret = load_value(c, c->arg, type, &last);
	if (ret)
		return ret;
	if (!type->elements)
		return put_value(c, type->bytes);
	return compiler_emit(c, TL_OP_PUT_BYTES, type->elements * type->bytes |
			     (last.user ? TL_ARG_USER : 0), last.displacement);
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

static int fill_field(struct compiler *c, const struct spec_type *type,
		      struct field *field)
{
	const struct spec_arg *arg = c->arg;

	field->name = strdup(arg->name);
	field->text = arg->listed ? strdup(arg->listed) :
		      strndup(arg->body.text, (size_t)arg->body.length);
	field->format = type->format;
	field->bytes = type->bytes;
	field->bits = type->bits;
	field->shift = type->shift;
	field->elements = type->elements;
	return field->name && field->text ? 0 : spec_no_memory(c->err);
}

unsigned int compile_fields(const struct spec_arg *arg)
{
	if (arg->type.format == FIELD_STRING && arg->type.elements)
		return arg->type.elements;
	return 1;
}

static int compile_frames(struct compiler *c, const struct spec_fetch *fetch)
{
	return compiler_emit(c, TL_OP_PUT_STACK, (uint32_t)fetch->number,
			     fetch->user ? TL_STACK_USER : TL_STACK_KERNEL);
}

int compile_arg(struct compiler *c, struct field *fields)
{
	const struct spec_fetch *fetch = c->arg->fetch;
	const struct spec_type type = type_of(c->arg);
	unsigned int i;
	int ret = check_type(c, &type);

	for (i = 0; !ret && i < compile_fields(c->arg); i++) {
		ret = fill_field(c, &type, &fields[i]);
		fields[i].element = i;
		if (ret || set_constant(&fields[i], fetch))
			continue;
		if (fetch->kind == SPEC_COMM)
			ret = compiler_emit(c, TL_OP_PUT_COMM, 0, 0);
		else if (fetch->kind == SPEC_FRAME_LIST)
			ret = compile_frames(c, fetch);
		else if (type.format == FIELD_STRING)
			ret = compile_string(c, &type, i);
		else
			ret = compile_value(c, &type);
	}
	if (!ret && fields[0].constant && fetch->kind == SPEC_TEXT &&
	    !fields[0].string)
		ret = spec_no_memory(c->err);
	return ret;
}
