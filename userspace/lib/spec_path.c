// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parameters by name, and the way from a value to a member of what it points
 * to:
 *
 *	NAME  BASE->MEMBER  BASE->MEMBER.MEMBER[2]->MEMBER
 *	(STRUCT)FETCH->MEMBER  (STRUCT,FIELD)FETCH->MEMBER
 *
 * BASE is NAME, $argN, $retval or $current. Whether there are such members is
 * for compile_path.c to know.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "spec.h"

/* What ends a name in a path. */
static const char ends[] = "-.[";

int spec_path_base(const struct spec_slice *where)
{
	return spec_find(where, ends);
}

static bool is_cast(const struct spec_slice *slice)
{
	return spec_starts(slice, "(") && slice->length > 1 &&
	       spec_is_alnum(slice->text[1]) && !spec_is_digit(slice->text[1]);
}

/*
 * Where @slice, from @at on, first has "->" outside of parentheses; or else
 * where it ends as a fetch, with ":" or with a ")" that it has not opened.
 */
static int find_end(const struct spec_slice *slice, int at, bool arrow)
{
	int depth = 0;

	for (; at < slice->length; at++) {
		const char c = slice->text[at];

		if (c == '(')
			depth++;
		else if (c == ')' && !depth--)
			break;
		else if (c == ':' && !depth)
			break;
		else if (arrow && !depth && c == '-' &&
			 at + 1 < slice->length && slice->text[at + 1] == '>')
			break;
	}
	return at;
}

int spec_cast_length(const struct spec_slice *rest)
{
	return is_cast(rest) ? find_end(rest, 0, false) : 0;
}

/* ---- steps ------------------------------------------------------------ */

static struct spec_step *add_step(struct spec_path *path,
				  struct trapline_error *err)
{
	const unsigned int count = path->step_count;
	struct spec_step *steps = path->steps;

	/* full at each power of two */
	if (!(count & (count - 1))) {
		steps = realloc(steps, (count ? count * 2 : 1) *
				sizeof(*steps));
		if (!steps) {
			spec_no_memory(err);
			return NULL;
		}
		path->steps = steps;
	}
	memset(&steps[count], 0, sizeof(steps[count]));
	path->step_count++;
	return &steps[count];
}

/* "->NAME" or ".NAME" at the start of @rest */
static int parse_member(struct spec_step *step, const struct spec_slice *rest,
			struct trapline_error *err)
{
	const int sign = step->kind == SPEC_ARROW ? 2 : 1;
	const struct spec_slice tail = spec_cut(rest, sign, rest->length);
	const struct spec_slice shown = spec_cut(rest, 0, sign);

	step->name = spec_cut(&tail, 0, spec_find(&tail, ends));
	step->where = spec_cut(rest, 0, sign + step->name.length);
	if (spec_is_name(&step->name))
		return 0;
	if (step->name.length)
		return spec_refuse(err, ERR_MEMBER_NAME, &step->name);
	error_set(err, ERR_MEMBER_EMPTY, step->name.column, 1, shown.length,
		  shown.text);
	return -EINVAL;
}

/* "[NUMBER]" at the start of @rest */
static int parse_index(struct spec_step *step, const struct spec_slice *rest,
		       struct trapline_error *err)
{
	const int close = spec_find(rest, "]");
	int ret;

	if (close == rest->length)
		return spec_refuse(err, ERR_INDEX_FORM, rest);
	step->name = spec_cut(rest, 1, close);
	step->where = spec_cut(rest, 0, close + 1);
	ret = spec_number(&step->name, &step->number);
	if (!ret)
		return 0;
	return spec_refuse(err, ret == -ERANGE ? ERR_NUMBER_RANGE :
						 ERR_INDEX_FORM,
			   ret == -ERANGE ? &step->name : &step->where);
}

static int parse_step(struct spec_step *step, const struct spec_slice *rest,
		      struct trapline_error *err)
{
	const struct spec_slice first = spec_cut(rest, 0, 1);

	if (spec_starts(rest, "->"))
		step->kind = SPEC_ARROW;
	else if (spec_starts(rest, "."))
		step->kind = SPEC_DOT;
	else if (spec_starts(rest, "["))
		step->kind = SPEC_INDEX;
	else if (spec_starts(rest, "-"))
		return spec_refuse(err, ERR_HYPHEN, &first);
	else
		return spec_refuse(err, ERR_FETCH_TAIL, rest);
	return step->kind == SPEC_INDEX ? parse_index(step, rest, err) :
					  parse_member(step, rest, err);
}

static int parse_steps(struct spec_path *path, struct spec_slice rest,
		       struct trapline_error *err)
{
	struct spec_step *step;
	int ret;

	while (rest.length) {
		/* each of them may be a read of memory */
		if (path->step_count == SPEC_DEREF_MAX) {
			error_set(err, ERR_DEREF_DEPTH, rest.column, 1,
				  SPEC_DEREF_MAX);
			return -EINVAL;
		}
		step = add_step(path, err);
		if (!step)
			return -ENOMEM;
		ret = parse_step(step, &rest, err);
		if (ret)
			return ret;
		rest = spec_cut(&rest, step->where.length, rest.length);
	}
	return 0;
}

/* ---- what the path begins with ---------------------------------------- */

/*
 * Inside what a cast is for there is no other cast: it would mean nothing, and
 * a line of them would go as deep as it is long.
 */
static bool has_cast(struct spec_slice inner)
{
	while (inner.length && strchr("+-", inner.text[0])) {
		const int paren = spec_find(&inner, "(");

		inner = spec_cut(&inner, paren + (paren < inner.length),
				 inner.length);
	}
	return is_cast(&inner);
}

static int parse_inner(struct spec_fetch *fetch, const struct spec_slice *inner,
		       struct trapline_error *err)
{
	struct spec_arg arg = { .body = *inner };
	struct spec_slice tail;
	int at = 0;
	int ret;

	if (has_cast(*inner))
		return spec_unsupported(err, "a type inside another one,",
					inner);
	ret = spec_parse_chain(&arg, &at, err);
	fetch->inner = arg.fetch;
	if (ret || at == inner->length)
		return ret;
	tail = spec_cut(inner, at, inner->length);
	return spec_refuse(err, ERR_FETCH_TAIL, &tail);
}

/* "FIELD.FIELD" of a cast: behind each sign, the "," included, is a name. */
static int check_fields(const struct spec_slice *cast, int comma,
			struct trapline_error *err)
{
	int at = comma;

	while (at < cast->length) {
		const struct spec_slice sign = spec_cut(cast, at, at + 1);
		const struct spec_slice rest = spec_cut(cast, at + 1,
							cast->length);
		const int length = spec_find(&rest, ".");

		if (!length)
			return spec_refuse(err, ERR_MEMBER_EMPTY, &sign);
		at += 1 + length;
	}
	return 0;
}

/* A cast ends with the word, so it has not met its ")": "(struct file)" */
static int refuse_open(const struct spec_slice *where,
		       const struct spec_slice *cast,
		       struct trapline_error *err)
{
	const struct spec_slice end = spec_cut(where, where->length,
					       where->length);

	spec_refuse(err, ERR_DEREF_OPEN, &end);
	if (spec_is(cast, "struct") || spec_is(cast, "union"))
		error_hint(err, "the name is enough, without the word %.*s: "
			   "(file)", cast->length, cast->text);
	return -EINVAL;
}

/* "(TYPE)FETCH" or "(TYPE,FIELD)FETCH"; @at: out: where the steps begin */
static int parse_cast(struct spec_fetch *fetch, int *at,
		      struct trapline_error *err)
{
	const struct spec_slice *where = &fetch->where;
	struct spec_path *path = fetch->path;
	const int close = spec_find(where, ")");
	const struct spec_slice cast = spec_cut(where, 1, close);
	const int comma = spec_find(&cast, ",");
	struct spec_slice inner;
	int ret;

	if (close == where->length)
		return refuse_open(where, &cast, err);
	path->type = spec_cut(&cast, 0, comma);
	if (comma < cast.length) {
		path->field = spec_cut(&cast, comma + 1, cast.length);
		ret = check_fields(&cast, comma, err);
		if (ret)
			return ret;
	}
	*at = find_end(where, close + 1, true);
	inner = spec_cut(where, close + 1, *at);
	if (*at == where->length) {
		/* a type changes nothing but which members there are */
		error_set(err, ERR_MEMBER_EMPTY, where->column + *at, 1,
			  spec_shown(where), where->text);
		return -EINVAL;
	}
	return parse_inner(fetch, &inner, err);
}

static int parse_start(struct spec_fetch *fetch, int *at,
		       struct trapline_error *err)
{
	struct spec_fetch *base = spec_new_fetch(&fetch->inner, err);
	int ret;

	if (!base)
		return -ENOMEM;
	*at = spec_path_base(&fetch->where);
	base->where = spec_cut(&fetch->where, 0, *at);
	if (!spec_starts(&base->where, "$")) {
		base->kind = SPEC_PARAMETER;
		base->name = base->where;
		return 0;
	}
	ret = spec_parse_base(base, err);
	if (ret)
		return ret;
	if (base->kind == SPEC_ARGUMENT || base->kind == SPEC_RETVAL ||
	    base->kind == SPEC_CURRENT || base->kind == SPEC_ALL_ARGUMENTS)
		return 0;
	spec_refuse(err, ERR_VARIABLE, &fetch->where);
	error_hint(err, "%.*s points to nothing whose type is known",
		   spec_shown(&base->where), base->where.text);
	return -EINVAL;
}

int spec_parse_path(struct spec_fetch *fetch, struct trapline_error *err)
{
	const struct spec_slice *where = &fetch->where;
	int at = 0;
	int ret;

	if (!is_cast(where) && spec_path_base(where) == where->length) {
		fetch->kind = SPEC_PARAMETER;
		fetch->name = *where;
		return 0;
	}
	fetch->kind = SPEC_PATH;
	fetch->path = calloc(1, sizeof(*fetch->path));
	if (!fetch->path)
		return spec_no_memory(err);
	ret = is_cast(where) ? parse_cast(fetch, &at, err) :
			       parse_start(fetch, &at, err);
	if (ret)
		return ret;
	return parse_steps(fetch->path, spec_cut(where, at, where->length),
			   err);
}
