// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events: what is refused when one is added, and why; lists of them of which all
 * are changed or none; their order, and what stays of one that was removed.
 */
#include "client.h"
#include "hit.h"
#include "target.h"

static const struct tl_insn tl_insns[] = {
	{ .op = TL_OP_PUT_REG, .arg = 8, .imm = offsetof(struct pt_regs, di) },
	{ .op = TL_OP_END },
};

static const unsigned long tl_address = (unsigned long)tl_target_traced;

static int tl_add_at(struct tl_client *client, unsigned long address)
{
	return tl_client_add(client, TL_BACKEND_KPROBE, address, tl_insns,
			     ARRAY_SIZE(tl_insns));
}

/* Events 0 to @count - 1, all on one place. */
static void tl_add(struct kunit *test, struct tl_client *client, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		KUNIT_ASSERT_EQ(test, i, tl_add_at(client, tl_address));
}

static u32 tl_state(struct tl_client *client, u32 id)
{
	struct tl_stats stats;

	tl_client_stats(client, id, &stats);
	return stats.state;
}

/* The last command was refused like this, and no event was made. */
static void tl_expect_refused(struct tl_client *client, int result, int err,
			      u32 code)
{
	KUNIT_EXPECT_EQ(client->test, result, err);
	KUNIT_EXPECT_EQ(client->test, client->error.code, code);
	KUNIT_EXPECT_TRUE(client->test, list_empty(&client->session->places.list));
	KUNIT_EXPECT_TRUE(client->test, xa_empty(&client->session->events));
}

/**
 * struct tl_wrong - a command with one thing wrong
 * @at: offset in struct tl_event_add of a field of 4 bytes
 * @value: what it has
 * @err: what is returned
 * @code: the reason
 */
struct tl_wrong {
	size_t at;
	u32 value;
	int err;
	u32 code;
};

#define ADD(field) offsetof(struct tl_event_add, field)

static void tl_test_command(struct kunit *test)
{
	static const struct tl_wrong wrong[] = {
		{ ADD(reserved), 1, -EINVAL, TL_ERR_RESERVED },
		{ ADD(backend), 0, -EINVAL, TL_ERR_BACKEND },
		{ ADD(backend), 5, -EINVAL, TL_ERR_BACKEND },
		{ ADD(backend), ~0u, -EINVAL, TL_ERR_BACKEND },
		{ ADD(maxactive), 1, -EINVAL, TL_ERR_MAXACTIVE },
		{ ADD(place_count), 0, -EINVAL, TL_ERR_PLACES },
		{ ADD(place_count), 2, -EINVAL, TL_ERR_PLACES },
		{ ADD(insn_count), 0, -EINVAL, TL_ERR_PROG_LENGTH },
		{ ADD(insn_count), TL_PROG_INSNS_MAX + 1, -EINVAL,
		  TL_ERR_PROG_LENGTH },
		{ ADD(insn_count), 1, -EINVAL, TL_ERR_PROG_END },
	};
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);
	struct tl_event_add add;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		add = tl_client_event_add(client, TL_BACKEND_KPROBE, tl_address,
					  tl_insns, ARRAY_SIZE(tl_insns));
		*(u32 *)((u8 *)&add + wrong[i].at) = wrong[i].value;
		tl_expect_refused(client, tl_client_try_add(client, &add),
				  wrong[i].err, wrong[i].code);
	}
	add = tl_client_event_add(client, TL_BACKEND_KRETPROBE, tl_address,
				  tl_insns, ARRAY_SIZE(tl_insns));
	add.maxactive = TL_MAXACTIVE_MAX + 1;
	tl_expect_refused(client, tl_client_try_add(client, &add), -EINVAL,
			  TL_ERR_MAXACTIVE);
	client->session->next_id = TL_EVENTS_MAX;
	tl_expect_refused(client, tl_add_at(client, tl_address), -ENOSPC,
			  TL_ERR_EVENTS);
	client->session->next_id = TL_EVENTS_MAX - 1;
	KUNIT_EXPECT_EQ(test, tl_add_at(client, tl_address), TL_EVENTS_MAX - 1);
}

/* What the command points at: nothing, or a place with one thing wrong. */
static void tl_test_place(struct kunit *test)
{
	static const struct {
		struct tl_event_place place;
		int err;
		u32 code;
	} wrong[] = {
		{ { .size = sizeof(struct tl_event_place) - 1 }, -EINVAL, TL_ERR_SIZE },
		{ { .size = PAGE_SIZE + 1 }, -EINVAL, TL_ERR_SIZE },
		{ { .size = sizeof(struct tl_event_place), .flags = 2 }, -EINVAL,
		  TL_ERR_FLAGS },
		{ { .size = sizeof(struct tl_event_place), .flags = TL_PLACE_SYMBOL,
		    .symbol = 8 }, -EFAULT, TL_ERR_NONE },
		{ { .size = sizeof(struct tl_event_place), .symbol = 1 },
		  -EINVAL, TL_ERR_RESERVED },
		{ { .size = sizeof(struct tl_event_place), .offset = 1 },
		  -EINVAL, TL_ERR_RESERVED },
		{ { .size = sizeof(struct tl_event_place), .address = 8 }, -EINVAL,
		  TL_ERR_PLACE_ADDRESS },
		/* the instructions behind it are not zero */
		{ { .size = sizeof(struct tl_event_place) + 8 }, -E2BIG, TL_ERR_SIZE },
	};
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);
	struct tl_event_add add;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		add = tl_client_event_add(client, TL_BACKEND_KPROBE, tl_address,
					  tl_insns, ARRAY_SIZE(tl_insns));
		tl_client_put(client, add.places, &wrong[i].place,
			      sizeof(wrong[i].place));
		tl_expect_refused(client, tl_client_try_add(client, &add),
				  wrong[i].err, wrong[i].code);
	}
	add = tl_client_event_add(client, TL_BACKEND_KPROBE, tl_address, tl_insns,
				  ARRAY_SIZE(tl_insns));
	add.places = 8;
	tl_expect_refused(client, tl_client_try_add(client, &add), -EFAULT,
			  TL_ERR_NONE);
	add.places = client->page;
	add.insns = 8;
	tl_expect_refused(client, tl_client_try_add(client, &add), -EFAULT,
			  TL_ERR_NONE);
}

/* A program that is refused: which instruction. */
static void tl_test_program(struct kunit *test)
{
	static const struct tl_insn insns[] = {
		{ .op = TL_OP_PUT_REG, .arg = 8 },
		{ .op = TL_OP_RETVAL }, { .op = TL_OP_PUT, .arg = 8 },
		{ .op = TL_OP_END },
	};
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);
	int result = tl_client_add(client, TL_BACKEND_KPROBE, tl_address, insns,
				   ARRAY_SIZE(insns));

	tl_expect_refused(client, result, -EINVAL, TL_ERR_PROG_CONTEXT);
	KUNIT_EXPECT_EQ(test, client->error.insn, 1);
	KUNIT_EXPECT_EQ(test, 0, tl_client_add(client, TL_BACKEND_KRETPROBE,
					       tl_address, insns,
					       ARRAY_SIZE(insns)));
}

/* Lists of events: none of a wrong one is changed. */
static void tl_test_list(struct kunit *test)
{
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);
	struct tl_event_ctl ctl = {
		.command = TL_EVENT_ENABLE, .id_count = TL_EVENTS_MAX + 1,
	};

	tl_add(test, client, 2);
	KUNIT_EXPECT_EQ(test, tl_client_events(client, TL_EVENT_ENABLE,
					       (u32[]){ 0, 1, 2 }, 3), -ENOENT);
	KUNIT_EXPECT_EQ(test, client->error.code, TL_ERR_EVENT_ID);
	KUNIT_EXPECT_EQ(test, client->error.index, 2);
	KUNIT_EXPECT_EQ(test, tl_client_events(client, TL_EVENT_ENABLE,
					       (u32[]){ 0, 1, 0 }, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, client->error.code, TL_ERR_EVENT_TWICE);
	KUNIT_EXPECT_EQ(test, client->error.index, 2);
	KUNIT_EXPECT_EQ(test, tl_client_events(client, TL_EVENT_ENABLE,
					       (u32[]){ 0 }, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, client->error.code, TL_ERR_ID_COUNT);
	mutex_lock(&client->session->lock);
	KUNIT_EXPECT_EQ(test, tl_session_event_ctl(client->session, &ctl), -EINVAL);
	KUNIT_EXPECT_EQ(test, ctl.error.code, TL_ERR_ID_COUNT);
	ctl.id_count = 1;
	ctl.ids = 8;
	KUNIT_EXPECT_EQ(test, tl_session_event_ctl(client->session, &ctl), -EFAULT);
	mutex_unlock(&client->session->lock);
	KUNIT_EXPECT_EQ(test, tl_client_event(client, 99, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, client->error.code, TL_ERR_COMMAND);
	KUNIT_EXPECT_EQ(test, tl_state(client, 0), TL_EVENT_OFF);
	KUNIT_EXPECT_EQ(test, tl_state(client, 1), TL_EVENT_OFF);
}

/* One of a list cannot be armed: those before it are disarmed again. */
static void tl_test_all_or_none(struct kunit *test)
{
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);
	u32 i;

	tl_add(test, client, 3);
	KUNIT_ASSERT_EQ(test, 3, tl_add_at(client, (unsigned long)tl_event_hit));
	/* one is armed before, and stays so */
	KUNIT_ASSERT_EQ(test, 0, tl_client_event(client, TL_EVENT_ENABLE, 1));
	KUNIT_EXPECT_EQ(test, tl_client_events(client, TL_EVENT_ENABLE,
					       (u32[]){ 0, 1, 2, 3 }, 4), -EINVAL);
	KUNIT_EXPECT_EQ(test, client->error.code, TL_ERR_PLACE_REFUSED);
	KUNIT_EXPECT_EQ(test, client->error.index, 3);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, tl_state(client, i),
				i == 1 ? TL_EVENT_ARMED : TL_EVENT_OFF);
	/* enabling, and disabling, what is so already */
	KUNIT_EXPECT_EQ(test, 0, tl_client_event(client, TL_EVENT_ENABLE, 1));
	KUNIT_EXPECT_EQ(test, 0, tl_client_event(client, TL_EVENT_DISABLE, 0));
	KUNIT_EXPECT_EQ(test, tl_state(client, 1), TL_EVENT_ARMED);
}

/* The events of a place are recorded in the order in which they were made. */
static void tl_check_order(struct tl_stream *stream,
			   const struct tl_record *record)
{
	u32 *count = stream->data;
	u64 number;

	memcpy(&number, record->payload, sizeof(number));
	KUNIT_ASSERT_EQ(stream->test, record->id, *count % 2);
	KUNIT_ASSERT_EQ(stream->test, number, *count / 2);
	++*count;
}

static void tl_test_order(struct kunit *test)
{
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);
	u32 count = 0;
	long i;

	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	tl_add(test, client, 2);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&client->session->places.list));
	KUNIT_ASSERT_EQ(test, 0, tl_client_event(client, TL_EVENT_ENABLE, 1));
	KUNIT_ASSERT_EQ(test, 0, tl_client_event(client, TL_EVENT_ENABLE, 0));
	tl_client_ctl(client, TL_SESSION_START);
	for (i = 0; i < 10; i++)
		tl_target_traced(i, 0);
	tl_client_ctl(client, TL_SESSION_STOP);
	tl_client_drain(client, tl_check_order, &count);
	KUNIT_EXPECT_EQ(test, count, 20);
}

/* Removed while it is armed: its hits stay, its neighbour's go on. */
static void tl_test_remove(struct kunit *test)
{
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);
	struct tl_stats stats = { .selector = TL_STATS_EVENT, .cpu = TL_CPU_ALL };

	tl_add(test, client, 2);
	KUNIT_ASSERT_EQ(test, 0, tl_client_events(client, TL_EVENT_ENABLE,
						  (u32[]){ 0, 1 }, 2));
	tl_client_ctl(client, TL_SESSION_START);
	tl_target_traced(1, 2);
	KUNIT_ASSERT_EQ(test, 0, tl_client_event(client, TL_EVENT_REMOVE, 0));
	tl_target_traced(1, 2);
	mutex_lock(&client->session->lock);
	KUNIT_EXPECT_EQ(test, tl_session_stats(client->session, &stats), -ENOENT);
	mutex_unlock(&client->session->lock);
	KUNIT_EXPECT_EQ(test, stats.error.code, TL_ERR_EVENT_ID);
	tl_client_stats(client, 1, &stats);
	KUNIT_EXPECT_EQ(test, stats.recorded, 2);
	tl_client_stats(client, TL_CLIENT_ALL, &stats);
	KUNIT_EXPECT_EQ(test, stats.recorded, 3);
	KUNIT_EXPECT_EQ(test, 2, tl_add_at(client, tl_address));
	KUNIT_EXPECT_TRUE(test, list_is_singular(&client->session->places.list));
	KUNIT_ASSERT_EQ(test, 0, tl_client_events(client, TL_EVENT_REMOVE,
						  (u32[]){ 2, 1 }, 2));
	KUNIT_EXPECT_TRUE(test, list_empty(&client->session->places.list));
	tl_target_traced(1, 2);
	tl_client_stats(client, TL_CLIENT_ALL, &stats);
	KUNIT_EXPECT_EQ(test, stats.hits, 3);
}

static struct kunit_case tl_event_cases[] = {
	KUNIT_CASE(tl_test_command),
	KUNIT_CASE(tl_test_place),
	KUNIT_CASE(tl_test_program),
	KUNIT_CASE(tl_test_list),
	KUNIT_CASE(tl_test_all_or_none),
	KUNIT_CASE(tl_test_order),
	KUNIT_CASE(tl_test_remove),
	{}
};

struct kunit_suite tl_event_suite = {
	.name = "event",
	.test_cases = tl_event_cases,
};
