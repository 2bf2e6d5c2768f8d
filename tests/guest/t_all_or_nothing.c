// SPDX-License-Identifier: GPL-2.0-only
/* A list of events is armed as a whole or not at all; and why it was not. */
#include "tl.h"

static uint64_t good;

static uint32_t add(int dev, uint32_t backend, uint64_t address)
{
	return dev_add(dev, backend, address, prog_di, ARRAY_SIZE(prog_di));
}

/* Three good events around one bad one: nothing of it may stay. */
static void test_refusal(const char *name, uint32_t backend, uint64_t address,
			 uint32_t code)
{
	int dev = dev_ready(4096, 2);
	struct tl_error error;
	struct tl_stats stats;
	uint32_t ids[4], i;

	tap_case("a list with %s: none is armed", name);
	ids[0] = add(dev, TL_BACKEND_KPROBE, good);
	ids[1] = add(dev, TL_BACKEND_KRETPROBE, good);
	ids[2] = add(dev, backend, address);
	ids[3] = add(dev, TL_BACKEND_KPROBE, symbol("__x64_sys_getpgrp"));
	dev_start(dev);
	CHECK(dev_event_ctl(dev, TL_EVENT_ENABLE, ids, 4, &error) < 0);
	CHECK_EQ(error.code, code);
	CHECK_EQ(error.index, 2);
	CHECK(error.kernel_errno != 0);
	CHECK_EQ(kprobes_count(), 0);
	for (i = 0; i < 4; i++)
		CHECK_EQ(dev_stats(dev, ids[i]).state, TL_EVENT_OFF);
	getppid();
	stats = dev_stats_sum(dev);
	CHECK_EQ(stats_hits(&stats), 0);

	/* what was armed before stays so */
	dev_enable(dev, ids[0]);
	CHECK(dev_event_ctl(dev, TL_EVENT_ENABLE, ids, 4, &error) < 0);
	CHECK_EQ(kprobes_count(), 1);
	CHECK_EQ(dev_stats(dev, ids[0]).state, TL_EVENT_ARMED);
	CHECK_EQ(dev_stats(dev, ids[1]).state, TL_EVENT_OFF);
	getppid();
	CHECK_EQ(dev_stats(dev, ids[0]).recorded, 1);
	stats = dev_stats_sum(dev);
	CHECK_EQ(stats_hits(&stats), 1);

	/* and the good ones can be armed without the bad one */
	ids[2] = ids[3];
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, ids, 3, &error), 0);
	CHECK_EQ(kprobes_count(), 3);
	getppid();
	CHECK_EQ(dev_stats(dev, ids[0]).recorded, 2);
	CHECK_EQ(dev_stats(dev, ids[1]).recorded, 1);
	close(dev);
	CHECK_EQ(kprobes_count(), 0);
}

int main(void)
{
	uint64_t vfs_read = symbol("vfs_read");

	good = symbol("__x64_sys_getppid");
	test_refusal("the middle of an instruction", TL_BACKEND_KPROBE,
		     vfs_read + 3, TL_ERR_PLACE_BOUNDARY);
	test_refusal("a blacklisted function", TL_BACKEND_KPROBE,
		     symbol("get_kprobe"), TL_ERR_PLACE_REFUSED);
	test_refusal("a function of the entry code", TL_BACKEND_KPROBE,
		     symbol("asm_exc_page_fault"), TL_ERR_PLACE_REFUSED);
	test_refusal("data", TL_BACKEND_KPROBE, symbol("linux_banner"),
		     TL_ERR_PLACE_REFUSED);
	test_refusal("a return that is not of an entry", TL_BACKEND_KRETPROBE,
		     vfs_read + 9, TL_ERR_PLACE_NOT_ENTRY);
	test_refusal("the handler's own code", TL_BACKEND_KPROBE,
		     symbol("tl_event_hit"), TL_ERR_PLACE_REFUSED);
	return tap_done();
}
