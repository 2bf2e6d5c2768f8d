// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is known only from the kernel's types becomes what needs none: a
 * parameter an argument by number, a path reads of memory at offsets, and what
 * has no type gets that of C. The rest of the compiler never sees a name.
 *
 *	file->f_path.dentry		+OFFSET($arg1):x64
 *	$current->comm:string		+OFFSET($current):string
 *	dentry:%pd			+0(+OFFSET($arg1)):string
 *	$sysarg1			+OFFSET($arg1)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile_walk.h"
#include "regs.h"

static int lower(struct compiler *c, struct spec_fetch **link,
		 struct value *value);

/* ---- where a path begins ---------------------------------------------- */

static int lower_parameter(struct compiler *c, struct spec_fetch *fetch,
			   struct value *value)
{
	const struct types_function *function;
	int ret = compile_check_argument(c, fetch);

	if (!ret)
		ret = compile_need_function(c, &fetch->where, &function);
	/* what was $argN has its number already */
	if (!ret && !fetch->number)
		ret = compile_find_param(c, function, &fetch->name,
					 &fetch->number);
	if (!ret)
		ret = compile_param(c, function, fetch->number, &fetch->where);
	if (ret)
		return ret;
	fetch->kind = SPEC_ARGUMENT;
	types_param(function, (unsigned int)fetch->number - 1, &value->type);
	value->known = true;
	return 0;
}

static int lower_argument(struct compiler *c, const struct spec_fetch *fetch,
			  struct value *value)
{
	const struct types_function *function;
	int ret = compile_check_argument(c, fetch);

	if (!ret)
		ret = compile_function(c, &function);
	if (ret || !function)
		return ret;
	ret = compile_param(c, function, fetch->number, &fetch->where);
	if (ret || fetch->number > function->param_count)
		return ret;
	types_param(function, (unsigned int)fetch->number - 1, &value->type);
	value->known = true;
	return 0;
}

static int lower_result(struct compiler *c, const struct spec_fetch *fetch,
			struct value *value)
{
	const struct types_function *function;
	struct types_shape shape;
	int ret;

	ret = compile_check_return(c, fetch, ERR_RETVAL_ENTRY);
	if (!ret)
		ret = compile_function(c, &function);
	if (ret || !function)
		return ret;
	types_look(function->result, &shape);
	if (shape.kind == TYPES_VOID) {
		error_set(c->err, ERR_RETVAL_VOID, fetch->where.column,
			  fetch->where.length, c->event->symbol);
		return -EINVAL;
	}
	value->type = function->result;
	value->known = true;
	return 0;
}

/* "(TYPE,FIELD)": what @w starts from points to FIELD of a TYPE. */
static int start_cast(struct walk *w, struct spec_fetch *fetch)
{
	const struct spec_path *path = fetch->path;
	struct spec_slice member = path->steps[0].name;
	uint64_t offset = 0;
	struct value unused;
	char *name;
	int ret;

	name = strndup(path->type.text, (size_t)path->type.length);
	if (!name)
		return spec_no_memory(w->c->err);
	if (path->field.length)
		member = spec_cut(&path->field, 0, spec_find(&path->field, "."));
	ret = walk_struct(w->c, &path->type, name, member, &w->at.type);
	free(name);
	if (!ret && path->field.length)
		ret = walk_offset(w->c, w->at.type, path->field, &offset);
	if (!ret)
		ret = lower(w->c, &fetch->inner, &unused);
	w->offset = -offset;
	w->at.points = true;
	return ret;
}

static int start(struct walk *w, struct spec_fetch *fetch)
{
	struct spec_fetch *base = fetch->inner;
	const struct types_function *function;
	int ret;

	w->done = spec_cut(&fetch->where, 0, fetch->path->steps[0].where.column -
			   fetch->where.column);
	if (fetch->path->type.length)
		return start_cast(w, fetch);
	if (base->kind == SPEC_CURRENT) {
		w->at.points = true;
		return walk_struct(w->c, &base->where, "task_struct",
				   fetch->path->steps[0].name, &w->at.type);
	}
	ret = lower(w->c, &fetch->inner, &w->at);
	if (ret || w->at.known)
		return ret;
	ret = compile_need_function(w->c, &base->where, &function);
	/* the function is known: it is one of "..." */
	return ret ? ret : spec_unsupported(w->c->err, "the type of",
					    &base->where);
}

/* ---- fetches ---------------------------------------------------------- */

/* Put a read of memory at @offset around the fetch at @link. */
static int wrap(struct compiler *c, struct spec_fetch **link, uint64_t offset)
{
	struct spec_fetch *inner = *link;
	struct spec_fetch *fetch = spec_new_fetch(link, c->err);

	if (!fetch) {
		*link = inner;
		return -ENOMEM;
	}
	fetch->kind = SPEC_DEREF;
	fetch->where = inner->where;
	fetch->number = offset;
	fetch->inner = inner;
	return 0;
}

/*
 * An argument of a system call is among the caller's registers, to which the
 * only argument of the function points.
 */
static int lower_system_argument(struct compiler *c, struct spec_fetch **link)
{
	struct spec_fetch *fetch = *link;
	const struct spec_slice *where = &fetch->where;
	const char *symbol = c->event->symbol;
	const char *const prefix = regs_syscall_prefix;
	uint64_t offset = 0;
	char why[160];
	int ret;

	if (strncmp(symbol, prefix, strlen(prefix))) {
		snprintf(why, sizeof(why), "but %.80s is none", symbol);
		error_set(c->err, ERR_SYSARG, where->column, where->length,
			  spec_shown(where), where->text, why);
		error_hint(c->err, "of a function they are $arg1, $arg2, ...; "
			   "a system call is probed by its name, as in "
			   "`p openat` or `p %sopenat`", prefix);
		return -EINVAL;
	}
	regs_syscall_argument(fetch->number, &offset);
	fetch->kind = SPEC_ARGUMENT;
	fetch->number = 1;
	ret = compile_check_argument(c, fetch);
	return ret ? ret : wrap(c, link, offset);
}

/* Replace a path by what it begins with and the reads on its way. */
static int replace(struct walk *w, struct spec_fetch **link)
{
	struct spec_fetch *path = *link;
	unsigned int i;
	int ret = 0;

	*link = path->inner;
	(*link)->where = path->where;
	path->inner = NULL;
	spec_free_fetch(path);
	for (i = 0; !ret && i < w->read_count; i++)
		ret = wrap(w->c, link, w->reads[i]);
	return ret;
}

/*
 * A bit field is read as the compiler does: the whole of its type, where that
 * has all of it. If it is packed so that no such has, then 8 bytes.
 */
static void place_bits(struct walk *w)
{
	struct types_shape shape;
	uint64_t start;

	types_look(w->at.type, &shape);
	if (shape.bytes && shape.bytes < 8) {
		w->at.unit = (unsigned int)shape.bytes;
		start = w->offset / shape.bytes * shape.bytes;
		w->at.shift = (unsigned int)(w->offset - start) * 8 + w->bit;
		if (w->at.shift + w->at.bits <= w->at.unit * 8) {
			w->offset = start;
			return;
		}
	}
	w->at.unit = 8;
	w->at.shift = w->bit;
}

static int lower_path(struct compiler *c, struct spec_fetch **link,
		      struct value *value)
{
	const struct spec_path *path = (*link)->path;
	struct walk w = { .c = c };
	unsigned int i;
	int ret;

	ret = start(&w, *link);
	for (i = 0; !ret && i < path->step_count; i++)
		ret = walk_step(&w, &path->steps[i]);
	if (ret)
		return ret;
	if (w.at.bits)
		place_bits(&w);
	w.reads[w.read_count++] = w.offset;
	*value = w.at;
	value->known = true;
	return replace(&w, link);
}

/*
 * Lower what is at the bottom of a chain of reads. Inside of a cast there is no
 * other one, so this goes into itself twice at most.
 */
static int lower(struct compiler *c, struct spec_fetch **link,
		 struct value *value)
{
	struct spec_fetch **base = link;
	int ret = 0;

	memset(value, 0, sizeof(*value));
	while ((*base)->kind == SPEC_DEREF)
		base = &(*base)->inner;
	switch ((*base)->kind) {
	case SPEC_PARAMETER:
		ret = lower_parameter(c, *base, value);
		break;
	case SPEC_ARGUMENT:
		ret = lower_argument(c, *base, value);
		break;
	case SPEC_RETVAL:
		ret = lower_result(c, *base, value);
		break;
	case SPEC_SYSTEM_ARGUMENT:
		ret = lower_system_argument(c, base);
		break;
	case SPEC_PATH:
		ret = lower_path(c, base, value);
		break;
	default:
		break;
	}
	if (base == link || ret)
		return ret;
	/* it was an address */
	value->known = false;
	return value->bits ? spec_unsupported(c->err, "as an address the bit "
					      "field", &(*base)->where) : 0;
}

/* ---- types ------------------------------------------------------------ */

/* The type of a number of @bytes; what is longer is told by its start. */
static void set_number(struct spec_type *type, enum field_format format,
		       size_t bytes)
{
	const bool fits = bytes == 1 || bytes == 2 || bytes == 4;

	type->format = fits || bytes == 8 ? format : FIELD_HEX;
	type->bytes = fits ? (unsigned int)bytes : 8;
}

/* What C says, printed as the kernel's own probes do. */
static void set_default(struct spec_type *type, struct types_ref ref)
{
	struct types_shape shape;

	types_look(ref, &shape);
	if (shape.kind == TYPES_INT || shape.kind == TYPES_ENUM)
		set_number(type, shape.is_signed ? FIELD_SIGNED :
						   FIELD_UNSIGNED, shape.bytes);
	else
		set_number(type, FIELD_HEX, shape.bytes);
}

/* Is it a char, or with @pointer a pointer to one? */
static bool is_char(struct types_ref ref, bool pointer)
{
	struct types_shape shape;

	types_look(ref, &shape);
	if (pointer)
		return shape.kind == TYPES_POINTER &&
		       is_char(shape.inner, false);
	return shape.kind == TYPES_INT && shape.bytes == 1;
}

/* The bits of a bit field, printed as its type or the one that was given. */
static int prepare_bits(struct compiler *c, struct spec_arg *arg,
			const struct value *value)
{
	struct spec_type *type = &arg->type;

	if (!type->where.length)
		set_default(type, value->type);
	else if (type->bits || type->array.length)
		return 0;	/* of the memory that it is in */
	if (value->shift + value->bits > value->unit * 8)
		return spec_unsupported(c->err, "the bit field, which lies in "
					"9 bytes,", &arg->fetch->where);
	type->bytes = value->unit;
	type->bits = value->bits;
	type->shift = value->shift;
	return 0;
}

/*
 * A string is read where a char * points to, and where an array of char is; an
 * array of strings has a char * where each of those has a char.
 */
static int prepare_string(struct compiler *c, struct spec_arg *arg,
			  const struct value *value)
{
	const struct spec_slice *where = &arg->fetch->where;
	const bool several = arg->type.array.length;
	struct types_shape shape;
	char what[100];

	types_look(value->type, &shape);
	if (shape.kind == TYPES_ARRAY && value->in_memory &&
	    is_char(shape.inner, several))
		return 0;
	if (shape.kind == TYPES_POINTER && is_char(shape.inner, several))
		return wrap(c, &arg->fetch, 0);
	error_set(c->err, ERR_NOT_TEXT, arg->type.where.column,
		  arg->type.where.length, spec_shown(where), where->text,
		  shape.kind == TYPES_POINTER ? "a pointer to " : "",
		  walk_describe(shape.kind == TYPES_POINTER ? shape.inner :
							 value->type,
			   what, sizeof(what)));
	if (shape.bytes == sizeof(uint64_t) && shape.kind != TYPES_STRUCT)
		error_hint(c->err, "if a text is there all the same: "
			   "+0(%.*s):%.*s", spec_shown(where), where->text,
			   spec_shown(&arg->type.where), arg->type.where.text);
	return -EINVAL;
}

static int offset_of(struct compiler *c, const struct spec_slice *slice,
		     const char *name, const char *path, uint64_t *offset)
{
	const struct spec_slice text = { path, (int)strlen(path),
					 slice->column };
	struct types_ref type;
	int ret = walk_struct(c, slice, name,
			      spec_cut(&text, 0, spec_find(&text, ".")), &type);

	return ret ? ret : walk_offset(c, type, text, offset);
}

/* %pd, %pD: the name of what the value points to */
static int prepare_name(struct compiler *c, struct spec_arg *arg)
{
	const struct spec_slice *where = &arg->type.where;
	uint64_t offset;
	int ret = 0;

	if (arg->fetch->kind == SPEC_COMM || arg->fetch->kind == SPEC_TEXT)
		return 0;	/* refused as any other type of a text */
	if (arg->type.name_of == SPEC_NAME_OF_FILE) {
		ret = offset_of(c, where, "file", "f_path.dentry", &offset);
		if (!ret)
			ret = wrap(c, &arg->fetch, offset);
	}
	if (!ret)
		ret = offset_of(c, where, "dentry", "d_name.name", &offset);
	if (!ret)
		ret = wrap(c, &arg->fetch, offset);
	return ret ? ret : wrap(c, &arg->fetch, 0);
}

static int check_depth(struct compiler *c, const struct spec_arg *arg)
{
	const struct spec_fetch *fetch;
	int depth = 0;

	for (fetch = arg->fetch; fetch->kind == SPEC_DEREF;
	     fetch = fetch->inner)
		depth++;
	if (depth <= SPEC_DEREF_MAX)
		return 0;
	error_set(c->err, ERR_DEREF_DEPTH, arg->body.column, arg->body.length,
		  SPEC_DEREF_MAX);
	return -EINVAL;
}

static int compile_path(struct compiler *c, struct spec_arg *arg)
{
	/* with a name of its own, $argN is the register and not the parameter */
	const bool plain = arg->fetch->kind == SPEC_ARGUMENT;
	const bool is_system = arg->fetch->kind == SPEC_SYSTEM_ARGUMENT;
	struct value value;
	int ret = lower(c, &arg->fetch, &value);

	/* a text and an array are where it points to */
	if (!ret && is_system && (arg->type.format == FIELD_STRING ||
				  arg->type.array.length))
		ret = wrap(c, &arg->fetch, 0);
	if (ret)
		return ret;
	if (arg->type.name_of)
		ret = prepare_name(c, arg);
	else if (plain || !value.known)
		ret = 0;
	else if (arg->type.format == FIELD_STRING && arg->type.where.length)
		ret = prepare_string(c, arg, &value);
	else if (value.bits)
		ret = prepare_bits(c, arg, &value);
	else if (!arg->type.where.length)
		set_default(&arg->type, value.type);
	return ret ? ret : check_depth(c, arg);
}

int compile_paths(struct compiler *c)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < c->spec->arg_count; i++) {
		c->arg = &c->spec->args[i];
		ret = compile_path(c, &c->spec->args[i]);
	}
	return ret;
}
