// SPDX-License-Identifier: GPL-2.0-only
/*
 * See tl_fuzz.h: the interface as docs/ABI.md describes it, so that random
 * commands have an answer that is known before they are made. The order in
 * which a command's fields are looked at is part of it here, though of no
 * promise: with two of them wrong, either reason would do.
 */
#include "tl_fuzz.h"

#define EVENTS_LIMIT	65536u	/* events of a session, ids in a list */
#define MAXACTIVE_LIMIT	4096u
#define PAGE		4096u

struct fz_expect fz_known(int err, uint32_t code)
{
	return (struct fz_expect){ .is_known = true, .err = err, .code = code };
}

static struct fz_expect unknown(void)
{
	return (struct fz_expect){ .is_known = false };
}

static bool is_power_in(uint32_t value, uint32_t min, uint32_t max)
{
	return !(value & (value - 1)) && value >= min && value <= max;
}

static struct fz_expect predict_setup(const struct fz_call *call)
{
	const struct tl_session_setup *setup = &call->arg.setup;
	uint32_t bytes = setup->packet_bytes ? setup->packet_bytes : 65536;
	uint32_t count = setup->packet_count ? setup->packet_count : 16;

	if (call->session->state != FZ_NEW)
		return fz_known(-EBUSY, TL_ERR_STATE);
	if (setup->mode > TL_MODE_OVERWRITE)
		return fz_known(-EINVAL, TL_ERR_MODE);
	if (setup->clock != TL_CLOCK_MONOTONIC)
		return fz_known(-EINVAL, TL_ERR_CLOCK);
	if (setup->reserved)
		return fz_known(-EINVAL, TL_ERR_RESERVED);
	if (!is_power_in(bytes, PAGE, 4u << 20))
		return fz_known(-EINVAL, TL_ERR_PACKET_BYTES);
	if (!is_power_in(count, 2, 4096))
		return fz_known(-EINVAL, TL_ERR_PACKET_COUNT);
	if (setup->watermark >= count)
		return fz_known(-EINVAL, TL_ERR_WATERMARK);
	if ((uint64_t)bytes * count > 1u << 30)
		return fz_known(-ENOMEM, TL_ERR_MEMORY_LIMIT);
	/* the other sessions may have the rest */
	return unknown();
}

static bool takes_events(const struct fz_session *session)
{
	return session->state == FZ_READY || session->state == FZ_RUNNING;
}

static struct fz_expect predict_name(const struct fz_call *call)
{
	const struct tl_event_place *place = &call->place;

	if (place->flags != TL_PLACE_SYMBOL || place->address || place->offset)
		return fz_known(-EINVAL, TL_ERR_PLACE_NAME);
	if (!call->where || place->symbol != (uintptr_t)call->where->name)
		return unknown();
	return call->where->is_code ? fz_known(0, 0) :
				      fz_known(-ENOENT, TL_ERR_TRACEPOINT);
}

static struct fz_expect predict_place(const struct fz_call *call)
{
	const struct tl_event_place *place = &call->place;

	if (call->arg.add.place_count != 1)
		return fz_known(-EINVAL, TL_ERR_PLACES);
	/* where not all of it is there, its size may be */
	if (call->places_memory != FZ_GOOD)
		return unknown();
	if (place->size < sizeof(*place) || place->size > PAGE)
		return fz_known(-EINVAL, TL_ERR_SIZE);
	if (place->size > sizeof(*place))
		return unknown();
	if (place->flags & ~(uint32_t)TL_PLACE_SYMBOL)
		return fz_known(-EINVAL, TL_ERR_FLAGS);
	if (call->arg.add.backend == TL_BACKEND_TRACEPOINT)
		return predict_name(call);
	if (place->flags)
		return unknown();
	if (place->symbol || place->offset)
		return fz_known(-EINVAL, TL_ERR_RESERVED);
	if (!call->where || call->where->name)
		return unknown();
	if (!call->where->is_code)
		return fz_known(-EINVAL, TL_ERR_PLACE_ADDRESS);
	return fz_known(0, 0);
}

static struct fz_expect predict_add(const struct fz_call *call)
{
	const struct tl_event_add *add = &call->arg.add;
	struct fz_expect place;
	bool is_return = add->backend == TL_BACKEND_KRETPROBE;

	if (!takes_events(call->session))
		return fz_known(-EBUSY, TL_ERR_STATE);
	if (add->reserved)
		return fz_known(-EINVAL, TL_ERR_RESERVED);
	if (!is_return && add->backend != TL_BACKEND_KPROBE &&
	    add->backend != TL_BACKEND_FUNCTION &&
	    add->backend != TL_BACKEND_TRACEPOINT)
		return fz_known(-EINVAL, TL_ERR_BACKEND);
	if (add->maxactive > (is_return ? MAXACTIVE_LIMIT : 0))
		return fz_known(-EINVAL, TL_ERR_MAXACTIVE);
	if (!add->insn_count || add->insn_count > TL_PROG_INSNS_MAX)
		return fz_known(-EINVAL, TL_ERR_PROG_LENGTH);
	place = predict_place(call);
	if (!place.is_known || place.err)
		return place;
	if (call->insns_memory == FZ_BAD)
		return fz_known(-EFAULT, 0);
	if (call->insns_memory == FZ_WILD || !call->program_is_good)
		return unknown();
	return fz_known(0, 0);
}

/* An event of the list as the model knows it; NULL: it does not follow it. */
static const struct fz_event *event_of(const struct fz_session *session,
				       uint32_t id)
{
	return id < FZ_EVENTS ? &session->event[id] : NULL;
}

/* Are all there, and none twice? */
static struct fz_expect predict_ids(const struct fz_call *call)
{
	const struct tl_event_ctl *ctl = &call->arg.event_ctl;
	const struct fz_event *event;
	uint32_t i, j;

	for (i = 0; i < ctl->id_count; i++) {
		event = event_of(call->session, call->id_list[i]);
		if (call->id_list[i] >= call->session->next_id ||
		    (event && !event->is_live))
			return fz_known(-ENOENT, TL_ERR_EVENT_ID);
		if (!event)
			return unknown();
		for (j = 0; j < i; j++)
			if (call->id_list[i] == call->id_list[j])
				return fz_known(-EINVAL, TL_ERR_EVENT_TWICE);
	}
	return fz_known(0, 0);
}

/* Which of several is refused first is not known: functions are armed together. */
static struct fz_expect predict_enable(const struct fz_call *call)
{
	const struct tl_event_ctl *ctl = &call->arg.event_ctl;
	const struct fz_event *event;
	bool is_refused = false;
	uint32_t i;

	if (ctl->results && call->results_memory == FZ_WILD)
		return unknown();
	if (ctl->results)
		return fz_known(call->results_memory == FZ_GOOD ? 0 : -EFAULT, 0);
	for (i = 0; i < ctl->id_count; i++) {
		event = event_of(call->session, call->id_list[i]);
		if (event->is_armed || event->arms == FZ_ARMS_ALWAYS ||
		    event->arms == FZ_ARMS_WAITS)
			continue;
		if (event->arms == FZ_ARMS_MAYBE || event->arms == FZ_ARMS_UNKNOWN)
			return unknown();
		is_refused = true;
	}
	if (!is_refused)
		return fz_known(0, 0);
	return (struct fz_expect){ .is_known = true, .err = -EINVAL,
				   .any_code = true };
}

static struct fz_expect predict_event_ctl(const struct fz_call *call)
{
	const struct tl_event_ctl *ctl = &call->arg.event_ctl;
	struct fz_expect ids;

	if (!takes_events(call->session))
		return fz_known(-EBUSY, TL_ERR_STATE);
	if (!ctl->id_count || ctl->id_count > EVENTS_LIMIT)
		return fz_known(-EINVAL, TL_ERR_ID_COUNT);
	if (ctl->results && ctl->command != TL_EVENT_ENABLE)
		return fz_known(-EINVAL, TL_ERR_RESERVED);
	if (call->ids_memory == FZ_BAD)
		return fz_known(-EFAULT, 0);
	if (call->ids_memory == FZ_WILD || ctl->id_count > FZ_IDS)
		return unknown();
	ids = predict_ids(call);
	if (!ids.is_known || ids.err)
		return ids;
	switch (ctl->command) {
	case TL_EVENT_ENABLE:
		return predict_enable(call);
	case TL_EVENT_DISABLE:
	case TL_EVENT_REMOVE:
		return fz_known(0, 0);
	}
	return fz_known(-EINVAL, TL_ERR_COMMAND);
}

static struct fz_expect predict_session_ctl(const struct fz_call *call)
{
	const struct fz_session *session = call->session;
	bool good;

	if (call->arg.session_ctl.reserved)
		return fz_known(-EINVAL, TL_ERR_RESERVED);
	switch (call->arg.session_ctl.command) {
	case TL_SESSION_START:
		good = session->state == FZ_READY;
		break;
	case TL_SESSION_STOP:
		good = session->state == FZ_RUNNING;
		break;
	case TL_SESSION_FLUSH:
		good = session->state != FZ_NEW;
		break;
	case TL_SESSION_SNAPSHOT:
		good = session->state == FZ_RUNNING && !session->is_held;
		break;
	case TL_SESSION_RESUME:
		good = session->is_held;
		break;
	default:
		return fz_known(-EINVAL, TL_ERR_COMMAND);
	}
	return good ? fz_known(0, 0) : fz_known(-EBUSY, TL_ERR_STATE);
}

static struct fz_expect predict_ring_open(const struct fuzz *fuzz,
					  const struct fz_call *call)
{
	uint32_t cpu = call->arg.ring_open.cpu;
	size_t i;

	if (call->session->state == FZ_NEW)
		return fz_known(-EBUSY, TL_ERR_STATE);
	if (cpu >= fuzz->cpu_count)
		return fz_known(-ENXIO, TL_ERR_CPU);
	for (i = 0; i < FZ_RINGS; i++) {
		const struct fz_ring *ring = &fuzz->rings[i];

		if ((ring->fd >= 0 || ring->maps) && ring->cpu == cpu &&
		    ring->session == call->session)
			return fz_known(-EBUSY, TL_ERR_RING_BUSY);
	}
	return fz_known(0, 0);
}

static struct fz_expect predict_stats(const struct fuzz *fuzz,
				      const struct fz_call *call)
{
	const struct tl_stats *stats = &call->arg.stats;
	const struct fz_event *event = event_of(call->session, stats->id);

	if (stats->cpu != TL_CPU_ALL && stats->cpu >= fuzz->cpu_count)
		return fz_known(-ENXIO, TL_ERR_CPU);
	switch (stats->selector) {
	case TL_STATS_SESSION:
		return stats->id ? fz_known(-EINVAL, TL_ERR_EVENT_ID) :
				   fz_known(0, 0);
	case TL_STATS_EVENT:
		if (stats->id < call->session->next_id && !event)
			return unknown();
		return event && event->is_live ?
			       fz_known(0, 0) :
			       fz_known(-ENOENT, TL_ERR_EVENT_ID);
	}
	return fz_known(-EINVAL, TL_ERR_COMMAND);
}

struct fz_expect fz_predict(const struct fuzz *fuzz, const struct fz_call *call)
{
	switch (call->number) {
	case TL_QUERY:
		return fz_known(0, 0);
	case TL_SESSION_SETUP:
		return predict_setup(call);
	case TL_EVENT_ADD:
		return predict_add(call);
	case TL_EVENT_CTL:
		return predict_event_ctl(call);
	case TL_SESSION_CTL:
		return predict_session_ctl(call);
	case TL_RING_OPEN:
		return predict_ring_open(fuzz, call);
	case TL_STATS:
		return predict_stats(fuzz, call);
	case TL_RING_GET:
		return call->arg.get.reserved ? fz_known(-EINVAL, 0) :
						fz_known(0, 0);
	}
	return unknown();
}

/* ---- what a command changes ------------------------------------------- */

/* Was it armed? Where results were asked for they say so. */
static bool is_armed_by(const struct fz_call *call, uint32_t index)
{
	const struct tl_event_ctl *ctl = &call->arg.event_ctl;
	struct tl_error result;

	if (ctl->command != TL_EVENT_ENABLE || !ctl->results)
		return ctl->command == TL_EVENT_ENABLE;
	if (call->results_memory != FZ_GOOD)
		return false;
	memcpy(&result, (const unsigned char *)(uintptr_t)ctl->results +
			index * sizeof(result), sizeof(result));
	return !result.code;
}

static void apply_event_ctl(struct fz_call *call)
{
	const struct tl_event_ctl *ctl = &call->arg.event_ctl;
	struct fz_event *event;
	uint32_t i;

	/* a list that the model has not made */
	if (call->ids_memory != FZ_GOOD)
		return;
	for (i = 0; i < ctl->id_count && i < FZ_IDS; i++) {
		if (call->id_list[i] >= FZ_EVENTS)
			continue;
		event = &call->session->event[call->id_list[i]];
		event->is_armed = is_armed_by(call, i);
		if (ctl->command == TL_EVENT_REMOVE)
			event->is_live = false;
	}
}

static void apply_add(struct fz_call *call)
{
	struct fz_session *session = call->session;
	uint32_t id = session->next_id++;
	enum fz_arms arms = call->where ? call->where->arms : FZ_ARMS_UNKNOWN;

	if (id >= FZ_EVENTS)
		return;
	session->event[id] = (struct fz_event){ .is_live = true, .arms = arms };
}

static void apply_session_ctl(struct fz_call *call)
{
	struct fz_session *session = call->session;
	uint32_t i;

	switch (call->arg.session_ctl.command) {
	case TL_SESSION_START:
		session->state = FZ_RUNNING;
		break;
	case TL_SESSION_STOP:
		session->state = FZ_STOPPED;
		session->is_held = false;
		for (i = 0; i < FZ_EVENTS; i++)
			session->event[i].is_armed = false;
		break;
	case TL_SESSION_SNAPSHOT:
		session->is_held = true;
		break;
	case TL_SESSION_RESUME:
		session->is_held = false;
		break;
	}
}

void fz_apply(struct fz_call *call)
{
	switch (call->number) {
	case TL_SESSION_SETUP:
		call->session->state = FZ_READY;
		call->session->ring_bytes = call->arg.setup.ring_bytes;
		break;
	case TL_EVENT_ADD:
		apply_add(call);
		break;
	case TL_EVENT_CTL:
		apply_event_ctl(call);
		break;
	case TL_SESSION_CTL:
		apply_session_ctl(call);
		break;
	}
}
