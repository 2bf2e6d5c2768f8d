// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory runs out, at each allocation in turn: a command fails, says why,
 * leaves the session as it was, and succeeds when it is repeated.
 *
 * The kernel fails the n-th allocation of this thread. Which ones it counts is
 * a setting of debugfs; tests/kunit/guest.sh makes it all of them.
 */
#include "client.h"

/* More allocations than that no command needs. */
#define FAIL_MAX 1000u

static noinline __noclone int tl_target(int number)
{
	barrier(); /* or a call without use would not be made */
	return number + 1;
}

static const struct tl_insn tl_insns[] = {
	{ .op = TL_OP_PUT_REG, .arg = 4, .imm = offsetof(struct pt_regs, di) },
	{ .op = TL_OP_END },
};

/* Whether a command worked, with its n-th allocation failing if it has one. */
typedef int (*tl_command_fn)(struct tl_client *client);

static bool tl_fail_at(struct tl_client *client, tl_command_fn command, u32 n,
		       int *err)
{
	bool was_reached;

	tl_fail_nth_set(n);
	*err = command(client);
	was_reached = !tl_fail_nth();
	tl_fail_nth_set(0);
	return was_reached;
}

/*
 * Fail the first allocation, the second and so on, until the command does not
 * come to that one. Some failures are made good by the kernel (a list of CPUs
 * that is allocated elsewhere, a cache that grows): the command must fail at
 * @least @least times. @undo takes back one that has worked nevertheless.
 */
static void tl_fail_each(struct tl_client *client, tl_command_fn command,
			 tl_command_fn undo, u32 least)
{
	struct kunit *test = client->test;
	u32 failed = 0, n;
	int err;

	for (n = 1; n < FAIL_MAX; n++) {
		if (!tl_fail_at(client, command, n, &err))
			break;
		if (err) {
			failed++;
			/* a copy from user space counts as well */
			KUNIT_EXPECT_EQ(test, err, err == -EFAULT ? err : -ENOMEM);
			KUNIT_EXPECT_EQ(test, client->error.code,
					err == -EFAULT ? TL_ERR_NONE :
							 TL_ERR_MEMORY);
		} else {
			KUNIT_ASSERT_EQ(test, undo(client), 0);
		}
	}
	kunit_info(test, "failed at %u of %u allocations", failed, n - 1);
	KUNIT_ASSERT_EQ_MSG(test, err, 0, "without a failure, too");
	KUNIT_EXPECT_GE(test, failed, least);
}

static int tl_do_create(struct tl_client *client)
{
	struct tl_session *session = tl_session_create();

	client->error.code = session ? TL_ERR_NONE : TL_ERR_MEMORY;
	if (!session)
		return -ENOMEM;
	tl_session_end(session);
	return 0;
}

static int tl_do_nothing(struct tl_client *client)
{
	return 0;
}

static void tl_test_create(struct kunit *test)
{
	tl_fail_each(tl_client_new(test), tl_do_create, tl_do_nothing, 1);
}

static int tl_do_setup(struct tl_client *client)
{
	struct tl_session_setup setup = {
		.packet_bytes = 8192, .packet_count = 2,
	};

	return tl_client_setup(client, &setup);
}

/* A session has its rings once: try with another one. */
static int tl_undo_setup(struct tl_client *client)
{
	tl_session_end(client->session);
	client->session = tl_session_create();
	return client->session ? 0 : -ENOMEM;
}

static void tl_test_setup(struct kunit *test)
{
	struct tl_client *client = tl_client_new(test);

	/* for each CPU a struct, its slots, its list of pages, the pages */
	tl_fail_each(client, tl_do_setup, tl_undo_setup,
		     num_possible_cpus() * (1 + 1 + 1 + 7));
	tl_client_end(client);
	tl_expect_limit_free(test);
}

static int tl_do_add(struct tl_client *client)
{
	int id = tl_client_add(client, TL_BACKEND_KPROBE,
			       (unsigned long)tl_target, tl_insns,
			       ARRAY_SIZE(tl_insns));

	return id < 0 ? id : 0;
}

static int tl_undo_add(struct tl_client *client)
{
	return tl_client_event(client, TL_EVENT_REMOVE,
			       client->session->next_id - 1);
}

static void tl_test_add(struct kunit *test)
{
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);
	u32 id;

	/* the event, its program, its place, its number */
	tl_fail_each(client, tl_do_add, tl_undo_add, 3);
	id = client->session->next_id - 1;
	KUNIT_EXPECT_TRUE(test, list_is_singular(&client->session->places.list));
	KUNIT_EXPECT_EQ(test, tl_client_event(client, TL_EVENT_ENABLE, id), 0);
}

static int tl_do_enable(struct tl_client *client)
{
	return tl_client_events(client, TL_EVENT_ENABLE, (u32[]){ 0, 1, 2 }, 3);
}

static int tl_undo_enable(struct tl_client *client)
{
	return tl_client_events(client, TL_EVENT_DISABLE, (u32[]){ 2, 1, 0 }, 3);
}

/* Of three events all are armed, or none. */
static int tl_do_enable_checked(struct tl_client *client)
{
	struct tl_stats stats;
	int err = tl_do_enable(client);
	u32 left = tl_fail_nth();
	u32 i;

	tl_fail_nth_set(0);
	for (i = 0; i < 3; i++) {
		tl_client_stats(client, i, &stats);
		KUNIT_EXPECT_EQ(client->test, stats.state,
				err ? TL_EVENT_OFF : TL_EVENT_ARMED);
	}
	tl_fail_nth_set(left);
	/* the list of numbers itself: told by errno alone */
	if (err == -ENOMEM && client->error.code == TL_ERR_NONE)
		client->error.code = TL_ERR_MEMORY;
	return err;
}

static void tl_test_enable(struct kunit *test)
{
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);
	struct tl_stats stats;

	KUNIT_ASSERT_EQ(test, tl_do_add(client), 0);
	KUNIT_ASSERT_EQ(test, tl_do_add(client), 0);
	KUNIT_ASSERT_EQ(test, tl_client_add(client, TL_BACKEND_KRETPROBE,
					    (unsigned long)tl_target, tl_insns,
					    ARRAY_SIZE(tl_insns)), 2);
	/* the numbers, three arrays of events, what kretprobes allocate */
	tl_fail_each(client, tl_do_enable_checked, tl_undo_enable, 5);
	tl_client_ctl(client, TL_SESSION_START);
	tl_target(1);
	tl_client_stats(client, TL_CLIENT_ALL, &stats);
	KUNIT_EXPECT_EQ(test, stats.recorded, 3);
}

/* Stopping and ending need no memory. */
static int tl_do_stop(struct tl_client *client)
{
	return tl_client_try_ctl(client, TL_SESSION_STOP);
}

static void tl_test_stop(struct kunit *test)
{
	struct tl_client *client;
	bool was_reached;
	u32 n;
	int err;

	for (n = 1; n < 10; n++) {
		client = tl_client_make(test, TL_MODE_DISCARD);
		KUNIT_ASSERT_EQ(test, tl_do_add(client), 0);
		KUNIT_ASSERT_EQ(test, tl_client_event(client, TL_EVENT_ENABLE, 0),
				0);
		tl_client_ctl(client, TL_SESSION_START);
		was_reached = tl_fail_at(client, tl_do_stop, n, &err);
		KUNIT_EXPECT_EQ(test, err, 0);
		tl_client_end(client);
		if (!was_reached)
			return;
	}
}

static int tl_fail_init(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_FAULT_INJECTION))
		kunit_skip(test, "this kernel fails no allocations on demand");
	return 0;
}

static struct kunit_case tl_fail_cases[] = {
	KUNIT_CASE(tl_test_create),
	KUNIT_CASE_SLOW(tl_test_setup),
	KUNIT_CASE(tl_test_add),
	KUNIT_CASE_SLOW(tl_test_enable),
	KUNIT_CASE(tl_test_stop),
	{}
};

struct kunit_suite tl_fail_suite = {
	.name = "fail",
	.init = tl_fail_init,
	.test_cases = tl_fail_cases,
};
