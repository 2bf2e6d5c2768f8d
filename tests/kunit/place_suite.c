// SPDX-License-Identifier: GPL-2.0-only
/*
 * Places: who shares one, when it is armed, and which of its events a hit is
 * counted for while they come and go.
 */
#include "hit.h"
#include "place_module.h"
#include "suites.h"
#include "target.h"

#define PLACES (TL_DISARM_BATCH + 6)

static const struct tl_insn tl_insns[] = {
	{ .op = TL_OP_PUT_REG, .arg = 8, .imm = offsetof(struct pt_regs, di) },
	{ .op = TL_OP_END },
};

/**
 * struct tl_site - places of a session that is not there
 * @bed: two events, recorded
 * @places: where they may be
 */
struct tl_site {
	struct tl_bed *bed;
	struct tl_places places;
};

/* No probe is left behind, wherever a test has ended. */
static void tl_site_release(void *data)
{
	struct tl_site *site = data;
	struct tl_place *place, *next;

	tl_place_disarm_all(&site->places);
	list_for_each_entry_safe(place, next, &site->places.list, node) {
		place->users = 1;
		tl_place_put(place);
	}
	tl_places_close(&site->places);
}

static struct tl_site *tl_site_make(struct kunit *test)
{
	struct tl_site *site = kunit_kzalloc(test, sizeof(*site), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, site);
	tl_places_open(&site->places);
	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	site->bed = tl_bed_make(test, TL_MODE_DISCARD, 4096, 16);
	tl_bed_add(test, site->bed, tl_insns, ARRAY_SIZE(tl_insns));
	tl_bed_add(test, site->bed, tl_insns, ARRAY_SIZE(tl_insns));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, tl_site_release,
							   site));
	tl_bed_start(test, site->bed);
	return site;
}

static struct tl_place *tl_get(struct kunit *test, struct tl_site *site,
			       const struct tl_probe_ops *ops, void *target,
			       u32 maxactive)
{
	const struct tl_place_key key = {
		.address = (unsigned long)target,
		.maxactive = maxactive,
	};
	struct tl_place *place = tl_place_get(&site->places, ops, &key);

	KUNIT_ASSERT_NOT_NULL(test, place);
	return place;
}

/* Call the target once: then so many hits of each event were recorded. */
static void tl_expect_hits(struct kunit *test, struct tl_site *site, u64 first,
			   u64 second)
{
	struct tl_counters sum;

	tl_target_traced(1, 2);
	tl_bed_sum(site->bed, 0, &sum);
	KUNIT_EXPECT_EQ(test, tl_counters_hits(&sum), first);
	KUNIT_EXPECT_EQ(test, sum.outcome[TL_RECORDED], first);
	tl_bed_sum(site->bed, 1, &sum);
	KUNIT_EXPECT_EQ(test, tl_counters_hits(&sum), second);
	KUNIT_EXPECT_EQ(test, sum.outcome[TL_RECORDED], second);
}

/* Shared by what is the same in all: backend, address, instances. */
static void tl_test_share(struct kunit *test)
{
	struct tl_site *site = tl_site_make(test);
	struct tl_place *place = tl_get(test, site, &tl_kretprobe_ops,
					tl_target_traced, 3);
	struct tl_place *other;

	KUNIT_EXPECT_EQ(test, place->users, 1);
	KUNIT_EXPECT_PTR_EQ(test, place, tl_get(test, site, &tl_kretprobe_ops,
						tl_target_traced, 3));
	KUNIT_EXPECT_EQ(test, place->users, 2);
	other = tl_get(test, site, &tl_kretprobe_ops, tl_target_traced, 4);
	KUNIT_EXPECT_PTR_NE(test, place, other);
	tl_place_put(other);
	other = tl_get(test, site, &tl_kretprobe_ops, tl_target_untraced, 3);
	KUNIT_EXPECT_PTR_NE(test, place, other);
	tl_place_put(other);
	other = tl_get(test, site, &tl_kprobe_ops, tl_target_traced, 3);
	KUNIT_EXPECT_PTR_NE(test, place, other);
	tl_place_put(other);
	tl_place_put(place);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&site->places.list));
	KUNIT_EXPECT_EQ(test, place->users, 1);
	tl_place_put(place);
	KUNIT_EXPECT_TRUE(test, list_empty(&site->places.list));
}

/* Events come and go, and a hit is counted for those that are there. */
static void tl_test_life(struct kunit *test)
{
	struct tl_site *site = tl_site_make(test);
	struct tl_event **event = site->bed->event;
	struct tl_place *place = tl_get(test, site, &tl_kprobe_ops,
					tl_target_traced, 0);
	const struct tl_place_events *events;

	tl_expect_hits(test, site, 0, 0);
	KUNIT_ASSERT_EQ(test, 0, tl_place_enable(place, event[1]));
	KUNIT_EXPECT_TRUE(test, place->is_armed);
	tl_expect_hits(test, site, 0, 1);
	KUNIT_ASSERT_EQ(test, 0, tl_place_enable(place, event[0]));
	tl_expect_hits(test, site, 1, 2);
	/* in the order of making, not of enabling */
	events = rcu_dereference_protected(place->events, true);
	KUNIT_EXPECT_EQ(test, events->count, 2);
	KUNIT_EXPECT_PTR_EQ(test, events->event[0], event[0]);
	KUNIT_EXPECT_PTR_EQ(test, events->event[1], event[1]);
	tl_place_disable(place, event[1]);
	tl_expect_hits(test, site, 2, 2);
	KUNIT_EXPECT_PTR_EQ(test, events->event[1], &tl_event_none);
	tl_place_disarm(&site->places);
	KUNIT_EXPECT_TRUE(test, place->is_armed);
	KUNIT_ASSERT_EQ(test, 0, tl_place_enable(place, event[1]));
	tl_expect_hits(test, site, 3, 3);
	/* the last one is hit until it is disarmed */
	tl_place_disable(place, event[0]);
	tl_place_disable(place, event[1]);
	KUNIT_EXPECT_TRUE(test, place->is_idle);
	tl_place_disarm(&site->places);
	KUNIT_EXPECT_FALSE(test, place->is_armed);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(place->events));
	tl_target_traced(1, 2);
	tl_expect_hits(test, site, 3, 3);
	/* and back from idle without having been disarmed */
	KUNIT_ASSERT_EQ(test, 0, tl_place_enable(place, event[0]));
	tl_place_disable(place, event[0]);
	KUNIT_ASSERT_EQ(test, 0, tl_place_enable(place, event[1]));
	KUNIT_EXPECT_FALSE(test, place->is_idle);
	tl_place_disarm(&site->places);
	KUNIT_EXPECT_TRUE(test, place->is_armed);
}

/* The kernel allows no probe there: as if it had not been tried. */
static void tl_test_refused(struct kunit *test)
{
	struct tl_site *site = tl_site_make(test);
	struct tl_place *place = tl_get(test, site, &tl_kprobe_ops, tl_event_hit, 0);
	u32 i;

	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, tl_place_enable(place, site->bed->event[0]),
				-EINVAL);
		KUNIT_EXPECT_EQ(test, place->enabled, 0);
		KUNIT_EXPECT_FALSE(test, place->is_armed);
		KUNIT_EXPECT_NULL(test, rcu_access_pointer(place->events));
	}
}

/* Many are armed at once: who waits, who is refused, and what is left of it. */
static void tl_test_arm_many(struct kunit *test)
{
	const struct tl_probe_ops *ops = tl_probe_backend(TL_BACKEND_FUNCTION);
	struct tl_place *good, *refused, *waiting;
	struct tl_event **event;
	struct tl_site *site;

	if (!ops)
		kunit_skip(test, "this kernel has no kprobes on ftrace");
	site = tl_site_make(test);
	event = site->bed->event;
	good = tl_get(test, site, ops, tl_target_traced, 0);
	refused = tl_get(test, site, ops, tl_event_hit, 0);
	waiting = tl_get(test, site, ops, tl_target_untraced, 0);
	KUNIT_ASSERT_EQ(test, 0, tl_place_enable(good, event[0]));
	KUNIT_ASSERT_EQ(test, 0, tl_place_enable(refused, event[0]));
	KUNIT_ASSERT_EQ(test, 0, tl_place_enable(refused, event[1]));
	KUNIT_ASSERT_EQ(test, 0, tl_place_enable(waiting, event[0]));
	KUNIT_EXPECT_TRUE(test, good->is_queued);
	tl_expect_hits(test, site, 0, 0);
	/* one that is disabled before waits no more */
	tl_place_disable(waiting, event[0]);
	KUNIT_EXPECT_FALSE(test, waiting->is_queued);
	tl_place_arm_queued(&site->places);
	KUNIT_EXPECT_TRUE(test, good->is_armed);
	KUNIT_EXPECT_EQ(test, good->arm_error, 0);
	KUNIT_EXPECT_FALSE(test, waiting->is_armed);
	KUNIT_EXPECT_FALSE(test, refused->is_armed);
	KUNIT_EXPECT_EQ(test, refused->arm_error, -EINVAL);
	tl_expect_hits(test, site, 1, 0);
	tl_place_disable(refused, event[0]);
	tl_place_disable(refused, event[1]);
	tl_place_disarm(&site->places);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(refused->events));
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(waiting->events));
	/* to what is armed an event comes at once */
	KUNIT_ASSERT_EQ(test, 0, tl_place_enable(good, event[1]));
	KUNIT_EXPECT_FALSE(test, good->is_queued);
	tl_expect_hits(test, site, 2, 1);
	tl_place_disarm_all(&site->places);
	KUNIT_EXPECT_FALSE(test, good->is_armed);
	tl_expect_hits(test, site, 2, 1);
}

static bool tl_gone(const struct tl_place *place)
{
	return true;
}

/*
 * Code that was unloaded, as the kernel would tell: nothing is added to such a
 * place, and who means the address now gets a place of its own. (That the
 * kernel does tell is for tests/guest/t_gone.)
 */
static void tl_test_gone(struct kunit *test)
{
	struct tl_site *site = tl_site_make(test);
	struct tl_probe_ops gone_ops = tl_kprobe_ops;
	struct tl_place *place = tl_get(test, site, &tl_kprobe_ops,
					tl_target_traced, 0);
	struct tl_place *other;

	gone_ops.is_gone = tl_gone;
	KUNIT_ASSERT_EQ(test, 0, tl_place_enable(place, site->bed->event[0]));
	place->ops = &gone_ops;
	KUNIT_EXPECT_EQ(test, tl_place_enable(place, site->bed->event[1]), -ESTALE);
	other = tl_get(test, site, &gone_ops, tl_target_traced, 0);
	place->ops = &tl_kprobe_ops;
	other->ops = &tl_kprobe_ops;
	KUNIT_EXPECT_PTR_NE(test, place, other);
	KUNIT_EXPECT_EQ(test, place->enabled, 1);
	tl_expect_hits(test, site, 1, 0);
}

/* More places than are disarmed in one call, all on one function. */
static void tl_test_batches(struct kunit *test)
{
	struct tl_site *site = tl_site_make(test);
	struct tl_place *place;
	u32 i, count = 0;

	for (i = 0; i < PLACES; i++) {
		place = tl_get(test, site, &tl_kretprobe_ops, tl_target_traced,
			       1 + i);
		KUNIT_ASSERT_EQ(test, 0, tl_place_enable(place,
							 site->bed->event[0]));
	}
	tl_expect_hits(test, site, PLACES, 0);
	tl_place_disarm_all(&site->places);
	list_for_each_entry(place, &site->places.list, node) {
		KUNIT_EXPECT_FALSE(test, place->is_armed);
		KUNIT_EXPECT_EQ(test, place->enabled, 0);
		count++;
	}
	KUNIT_EXPECT_EQ(test, count, PLACES);
	tl_expect_hits(test, site, PLACES, 0);
}

/* What the kernel has missed, summed up over the times when it was armed. */
static void tl_test_missed(struct kunit *test)
{
	struct tl_site *site = tl_site_make(test);
	struct tl_place *place = tl_get(test, site, &tl_kretprobe_ops,
					tl_target_nested, 1);
	u32 i;

	for (i = 1; i <= 3; i++) {
		KUNIT_ASSERT_EQ(test, 0, tl_place_enable(place,
							 site->bed->event[0]));
		KUNIT_EXPECT_EQ(test, tl_place_nmissed(place), 4 * (i - 1));
		tl_target_nested(5);
		KUNIT_EXPECT_EQ(test, tl_place_nmissed(place), 4 * i);
		tl_place_disable(place, site->bed->event[0]);
		tl_place_disarm(&site->places);
		KUNIT_EXPECT_EQ(test, tl_place_nmissed(place), 4 * i);
	}
}

/* The table of backends, by numbers that user space gives. */
static void tl_test_backends(struct kunit *test)
{
	u64 mask = BIT_ULL(TL_BACKEND_KPROBE) | BIT_ULL(TL_BACKEND_KRETPROBE) |
		   BIT_ULL(TL_BACKEND_TRACEPOINT);
	u32 i;

	if (IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		mask |= BIT_ULL(TL_BACKEND_FUNCTION);
	KUNIT_EXPECT_EQ(test, tl_probe_backends(), mask);
	for (i = 0; i < 64; i++)
		KUNIT_EXPECT_EQ(test, !!tl_probe_backend(i), mask >> i & 1);
	KUNIT_EXPECT_NULL(test, tl_probe_backend(U32_MAX));
}

static struct kunit_case tl_place_cases[] = {
	KUNIT_CASE(tl_test_share),
	KUNIT_CASE(tl_test_life),
	KUNIT_CASE(tl_test_refused),
	KUNIT_CASE(tl_test_arm_many),
	KUNIT_CASE(tl_test_gone),
	KUNIT_CASE_SLOW(tl_test_batches),
	KUNIT_CASE(tl_test_missed),
	KUNIT_CASE(tl_test_backends),
	{}
};

struct kunit_suite tl_place_suite = {
	.name = "place",
	.test_cases = tl_place_cases,
};
