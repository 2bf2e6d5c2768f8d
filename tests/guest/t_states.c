// SPDX-License-Identifier: GPL-2.0-only
/* A session is set up once, started once and stopped once, in this order. */
#include "tl.h"

static uint64_t probed;
static const uint32_t first, third = 2;

static int try_add(int dev, struct tl_event_add *add)
{
	return dev_try_add(dev, TL_BACKEND_KPROBE, probed, 0, prog_di, 2, add);
}

static uint32_t session_reason(int dev, uint32_t command, int want)
{
	struct tl_session_ctl ctl = { .size = sizeof(ctl), .command = command };

	CHECK_EQ(dev_ioctl(dev, TL_SESSION_CTL, &ctl), want);
	return ctl.error.code;
}

static uint32_t setup_reason(int dev, int want)
{
	struct tl_session_setup setup = { .size = sizeof(setup),
					  .packet_bytes = 4096,
					  .packet_count = 2 };

	CHECK_EQ(dev_ioctl(dev, TL_SESSION_SETUP, &setup), want);
	return setup.error.code;
}

static void before_setup(int dev)
{
	struct tl_event_add add;
	struct tl_ring_open open;
	struct tl_error error;

	tap_case("before the setup there is nothing to add, arm, start or read");
	CHECK_EQ(try_add(dev, &add), -EBUSY);
	CHECK_EQ(add.error.code, TL_ERR_STATE);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, &first, 1, &error), -EBUSY);
	CHECK_EQ(error.code, TL_ERR_STATE);
	CHECK_EQ(session_reason(dev, TL_SESSION_START, -EBUSY), TL_ERR_STATE);
	CHECK_EQ(session_reason(dev, TL_SESSION_STOP, -EBUSY), TL_ERR_STATE);
	CHECK_EQ(session_reason(dev, TL_SESSION_FLUSH, -EBUSY), TL_ERR_STATE);
	CHECK_EQ(ring_try_open(dev, 0, &open), -EBUSY);
	CHECK_EQ(open.error.code, TL_ERR_STATE);
}

static void after_setup(int dev)
{
	struct tl_event_add add;

	tap_case("after the setup there is no second one, and no stop");
	CHECK_EQ(setup_reason(dev, 0), TL_ERR_NONE);
	CHECK_EQ(setup_reason(dev, -EBUSY), TL_ERR_STATE);
	CHECK_EQ(session_reason(dev, TL_SESSION_STOP, -EBUSY), TL_ERR_STATE);
	CHECK_EQ(session_reason(dev, TL_SESSION_FLUSH, 0), TL_ERR_NONE);
	CHECK_EQ(try_add(dev, &add), 0);
	CHECK_EQ(add.id, 0);
	dev_enable(dev, 0);
}

static void while_running(int dev)
{
	struct tl_event_add add;

	tap_case("started once; events can be added and armed while it runs");
	CHECK_EQ(session_reason(dev, TL_SESSION_START, 0), TL_ERR_NONE);
	CHECK_EQ(session_reason(dev, TL_SESSION_START, -EBUSY), TL_ERR_STATE);
	CHECK_EQ(setup_reason(dev, -EBUSY), TL_ERR_STATE);
	CHECK_EQ(try_add(dev, &add), 0);
	CHECK_EQ(add.id, 1);
	dev_enable(dev, 1);
	getppid();
	CHECK_EQ(dev_stats(dev, 0).recorded, 1);
	CHECK_EQ(dev_stats(dev, 1).recorded, 1);
}

static void twice(int dev)
{
	tap_case("to arm what is armed, and disarm what is not, is no error");
	dev_enable(dev, 1);
	CHECK_EQ(kprobes_count(), 1);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_DISABLE, &first, 1, NULL), 0);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_DISABLE, &first, 1, NULL), 0);
	CHECK_EQ(kprobes_count(), 1);
	getppid();
	CHECK_EQ(dev_stats(dev, 0).recorded, 1);
	CHECK_EQ(dev_stats(dev, 1).recorded, 2);
}

static void removed(int dev)
{
	struct tl_event_add add;
	struct tl_error error;

	tap_case("a removed event's number is not used again");
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_REMOVE, &first, 1, NULL), 0);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_REMOVE, &first, 1, &error), -ENOENT);
	CHECK_EQ(error.code, TL_ERR_EVENT_ID);
	CHECK_EQ(try_add(dev, &add), 0);
	CHECK_EQ(add.id, 2);
}

static void stopped(int dev)
{
	struct tl_event_add add;
	struct tl_error error;
	struct tl_stats stats;

	tap_case("stopped once and for all; counters can still be read");
	CHECK_EQ(session_reason(dev, TL_SESSION_STOP, 0), TL_ERR_NONE);
	CHECK_EQ(kprobes_count(), 0);
	CHECK_EQ(session_reason(dev, TL_SESSION_STOP, -EBUSY), TL_ERR_STATE);
	CHECK_EQ(session_reason(dev, TL_SESSION_START, -EBUSY), TL_ERR_STATE);
	CHECK_EQ(setup_reason(dev, -EBUSY), TL_ERR_STATE);
	CHECK_EQ(try_add(dev, &add), -EBUSY);
	CHECK_EQ(add.error.code, TL_ERR_STATE);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, &third, 1, &error), -EBUSY);
	CHECK_EQ(error.code, TL_ERR_STATE);
	CHECK_EQ(kprobes_count(), 0);
	getppid();
	stats = dev_stats_sum(dev);
	CHECK_EQ(stats_hits(&stats), 3);
	CHECK_EQ(dev_stats(dev, 1).state, TL_EVENT_OFF);
}

static void rings_after_stop(int dev)
{
	struct tl_ring_open open;

	tap_case("rings can be opened after the stop");
	CHECK_EQ(ring_try_open(dev, 0, &open), 0);
	close(open.fd);
}

static void two_sessions(void)
{
	int other = dev_open();
	struct tl_error error;
	struct tl_stats stats;

	tap_case("sessions do not see each other");
	CHECK_EQ(setup_reason(other, 0), TL_ERR_NONE);
	CHECK_EQ(dev_event_ctl(other, TL_EVENT_ENABLE, &third, 1, &error),
		 -ENOENT);
	stats = dev_stats_sum(other);
	CHECK_EQ(stats_hits(&stats), 0);
	close(other);
}

int main(void)
{
	int dev = dev_open();

	probed = symbol("__x64_sys_getppid");
	before_setup(dev);
	after_setup(dev);
	while_running(dev);
	twice(dev);
	removed(dev);
	stopped(dev);
	rings_after_stop(dev);
	two_sessions();
	close(dev);
	return tap_done();
}
