// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints of the kernel that are passed in a task, a softirq, an interrupt
 * and an NMI. Nobody hinders them from coming in the middle of each other.
 */
#include <linux/hrtimer.h>
#include <linux/tracepoint.h>

#include "trace.h"

static void (*tl_trace_hit)(void);

/* From 7.3 on a tracepoint does not turn preemption off by itself. */
static void tl_trace_passed(void)
{
	preempt_disable_notrace();
	tl_trace_hit();
	preempt_enable_notrace();
}

static void tl_trace_kfree(void *data, unsigned long caller, const void *memory)
{
	tl_trace_passed();
}

static void tl_trace_softirq_entry(void *data, unsigned int vector)
{
	tl_trace_passed();
}

static void tl_trace_hrtimer_expire_entry(void *data, struct hrtimer *timer,
					  ktime_t *now)
{
	tl_trace_passed();
}

static void tl_trace_nmi_handler(void *data, void *handler, s64 duration_ns,
				 int handled)
{
	tl_trace_passed();
}

/**
 * struct tl_tracepoint - one of them
 * @name: of the tracepoint
 * @probe: what it calls
 * @found: it, once it was looked up
 */
static struct tl_tracepoint {
	const char *name;
	void *probe;
	struct tracepoint *found;
} tl_tracepoints[] = {
	{ "kfree", tl_trace_kfree },
	{ "softirq_entry", tl_trace_softirq_entry },
	{ "hrtimer_expire_entry", tl_trace_hrtimer_expire_entry },
	{ "nmi_handler", tl_trace_nmi_handler },
};

static void tl_trace_is_it(struct tracepoint *tracepoint, void *data)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tl_tracepoints); i++)
		if (!strcmp(tracepoint->name, tl_tracepoints[i].name))
			tl_tracepoints[i].found = tracepoint;
}

void tl_trace_find(struct kunit *test)
{
	u32 i;

	for_each_kernel_tracepoint(tl_trace_is_it, NULL);
	for (i = 0; i < ARRAY_SIZE(tl_tracepoints); i++)
		KUNIT_ASSERT_NOT_NULL_MSG(test, tl_tracepoints[i].found,
					  "no tracepoint %s",
					  tl_tracepoints[i].name);
}

void tl_trace_begin(struct kunit *test, void (*hit)(void))
{
	u32 i;

	tl_trace_hit = hit;
	for (i = 0; i < ARRAY_SIZE(tl_tracepoints); i++)
		KUNIT_EXPECT_EQ(test, 0,
				tracepoint_probe_register(tl_tracepoints[i].found,
							  tl_tracepoints[i].probe,
							  NULL));
}

void tl_trace_end(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tl_tracepoints); i++)
		tracepoint_probe_unregister(tl_tracepoints[i].found,
					    tl_tracepoints[i].probe, NULL);
	tracepoint_synchronize_unregister();
}
