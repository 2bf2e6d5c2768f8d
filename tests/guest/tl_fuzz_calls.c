// SPDX-License-Identifier: GPL-2.0-only
/*
 * See tl_fuzz.h: commands, most of them such as a program would give, some with
 * one field wrong, some all of noise; and which operation comes next.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>

#include "tl_fuzz.h"

/* Any one; more often one in a state in which the command is possible. */
static struct fz_session *any_session(struct fz_thread *t, unsigned long number)
{
	struct fz_session *session;
	unsigned int tries = 4;
	bool fits;

	do {
		session = &t->fuzz->sessions[fz_below(t, FZ_SESSIONS)];
		fits = number == TL_SESSION_SETUP ?
			       session->state == FZ_NEW :
			       session->state == FZ_READY ||
			       session->state == FZ_RUNNING;
	} while (--tries && !fits);
	return session;
}

static void make_setup(struct fz_thread *t, struct tl_session_setup *setup)
{
	static const uint32_t bytes[] = { 4096, 4096, 4096, 8192, 65536, 0 };
	static const uint32_t counts[] = { 2, 2, 4, 8, 16, 0 };

	setup->mode = fz_below(t, 2);
	setup->packet_bytes = bytes[fz_below(t, ARRAY_SIZE(bytes))];
	setup->packet_count = counts[fz_below(t, ARRAY_SIZE(counts))];
	setup->watermark = fz_below(t, 2);
	if (fz_percent(t, 60))
		return;
	switch (fz_below(t, 7)) {
	case 0:
		setup->mode = (uint32_t)fz_odd(t);
		break;
	case 1:
		setup->clock = (uint32_t)fz_odd(t);
		break;
	case 2:
		setup->packet_bytes = (uint32_t)fz_odd(t);
		break;
	case 3:
		setup->packet_count = (uint32_t)fz_odd(t);
		break;
	case 4:
		setup->watermark = (uint32_t)fz_odd(t);
		break;
	case 5:
		setup->reserved = (uint32_t)fz_odd(t);
		break;
	case 6:
		setup->packet_bytes = 4u << 20;
		setup->packet_count = 4096;
		break;
	}
}

static enum fz_memory any_memory(struct fz_thread *t)
{
	uint32_t kind = fz_below(t, 100);

	return kind < 94 ? FZ_GOOD : kind < 98 ? FZ_BAD : FZ_WILD;
}

/*
 * A place in a module: one that never comes, one that ends before the offset,
 * and no symbol at all. The model does not follow them.
 */
static void make_symbol(struct fz_thread *t, struct fz_call *call)
{
	static const char *const symbols[] = {
		"no_such_module:f", "trapline:tl_session_ctl", "no_symbol",
	};
	struct tl_event_place *place = &call->place;

	place->flags = TL_PLACE_SYMBOL;
	place->address = fz_percent(t, 50) ? fz_odd(t) : 0;
	place->symbol = (uintptr_t)symbols[fz_below(t, 3)];
	place->offset = fz_odd(t) | 1ull << 32;
	if (fz_percent(t, 10))
		place->symbol = fz_odd(t);
	call->where = NULL;
}

/* A place of the list, of the kind that the backend takes. */
static const struct fz_place *any_place(struct fz_thread *t, bool is_named)
{
	const struct fz_place *place;

	do {
		place = &t->fuzz->places[fz_below(t, (uint32_t)t->fuzz->place_count)];
	} while (!place->name == is_named ||
		 (place->arms != FZ_ARMS_ALWAYS && fz_percent(t, 60)));
	return place;
}

static void make_place(struct fz_thread *t, struct fz_call *call)
{
	struct tl_event_place *place = &call->place;

	call->where = any_place(t, call->op == FZ_ADD_TRACEPOINT);
	place->size = sizeof(*place);
	place->address = call->where->address;
	place->symbol = (uintptr_t)call->where->name;
	place->flags = place->symbol ? TL_PLACE_SYMBOL : 0;
	if (fz_percent(t, 90))
		return;
	switch (fz_below(t, 7)) {
	case 0:
		place->size = (uint32_t)fz_odd(t);
		break;
	case 1:
		place->flags = (uint32_t)fz_odd(t);
		break;
	case 2:
		*(fz_percent(t, 50) ? &place->symbol : &place->offset) =
			fz_odd(t);
		break;
	case 3:
		/* not the kernel's text, where the model knows nothing */
		place->address = fz_odd(t) & 0x7fffffffffffffff;
		call->where = NULL;
		break;
	default:
		/* more often: what it leads to is told only when it is armed */
		make_symbol(t, call);
		break;
	}
}

/* Another length of a list; what is behind a good list is not there. */
static uint32_t other_count(struct fz_thread *t, uint32_t count,
			    enum fz_memory *memory)
{
	uint32_t other = (uint32_t)fz_odd(t);

	if (other > count && *memory == FZ_GOOD)
		*memory = FZ_BAD;
	/* the part of a bad one that is there may do */
	else if (other <= count && *memory == FZ_BAD)
		*memory = FZ_WILD;
	return other;
}

static void make_add(struct fz_thread *t, struct fz_call *call)
{
	static __thread struct tl_insn insns[FZ_INSNS];
	struct tl_event_add *add = &call->arg.add;
	const uint32_t kind = fz_below(t, 100);

	call->op = kind < 35 ? FZ_ADD_RETURN : kind < 85 ? FZ_ADD_ENTRY :
							   FZ_ADD_TRACEPOINT;
	add->backend = kind < 35 ? TL_BACKEND_KRETPROBE :
		       kind < 60 ? TL_BACKEND_KPROBE :
		       kind < 85 ? TL_BACKEND_FUNCTION : TL_BACKEND_TRACEPOINT;
	if (kind < 35 && fz_percent(t, 30))
		add->maxactive = 1 + fz_below(t, 8);
	add->place_count = 1;
	add->insn_count = fz_program(t, insns, add->backend,
				    &call->program_is_good);
	make_place(t, call);
	call->places_memory = any_memory(t);
	call->insns_memory = any_memory(t);
	add->places = fz_list(t, (const unsigned char *)&call->place,
			      sizeof(call->place), 0, call->places_memory);
	add->insns = fz_list(t, (const unsigned char *)insns,
			     add->insn_count * sizeof(insns[0]), 1,
			     call->insns_memory);
	if (fz_percent(t, 85))
		return;
	switch (fz_below(t, 5)) {
	case 0:
		add->backend = (uint32_t)fz_odd(t);
		/* it may have become an entry, which has no return value */
		call->program_is_good = false;
		break;
	case 1:
		add->maxactive = (uint32_t)fz_odd(t);
		break;
	case 2:
		add->place_count = (uint32_t)fz_odd(t);
		break;
	case 3:
		add->insn_count = other_count(t, add->insn_count,
					      &call->insns_memory);
		call->program_is_good = false;
		break;
	case 4:
		add->reserved = (uint32_t)fz_odd(t);
		break;
	}
}

static uint32_t any_id(struct fz_thread *t, const struct fz_session *session)
{
	unsigned int tries = 4;
	uint32_t id;

	if (fz_percent(t, 5))
		return (uint32_t)fz_odd(t);
	do {
		id = fz_below(t, session->next_id + 1);
	} while (--tries && (id >= FZ_EVENTS || !session->event[id].is_live));
	return id;
}

static void make_event_ctl(struct fz_thread *t, struct fz_call *call)
{
	struct tl_event_ctl *ctl = &call->arg.event_ctl;
	uint32_t kind = fz_below(t, 100), i;

	ctl->command = kind < 45 ? TL_EVENT_ENABLE :
		       kind < 80 ? TL_EVENT_DISABLE : TL_EVENT_REMOVE;
	call->op = (enum fz_op)(FZ_ENABLE + ctl->command - TL_EVENT_ENABLE);
	/* few at a time: of many one is wrong, as a rule */
	ctl->id_count = 1 + fz_below(t, fz_percent(t, 80) ? 2 : FZ_IDS);
	for (i = 0; i < ctl->id_count; i++)
		call->id_list[i] = any_id(t, call->session);
	call->ids_memory = any_memory(t);
	ctl->ids = fz_list(t, (const unsigned char *)call->id_list,
			   ctl->id_count * sizeof(uint32_t), 2,
			   call->ids_memory);
	if (ctl->command == TL_EVENT_ENABLE ? fz_percent(t, 40) :
					      fz_percent(t, 3)) {
		call->results_memory = any_memory(t);
		ctl->results = fz_list(t, (const unsigned char *)call->results,
				       ctl->id_count * sizeof(struct tl_error),
				       3, call->results_memory);
	}
	if (fz_percent(t, 92))
		return;
	if (fz_percent(t, 50)) {
		ctl->command = (uint32_t)fz_odd(t);
		return;
	}
	ctl->id_count = other_count(t, ctl->id_count, &call->ids_memory);
	/* the part of a bad list that is there may do */
	if (call->results_memory == FZ_BAD)
		ctl->results = 0;
}

static void make_session_ctl(struct fz_thread *t, struct fz_call *call)
{
	struct tl_session_ctl *ctl = &call->arg.session_ctl;
	uint32_t kind = fz_below(t, 100);

	ctl->command = kind < 25 ? TL_SESSION_START :
		       kind < 30 ? TL_SESSION_STOP :
		       kind < 60 ? TL_SESSION_FLUSH :
		       kind < 80 ? TL_SESSION_SNAPSHOT : TL_SESSION_RESUME;
	call->op = (enum fz_op)(FZ_START + ctl->command - TL_SESSION_START);
	if (fz_percent(t, 4))
		ctl->command = (uint32_t)fz_odd(t);
	if (fz_percent(t, 4))
		ctl->reserved = (uint32_t)fz_odd(t);
}

static void make_stats(struct fz_thread *t, struct fz_call *call)
{
	struct tl_stats *stats = &call->arg.stats;

	stats->selector = 1 + fz_below(t, 2);
	call->op = stats->selector == TL_STATS_EVENT ? FZ_STATS_EVENT :
						       FZ_STATS_SESSION;
	if (stats->selector == TL_STATS_EVENT || fz_percent(t, 5))
		stats->id = any_id(t, call->session);
	stats->cpu = fz_percent(t, 70) ? TL_CPU_ALL : fz_below(t, 4);
	if (fz_percent(t, 4))
		stats->cpu = (uint32_t)fz_odd(t);
	if (fz_percent(t, 4))
		stats->selector = (uint32_t)fz_odd(t);
	/* what is out may be anything on the way in */
	if (fz_percent(t, 30)) {
		stats->hits = fz_odd(t);
		stats->recorded = fz_odd(t);
		stats->nmissed = fz_odd(t);
		stats->error.code = (uint32_t)fz_odd(t);
	}
}

/* Nothing of it was thought of by anybody; what it leads to is not known. */
static void make_noise(struct fz_thread *t, struct fz_call *call)
{
	size_t i;

	for (i = 1; i < call->bytes / 8; i++)
		call->arg.words[i] = fz_odd(t);
	call->places_memory = FZ_WILD;
	call->insns_memory = FZ_WILD;
	call->ids_memory = FZ_WILD;
	call->results_memory = FZ_WILD;
	call->where = NULL;
	call->program_is_good = false;
	/* what it would do to the model without its knowing */
	if (call->number == TL_EVENT_CTL)
		call->arg.event_ctl.ids |= 1ull << 63;
}

static const struct {
	unsigned long number;
	uint32_t bytes;
	enum fz_op op;
} kinds[] = {
	{ TL_QUERY, sizeof(struct tl_query), FZ_QUERY },
	{ TL_SESSION_SETUP, sizeof(struct tl_session_setup), FZ_SETUP },
	{ TL_EVENT_ADD, sizeof(struct tl_event_add), FZ_ADD_ENTRY },
	{ TL_EVENT_CTL, sizeof(struct tl_event_ctl), FZ_ENABLE },
	{ TL_SESSION_CTL, sizeof(struct tl_session_ctl), FZ_FLUSH },
	{ TL_RING_OPEN, sizeof(struct tl_ring_open), FZ_RING_OPEN },
	{ TL_RING_GET, sizeof(struct tl_ring_get), FZ_GET },
	{ TL_STATS, sizeof(struct tl_stats), FZ_STATS_SESSION },
};

static bool choose_file(struct fz_thread *t, struct fz_call *call)
{
	if (call->number == TL_RING_GET) {
		call->ring = &t->fuzz->rings[fz_below(t, FZ_RINGS)];
		call->fd = call->ring->fd;
		/* commands that are for the other file want a session too */
		call->session = call->ring->session;
	} else {
		call->session = any_session(t, call->number);
		call->fd = call->session->dev;
	}
	return call->fd >= 0;
}

void fz_make_call(struct fz_thread *t, unsigned long number,
		  struct fz_call *call)
{
	const uint32_t kind = _IOC_NR(number);

	memset(call, 0, sizeof(*call));
	call->number = number;
	call->bytes = kinds[kind].bytes;
	call->op = kinds[kind].op;
	if (!choose_file(t, call))
		return;
	switch (number) {
	case TL_SESSION_SETUP:
		make_setup(t, &call->arg.setup);
		break;
	case TL_EVENT_ADD:
		make_add(t, call);
		break;
	case TL_EVENT_CTL:
		make_event_ctl(t, call);
		break;
	case TL_SESSION_CTL:
		make_session_ctl(t, call);
		break;
	case TL_RING_OPEN:
		call->arg.ring_open.cpu = fz_percent(t, 95) ?
			fz_below(t, t->fuzz->cpu_count) : (uint32_t)fz_odd(t);
		break;
	case TL_RING_GET:
		if (fz_percent(t, 3))
			call->arg.get.reserved = (uint32_t)fz_odd(t);
		break;
	case TL_STATS:
		make_stats(t, call);
		break;
	}
	if (fz_percent(t, 4))
		make_noise(t, call);
}

/* ---- which one -------------------------------------------------------- */

static void command(struct fz_thread *t, unsigned long number)
{
	struct fz_call call;

	fz_make_call(t, number, &call);
	if (call.fd >= 0)
		fz_call_run(t, &call);
}

/* What the probes are on. */
static void be_traced(struct fz_thread *t)
{
	uint32_t count = fz_below(t, 60);

	while (count--) {
		syscall(SYS_getppid);
		syscall(SYS_lseek, -1, fz_odd(t), 0);
	}
}

/* @is_slow: it patches code, or has all CPUs interrupted */
static bool is_wanted(struct fz_thread *t, bool is_slow)
{
	return !is_slow || !t->fuzz->is_quick || fz_percent(t, 3);
}

static void step_command(struct fz_thread *t, uint32_t kind)
{
	static const unsigned char per_mille[ARRAY_SIZE(kinds)] = {
		30, 60, 140, 70, 110, 90, 160, 120,
	};
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(kinds) - 1 && kind >= per_mille[i]; i++)
		kind -= per_mille[i];
	if (is_wanted(t, kinds[i].number == TL_EVENT_CTL ||
			 kinds[i].number == TL_SESSION_CTL))
		command(t, kinds[i].number);
}

void fz_step(struct fz_thread *t)
{
	uint32_t kind;

	t->step++;
	t->random = t->fuzz->seed ^ t->number << 56 ^ t->step;
	t->random = fz_next(t);
	kind = fz_below(t, 1000);
	if (kind < 780)
		step_command(t, kind);
	else if (kind < 820)
		fz_open(t);
	else if (kind < 835 && is_wanted(t, true))
		fz_close(t);
	else if (kind < 850)
		fz_close_ring(t);
	else if (kind < 885)
		fz_map_ring(t);
	else if (kind < 900)
		fz_unmap(t);
	else if (kind < 930)
		fz_read(t);
	else if (kind < 950)
		fz_poll(t);
	else if (kind < 960)
		fz_strange(t);
	else
		be_traced(t);
}
