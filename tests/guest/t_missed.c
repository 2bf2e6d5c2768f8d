// SPDX-License-Identifier: GPL-2.0-only
/*
 * Return probes need an instance per call that is under way: calls without one
 * are missed, and counted. Five tasks sleep at once.
 */
#define _GNU_SOURCE
#include <sys/wait.h>
#include <time.h>

#include "tl.h"

#define SLEEPERS 5

/* All of them are in do_nanosleep() together, since each sleeps for long. */
static void sleep_together(void)
{
	const struct timespec time = { .tv_nsec = 500 * 1000 * 1000 };
	unsigned int i;

	for (i = 0; i < SLEEPERS; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid) {
			nanosleep(&time, NULL);
			_exit(0);
		}
	}
	for (i = 0; i < SLEEPERS; i++)
		wait(NULL);
}

/* What the module takes where nobody says: eight for each possible CPU. */
static unsigned int default_instances(void)
{
	FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
	unsigned int first = 0, last = 0, instances;
	int found = file ? fscanf(file, "%u-%u", &first, &last) : 0;

	if (found < 1 || first)
		die("possible CPUs");
	fclose(file);
	instances = 8 * (found > 1 ? last + 1 : 1);
	return instances < 128 ? 128 : instances;
}

static void test(uint32_t maxactive, unsigned int recorded, unsigned int missed)
{
	static const struct tl_insn insns[] = {
		{ TL_OP_RETVAL, 0, 0 },
		{ TL_OP_PUT, 4, 0 },
		{ TL_OP_END, 0, 0 },
	};
	int dev = dev_ready(0, 0);
	struct tl_event_add add;
	struct tl_stats stats;

	if (dev_try_add(dev, TL_BACKEND_KRETPROBE, symbol("do_nanosleep"),
			maxactive, insns, ARRAY_SIZE(insns), &add))
		die("add: reason %u", add.error.code);
	CHECK_EQ(add.instances, maxactive ? maxactive : default_instances());
	dev_enable(dev, add.id);
	dev_start(dev);
	sleep_together();
	stats = dev_stats(dev, add.id);
	CHECK_EQ(stats.recorded, recorded);
	CHECK_EQ(stats.nmissed, missed);
	CHECK_EQ(stats_hits(&stats), recorded);

	/* counted over several armings, and kept */
	if (dev_event_ctl(dev, TL_EVENT_DISABLE, &add.id, 1, NULL))
		die("disable");
	CHECK_EQ(dev_stats(dev, add.id).nmissed, missed);
	dev_enable(dev, add.id);
	CHECK_EQ(dev_stats(dev, add.id).nmissed, missed);
	dev_stop(dev);
	CHECK_EQ(dev_stats(dev, add.id).nmissed, missed);
	CHECK_EQ(dev_stats_sum(dev).nmissed, missed);
	close(dev);
}

int main(void)
{
	tap_case("two instances for five sleepers: two recorded, three missed");
	test(2, 2, 3);
	tap_case("instances as the kernel chooses: five recorded, none missed");
	test(0, 5, 0);
	tap_case("one instance: one recorded, four missed");
	test(1, 1, 4);
	return tap_done();
}
