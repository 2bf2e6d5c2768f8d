// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several events of one session on one place: one probe, and at each hit their
 * records in the order in which the events were made, whatever the order of
 * arming. And more events than the short header has numbers for.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>

#include "tl.h"

#define EVENTS 7
#define CALLS 500

static struct {
	uint32_t expected; /* number of the event that must come next */
	uint32_t events;
	uint64_t last_ns;
	uint64_t wrong_order;
	uint64_t wrong_time;
	uint64_t wrong_value;
	uint64_t call;
} seen;

static void check_order(const struct record *record, struct rings *rings)
{
	uint64_t value;

	(void)rings;
	memcpy(&value, record->payload, 8);
	seen.wrong_order += record->id != seen.expected;
	seen.wrong_time += record->time_ns < seen.last_ns;
	seen.wrong_value += value != seen.call;
	seen.last_ns = record->time_ns;
	seen.expected = record->id + 1;
	if (seen.expected == seen.events) {
		seen.expected = 0;
		seen.call++;
	}
}

static void test(uint32_t events, uint64_t calls, uint32_t step)
{
	static struct rings rings;
	int dev = dev_ready(0, 0);
	uint64_t address = symbol("__x64_sys_lseek"), i;
	struct tl_stats stats;
	uint32_t id = 0;

	memset(&rings, 0, sizeof(rings));
	memset(&seen, 0, sizeof(seen));
	seen.events = events;
	rings.on_record = check_order;
	for (i = 0; i < events; i++) {
		CHECK_EQ(dev_add(dev, TL_BACKEND_KPROBE, address, prog_sys2, 4),
			 i);
		rings.payload_bytes[i] = 8;
	}
	/* arm them in another order: a step that has no common factor */
	for (i = 0; i < events; i++) {
		id = (id + step) % events;
		dev_enable(dev, id);
	}
	CHECK_EQ(kprobes_count(), 1);
	rings_open(dev, &rings);
	pin(1);
	dev_start(dev);
	for (i = 0; i < calls; i++)
		syscall(SYS_lseek, -1, i, 0);
	dev_stop(dev);
	CHECK(rings_drain(&rings));
	CHECK_EQ(rings.errors, 0);
	CHECK_EQ(seen.wrong_order, 0);
	CHECK_EQ(seen.wrong_time, 0);
	CHECK_EQ(seen.wrong_value, 0);
	CHECK_EQ(seen.call, calls);
	stats = dev_stats_sum(dev);
	CHECK_EQ(stats.recorded, calls * events);
	CHECK_EQ(stats_hits(&stats), calls * events);
	rings_close(&rings);
	close(dev);
}

/*
 * What the first event's probe has counted before is not the second one's: it would
 * look as if somebody were still inside.
 */
static void test_entries(void)
{
	const uint64_t address = symbol("__x64_sys_getppid");
	int dev = dev_ready(0, 0);
	struct tl_stats stats;
	uint32_t ids[2], i;

	tap_case("entries of a call are counted from when its event is enabled");
	for (i = 0; i < 2; i++)
		ids[i] = dev_add(dev, TL_BACKEND_KRETPROBE, address, prog_di, 2);
	dev_enable(dev, ids[0]);
	dev_start(dev);
	call_getppid(5);
	dev_enable(dev, ids[1]);
	CHECK_EQ(kprobes_count(), 1);
	call_getppid(3);
	stats = dev_stats(dev, ids[1]);
	CHECK_EQ(stats.hits, 3);
	CHECK_EQ(stats.entries, 3);

	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_DISABLE, &ids[1], 1, NULL), 0);
	call_getppid(10);
	CHECK_EQ(dev_stats(dev, ids[1]).entries, 3);
	dev_enable(dev, ids[1]);
	call_getppid(1);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_DISABLE, ids, 2, NULL), 0);
	dev_enable(dev, ids[0]);
	call_getppid(1);
	dev_stop(dev);
	stats = dev_stats(dev, ids[1]);
	CHECK_EQ(stats.hits, 4);
	CHECK_EQ(stats.entries, 4);
	stats = dev_stats(dev, ids[0]);
	CHECK_EQ(stats.hits, 20);
	CHECK_EQ(stats.entries, 20);
	close(dev);
}

int main(void)
{
	test_entries();
	tap_case("%u events on one place, in the order of making", EVENTS);
	test(EVENTS, CALLS, 3);
	tap_case("1,100 events on one place: the long header and its order");
	test(1100, 5, 7);
	return tap_done();
}
