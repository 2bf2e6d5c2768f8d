// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What arguments are called, as the kernel's own probes have it: "$arg*" is all
 * parameters, and without a name of its own "$argN" is taken for the parameter,
 * and both are called after it. Without the kernel's types "$argN" is what it says.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

/* ---- the function ----------------------------------------------------- */

int compile_function(struct compiler *c,
		     const struct types_function **function)
{
	const bool is_tracepoint = c->spec->kind == SPEC_TRACEPOINT;
	struct types *types = symbols_types(c->symbols);
	const char *missing;

	*function = NULL;
	if (!c->function_asked && types) {
		if (types_load(types, c->event->module, &missing))
			return spec_no_memory(c->err);
		c->function_found =
			(is_tracepoint ? types_tracepoint : types_function)
			(types, c->event->module, c->event->symbol,
			 &c->function);
	}
	c->function_asked = true;
	if (c->function_found == TYPES_FOUND)
		*function = &c->function;
	return 0;
}

int compile_need_types(struct compiler *c, const char *module,
		       const struct spec_slice *slice)
{
	struct types *types = symbols_types(c->symbols);
	const char *missing = "the symbols are not this kernel's";

	if (types && types_load(types, module, &missing))
		return spec_no_memory(c->err);
	if (!missing)
		return 0;
	error_set(c->err, ERR_BTF_MISSING, slice->column, slice->length,
		  spec_shown(slice), slice->text, missing);
	error_hint(c->err, "a kernel with CONFIG_DEBUG_INFO_BTF has them; "
		   "without, say where it is: $argN, %%REGISTER and "
		   "+OFFSET(ADDRESS)");
	return -EINVAL;
}

static int refuse_several(struct compiler *c, const struct spec_slice *slice)
{
	error_set(c->err, ERR_BTF_SEVERAL, slice->column, slice->length,
		  c->spec->kind == SPEC_TRACEPOINT ? "tracepoints" : "functions",
		  c->event->symbol);
	error_hint(c->err, c->spec->kind == SPEC_TRACEPOINT ?
		   "say where it is: $arg1, $arg2, ..." :
		   "say where it is: $argN, %%REGISTER and +OFFSET(ADDRESS)");
	return -EINVAL;
}

int compile_need_function(struct compiler *c, const struct spec_slice *slice,
			  const struct types_function **function)
{
	const char *symbol = c->event->symbol;
	int ret = compile_function(c, function);

	if (ret || *function)
		return ret;
	ret = compile_need_types(c, c->event->module, slice);
	if (ret)
		return ret;
	if (c->function_found == TYPES_SEVERAL)
		return refuse_several(c, slice);
	error_set(c->err, ERR_BTF_FUNCTION, slice->column, slice->length,
		  c->spec->kind == SPEC_TRACEPOINT ? "tracepoint" : "function",
		  symbol);
	if (c->spec->kind == SPEC_TRACEPOINT) {
		error_hint(c->err, "its arguments have no names then, and no "
			   "types: $arg1, $arg2, ...");
		return -EINVAL;
	}
	error_hint(c->err, strchr(symbol, '.') ?
		   "the compiler has made something else of it; say where it "
		   "is: $argN, %%REGISTER and +OFFSET(ADDRESS)" :
		   "it is not written in C; say where it is: $argN, %%REGISTER "
		   "and +OFFSET(ADDRESS)");
	return -EINVAL;
}

/* ---- parameters ------------------------------------------------------- */

static void hint_params(struct compiler *c,
			const struct types_function *function)
{
	const unsigned int count = function->param_count;
	struct types_ref type;
	char list[400], number[16];
	size_t used = 0;
	unsigned int i;

	if (!count) {
		error_hint(c->err, "it has none");
		return;
	}
	for (i = 0; i < count && used < sizeof(list); i++) {
		const char *name = types_param(function, i, &type);

		snprintf(number, sizeof(number), "$arg%u", i + 1);
		used += (size_t)snprintf(list + used, sizeof(list) - used,
					 "%s%s", !i ? "" : i + 1 < count ?
					 ", " : " and ",
					 name[0] ? name : number);
	}
	error_hint(c->err, count > 1 ? "its parameters are %s" :
				       "its only parameter is %s", list);
}

int compile_find_param(struct compiler *c,
		       const struct types_function *function,
		       const struct spec_slice *name, uint64_t *number)
{
	struct types_ref type;
	unsigned int i;

	for (i = 0; i < function->param_count; i++) {
		*number = i + 1;
		if (spec_is(name, types_param(function, i, &type)))
			return 0;
	}
	error_set(c->err, function->nameless ? ERR_PARAM_SEVERAL :
		  ERR_PARAM_UNKNOWN, name->column, name->length,
		  c->event->symbol, spec_shown(name), name->text);
	hint_params(c, function);
	return -EINVAL;
}

/*
 * One register is a parameter's, unless it has more bytes, or is no integer. A
 * struct without members takes none.
 */
static bool in_one_register(const struct types_shape *shape)
{
	return shape->kind != TYPES_OTHER && shape->bytes &&
	       shape->bytes <= sizeof(uint64_t);
}

int compile_param(struct compiler *c, const struct types_function *function,
		  uint64_t number, const struct spec_slice *slice)
{
	const char *name = c->event->symbol;
	struct types_shape shape;
	struct types_ref type;
	unsigned int i;

	if (number > function->param_count) {
		if (function->is_variadic)
			return 0;
		error_set(c->err, ERR_PARAM_COUNT, slice->column,
			  slice->length, spec_shown(slice), slice->text, name,
			  function->param_count,
			  function->param_count == 1 ? "" : "s");
		hint_params(c, function);
		return -EINVAL;
	}
	/* each one before it that takes more, or none, moves it */
	for (i = 0; i < number; i++) {
		const char *param = types_param(function, i, &type);

		types_look(type, &shape);
		if (in_one_register(&shape))
			continue;
		error_set(c->err, ERR_PARAM_PLACE, slice->column,
			  slice->length, types_param(function,
						     (unsigned int)number - 1,
						     &type),
			  name, param, shape.bytes);
		error_hint(c->err, "say where it is: %%di, %%si, %%dx, %%cx, "
			   "%%r8, %%r9, $stackN");
		return -EINVAL;
	}
	return 0;
}

/* ---- $arg* ------------------------------------------------------------ */

/* The arguments @from of @to, where @at stands for all parameters. */
static int fill(struct compiler *c, struct spec_arg *to, unsigned int at,
		unsigned int count)
{
	struct spec *spec = c->spec;
	const struct spec_slice where = spec->args[at].where;
	unsigned int i;

	memcpy(to, spec->args, at * sizeof(*to));
	memcpy(to + at + count, &spec->args[at + 1],
	       (spec->arg_count - at - 1) * sizeof(*to));
	spec_free_fetch(spec->args[at].fetch);
	free(spec->args);
	spec->args = to;
	spec->arg_count += count - 1;
	for (i = 0; i < count; i++) {
		struct spec_arg *arg = &to[at + i];
		struct spec_fetch *fetch;

		arg->where = where;
		arg->body = where;
		fetch = spec_new_fetch(&arg->fetch, c->err);
		if (!fetch)
			return -ENOMEM;
		fetch->kind = SPEC_ARGUMENT;
		fetch->where = where;
		fetch->number = i + 1;
	}
	return 0;
}

static int expand(struct compiler *c, unsigned int at)
{
	const struct spec_slice *where = &c->spec->args[at].where;
	const struct types_function *function;
	struct spec_arg *args;
	unsigned int count;
	int ret;

	ret = compile_check_argument(c, c->spec->args[at].fetch);
	if (!ret)
		ret = compile_need_function(c, where, &function);
	if (ret)
		return ret;
	count = function->param_count;
	ret = compile_param(c, function, count ? count : 1, where);
	if (ret)
		return ret;
	if (c->spec->arg_count - 1 + count > SPEC_ARGS_MAX) {
		error_set(c->err, ERR_ARGS_MANY, where->column, where->length,
			  SPEC_ARGS_MAX);
		return -EINVAL;
	}
	args = calloc(c->spec->arg_count - 1 + count, sizeof(*args));
	return args ? fill(c, args, at, count) : spec_no_memory(c->err);
}

static int expand_all(struct compiler *c)
{
	struct spec *spec = c->spec;
	unsigned int found = spec->arg_count;
	unsigned int i;

	for (i = 0; i < spec->arg_count; i++) {
		if (spec->args[i].fetch->kind != SPEC_ALL_ARGUMENTS)
			continue;
		if (found < i)
			return spec_refuse(c->err, ERR_ARGS_FORM,
					   &spec->args[i].where);
		found = i;
	}
	return found < spec->arg_count ? expand(c, found) : 0;
}

/* ---- $retval ---------------------------------------------------------- */

/* A call's $retval that nobody has asked for goes where nothing is returned. */
int compile_added(struct compiler *c)
{
	struct spec *spec = c->spec;
	const struct types_function *function;
	struct types_shape shape;
	unsigned int i = 0;
	int ret;

	while (i < spec->arg_count && !(spec->args[i].is_added &&
					spec->args[i].fetch->kind == SPEC_RETVAL))
		i++;
	if (i == spec->arg_count)
		return 0;
	ret = compile_function(c, &function);
	if (ret || !function)
		return ret;
	types_look(function->result, &shape);
	if (shape.kind != TYPES_VOID)
		return 0;
	spec_free_fetch(spec->args[i].fetch);
	spec->arg_count--;
	memmove(&spec->args[i], &spec->args[i + 1],
		(spec->arg_count - i) * sizeof(spec->args[0]));
	return 0;
}

/* ---- names ------------------------------------------------------------ */

/* "$argN" as it is listed, as @name with the type that was given. */
static int set_listed(struct compiler *c, struct spec_arg *arg,
		      const char *name)
{
	const struct spec_slice *type = &arg->type.where;

	const size_t size = strlen(name) + (size_t)type->length + 2;

	arg->listed = malloc(size);
	if (!arg->listed)
		return spec_no_memory(c->err);
	snprintf(arg->listed, size, "%s%s%.*s", name, type->length ? ":" : "",
		 type->length, type->length ? type->text : "");
	return 0;
}

/*
 * An argument is called after the parameter that it is; with %pd or %pD it is
 * none any more.
 */
static void name_after(struct spec_arg *arg, const struct spec_slice *name)
{
	if (!arg->type.name_of && name->length <= SPEC_ARG_NAME_MAX)
		snprintf(arg->name, sizeof(arg->name), "%.*s", name->length,
			 name->text);
}

/* "$argN" without a name becomes the parameter, if it has a name. */
static int name_after_param(struct compiler *c, struct spec_arg *arg)
{
	struct spec_fetch *fetch = arg->fetch;
	const struct types_function *function;
	struct types_ref type;
	const char *name = "";
	char number[16];
	int ret = 0;

	if (!c->event->offset) {
		ret = compile_function(c, &function);
		if (!ret && function && fetch->number <= function->param_count)
			name = types_param(function,
					   (unsigned int)fetch->number - 1,
					   &type);
	}
	if (ret)
		return ret;
	if (name[0]) {
		const struct spec_slice slice = {
			.text = name, .length = (int)strlen(name),
		};

		name_after(arg, &slice);
		fetch->kind = SPEC_PARAMETER;
		return set_listed(c, arg, name);
	}
	if (!spec_is(&arg->body, "$arg*"))
		return 0;
	snprintf(number, sizeof(number), "$arg%u",
		 (unsigned int)fetch->number);
	return set_listed(c, arg, number);
}

int compile_names(struct compiler *c)
{
	unsigned int i;
	int ret = expand_all(c);

	for (i = 0; !ret && i < c->spec->arg_count; i++) {
		struct spec_arg *arg = &c->spec->args[i];

		if (arg->body.column != arg->where.column)
			continue;
		c->arg = arg;
		snprintf(arg->name, sizeof(arg->name), "arg%u", i + 1);
		if (arg->fetch->kind == SPEC_ARGUMENT)
			ret = name_after_param(c, arg);
		else if (arg->fetch->kind == SPEC_PARAMETER)
			name_after(arg, &arg->fetch->name);
	}
	return ret ? ret : spec_check_names(c->spec, c->err);
}
