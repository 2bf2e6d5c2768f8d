// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring with nested contexts, by search (ring_search.h): what can happen,
 * and how far it is searched.
 *
 * TRAPLINE_LONG=1 in the environment looks further, for some minutes; build
 * that with SANITIZE= (and another O=), or it takes four times as long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ring_search.h"

#define GAP (1ull << TL_RECORD_TIME_BITS)

static void write_small(void)
{
	world_write(0);
}

static void write_medium(void)
{
	world_write(world_packet_bytes() / 4);
}

static void write_large(void)
{
	world_write(world_payload_max());
}

/* More than a lap. Only its first and its last writer are interrupted. */
static void write_storm(void)
{
	void (*on_point)(void) = world.on_point;
	u32 packets = 1u << world.config.count_shift;
	u32 i;

	for (i = 0; i <= packets; i++) {
		world.on_point = i % packets ? NULL : on_point;
		world_write(world_payload_max());
	}
}

static void write_too_big(void)
{
	world_write(world_payload_max() + 1);
}

static void flush(void)
{
	world_flush();
}

static void take(void)
{
	/* one reader, under its lock */
	if (!world.reading)
		world_take();
}

static void take_all(void)
{
	if (!world.reading)
		world_drain();
}

static void write_after_gap(void)
{
	world.clock_ns += GAP;
	world_write(0);
}

static void write_in_the_past(void)
{
	world.clock_ns -= 40;
	world_write(0);
}

/* The clock alone: the interrupted writer sees it. */
static void clock_gap(void)
{
	world.clock_ns += GAP;
}

static void clock_back(void)
{
	world.clock_ns -= 40;
}

/* Begin a snapshot or end it: one at a time, and no end within the beginning. */
static void snapshot(void)
{
	if (world.holding)
		return;
	if (world.held_seq == TL_SEQ_NONE)
		world_hold();
	else
		world_resume();
}

static void write_three(void)
{
	world_write(0);
	world_write(world_packet_bytes() / 4);
	world_write(0);
}

static const struct action small = { "small", write_small };
static const struct action medium = { "medium", write_medium };
static const struct action large = { "large", write_large };
static const struct action storm = { "storm", write_storm };
static const struct action too_big = { "too big", write_too_big };
static const struct action flushing = { "flush", flush };
static const struct action taking = { "take", take };
static const struct action draining = { "take all", take_all };
static const struct action late = { "after a gap", write_after_gap };
static const struct action early = { "earlier", write_in_the_past };
static const struct action gap = { "gap", clock_gap };
static const struct action back = { "clock back", clock_back };
static const struct action holding = { "snapshot", snapshot };
static const struct action three = { "three", write_three };

/* States to start from: nothing, room, no room, full, border, lap on lap. */
static const struct action *const nothing[] = { NULL };
static const struct action *const room[] = { &small, NULL };
static const struct action *const no_room[] = { &large, NULL };
static const struct action *const border[] = { &medium, &flushing, NULL };
static const struct action *const full[] = { &storm, &small, NULL };
static const struct action *const read_once[] = { &storm, &draining, &medium,
						  &small, NULL };
static const struct action *const idle[] = { &large, &flushing, &draining,
					     &large, NULL };
static const struct action *const held[] = { &storm, &small, &holding, &taking,
					     &large, NULL };
static const struct action *const *const all_states[] = {
	nothing, room, no_room, border, full, read_once, idle, held, NULL,
};

static const struct action *const *const few_states[] = {
	full, held, NULL,
};

static const struct action *const all_outers[] = {
	&small, &medium, &large, &late, &flushing, &taking, &holding, &too_big,
	NULL,
};

static const struct action *const few_outers[] = {
	&medium, &large, &flushing, &taking, &holding, NULL,
};

static const struct action *const two_outers[] = { &large, &holding, NULL };

static const struct action *const all_actions[] = {
	&small, &large, &storm, &three, &flushing, &taking, &draining, &holding,
	&late, &early, &gap, &back, &too_big, NULL,
};

static const struct action *const most_actions[] = {
	&small, &large, &storm, &flushing, &taking, &draining, &holding, NULL,
};

static const struct action *const few_actions[] = {
	&small, &large, &storm, &flushing, &taking, &holding, NULL,
};

static const struct action *const three_actions[] = {
	&large, &storm, &taking, NULL,
};

/* Within seconds: two deep, and three for what has told the most. */
static void search_shortly(struct world_config config,
			   struct search_count *count)
{
	const struct search_plan wide = {
		config, all_states, few_outers, few_actions, 2,
	};
	const struct search_plan deep = {
		config, few_states, two_outers, three_actions, 3,
	};

	search_all(&wide, count);
	if (config.packet_shift > 7 && !config.wild)
		search_all(&deep, count);
}

/* Within minutes: three deep, and two for all there is. */
static void search_long(struct world_config config, struct search_count *count)
{
	const struct search_plan wide = {
		config, all_states, all_outers, all_actions, 2,
	};
	const struct search_plan deep = {
		config, all_states, few_outers, most_actions, 3,
	};

	search_all(&wide, count);
	search_all(&deep, count);
}

/* Each size and clock, and all there is, the general way, one deep. */
static void search_ring(u32 count_shift, bool overwrite)
{
	const char *is_long = getenv("TRAPLINE_LONG");
	struct search_count count = { 0 };
	u32 i;

	for (i = 0; i < 4; i++) {
		struct search_plan all = {
			.config.packet_shift = i & 1 ? 7 : 8,
			.config.count_shift = count_shift,
			.config.overwrite = overwrite,
			.config.wild = i & 2,
			.states = all_states,
			.outers = all_outers,
			.actions = all_actions,
			.depth = 1,
		};

		if (is_long && !strcmp(is_long, "1"))
			search_long(all.config, &count);
		else
			search_shortly(all.config, &count);
		search_all(&all, &count);
		all.config.general = true;
		search_all(&all, &count);
	}
	print_message("# %llu worlds, with %llu different ends\n",
		      (unsigned long long)count.worlds,
		      (unsigned long long)count.ends);
}

static void test_discard_2(void **state)
{
	(void)state;
	search_ring(1, false);
}

static void test_discard_4(void **state)
{
	(void)state;
	search_ring(2, false);
}

static void test_overwrite_2(void **state)
{
	(void)state;
	search_ring(1, true);
}

static void test_overwrite_4(void **state)
{
	(void)state;
	search_ring(2, true);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_discard_2, search_tell),
		cmocka_unit_test_teardown(test_discard_4, search_tell),
		cmocka_unit_test_teardown(test_overwrite_2, search_tell),
		cmocka_unit_test_teardown(test_overwrite_4, search_tell),
	};
	int failed;

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	failed = cmocka_run_group_tests_name("ring_nest", tests, NULL, NULL);
	world_free();
	return failed;
}
