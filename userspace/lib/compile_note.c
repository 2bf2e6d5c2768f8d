// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is right in a definition, and yet perhaps not what was meant: an argument
 * that is called as a parameter is and fetches another register, as in examples
 * for another machine or another order of the registers; and $argN where nobody
 * knows whether the function has so many.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "regs.h"
#include "text.h"

/**
 * struct found - where a function finds something when it starts
 * @is_register: in a register
 * @word: offset in struct pt_regs, or number of the word on the stack
 */
struct found {
	bool is_register;
	uint64_t word;
};

/* Where an argument looks, if that is one register or one word of the stack. */
static bool where_it_looks(const struct spec_fetch *fetch, struct found *where)
{
	where->is_register = fetch->kind == SPEC_REGISTER;
	switch (fetch->kind) {
	case SPEC_REGISTER:
		return regs_find(fetch->name.text, (size_t)fetch->name.length,
				 &where->word);
	case SPEC_STACK:
		where->word = fetch->number;
		return true;
	case SPEC_DEREF:
		/* half a word is no parameter: UINT64_MAX is nowhere */
		where->word = fetch->number % sizeof(uint64_t) ? UINT64_MAX :
			      fetch->number / sizeof(uint64_t);
		return fetch->inner->kind == SPEC_STACK_POINTER;
	default:
		return false;
	}
}

/* An argument that has a name of its own, and may look where another parameter is. */
static bool may_be_namesake(const struct spec_arg *arg)
{
	struct found unused;

	/* who has given no name has promised nothing */
	return arg->body.column != arg->where.column &&
	       where_it_looks(arg->fetch, &unused);
}

/* $argN, or what it points to, where N is a word of the stack. NULL: it is not. */
static const struct spec_fetch *stack_argument(const struct spec_arg *arg)
{
	const struct spec_fetch *fetch = arg->fetch;
	uint64_t word;

	while (fetch->kind == SPEC_DEREF)
		fetch = fetch->inner;
	return fetch->kind == SPEC_ARGUMENT &&
	       !regs_argument(fetch->number, &word) ? fetch : NULL;
}

/* The number, from 1, of the parameter that an argument is called after, or 0. */
static uint64_t namesake(struct compiler *c, const struct spec_arg *arg,
			 const struct types_function *function)
{
	const struct spec_slice name = {
		.text = arg->name, .length = (int)strlen(arg->name),
	};
	struct trapline_error *err = c->err;
	uint64_t number;
	int ret;

	/* what would be an error of the name is none of this argument */
	c->err = NULL;
	ret = compile_find_param(c, function, &name, &number);
	if (!ret)
		ret = compile_param(c, function, number, &name);
	c->err = err;
	return ret ? 0 : number;
}

/* "dfd ($arg1) is in %di, not in %ax", if that is so. */
static void note_namesake(struct compiler *c, const struct spec_arg *arg,
			  const struct types_function *function,
			  struct text *text)
{
	struct found there, here;
	uint64_t number;

	if (!may_be_namesake(arg))
		return;
	where_it_looks(arg->fetch, &here);
	number = namesake(c, arg, function);
	if (!number)
		return;
	there.is_register = regs_argument(number, &there.word);
	if (there.is_register == here.is_register && there.word == here.word)
		return;
	if (!text->length)
		text_add(text, "at the entry of %s ", c->event->symbol);
	else
		text_add(text, ", ");
	text_add(text, "%s ($arg%u) is in ", arg->name, (unsigned int)number);
	if (there.is_register)
		text_add(text, "%%%s", regs_name(there.word));
	else
		text_add(text, "$stack%u", (unsigned int)there.word);
	text_add(text, ", not in %.*s", spec_shown(&arg->fetch->where),
		 arg->fetch->where.text);
}

/* "$arg8 is a word of the stack", if it is one of which nothing is known. */
static void note_unchecked(struct compiler *c, const struct spec_arg *arg,
			   struct text *text)
{
	const struct spec_fetch *fetch = stack_argument(arg);

	if (text->length || !fetch)
		return;
	text_add(text, "$arg%u is a word of the stack; without types (BTF) of %s nobody has checked that it has so many parameters",
		 (unsigned int)fetch->number, c->event->symbol);
}

/* Is there anything of which types could tell more? They take long to read. */
static bool needs_types(const struct spec *spec)
{
	unsigned int i;

	for (i = 0; i < spec->arg_count; i++)
		if (may_be_namesake(&spec->args[i]) ||
		    stack_argument(&spec->args[i]))
			return true;
	return false;
}

int compile_note(struct compiler *c)
{
	const struct types_function *function;
	char buf[1024];
	struct text text;
	unsigned int i;
	int ret;

	if (c->spec->kind != SPEC_ENTRY || c->event->offset ||
	    !needs_types(c->spec))
		return 0;
	ret = compile_function(c, &function);
	if (ret)
		return ret;
	text_start(&text, buf, sizeof(buf));
	for (i = 0; i < c->spec->arg_count; i++) {
		if (function)
			note_namesake(c, &c->spec->args[i], function, &text);
		else
			note_unchecked(c, &c->spec->args[i], &text);
	}
	if (!text.length)
		return 0;
	if (function)
		text_add(&text, "; as $argN or by its name a parameter is found everywhere");
	c->event->note = strdup(buf);
	return c->event->note ? 0 : spec_no_memory(c->err);
}
