// SPDX-License-Identifier: GPL-2.0-only
/* A module goes while it is probed, and comes back at the same address. */
#include "tl.h"

#define CALL "cat /sys/module/target/parameters/call >/dev/null"

static void shell(const char *command)
{
	if (system(command))
		die("%s", command);
}

int main(void)
{
	int dev = dev_ready(4096, 2);
	struct tl_error error;
	uint32_t first, beside;
	uint64_t address;

	shell("insmod target.ko");
	address = symbol("target_call");
	first = dev_add(dev, TL_BACKEND_KPROBE, address, prog_di, 2);
	beside = dev_add(dev, TL_BACKEND_KPROBE, address, prog_di, 2);
	dev_enable(dev, first);
	dev_start(dev);
	shell(CALL);

	tap_case("armed, then gone: counters stay");
	CHECK_EQ(dev_stats(dev, first).state, TL_EVENT_ARMED);
	shell("rmmod target");
	CHECK_EQ(dev_stats(dev, first).state, TL_EVENT_GONE);
	CHECK_EQ(dev_stats(dev, first).recorded, 1);

	tap_case("what is gone cannot be armed");
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, &beside, 1, &error),
		 -ESTALE);
	CHECK_EQ(error.code, TL_ERR_PLACE_GONE);

	tap_case("the module is back: a new event is hit, an old one is not");
	shell("insmod target.ko");
	address = symbol("target_call");
	beside = dev_add(dev, TL_BACKEND_KPROBE, address, prog_di, 2);
	dev_enable(dev, beside);
	shell(CALL);
	CHECK_EQ(dev_stats(dev, beside).recorded, 1);
	CHECK_EQ(dev_stats(dev, beside).state, TL_EVENT_ARMED);
	CHECK_EQ(dev_stats(dev, first).recorded, 1);

	tap_case("what was gone stays so when it is disarmed, whatever is there now");
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_DISABLE, &first, 1, NULL), 0);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, &first, 1, &error), -ESTALE);
	CHECK_EQ(error.code, TL_ERR_PLACE_GONE);
	CHECK_EQ(dev_stats(dev, first).recorded, 1);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_REMOVE, &first, 1, NULL), 0);

	close(dev);
	shell("rmmod target");
	return tap_done();
}
