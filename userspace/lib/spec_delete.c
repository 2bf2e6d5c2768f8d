// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lines that remove events which were defined before them. */
#include <errno.h>
#include <string.h>

#include "spec.h"

/* "-:" and names, nothing else; group and event are slices of the line. */
static int parse_deletion(struct spec_lexer *lexer, struct spec_slice *word,
			  struct spec *spec, struct trapline_error *err)
{
	struct spec_slice names;

	if (word->length < 2 || word->text[1] != ':')
		return spec_refuse(err, ERR_DELETE_FORM, word);
	names = spec_cut(word, 2, word->length);
	if (spec_lex_word(lexer, word))
		return spec_refuse(err, ERR_DELETE_FORM, word);
	return spec_parse_names(spec, &names, err);
}

static bool is_meant(const struct spec *spec,
		     const struct trapline_event *event)
{
	return (!spec->group.length || spec_is(&spec->group, event->group)) &&
	       (!spec->event.length || spec_is(&spec->event, event->name));
}

static int refuse_none(const struct spec *spec, struct trapline_error *err)
{
	const struct spec_slice *first = spec->group.length ? &spec->group :
							      &spec->event;
	const struct spec_slice *last = spec->event.length ? &spec->event :
							     &spec->group;
	const int length = last->column + last->length - first->column;

	error_set(err, ERR_DELETE_NONE, first->column, length,
		  spec->event.length ? "event" : "group", length, first->text);
	error_hint(err, "a deletion is for what stands above it; an event "
		   "without a name is called after its place, see `trapline "
		   "check`");
	return -EINVAL;
}

int trapline_events_delete(const char *line, struct trapline_event **events,
			   size_t count, struct trapline_error *err)
{
	struct spec_lexer lexer = { .line = line, .at = line };
	struct spec spec = { 0 };
	struct spec_slice word;
	bool found = false;
	size_t i;
	int ret;

	if (!spec_lex_word(&lexer, &word) || word.text[0] != '-')
		return 0;
	ret = parse_deletion(&lexer, &word, &spec, err);
	if (ret)
		return ret;
	for (i = 0; i < count; i++) {
		if (!events[i] || !is_meant(&spec, events[i]))
			continue;
		trapline_event_free(events[i]);
		events[i] = NULL;
		found = true;
	}
	return found ? 1 : refuse_none(&spec, err);
}
