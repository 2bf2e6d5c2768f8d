/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the ring's native benchmark share. How it is measured, and
 * why so, is told in ring.c.
 */
#ifndef TL_BENCH_RING_H
#define TL_BENCH_RING_H

#include "core/ring.h"

/* The module's default: 16 packets of 64 KiB. */
#define BENCH_PACKET_SHIFT 16
#define BENCH_COUNT_SHIFT 4
#define BENCH_BUFFER_BYTES (1u << (BENCH_PACKET_SHIFT + BENCH_COUNT_SHIFT))

/* Bytes of a record with its short header; each has its loops in ring_write.c. */
#define BENCH_SIZES 4
#define BENCH_BYTES_MAX 256
extern const u32 bench_bytes[BENCH_SIZES];

/**
 * struct bench_event - what a writer knows of its event, as in struct tl_event
 * @direct_ring: where this CPU's ring is found
 * @id: number of the event
 * @short_bytes: of a record with the short header
 * @payload_bytes: of a record without its header
 */
struct bench_event {
	struct tl_ring **direct_ring;
	u32 id;
	u32 short_bytes;
	u32 payload_bytes;
};

/**
 * struct bench - one CPU's ring and what writers and readers of it need
 * @ring: the ring
 * @reader: its reader
 * @slots: the ring's slots
 * @data: the ring's buffers; the loops without a ring use the first N of them
 * @bare_pos: position of the loop without packets
 * @bare_committed: its committed bytes
 * @this_ring: &@ring: loaded for each record, as a per-CPU pointer is
 * @event: the event that is written
 * @payload: the payload of each record, other words in each round
 */
struct bench {
	struct tl_ring ring __aligned(64);
	struct tl_ring_reader reader __aligned(64);
	struct tl_slot slots[1 << BENCH_COUNT_SHIFT];
	u8 *data;
	u64 bare_pos __aligned(64);
	u64 bare_committed __aligned(64);
	struct tl_ring *this_ring __aligned(64);
	struct bench_event event;
	u64 payload[BENCH_BYTES_MAX / sizeof(u64)];
};

/**
 * struct bench_way - one way of storing records
 * @name: in the results
 * @header_bytes: of each of its records
 * @id: of its event: what needs the extended header has a large one
 * @in_ring: the records are in packets; else one after the other in the buffer
 * @write: write @count records, with serial numbers from @first on. Returns
 *	how many were recorded
 */
struct bench_way {
	const char *name;
	u32 header_bytes;
	u32 id;
	bool in_ring;
	u64 (*write[BENCH_SIZES])(struct bench *bench, u64 first, u64 count);
};

/*
 * ring_write.c and the module's core/ring.c are compiled twice: with a counter
 * for a clock, and with the clock.
 */
enum {
	BENCH_COPY,
	BENCH_BARE,
	BENCH_RING,
	BENCH_GENERAL,
	BENCH_EXTENDED,
	BENCH_WAYS,
};

extern const struct bench_way bench_ways_counter[BENCH_WAYS];
extern const struct bench_way bench_ways_clock[BENCH_WAYS];

/* Complain and end. */
void bench_die(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));
u64 bench_now_ns(void);
/* The median is then in the middle, the least in front. */
void bench_sort(double *values, u32 count);
/* Run on that one of the CPUs that we may use; false if there are fewer. */
bool bench_pin(u32 index);

/* ring_walk.c */
struct bench *bench_make(void);
void bench_free(struct bench *bench);
void bench_start(struct bench *bench, const struct bench_way *way, u32 bytes,
		 bool overwrite, u64 salt);
u64 bench_packet_records(const struct bench *bench);
u64 bench_walk_headers(const struct bench *bench,
		       const struct tl_packet_view *view);
void bench_check(struct bench *bench, const struct bench_way *way, u64 first,
		 u64 count);

/* ring_pair.c */
void bench_scale(u32 rounds);
void bench_reader(bool overwrite, u32 rounds);

/* Which of @sizes has @bytes. */
static inline u32 bench_size_index(u32 bytes)
{
	u32 i;

	for (i = 0; i < BENCH_SIZES && bench_bytes[i] != bytes; i++)
		;
	return i;
}

#endif
