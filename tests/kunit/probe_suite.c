// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backends on functions of this module, with whatever mechanism the kernel
 * takes for each of them: what is recorded is the same, and what the kernel has
 * missed it tells exactly.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/uaccess.h>

#include "client.h"
#include "hit.h"
#include "nmi.h"
#include "probe.h"
#include "target.h"

#define CALLS 20u
#define VALUES 3u /* that each program here puts, of 8 bytes */

static const struct tl_insn tl_entry[] = {
	{ .op = TL_OP_PUT_REG, .arg = 8, .imm = offsetof(struct pt_regs, di) },
	{ .op = TL_OP_PUT_REG, .arg = 8, .imm = offsetof(struct pt_regs, si) },
	{ .op = TL_OP_PLACE }, { .op = TL_OP_PUT, .arg = 8 },
	{ .op = TL_OP_END },
};

static const struct tl_insn tl_middle[] = {
	{ .op = TL_OP_PUT_REG, .arg = 8, .imm = offsetof(struct pt_regs, ax) },
	{ .op = TL_OP_PUT_REG, .arg = 8, .imm = offsetof(struct pt_regs, di) },
	{ .op = TL_OP_PLACE }, { .op = TL_OP_PUT, .arg = 8 },
	{ .op = TL_OP_END },
};

static const struct tl_insn tl_return[] = {
	{ .op = TL_OP_RETVAL }, { .op = TL_OP_PUT, .arg = 8 },
	{ .op = TL_OP_CALLER }, { .op = TL_OP_PUT, .arg = 8 },
	{ .op = TL_OP_PLACE }, { .op = TL_OP_PUT, .arg = 8 },
	{ .op = TL_OP_END },
};

/**
 * struct tl_seen - records as they were read
 * @count: how many
 * @id: of the event of each
 * @value: what its program has put
 */
struct tl_seen {
	u32 count;
	u32 id[4 * CALLS];
	u64 value[4 * CALLS][VALUES];
};

static void tl_see(struct tl_stream *stream, const struct tl_record *record)
{
	struct tl_seen *seen = stream->data;

	KUNIT_ASSERT_LT(stream->test, seen->count, ARRAY_SIZE(seen->id));
	KUNIT_ASSERT_EQ(stream->test, record->bytes, sizeof(seen->value[0]));
	memcpy(seen->value[seen->count], record->payload, record->bytes);
	seen->id[seen->count++] = record->id;
}

/* Stop, and read all; the memory goes with the test. */
static const struct tl_seen *tl_stop(struct tl_client *client)
{
	struct tl_seen *seen = kunit_kzalloc(client->test, sizeof(*seen),
					     GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(client->test, seen);
	tl_client_ctl(client, TL_SESSION_STOP);
	tl_client_drain(client, tl_see, seen);
	return seen;
}

/* A session with one event, enabled and running. */
static struct tl_client *tl_arm(struct kunit *test, u32 backend,
				unsigned long address,
				const struct tl_insn *insns, u32 count)
{
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);

	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	KUNIT_ASSERT_EQ(test, 0, tl_client_add(client, backend, address, insns,
					       count));
	KUNIT_ASSERT_EQ(test, 0, tl_client_event(client, TL_EVENT_ENABLE, 0));
	tl_client_ctl(client, TL_SESSION_START);
	return client;
}

static struct tl_client *tl_arm_entry(struct kunit *test,
				      long (*target)(long a, long b))
{
	return tl_arm(test, TL_BACKEND_KPROBE, (unsigned long)target, tl_entry,
		      ARRAY_SIZE(tl_entry));
}

/* Each call is there, with its own arguments, and at the address asked for. */
static void tl_expect_entries(struct kunit *test, u32 backend,
			      long (*target)(long a, long b),
			      enum tl_mechanism mechanism)
{
	struct tl_client *client = tl_arm(test, backend, (unsigned long)target,
					  tl_entry, ARRAY_SIZE(tl_entry));
	const struct tl_seen *seen;
	u32 i;

	KUNIT_EXPECT_EQ(test, tl_target_mechanism((unsigned long)target), mechanism);
	for (i = 0; i < CALLS; i++)
		KUNIT_EXPECT_EQ(test, target(i, -(long)i * 5), i - 10l * i);
	seen = tl_stop(client);
	KUNIT_ASSERT_EQ(test, seen->count, CALLS);
	for (i = 0; i < CALLS; i++) {
		KUNIT_EXPECT_EQ(test, seen->value[i][0], i);
		KUNIT_EXPECT_EQ(test, seen->value[i][1], -(u64)i * 5);
		KUNIT_EXPECT_EQ(test, seen->value[i][2], (unsigned long)target);
	}
	KUNIT_EXPECT_EQ(test, tl_target_mechanism((unsigned long)target),
			TL_BY_NOTHING);
}

static void tl_test_ftrace(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		kunit_skip(test, "this kernel has no kprobes on ftrace");
	tl_expect_entries(test, TL_BACKEND_KPROBE, tl_target_traced, TL_BY_FTRACE);
}

static void tl_test_int3(struct kunit *test)
{
	tl_expect_entries(test, TL_BACKEND_KPROBE, tl_target_untraced, TL_BY_INT3);
}

static void tl_need_function(struct kunit *test)
{
	if (!tl_probe_backend(TL_BACKEND_FUNCTION))
		kunit_skip(test, "this kernel has no kprobes on ftrace");
}

static void tl_test_function(struct kunit *test)
{
	tl_need_function(test);
	tl_expect_entries(test, TL_BACKEND_FUNCTION, tl_target_traced, TL_BY_FTRACE);
	tl_expect_entries(test, TL_BACKEND_FUNCTION, tl_target_traced, TL_BY_FTRACE);
}

/* What ftrace cannot take has a kprobe, and nobody sees a difference. */
static void tl_test_function_untraced(struct kunit *test)
{
	tl_need_function(test);
	tl_expect_entries(test, TL_BACKEND_FUNCTION, tl_target_untraced, TL_BY_INT3);
}

static const struct tl_insn tl_word[] = {
	{ .op = TL_OP_STACK }, { .op = TL_OP_PUT, .arg = 8 },
	{ .op = TL_OP_END },
};

/*
 * A function that the handler itself calls, to read a word of the stack: those
 * calls are counted as recursions, one for each record.
 */
static void tl_test_function_recursion(struct kunit *test)
{
	struct tl_client *client;
	struct tl_stats stats;
	u32 i;

	tl_need_function(test);
	client = tl_arm(test, TL_BACKEND_FUNCTION, (unsigned long)tl_target_traced,
			tl_word, ARRAY_SIZE(tl_word));
	KUNIT_ASSERT_EQ(test, 1, tl_client_add(client, TL_BACKEND_FUNCTION,
					       (unsigned long)copy_from_kernel_nofault,
					       tl_word, ARRAY_SIZE(tl_word)));
	KUNIT_ASSERT_EQ(test, 0, tl_client_event(client, TL_EVENT_ENABLE, 1));
	for (i = 0; i < CALLS; i++)
		tl_target_traced(1, 2);
	tl_client_ctl(client, TL_SESSION_STOP);
	tl_client_stats(client, 0, &stats);
	KUNIT_EXPECT_EQ(test, stats.hits, CALLS);
	KUNIT_EXPECT_EQ(test, stats.recorded, CALLS);
	tl_client_stats(client, 1, &stats);
	/* who else calls it has a record, which calls it once more */
	KUNIT_EXPECT_EQ(test, stats.recursion, CALLS + stats.recorded);
}

static unsigned long tl_middle_address(void)
{
	return (unsigned long)tl_target_steps + tl_target_steps_middle;
}

/* In the middle of a function, whose registers are those of that moment. */
static void tl_expect_middle(struct kunit *test, enum tl_mechanism mechanism)
{
	struct tl_client *client = tl_arm(test, TL_BACKEND_KPROBE,
					  tl_middle_address(), tl_middle,
					  ARRAY_SIZE(tl_middle));
	const struct tl_seen *seen;
	u32 i;

	/* the kernel makes it a jump some time later, if it does */
	for (i = 0; i < 100; i++) {
		if (tl_target_mechanism(tl_middle_address()) == TL_BY_JUMP)
			break;
		msleep(20);
	}
	KUNIT_EXPECT_EQ(test, tl_target_mechanism(tl_middle_address()), mechanism);
	for (i = 0; i < CALLS; i++)
		KUNIT_EXPECT_EQ(test, tl_target_steps(i, 100), 3 * (i + 100l) + 7);
	seen = tl_stop(client);
	KUNIT_ASSERT_EQ(test, seen->count, CALLS);
	for (i = 0; i < CALLS; i++) {
		KUNIT_EXPECT_EQ(test, seen->value[i][0], i + 100);
		KUNIT_EXPECT_EQ(test, seen->value[i][1], i);
		KUNIT_EXPECT_EQ(test, seen->value[i][2], tl_middle_address());
	}
}

static void tl_test_jump(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_OPTPROBES))
		kunit_skip(test, "this kernel makes no jumps of kprobes");
	tl_expect_middle(test, TL_BY_JUMP);
}

static void tl_unregister(void *kp)
{
	unregister_kprobe(kp);
}

/* A probe with a handler for afterwards is none that can be a jump. */
static void tl_test_middle_int3(struct kunit *test)
{
	struct kprobe *kp = kunit_kzalloc(test, sizeof(*kp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, kp);
	kp->addr = (kprobe_opcode_t *)tl_middle_address();
	tl_int3_register(test, kp);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, tl_unregister,
							   kp));
	tl_expect_middle(test, TL_BY_INT3);
}

/* Where no probe can be: told why, and nothing is left. */
static void tl_test_refused(struct kunit *test)
{
	const struct {
		unsigned long address;
		u32 backend;
		int err;
		u32 code;
	} refused[] = {
		{ tl_middle_address() + 1, TL_BACKEND_KPROBE, -EILSEQ,
		  TL_ERR_PLACE_BOUNDARY },
		{ (unsigned long)tl_event_hit, TL_BACKEND_KPROBE, -EINVAL,
		  TL_ERR_PLACE_REFUSED },
		{ (unsigned long)&tl_target_steps_middle, TL_BACKEND_KPROBE, -EINVAL,
		  TL_ERR_PLACE_REFUSED },
		{ tl_middle_address(), TL_BACKEND_KRETPROBE, -EINVAL,
		  TL_ERR_PLACE_NOT_ENTRY },
		{ (unsigned long)tl_event_hit, TL_BACKEND_KRETPROBE, -EINVAL,
		  TL_ERR_PLACE_REFUSED },
		{ (unsigned long)tl_event_hit, TL_BACKEND_FUNCTION, -EINVAL,
		  TL_ERR_PLACE_REFUSED },
		{ (unsigned long)&tl_target_steps_middle, TL_BACKEND_FUNCTION,
		  -EINVAL, TL_ERR_PLACE_REFUSED },
		{ tl_middle_address(), TL_BACKEND_FUNCTION, -EINVAL,
		  TL_ERR_PLACE_NOT_ENTRY },
	};
	const u32 count = tl_probe_backend(TL_BACKEND_FUNCTION) ?
				  ARRAY_SIZE(refused) : ARRAY_SIZE(refused) - 3;
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);
	struct tl_stats stats;
	u32 i;

	for (i = 0; i < count; i++) {
		KUNIT_ASSERT_EQ(test, i, tl_client_add(client, refused[i].backend,
						       refused[i].address, tl_entry,
						       ARRAY_SIZE(tl_entry)));
		KUNIT_EXPECT_EQ(test, tl_client_event(client, TL_EVENT_ENABLE, i),
				refused[i].err);
		KUNIT_EXPECT_EQ(test, client->error.code, refused[i].code);
		KUNIT_EXPECT_EQ(test, client->error.kernel_errno,
				(u32)-refused[i].err);
		tl_client_stats(client, i, &stats);
		KUNIT_EXPECT_EQ(test, stats.state, TL_EVENT_OFF);
	}
}

static long (*tl_inner_target)(long a, long b);

static int tl_inner_call(struct kprobe *kp, struct pt_regs *regs)
{
	tl_inner_target(1, 2);
	return 0;
}

/* In a handler of somebody else's the kernel calls no handler: it counts. */
static void tl_expect_missed(struct kunit *test, long (*target)(long a, long b))
{
	struct tl_client *client = tl_arm_entry(test, target);
	struct kprobe kp = {
		.addr = (kprobe_opcode_t *)tl_target_steps,
		.pre_handler = tl_inner_call,
	};
	struct tl_stats stats;
	u32 i;

	tl_inner_target = target;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&kp));
	for (i = 0; i < CALLS; i++)
		tl_target_steps(1, 2);
	unregister_kprobe(&kp);
	target(3, 4);
	tl_client_stats(client, 0, &stats);
	KUNIT_EXPECT_EQ(test, stats.nmissed, CALLS);
	KUNIT_EXPECT_EQ(test, stats.hits, 1);
	KUNIT_EXPECT_EQ(test, tl_stop(client)->count, 1);
}

static void tl_test_missed(struct kunit *test)
{
	tl_expect_missed(test, tl_target_untraced);
	tl_expect_missed(test, tl_target_traced);
}

/* Whom it returns to, and not the kernel's trampoline, whoever else probes it. */
static void tl_test_return(struct kunit *test)
{
	struct tl_client *other = tl_arm(test, TL_BACKEND_KRETPROBE,
					 (unsigned long)tl_target_traced, tl_return,
					 ARRAY_SIZE(tl_return));
	struct tl_client *client = tl_arm(test, TL_BACKEND_KRETPROBE,
					  (unsigned long)tl_target_traced, tl_return,
					  ARRAY_SIZE(tl_return));
	const struct tl_seen *seen[2];
	u32 i, j;

	for (i = 0; i < CALLS; i++)
		KUNIT_EXPECT_EQ(test, tl_target_traced(-1, i), 2l * i - 1);
	seen[0] = tl_stop(client);
	seen[1] = tl_stop(other);
	for (j = 0; j < ARRAY_SIZE(seen); j++) {
		KUNIT_ASSERT_EQ(test, seen[j]->count, CALLS);
		for (i = 0; i < CALLS; i++) {
			KUNIT_EXPECT_EQ(test, seen[j]->value[i][0], 2ull * i - 1);
			KUNIT_EXPECT_GT(test, seen[j]->value[i][1],
					(unsigned long)tl_test_return);
			KUNIT_EXPECT_LT(test, seen[j]->value[i][1] -
					      (unsigned long)tl_test_return, 4096);
			KUNIT_EXPECT_EQ(test, seen[j]->value[i][2],
					(unsigned long)tl_target_traced);
		}
	}
}

/* More calls at once than there are instances: those without are missed. */
static void tl_test_exhausted(struct kunit *test)
{
	struct tl_client *client = tl_client_make(test, TL_MODE_DISCARD);
	const struct tl_seen *seen;
	struct tl_event_add add;
	struct tl_stats stats;
	u32 i;

	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	add = tl_client_event_add(client, TL_BACKEND_KRETPROBE,
				  (unsigned long)tl_target_nested, tl_return,
				  ARRAY_SIZE(tl_return));
	add.maxactive = 3;
	KUNIT_ASSERT_EQ(test, 0, tl_client_try_add(client, &add));
	KUNIT_ASSERT_EQ(test, 0, tl_client_event(client, TL_EVENT_ENABLE, 0));
	tl_client_ctl(client, TL_SESSION_START);
	for (i = 0; i < CALLS; i++)
		KUNIT_EXPECT_EQ(test, tl_target_nested(7), 7);
	tl_client_stats(client, 0, &stats);
	KUNIT_EXPECT_EQ(test, stats.nmissed, 4 * CALLS);
	KUNIT_EXPECT_EQ(test, stats.recorded, 3 * CALLS);
	seen = tl_stop(client);
	KUNIT_ASSERT_EQ(test, seen->count, 3 * CALLS);
	/* the outermost calls came first and had them */
	for (i = 0; i < 3 * CALLS; i++)
		KUNIT_EXPECT_EQ(test, seen->value[i][0], 5 + i % 3);
}

static struct kunit_case tl_probe_cases[] = {
	KUNIT_CASE(tl_test_ftrace),
	KUNIT_CASE(tl_test_int3),
	KUNIT_CASE(tl_test_function),
	KUNIT_CASE_SLOW(tl_test_function_untraced),
	KUNIT_CASE(tl_test_function_recursion),
	KUNIT_CASE(tl_test_jump),
	KUNIT_CASE_SLOW(tl_test_middle_int3),
	KUNIT_CASE(tl_test_refused),
	KUNIT_CASE(tl_test_missed),
	KUNIT_CASE(tl_test_return),
	KUNIT_CASE(tl_test_exhausted),
	{}
};

struct kunit_suite tl_probe_suite = {
	.name = "probe",
	.test_cases = tl_probe_cases,
};
