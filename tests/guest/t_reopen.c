// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader that starts anew, 100 times under load: sessions are opened, mapped
 * and closed, and each begins at 0 whatever the one before has counted.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tl.h"

#define ROUNDS 25

static uint64_t probed;

static pid_t spawn_load(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		call_getppid(100);
}

static bool begins_at_zero(int dev, const struct rings *rings)
{
	struct tl_stats stats = dev_stats_sum(dev);
	struct tl_ring_get get;
	bool good = CHECK_EQ(stats.hits, 0) && CHECK_EQ(stats.nmissed, 0);
	uint32_t cpu;

	for (cpu = 0; cpu < rings->count; cpu++)
		good &= CHECK_EQ(ring_get(&rings->ring[cpu], &get),
				 TL_RING_EMPTY);
	return good;
}

/* Open, map, record, read, close; the ring's own numbers begin at 0, too. */
static bool one_round(struct rings *rings)
{
	struct tl_stats stats;
	uint32_t id;
	bool good;
	int dev;

	memset(rings, 0, sizeof(*rings));
	dev = dev_ready(4096, 2);
	id = dev_add(dev, TL_BACKEND_KPROBE, probed, prog_di, 2);
	rings->payload_bytes[id] = 8;
	rings_open(dev, rings);
	good = begins_at_zero(dev, rings);
	dev_start(dev);
	dev_enable(dev, id);
	call_getppid(20);
	dev_stop(dev);
	/* numbers of packets, and what was lost, are checked on the way */
	good &= CHECK(rings_drain(rings));
	good &= CHECK_EQ(rings->errors, 0);
	stats = dev_stats(dev, id);
	good &= CHECK(stats.hits >= 20);
	good &= CHECK_EQ(rings->records[id], stats.recorded);
	good &= CHECK_EQ(rings_discarded(rings), stats_lost(&stats));
	rings_close(rings);
	close(dev);
	return good;
}

int main(void)
{
	static struct rings rings;
	unsigned int round;
	pid_t load;

	probed = symbol("__x64_sys_getppid");
	load = spawn_load();
	tap_case("%u times opened, mapped and closed under load", scaled(ROUNDS));
	for (round = 0; round < scaled(ROUNDS); round++)
		if (!one_round(&rings))
			break;
	kill(load, SIGKILL);
	CHECK(waitpid(load, NULL, 0) == load);
	tap_case("and nothing of it is left");
	CHECK_EQ(kprobes_count(), 0);
	CHECK_EQ(module_unload(), 0);
	module_load();
	return tap_done();
}
