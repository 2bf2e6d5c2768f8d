// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of a session. To the kernel each place of an event is one of its own
 * events, so what is done to an event is done to each of them, and undone if it
 * fails. What the kernel refuses for the sake of a place is not a failure while
 * there are others, of this event or of another one.
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
 * May the session do without this place? Then it is marked. Who has lost the
 * last one is noticed when all have been tried.
 */
static bool spare_part(const struct trapline_session *session,
		       struct trapline_event *part,
		       const struct tl_error *error)
{
	if (session->all_or_nothing ||
	    (!refusal_is_place(error->code) &&
	     error->code != TL_ERR_PLACE_GONE))
		return false;
	part->state = TRAPLINE_PLACE_REFUSED;
	part->refused = *error;
	return true;
}

static void explain_part(struct trapline_session *session,
			 const struct trapline_event *part, int os_errno,
			 const struct tl_error *why, struct trapline_error *err)
{
	refusal_set(err, os_errno, why, part);
	if (part && why->code == TL_ERR_PLACE_BOUNDARY)
		session_hint_instructions(session, part, err);
}

bool trapline_session_refused(struct trapline_session *session,
			      const struct trapline_event *event,
			      struct trapline_error *err)
{
	if (event->more_count)
		return refusal_all(event, err) != 0;
	if (!event->refused.code)
		return false;
	if (err)
		explain_part(session, event, EINVAL, &event->refused, err);
	return true;
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
	part->refused.code = TL_ERR_NONE;
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

/*
 * By what a place is armed. The entry of a function is left to ftrace, which
 * records the same as a kprobe, and is cheaper and much sooner armed.
 */
static uint32_t backend_of(const struct trapline_session *session,
			   const struct trapline_event *part)
{
	const bool is_entry = part->backend == TL_BACKEND_KPROBE &&
			      part->symbol && !part->offset;

	if (is_entry && !session->kprobes &&
	    session->query.backends & 1u << TL_BACKEND_FUNCTION)
		return TL_BACKEND_FUNCTION;
	return part->backend;
}

static int add_part(struct trapline_session *session,
		    struct trapline_event *part, struct trapline_error *err)
{
	char symbol[TL_SYMBOL_BYTES_MAX];
	struct tl_event_place place = { 0 };
	struct tl_event_add add = {
		.size = sizeof(add),
		.backend = backend_of(session, part),
		.maxactive = part->maxactive,
		.places = (uintptr_t)&place,
		.place_count = 1,
		.insn_count = part->insn_count,
		.insns = (uintptr_t)part->insns,
	};
	int rc = describe_place(session, part, &place, symbol, err);

	if (rc)
		return rc;
	/* what was known before (instructions.c) is now the kernel's to say */
	part->state = TRAPLINE_PLACE_OFF;
	part->refused.code = TL_ERR_NONE;
	rc = session_ioctl(session->fd, TL_EVENT_ADD, &add);
	if (rc && whole_of(part)->more_count &&
	    spare_part(session, part, &add.error))
		return 0;
	if (rc) {
		refusal_set(err, -rc, &add.error, part);
		return rc;
	}
	part->by = add.backend;
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
		rc = refusal_all(event, err);
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
			part->refused.code = TL_ERR_NONE;
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

/* Why a place is not armed that the session cannot do without. */
static int refuse_part(struct trapline_session *session,
		       const struct trapline_event *part, int rc,
		       const struct tl_error *error, struct trapline_error *err)
{
	if (part)
		session->failed = whole_of(part);
	explain_part(session, part, -rc, error, err);
	return rc;
}

/* What became of each: armed, spared, or the end of it. */
static int take_results(struct trapline_session *session, struct arming *arming,
			const struct tl_error *results,
			struct trapline_error *err)
{
	const struct tl_error *refused = NULL;
	unsigned int i, which = 0;

	for (i = 0; i < arming->count; i++) {
		if (!results[i].code) {
			arming->parts[i]->state = TRAPLINE_PLACE_ARMED;
		} else if (!spare_part(session, arming->parts[i],
				       &results[i]) &&
			   !refused) {
			refused = &results[i];
			which = i;
		}
	}
	if (!refused)
		return 0;
	return refuse_part(session, arming->parts[which],
			   -(int)refused->kernel_errno, refused, err);
}

/* By one command, which tells the result of each. */
static int arm_each(struct trapline_session *session, struct arming *arming,
		    struct trapline_error *err)
{
	struct tl_error *results = calloc(arming->count, sizeof(*results));
	struct tl_event_ctl ctl = {
		.size = sizeof(ctl),
		.command = TL_EVENT_ENABLE,
		.id_count = arming->count,
		.ids = (uintptr_t)arming->ids,
		.results = (uintptr_t)results,
	};
	int rc;

	if (!results)
		return session_no_memory(err);
	rc = session_ioctl(session->fd, TL_EVENT_CTL, &ctl);
	if (rc)
		refusal_set(err, -rc, &ctl.error, NULL);
	else
		rc = take_results(session, arming, results, err);
	free(results);
	return rc;
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

	if (arming->count && session->query.features & TL_FEATURE_RESULTS)
		return arm_each(session, arming, err);
	while (arming->done < arming->count) {
		unsigned int left = arming->count - arming->done;

		rc = arm(session, arming, left, &error);
		if (!rc)
			break;
		part = error.code && error.index < left ?
		       arming->parts[arming->done + error.index] : NULL;
		if (part && spare_part(session, part, &error)) {
			rc = arm(session, arming, error.index, &error);
			arming->done++;
			part = NULL;
		}
		if (!rc)
			continue;
		return refuse_part(session, part, rc, &error, err);
	}
	return 0;
}

/* An error if the kernel has refused all events; the first one is shown. */
static int refuse_all(struct trapline_session *session,
		      struct trapline_error *err)
{
	unsigned int i;

	for (i = 0; i < session->event_count; i++)
		if (!trapline_session_refused(session, session->events[i], NULL))
			return 0;
	if (!session->event_count)
		return 0;
	session->failed = session->events[0];
	trapline_session_refused(session, session->failed, err);
	return -EINVAL;
}

/*
 * Nothing that was armed here stays so, and nothing refused: it can be tried
 * again. Why it was refused stays known until then.
 */
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
	int rc;

	session->failed = NULL;
	rc = arming_collect(session, &arming);
	if (rc)
		session_no_memory(err);
	else
		rc = arm_all(session, &arming, err);
	if (!rc)
		rc = refuse_all(session, err);
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
