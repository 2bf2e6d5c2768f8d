// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What an argument fetches.
 *
 * A fetch is a chain: reads of memory, each inside the parentheses of the one
 * before, around a base that is none. The chain is built from the outside in,
 * without recursion, so that no line can exhaust the stack.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../uapi/trapline_prog.h"
#include "regs.h"
#include "spec.h"

struct spec_fetch *spec_new_fetch(struct spec_fetch **link,
				  struct trapline_error *err)
{
	struct spec_fetch *fetch = calloc(1, sizeof(*fetch));

	if (!fetch)
		spec_no_memory(err);
	*link = fetch;
	return fetch;
}

/* Report a number that spec_number() refused, as @code unless too large. */
static int bad_number(struct trapline_error *err, int ret,
		      enum error_code code, const struct spec_slice *slice)
{
	return spec_refuse(err, ret == -ERANGE ? ERR_NUMBER_RANGE : code,
			   slice);
}

/* ---- bases ------------------------------------------------------------ */

static int unknown_variable(const struct spec_slice *where,
			    struct trapline_error *err)
{
	spec_refuse(err, ERR_VARIABLE, where);
	error_hint(err, "there are $arg1, $arg2, ..., $sysarg1, ..., $retval, $duration, "
		   "$stack, $stack0, $stack1, ..., $current, "
		   "$tid, $tgid, $cpu, $cgroup, $comm, $kstack and $ustack");
	return -EINVAL;
}

static const struct spec_task tasks[] = {
	{ "tid", TL_TASK_TID, 4 },
	{ "tgid", TL_TASK_TGID, 4 },
	{ "cpu", TL_TASK_CPU, 4 },
	{ "cgroup", TL_TASK_CGROUP, 8 },
};

const struct spec_task *spec_find_task(const struct spec_slice *name)
{
	size_t i;

	for (i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		if (spec_is(name, tasks[i].name))
			return &tasks[i];
	return NULL;
}

static bool parse_task(struct spec_fetch *fetch)
{
	const struct spec_slice name = spec_cut(&fetch->where, 1,
						fetch->where.length);
	const struct spec_task *task = spec_find_task(&name);

	if (!task)
		return false;
	fetch->kind = SPEC_TASK;
	fetch->number = task->which;
	return true;
}

/* "$argN" and "$stackN"; N is decimal, as in the kernel: it is a name */
static int numbered_variable(struct spec_fetch *fetch, const char *prefix,
			     struct trapline_error *err)
{
	const struct spec_slice number = spec_cut(&fetch->where,
						  (int)strlen(prefix),
						  fetch->where.length);
	const bool is_stack = fetch->kind == SPEC_STACK;
	const unsigned int max = is_stack ? SPEC_STACK_MAX : SPEC_ARGUMENT_MAX;
	int ret = spec_decimal(&number, &fetch->number);

	if (ret == -EINVAL)
		return unknown_variable(&fetch->where, err);
	if (!ret && fetch->number <= max && (is_stack || fetch->number))
		return 0;
	error_set(err, is_stack ? ERR_STACK_NUMBER : ERR_ARG_NUMBER,
		  fetch->where.column, fetch->where.length,
		  spec_shown(&fetch->where), fetch->where.text, max);
	return -EINVAL;
}

/* "$sysargN" */
static int system_argument(struct spec_fetch *fetch, struct trapline_error *err)
{
	const struct spec_slice *where = &fetch->where;
	const struct spec_slice number = spec_cut(where, (int)strlen("$sysarg"),
						  where->length);
	uint64_t unused;

	fetch->kind = SPEC_SYSTEM_ARGUMENT;
	if (!spec_decimal(&number, &fetch->number) &&
	    regs_syscall_argument(fetch->number, &unused))
		return 0;
	error_set(err, ERR_SYSARG, where->column, where->length,
		  spec_shown(where), where->text, "no others");
	return -EINVAL;
}

static int parse_variable(struct spec_fetch *fetch, struct trapline_error *err)
{
	const struct spec_slice *where = &fetch->where;

	if (spec_path_base(where) < where->length)
		return spec_parse_path(fetch, err);
	if (spec_is(where, "$current")) {
		fetch->kind = SPEC_CURRENT;
	} else if (spec_is(where, "$arg*")) {
		fetch->kind = SPEC_ALL_ARGUMENTS;
	} else if (spec_is(where, "$stack")) {
		fetch->kind = SPEC_STACK_POINTER;
	} else if (spec_is(where, "$retval")) {
		fetch->kind = SPEC_RETVAL;
	} else if (spec_is(where, "$duration")) {
		fetch->kind = SPEC_DURATION;
	} else if (parse_task(fetch)) {
		return 0;
	} else if (spec_is(where, "$kstack") || spec_is(where, "$ustack")) {
		fetch->kind = SPEC_FRAME_LIST;
		fetch->user = where->text[1] == 'u';
		fetch->number = SPEC_FRAMES;
	} else if (spec_is(where, "$comm") || spec_is(where, "$COMM")) {
		fetch->kind = SPEC_COMM;
	} else if (spec_starts(where, "$stack")) {
		fetch->kind = SPEC_STACK;
		return numbered_variable(fetch, "$stack", err);
	} else if (spec_starts(where, "$sysarg")) {
		return system_argument(fetch, err);
	} else if (spec_starts(where, "$arg")) {
		fetch->kind = SPEC_ARGUMENT;
		return numbered_variable(fetch, "$arg", err);
	} else {
		return unknown_variable(where, err);
	}
	return 0;
}

static int parse_symbol(struct spec_fetch *fetch, struct trapline_error *err)
{
	const struct spec_slice *where = &fetch->where;
	int sign = spec_find(where, "+-");
	struct spec_slice offset = spec_cut(where, sign, where->length);
	int ret, i;

	fetch->kind = SPEC_SYMBOL;
	fetch->name = spec_cut(where, 1, sign);
	for (i = 0; i < fetch->name.length; i++)
		if (!spec_is_alnum(fetch->name.text[i]) &&
		    !strchr(".$", fetch->name.text[i]))
			return spec_refuse(err, ERR_MEM_ADDRESS, where);
	if (!fetch->name.length)
		return spec_refuse(err, ERR_MEM_ADDRESS, where);
	if (!offset.length)
		return 0;
	ret = spec_signed(&offset, &fetch->number);
	return ret ? bad_number(err, ret, ERR_MEM_ADDRESS, where) : 0;
}

/* "@" */
static int parse_memory(struct spec_fetch *fetch, struct trapline_error *err)
{
	const struct spec_slice number = spec_cut(&fetch->where, 1,
						  fetch->where.length);
	int ret;

	if (spec_starts(&number, "+"))
		return spec_refuse(err, ERR_FILE_OFFSET, &fetch->where);
	if (!number.length || !spec_is_digit(number.text[0]))
		return parse_symbol(fetch, err);
	fetch->kind = SPEC_ADDRESS;
	ret = spec_number(&number, &fetch->number);
	return ret ? bad_number(err, ret, ERR_MEM_ADDRESS, &fetch->where) : 0;
}

/* "\" before anything but a text */
static int parse_immediate(struct spec_fetch *fetch,
			   struct trapline_error *err)
{
	const struct spec_slice number = spec_cut(&fetch->where, 1,
						  fetch->where.length);
	int ret = spec_signed(&number, &fetch->number);

	fetch->kind = SPEC_NUMBER;
	return ret ? bad_number(err, ret, ERR_IMMEDIATE, &number) : 0;
}

/* What begins with none of the signs. */
static int parse_plain(struct spec_fetch *fetch, struct trapline_error *err)
{
	const struct spec_slice *where = &fetch->where;
	const struct spec_slice name = spec_cut(where, 0,
						spec_find(where, "-.[("));
	const struct spec_slice rest = spec_cut(where, name.length,
						where->length);

	if (spec_is(&name, "this_cpu_read") || spec_is(&name, "this_cpu_ptr"))
		return spec_unsupported(err, "the per-CPU variable", where);
	if ((spec_is_name(&name) && !spec_starts(&rest, "(")) ||
	    spec_cast_length(where))
		return spec_parse_path(fetch, err);
	spec_refuse(err, ERR_FETCH, where);
	if (spec_is_digit(where->text[0]))
		error_hint(err, "a constant is written \\NUMBER");
	else
		error_hint(err, "there are %%REGISTER, $arg1, $retval, $stack, "
			   "$comm, @ADDRESS, @SYMBOL, +OFFSET(ADDRESS), "
			   "\\NUMBER and \\\"TEXT\"");
	return -EINVAL;
}

int spec_parse_base(struct spec_fetch *fetch, struct trapline_error *err)
{
	const struct spec_slice *where = &fetch->where;

	if (!where->length)
		return spec_refuse(err, ERR_FETCH_EMPTY, where);
	switch (where->text[0]) {
	case '%':
		fetch->kind = SPEC_REGISTER;
		fetch->name = spec_cut(where, 1, where->length);
		return 0;
	case '$':
		return parse_variable(fetch, err);
	case '@':
		return parse_memory(fetch, err);
	case '\\':
		return parse_immediate(fetch, err);
	default:
		return parse_plain(fetch, err);
	}
}

/* ---- the chain -------------------------------------------------------- */

/* \"TEXT" at @at of @body; the lexer has kept it in one piece */
static int parse_text(struct spec_fetch *fetch, const struct spec_slice *body,
		      int *at, struct trapline_error *err)
{
	const int start = *at + 2;
	struct spec_slice end = spec_cut(body, body->length, body->length);
	int quote;

	for (quote = start; quote < body->length; quote++) {
		if (body->text[quote] != '"')
			continue;
		if (quote + 1 == body->length ||
		    strchr(":)", body->text[quote + 1]))
			break;
	}
	if (quote >= body->length)
		return spec_refuse(err, ERR_STRING_OPEN, &end);
	fetch->kind = SPEC_TEXT;
	fetch->name = spec_cut(body, start, quote);
	fetch->where = spec_cut(body, *at, quote + 1);
	*at = quote + 1;
	return 0;
}

/* "+OFFSET(" or "+uOFFSET(" at @at of @body */
static int parse_deref(struct spec_fetch *fetch, const struct spec_slice *body,
		       int *at, struct trapline_error *err)
{
	const bool negative = body->text[*at] == '-';
	struct spec_slice rest = spec_cut(body, *at, body->length);
	int paren = spec_find(&rest, "(");
	struct spec_slice number;
	int ret;

	fetch->kind = SPEC_DEREF;
	fetch->where = rest;
	if (paren == rest.length)
		return spec_refuse(err, ERR_DEREF_PAREN, &rest);
	fetch->user = rest.text[1] == 'u';
	number = spec_cut(&rest, 1 + fetch->user, paren);
	ret = spec_number(&number, &fetch->number);
	if (!ret && fetch->number > (uint64_t)INT64_MAX + negative)
		ret = -ERANGE;
	if (ret) {
		rest.length = paren;
		return bad_number(err, ret, ERR_DEREF_OFFSET, &rest);
	}
	if (negative)
		fetch->number = -fetch->number;
	*at += paren + 1;
	return 0;
}

/* The parentheses that close @depth reads, at @at of @body. */
static int close_chain(struct spec_arg *arg, int depth, int *at,
		       struct trapline_error *err)
{
	struct spec_fetch *fetch;
	struct spec_slice missing;
	int i;

	for (i = 0; i < depth; i++) {
		if (*at + i < arg->body.length &&
		    arg->body.text[*at + i] == ')')
			continue;
		missing = spec_cut(&arg->body, *at + i, *at + i);
		return spec_refuse(err, ERR_DEREF_OPEN, &missing);
	}
	*at += depth;
	/* the outermost read ends last */
	for (fetch = arg->fetch, i = 0; i < depth; fetch = fetch->inner, i++)
		fetch->where.length = arg->body.column + *at - i -
				      fetch->where.column;
	return 0;
}

/* How long is the base at the start of @rest? It ends with ")" or ":". */
static int base_length(const struct spec_slice *rest)
{
	int open = spec_find(rest, "(:");
	struct spec_slice tail = spec_cut(rest, open, rest->length);
	int close = spec_find(&tail, ")");
	int cast = spec_cast_length(rest);

	if (cast)
		return cast;
	/* what has parentheses of its own is told as a whole */
	if (spec_starts(&tail, "(") && close < tail.length) {
		open += close + 1;
		tail = spec_cut(rest, open, rest->length);
		return open + spec_find(&tail, ":)");
	}
	return spec_find(rest, ":)");
}

int spec_parse_chain(struct spec_arg *arg, int *at, struct trapline_error *err)
{
	const struct spec_slice *body = &arg->body;
	struct spec_fetch **link = &arg->fetch;
	struct spec_slice rest;
	struct spec_fetch *fetch;
	int depth = 0;
	int ret;

	for (;;) {
		rest = spec_cut(body, *at, body->length);
		fetch = spec_new_fetch(link, err);
		if (!fetch)
			return -ENOMEM;
		if (!spec_starts(&rest, "+") && !spec_starts(&rest, "-"))
			break;
		if (++depth > SPEC_DEREF_MAX) {
			error_set(err, ERR_DEREF_DEPTH, rest.column, 1,
				  SPEC_DEREF_MAX);
			return -EINVAL;
		}
		ret = parse_deref(fetch, body, at, err);
		if (ret)
			return ret;
		link = &fetch->inner;
	}
	if (spec_starts(&rest, "\\\"")) {
		ret = parse_text(fetch, body, at, err);
	} else {
		fetch->where = spec_cut(&rest, 0, base_length(&rest));
		*at += fetch->where.length;
		ret = spec_parse_base(fetch, err);
		if (!ret && depth && fetch->kind == SPEC_FRAME_LIST)
			ret = spec_refuse(err, ERR_STACK_VALUE, &fetch->where);
	}
	return ret ? ret : close_chain(arg, depth, at, err);
}

/* The kernel's own probes ignore what follows a read; that hides mistakes. */
static int refuse_tail(const struct spec_arg *arg,
		       const struct spec_slice *rest,
		       struct trapline_error *err)
{
	spec_refuse(err, ERR_FETCH_TAIL, rest);
	if (spec_starts(rest, "->"))
		error_hint(err, "what it points to is not known; say it: "
			   "(STRUCT)%.*s%.*s", spec_shown(&arg->fetch->where),
			   arg->fetch->where.text, spec_shown(rest),
			   rest->text);
	else if (arg->fetch->kind == SPEC_DEREF && strchr("+-", rest->text[0]))
		error_hint(err, "the offset of what is read stands before "
			   "the parenthesis");
	return -EINVAL;
}

/* "$arg*" stands for several arguments and so for nothing inside of one. */
static int check_all(const struct spec_arg *arg, struct trapline_error *err)
{
	const struct spec_fetch *fetch = arg->fetch;

	while (fetch->inner)
		fetch = fetch->inner;
	if (fetch->kind != SPEC_ALL_ARGUMENTS ||
	    fetch->where.length == arg->where.length)
		return 0;
	return spec_refuse(err, ERR_ARGS_FORM, &arg->where);
}

/* What follows the ":" of a stack: how many frames. */
static int parse_frames(struct spec_fetch *fetch,
			const struct spec_slice *number,
			struct trapline_error *err)
{
	int ret = spec_decimal(number, &fetch->number);

	if (!ret && fetch->number && fetch->number <= SPEC_FRAMES_MAX)
		return 0;
	if (ret == -EINVAL) {
		spec_refuse(err, ERR_STACK_TYPE, number);
		error_hint(err, "%.*s:N has the newest N frames, %d without N",
			   fetch->where.length, fetch->where.text, SPEC_FRAMES);
		return -EINVAL;
	}
	error_set(err, ERR_STACK_FRAMES, number->column, number->length,
		  spec_shown(number), number->text, SPEC_FRAMES_MAX);
	return -EINVAL;
}

int spec_parse_fetch(struct spec_arg *arg, struct trapline_error *err)
{
	struct spec_slice rest;
	int at = 0;
	int ret;

	ret = spec_parse_chain(arg, &at, err);
	if (!ret)
		ret = check_all(arg, err);
	if (ret)
		return ret;
	rest = spec_cut(&arg->body, at, arg->body.length);
	if (!rest.length)
		return 0;
	if (rest.text[0] != ':')
		return refuse_tail(arg, &rest, err);
	rest = spec_cut(&rest, 1, rest.length);
	if (arg->fetch->kind == SPEC_FRAME_LIST)
		return parse_frames(arg->fetch, &rest, err);
	arg->type.where = rest;
	return spec_parse_type(&arg->type, err);
}
