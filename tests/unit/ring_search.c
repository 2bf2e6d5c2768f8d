// SPDX-License-Identifier: GPL-2.0-only
/* The search over interleavings: runs, their plan, and their ends. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ring_search.h"

#define KNOWN_SHIFT 20

/**
 * struct interruption - one action at one point
 * @point: number of the point, counted from the beginning of the run; the
 *	place where an action was is another point after it
 * @end: how many of these there are
 * @action: index into the plan's actions
 */
struct interruption {
	u32 point;
	u32 end;
	u32 action;
};

/**
 * struct search - a search, and where it is
 * @plan: what to search
 * @before: what was done before
 * @outer: the interrupted operation; NULL outside of a search
 * @at: the interruptions of this run
 * @planned: their number
 * @done: of these, how many have happened
 * @passed: points passed in this run
 * @count: what was done so far
 * @child: a process that does the other share, or 0
 * @is_child: this is that process
 */
static struct search {
	struct search_plan plan;
	const struct action *const *before;
	const struct action *outer;
	struct interruption at[SEARCH_DEPTH_MAX];
	u32 planned;
	u32 done;
	u32 passed;
	struct search_count count;
	pid_t child;
	bool is_child;
} search;

/* Hashes of ends that were checked; what is pushed out is checked again. */
static u64 known[1u << KNOWN_SHIFT];

static void tell_run(void)
{
	u32 i;

	fprintf(stderr, "in N=%u S=%u%s%s%s:", 1u << world.config.count_shift,
		world_packet_bytes(), world.config.overwrite ? " overwrite" : "",
		world.config.general ? " general" : "",
		world.config.wild ? " wild" : "");
	for (i = 0; search.before[i]; i++)
		fprintf(stderr, " %s,", search.before[i]->name);
	fprintf(stderr, " then %s", search.outer->name);
	for (i = 0; i < search.planned; i++)
		fprintf(stderr, ", at point %u %s", search.at[i].point,
			search.plan.actions[search.at[i].action]->name);
	fprintf(stderr, " (run %llu)\n",
		(unsigned long long)search.count.worlds);
}

int search_tell(void **state)
{
	(void)state;
	world.on_point = NULL;
	if (!search.outer)
		return 0;
	/* its parent will do this share again, and tell */
	if (search.is_child)
		_exit(1);
	if (search.child) {
		kill(search.child, SIGKILL);
		waitpid(search.child, NULL, 0);
		search.child = 0;
	}
	tell_run();
	search.outer = NULL;
	return 0;
}

/* The world is as it was, or will have the same future: is that known? */
static bool is_known(void)
{
	u64 hash = world_hash();
	u64 *place = &known[hash >> (64 - KNOWN_SHIFT)];

	if (*place == hash)
		return true;
	*place = hash;
	return false;
}

static void at_point(void)
{
	/* before the last interruption all was checked in an earlier run */
	while (search.done < search.planned) {
		if (search.at[search.done].point != search.passed++)
			return;
		search.plan.actions[search.at[search.done++].action]->run();
	}
	world_check_always();
	search.passed++;
}

/* One world, from its first state to the end. */
static void run(void)
{
	search.count.worlds++;
	search.passed = 0;
	search.done = 0;
	world_restore();
	world.on_point = at_point;
	search.outer->run();
	world.on_point = NULL;
	assert_int_equal(search.done, search.planned);
	world_check_quiet();
	if (is_known())
		return;
	search.count.ends++;
	world_settle();
	world_laps(1);
	world_finish();
}

/* The next run's interruptions: one more, or the last one elsewhere. */
static bool next(void)
{
	struct interruption *last = search.at + search.planned;
	u32 first = search.planned ? last[-1].point + 1 : 0;

	if (search.planned < search.plan.depth && first < search.passed) {
		last->point = first;
		last->end = search.passed;
		last->action = 0;
		search.planned++;
		return true;
	}
	while (search.planned) {
		last = &search.at[search.planned - 1];
		if (search.plan.actions[++last->action])
			return true;
		last->action = 0;
		if (++last->point < last->end)
			return true;
		search.planned--;
	}
	return false;
}

static void search_pair(const struct action *const *before,
			const struct action *outer)
{
	u32 i;

	search.before = before;
	search.outer = outer;
	search.planned = 0;
	world_make(&search.plan.config);
	for (i = 0; before[i]; i++)
		before[i]->run();
	world_check_quiet();
	world_save();
	do {
		run();
	} while (next());
	search.outer = NULL;
}

/* Every second pair of a first state and an outer operation. */
static void search_share(u32 share)
{
	const struct search_plan *plan = &search.plan;
	u32 pair = 0;
	u32 i, j;

	for (i = 0; plan->states[i]; i++)
		for (j = 0; plan->outers[j]; j++)
			if (pair++ % 2 == share)
				search_pair(plan->states[i], plan->outers[j]);
}

/*
 * Another process does the second share while this one does the first. Returns
 * where its count will come from.
 */
static int search_beside(void)
{
	int ends[2];
	ssize_t told;

	assert_int_equal(pipe(ends), 0);
	search.child = fork();
	assert_true(search.child >= 0);
	if (search.child) {
		close(ends[1]);
		return ends[0];
	}
	search.is_child = true;
	if (!freopen("/dev/null", "w", stderr))
		_exit(1);
	search_share(1);
	told = write(ends[1], &search.count, sizeof(search.count));
	_exit(told != sizeof(search.count));
}

/* Wait for the other process. Returns whether nothing was wrong there. */
static bool search_join(int from, struct search_count *count)
{
	ssize_t told = read(from, count, sizeof(*count));
	int status;

	close(from);
	waitpid(search.child, &status, 0);
	search.child = 0;
	return !status && told == sizeof(*count);
}

static void add_count(struct search_count *to, const struct search_count *count)
{
	to->worlds += count->worlds;
	to->ends += count->ends;
}

void search_all(const struct search_plan *plan, struct search_count *count)
{
	struct search_count other;
	int from;

	assert_in_range(plan->depth, 0, SEARCH_DEPTH_MAX);
	memset(&search.count, 0, sizeof(search.count));
	search.plan = *plan;
	from = search_beside();
	search_share(0);
	/* what has failed there fails here, where it can be told */
	if (search_join(from, &other))
		add_count(count, &other);
	else
		search_share(1);
	add_count(count, &search.count);
}
