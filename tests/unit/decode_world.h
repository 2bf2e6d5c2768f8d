/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of the decoder share: events, a packet, and what it gives. */
#ifndef TRAPLINE_DECODE_WORLD_H
#define TRAPLINE_DECODE_WORLD_H

#include "../../userspace/lib/decode.h"
#include "packet_build.h"

#define BEGIN UINT64_C(0x123456789a)
#define WRAP (UINT64_C(1) << 27)
#define END_LATE UINT64_MAX
#define DECODE_EVENTS 5

extern struct trapline_event decode_world_events[DECODE_EVENTS];
extern struct decode_events decode_table;
extern struct build decode_build;

int decode_world_make_table(void **state);
int decode_world_free_table(void **state);

/*
 * A copy of exactly @size bytes of the packet on the heap, so that a sanitizer
 * sees each access behind it.
 */
unsigned char *decode_copy(size_t size);

/* End the packet and start to decode it. */
void decode_begins(struct decode_cursor *cursor, uint64_t end_ns);
void decode_gives(struct decode_cursor *cursor, unsigned int id,
		  uint64_t time_ns, unsigned int tid);
void decode_ends(struct decode_cursor *cursor);
void decode_refuses(struct decode_cursor *cursor);

#endif
