// SPDX-License-Identifier: GPL-2.0-only
/* Two sessions with the same probes: both complete, neither sees the other. */
#define _GNU_SOURCE
#include <sys/syscall.h>

#include "tl.h"

#define CALLS 2000

struct side {
	int dev;
	struct rings rings;
	uint64_t values[CALLS];
	uint32_t count;
};

static void keep(const struct record *record, struct rings *rings)
{
	struct side *side = rings->data;

	if (record->id == 0 && side->count < CALLS)
		memcpy(&side->values[side->count++], record->payload, 8);
}

static void open_side(struct side *side)
{
	uint64_t address = symbol("__x64_sys_lseek");
	const uint32_t ids[] = { 0, 1 };

	side->dev = dev_ready(0, 0);
	dev_add(side->dev, TL_BACKEND_KPROBE, address, prog_sys2, 4);
	dev_add(side->dev, TL_BACKEND_KRETPROBE, address, prog_di, 2);
	side->rings.payload_bytes[0] = 8;
	side->rings.payload_bytes[1] = 8;
	side->rings.on_record = keep;
	side->rings.data = side;
	if (dev_event_ctl(side->dev, TL_EVENT_ENABLE, ids, 2, NULL))
		die("enable");
	rings_open(side->dev, &side->rings);
	dev_start(side->dev);
}

static void close_side(struct side *side)
{
	rings_close(&side->rings);
	close(side->dev);
}

int main(void)
{
	static struct side sides[2];
	struct tl_stats stats;
	uint64_t i;
	int side;

	pin(0);
	tap_case("both have every call, in the same order");
	open_side(&sides[0]);
	open_side(&sides[1]);
	for (i = 0; i < CALLS; i++)
		syscall(SYS_lseek, -1, 0xabc000000000 + i, 0);
	for (side = 0; side < 2; side++) {
		dev_stop(sides[side].dev);
		CHECK(rings_drain(&sides[side].rings));
		CHECK_EQ(sides[side].rings.errors, 0);
		CHECK_EQ(sides[side].rings.records[0], CALLS);
		CHECK_EQ(sides[side].rings.records[1], CALLS);
		stats = dev_stats_sum(sides[side].dev);
		CHECK_EQ(stats_hits(&stats), 2 * CALLS);
		for (i = 0; i < CALLS; i++)
			if (!CHECK_EQ(sides[side].values[i],
				      0xabc000000000 + i))
				break;
	}
	close_side(&sides[0]);
	close_side(&sides[1]);

	tap_case("the end of one leaves the other alone");
	memset(sides, 0, sizeof(sides));
	open_side(&sides[0]);
	open_side(&sides[1]);
	syscall(SYS_lseek, -1, 1, 0);
	close_side(&sides[0]);
	syscall(SYS_lseek, -1, 2, 0);
	dev_stop(sides[1].dev);
	CHECK(rings_drain(&sides[1].rings));
	CHECK_EQ(sides[1].count, 2);
	CHECK_EQ(sides[1].values[0], 1);
	CHECK_EQ(sides[1].values[1], 2);
	close_side(&sides[1]);
	CHECK_EQ(kprobes_count(), 0);
	return tap_done();
}
