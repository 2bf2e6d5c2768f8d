// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backend on tracepoints of this module and of the kernel: which one a name
 * means, each argument, and that nothing comes any more once it is disarmed.
 */
#include <linux/delay.h>
#include <linux/module.h>

#include "client.h"
#include "target.h"

#define CREATE_TRACE_POINTS
#include "passed.h"

#define CALLS 20u
/* Where in the client's page the name is; place and program come before it. */
#define NAME_AT 3072

static const struct tl_insn tl_first[] = {
	{ .op = TL_OP_PUT_REG, .arg = 8, .imm = 0 },
	{ .op = TL_OP_END },
};

/* Tracepoints of a module are told with it. */
static const char tl_one[] = KBUILD_MODNAME ":tl_kunit_one";
static const char tl_many[] = KBUILD_MODNAME ":tl_kunit_many";

/* Try to add an event with one place, which may be wrong. */
static int tl_add_place(struct tl_client *client, u32 backend,
			const struct tl_event_place *place, const char *name,
			const struct tl_insn *insns, u32 count)
{
	struct tl_event_add add = tl_client_event_add(client, backend, 0, insns,
						      count);
	struct tl_event_place where = *place;

	where.size = sizeof(where);
	if (name) {
		where.flags = TL_PLACE_SYMBOL;
		where.symbol = client->page + NAME_AT;
		tl_client_put(client, where.symbol, name, strlen(name) + 1);
	}
	tl_client_put(client, add.places, &where, sizeof(where));
	return tl_client_try_add(client, &add);
}

static int tl_add_name(struct tl_client *client, const char *name,
		       const struct tl_insn *insns, u32 count)
{
	static const struct tl_event_place nowhere;

	return tl_add_place(client, TL_BACKEND_TRACEPOINT, &nowhere, name,
			    insns, count);
}

static void tl_expect_refused(struct tl_client *client, const char *name,
			      int err, enum tl_error_code code)
{
	KUNIT_EXPECT_EQ_MSG(client->test,
			    tl_add_name(client, name, tl_first,
					ARRAY_SIZE(tl_first)),
			    err, "%s", name);
	KUNIT_EXPECT_EQ_MSG(client->test, (int)client->error.code, (int)code,
			    "%s", name);
}

static void tl_test_names(struct kunit *test)
{
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);
	const struct tl_event_place placed = { .address = 8 }, inside = { .offset = 8 };
	const u32 count = ARRAY_SIZE(tl_first);
	char name[TL_SYMBOL_BYTES_MAX + 1];

	KUNIT_EXPECT_EQ(test, 0, tl_add_name(client, "sched_switch", tl_first, count));
	KUNIT_EXPECT_EQ(test, 1, tl_add_name(client, tl_one, tl_first, count));
	/* a module may come */
	KUNIT_EXPECT_EQ(test, 2, tl_add_name(client, "nosuch:tl_kunit_one", tl_first,
					     count));
	tl_expect_refused(client, "tl_kunit_one", -ENOENT, TL_ERR_TRACEPOINT);
	tl_expect_refused(client, "sched_switc", -ENOENT, TL_ERR_TRACEPOINT);
	tl_expect_refused(client, "sched_switch ", -ENOENT, TL_ERR_TRACEPOINT);
	tl_expect_refused(client, "", -ENOENT, TL_ERR_TRACEPOINT);
	tl_expect_refused(client, ":", -ENOENT, TL_ERR_TRACEPOINT);
	tl_expect_refused(client, ":sched_switch", -ENOENT, TL_ERR_TRACEPOINT);
	tl_expect_refused(client, "sched_switch:", -ENOENT, TL_ERR_TRACEPOINT);
	tl_expect_refused(client, NULL, -EINVAL, TL_ERR_PLACE_NAME);
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	tl_expect_refused(client, name, -EINVAL, TL_ERR_PLACE_NAME);
	name[sizeof(name) - 2] = '\0';
	tl_expect_refused(client, name, -ENOENT, TL_ERR_TRACEPOINT);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			tl_add_place(client, TL_BACKEND_TRACEPOINT, &placed, tl_one,
				     tl_first, count));
	KUNIT_EXPECT_EQ(test, (int)client->error.code, TL_ERR_PLACE_NAME);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			tl_add_place(client, TL_BACKEND_TRACEPOINT, &inside, tl_one,
				     tl_first, count));
	KUNIT_EXPECT_EQ(test, (int)client->error.code, TL_ERR_PLACE_NAME);
}

/* What is no argument is refused, whichever the tracepoint. */
static void tl_test_programs(struct kunit *test)
{
	static const struct {
		struct tl_insn load;
		enum tl_error_code code;
	} cases[] = {
		{ { .op = TL_OP_REG, .imm = 8 * (TL_TRACEPOINT_ARGS - 1) }, TL_ERR_NONE },
		{ { .op = TL_OP_REG, .imm = 8 * TL_TRACEPOINT_ARGS },
		  TL_ERR_PROG_REGISTER },
		{ { .op = TL_OP_REG, .imm = offsetof(struct pt_regs, di) },
		  TL_ERR_PROG_REGISTER },
		{ { .op = TL_OP_SP }, TL_ERR_PROG_FRAME },
		{ { .op = TL_OP_STACK }, TL_ERR_PROG_FRAME },
		{ { .op = TL_OP_RETVAL }, TL_ERR_PROG_CONTEXT },
		{ { .op = TL_OP_CALLER }, TL_ERR_PROG_CONTEXT },
		{ { .op = TL_OP_PLACE }, TL_ERR_NONE },
	};
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct tl_insn insns[] = {
			cases[i].load, { .op = TL_OP_PUT, .arg = 8 },
			{ .op = TL_OP_END },
		};
		int id = tl_add_name(client, tl_one, insns,
				     ARRAY_SIZE(insns));

		KUNIT_EXPECT_EQ_MSG(test, (int)client->error.code,
				    (int)cases[i].code, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, id >= 0, !cases[i].code, "case %u", i);
	}
}

/**
 * struct tl_passed - what was recorded
 * @count: records
 * @words: of each record
 * @value: the words
 * @id: the events
 */
struct tl_passed {
	u32 count;
	u32 words;
	u64 value[4 * CALLS][TL_TRACEPOINT_ARGS];
	u32 id[4 * CALLS];
};

static void tl_see(struct tl_stream *stream, const struct tl_record *record)
{
	struct tl_passed *passed = stream->data;

	KUNIT_ASSERT_LT(stream->test, passed->count, ARRAY_SIZE(passed->id));
	KUNIT_ASSERT_EQ(stream->test, record->bytes, passed->words * sizeof(u64));
	memcpy(passed->value[passed->count], record->payload, record->bytes);
	passed->id[passed->count++] = record->id;
}

static const struct tl_passed *tl_stop(struct tl_client *client, u32 words)
{
	struct tl_passed *passed = kunit_kzalloc(client->test, sizeof(*passed),
						 GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(client->test, passed);
	passed->words = words;
	tl_client_ctl(client, TL_SESSION_STOP);
	tl_client_drain(client, tl_see, passed);
	return passed;
}

static struct tl_client *tl_arm(struct kunit *test, const char *name,
				const struct tl_insn *insns, u32 count)
{
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);

	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	KUNIT_ASSERT_EQ(test, 0, tl_add_name(client, name, insns, count));
	KUNIT_ASSERT_EQ(test, 0, tl_client_event(client, TL_EVENT_ENABLE, 0));
	tl_client_ctl(client, TL_SESSION_START);
	return client;
}

/* All twelve, each cut to the bytes of its type. */
static void tl_test_arguments(struct kunit *test)
{
	static const u32 bytes[TL_TRACEPOINT_ARGS] = {
		1, 2, 4, 8, 8, 8, 1, 1, 4, 8, 8, 2,
	};
	const u64 want[TL_TRACEPOINT_ARGS] = {
		200, (u16)-3, (u32)-5, -7ul, (unsigned long)bytes, 11, 1, 'x',
		13, (u64)-17, (unsigned long)test, 65535,
	};
	struct tl_insn insns[2 * TL_TRACEPOINT_ARGS + 1];
	const struct tl_passed *passed;
	struct tl_client *client;
	u32 i, k;

	for (i = 0; i < TL_TRACEPOINT_ARGS; i++) {
		insns[2 * i] = (struct tl_insn){ .op = TL_OP_REG, .imm = 8 * i };
		insns[2 * i + 1] = (struct tl_insn){ .op = TL_OP_PUT, .arg = 8 };
	}
	insns[2 * i] = (struct tl_insn){ .op = TL_OP_END };
	client = tl_arm(test, tl_many, insns, ARRAY_SIZE(insns));
	for (i = 0; i < CALLS; i++)
		trace_tl_kunit_many(200, -3, -5, -7, (const char *)bytes, 11,
				    true, 'x', 13, -17, test, 65535);
	passed = tl_stop(client, TL_TRACEPOINT_ARGS);
	KUNIT_ASSERT_EQ(test, passed->count, CALLS);
	for (i = 0; i < CALLS; i++)
		for (k = 0; k < TL_TRACEPOINT_ARGS; k++) {
			u32 unused = 64 - 8 * bytes[k];

			KUNIT_EXPECT_EQ_MSG(test, passed->value[i][k] << unused,
					    want[k] << unused, "argument %u", k);
		}
}

/* Two events in their order; the counters of each; nothing while disarmed. */
static void tl_test_arming(struct kunit *test)
{
	struct tl_client *client = tl_arm(test, tl_one, tl_first,
					  ARRAY_SIZE(tl_first));
	const struct tl_passed *passed;
	struct tl_stats stats;
	u32 i;

	KUNIT_ASSERT_EQ(test, 1, tl_add_name(client, tl_one, tl_first,
					     ARRAY_SIZE(tl_first)));
	trace_tl_kunit_one(1);
	KUNIT_ASSERT_EQ(test, 0, tl_client_event(client, TL_EVENT_ENABLE, 1));
	trace_tl_kunit_one(2);
	KUNIT_ASSERT_EQ(test, 0, tl_client_event(client, TL_EVENT_DISABLE, 0));
	trace_tl_kunit_one(3);
	KUNIT_ASSERT_EQ(test, 0, tl_client_event(client, TL_EVENT_DISABLE, 1));
	KUNIT_EXPECT_FALSE(test, trace_tl_kunit_one_enabled());
	trace_tl_kunit_one(4);
	KUNIT_ASSERT_EQ(test, 0, tl_client_event(client, TL_EVENT_ENABLE, 0));
	KUNIT_EXPECT_TRUE(test, trace_tl_kunit_one_enabled());
	trace_tl_kunit_one(5);
	for (i = 0; i < 2; i++) {
		tl_client_stats(client, i, &stats);
		KUNIT_EXPECT_EQ(test, stats.hits, 3 - i);
		KUNIT_EXPECT_EQ(test, stats.recorded, 3 - i);
		KUNIT_EXPECT_EQ(test, stats.nmissed, 0);
		KUNIT_EXPECT_EQ(test, stats.state,
				i ? TL_EVENT_OFF : TL_EVENT_ARMED);
	}
	passed = tl_stop(client, 1);
	KUNIT_EXPECT_FALSE(test, trace_tl_kunit_one_enabled());
	trace_tl_kunit_one(6);
	KUNIT_ASSERT_EQ(test, passed->count, 5);
	for (i = 0; i < 5; i++) {
		static const u64 values[] = { 1, 2, 2, 3, 5 };
		static const u32 ids[] = { 0, 0, 1, 1, 0 };

		KUNIT_EXPECT_EQ(test, passed->value[i][0], values[i]);
		KUNIT_EXPECT_EQ(test, passed->id[i], ids[i]);
	}
}

/* Two sessions on one tracepoint have a probe each. */
static void tl_test_sessions(struct kunit *test)
{
	struct tl_client *first = tl_arm(test, tl_one, tl_first,
					 ARRAY_SIZE(tl_first));
	struct tl_client *second = tl_arm(test, tl_one, tl_first,
					  ARRAY_SIZE(tl_first));

	trace_tl_kunit_one(1);
	KUNIT_EXPECT_EQ(test, tl_stop(first, 1)->count, 1);
	trace_tl_kunit_one(2);
	KUNIT_EXPECT_EQ(test, tl_stop(second, 1)->count, 2);
}

/* One of the kernel, that others pass. */
static void tl_test_kernel(struct kunit *test)
{
	struct tl_client *client = tl_arm(test, "sched_switch", tl_first,
					  ARRAY_SIZE(tl_first));
	struct tl_stats stats;

	msleep(20);
	tl_client_ctl(client, TL_SESSION_STOP);
	tl_client_stats(client, 0, &stats);
	/* this thread at least has gone to sleep and come back */
	KUNIT_EXPECT_GE(test, stats.hits, 2);
	KUNIT_EXPECT_EQ(test, stats.hits, stats.recorded + stats.full +
			stats.not_running);
	KUNIT_EXPECT_EQ(test, stats.recursion, 0);
}

/* A tracepoint that is not there waits, with its events, and is never hit. */
static void tl_test_waiting(struct kunit *test)
{
	static const char *const names[] = {
		KBUILD_MODNAME ":sched_switch", "nosuch:tl_kunit_one",
	};
	struct tl_stats stats;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct tl_client *client = tl_arm(test, names[i], tl_first,
						  ARRAY_SIZE(tl_first));

		trace_tl_kunit_one(1);
		tl_client_stats(client, 0, &stats);
		KUNIT_EXPECT_EQ(test, stats.state, TL_EVENT_PENDING);
		KUNIT_EXPECT_EQ(test, stats.address, 0);
		KUNIT_EXPECT_EQ(test, stats.hits, 0);
		KUNIT_EXPECT_EQ(test, 0, tl_client_event(client, TL_EVENT_DISABLE, 0));
		tl_client_stats(client, 0, &stats);
		KUNIT_EXPECT_EQ(test, stats.state, TL_EVENT_OFF);
	}
}

/*
 * The kernel's stack begins in the function with the tracepoint: nothing of the
 * handler is in it. There may be other probes beside, and what is inline in most
 * kernels may be a function.
 */
static noinline __noclone void tl_pass_one(u64 value)
{
	trace_tl_kunit_one(value);
	/* no jump to the probe in place of a call */
	barrier();
}

static void tl_other_probe(void *data, u64 value)
{
}

/**
 * struct tl_passed_stack - stacks as recorded
 * @count: records
 * @frames: the first ones of each
 */
struct tl_passed_stack {
	u32 count;
	u64 frames[2][4];
};

static void tl_see_stack(struct tl_stream *stream, const struct tl_record *record)
{
	struct tl_passed_stack *passed = stream->data;
	u16 length;

	KUNIT_ASSERT_LT(stream->test, passed->count, ARRAY_SIZE(passed->frames));
	KUNIT_EXPECT_PTR_EQ(stream->test, record->statuses, NULL);
	memcpy(&length, record->payload, sizeof(length));
	KUNIT_ASSERT_GE(stream->test, length, sizeof(passed->frames[0]));
	memcpy(passed->frames[passed->count++], record->payload + sizeof(length),
	       sizeof(passed->frames[0]));
	memcpy(&length, record->payload + sizeof(length) + length, sizeof(length));
	/* a thread of the kernel */
	KUNIT_EXPECT_EQ(stream->test, length, 0);
}

/* @frames are @first, if that is not NULL, tl_pass_one() and tl_test_stack(). */
static void tl_expect_callers(struct kunit *test, const u64 *frames,
			      const char *first)
{
	u32 at = 0;

	if (first)
		KUNIT_EXPECT_TRUE(test, tl_target_is_in(frames[at++], first));
	if (tl_target_is_in(frames[at], "trace_tl_kunit_one"))
		at++;
	KUNIT_EXPECT_TRUE(test, tl_target_is_in(frames[at], "tl_pass_one"));
	KUNIT_EXPECT_TRUE(test, tl_target_is_in(frames[at + 1], "tl_test_stack"));
}

static void tl_test_stack(struct kunit *test)
{
	static const struct tl_insn insns[] = {
		{ .op = TL_OP_PUT_STACK, .arg = 127, .imm = TL_STACK_KERNEL },
		{ .op = TL_OP_PUT_STACK, .arg = 127, .imm = TL_STACK_USER },
		{ .op = TL_OP_END },
	};
	struct tl_client *client = tl_arm(test, tl_one, insns, ARRAY_SIZE(insns));
	struct tl_passed_stack passed = {};

	tl_pass_one(1);
	KUNIT_ASSERT_EQ(test, 0, register_trace_tl_kunit_one(tl_other_probe, NULL));
	tl_pass_one(2);
	unregister_trace_tl_kunit_one(tl_other_probe, NULL);
	tl_client_ctl(client, TL_SESSION_STOP);
	tl_client_drain(client, tl_see_stack, &passed);
	KUNIT_ASSERT_EQ(test, passed.count, 2);
	tl_expect_callers(test, passed.frames[0], NULL);
	tl_expect_callers(test, passed.frames[1], "__traceiter_tl_kunit_one");
}

static struct kunit_case tl_cases[] = {
	KUNIT_CASE(tl_test_names),
	KUNIT_CASE(tl_test_programs),
	KUNIT_CASE(tl_test_arguments),
	KUNIT_CASE(tl_test_arming),
	KUNIT_CASE(tl_test_sessions),
	KUNIT_CASE(tl_test_kernel),
	KUNIT_CASE(tl_test_waiting),
	KUNIT_CASE(tl_test_stack),
	{}
};

struct kunit_suite tl_tracepoint_suite = {
	.name = "tracepoint",
	.test_cases = tl_cases,
};
