// SPDX-License-Identifier: GPL-2.0-only
/*
 * A flush, while what it could use itself is probed: it must not feed itself.
 * (It did: each look at the clock made a record, and each record another look.)
 */
#include "tl.h"

static void flush_with(const char *function)
{
	int dev = dev_ready(65536, 16);
	uint64_t address = symbol(function), before;
	struct tl_stats stats;
	uint32_t id;

	tap_case("flushes with a probe on %s", function);
	id = dev_add(dev, TL_BACKEND_KPROBE, address, prog_di, 2);
	dev_enable(dev, id);
	dev_start(dev);
	dev_flush(dev);
	stats = dev_stats(dev, id);
	before = stats_hits(&stats);
	dev_flush(dev);
	stats = dev_stats(dev, id);
	/* timers and the flush itself look at the clock, but a few times */
	CHECK(stats_hits(&stats) - before < 2000);
	CHECK_EQ(stats.full, 0);
	close(dev);
}

int main(void)
{
	flush_with("ktime_get_mono_fast_ns");
	flush_with("smp_call_function_many_cond");
	flush_with("irq_work_queue");
	flush_with("read_tsc");
	return tap_done();
}
