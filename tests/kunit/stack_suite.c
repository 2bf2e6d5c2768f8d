// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks: in each context, where the stack looks other than behind the probed
 * instruction, through returns that are probed, cut; and of user memory that is
 * made up here. Addresses are compared by the names that the kernel has for them.
 */
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/uaccess.h>

#include <asm/segment.h>

#include "context.h"
#include "hit.h"
#include "nmi.h"
#include "stack.h"
#include "stream.h"
#include "target.h"
#include "user.h"

#define FRAMES 32
#define DEPTH 5
#define UNTOUCHED 0xeeeeeeeeeeeeeeee

/**
 * struct tl_trace - a stack as it was found
 * @frames: addresses, the others are untouched
 * @count: how many
 * @status: TL_STATUS_*
 */
struct tl_trace {
	u64 frames[FRAMES + 1];
	u32 count;
	u32 status;
};

static void tl_trace_kernel(struct tl_trace *trace, u32 max, struct pt_regs *regs,
			    unsigned long first)
{
	memset(trace, 0xee, sizeof(*trace));
	trace->count = tl_stack_kernel((u8 *)trace->frames, max, regs, first,
				       &trace->status) / sizeof(u64);
}

static void tl_trace_user(struct tl_trace *trace, u32 max,
			  const struct pt_regs *regs)
{
	memset(trace, 0xee, sizeof(*trace));
	trace->count = tl_stack_user((u8 *)trace->frames, max, regs,
				     &trace->status) / sizeof(u64);
}

/* ---- each context ----------------------------------------------------- */

static const u32 tl_contexts[] = {
	TL_CTX_TASK, TL_CTX_SOFTIRQ, TL_CTX_HARDIRQ, TL_CTX_NMI,
};

static struct tl_bed *tl_stack_bed;
static bool tl_stack_done;

static int tl_stack_handler(struct kprobe *kp, struct pt_regs *regs)
{
	return tl_event_hit(&tl_stack_bed->place, regs, 0, NULL);
}

/* What calls the probed function, in any context. */
static noinline __noclone void tl_stack_caller(void)
{
	tl_target_traced(1, 2);
	WRITE_ONCE(tl_stack_done, true);
}

static void tl_stack_softirq(struct tasklet_struct *tasklet)
{
	tl_stack_caller();
}

static void tl_stack_hardirq(struct irq_work *work)
{
	tl_stack_caller();
}

static void tl_stack_await(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 100000000 && !READ_ONCE(tl_stack_done); i++)
		cpu_relax();
	KUNIT_EXPECT_TRUE(test, READ_ONCE(tl_stack_done));
	WRITE_ONCE(tl_stack_done, false);
}

/* Frames of the kernel, then of the user, of whom this thread has none. */
static void tl_stack_check(struct tl_stream *stream,
			   const struct tl_record *record)
{
	const u32 context = tl_contexts[stream->records - 1];
	struct kunit *test = stream->test;
	u64 frames[2];
	u16 length;

	KUNIT_ASSERT_EQ(test, record->context & ~TL_CTX_EXCEPTIONAL, context);
	memcpy(&length, record->payload, sizeof(length));
	KUNIT_ASSERT_GE(test, length, 3 * sizeof(u64));
	memcpy(frames, record->payload + sizeof(length), sizeof(frames));
	KUNIT_EXPECT_EQ(test, frames[0], (unsigned long)tl_target_traced);
	KUNIT_EXPECT_TRUE(test, tl_target_is_in(frames[1], "tl_stack_caller"));
	KUNIT_EXPECT_EQ(test, record->bytes, 2 * sizeof(length) + length);
	memcpy(&length, record->payload + sizeof(length) + length, sizeof(length));
	KUNIT_EXPECT_EQ(test, length, 0);
	/* the stack of the kernel is whole; interrupts have borrowed the task */
	if (context == TL_CTX_TASK) {
		KUNIT_EXPECT_PTR_EQ(test, record->statuses, NULL);
		return;
	}
	KUNIT_ASSERT_NOT_NULL(test, record->statuses);
	KUNIT_EXPECT_EQ(test, record->statuses[0], TL_STATUS_OK);
	KUNIT_EXPECT_EQ(test, record->statuses[1], TL_STATUS_FAULT);
}

static void tl_stack_hit_all(struct kunit *test)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(tl_stack_hardirq);
	struct tasklet_struct tasklet;

	tl_stack_caller();
	tl_stack_await(test);
	tasklet_setup(&tasklet, tl_stack_softirq);
	local_bh_disable();
	tasklet_schedule(&tasklet);
	local_bh_enable();
	tl_stack_await(test);
	tasklet_kill(&tasklet);
	irq_work_queue(&work);
	tl_stack_await(test);
	irq_work_sync(&work);
	tl_nmi_raise(raw_smp_processor_id());
	tl_stack_await(test);
}

static void tl_test_contexts(struct kunit *test)
{
	static const struct tl_insn insns[] = {
		{ .op = TL_OP_PUT_STACK, .arg = 127, .imm = TL_STACK_KERNEL },
		{ .op = TL_OP_PUT_STACK, .arg = 16, .imm = TL_STACK_USER },
		{ .op = TL_OP_END },
	};
	struct kprobe kp = {
		.addr = (kprobe_opcode_t *)tl_target_traced,
		.pre_handler = tl_stack_handler,
	};
	struct tl_stream stream = { .test = test, .visit = tl_stack_check };

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "softirqs are threads here");
	KUNIT_ASSERT_NULL(test, current->mm);
	tl_stay_on(test, (int)cpumask_first(cpu_online_mask));
	tl_stack_bed = tl_bed_make(test, TL_MODE_DISCARD, 16384, 4);
	stream.bed = tl_stack_bed;
	tl_stack_bed->place.address = (unsigned long)tl_target_traced;
	tl_bed_add(test, tl_stack_bed, insns, ARRAY_SIZE(insns));
	tl_nmi_begin(test, tl_stack_caller);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&kp));
	tl_bed_start(test, tl_stack_bed);
	tl_stack_hit_all(test);
	unregister_kprobe(&kp);
	tl_nmi_end(test);
	tl_bed_stop(test, tl_stack_bed);
	tl_stream_drain(&stream, tl_stack_bed->session->rings[raw_smp_processor_id()]);
	KUNIT_EXPECT_EQ(test, stream.records, ARRAY_SIZE(tl_contexts));
}

/* ---- one place -------------------------------------------------------- */

static struct tl_trace tl_trace;
static u32 tl_trace_max;

static int tl_trace_handler(struct kprobe *kp, struct pt_regs *regs)
{
	tl_trace_kernel(&tl_trace, tl_trace_max, regs, (unsigned long)kp->addr);
	return 0;
}

/* Once through @function, with a probe on its first instruction. */
static noinline __noclone void
tl_trace_entry(struct kunit *test, long (*function)(long a, long b), u32 max)
{
	struct kprobe kp = {
		.addr = (kprobe_opcode_t *)function,
		.pre_handler = tl_trace_handler,
	};

	tl_trace_max = max;
	tl_trace.count = 0;
	tl_int3_register(test, &kp);
	KUNIT_EXPECT_EQ(test, 5, function(1, 2));
	unregister_kprobe(&kp);
}

/* Behind an int3 in place of a push the stack is not yet what it will be. */
static void tl_test_push(struct kunit *test)
{
	tl_trace_entry(test, tl_target_push, FRAMES);
	KUNIT_EXPECT_EQ(test, tl_trace.status, TL_STATUS_OK);
	KUNIT_ASSERT_GE(test, tl_trace.count, 3);
	KUNIT_EXPECT_TRUE(test, tl_target_is_in(tl_trace.frames[1], "tl_trace_entry"));
	KUNIT_EXPECT_TRUE(test, tl_target_is_in(tl_trace.frames[2], "tl_test_push"));
}

/* So many frames and no more are written. */
static void tl_test_cut(struct kunit *test)
{
	u32 whole, max;

	tl_trace_entry(test, tl_target_traced, FRAMES);
	whole = tl_trace.count;
	KUNIT_EXPECT_EQ(test, tl_trace.status, TL_STATUS_OK);
	KUNIT_ASSERT_GE(test, whole, 4);
	for (max = 1; max <= whole; max++) {
		tl_trace_entry(test, tl_target_traced, max);
		KUNIT_EXPECT_EQ(test, tl_trace.count, max);
		KUNIT_EXPECT_EQ(test, tl_trace.status, max < whole ?
				TL_STATUS_TRUNCATED : TL_STATUS_OK);
		KUNIT_EXPECT_EQ(test, tl_trace.frames[max], UNTOUCHED);
	}
}

static struct tl_trace tl_returns[DEPTH];
static u32 tl_return_count;

static int tl_return_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (tl_return_count < DEPTH)
		tl_trace_kernel(&tl_returns[tl_return_count], FRAMES, regs,
				instruction_pointer(regs));
	tl_return_count++;
	return 0;
}

/* Callers whose return is diverted are told as they are. */
static void tl_test_returns(struct kunit *test)
{
	struct kretprobe rp = {
		.kp.addr = (kprobe_opcode_t *)tl_target_nested,
		.handler = tl_return_handler,
		.maxactive = DEPTH,
	};
	u32 depth, i;

	tl_return_count = 0;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&rp));
	KUNIT_EXPECT_EQ(test, DEPTH, tl_target_nested(DEPTH));
	unregister_kretprobe(&rp);
	KUNIT_ASSERT_EQ(test, tl_return_count, DEPTH);
	/* the innermost returns first, into DEPTH - 1 others */
	for (i = 0; i < DEPTH; i++) {
		const struct tl_trace *trace = &tl_returns[i];

		KUNIT_EXPECT_EQ(test, trace->status, TL_STATUS_OK);
		KUNIT_ASSERT_GT(test, trace->count, DEPTH - i);
		for (depth = 0; depth < DEPTH - 1 - i; depth++)
			KUNIT_EXPECT_TRUE(test, tl_target_is_in(trace->frames[depth],
							 "tl_target_nested"));
		KUNIT_EXPECT_TRUE(test, tl_target_is_in(trace->frames[depth],
						 "tl_test_returns"));
	}
}

/* Registers that are those of nowhere: no step into nowhere. */
static void tl_test_nowhere(struct kunit *test)
{
	static const unsigned long values[] = {
		0, 8, PAGE_SIZE, 0x7ffffffff000, 0x800000000000,
		0xffff888000000000, 0xffffffffffffffff, 0xdead000000000100,
	};
	struct pt_regs regs = { .cs = __KERNEL_CS };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		regs.sp = values[i];
		regs.bp = values[ARRAY_SIZE(values) - 1 - i];
		preempt_disable(); /* as for a handler */
		tl_trace_kernel(&tl_trace, FRAMES, &regs,
				(unsigned long)tl_target_traced);
		preempt_enable();
		KUNIT_EXPECT_EQ(test, tl_trace.frames[0],
				(unsigned long)tl_target_traced);
		KUNIT_EXPECT_EQ(test, tl_trace.status, TL_STATUS_INCOMPLETE);
	}
}

/* ---- user memory ------------------------------------------------------ */

/* A frame of @bytes a word, at user address @at. */
static void tl_put_frame(struct kunit *test, unsigned long at, u32 bytes,
			 u64 pointer, u64 address)
{
	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)at, &pointer, bytes));
	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)(at + bytes),
					      &address, bytes));
}

static void tl_expect_user(struct kunit *test, const struct pt_regs *regs,
			   u32 count, u32 status)
{
	u32 i;

	tl_trace_user(&tl_trace, FRAMES, regs);
	KUNIT_ASSERT_EQ(test, tl_trace.count, count);
	KUNIT_EXPECT_EQ(test, tl_trace.status, status);
	for (i = 0; i < count; i++)
		KUNIT_EXPECT_EQ(test, tl_trace.frames[i], 0x1000 * (i + 1));
	KUNIT_EXPECT_EQ(test, tl_trace.frames[count], UNTOUCHED);
}

/* Chains of three frames, with an end of each kind. */
static void tl_user_chains(struct kunit *test, unsigned long at, u32 bytes)
{
	struct pt_regs regs = {
		.cs = bytes == 4 ? __USER32_CS : __USER_CS,
		.ip = 0x1000, .sp = at, .bp = at + 64,
	};
	const u64 ends[] = { 1, at + 64, at + 64 + bytes, at + 256 + bytes / 2,
			     at + PAGE_SIZE, 8 };
	u32 i;

	tl_put_frame(test, at + 64, bytes, at + 128, 0x2000);
	tl_put_frame(test, at + 128, bytes, at + 256, 0x3000);
	tl_put_frame(test, at + 256, bytes, 0, 0x4000);
	tl_expect_user(test, &regs, 4, TL_STATUS_OK);
	tl_trace_user(&tl_trace, 2, &regs);
	KUNIT_EXPECT_EQ(test, tl_trace.count, 2);
	KUNIT_EXPECT_EQ(test, tl_trace.status, TL_STATUS_TRUNCATED);
	KUNIT_EXPECT_EQ(test, tl_trace.frames[2], UNTOUCHED);
	/* the end of a chain may have a frame of zeros */
	tl_put_frame(test, at + 256, bytes, at + 512, 0);
	tl_expect_user(test, &regs, 3, TL_STATUS_OK);
	/* what goes down, round, aside, or nowhere is no frame */
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		tl_put_frame(test, at + 128, bytes, ends[i], 0x3000);
		tl_expect_user(test, &regs, 3, TL_STATUS_INCOMPLETE);
	}
	/* below the stack pointer are no frames */
	regs.bp = at - 64;
	tl_expect_user(test, &regs, 1, TL_STATUS_INCOMPLETE);
	regs.bp = 0;
	tl_expect_user(test, &regs, 1, TL_STATUS_OK);
}

static void tl_test_user(struct kunit *test)
{
	unsigned long at = tl_user_map(test, 2 * PAGE_SIZE);
	struct pt_regs regs = { .cs = __KERNEL_CS, .sp = (unsigned long)&regs };

	tl_user_chains(test, at, 8);
	at = vm_mmap(NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
		     MAP_ANONYMOUS | MAP_PRIVATE | MAP_32BIT, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(at));
	KUNIT_ASSERT_LT(test, at, U32_MAX);
	tl_user_chains(test, at, 4);
	/* a thread of the kernel's own, even with borrowed memory, has none */
	tl_expect_user(test, &regs, 0, TL_STATUS_OK);
	/* an NMI's stack is not the task's */
	regs.sp = (unsigned long)&tl_trace;
	tl_expect_user(test, &regs, 0, TL_STATUS_FAULT);
}

static struct kunit_case tl_stack_cases[] = {
	KUNIT_CASE(tl_test_contexts),
	KUNIT_CASE(tl_test_push),
	KUNIT_CASE(tl_test_cut),
	KUNIT_CASE(tl_test_returns),
	KUNIT_CASE(tl_test_nowhere),
	KUNIT_CASE(tl_test_user),
	{}
};

struct kunit_suite tl_stack_suite = {
	.name = "stack",
	.test_cases = tl_stack_cases,
};
