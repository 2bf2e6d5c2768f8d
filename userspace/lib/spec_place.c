// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The form of a place: [MODULE:]SYMBOL[#CHOICE][+OFFSET][%return] or ADDRESS.
 * SYMBOL may be a pattern. What it is, is the business of resolve.c.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "spec.h"

/*
 * An argument stands where the place should be. Most often the place was
 * taken for the event's name: "p:vfs_read n=%dx".
 */
int spec_place_argument(const struct spec *spec, const struct spec_slice *word,
			struct trapline_error *err)
{
	const char *start = spec->line;
	const struct spec_slice *event = &spec->event;
	int head, rest;

	spec_refuse(err, ERR_PLACE_ARGUMENT, word);
	if (!event->length) {
		error_hint(err, "the place comes before the arguments: %s",
			   spec->kind == SPEC_TRACEPOINT ?
			   "t TRACEPOINT ARGUMENT..." :
			   "p FUNCTION ARGUMENT...");
		return -EINVAL;
	}
	while (spec_is_space(*start))
		start++;
	/* without ":", unless a group stands between it and the event */
	head = (int)(event->text - start) - !spec->group.length;
	rest = (int)strlen(word->text);
	while (spec_is_space(word->text[rest - 1]))
		rest--;
	error_hint(err, "did you mean `%.*s %.*s %.*s`?", head, start,
		   event->length, event->text, rest, word->text);
	return -EINVAL;
}

/* How long is what may stand in a symbol, or be one of @more? */
static int symbol_length(const struct spec_slice *slice, const char *more)
{
	int i;

	for (i = 0; i < slice->length; i++)
		if (!spec_is_alnum(slice->text[i]) &&
		    !strchr(".$", slice->text[i]) &&
		    !strchr(more, slice->text[i]))
			break;
	return i;
}

/* Cut a symbol, or a pattern of some, off the start of @rest. */
static struct spec_slice take_symbol(struct spec_slice *rest)
{
	const int length = symbol_length(rest, "*?");
	const struct spec_slice symbol = spec_cut(rest, 0, length);

	*rest = spec_cut(rest, length, rest->length);
	return symbol;
}

/* What follows the symbol and its offset; nothing, or one of a few things. */
static int parse_suffix(struct spec *spec, const struct spec_slice *rest,
			struct trapline_error *err)
{
	struct spec_place *place = &spec->place;

	if (!rest->length)
		return 0;
	if (spec_is(rest, "%return")) {
		spec->kind = SPEC_RETURN;
		return 0;
	}
	switch (rest->text[0]) {
	case '=':
		return spec_place_argument(spec, &place->where, err);
	case ':':
	case '+':
	case '-':
		return spec_refuse(err, ERR_PLACE_FORM, &place->where);
	case '/':
		spec_refuse(err, ERR_PLACE_FORM, &place->where);
		error_hint(err, "is it a path? a path begins with /");
		return -EINVAL;
	default:
		return spec_refuse(err, ERR_PLACE_SUFFIX, rest);
	}
}

/* "#N" or "#all" at the start of @rest, which is then cut off */
static int parse_choice(struct spec_place *place, struct spec_slice *rest,
			struct trapline_error *err)
{
	const struct spec_slice choice = spec_cut(rest, 0, spec_find(rest, "+%"));
	const struct spec_slice number = spec_cut(&choice, 1, choice.length);
	uint64_t value;

	*rest = spec_cut(rest, choice.length, rest->length);
	place->is_all = spec_is(&number, "all");
	if (place->is_all && !place->is_address && !place->is_pattern)
		return 0;
	if (place->is_address || place->is_pattern ||
	    spec_decimal(&number, &value) || !value || value > INT32_MAX)
		return spec_refuse(err, ERR_CHOICE, &choice);
	place->choice = (unsigned int)value;
	return 0;
}

/* "SYMBOL" is a number */
static int parse_address(struct spec_place *place, struct trapline_error *err)
{
	int ret = spec_number(&place->symbol, &place->address);

	if (ret == -ERANGE)
		return spec_refuse(err, ERR_NUMBER_RANGE, &place->symbol);
	if (ret || place->module.length)
		return spec_refuse(err, ERR_PLACE_FORM, &place->where);
	place->is_address = true;
	return 0;
}

/* "+OFFSET" at the start of @rest, which is then cut off */
static int parse_offset(struct spec_place *place, struct spec_slice *rest,
			struct trapline_error *err)
{
	struct spec_slice number = spec_cut(rest, 1, rest->length);
	int ret;

	number.length = symbol_length(&number, "");
	*rest = spec_cut(rest, 1 + number.length, rest->length);
	if (place->is_address)
		return spec_refuse(err, ERR_PLACE_FORM, &place->where);
	ret = spec_number(&number, &place->offset);
	if (!ret)
		return 0;
	return spec_refuse(err, ret == -ERANGE ? ERR_NUMBER_RANGE :
			   ERR_PLACE_FORM, &place->where);
}

int spec_parse_place(struct spec *spec, const struct spec_slice *word,
		     struct trapline_error *err)
{
	struct spec_place *place = &spec->place;
	struct spec_slice rest = *word;
	int ret;

	if (spec->kind == SPEC_TRACEPOINT)
		return spec_parse_tracepoint(spec, word, err);
	place->where = *word;
	if (word->text[0] == '/') {
		spec_unsupported(err, "the probe in a program", word);
		error_hint(err, "only probes in the kernel are supported");
		return -EINVAL;
	}
	if (strchr("%$@\\+-(=", word->text[0]))
		return spec_place_argument(spec, word, err);
	place->symbol = take_symbol(&rest);
	if (spec_starts(&rest, ":") && place->symbol.length) {
		place->module = place->symbol;
		rest = spec_cut(&rest, 1, rest.length);
		place->symbol = take_symbol(&rest);
	}
	place->is_pattern = spec_find(&place->symbol, "*?") <
			    place->symbol.length;
	if (!place->symbol.length ||
	    spec_find(&place->module, "*?") < place->module.length)
		return spec_refuse(err, ERR_PLACE_FORM, word);
	if (!place->is_pattern && spec_is_digit(place->symbol.text[0])) {
		ret = parse_address(place, err);
		if (ret)
			return ret;
	}
	if (spec_starts(&rest, "#")) {
		ret = parse_choice(place, &rest, err);
		if (ret)
			return ret;
	}
	if (spec_starts(&rest, "+")) {
		ret = parse_offset(place, &rest, err);
		if (ret)
			return ret;
	}
	return parse_suffix(spec, &rest, err);
}
