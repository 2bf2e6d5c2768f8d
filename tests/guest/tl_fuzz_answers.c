// SPDX-License-Identifier: GPL-2.0-only
/* See tl_fuzz.h: which answers there are, and what a success must tell. */
#include "tl_fuzz.h"

/* The errno, or both errnos, that go with a reason, and which commands say it. */
static const struct {
	int errs[2];
	uint32_t commands;
} reasons[] = {
#define IN(number) (1u << _IOC_NR(number))
	[TL_ERR_PRIVILEGE] = { { EPERM },
		IN(TL_SESSION_SETUP) | IN(TL_EVENT_ADD) | IN(TL_EVENT_CTL) |
		IN(TL_SESSION_CTL) | IN(TL_RING_OPEN) },
	[TL_ERR_SIZE] = { { EINVAL, E2BIG }, IN(TL_EVENT_ADD) },
	[TL_ERR_FLAGS] = { { EINVAL }, 0xffu },
	[TL_ERR_RESERVED] = { { EINVAL }, IN(TL_SESSION_SETUP) |
		IN(TL_EVENT_ADD) | IN(TL_EVENT_CTL) | IN(TL_SESSION_CTL) },
	[TL_ERR_STATE] = { { EBUSY }, IN(TL_SESSION_SETUP) | IN(TL_EVENT_ADD) |
		IN(TL_EVENT_CTL) | IN(TL_SESSION_CTL) | IN(TL_RING_OPEN) },
	[TL_ERR_PACKET_BYTES] = { { EINVAL }, IN(TL_SESSION_SETUP) },
	[TL_ERR_PACKET_COUNT] = { { EINVAL }, IN(TL_SESSION_SETUP) },
	[TL_ERR_MODE] = { { EINVAL }, IN(TL_SESSION_SETUP) },
	[TL_ERR_CLOCK] = { { EINVAL }, IN(TL_SESSION_SETUP) },
	[TL_ERR_MEMORY] = { { ENOMEM }, 0xffu },
	[TL_ERR_BACKEND] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PLACES] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PLACE_ADDRESS] = { { EINVAL, ENOENT },
		IN(TL_EVENT_ADD) | IN(TL_EVENT_CTL) },
	[TL_ERR_PLACE_REFUSED] = { { EINVAL }, IN(TL_EVENT_CTL) },
	[TL_ERR_PLACE_BOUNDARY] = { { EILSEQ }, IN(TL_EVENT_CTL) },
	[TL_ERR_PLACE_NOT_ENTRY] = { { EINVAL }, IN(TL_EVENT_CTL) },
	[TL_ERR_MAXACTIVE] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PROG_LENGTH] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PROG_OP] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PROG_OPERAND] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PROG_REGISTER] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PROG_CONTEXT] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PROG_FLOW] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PROG_END] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PROG_BYTES] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PROG_ARGS] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PROG_JUMP] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PROG_PART] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PROG_PATTERN] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PROG_STEPS] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_EVENT_ID] = { { ENOENT, EINVAL },
		IN(TL_EVENT_CTL) | IN(TL_STATS) },
	[TL_ERR_EVENT_TWICE] = { { EINVAL }, IN(TL_EVENT_CTL) },
	[TL_ERR_EVENTS] = { { ENOSPC }, IN(TL_EVENT_ADD) },
	[TL_ERR_CPU] = { { ENXIO }, IN(TL_RING_OPEN) | IN(TL_STATS) },
	[TL_ERR_RING_BUSY] = { { EBUSY }, IN(TL_RING_OPEN) },
	[TL_ERR_COMMAND] = { { EINVAL }, IN(TL_EVENT_CTL) | IN(TL_SESSION_CTL) |
		IN(TL_STATS) },
	[TL_ERR_WATERMARK] = { { EINVAL }, IN(TL_SESSION_SETUP) },
	[TL_ERR_ID_COUNT] = { { EINVAL }, IN(TL_EVENT_CTL) },
	[TL_ERR_MEMORY_LIMIT] = { { ENOMEM }, IN(TL_SESSION_SETUP) },
	[TL_ERR_PLACE_SYMBOL] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PLACE_OFFSET] = { { EDOM }, IN(TL_EVENT_CTL) },
	[TL_ERR_TRACEPOINT] = { { ENOENT }, IN(TL_EVENT_ADD) },
	[TL_ERR_PLACE_NAME] = { { EINVAL }, IN(TL_EVENT_ADD) },
	[TL_ERR_PROG_FRAME] = { { EINVAL }, IN(TL_EVENT_ADD) },
#undef IN
};

bool fz_is_documented(unsigned long number, int err, uint32_t code)
{
	uint32_t bit = 1u << _IOC_NR(number) % 32;

	if (!err)
		return !code;
	if (!code)
		/* what is found before the command, or behind a pointer */
		return err == -ENOTTY || err == -EFAULT || err == -EINVAL ||
		       err == -E2BIG || err == -EMFILE;
	if (code >= ARRAY_SIZE(reasons) || !(reasons[code].commands & bit))
		return false;
	return err == -reasons[code].errs[0] ||
	       (reasons[code].errs[1] && err == -reasons[code].errs[1]);
}

static void check_query(struct fz_thread *t, const struct tl_query *query)
{
	if (query->abi_major != TL_ABI_MAJOR || query->format != TL_FORMAT ||
	    query->cpu_count != t->fuzz->cpu_count ||
	    query->session_bytes_max > query->ring_bytes_max)
		fz_wrong(t, "query: nonsense");
}

/*
 * One that waits for its module says so; and for ever, with all events of its place, if
 * it waited when the session was stopped.
 */
static bool is_state(const struct fz_session *session, const struct fz_event *event,
		     uint32_t state)
{
	const bool may_wait = event->arms == FZ_ARMS_WAITS ||
			      event->arms == FZ_ARMS_UNKNOWN;

	if (state == TL_EVENT_PENDING)
		return may_wait && (event->is_armed || session->state == FZ_STOPPED);
	if (event->is_armed)
		return state == TL_EVENT_ARMED && event->arms != FZ_ARMS_WAITS;
	return state == TL_EVENT_OFF;
}

static void check_stats(struct fz_thread *t, const struct fz_call *call)
{
	const struct tl_stats *stats = &call->arg.stats;
	const struct fz_event *event;

	if (stats_hits(stats) != stats->hits)
		fz_wrong(t, "stats: the outcomes are not the hits");
	if (stats->faults > stats->recorded || stats->truncated > stats->recorded)
		fz_wrong(t, "stats: marks on more than was recorded");
	if (!t->fuzz->is_exact || stats->selector != TL_STATS_EVENT ||
	    stats->id >= FZ_EVENTS)
		return;
	event = &call->session->event[stats->id];
	if (!is_state(call->session, event, stats->state))
		fz_wrong(t, "stats: event %u is in state %u", stats->id,
			 stats->state);
}

/* The packet that was told of, by way of a mapping if there is one. */
static void check_packet(struct fz_thread *t, const struct fz_call *call)
{
	const struct tl_ring_get *get = &call->arg.get;
	struct tl_packet_header header;
	size_t i;

	if (get->offset < 4096 || get->packet_bytes % 4096 ||
	    get->content_bytes > get->packet_bytes ||
	    get->content_bytes < sizeof(header))
		fz_wrong(t, "get: a packet that cannot be");
	if (!t->fuzz->is_exact)
		return;
	if (get->offset + get->packet_bytes > call->ring->bytes)
		fz_wrong(t, "get: a packet outside of the ring");
	for (i = 0; i < FZ_MAPS; i++) {
		if (t->maps[i].ring != call->ring || !t->maps[i].is_readable ||
		    t->maps[i].bytes != call->ring->bytes)
			continue;
		memcpy(&header, t->maps[i].at + get->offset, sizeof(header));
		if (header.magic != TL_PACKET_MAGIC ||
		    header.cpu != call->ring->cpu ||
		    header.sequence != get->sequence ||
		    header.content_bits != 8ull * get->content_bytes)
			fz_wrong(t, "get: the mapping has another packet");
		return;
	}
}

static void check_get(struct fz_thread *t, const struct fz_call *call)
{
	const struct tl_ring_get *get = &call->arg.get;
	const struct fz_session *session = call->ring->session;

	if (get->state > TL_RING_SNAPSHOT)
		fz_wrong(t, "get: state %u", get->state);
	if (get->state == TL_RING_PACKET)
		check_packet(t, call);
	if (!t->fuzz->is_exact)
		return;
	if (get->state == TL_RING_END && session && session->state != FZ_STOPPED)
		fz_wrong(t, "get: the end before the stop");
	if (get->state == TL_RING_EMPTY && (!session || session->is_held ||
					    session->state == FZ_STOPPED))
		fz_wrong(t, "get: empty where an end must be");
	if (get->state == TL_RING_SNAPSHOT && (!session || !session->is_held))
		fz_wrong(t, "get: the end of no snapshot");
}

void fz_check_success(struct fz_thread *t, const struct fz_call *call)
{
	switch (call->number) {
	case TL_QUERY:
		check_query(t, &call->arg.query);
		break;
	case TL_EVENT_ADD:
		if (t->fuzz->is_exact &&
		    call->arg.add.id != call->session->next_id)
			fz_wrong(t, "add: number %u", call->arg.add.id);
		break;
	case TL_STATS:
		check_stats(t, call);
		break;
	case TL_RING_GET:
		check_get(t, call);
		break;
	}
}
