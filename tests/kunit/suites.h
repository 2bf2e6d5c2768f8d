/* SPDX-License-Identifier: GPL-2.0-only */
/* The KUnit suites, and what they share: a bed to hit events in. */
#ifndef TL_KUNIT_SUITES_H
#define TL_KUNIT_SUITES_H

#include "compat.h"
#include "place.h"
#include "session.h"

extern struct kunit_suite tl_ring_suite;
extern struct kunit_suite tl_wake_suite;
extern struct kunit_suite tl_prog_suite;
extern struct kunit_suite tl_filter_suite;
extern struct kunit_suite tl_hit_suite;
extern struct kunit_suite tl_memory_suite;
extern struct kunit_suite tl_nest_suite;
extern struct kunit_suite tl_stack_suite;
extern struct kunit_suite tl_storm_suite;
extern struct kunit_suite tl_recursion_suite;
extern struct kunit_suite tl_place_suite;
extern struct kunit_suite tl_event_suite;
extern struct kunit_suite tl_probe_suite;
extern struct kunit_suite tl_tracepoint_suite;
extern struct kunit_suite tl_session_suite;
extern struct kunit_suite tl_fail_suite;

/* How often to repeat what is repeated: @few by default, more when asked. */
u32 tl_rounds(u32 few);

#define TL_BED_EVENTS 2

/**
 * struct tl_bed - a session with a place that no probe arms
 * @session: its rings; it knows nothing of @place
 * @event: on @place, in this order
 * @count: of @event
 * @place: to be hit by calling tl_event_hit(), which makes the test the backend
 */
struct tl_bed {
	struct tl_session *session;
	struct tl_event *event[TL_BED_EVENTS];
	u32 count;
	struct tl_place place;
};

struct tl_bed *tl_bed_make(struct kunit *test, u32 mode, u32 packet_bytes,
			   u32 packet_count);
void tl_bed_end(struct kunit *test, struct tl_bed *bed);
void tl_bed_add(struct kunit *test, struct tl_bed *bed,
		const struct tl_insn *insns, u32 insn_count);
void tl_bed_start(struct kunit *test, struct tl_bed *bed);
void tl_bed_stop(struct kunit *test, struct tl_bed *bed);
void tl_bed_sum(const struct tl_bed *bed, u32 event, struct tl_counters *sum);
u64 tl_counters_hits(const struct tl_counters *sum);

/* A hit in the context at hand. */
void tl_bed_hit(struct tl_bed *bed, struct pt_regs *regs);

/* Stay on one CPU; KUnit's thread ends with the test. */
void tl_stay_on(struct kunit *test, int cpu);

/* Nothing is taken of the module's limit. */
void tl_expect_limit_free(struct kunit *test);

/* An online CPU that is not @cpu; the test fails if there is none. */
int tl_other_cpu(struct kunit *test, int cpu);

#endif
