// SPDX-License-Identifier: GPL-2.0-only
/* A ring under stress: its memory, its writers and its books. */
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#include "stress.h"

static const struct tl_ring_identity identity = {
	.uuid = "0123456789abcde",
	.cpu = 7,
};

/* A clock that goes back by 63 ns every 2 us, as an NMI-safe clock may. */
u64 tl_env_clock_ns(void)
{
	struct timespec now;
	u64 ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
	return ns + (ns >> 5 & 63);
}

/* Nobody sleeps. */
void tl_ring_delivered(struct tl_ring *ring)
{
	(void)ring;
}

/* Zeroed, and real only where it is touched. */
static void *map(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED) {
		perror("stress: mmap");
		exit(2);
	}
	return at;
}

static size_t data_bytes(const struct tl_ring *ring)
{
	return (size_t)(tl_packet_count(ring->geo) + 1) *
	       tl_packet_bytes(ring->geo);
}

static size_t slots_bytes(const struct tl_ring *ring)
{
	return tl_packet_count(ring->geo) * sizeof(struct tl_slot);
}

void stress_make(struct stress *stress, u32 packet_shift, u32 count_shift,
		 bool overwrite)
{
	u32 level;

	memset(stress, 0, sizeof(*stress));
	stress->ring.geo = tl_geometry(packet_shift, count_shift);
	stress->ring.overwrite = overwrite;
	stress->ring.slots = map(slots_bytes(&stress->ring));
	stress->ring.data = map(data_bytes(&stress->ring));
	stress->accepted = map(STRESS_PACKETS_MAX * sizeof(*stress->accepted));
	stress->found = map(STRESS_PACKETS_MAX * sizeof(*stress->found));
	stress->seen = map(STRESS_TICKETS_MAX / 8);
	tl_ring_init(&stress->ring, &stress->reader, &identity);
	for (level = 0; level < STRESS_LEVELS; level++)
		stress->levels[level].random = 0x243f6a8885a308d3ull + level;
}

void stress_free(struct stress *stress)
{
	munmap(stress->ring.slots, slots_bytes(&stress->ring));
	munmap(stress->ring.data, data_bytes(&stress->ring));
	munmap(stress->accepted, STRESS_PACKETS_MAX * sizeof(*stress->accepted));
	munmap(stress->found, STRESS_PACKETS_MAX * sizeof(*stress->found));
	munmap(stress->seen, STRESS_TICKETS_MAX / 8);
}

void stress_error(struct stress *stress, const char *what, u64 is, u64 expected)
{
	if (__atomic_fetch_add(&stress->errors, 1, __ATOMIC_RELAXED) < 10)
		printf("# %s: %llu, not %llu\n", what, (unsigned long long)is,
		       (unsigned long long)expected);
}

/* The payload: the number, the time, and what follows from the number. */
static void store_payload(u8 *at, u64 ticket, u64 time_ns, u32 payload_bytes)
{
	u64 *words = (u64 *)at;
	u32 i;

	words[0] = ticket;
	words[1] = time_ns;
	for (i = 2; i < ALIGN(payload_bytes, 8u) / 8; i++)
		words[i] = stress_word(ticket, i);
}

/* The fast path, as tl_hit_event() goes it; false where it is not for it. */
static bool write_fast(struct stress *stress, u64 ticket, u32 payload_bytes)
{
	struct tl_ring *ring = &stress->ring;
	u32 bytes = tl_record_bytes(payload_bytes, false);
	u64 pos = tl_ring_pos(ring);
	u64 now_ns = tl_ring_now(ring);
	struct tl_slot *slot;
	u32 offset;
	u8 *at;

	if (!tl_ring_try_reserve(ring, pos, &offset, now_ns, bytes))
		return false;
	slot = tl_ring_slot_of(ring, pos);
	at = tl_ring_at(ring, slot, offset);
	at = tl_record_store_short(at, now_ns, payload_bytes, 0, 1);
	store_payload(at, ticket, now_ns, payload_bytes);
	tl_cpu_add_return(&stress->accepted[tl_pos_seq(ring->geo, pos)], 1);
	tl_ring_commit_at(ring, slot, pos, bytes);
	return true;
}

static enum tl_outcome write_general(struct stress *stress, u32 id, u64 ticket,
				     u32 payload_bytes)
{
	struct tl_ring *ring = &stress->ring;
	struct tl_slice slice;
	enum tl_outcome outcome;

	outcome = tl_ring_reserve(ring, payload_bytes, id, &slice);
	if (outcome != TL_RECORDED)
		return outcome;
	store_payload(tl_record_store(ring, &slice, id, 0, 1), ticket,
		      slice.time_ns, payload_bytes);
	tl_cpu_add_return(&stress->accepted[tl_pos_seq(ring->geo, slice.pos)],
			  1);
	tl_ring_commit(ring, &slice);
	return outcome;
}

/*
 * Mostly short, often up to a third of a packet, now and then too big. What can
 * be stored is less than TL_EVENT_EXTENDED, so that it can be an event's number.
 */
static u32 random_payload(struct stress *stress, u64 random)
{
	u32 room = tl_packet_bytes(stress->ring.geo) - TL_PACKET_HEADER_BYTES;

	u32 third = room / 3 < 1000 ? room / 3 : 1000;

	if (random % 512 == 0)
		return room + 8;
	if (random % 4 == 0)
		return 16 + (u32)(random >> 16) % third;
	return 16 + (u32)(random >> 16) % 32;
}

void stress_write(struct stress *stress, u32 level)
{
	struct stress_level *books = &stress->levels[level];
	u64 random = stress_random(&books->random);
	u32 payload_bytes = random_payload(stress, random);
	bool extended = random >> 60 == 0;
	enum tl_outcome outcome = TL_RECORDED;
	u64 ticket = tl_cpu_add_return(&stress->tickets, 1);
	u32 busy = READ_ONCE(stress->busy) + 1;
	u32 id = payload_bytes + (extended ? TL_EVENT_EXTENDED : 0);

	WRITE_ONCE(stress->busy, busy);
	if (busy > READ_ONCE(stress->busy_max))
		WRITE_ONCE(stress->busy_max, busy);
	books->nested += busy > 1;
	books->extended += extended;
	if (id >= TL_EVENT_EXTENDED ||
	    !write_fast(stress, ticket, payload_bytes))
		outcome = write_general(stress, id, ticket, payload_bytes);
	books->outcomes[outcome]++;
	WRITE_ONCE(stress->busy, busy - 1);
}

void stress_flush(struct stress *stress, u32 level)
{
	stress->levels[level].flushes += tl_ring_flush(&stress->ring);
}
