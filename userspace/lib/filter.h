/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter of a definition as a tree: what follows its "if".
 *
 *	spec_filter.c		text to tree
 *	compile_filter.c	tree to the first instructions of a program
 *	compile_compare.c	one comparison of it
 */
#ifndef TRAPLINE_FILTER_H
#define TRAPLINE_FILTER_H

#include "spec.h"

enum {
	FILTER_COMPARE_MAX = 128,	/* comparisons of one filter */
	FILTER_DEPTH_MAX = 32,		/* "(" and "!" inside each other */
};

enum filter_kind {
	FILTER_COMPARE,
	FILTER_NOT,	/* !left */
	FILTER_AND,	/* left && right */
	FILTER_OR,	/* left || right */
};

enum filter_op {
	FILTER_EQUAL,	/* == */
	FILTER_UNEQUAL,	/* != */
	FILTER_BELOW,	/* < */
	FILTER_BELOW_EQUAL,
	FILTER_ABOVE,	/* > */
	FILTER_ABOVE_EQUAL,
	FILTER_BITS,	/* & */
	FILTER_GLOB,	/* ~ */
};

/**
 * struct filter_node - a part of a filter
 * @kind: which
 * @where: all of a comparison
 * @left: number of a node, which has a lower one than this
 * @right: the same
 * @name: what is compared
 * @op: how
 * @op_where: where that stands
 * @value: what it is compared with
 * @is_text: @value is a text, its quotes included
 * @number: @value, in two's complement
 */
struct filter_node {
	enum filter_kind kind;
	struct spec_slice where;
	unsigned int left;
	unsigned int right;
	struct spec_slice name;
	enum filter_op op;
	struct spec_slice op_where;
	struct spec_slice value;
	bool is_text;
	uint64_t number;
};

/**
 * struct filter - a filter
 * @where: all of it, without "if"
 * @nodes: its parts; the last one is the whole
 * @count: how many
 * @compare_count: how many of them are comparisons
 */
struct filter {
	struct spec_slice where;
	struct filter_node *nodes;
	unsigned int count;
	unsigned int compare_count;
};

/**
 * filter_parse() - text becomes a tree
 * @line: where columns are counted from
 * @at: where the filter begins; it ends with the line, or at a comment
 * @out: the tree, to be freed with filter_free()
 * @err: filled on failure
 */
int filter_parse(const char *line, const char *at, struct filter **out,
		 struct trapline_error *err);
/** filter_free() - free a tree; NULL is allowed */
void filter_free(struct filter *filter);

/**
 * filter_compile() - put a filter before an event's program
 * @filter: the filter
 * @event: complete; a filter that it has already stays: both must let a hit
 *	through, the new one is asked first
 * @use_args: the filter may name arguments of the event, too
 * @err: filled on failure
 */
int filter_compile(const struct filter *filter, struct trapline_event *event,
		   bool use_args, struct trapline_error *err);

#endif
