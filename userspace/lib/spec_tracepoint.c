// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The form of a tracepoint as a place: [SUBSYSTEM/]NAME. Whether there is one is
 * the business of resolve_tracepoint.c.
 */
#include <errno.h>
#include <string.h>

#include "spec.h"

/* Places of functions, as p has them, and the form that perf and bpftrace have. */
static int refuse_rest(const struct spec_place *place,
		       const struct spec_slice *rest,
		       struct trapline_error *err)
{
	const struct spec_slice tail = spec_cut(rest, 1, rest->length);

	if (place->symbol.length && strchr("+%#", rest->text[0]))
		return spec_refuse(err, ERR_TRACEPOINT_SUFFIX, rest);
	spec_refuse(err, ERR_TRACEPOINT_FORM, &place->where);
	if (rest->text[0] == ':' && !place->subsystem.length &&
	    place->symbol.length && spec_is_name(&tail))
		error_hint(err, "did you mean %.*s/%.*s?",
			   spec_shown(&place->symbol), place->symbol.text,
			   spec_shown(&tail), tail.text);
	return -EINVAL;
}

static int name_length(const struct spec_slice *slice)
{
	int i = 0;

	while (i < slice->length && spec_is_alnum(slice->text[i]))
		i++;
	return i;
}

/* A subsystem is a folder of tracefs: most have names of C, some a "-". */
static bool is_subsystem(const struct spec_slice *slice)
{
	int i;

	for (i = 0; i < slice->length; i++)
		if (!spec_is_alnum(slice->text[i]) && slice->text[i] != '-')
			return false;
	return slice->length;
}

int spec_parse_tracepoint(struct spec *spec, const struct spec_slice *word,
			  struct trapline_error *err)
{
	struct spec_place *place = &spec->place;
	const int slash = spec_find(word, "/");
	struct spec_slice rest = *word;

	place->where = *word;
	if (strchr("%$@\\+-(=", word->text[0]))
		return spec_place_argument(spec, word, err);
	if (slash < word->length) {
		place->subsystem = spec_cut(word, 0, slash);
		rest = spec_cut(word, slash + 1, word->length);
		if (!is_subsystem(&place->subsystem))
			return spec_refuse(err, ERR_TRACEPOINT_FORM, word);
	}
	place->symbol = spec_cut(&rest, 0, name_length(&rest));
	rest = spec_cut(&rest, place->symbol.length, rest.length);
	if (spec_starts(&rest, "="))
		return spec_place_argument(spec, word, err);
	if (spec_starts(&rest, "*") || spec_starts(&rest, "?"))
		return spec_unsupported(err, "the pattern", word);
	if (rest.length)
		return refuse_rest(place, &rest, err);
	if (!spec_is_name(&place->symbol) ||
	    place->symbol.length > SPEC_TRACEPOINT_MAX)
		return spec_refuse(err, ERR_TRACEPOINT_FORM, word);
	return 0;
}

int spec_missing_tracepoint(const struct spec *spec,
			    const struct spec_slice *end,
			    struct trapline_error *err)
{
	const struct spec_slice *group = &spec->group;
	const struct spec_slice *event = &spec->event;

	spec_refuse(err, ERR_TRACEPOINT_MISSING, end);
	if (event->length)
		error_hint(err, "what follows \":\" is the name of the event; "
			   "did you mean `t %.*s%s%.*s`?", group->length,
			   group->length ? group->text : "",
			   group->length ? "/" : "", event->length,
			   event->text);
	else
		error_hint(err, "the tracepoint comes after a blank: "
			   "t sched_switch, or t:NAME sched_switch");
	return -EINVAL;
}
