// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The form of a tracepoint as a place: NAME, SUBSYSTEM/NAME or MODULE:NAME, each NAME also a
 * pattern. Whether there is one is the business of resolve_tracepoint.c and places_tracepoint.c.
 */
#include <errno.h>
#include <string.h>

#include "spec.h"

/* Places of functions, as p has them. */
static int refuse_rest(const struct spec_place *place,
		       const struct spec_slice *rest,
		       struct trapline_error *err)
{
	if (place->symbol.length && strchr("+%#", rest->text[0]))
		return spec_refuse(err, ERR_TRACEPOINT_SUFFIX, rest);
	return spec_refuse(err, ERR_TRACEPOINT_FORM, &place->where);
}

/* Of a name or a pattern. */
static int name_length(const struct spec_slice *slice)
{
	int i = 0;

	while (i < slice->length && (spec_is_alnum(slice->text[i]) ||
				     strchr("*?", slice->text[i])))
		i++;
	return i;
}

static bool has_pattern(const struct spec_slice *slice)
{
	return spec_find(slice, "*?") < slice->length;
}

/* A subsystem is a folder of tracefs: most have names of C, some a "-". So have modules. */
static bool is_owner(const struct spec_slice *slice)
{
	int i;

	for (i = 0; i < slice->length; i++)
		if (!spec_is_alnum(slice->text[i]) && slice->text[i] != '-')
			return false;
	return slice->length && slice->length <= SPEC_TRACEPOINT_MAX;
}

/* "SUBSYSTEM/" or "MODULE:" at the start of @rest, which is then cut off. */
static int take_owner(struct spec_place *place, struct spec_slice *rest,
		      struct trapline_error *err)
{
	const int end = spec_find(rest, "/:=");
	const struct spec_slice owner = spec_cut(rest, 0, end);
	const bool is_module = end < rest->length && rest->text[end] == ':';

	if (end == rest->length || rest->text[end] == '=')
		return 0;
	*rest = spec_cut(rest, end + 1, rest->length);
	if (is_module)
		place->module = owner;
	else
		place->subsystem = owner;
	if (has_pattern(&owner)) {
		spec_unsupported(err, is_module ? "the pattern of modules" :
				 "the pattern of subsystems", &owner);
		error_hint(err, "a pattern can stand for tracepoints: %s",
			   is_module ? "MODULE:PATTERN" : "SUBSYSTEM/PATTERN");
		return -EINVAL;
	}
	return is_owner(&owner) ? 0 : spec_refuse(err, ERR_TRACEPOINT_FORM,
						      &place->where);
}

int spec_parse_tracepoint(struct spec *spec, const struct spec_slice *word,
			  struct trapline_error *err)
{
	struct spec_place *place = &spec->place;
	struct spec_slice rest = *word;
	int ret;

	place->where = *word;
	if (strchr("%$@\\+-(=", word->text[0]))
		return spec_place_argument(spec, word, err);
	ret = take_owner(place, &rest, err);
	if (ret)
		return ret;
	place->symbol = spec_cut(&rest, 0, name_length(&rest));
	rest = spec_cut(&rest, place->symbol.length, rest.length);
	if (spec_starts(&rest, "="))
		return spec_place_argument(spec, word, err);
	if (rest.length)
		return refuse_rest(place, &rest, err);
	place->is_pattern = has_pattern(&place->symbol);
	if ((!place->is_pattern && !spec_is_name(&place->symbol)) ||
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
