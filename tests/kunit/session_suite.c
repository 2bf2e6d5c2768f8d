// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions with real probes on a function of this module, and what a stop
 * promises while other CPUs hit.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>

#include "client.h"
#include "hit.h"
#include "ring_limit.h"
#include "stream.h"

#define CALLS 50u

/* What is probed. */
static noinline __noclone int tl_target(int number)
{
	barrier(); /* or a call without use would not be made */
	return number * 3;
}

/* Call it with 1, 2 and so on. */
static noinline __noclone void tl_call(u32 count)
{
	u32 i;

	for (i = 1; i <= count; i++)
		tl_target((int)i);
}

static const struct tl_insn tl_entry[] = {
	{ .op = TL_OP_PUT_REG, .arg = 4, .imm = offsetof(struct pt_regs, di) },
	{ .op = TL_OP_PLACE },
	{ .op = TL_OP_PUT, .arg = 8 },
	{ .op = TL_OP_END },
};

static const struct tl_insn tl_return[] = {
	{ .op = TL_OP_RETVAL },
	{ .op = TL_OP_PUT, .arg = 4 },
	{ .op = TL_OP_CALLER },
	{ .op = TL_OP_PUT, .arg = 8 },
	{ .op = TL_OP_END },
};

static int tl_add_entry(struct tl_client *client)
{
	return tl_client_add(client, TL_BACKEND_KPROBE, (unsigned long)tl_target,
			     tl_entry, ARRAY_SIZE(tl_entry));
}

static int tl_add_return(struct tl_client *client)
{
	return tl_client_add(client, TL_BACKEND_KRETPROBE,
			     (unsigned long)tl_target, tl_return,
			     ARRAY_SIZE(tl_return));
}

/**
 * struct tl_found - records of one session
 * @client: whose
 * @next: number that the next record of each event has
 * @records: by event
 */
struct tl_found {
	struct tl_client *client;
	u32 next[2];
	u64 records[2];
};

/* Event 0 is an entry, event 1 a return: each call is told once, in order. */
static void tl_check(struct tl_stream *stream, const struct tl_record *record)
{
	struct tl_found *found = stream->data;
	struct kunit *test = stream->test;
	u32 value;
	u64 address;

	KUNIT_ASSERT_LT(test, record->id, 2);
	memcpy(&value, record->payload, sizeof(value));
	memcpy(&address, record->payload + sizeof(value), sizeof(address));
	if (record->id) {
		KUNIT_ASSERT_EQ(test, value, 3 * (found->next[1] + 1));
		KUNIT_ASSERT_GT(test, address, (unsigned long)tl_call);
		KUNIT_ASSERT_LT(test, address, (unsigned long)tl_call + 1024);
	} else {
		KUNIT_ASSERT_EQ(test, value, found->next[0] + 1);
		KUNIT_ASSERT_EQ(test, address, (unsigned long)tl_target);
	}
	KUNIT_ASSERT_EQ(test, record->tid, current->pid);
	found->next[record->id] = (found->next[record->id] + 1) % CALLS;
	found->records[record->id]++;
}

static void tl_read_all(struct tl_client *client, struct tl_found *found)
{
	memset(found, 0, sizeof(*found));
	found->client = client;
	tl_client_drain(client, tl_check, found);
}

static void tl_expect_event(struct tl_client *client, u32 id, u64 recorded,
			    u64 not_running)
{
	struct tl_stats stats;

	tl_client_stats(client, id, &stats);
	KUNIT_EXPECT_EQ(client->test, stats.recorded, recorded);
	KUNIT_EXPECT_EQ(client->test, stats.not_running, not_running);
	KUNIT_EXPECT_EQ(client->test, stats.hits, recorded + not_running);
	KUNIT_EXPECT_EQ(client->test, stats.nmissed, 0);
}

/* From made to ended: when hits count as what. */
static void tl_test_life(struct kunit *test)
{
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);
	struct tl_found found;

	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	KUNIT_ASSERT_EQ(test, tl_add_entry(client), 0);
	KUNIT_ASSERT_EQ(test, tl_add_return(client), 1);
	tl_call(CALLS);
	tl_expect_event(client, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, tl_client_events(client, TL_EVENT_ENABLE,
					       (u32[]){ 0, 1 }, 2), 0);
	tl_call(CALLS);
	tl_expect_event(client, 0, 0, CALLS);
	tl_expect_event(client, 1, 0, CALLS);
	tl_client_ctl(client, TL_SESSION_START);
	tl_call(CALLS);
	tl_expect_event(client, 0, CALLS, CALLS);
	KUNIT_ASSERT_EQ(test, tl_client_event(client, TL_EVENT_DISABLE, 0), 0);
	tl_call(CALLS);
	tl_expect_event(client, 0, CALLS, CALLS);
	tl_expect_event(client, 1, 2 * CALLS, CALLS);
	KUNIT_ASSERT_EQ(test, tl_client_event(client, TL_EVENT_ENABLE, 0), 0);
	tl_call(CALLS);
	tl_client_ctl(client, TL_SESSION_STOP);
	tl_call(CALLS);
	tl_expect_event(client, 0, 2 * CALLS, CALLS);
	tl_expect_event(client, 1, 3 * CALLS, CALLS);
	tl_read_all(client, &found);
	KUNIT_EXPECT_EQ(test, found.records[0], 2 * CALLS);
	KUNIT_EXPECT_EQ(test, found.records[1], 3 * CALLS);
}

/* What was removed stays in the session's sum, and its number is not reused. */
static void tl_test_remove(struct kunit *test)
{
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);
	struct tl_stats stats;

	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	KUNIT_ASSERT_EQ(test, tl_add_entry(client), 0);
	KUNIT_ASSERT_EQ(test, tl_client_event(client, TL_EVENT_ENABLE, 0), 0);
	tl_client_ctl(client, TL_SESSION_START);
	tl_call(CALLS);
	KUNIT_ASSERT_EQ(test, tl_client_event(client, TL_EVENT_REMOVE, 0), 0);
	tl_call(CALLS);
	KUNIT_EXPECT_EQ(test, tl_client_event(client, TL_EVENT_ENABLE, 0),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, client->error.code, TL_ERR_EVENT_ID);
	KUNIT_EXPECT_EQ(test, tl_add_entry(client), 1);
	tl_client_stats(client, TL_CLIENT_ALL, &stats);
	KUNIT_EXPECT_EQ(test, stats.recorded, CALLS);
	KUNIT_EXPECT_EQ(test, stats.hits, CALLS);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&client->session->places.list));
}

/* Several sessions on one function: each has all of it, for itself. */
static void tl_test_sessions(struct kunit *test)
{
	struct tl_client *client[3];
	struct tl_found found;
	u32 i;

	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	for (i = 0; i < ARRAY_SIZE(client); i++) {
		client[i] = tl_client_make(test, TL_MODE_DISCARD);
		KUNIT_ASSERT_EQ(test, tl_add_entry(client[i]), 0);
		KUNIT_ASSERT_EQ(test, tl_add_return(client[i]), 1);
		KUNIT_ASSERT_EQ(test, tl_client_events(client[i],
						       TL_EVENT_ENABLE,
						       (u32[]){ 1, 0 }, 2), 0);
		tl_client_ctl(client[i], TL_SESSION_START);
		tl_call(CALLS);
	}
	for (i = 0; i < ARRAY_SIZE(client); i++) {
		tl_client_ctl(client[i], TL_SESSION_STOP);
		tl_call(CALLS);
	}
	for (i = 0; i < ARRAY_SIZE(client); i++) {
		/* those of its own stop are not, those of earlier ones are */
		tl_expect_event(client[i], 0, 3 * CALLS, 0);
		tl_expect_event(client[i], 1, 3 * CALLS, 0);
		tl_read_all(client[i], &found);
		KUNIT_EXPECT_EQ(test, found.records[0], 3 * CALLS);
		KUNIT_EXPECT_EQ(test, found.records[1], 3 * CALLS);
	}
}

/* The order of commands that a session's state allows. */
static void tl_test_states(struct kunit *test)
{
	struct tl_client *client = tl_client_new(test);
	struct tl_session_setup setup = { .packet_bytes = 4096 };
	struct tl_session_setup again = setup;

	KUNIT_EXPECT_EQ(test, tl_add_entry(client), -EBUSY);
	KUNIT_EXPECT_EQ(test, tl_client_try_ctl(client, TL_SESSION_START), -EBUSY);
	KUNIT_EXPECT_EQ(test, tl_client_try_ctl(client, TL_SESSION_FLUSH), -EBUSY);
	KUNIT_ASSERT_EQ(test, tl_client_setup(client, &setup), 0);
	KUNIT_EXPECT_EQ(test, setup.ring_bytes, PAGE_SIZE + 17 * 4096);
	KUNIT_EXPECT_EQ(test, tl_client_setup(client, &again), -EBUSY);
	KUNIT_EXPECT_EQ(test, client->error.code, TL_ERR_STATE);
	KUNIT_EXPECT_EQ(test, tl_client_try_ctl(client, TL_SESSION_STOP), -EBUSY);
	KUNIT_EXPECT_EQ(test, tl_client_try_ctl(client, TL_SESSION_FLUSH), 0);
	KUNIT_EXPECT_EQ(test, tl_client_try_ctl(client, TL_SESSION_START), 0);
	KUNIT_EXPECT_EQ(test, tl_client_try_ctl(client, TL_SESSION_START), -EBUSY);
	KUNIT_EXPECT_EQ(test, tl_client_try_ctl(client, TL_SESSION_STOP), 0);
	KUNIT_EXPECT_EQ(test, tl_client_try_ctl(client, TL_SESSION_STOP), -EBUSY);
	KUNIT_EXPECT_EQ(test, tl_client_try_ctl(client, TL_SESSION_START), -EBUSY);
	KUNIT_EXPECT_EQ(test, tl_add_entry(client), -EBUSY);
}

/* Over the limit: refused, told why, and nothing stays taken. */
static void tl_test_limit(struct kunit *test)
{
	u64 pages = tl_ring_limit_session_bytes() >> PAGE_SHIFT;
	struct tl_client *client = tl_client_new(test);
	struct tl_session_setup setup = {
		.packet_bytes = 4 << 20, .packet_count = 4096,
	};

	KUNIT_EXPECT_EQ(test, tl_client_setup(client, &setup), -ENOMEM);
	KUNIT_EXPECT_EQ(test, client->error.code, TL_ERR_MEMORY_LIMIT);
	KUNIT_ASSERT_TRUE(test, tl_ring_limit_take(pages));
	setup.packet_bytes = 4096;
	setup.packet_count = 2;
	KUNIT_EXPECT_EQ(test, tl_client_setup(client, &setup), -ENOMEM);
	KUNIT_EXPECT_EQ(test, client->error.code, TL_ERR_MEMORY_LIMIT);
	tl_ring_limit_give(pages);
	KUNIT_EXPECT_EQ(test, tl_client_setup(client, &setup), 0);
	KUNIT_EXPECT_FALSE(test, tl_ring_limit_take(pages));
	tl_client_end(client);
	tl_expect_limit_free(test);
}

/**
 * struct tl_hitter - a thread that hits a bed until it is told to end
 * @bed: what
 * @hits: how often
 * @is_started: it has been, so that it must be ended
 * @end: it is time
 * @ended: it has ended
 */
struct tl_hitter {
	struct tl_bed *bed;
	u64 hits;
	bool is_started;
	bool end;
	struct completion ended;
};

static int tl_hitter_run(void *data)
{
	struct tl_hitter *hitter = data;
	struct pt_regs regs = {};

	while (!READ_ONCE(hitter->end)) {
		regs.di = hitter->hits;
		tl_bed_hit(hitter->bed, &regs);
		WRITE_ONCE(hitter->hits, hitter->hits + 1);
		cond_resched();
	}
	complete(&hitter->ended);
	return 0;
}

static void tl_hitter_start(struct kunit *test, struct tl_hitter *hitter,
			    struct tl_bed *bed, int cpu)
{
	struct task_struct *thread;

	hitter->bed = bed;
	init_completion(&hitter->ended);
	thread = kthread_create(tl_hitter_run, hitter, "tl_hitter/%d", cpu);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, thread);
	kthread_bind(thread, (unsigned int)cpu);
	hitter->is_started = true;
	wake_up_process(thread);
}

/* No CPU hits any more when this returns; also where a test has failed. */
static void tl_hitters_end(void *data)
{
	struct tl_hitter *hitters = data;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!hitters[cpu].is_started)
			continue;
		WRITE_ONCE(hitters[cpu].end, true);
		wait_for_completion(&hitters[cpu].ended);
	}
}

/* Until each of them has hit some more times. */
static void tl_hitters_wait(struct kunit *test, const struct tl_hitter *hitters)
{
	u32 tries;
	int cpu;

	for_each_online_cpu(cpu) {
		u64 hits = READ_ONCE(hitters[cpu].hits);

		for (tries = 0; tries < 10000; tries++) {
			if (READ_ONCE(hitters[cpu].hits) > hits + 100)
				break;
			usleep_range(500, 1500);
		}
		KUNIT_ASSERT_LT_MSG(test, tries, 10000, "CPU %d stands still",
				    cpu);
	}
}

/* After a stop no packet is open and no record comes, whoever is hitting. */
static void tl_stop_under_fire(struct kunit *test, struct tl_hitter *hitters)
{
	static const struct tl_insn insns[] = {
		{ .op = TL_OP_PUT_REG, .arg = 8, .imm = offsetof(struct pt_regs, di) },
		{ .op = TL_OP_END },
	};
	struct tl_bed *bed = tl_bed_make(test, TL_MODE_DISCARD, 4096, 64);
	u64 hits = 0, records = 0, discarded = 0;
	struct tl_counters at_stop, sum;
	int cpu;

	tl_bed_add(test, bed, insns, ARRAY_SIZE(insns));
	memset(hitters, 0, nr_cpu_ids * sizeof(*hitters));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, tl_hitters_end,
							   hitters));
	for_each_online_cpu(cpu)
		tl_hitter_start(test, &hitters[cpu], bed, cpu);
	tl_bed_start(test, bed);
	tl_hitters_wait(test, hitters);
	tl_bed_stop(test, bed);
	tl_bed_sum(bed, 0, &at_stop);
	for_each_possible_cpu(cpu) {
		struct tl_stream stream = { .test = test, .bed = bed };
		struct tl_ring_cpu *rc = bed->session->rings[cpu];

		KUNIT_EXPECT_TRUE(test, rc->is_final);
		KUNIT_EXPECT_EQ(test, tl_pos_offset(rc->ring.geo, rc->ring.pos),
				0);
		tl_stream_drain(&stream, rc);
		records += stream.records;
		discarded += stream.discarded;
	}
	tl_hitters_wait(test, hitters);
	kunit_release_action(test, tl_hitters_end, hitters);
	for_each_online_cpu(cpu)
		hits += hitters[cpu].hits;
	tl_bed_sum(bed, 0, &sum);
	KUNIT_EXPECT_EQ(test, sum.outcome[TL_RECORDED],
			at_stop.outcome[TL_RECORDED]);
	KUNIT_EXPECT_EQ(test, records, sum.outcome[TL_RECORDED]);
	KUNIT_EXPECT_EQ(test, discarded, sum.outcome[TL_FULL]);
	KUNIT_EXPECT_EQ(test, hits, tl_counters_hits(&sum));
	KUNIT_EXPECT_GT(test, sum.outcome[TL_RECORDED], 0);
	KUNIT_EXPECT_GT(test, sum.outcome[TL_NOT_RUNNING],
			at_stop.outcome[TL_NOT_RUNNING]);
	tl_bed_end(test, bed);
}

static void tl_test_stop(struct kunit *test)
{
	struct tl_hitter *hitters = kunit_kcalloc(test, nr_cpu_ids,
						  sizeof(*hitters), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, hitters);
	for (i = 0; i < tl_rounds(20); i++)
		tl_stop_under_fire(test, hitters);
}

static struct kunit_case tl_session_cases[] = {
	KUNIT_CASE(tl_test_life),
	KUNIT_CASE(tl_test_remove),
	KUNIT_CASE(tl_test_sessions),
	KUNIT_CASE(tl_test_states),
	KUNIT_CASE(tl_test_limit),
	KUNIT_CASE_SLOW(tl_test_stop),
	{}
};

struct kunit_suite tl_session_suite = {
	.name = "session",
	.test_cases = tl_session_cases,
};
