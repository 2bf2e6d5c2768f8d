// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring with nested contexts, by search.
 *
 * The contexts of a CPU are strictly stack-ordered: what interrupts a writer
 * is over before the writer goes on. So complete calls, made at the points
 * where the ring's code has touched what others see, are all interleavings
 * there are. The search runs an operation, counts its points, and repeats it
 * with each action at each point, and then with each second action at each
 * later point: one inside the first, or after it.
 *
 * TL_SEARCH_DEPTH=3 in the environment looks further, for some minutes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ring_world.h"

#define DEPTH_MAX 3
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

static void write_storm(void)
{
	u32 i;

	for (i = 0; i <= 1u << world.config.count_shift; i++)
		world_write(world_payload_max());
}

static void write_too_big(void)
{
	world_write(world_payload_max() + 1);
}

static void flush(void)
{
	tl_ring_flush(&world.ring);
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

static void write_three(void)
{
	world_write(0);
	world_write(world_packet_bytes() / 4);
	world_write(0);
}

/**
 * struct action - what can happen at a point, or be the outer operation
 * @name: for the report of a failure
 * @run: it
 */
struct action {
	const char *name;
	void (*run)(void);
};

static const struct action small = { "small", write_small };
static const struct action medium = { "medium", write_medium };
static const struct action large = { "large", write_large };
static const struct action storm = { "storm", write_storm };
static const struct action too_big = { "too big", write_too_big };
static const struct action flushing = { "flush", flush };
static const struct action taking = { "take", take };
static const struct action draining = { "take all", take_all };
static const struct action late = { "after a gap", write_after_gap };
static const struct action early = { "clock back", write_in_the_past };
static const struct action three = { "three", write_three };

/**
 * struct search - one search, and where it is
 * @config: the ring
 * @before: done before, uninterrupted; up to NULL
 * @outer: the interrupted operation
 * @actions: what interrupts it; up to NULL
 * @depth: interruptions at most
 * @point: at which point each interruption happens
 * @action: and which it is
 * @planned: interruptions of the current run
 * @done: of these, how many have happened
 * @passed: points passed in the current run
 * @runs: worlds made so far
 */
struct search {
	struct world_config config;
	const struct action *const *before;
	const struct action *outer;
	const struct action *const *actions;
	u32 depth;
	u32 point[DEPTH_MAX];
	const struct action *action[DEPTH_MAX];
	u32 planned;
	u32 done;
	u32 passed;
	u64 runs;
};

static struct search search;

/* Where a failure was: called only if a check has failed. */
static int tell(void **state)
{
	u32 i;

	(void)state;
	world.on_point = NULL;
	if (!search.outer)
		return 0;
	fprintf(stderr, "in N=%u S=%u%s%s:", 1u << search.config.count_shift,
		1u << search.config.packet_shift,
		search.config.overwrite ? " overwrite" : "",
		search.config.general ? " general" : "");
	for (i = 0; search.before[i]; i++)
		fprintf(stderr, " %s,", search.before[i]->name);
	fprintf(stderr, " then %s", search.outer->name);
	for (i = 0; i < search.planned; i++)
		fprintf(stderr, ", at point %u %s", search.point[i],
			search.action[i]->name);
	fprintf(stderr, " (run %llu)\n", (unsigned long long)search.runs);
	return 0;
}

static void at_point(void)
{
	u32 point = search.passed++;

	/* what is before the last interruption was checked without it */
	if (search.done == search.planned)
		world_check_always();
	while (search.done < search.planned &&
	       search.point[search.done] == point)
		search.action[search.done++]->run();
}

/* One world, from beginning to end. */
static void run(void)
{
	u32 i;

	search.runs++;
	search.passed = 0;
	search.done = 0;
	world_make(&search.config);
	for (i = 0; search.before[i]; i++)
		search.before[i]->run();
	world_check_quiet();
	world.on_point = at_point;
	search.outer->run();
	world.on_point = NULL;
	/* of three, the last may have been meant for what was over already */
	if (search.planned <= 2)
		assert_int_equal(search.done, search.planned);
	world_settle();
	world_laps(1);
}

static void search_from(u32 first_point)
{
	u32 level = search.planned;
	u32 points, point, i;

	run();
	points = search.passed;
	if (level == search.depth)
		return;
	search.planned++;
	for (point = first_point; point < points; point++) {
		for (i = 0; search.actions[i]; i++) {
			search.point[level] = point;
			search.action[level] = search.actions[i];
			search_from(point);
		}
	}
	search.planned--;
}

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
static const struct action *const *const states[] = {
	nothing, room, no_room, border, full, read_once, idle,
};

static const struct action *const all_outers[] = {
	&small, &medium, &large, &late, &flushing, &taking, &too_big, NULL,
};

static const struct action *const few_outers[] = {
	&medium, &large, &flushing, &taking, NULL,
};

static const struct action *const all_actions[] = {
	&small, &large, &storm, &flushing, &taking, &draining,
	&late, &early, &three, &too_big, NULL,
};

static const struct action *const few_actions[] = {
	&small, &large, &storm, &flushing, &taking, NULL,
};

static const struct action *const fewer_actions[] = {
	&small, &storm, &taking, NULL,
};

static void search_all(struct world_config config,
		       const struct action *const *outers,
		       const struct action *const *actions, u32 depth)
{
	const char *more = getenv("TL_SEARCH_DEPTH");
	u32 i, j;

	memset(&search, 0, sizeof(search));
	search.config = config;
	search.actions = actions;
	search.depth = more ? (u32)atoi(more) : depth;
	assert_in_range(search.depth, 0, DEPTH_MAX);
	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		for (j = 0; outers[j]; j++) {
			search.before = states[i];
			search.outer = outers[j];
			search_from(0);
		}
	}
	search.outer = NULL;
}

static void search_size(u32 packet_shift, u32 count_shift, bool overwrite)
{
	struct world_config config = {
		.packet_shift = packet_shift,
		.count_shift = count_shift,
		.overwrite = overwrite,
	};

	search_all(config, all_outers, all_actions, 1);
	search_all(config, few_outers,
		   count_shift > 1 ? fewer_actions : few_actions, 2);
	config.general = true;
	search_all(config, all_outers, all_actions, 1);
}

static void test_discard_2(void **state)
{
	(void)state;
	search_size(8, 1, false);
}

static void test_discard_4(void **state)
{
	(void)state;
	search_size(8, 2, false);
}

static void test_overwrite_2(void **state)
{
	(void)state;
	search_size(8, 1, true);
}

static void test_overwrite_4(void **state)
{
	(void)state;
	search_size(8, 2, true);
}

/* Packets of 128 bytes, 48 of them for records: nearly each one is a border. */
static void test_narrow(void **state)
{
	struct world_config config = { .packet_shift = 7, .count_shift = 1 };

	(void)state;
	search_all(config, few_outers, fewer_actions, 2);
	config.overwrite = true;
	search_all(config, few_outers, fewer_actions, 2);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_discard_2, tell),
		cmocka_unit_test_teardown(test_discard_4, tell),
		cmocka_unit_test_teardown(test_overwrite_2, tell),
		cmocka_unit_test_teardown(test_overwrite_4, tell),
		cmocka_unit_test_teardown(test_narrow, tell),
	};
	int failed;

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	failed = cmocka_run_group_tests_name("ring_nest", tests, NULL, NULL);
	world_free();
	return failed;
}
