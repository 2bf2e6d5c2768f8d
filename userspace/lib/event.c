// SPDX-License-Identifier: LGPL-2.1-or-later
/* An event's life and looks; compile.c makes it. */
#include <errno.h>
#include <stdlib.h>

#include "../../uapi/trapline.h"
#include "compile.h"
#include "filter.h"
#include "instructions.h"
#include "refusal.h"
#include "session.h"
#include "text.h"

int trapline_event_parse(const char *line,
			 const struct trapline_symbols *symbols,
			 struct trapline_event **out,
			 struct trapline_error *err)
{
	struct trapline_error unused;
	struct spec *spec;
	int ret;

	if (!err)
		err = &unused;
	*out = NULL;
	ret = spec_parse(line, &spec, err);
	if (ret || !spec)
		return ret;
	if (spec->place.is_pattern || spec->place.is_all)
		ret = places_compile(spec, symbols, out, err);
	else
		ret = compile_event(spec, symbols, NULL, out, err);
	spec_free(spec);
	/* last, as the kernel would: what is wrong with the line itself comes first */
	if (!ret)
		ret = instructions_check(*out, symbols, err);
	if (ret) {
		trapline_event_free(*out);
		*out = NULL;
	}
	return ret;
}

int trapline_event_restrict(struct trapline_event *event, const char *filter,
			    struct trapline_error *err)
{
	struct trapline_error unused;
	struct filter *tree;
	unsigned int i;
	int ret;

	if (!err)
		err = &unused;
	if (event->number >= 0) {
		error_set(err, ERR_FILTER_LATE, -1, 0);
		return -EBUSY;
	}
	ret = filter_parse(filter, filter, &tree, err);
	if (ret)
		return ret;
	ret = filter_compile(tree, event, false, err);
	for (i = 0; !ret && i < event->more_count; i++)
		ret = filter_compile(tree, event->more[i], false, err);
	filter_free(tree);
	return ret;
}

void trapline_event_free(struct trapline_event *event)
{
	unsigned int i;

	if (!event)
		return;
	for (i = 0; i < event->field_count; i++) {
		free(event->fields[i].name);
		free(event->fields[i].text);
		free(event->fields[i].string);
	}
	for (i = 0; i < event->more_count; i++)
		trapline_event_free(event->more[i]);
	free(event->more);
	free(event->fields);
	free(event->insns);
	free(event->written);
	free(event->place);
	free(event->module);
	free(event->symbol);
	free(event->filter);
	free(event->note);
	free(event->line);
	free(event->name);
	free(event->group);
	free(event);
}

const char *trapline_event_name(const struct trapline_event *event)
{
	return event->name;
}

const char *trapline_event_group(const struct trapline_event *event)
{
	return event->group;
}

const char *trapline_event_line(const struct trapline_event *event)
{
	return event->line;
}

const char *trapline_event_note(const struct trapline_event *event)
{
	const char *note = event->note;
	unsigned int i;

	/* the same line may say it of one of its functions only */
	for (i = 0; !note && i < event->more_count; i++)
		note = event->more[i]->note;
	return note;
}

unsigned int trapline_event_instances(const struct trapline_event *event)
{
	return event->instances;
}

int trapline_event_number(const struct trapline_event *event)
{
	return event->number;
}

bool trapline_event_waits(const struct trapline_event *event)
{
	return event->waits;
}

const struct trapline_event *event_part(const struct trapline_event *event,
					unsigned int index)
{
	return index ? event->more[index - 1] : event;
}

unsigned int trapline_event_place_count(const struct trapline_event *event)
{
	return event->more_count + 1;
}

int trapline_event_place(const struct trapline_event *event,
			 unsigned int index, struct trapline_place *place)
{
	struct trapline_place known = { .size = sizeof(known) };

	if (index > event->more_count)
		return -ENOENT;
	event = event_part(event, index);
	known.address = event->address;
	known.symbol = event->symbol;
	known.module = event->module;
	known.offset = event->offset;
	known.state = event->state;
	if (event->state == TRAPLINE_PLACE_REFUSED)
		known.reason = refusal_text(event->refused.code);
	return session_copy_known(place, place->size, &known, known.size);
}

size_t trapline_event_listing(const struct trapline_event *event, char *buf,
			      size_t size)
{
	struct text text;
	unsigned int i;

	text_start(&text, buf, size);
	text_add(&text, "%c", event->is_call ? 'c' :
		 event->backend == TL_BACKEND_KRETPROBE ? 'r' :
		 event->backend == TL_BACKEND_TRACEPOINT ? 't' : 'p');
	if (event->maxactive)
		text_add(&text, "%u", event->maxactive);
	text_add(&text, ":%s/%s %s", event->group, event->name, event->place);
	if (event->written)
		text_add(&text, "%s", event->written);
	for (i = 0; i < event->field_count; i++)
		if (!event->fields[i].element && !event->written)
			text_add(&text, " %s=%s", event->fields[i].name,
				 event->fields[i].text);
	if (event->filter)
		text_add(&text, " if %s", event->filter);
	return text.length;
}
