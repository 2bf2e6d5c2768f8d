// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The form of a filter, what follows "if":
 *
 *	or      = and { "||" and }
 *	and     = term { "&&" term }
 *	term    = compare | "!" term | "(" or ")"
 *	compare = NAME OPERATOR VALUE
 *
 * "!" is for what is in parentheses. What is inside each other is counted, so
 * that no line can exhaust the stack. Names are the business of
 * compile_compare.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"

enum token {
	TOKEN_END,
	TOKEN_WORD,	/* a name, a number, or what was meant to be one */
	TOKEN_TEXT,	/* "text" */
	TOKEN_SIGN,	/* anything else */
};

/**
 * struct parser - a filter that is being read
 * @filter: what it has become so far
 * @line: where columns are counted from
 * @at: behind the next token
 * @token: the next one
 * @where: of the next one
 * @depth: "(" and "!" that are open
 * @err: filled on failure
 */
struct parser {
	struct filter *filter;
	const char *line;
	const char *at;
	enum token token;
	struct spec_slice where;
	unsigned int depth;
	struct trapline_error *err;
};

/* ---- tokens ----------------------------------------------------------- */

static bool is_word(char c)
{
	return spec_is_alnum(c) || (c && strchr("$%@.+-", c)) ||
	       (unsigned char)c >= 0x80;
}

/* How long is the sign that @at begins with? */
static int sign_length(const char *at)
{
	static const char *const signs[] = {
		"==", "!=", "<=", ">=", "&&", "||", "!~", "<<", ">>",
	};
	size_t i;

	for (i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (!strncmp(at, signs[i], 2))
			return 2;
	return 1;
}

/* Behind the text whose quote is @at; NULL: it does not end. */
static const char *text_end(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at + 1 : NULL;
}

static int next_token(struct parser *p)
{
	const char *start = p->at;
	const char *end = start;

	while (spec_is_space(*start))
		start++;
	end = start;
	if (!*start || *start == '#') {
		/* what is missing should stand behind the last one */
		p->token = TOKEN_END;
		start = p->at;
		end = start;
	} else if (*start == '"') {
		p->token = TOKEN_TEXT;
		end = text_end(start);
	} else if (is_word(*start)) {
		p->token = TOKEN_WORD;
		while (is_word(*end))
			end++;
	} else {
		p->token = TOKEN_SIGN;
		end = start + sign_length(start);
	}
	p->where = (struct spec_slice){
		.text = start,
		.length = end ? (int)(end - start) : 1,
		.column = (int)(start - p->line),
	};
	if (!end)
		return spec_refuse(p->err, ERR_FILTER_TEXT_OPEN, &p->where);
	p->at = end;
	return 0;
}

static bool is_sign(const struct parser *p, const char *sign)
{
	return p->token == TOKEN_SIGN && spec_is(&p->where, sign);
}

/* ---- nodes ------------------------------------------------------------ */

static struct filter_node *new_node(struct parser *p, enum filter_kind kind)
{
	struct filter *filter = p->filter;
	struct filter_node *nodes = filter->nodes;
	const unsigned int count = filter->count;

	/* full at each power of two */
	if (!(count & (count - 1))) {
		nodes = realloc(nodes, (count ? count * 2 : 1) * sizeof(*nodes));
		if (!nodes) {
			spec_no_memory(p->err);
			return NULL;
		}
		filter->nodes = nodes;
	}
	filter->count++;
	nodes[count] = (struct filter_node){ .kind = kind };
	return &nodes[count];
}

/* The node just made is the right side of a new one, whose left is @left. */
static int join(struct parser *p, enum filter_kind kind, unsigned int left)
{
	const unsigned int right = p->filter->count - 1;
	struct filter_node *node = new_node(p, kind);

	if (!node)
		return -ENOMEM;
	node->left = left;
	node->right = right;
	return 0;
}

/* ---- comparisons ------------------------------------------------------ */

static const struct {
	const char *sign;
	enum filter_op op;
} operators[] = {
	{ "==", FILTER_EQUAL },
	{ "!=", FILTER_UNEQUAL },
	{ "<", FILTER_BELOW },
	{ "<=", FILTER_BELOW_EQUAL },
	{ ">", FILTER_ABOVE },
	{ ">=", FILTER_ABOVE_EQUAL },
	{ "&", FILTER_BITS },
	{ "~", FILTER_GLOB },
};

static int refuse_name(struct parser *p)
{
	const struct spec_slice *where = &p->where;
	const struct spec_slice name = spec_cut(where, where->length > 0,
						where->length);

	spec_refuse(p->err, ERR_FILTER_OPERAND, where);
	if (p->token == TOKEN_TEXT ||
	    (where->length && spec_is_digit(where->text[0])))
		error_hint(p->err, "the name comes first: NAME == VALUE");
	else if (spec_starts(where, "$") && spec_is_name(&name))
		error_hint(p->err, "names are written without $: %.*s",
			   spec_shown(&name), name.text);
	else if (where->length)
		error_hint(p->err, "what is to be compared must be an argument "
			   "with a name, or tid, tgid, comm, cpu, cgroup");
	return -EINVAL;
}

static int parse_name(struct parser *p, struct filter_node *node)
{
	if (p->token != TOKEN_WORD || !spec_is_name(&p->where))
		return refuse_name(p);
	node->name = p->where;
	return next_token(p);
}

static int parse_operator(struct parser *p, struct filter_node *node)
{
	size_t i;

	for (i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		if (!is_sign(p, operators[i].sign))
			continue;
		node->op = operators[i].op;
		node->op_where = p->where;
		return next_token(p);
	}
	spec_refuse(p->err, ERR_FILTER_OPERATOR, &p->where);
	if (is_sign(p, "="))
		error_hint(p->err, "did you mean ==?");
	else if (is_sign(p, "!~"))
		error_hint(p->err, "write !(%.*s ~ \"PATTERN\")",
			   spec_shown(&node->name), node->name.text);
	return -EINVAL;
}

static int parse_value(struct parser *p, struct filter_node *node)
{
	int ret;

	node->value = p->where;
	if (p->token == TOKEN_TEXT) {
		node->is_text = true;
		return next_token(p);
	}
	ret = p->token == TOKEN_WORD ? spec_signed(&p->where, &node->number) :
				       -EINVAL;
	if (ret == -ERANGE)
		return spec_refuse(p->err, ERR_NUMBER_RANGE, &p->where);
	if (!ret)
		return next_token(p);
	spec_refuse(p->err, ERR_FILTER_VALUE, &p->where);
	if (p->token == TOKEN_WORD && !spec_is_digit(p->where.text[0]))
		error_hint(p->err, "is it a text? a text stands in quotes: "
			   "\"%.*s\"", spec_shown(&p->where), p->where.text);
	return -EINVAL;
}

static int parse_compare(struct parser *p)
{
	struct filter_node *node;
	int ret;

	if (p->filter->compare_count++ == FILTER_COMPARE_MAX) {
		error_set(p->err, ERR_FILTER_MANY, p->where.column,
			  p->where.length ? p->where.length : 1,
			  FILTER_COMPARE_MAX);
		return -EINVAL;
	}
	node = new_node(p, FILTER_COMPARE);
	if (!node)
		return -ENOMEM;
	node->where = p->where;
	ret = parse_name(p, node);
	if (!ret)
		ret = parse_operator(p, node);
	if (!ret)
		ret = parse_value(p, node);
	node->where.length = node->value.column + node->value.length -
			     node->where.column;
	return ret;
}

/* ---- what holds them together ----------------------------------------- */

static int parse_or(struct parser *p);

/* "(" was read, or "!", at @open. */
static int enter(struct parser *p, const struct spec_slice *open)
{
	if (p->depth++ < FILTER_DEPTH_MAX)
		return next_token(p);
	error_set(p->err, ERR_FILTER_DEPTH, open->column, open->length,
		  FILTER_DEPTH_MAX);
	return -EINVAL;
}

static int parse_term(struct parser *p)
{
	const struct spec_slice open = p->where;
	const bool is_not = is_sign(p, "!");
	int ret;

	if (!is_not && !is_sign(p, "("))
		return parse_compare(p);
	ret = enter(p, &open);
	if (ret)
		return ret;
	if (is_not) {
		if (!is_sign(p, "(") && !is_sign(p, "!"))
			return spec_refuse(p->err, ERR_FILTER_NOT, &open);
		ret = parse_term(p);
		if (!ret)
			ret = join(p, FILTER_NOT, p->filter->count - 1);
	} else {
		ret = parse_or(p);
		if (!ret && !is_sign(p, ")"))
			return p->token == TOKEN_END ?
			       spec_refuse(p->err, ERR_FILTER_PAREN, &p->where) :
			       spec_refuse(p->err, ERR_FILTER_TAIL, &p->where);
		if (!ret)
			ret = next_token(p);
	}
	p->depth--;
	return ret;
}

static int parse_and(struct parser *p)
{
	int ret = parse_term(p);

	while (!ret && is_sign(p, "&&")) {
		const unsigned int left = p->filter->count - 1;

		ret = next_token(p);
		if (!ret)
			ret = parse_term(p);
		if (!ret)
			ret = join(p, FILTER_AND, left);
	}
	return ret;
}

static int parse_or(struct parser *p)
{
	int ret = parse_and(p);

	while (!ret && is_sign(p, "||")) {
		const unsigned int left = p->filter->count - 1;

		ret = next_token(p);
		if (!ret)
			ret = parse_and(p);
		if (!ret)
			ret = join(p, FILTER_OR, left);
	}
	return ret;
}

static int parse_whole(struct parser *p)
{
	int ret = next_token(p);
	const struct spec_slice first = p->where;

	if (ret)
		return ret;
	if (p->token == TOKEN_END)
		return spec_refuse(p->err, ERR_FILTER_EMPTY, &p->where);
	ret = parse_or(p);
	if (ret)
		return ret;
	if (is_sign(p, ")"))
		return spec_refuse(p->err, ERR_FILTER_CLOSE, &p->where);
	if (p->token != TOKEN_END)
		return spec_refuse(p->err, ERR_FILTER_TAIL, &p->where);
	p->filter->where = first;
	p->filter->where.length = p->where.column - first.column;
	return 0;
}

int filter_parse(const char *line, const char *at, struct filter **out,
		 struct trapline_error *err)
{
	struct parser p = { .line = line, .at = at, .err = err };
	int ret;

	*out = NULL;
	p.filter = calloc(1, sizeof(*p.filter));
	if (!p.filter)
		return spec_no_memory(err);
	ret = parse_whole(&p);
	if (ret)
		filter_free(p.filter);
	else
		*out = p.filter;
	return ret;
}

void filter_free(struct filter *filter)
{
	if (filter)
		free(filter->nodes);
	free(filter);
}
