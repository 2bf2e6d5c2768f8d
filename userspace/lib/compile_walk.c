// SPDX-License-Identifier: LGPL-2.1-or-later
/* See compile_walk.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile_walk.h"
#include "suggest.h"

/* ---- texts ------------------------------------------------------------ */

/* "struct file", "an integer (int)", "a pointer" */
const char *walk_describe(struct types_ref type, char *buf, size_t size)
{
	struct types_shape shape;
	const char *word;

	types_look(type, &shape);
	word = shape.word;
	if (shape.kind == TYPES_STRUCT && !shape.name[0])
		snprintf(buf, size, "a %s without a name", word);
	else if (shape.name[0] && strchr(word, ' '))
		snprintf(buf, size, "%s (%s)", word, shape.name);
	else
		snprintf(buf, size, "%s%s%s", word, shape.name[0] ? " " : "",
			 shape.name);
	return buf;
}

/* Refuse @slice, a step, for what the path so far leads to. */
static int refuse_step(struct walk *w, enum error_code code,
		       const struct spec_slice *slice)
{
	char what[100];

	walk_describe(w->at.type, what, sizeof(what));
	if (code == ERR_NOT_STRUCT || code == ERR_NOT_ARRAY)
		error_set(w->c->err, code, slice->column, slice->length,
			  spec_shown(&w->done), w->done.text,
			  w->at.points ? "a pointer to " : "", what);
	else
		error_set(w->c->err, code, slice->column, slice->length,
			  spec_shown(&w->done), w->done.text, what);
	return -EINVAL;
}

static void try_member(const char *name, void *data)
{
	suggest_try(data, name);
}

/* A list of names in a buffer. */
struct list {
	char text[300];
	size_t used;
};

static void list_member(const char *name, void *data)
{
	struct list *list = data;

	if (list->used + strlen(name) + 8 > sizeof(list->text)) {
		if (list->used && list->text[list->used - 1] != '.')
			list->used += (size_t)sprintf(list->text + list->used,
						      ", ...");
		return;
	}
	list->used += (size_t)sprintf(list->text + list->used, "%s%s",
				      list->used ? ", " : "", name);
}

static int refuse_member(struct compiler *c, struct types_ref type,
			 const struct spec_slice *name, const char *copy)
{
	struct suggest suggest = { .name = copy };
	struct list list = { .used = 0 };
	char what[100];

	error_set(c->err, ERR_MEMBER_UNKNOWN, name->column, name->length,
		  walk_describe(type, what, sizeof(what)), spec_shown(name),
		  name->text);
	types_each_member(type, try_member, &suggest);
	if (suggest_hint(&suggest, c->err))
		return -EINVAL;
	types_each_member(type, list_member, &list);
	if (list.used)
		error_hint(c->err, "there are %s", list.text);
	return -EINVAL;
}

/* ---- steps ------------------------------------------------------------ */

/* Go from an address, or a pointer in memory, to what is there. */
static void follow(struct walk *w)
{
	struct types_shape shape;

	if (!w->at.points) {
		types_look(w->at.type, &shape);
		if (w->at.in_memory)
			w->reads[w->read_count++] = w->offset;
		w->offset = 0;
		w->at.type = shape.inner;
	}
	w->at.points = false;
	w->at.in_memory = true;
}

static int step_member(struct walk *w, const struct spec_slice *name)
{
	struct types_member member;
	char *copy;
	int ret = 0;

	copy = strndup(name->text, (size_t)name->length);
	if (!copy)
		return spec_no_memory(w->c->err);
	if (types_member(w->at.type, copy, &member)) {
		w->at.type = member.type;
		w->at.bits = member.bits;
		w->offset += member.bit_offset / 8;
		w->bit = (unsigned int)(member.bit_offset % 8);
	} else {
		ret = refuse_member(w->c, w->at.type, name, copy);
	}
	free(copy);
	return ret;
}

static int step_arrow(struct walk *w, const struct spec_step *step)
{
	const struct spec_slice sign = spec_cut(&step->where, 0, 2);
	struct types_shape shape, target;

	types_look(w->at.type, &shape);
	if (!w->at.points && shape.kind != TYPES_POINTER)
		return refuse_step(w, shape.kind == TYPES_STRUCT ?
				   ERR_NEEDS_DOT : ERR_NOT_POINTER, &sign);
	types_look(w->at.points ? w->at.type : shape.inner, &target);
	if (target.kind != TYPES_STRUCT) {
		if (!w->at.points)
			w->at.type = shape.inner;
		w->at.points = true;
		return refuse_step(w, ERR_NOT_STRUCT, &step->where);
	}
	follow(w);
	return step_member(w, &step->name);
}

static int step_dot(struct walk *w, const struct spec_step *step)
{
	const struct spec_slice sign = spec_cut(&step->where, 0, 1);
	struct types_shape shape;

	types_look(w->at.type, &shape);
	if (w->at.points || shape.kind == TYPES_POINTER)
		return refuse_step(w, ERR_NEEDS_ARROW, &sign);
	if (shape.kind != TYPES_STRUCT)
		return refuse_step(w, ERR_NOT_STRUCT, &step->where);
	if (!w->at.in_memory)
		return spec_unsupported(w->c->err, "a member of a struct that "
					"is passed by value,", &step->where);
	return step_member(w, &step->name);
}

/* Half of what there is leaves room for the members that follow. */
static int add_elements(struct walk *w, const struct spec_step *step,
			size_t bytes)
{
	int64_t offset;

	if (!__builtin_mul_overflow(step->number, bytes, &offset) &&
	    !__builtin_add_overflow(offset, (int64_t)w->offset, &offset) &&
	    offset <= INT64_MAX / 2) {
		w->offset = (uint64_t)offset;
		return 0;
	}
	spec_refuse(w->c->err, ERR_INDEX_FORM, &step->where);
	error_hint(w->c->err, "no element of %zu bytes has an address so far "
		   "away", bytes);
	return -EINVAL;
}

static int step_index(struct walk *w, const struct spec_step *step)
{
	const struct spec_slice *number = &step->name;
	struct types_shape shape, element;

	types_look(w->at.type, &shape);
	if (!w->at.points && shape.kind != TYPES_POINTER &&
	    (shape.kind != TYPES_ARRAY || !w->at.in_memory))
		return refuse_step(w, ERR_NOT_ARRAY, &step->where);
	types_look(w->at.points ? w->at.type : shape.inner, &element);
	if (!element.bytes)
		return refuse_step(w, ERR_NOT_ARRAY, &step->where);
	if (shape.kind == TYPES_ARRAY && !w->at.points && shape.count &&
	    step->number >= shape.count) {
		error_set(w->c->err, ERR_INDEX_RANGE, number->column,
			  number->length, spec_shown(number), number->text,
			  spec_shown(&w->done), w->done.text, shape.count);
		return -EINVAL;
	}
	if (shape.kind == TYPES_ARRAY && !w->at.points)
		w->at.type = shape.inner;
	else
		follow(w);
	return add_elements(w, step, element.bytes);
}

int walk_step(struct walk *w, const struct spec_step *step)
{
	int ret;

	switch (step->kind) {
	case SPEC_ARROW:
		ret = step_arrow(w, step);
		break;
	case SPEC_DOT:
		ret = step_dot(w, step);
		break;
	default:
		ret = step_index(w, step);
	}
	w->done.length = step->where.column + step->where.length -
			 w->done.column;
	return ret;
}

/* ---- structs by name -------------------------------------------------- */

int walk_struct(struct compiler *c, const struct spec_slice *slice,
		const char *name, struct spec_slice member,
		struct types_ref *type)
{
	int ret = compile_need_types(c, NULL, slice);
	enum types_found found;
	const char *missing;
	char *copy;

	if (ret)
		return ret;
	/* a module without BTF has the kernel's structs all the same */
	if (types_load(symbols_types(c->symbols), c->event->module, &missing))
		return spec_no_memory(c->err);
	copy = strndup(member.text, (size_t)member.length);
	if (!copy)
		return spec_no_memory(c->err);
	found = types_struct(symbols_types(c->symbols), c->event->module, name,
			     copy, type);
	free(copy);
	if (found == TYPES_FOUND)
		return 0;
	if (found == TYPES_SEVERAL) {
		error_set(c->err, ERR_STRUCT_SEVERAL, slice->column,
			  slice->length, (int)strnlen(name, 80), name,
			  spec_shown(&member), member.text);
		error_hint(c->err, "say where it is: +OFFSET(ADDRESS)");
		return -EINVAL;
	}
	error_set(c->err, ERR_STRUCT_UNKNOWN, slice->column, slice->length,
		  (int)strnlen(name, 80), name);
	return -EINVAL;
}

int walk_offset(struct compiler *c, struct types_ref type,
		struct spec_slice path, uint64_t *offset)
{
	struct walk w = { .c = c, .at = { .type = type } };
	struct spec_slice name;
	struct types_shape shape;
	int dot, ret;

	for (;;) {
		dot = spec_find(&path, ".");
		name = spec_cut(&path, 0, dot);
		types_look(w.at.type, &shape);
		if (shape.kind != TYPES_STRUCT)
			return refuse_step(&w, ERR_NOT_STRUCT, &name);
		ret = step_member(&w, &name);
		if (ret || dot == path.length)
			break;
		w.done = name;
		path = spec_cut(&path, dot + 1, path.length);
	}
	*offset = w.offset;
	return ret;
}
