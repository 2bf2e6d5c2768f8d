/* SPDX-License-Identifier: GPL-2.0-only */
/* A session in each of its states, for tests of what can fail there. */
#ifndef TESTS_GUEST_TL_BED_H
#define TESTS_GUEST_TL_BED_H

#include "tl.h"

#define BED_PACKET_BYTES 4096
#define BED_PACKETS 4
#define BED_MAP_BYTES ((1 + BED_PACKETS + 1) * 4096)

/**
 * struct bed - what a command is tried on
 * @dev: a session, or -1
 * @id: an event of it
 * @ring: a ring's file, or -1
 * @map: its mapping, or NULL
 */
struct bed {
	int dev;
	uint32_t id;
	int ring;
	void *map;
};

/* of entries, and of the returns of a function that ftrace has no part in */
extern uint64_t bed_place, bed_return_place;
/* The first argument of a tracepoint. */
extern const struct tl_insn bed_prog_first[2];

/** bed_nothing() - nothing */
void bed_nothing(struct bed *bed);
/** bed_session() - a session without rings */
void bed_session(struct bed *bed);
/** bed_ready() - with rings */
void bed_ready(struct bed *bed);
/** bed_event() - with an entry that is not armed */
void bed_event(struct bed *bed);
/** bed_return() - with a return that is not armed */
void bed_return(struct bed *bed);
/** bed_tracepoint() - with a tracepoint that is not armed */
void bed_tracepoint(struct bed *bed);
/** bed_armed_tracepoint() - and with it armed */
void bed_armed_tracepoint(struct bed *bed);
/** bed_function() - with an entry for ftrace that is not armed */
void bed_function(struct bed *bed);
/** bed_function_armed() - and with it armed */
void bed_function_armed(struct bed *bed);
/** bed_armed() - with an entry that is armed */
void bed_armed(struct bed *bed);
/** bed_running() - started */
void bed_running(struct bed *bed);
/** bed_ring() - with a ring's file */
void bed_ring(struct bed *bed);
/** bed_held() - with a snapshot */
void bed_held(struct bed *bed);
/** bed_packet() - with a packet that can be read */
void bed_packet(struct bed *bed);
/** bed_map() - with a mapping */
void bed_map(struct bed *bed);
/** bed_clear() - close all of it */
void bed_clear(struct bed *bed);

#endif
