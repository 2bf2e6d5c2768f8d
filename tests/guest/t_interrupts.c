// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints at the ends of stacks. In the idle loop an interrupt begins at the end
 * of a stack that nothing follows: words which a tracepoint there does not have are
 * behind it. Each is alone on its tracepoint, whose code then calls the handler itself.
 */
#include "tl.h"

int main(void)
{
	static const char *const names[] = {
		"local_timer_entry", "local_timer_exit", "reschedule_entry",
		"reschedule_exit", "call_function_entry", "call_function_exit",
		"call_function_single_entry", "call_function_single_exit",
		"irq_work_entry", "irq_work_exit", "irq_handler_entry",
		"irq_handler_exit", "softirq_raise", "softirq_entry",
		"hrtimer_expire_entry", "timer_expire_entry", "tick_stop",
	};
	struct tl_insn insns[TL_TRACEPOINT_ARGS + 1] = { { TL_OP_END, 0, 0 } };
	uint64_t hits = 0;
	size_t i;

	for (i = 0; i < TL_TRACEPOINT_ARGS; i++)
		insns[i] = (struct tl_insn){ TL_OP_PUT_REG, 8, 8 * i };
	insns[i] = (struct tl_insn){ TL_OP_END, 0, 0 };
	tap_case("%zu tracepoints in interrupts of idle CPUs", ARRAY_SIZE(names));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		int dev = dev_ready(4096, 8);
		uint32_t id = dev_add_name(dev, names[i], insns,
					   ARRAY_SIZE(insns));
		struct tl_stats stats;

		dev_enable(dev, id);
		dev_start(dev);
		sleep_ms(30);
		dev_stop(dev);
		stats = dev_stats(dev, id);
		CHECK_EQ(stats_hits(&stats), stats.hits);
		CHECK_EQ(stats.faults, 0);
		if (!i)
			CHECK(stats.hits > 0);
		hits += stats.hits;
		close(dev);
	}
	tap_note("%llu hits", (unsigned long long)hits);
	return tap_done();
}
