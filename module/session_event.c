// SPDX-License-Identifier: GPL-2.0-only
/* Events of a session: adding, arming, disarming, removing, counting. */
#include <linux/kallsyms.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "memory.h"
#include "place.h"
#include "session.h"

/*
 * Read the one place of an event. What is code, and may be probed, is the
 * kernel's to say when the place is armed; but kernels look for an ENDBR there
 * before they ask whether it is code, and older ones do so without minding a
 * fault. Hence the one byte.
 */
static int tl_event_read_place(struct tl_event_add *add, unsigned long *address)
{
	struct tl_event_place place = {};
	struct tl_error *error = &add->error;
	u32 size;
	u8 byte;
	int err;

	if (add->place_count != 1)
		return tl_refuse(error, TL_ERR_PLACES, -EINVAL);
	if (get_user(size, (const u32 __user *)u64_to_user_ptr(add->places)))
		return -EFAULT;
	if (size < sizeof(place) || size > PAGE_SIZE)
		return tl_refuse(error, TL_ERR_SIZE, -EINVAL);
	err = copy_struct_from_user(&place, sizeof(place),
				    u64_to_user_ptr(add->places), size);
	if (err)
		return tl_refuse(error,
				 err == -E2BIG ? TL_ERR_SIZE : TL_ERR_NONE, err);
	if (place.flags)
		return tl_refuse(error, TL_ERR_FLAGS, -EINVAL);
	if (place.reserved[0] || place.reserved[1])
		return tl_refuse(error, TL_ERR_RESERVED, -EINVAL);
	*address = (unsigned long)place.address;
	if (!tl_memory_read_kernel(&byte, *address, 1))
		return tl_refuse(error, TL_ERR_PLACE_ADDRESS, -EINVAL);
	return 0;
}

static int tl_event_check(struct tl_session *session, struct tl_event_add *add,
			  const struct tl_probe_ops *ops)
{
	struct tl_error *error = &add->error;

	if (session->state != TL_SESSION_READY &&
	    session->state != TL_SESSION_RUNNING)
		return tl_refuse(error, TL_ERR_STATE, -EBUSY);
	if (add->reserved)
		return tl_refuse(error, TL_ERR_RESERVED, -EINVAL);
	if (!ops)
		return tl_refuse(error, TL_ERR_BACKEND, -EINVAL);
	if (add->maxactive > (ops->is_return ? TL_MAXACTIVE_MAX : 0))
		return tl_refuse(error, TL_ERR_MAXACTIVE, -EINVAL);
	if (!add->insn_count || add->insn_count > TL_PROG_INSNS_MAX)
		return tl_refuse(error, TL_ERR_PROG_LENGTH, -EINVAL);
	if (session->next_id >= TL_EVENTS_MAX)
		return tl_refuse(error, TL_ERR_EVENTS, -ENOSPC);
	return 0;
}

static int tl_event_load(struct tl_event *event, struct tl_event_add *add,
			 const struct tl_probe_ops *ops)
{
	const struct tl_prog_limits limits = {
		.regs_bytes = sizeof(struct pt_regs),
		.is_return = ops->is_return,
	};
	enum tl_error_code code;
	u32 bad_insn;

	if (copy_from_user(event->prog.insns, u64_to_user_ptr(add->insns),
			   array_size(add->insn_count, sizeof(struct tl_insn))))
		return -EFAULT;
	code = tl_prog_verify(&event->prog, add->insn_count, &limits, &bad_insn);
	if (code) {
		add->error.insn = bad_insn;
		return tl_refuse(&add->error, code, -EINVAL);
	}
	tl_event_ready(event);
	return 0;
}

/**
 * tl_session_event_add() - TL_EVENT_ADD
 * @session: locked
 * @add: the command
 */
int tl_session_event_add(struct tl_session *session, struct tl_event_add *add)
{
	const struct tl_probe_ops *ops = tl_probe_backend(add->backend);
	unsigned long address;
	struct tl_event *event;
	int err;

	err = tl_event_check(session, add, ops);
	if (!err)
		err = tl_event_read_place(add, &address);
	if (err)
		return err;
	event = tl_event_alloc(session->gate, add->insn_count);
	if (!event)
		return tl_refuse(&add->error, TL_ERR_MEMORY, -ENOMEM);
	event->id = session->next_id;
	err = tl_event_load(event, add, ops);
	if (err)
		goto fail;
	err = xa_err(xa_store(&session->events, event->id, event,
			      GFP_KERNEL_ACCOUNT));
	if (err)
		goto fail_memory;
	event->place = tl_place_get(&session->places, ops, address,
				    add->maxactive);
	if (!event->place) {
		xa_erase(&session->events, event->id);
		goto fail_memory;
	}
	if (event->prog.needs_entry)
		WRITE_ONCE(event->place->wants_entry, true);
	add->instances = ops->instances ? ops->instances(event->place) : 0;
	add->reserved2 = 0;
	add->id = session->next_id++;
	return 0;

fail_memory:
	err = tl_refuse(&add->error, TL_ERR_MEMORY, -ENOMEM);
fail:
	tl_event_free(event);
	return err;
}

/*
 * Why registering failed. The kernel says EINVAL for several reasons; whether
 * the address is a function's start, which only its text form of the symbol
 * tells a module, separates one of them.
 */
static enum tl_error_code tl_arm_reason(const struct tl_place *place, int err)
{
	char symbol[KSYM_SYMBOL_LEN];

	switch (err) {
	case -ENOMEM:
		return TL_ERR_MEMORY;
	case -ENOENT:
		return TL_ERR_PLACE_ADDRESS;
	case -EILSEQ:
		return TL_ERR_PLACE_BOUNDARY;
	case -ESTALE:
		return TL_ERR_PLACE_GONE;
	case -EINVAL:
		sprint_symbol(symbol, place->address);
		if (place->ops->is_return && !strstr(symbol, "+0x0/"))
			return TL_ERR_PLACE_NOT_ENTRY;
		return TL_ERR_PLACE_REFUSED;
	}
	return TL_ERR_ARM_FAILED;
}

static int tl_event_enable(struct tl_event *event, struct tl_error *error)
{
	int err;

	if (event->is_enabled)
		return 0;
	err = tl_place_enable(event->place, event);
	if (err) {
		error->kernel_errno = (u32)-err;
		return tl_refuse(error, tl_arm_reason(event->place, err), err);
	}
	event->is_enabled = true;
	return 0;
}

static void tl_event_disable(struct tl_event *event)
{
	if (!event->is_enabled)
		return;
	tl_place_disable(event->place, event);
	event->is_enabled = false;
}

/* Find all events of a list, none of them twice, before anything is done. */
static int tl_events_check(struct tl_session *session, const u32 *ids, u32 count,
			   struct tl_error *error)
{
	struct tl_event *event;
	int err = 0;
	u32 i;

	for (i = 0; i < count && !err; i++) {
		event = xa_load(&session->events, ids[i]);
		error->index = i;
		if (!event)
			err = tl_refuse(error, TL_ERR_EVENT_ID, -ENOENT);
		else if (event->is_listed)
			err = tl_refuse(error, TL_ERR_EVENT_TWICE, -EINVAL);
		else
			event->is_listed = true;
	}
	for (i = 0; i < count; i++) {
		event = xa_load(&session->events, ids[i]);
		if (event)
			event->is_listed = false;
	}
	return err;
}

/*
 * Enable the events of a list; on failure disable those again that this call
 * has enabled, which is_listed tells.
 */
static int tl_events_enable(struct tl_session *session, const u32 *ids, u32 count,
			    struct tl_error *error)
{
	struct tl_event *event;
	int err = 0;
	u32 i;

	for (i = 0; i < count && !err; i++) {
		event = xa_load(&session->events, ids[i]);
		event->is_listed = !event->is_enabled;
		error->index = i;
		/* some milliseconds each: whoever is killed must not wait */
		err = fatal_signal_pending(current) ?
			      -EINTR : tl_event_enable(event, error);
	}
	while (i--) {
		event = xa_load(&session->events, ids[i]);
		if (err && event->is_listed)
			tl_event_disable(event); /* or was not enabled */
		event->is_listed = false;
	}
	if (err)
		tl_place_disarm(&session->places);
	return err;
}

static void tl_events_disable(struct tl_session *session, const u32 *ids,
			      u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		tl_event_disable(xa_load(&session->events, ids[i]));
	tl_place_disarm(&session->places);
}

/* The event is disabled: nobody hits it, and nobody will. */
static void tl_event_remove(struct tl_session *session, struct tl_event *event)
{
	int cpu;

	for_each_possible_cpu(cpu)
		tl_counters_add(&session->removed, event->counters, cpu);
	if (event->place->users == 1)
		session->removed_nmissed += tl_place_nmissed(event->place);
	tl_place_put(event->place);
	xa_erase(&session->events, event->id);
	tl_event_free(event);
}

static void tl_events_remove(struct tl_session *session, const u32 *ids,
			     u32 count)
{
	u32 i;

	tl_events_disable(session, ids, count);
	for (i = 0; i < count; i++)
		tl_event_remove(session, xa_load(&session->events, ids[i]));
}

/**
 * tl_session_event_ctl() - TL_EVENT_CTL
 * @session: locked
 * @ctl: the command
 */
int tl_session_event_ctl(struct tl_session *session, struct tl_event_ctl *ctl)
{
	struct tl_error *error = &ctl->error;
	u32 *ids;
	int err;

	if (session->state != TL_SESSION_READY &&
	    session->state != TL_SESSION_RUNNING)
		return tl_refuse(error, TL_ERR_STATE, -EBUSY);
	if (!ctl->id_count || ctl->id_count > TL_EVENTS_MAX)
		return tl_refuse(error, TL_ERR_ID_COUNT, -EINVAL);
	ids = vmemdup_user(u64_to_user_ptr(ctl->ids),
			   array_size(ctl->id_count, sizeof(*ids)));
	if (IS_ERR(ids))
		return tl_refuse_errno(error, PTR_ERR(ids));
	err = tl_events_check(session, ids, ctl->id_count, error);
	if (err)
		goto out;
	switch (ctl->command) {
	case TL_EVENT_ENABLE:
		err = tl_events_enable(session, ids, ctl->id_count, error);
		break;
	case TL_EVENT_DISABLE:
		tl_events_disable(session, ids, ctl->id_count);
		break;
	case TL_EVENT_REMOVE:
		tl_events_remove(session, ids, ctl->id_count);
		break;
	default:
		err = tl_refuse(error, TL_ERR_COMMAND, -EINVAL);
	}
out:
	kvfree(ids);
	return err;
}

/**
 * tl_session_disable_all() - disarm every event; needs no memory
 * @session: locked
 *
 * When it returns, no handler of the session runs.
 */
void tl_session_disable_all(struct tl_session *session)
{
	struct tl_event *event;
	unsigned long id;

	tl_place_disarm_all(&session->places);
	xa_for_each(&session->events, id, event)
		event->is_enabled = false;
}

/**
 * tl_session_free_events() - forget all events, which are disabled
 * @session: locked
 */
void tl_session_free_events(struct tl_session *session)
{
	struct tl_event *event;
	unsigned long id;

	xa_for_each(&session->events, id, event) {
		tl_place_put(event->place);
		tl_event_free(event);
	}
	xa_destroy(&session->events);
}

static void tl_stats_sum(struct tl_counters *sum, const struct tl_event *event,
			 u32 only_cpu)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (only_cpu == TL_CPU_ALL || only_cpu == (u32)cpu)
			tl_counters_add(sum, event->counters, cpu);
}

static void tl_stats_fill(struct tl_stats *stats, const struct tl_counters *sum)
{
	u32 i;

	stats->hits = 0; /* whatever the caller had there */
	for (i = 0; i < TL_OUTCOMES; i++)
		stats->hits += sum->outcome[i];
	stats->recorded = sum->outcome[TL_RECORDED];
	stats->filtered = sum->outcome[TL_FILTERED];
	stats->full = sum->outcome[TL_FULL];
	stats->wrapped = sum->outcome[TL_WRAPPED];
	stats->too_big = sum->outcome[TL_TOO_BIG];
	stats->recursion = sum->outcome[TL_RECURSION];
	stats->not_running = sum->outcome[TL_NOT_RUNNING];
	stats->faults = sum->faults;
	stats->truncated = sum->cuts;
}

static u32 tl_event_state(const struct tl_event *event)
{
	if (event->place->ops->is_gone(event->place))
		return TL_EVENT_GONE;
	return event->is_enabled ? TL_EVENT_ARMED : TL_EVENT_OFF;
}

static void tl_stats_session(struct tl_session *session, struct tl_stats *stats)
{
	struct tl_counters sum = {};
	struct tl_place *place;
	struct tl_event *event;
	unsigned long id;

	/* removed events are not kept by CPU */
	if (stats->cpu == TL_CPU_ALL)
		sum = session->removed;
	xa_for_each(&session->events, id, event)
		tl_stats_sum(&sum, event, stats->cpu);
	tl_stats_fill(stats, &sum);
	stats->state = 0;
	stats->entries = 0;
	stats->nmissed = session->removed_nmissed;
	list_for_each_entry(place, &session->places, node)
		stats->nmissed += tl_place_nmissed(place);
}

/**
 * tl_session_stats() - TL_STATS
 * @session: locked
 * @stats: the command
 */
int tl_session_stats(struct tl_session *session, struct tl_stats *stats)
{
	struct tl_error *error = &stats->error;
	struct tl_counters sum = {};
	struct tl_event *event;

	if (stats->cpu != TL_CPU_ALL &&
	    (stats->cpu >= nr_cpu_ids || !cpu_possible(stats->cpu)))
		return tl_refuse(error, TL_ERR_CPU, -ENXIO);
	switch (stats->selector) {
	case TL_STATS_SESSION:
		if (stats->id)
			return tl_refuse(error, TL_ERR_EVENT_ID, -EINVAL);
		tl_stats_session(session, stats);
		return 0;
	case TL_STATS_EVENT:
		event = xa_load(&session->events, stats->id);
		if (!event)
			return tl_refuse(error, TL_ERR_EVENT_ID, -ENOENT);
		tl_stats_sum(&sum, event, stats->cpu);
		tl_stats_fill(stats, &sum);
		stats->state = tl_event_state(event);
		stats->nmissed = tl_place_nmissed(event->place);
		stats->entries = tl_place_entries(event->place);
		return 0;
	}
	return tl_refuse(error, TL_ERR_COMMAND, -EINVAL);
}
