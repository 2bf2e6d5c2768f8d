// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a session: setup, start, flush, stop, end.
 *
 * Stopping is an order of steps, each of which relies on the one before:
 *
 *  1. the gate closes: hits that come now are counted as "not running";
 *  2. the probes are unregistered, which waits for their handlers, so that
 *     nobody writes into a ring any more;
 *  3. the open packets are closed, which makes all packets complete;
 *  4. the rings are final: readers drain them and see the end.
 */
#include <linux/cpu.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uuid.h>

#include "command.h"
#include "place_module.h"
#include "ring_limit.h"
#include "session.h"

#define TL_PACKET_BYTES_DEFAULT (64u << 10)
#define TL_PACKET_COUNT_DEFAULT 16u

/**
 * tl_session_create() - a session without rings and events
 *
 * Returns NULL without memory.
 */
struct tl_session *tl_session_create(void)
{
	struct tl_session *session;

	session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	if (!session)
		return NULL;
	kref_init(&session->kref);
	mutex_init(&session->lock);
	xa_init(&session->events);
	tl_places_open(&session->places);
	return session;
}

static void tl_session_free_rings(struct tl_session *session)
{
	u32 cpu;

	for (cpu = 0; session->rings && cpu < nr_cpu_ids; cpu++)
		if (session->rings[cpu])
			tl_ring_cpu_destroy(session->rings[cpu]);
	kfree(session->rings);
	free_percpu(session->gate);
	tl_ring_limit_give(session->ring_pages);
	session->rings = NULL;
	session->gate = NULL;
	session->ring_pages = 0;
}

static void tl_session_release(struct kref *kref)
{
	struct tl_session *session = container_of(kref, struct tl_session, kref);

	tl_session_free_rings(session);
	kfree(session);
}

/** tl_session_get() - one more ring file */
void tl_session_get(struct tl_session *session)
{
	kref_get(&session->kref);
}

/** tl_session_put() - one file less; the last one frees the rings */
void tl_session_put(struct tl_session *session)
{
	kref_put(&session->kref, tl_session_release);
}

/* A power of two in a range, as its logarithm. */
static bool tl_pow2_in(u32 value, u32 shift_min, u32 shift_max, u32 *shift)
{
	if (!is_power_of_2(value))
		return false;
	*shift = ilog2(value);
	return *shift >= shift_min && *shift <= shift_max;
}

static int tl_session_config(struct tl_session *session,
			     struct tl_session_setup *setup)
{
	struct tl_ring_config *config = &session->config;
	struct tl_error *error = &setup->error;
	u32 packet_bytes = setup->packet_bytes ?: TL_PACKET_BYTES_DEFAULT;
	u32 packet_count = setup->packet_count ?: TL_PACKET_COUNT_DEFAULT;
	u32 packet_shift, count_shift;

	if (session->state != TL_SESSION_NEW)
		return tl_refuse(error, TL_ERR_STATE, -EBUSY);
	if (setup->mode > TL_MODE_OVERWRITE)
		return tl_refuse(error, TL_ERR_MODE, -EINVAL);
	if (setup->clock != TL_CLOCK_MONOTONIC)
		return tl_refuse(error, TL_ERR_CLOCK, -EINVAL);
	if (setup->reserved)
		return tl_refuse(error, TL_ERR_RESERVED, -EINVAL);
	/* a packet is mapped, so it is whole pages */
	if (packet_bytes < PAGE_SIZE ||
	    !tl_pow2_in(packet_bytes, TL_PACKET_SHIFT_MIN, TL_PACKET_SHIFT_MAX,
			&packet_shift))
		return tl_refuse(error, TL_ERR_PACKET_BYTES, -EINVAL);
	if (!tl_pow2_in(packet_count, TL_COUNT_SHIFT_MIN, TL_COUNT_SHIFT_MAX,
			&count_shift))
		return tl_refuse(error, TL_ERR_PACKET_COUNT, -EINVAL);
	/* the last packet is closed only by a next one, for which is no room */
	if (setup->watermark >= packet_count)
		return tl_refuse(error, TL_ERR_WATERMARK, -EINVAL);
	config->geo = tl_geometry(packet_shift, count_shift);
	config->watermark = setup->watermark ?: 1;
	config->overwrite = setup->mode == TL_MODE_OVERWRITE;
	generate_random_uuid(config->uuid);
	return 0;
}

/*
 * Rings for all possible CPUs: one that comes online later needs no call.
 * @pages are taken from the limit; they are given back with the rings.
 */
static int tl_session_alloc_rings(struct tl_session *session, u64 pages)
{
	int cpu;

	session->ring_pages = pages;
	session->rings = kcalloc(nr_cpu_ids, sizeof(*session->rings),
				 GFP_KERNEL_ACCOUNT);
	session->gate = alloc_percpu_gfp(struct tl_ring *, GFP_KERNEL_ACCOUNT);
	if (!session->rings || !session->gate)
		goto fail;
	for_each_possible_cpu(cpu) {
		struct tl_ring_cpu *rc;

		rc = tl_ring_cpu_create(&session->config, (u32)cpu);
		if (!rc)
			goto fail;
		session->rings[cpu] = rc;
	}
	return 0;
fail:
	tl_session_free_rings(session);
	return -ENOMEM;
}

/**
 * tl_session_setup() - TL_SESSION_SETUP
 * @session: locked
 * @setup: the command
 */
int tl_session_setup(struct tl_session *session, struct tl_session_setup *setup)
{
	int err = tl_session_config(session, setup);
	u64 pages;

	if (err)
		return err;
	pages = tl_ring_cpu_pages(&session->config) * num_possible_cpus();
	if (!tl_ring_limit_take(pages))
		return tl_refuse(&setup->error, TL_ERR_MEMORY_LIMIT, -ENOMEM);
	if (tl_session_alloc_rings(session, pages))
		return tl_refuse(&setup->error, TL_ERR_MEMORY, -ENOMEM);
	session->state = TL_SESSION_READY;
	memcpy(setup->uuid, session->config.uuid, sizeof(setup->uuid));
	setup->ring_bytes = tl_ring_cpu_map_bytes(&session->config);
	setup->realtime_offset_ns = (u64)ktime_to_ns(ktime_mono_to_real(0));
	return 0;
}

/* Open or close the gate: from here on hits are recorded, or are not. */
static void tl_session_gate(struct tl_session *session, bool is_open)
{
	int cpu;

	for_each_possible_cpu(cpu)
		WRITE_ONCE(*per_cpu_ptr(session->gate, cpu),
			   is_open ? &session->rings[cpu]->ring : NULL);
}

/**
 * struct tl_flush - one flush of all rings of a session
 * @session: whose
 * @now_ns: a time before the flush
 * @is_snapshot: and keep all packets up to this one
 */
struct tl_flush {
	struct tl_session *session;
	u64 now_ns;
	bool is_snapshot;
};

static void tl_session_flush_cpu(void *data)
{
	const struct tl_flush *flush = data;

	tl_ring_cpu_flush(flush->session->rings[raw_smp_processor_id()],
			  flush->now_ns, flush->is_snapshot);
}

/*
 * Close all open packets: on the CPUs themselves where they are online, from
 * here where they are not and nobody writes. Returns the time before which
 * every record is in a closed packet.
 */
static u64 tl_session_flush(struct tl_session *session, bool is_snapshot)
{
	struct tl_flush flush = {
		.session = session,
		.now_ns = tl_env_clock_ns(),
		.is_snapshot = is_snapshot,
	};
	u64 time_ns = flush.now_ns;
	int cpu;

	cpus_read_lock();
	on_each_cpu(tl_session_flush_cpu, &flush, 1);
	for_each_possible_cpu(cpu) {
		if (!cpu_online(cpu))
			tl_ring_cpu_flush(session->rings[cpu], flush.now_ns,
					  is_snapshot);
		time_ns = min(time_ns, session->rings[cpu]->flushed_ns);
	}
	cpus_read_unlock();
	return time_ns;
}

/*
 * Keep what the rings have until it is read: a flush that stops the
 * overwriting in the same breath, then the readers' limits.
 */
static u64 tl_session_hold(struct tl_session *session)
{
	u64 time_ns = tl_session_flush(session, true);
	int cpu;

	for_each_possible_cpu(cpu)
		tl_ring_cpu_set_limit(session->rings[cpu]);
	session->is_held = true;
	return time_ns;
}

static void tl_session_resume(struct tl_session *session)
{
	int cpu;

	for_each_possible_cpu(cpu)
		tl_ring_cpu_resume(session->rings[cpu]);
	session->is_held = false;
}

static void tl_session_stop(struct tl_session *session)
{
	int cpu;

	if (session->state == TL_SESSION_NEW)
		return;
	tl_session_gate(session, false);
	tl_session_disable_all(session);
	tl_session_flush(session, false);
	/* all that is there can be read now, a snapshot has no end of its own */
	if (session->is_held)
		tl_session_resume(session);
	for_each_possible_cpu(cpu)
		tl_ring_cpu_finish(session->rings[cpu]);
	session->state = TL_SESSION_STOPPED;
}

/**
 * tl_session_ctl() - TL_SESSION_CTL
 * @session: locked
 * @ctl: the command
 */
int tl_session_ctl(struct tl_session *session, struct tl_session_ctl *ctl)
{
	struct tl_error *error = &ctl->error;
	enum tl_error_code forbidden;

	if (ctl->reserved)
		return tl_refuse(error, TL_ERR_RESERVED, -EINVAL);
	switch (ctl->command) {
	case TL_SESSION_START:
		/* the right may have gone since the session was opened */
		forbidden = tl_command_forbidden();
		if (forbidden)
			return tl_refuse(error, forbidden, -EPERM);
		if (session->state != TL_SESSION_READY)
			return tl_refuse(error, TL_ERR_STATE, -EBUSY);
		session->state = TL_SESSION_RUNNING;
		/* nothing is older */
		ctl->time_ns = tl_env_clock_ns();
		tl_session_gate(session, true);
		return 0;
	case TL_SESSION_STOP:
		if (session->state != TL_SESSION_RUNNING)
			return tl_refuse(error, TL_ERR_STATE, -EBUSY);
		tl_session_stop(session);
		ctl->time_ns = tl_env_clock_ns();
		return 0;
	case TL_SESSION_FLUSH:
		if (session->state == TL_SESSION_NEW)
			return tl_refuse(error, TL_ERR_STATE, -EBUSY);
		ctl->time_ns = tl_session_flush(session, false);
		return 0;
	case TL_SESSION_SNAPSHOT:
		if (session->state != TL_SESSION_RUNNING || session->is_held)
			return tl_refuse(error, TL_ERR_STATE, -EBUSY);
		ctl->time_ns = tl_session_hold(session);
		return 0;
	case TL_SESSION_RESUME:
		if (!session->is_held)
			return tl_refuse(error, TL_ERR_STATE, -EBUSY);
		tl_session_resume(session);
		ctl->time_ns = tl_env_clock_ns();
		return 0;
	}
	return tl_refuse(error, TL_ERR_COMMAND, -EINVAL);
}

/**
 * tl_session_end() - the device file is closed: remove all probes and events
 * @session: not locked, nobody else has it
 */
void tl_session_end(struct tl_session *session)
{
	mutex_lock(&session->lock);
	tl_session_stop(session);
	tl_session_free_events(session);
	mutex_unlock(&session->lock);
	tl_places_close(&session->places);
	tl_session_put(session);
}
