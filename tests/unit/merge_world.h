/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A world for the merge: rings that answer from lists, and a sink that notes
 * what it is given.
 */
#ifndef TL_TEST_MERGE_WORLD_H
#define TL_TEST_MERGE_WORLD_H

#include <stdint.h>
#include <stdlib.h>

#include "../../userspace/lib/merge.h"
#include "packet_build.h"

#define RINGS 9
#define ANSWERS 64
#define SEEN 4096

/* What a ring answers, one after the other; EMPTY when the list is used up. */
struct answer {
	int state;
	struct build *packet;
	size_t size;
	uint64_t sequence;
	uint64_t skipped;
};

struct fake {
	struct merge_input input; /* first */
	struct answer answers[ANSWERS];
	size_t count;
	size_t next;
};

struct seen {
	char kind; /* r: record, l: loss */
	uint64_t time_ns;
	unsigned int cpu;
	uint64_t records;
	uint64_t packets;
};

/**
 * struct merge_world - all of that
 * @rings: in the order of their CPUs
 * @merge: of them
 * @seen: what the sink was given
 * @seen_count: how much
 * @sink_result: what the sink answers to a record
 */
struct merge_world {
	struct fake rings[RINGS];
	struct merge merge;
	struct seen seen[SEEN];
	size_t seen_count;
	int sink_result;
};

extern struct merge_world merging;

int world_set_up(void **state);
int world_tear_down(void **state);

/* All rings were flushed at that time. */
void flush(uint64_t time_ns);
/* One more answer, without a packet. */
void answer(unsigned int ring, int state);
/* All rings from this one on have that as their last answer. */
void answer_from(unsigned int ring, int state);
/* A packet with records at the times; the last one is where it was closed. */
struct answer *packet(unsigned int ring, uint64_t sequence, uint64_t discarded,
		      const uint64_t *times, size_t count);

#define TIMES(...) (const uint64_t[]){ __VA_ARGS__ }, \
	sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)

void seen_is(size_t at, char kind, uint64_t time_ns, unsigned int cpu);

#endif
