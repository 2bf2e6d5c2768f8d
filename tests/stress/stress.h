/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring under stress, with its books: what was offered, what became of it,
 * and what the reader found, record by record.
 *
 * A record says itself what it is: its event's number is the length of its
 * payload, the payload begins with a number that no other record has, the time,
 * and then words that follow from the number.
 */
#ifndef TL_TEST_STRESS_H
#define TL_TEST_STRESS_H

#include <stdlib.h>

#include "core/ring.h"

/* The task, and three levels of signals that interrupt it and each other. */
#define STRESS_LEVELS 4
#define STRESS_PACKETS_MAX (1u << 25)
#define STRESS_TICKETS_MAX (1u << 28)
/* What the reader found in a packet that it never got. */
#define STRESS_SKIPPED 0xffff

/**
 * struct stress_level - the books of one level; only that level writes them
 * @random: state of its random numbers
 * @outcomes: what became of its records
 * @flushes: packets that it has closed by a flush
 * @extended: records with the long header
 * @nested: of its records, those offered while a writer below was under way
 */
struct stress_level {
	u64 random;
	u64 outcomes[TL_OUTCOMES];
	u64 flushes;
	u64 extended;
	u64 nested;
};

/**
 * struct stress - a ring, its writer and its reader
 * @ring: the ring
 * @reader: its reader
 * @levels: books of the writers
 * @tickets: numbers handed out, one to each offered record
 * @busy: writers under way, nested in each other
 * @busy_max: most of them at once
 * @accepted: records in each packet, as the writers see it
 * @found: records in each packet, as the reader sees it, or %STRESS_SKIPPED
 * @seen: a bit for each ticket that was read
 * @done: no record will come any more
 * @expect_seq: packet that should come next
 * @skipped: packets that the reader was told to have missed
 * @read: records read
 * @time_ns: time of the last record read
 * @end_ns: end of the last packet read
 * @discarded: lost records that the last packet told of
 * @spare_sum: checksum of the reader's packet when it was taken
 * @errors: things found wrong
 */
struct stress {
	struct tl_ring ring;
	struct tl_ring_reader reader;
	struct stress_level levels[STRESS_LEVELS];
	u64 tickets;
	u32 busy;
	u32 busy_max;
	u64 *accepted;
	u16 *found;
	u8 *seen;
	bool done;
	u64 expect_seq;
	u64 skipped;
	u64 read;
	u64 time_ns;
	u64 end_ns;
	u64 discarded;
	u64 spare_sum;
	u64 errors;
};

static inline u64 stress_random(u64 *state)
{
	/* xorshift64 */
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Word @index of the payload of record @ticket. */
static inline u64 stress_word(u64 ticket, u32 index)
{
	return (ticket + index) * 0x9e3779b97f4a7c15ull;
}

void stress_make(struct stress *stress, u32 packet_shift, u32 count_shift,
		 bool overwrite);
void stress_free(struct stress *stress);

/* Something is wrong: say what, and go on. */
void stress_error(struct stress *stress, const char *what, u64 is, u64 expected);

/* One record, of a random size. */
void stress_write(struct stress *stress, u32 level);
void stress_flush(struct stress *stress, u32 level);

/* Take a packet and check all of it; 0 or -EAGAIN. */
int stress_take(struct stress *stress);
/* The reader's packet is still what it was when it was taken. */
void stress_check_spare(struct stress *stress);

/* All is written and read: do the books balance? */
void stress_check_books(struct stress *stress);
u64 stress_outcomes(const struct stress *stress, enum tl_outcome outcome);

#endif
