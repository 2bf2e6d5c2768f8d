// SPDX-License-Identifier: GPL-2.0-only
/*
 * The loops that are timed: the ring, and what it is compared with.
 *
 * All of them store the same: a word of header, different in each record, and
 * the payload from bench->payload, in words of 8 bytes as a program in the
 * module does it. They differ in nothing but how they find the place. Compiled
 * as the module is: -O2, no vector registers.
 *
 * Compiled twice, together with core/ring.c. BENCH_CLOCK chooses the clock.
 */
#include <time.h>

#include "ring.h"

#ifdef BENCH_CLOCK
#define BENCH_TABLE bench_ways_clock

/* The counterpart of ktime_get_mono_fast_ns(): no system call, but the vDSO. */
u64 tl_env_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}
#else
#define BENCH_TABLE bench_ways_counter

/* Of each thread, as that of each CPU: nobody waits for another one's line. */
static __thread u64 bench_counter;

u64 tl_env_clock_ns(void)
{
	return ++bench_counter;
}
#endif

/* The module wakes readers here, once per packet; ours are always awake. */
void tl_ring_delivered(struct tl_ring *ring)
{
	(void)ring;
}

static __always_inline void put_payload(u8 *at, const u64 *payload,
					u32 payload_bytes)
{
	u64 *to = (u64 *)at;
	u32 i;

#pragma GCC unroll 32
	for (i = 0; i < payload_bytes / sizeof(u64); i++)
		to[i] = payload[i];
}

/* The stores alone. The barrier has the payload loaded each time. */
static __always_inline bool copy(struct bench *bench, u64 index, u32 serial,
				 u32 payload_bytes)
{
	u32 bytes = sizeof(u64) + payload_bytes;
	u8 *at = bench->data + (index * bytes & (BENCH_BUFFER_BYTES - 1));

	*(u64 *)at = serial;
	put_payload(at + sizeof(u64), bench->payload, payload_bytes);
	asm volatile("" : : : "memory");
	return true;
}

/*
 * The least that reserve and commit can be where an interrupt may come between
 * any two instructions: a position that is exchanged, a sum that is added to.
 * No packets, no time, no reader.
 */
static __always_inline bool bare(struct bench *bench, u64 index, u32 serial,
				 u32 payload_bytes)
{
	u32 bytes = sizeof(u64) + payload_bytes;
	u64 pos = READ_ONCE(bench->bare_pos);
	u8 *at;

	(void)index;
	while (unlikely(!tl_cpu_try_cmpxchg(&bench->bare_pos, &pos,
					    pos + bytes)))
		;
	at = bench->data + (pos & (BENCH_BUFFER_BYTES - 1));
	*(u64 *)at = serial;
	put_payload(at + sizeof(u64), bench->payload, payload_bytes);
	tl_cpu_add_return(&bench->bare_committed, bytes);
	return true;
}

/*
 * As tl_hit_record() in module/hit.c, from the reservation on. The length that
 * is copied is a constant here, so that only the ring's part differs.
 */
static __always_inline bool general(struct bench *bench, u64 index, u32 serial,
				    u32 payload_bytes)
{
	const struct bench_event *event = &bench->event;
	struct tl_ring *ring = READ_ONCE(*event->direct_ring);
	struct tl_slice slice;
	u8 *at;

	(void)index;
	if (unlikely(tl_ring_reserve(ring, event->payload_bytes, event->id,
				     &slice) != TL_RECORDED))
		return false;
	at = tl_record_store(ring, &slice, event->id, TL_CTX_TASK, serial);
	put_payload(at, bench->payload, payload_bytes);
	tl_ring_commit(ring, &slice);
	return true;
}

/* What does not fit into the open packet: once per packet. */
static noinline bool ring_general(struct bench *bench, u32 serial,
				  u32 payload_bytes)
{
	return general(bench, 0, serial, payload_bytes);
}

/* As tl_hit_event() in module/hit.c, line by line. */
static __always_inline bool ring(struct bench *bench, u64 index, u32 serial,
				 u32 payload_bytes)
{
	const struct bench_event *event = &bench->event;
	struct tl_ring *ring = READ_ONCE(*event->direct_ring);
	struct tl_slot *slot;
	u64 pos, now_ns;
	u32 offset;
	u8 *at;

	(void)index;
	if (unlikely(!ring))
		return ring_general(bench, serial, payload_bytes);
	pos = tl_ring_pos(ring);
	now_ns = tl_ring_now(ring);
	if (unlikely(!tl_ring_try_reserve(ring, pos, &offset, now_ns,
					  event->short_bytes)))
		return ring_general(bench, serial, payload_bytes);
	slot = tl_ring_slot_of(ring, pos);
	at = tl_record_store_short(tl_ring_at(ring, slot, offset), now_ns,
				   event->id, TL_CTX_TASK, serial);
	put_payload(at, bench->payload, payload_bytes);
	tl_ring_commit_at(ring, slot, pos, event->short_bytes);
	return true;
}

#define LOOP(way, bytes)                                                      \
	static u64 way##_##bytes(struct bench *bench, u64 first, u64 count)   \
	{                                                                     \
		u64 recorded = 0;                                             \
		u64 i;                                                        \
									      \
		for (i = 0; i < count; i++)                                   \
			recorded += way(bench, i, (u32)(first + i),           \
					(bytes) - (u32)sizeof(u64));          \
		return recorded;                                              \
	}
#define LOOPS(way) LOOP(way, 16) LOOP(way, 32) LOOP(way, 64) LOOP(way, 256)
#define TABLE(way) { way##_16, way##_32, way##_64, way##_256 }

LOOPS(copy)
LOOPS(bare)
LOOPS(ring)
LOOPS(general)

const struct bench_way BENCH_TABLE[BENCH_WAYS] = {
	{ "copy", sizeof(u64), 0, false, TABLE(copy) },
	{ "bare", sizeof(u64), 0, false, TABLE(bare) },
	{ "ring", sizeof(u64), 1, true, TABLE(ring) },
	{ "general", sizeof(u64), 1, true, TABLE(general) },
	{ "extended", sizeof(struct tl_record_extended), TL_EVENT_EXTENDED + 1,
	  true, TABLE(general) },
};
