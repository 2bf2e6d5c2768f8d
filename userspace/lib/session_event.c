// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of a session. To the kernel each place of an event is one of its own
 * events, so what is done to an event is done to each of them, and undone if it
 * fails. What the kernel refuses for the sake of one of several places is not a
 * failure while there are others.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "event.h"
#include "refusal.h"
#include "session.h"

/* event_part(), of an event that the session may change. */
static struct trapline_event *part_of(struct trapline_event *event,
				      unsigned int index)
{
	return index ? event->more[index - 1] : event;
}

static const struct trapline_event *whole_of(const struct trapline_event *part)
{
	return part->whole ? part->whole : part;
}

int session_control_events(const struct trapline_session *session,
			   uint32_t command, const uint32_t *ids,
			   unsigned int count, struct tl_error *error)
{
	struct tl_event_ctl ctl = {
		.size = sizeof(ctl),
		.command = command,
		.id_count = count,
		.ids = (uintptr_t)ids,
	};
	int rc = session_ioctl(session->fd, TL_EVENT_CTL, &ctl);

	*error = ctl.error;
	return rc;
}

/* ---- what the kernel refuses ------------------------------------------ */

/*
 * May the event do without this place? Then it is marked. The last one that is
 * refused is noticed by refuse_all().
 */
static bool spare_part(struct trapline_event *part,
		       const struct tl_error *error)
{
	if (!whole_of(part)->more_count ||
	    (!refusal_is_place(error->code) &&
	     error->code != TL_ERR_PLACE_GONE))
		return false;
	part->state = TRAPLINE_PLACE_REFUSED;
	part->refused = error->code;
	return true;
}

/* An error if the kernel has refused all places of an event. */
static int refuse_all(const struct trapline_event *event,
		      struct trapline_error *err)
{
	unsigned int i;

	if (!event->more_count)
		return 0;
	for (i = 0; i <= event->more_count; i++)
		if (event_part(event, i)->state != TRAPLINE_PLACE_REFUSED)
			return 0;
	error_set(err, ERR_PLACES_REFUSED, -1, 0, event->more_count + 1,
		  event->place, event->symbol, refusal_text(event->refused));
	refusal_point(err, event->line);
	if (err)
		err->os_errno = EINVAL;
	return -EINVAL;
}

/* ---- adding ----------------------------------------------------------- */

/* Room for one more event, before the kernel has it. */
static int reserve_event(struct trapline_session *session)
{
	size_t count = session->event_count + 1;
	struct trapline_event **events;

	events = realloc(session->events, count * sizeof(*events));
	if (!events)
		return -ENOMEM;
	session->events = events;
	return 0;
}

/* Takes a place back; later ones never have its number. */
static void remove_part(struct trapline_session *session,
			struct trapline_event *part)
{
	struct tl_error unused;
	uint32_t id = (uint32_t)part->id;

	if (part->id >= 0) {
		session_control_events(session, TL_EVENT_REMOVE, &id, 1, &unused);
		decode_events_remove(&session->table, part);
	}
	part->id = -1;
	part->state = TRAPLINE_PLACE_OFF;
}

/*
 * Tell the kernel where the event is: by its symbol if it is a tracepoint, or if
 * it has to be found again when its module comes. @symbol has TL_SYMBOL_BYTES_MAX bytes.
 */
static int describe_place(const struct trapline_session *session,
			  const struct trapline_event *event,
			  struct tl_event_place *place, char *symbol,
			  struct trapline_error *err)
{
	place->size = sizeof(*place);
	place->address = event->address;
	if (event->backend == TL_BACKEND_TRACEPOINT) {
		snprintf(symbol, TL_SYMBOL_BYTES_MAX, "%s%s%s", event->module ?
			 event->module : "", event->module ? ":" : "",
			 event->symbol);
		place->flags = TL_PLACE_SYMBOL;
		place->symbol = (uintptr_t)symbol;
		return 0;
	}
	if (!event->follows_module)
		return 0;
	if (!(session->query.features & TL_FEATURE_SYMBOL)) {
		if (event->address)
			return 0;
		error_set(err, ERR_PENDING_MODULE, -1, 0, event->module);
		error_hint(err, "load the module that belongs to this library");
		return -EPROTO;
	}
	snprintf(symbol, TL_SYMBOL_BYTES_MAX, "%s:%s", event->module,
		 event->symbol);
	place->flags = TL_PLACE_SYMBOL;
	place->symbol = (uintptr_t)symbol;
	place->offset = event->offset;
	return 0;
}

static int add_part(struct trapline_session *session,
		    struct trapline_event *part, struct trapline_error *err)
{
	char symbol[TL_SYMBOL_BYTES_MAX];
	struct tl_event_place place = { 0 };
	struct tl_event_add add = {
		.size = sizeof(add),
		.backend = part->backend,
		.maxactive = part->maxactive,
		.places = (uintptr_t)&place,
		.place_count = 1,
		.insn_count = part->insn_count,
		.insns = (uintptr_t)part->insns,
	};
	int rc = describe_place(session, part, &place, symbol, err);

	if (rc)
		return rc;
	rc = session_ioctl(session->fd, TL_EVENT_ADD, &add);
	if (rc && spare_part(part, &add.error))
		return 0;
	if (rc) {
		refusal_set(err, -rc, &add.error, part);
		return rc;
	}
	part->id = (int)add.id;
	part->instances = add.instances;
	rc = decode_events_add(&session->table, part);
	if (rc)
		error_set(err, ERR_SYSTEM, -1, 0, part->name, strerror(-rc));
	return rc;
}

int trapline_session_add(struct trapline_session *session,
			 struct trapline_event *event,
			 struct trapline_error *err)
{
	unsigned int i;
	int rc = 0;

	if (reserve_event(session))
		return session_no_memory(err);
	for (i = 0; !rc && i <= event->more_count; i++)
		rc = add_part(session, part_of(event, i), err);
	if (!rc)
		rc = refuse_all(event, err);
	if (rc) {
		while (i--)
			remove_part(session, part_of(event, i));
		return rc;
	}
	event->number = (int)session->event_count;
	session->events[session->event_count++] = event;
	return 0;
}

/* ---- arming ----------------------------------------------------------- */

/**
 * struct arming - places that are to be armed
 * @parts: the places
 * @ids: their numbers in the kernel
 * @count: how many
 * @done: how many of them are armed, or refused and not needed
 */
struct arming {
	struct trapline_event **parts;
	uint32_t *ids;
	unsigned int count;
	unsigned int done;
};

static int arming_collect(const struct trapline_session *session,
			  struct arming *arming)
{
	unsigned int i, j, parts = 0;

	for (i = 0; i < session->event_count; i++)
		parts += session->events[i]->more_count + 1;
	arming->parts = calloc(parts + 1, sizeof(arming->parts[0]));
	arming->ids = calloc(parts + 1, sizeof(arming->ids[0]));
	if (!arming->parts || !arming->ids)
		return -ENOMEM;
	for (i = 0; i < session->event_count; i++) {
		for (j = 0; j <= session->events[i]->more_count; j++) {
			struct trapline_event *part =
				part_of(session->events[i], j);

			if (part->state != TRAPLINE_PLACE_OFF || part->id < 0)
				continue;
			arming->parts[arming->count] = part;
			arming->ids[arming->count++] = (uint32_t)part->id;
		}
	}
	return 0;
}

/* Arms the next @count places, all or none. */
static int arm(struct trapline_session *session, struct arming *arming,
	       unsigned int count, struct tl_error *error)
{
	unsigned int i;
	int rc;

	memset(error, 0, sizeof(*error));
	if (!count)
		return 0;
	rc = session_control_events(session, TL_EVENT_ENABLE,
				    &arming->ids[arming->done], count, error);
	if (rc)
		return rc;
	for (i = 0; i < count; i++)
		arming->parts[arming->done++]->state = TRAPLINE_PLACE_ARMED;
	return 0;
}

/*
 * Arms all. The kernel says which one it refuses first: those before it are
 * armed without it, then those behind it. So each is tried twice at most.
 */
static int arm_all(struct trapline_session *session, struct arming *arming,
		   struct trapline_error *err)
{
	struct trapline_event *part = NULL;
	struct tl_error error;
	int rc;

	while (arming->done < arming->count) {
		unsigned int left = arming->count - arming->done;

		rc = arm(session, arming, left, &error);
		if (!rc)
			break;
		part = error.code && error.index < left ?
		       arming->parts[arming->done + error.index] : NULL;
		if (part && spare_part(part, &error)) {
			rc = arm(session, arming, error.index, &error);
			arming->done++;
			part = NULL;
		}
		if (!rc)
			continue;
		if (part)
			session->failed = whole_of(part);
		refusal_set(err, -rc, &error, part);
		if (part && error.code == TL_ERR_PLACE_BOUNDARY)
			session_hint_instructions(session, part, err);
		return rc;
	}
	return 0;
}

/* Nothing that was armed here stays so, and nothing refused. */
static void arming_undo(struct trapline_session *session,
			struct arming *arming)
{
	struct tl_error unused;
	unsigned int i, armed = 0;

	for (i = 0; i < arming->count; i++) {
		if (arming->parts[i]->state == TRAPLINE_PLACE_ARMED)
			arming->ids[armed++] = (uint32_t)arming->parts[i]->id;
		arming->parts[i]->state = TRAPLINE_PLACE_OFF;
	}
	if (armed)
		session_control_events(session, TL_EVENT_DISABLE, arming->ids,
				       armed, &unused);
}

int trapline_session_enable(struct trapline_session *session,
			    struct trapline_error *err)
{
	struct arming arming = { 0 };
	unsigned int i;
	int rc;

	session->failed = NULL;
	rc = arming_collect(session, &arming);
	if (rc)
		session_no_memory(err);
	else
		rc = arm_all(session, &arming, err);
	for (i = 0; !rc && i < session->event_count; i++) {
		rc = refuse_all(session->events[i], err);
		if (rc)
			session->failed = session->events[i];
	}
	if (rc)
		arming_undo(session, &arming);
	free(arming.parts);
	free(arming.ids);
	return rc;
}

void session_disarmed(struct trapline_session *session)
{
	unsigned int i, j;

	for (i = 0; i < session->event_count; i++) {
		for (j = 0; j <= session->events[i]->more_count; j++) {
			struct trapline_event *part =
				part_of(session->events[i], j);

			if (part->state == TRAPLINE_PLACE_ARMED)
				part->state = TRAPLINE_PLACE_OFF;
		}
	}
}

/* ---- what there is ---------------------------------------------------- */

const struct trapline_event *
trapline_session_failed(const struct trapline_session *session)
{
	return session->failed;
}

unsigned int trapline_session_event_count(const struct trapline_session *session)
{
	return session->event_count;
}

const struct trapline_event *
trapline_session_event(const struct trapline_session *session,
		       unsigned int index)
{
	return index < session->event_count ? session->events[index] : NULL;
}

static int ask_stats(struct trapline_session *session,
		     const struct trapline_event *part, struct tl_stats *stats,
		     struct trapline_error *err)
{
	int rc;

	memset(stats, 0, sizeof(*stats));
	stats->size = sizeof(*stats);
	stats->selector = part ? TL_STATS_EVENT : TL_STATS_SESSION;
	stats->id = part ? (uint32_t)part->id : 0;
	stats->cpu = TL_CPU_ALL;
	rc = session_ioctl(session->fd, TL_STATS, stats);
	if (rc)
		refusal_set(err, -rc, &stats->error, part);
	return rc;
}

/* Only an event that has one place follows a module. */
int session_learn(struct trapline_session *session, struct trapline_error *err)
{
	unsigned int i;

	for (i = 0; i < session->event_count; i++) {
		struct trapline_event *event = session->events[i];
		struct tl_stats stats;
		int rc;

		if (!event->follows_module || event->symbol_bytes)
			continue;
		rc = ask_stats(session, event, &stats, err);
		if (rc)
			return rc;
		event->address = stats.address;
		event->symbol_bytes = stats.symbol_bytes;
	}
	return 0;
}

static int add_stats(struct trapline_session *session,
		     const struct trapline_event *part,
		     struct trapline_stats *sum, struct trapline_error *err)
{
	struct tl_stats stats;
	int rc = ask_stats(session, part, &stats, err);

	if (rc)
		return rc;
	sum->hits += stats.hits;
	sum->recorded += stats.recorded;
	sum->filtered += stats.filtered;
	sum->full += stats.full;
	sum->wrapped += stats.wrapped;
	sum->too_big += stats.too_big;
	sum->recursion += stats.recursion;
	sum->not_running += stats.not_running;
	sum->faults += stats.faults;
	sum->truncated += stats.truncated;
	sum->nmissed += stats.nmissed;
	sum->entries += stats.entries;
	sum->is_gone |= part && stats.state == TL_EVENT_GONE;
	sum->is_pending |= part && stats.state == TL_EVENT_PENDING;
	if (!part || stats.state != TL_EVENT_REFUSED)
		return 0;
	sum->is_refused = true;
	refusal_set(err, (int)stats.error.kernel_errno, &stats.error, part);
	return 0;
}

int trapline_session_stats(struct trapline_session *session,
			   const struct trapline_event *event,
			   struct trapline_stats *out,
			   struct trapline_error *err)
{
	struct trapline_stats known = { .size = sizeof(known) };
	unsigned int i;
	int rc = 0;

	if (!event)
		rc = add_stats(session, NULL, &known, err);
	for (i = 0; event && !rc && i <= event->more_count; i++) {
		const struct trapline_event *part = event_part(event, i);

		if (part->id >= 0)
			rc = add_stats(session, part, &known, err);
	}
	return rc ? rc : session_copy_known(out, out->size, &known, known.size);
}
