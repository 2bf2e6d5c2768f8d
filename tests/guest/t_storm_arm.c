// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on busy functions are armed and disarmed, over and over, while reads and
 * forks go on: nothing breaks, and all that was counted can be read.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tl.h"

#define ROUNDS 15

static pid_t spawn(const char *program, char *const *argv)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		setpriority(PRIO_PROCESS, 0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execvp(program, argv);
		die("%s", program);
	}
	return pid;
}

/* Arms, disarms, and sees that no hit comes after that. */
static bool one_round(int dev, const uint32_t *ids, uint32_t count, bool is_slow)
{
	struct tl_stats stats, sum;

	if (!CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, ids, count, NULL), 0))
		return false;
	if (is_slow)
		sleep_ms(10);
	if (!CHECK_EQ(dev_event_ctl(dev, TL_EVENT_DISABLE, ids, count, NULL), 0))
		return false;
	/* when disarming is over, so are the hits */
	sum = dev_stats_sum(dev);
	if (is_slow) {
		CHECK_EQ(kprobes_count(), 0);
		sleep_ms(5);
	}
	stats = dev_stats_sum(dev);
	return CHECK_EQ(stats_hits(&stats), stats_hits(&sum));
}

static void end_loads(const pid_t *loads)
{
	int status, i;

	tap_case("the loads run on undisturbed");
	for (i = 0; i < 2; i++) {
		CHECK(waitpid(loads[i], &status, WNOHANG) == 0);
		kill(loads[i], SIGKILL);
		waitpid(loads[i], &status, 0);
	}
}

static void check_records(int dev, struct rings *rings, const uint32_t *ids,
			  uint32_t count)
{
	struct tl_stats stats;
	uint32_t i;

	tap_case("all that was recorded can be read, all events were hit");
	dev_stop(dev);
	CHECK(rings_drain(rings));
	CHECK_EQ(rings->errors, 0);
	for (i = 0; i < count; i++) {
		stats = dev_stats(dev, ids[i]);
		CHECK_EQ(rings->records[ids[i]], stats.recorded);
		CHECK(stats_hits(&stats) > 0);
	}
}

int main(void)
{
	char *const dd[] = { "dd", "if=/dev/zero", "of=/dev/null", "bs=1", NULL };
	char *const load[] = { "workload", "load", "0", NULL };
	static const char *const places[] = {
		"vfs_read", "vfs_write", "__x64_sys_getppid", "kernel_clone",
	};
	static struct rings rings;
	uint32_t ids[2 * ARRAY_SIZE(places)], count = 0, i, round;
	int dev = dev_ready(4096, 4);
	uint64_t begin_ms;
	pid_t loads[2];

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		ids[count++] = dev_add(dev, TL_BACKEND_KPROBE,
				       symbol(places[i]), prog_di, 2);
		ids[count++] = dev_add(dev, TL_BACKEND_KRETPROBE,
				       symbol(places[i]), prog_di, 2);
	}
	for (i = 0; i < count; i++)
		rings.payload_bytes[i] = 8;
	rings_open(dev, &rings);
	dev_start(dev);
	/* ahead of the loads, which have the CPU while this one waits */
	if (setpriority(PRIO_PROCESS, 0, -20))
		die("setpriority");
	loads[0] = spawn("dd", dd);
	loads[1] = spawn("./workload", load);

	tap_case("arming and disarming under load, at least %u rounds", scaled(ROUNDS));
	begin_ms = now_ms();
	for (round = 0; has_more_rounds(round, ROUNDS, begin_ms); round++) {
		if (!one_round(dev, ids, count, round % 10 == 0))
			break;
		rings_drain(&rings);
	}
	tap_note("%u rounds in %llu ms", round,
		 (unsigned long long)(now_ms() - begin_ms));
	end_loads(loads);
	check_records(dev, &rings, ids, count);
	rings_close(&rings);
	close(dev);
	return tap_done();
}
