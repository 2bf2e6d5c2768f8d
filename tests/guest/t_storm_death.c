// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session's process is killed at any moment, under load: no probe of it may
 * stay, and the module must be free to go at once.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tl.h"

#define ROUNDS 10

static const char *const places[] = {
	"vfs_read", "vfs_write", "__x64_sys_getppid", "wake_up_process",
};

static uint64_t addresses[ARRAY_SIZE(places)];

/* Everything that a session can be in the middle of, over and over. */
static void session(void)
{
	static struct rings rings;
	uint32_t ids[2 * ARRAY_SIZE(places)];
	uint32_t i, count = 0;
	int dev;

	for (;;) {
		memset(&rings, 0, sizeof(rings));
		count = 0;
		dev = dev_ready(4096, 4);
		for (i = 0; i < ARRAY_SIZE(places); i++) {
			ids[count++] = dev_add(dev, TL_BACKEND_KPROBE,
					       addresses[i], prog_di, 2);
			ids[count++] = dev_add(dev, TL_BACKEND_KRETPROBE,
					       addresses[i], prog_di, 2);
		}
		for (i = 0; i < count; i++)
			rings.payload_bytes[i] = 8;
		rings_open(dev, &rings);
		if (dev_event_ctl(dev, TL_EVENT_ENABLE, ids, count, NULL))
			die("enable");
		dev_start(dev);
		for (i = 0; i < 20; i++) {
			dev_flush(dev);
			rings_drain(&rings);
			sleep_ms(1);
		}
		if (rings.errors)
			die("the stream is damaged");
		rings_close(&rings);
		close(dev);
	}
}

static pid_t spawn(void (*run)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run();
		_exit(0);
	}
	return pid;
}

static void load(void)
{
	execl("./workload", "workload", "load", "0", NULL);
	die("workload");
}

/* Fails the case if the process had already died of something else. */
static void kill_and_wait(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/*
 * A kill before anything was armed proves little. On a slow machine it takes longer
 * until something is: then there are more rounds, with more time.
 */
static bool is_too_early(unsigned int seen, unsigned int *extra)
{
	return seen < scaled(ROUNDS) / 4 && (*extra)++ < 5 * scaled(ROUNDS);
}

int main(void)
{
	unsigned int seed = (unsigned int)getpid(), round, seen = 0, extra = 0;
	uint64_t begin_ms;
	pid_t loads[2];

	for (round = 0; round < ARRAY_SIZE(places); round++)
		addresses[round] = symbol(places[round]);
	loads[0] = spawn(load);
	loads[1] = spawn(load);
	tap_case("killed in %u rounds and more: each time all probes are gone",
		 scaled(ROUNDS));
	tap_note("seed %u", seed);
	begin_ms = now_ms();
	for (round = 0; has_more_rounds(round, ROUNDS, begin_ms) ||
			is_too_early(seen, &extra); round++) {
		pid_t pid = spawn(session);

		sleep_ms(20 + (unsigned int)rand_r(&seed) %
				      (200u << extra / scaled(ROUNDS)));
		seen += kprobes_count() > 0;
		kill_and_wait(pid);
		if (!CHECK_EQ(kprobes_count(), 0))
			break;
	}
	tap_note("%u rounds in %llu ms, armed in %u", round,
		 (unsigned long long)(now_ms() - begin_ms), seen);
	CHECK(seen >= scaled(ROUNDS) / 4);

	tap_case("the module can go and come back under the same load");
	CHECK_EQ(module_unload(), 0);
	module_load();
	CHECK_EQ(module_unload(), 0);
	module_load();
	kill_and_wait(loads[0]);
	kill_and_wait(loads[1]);
	return tap_done();
}
