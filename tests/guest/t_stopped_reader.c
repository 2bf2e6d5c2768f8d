// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader that is stopped by a signal for a while, under load: the traced
 * calls are not held up, and every call is read or counted as lost.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "tl.h"

#define PACKET 4096

/* What the reader has, in memory that both processes see. */
static struct rings *rings;

/* One read of each ring that has something; true while there may be more. */
static bool read_some(struct pollfd *fds)
{
	static unsigned char bytes[PACKET];
	bool more = false;
	uint32_t cpu;

	if (poll(fds, rings->count, -1) < 0)
		die("poll");
	for (cpu = 0; cpu < rings->count; cpu++) {
		if (fds[cpu].revents & POLLIN) {
			ssize_t count = read(fds[cpu].fd, bytes, PACKET);

			if (count < 0)
				die("read");
			rings_packet(rings, cpu, bytes, (size_t)count);
		} else if (fds[cpu].revents) {
			fds[cpu].fd = -1;
		}
		more = more || fds[cpu].fd >= 0;
	}
	return more;
}

static void reader(void)
{
	struct pollfd fds[CPUS_MAX];
	uint32_t cpu;

	for (cpu = 0; cpu < rings->count; cpu++)
		fds[cpu] = (struct pollfd){ .fd = rings->ring[cpu].fd,
					    .events = POLLIN };
	while (read_some(fds))
		;
	_exit(rings->errors ? 1 : 0);
}

int main(void)
{
	unsigned int calls = 0, round;
	struct tl_stats stats;
	int dev, status;
	uint32_t id;
	pid_t pid;

	rings = mmap(NULL, sizeof(*rings), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (rings == MAP_FAILED)
		die("mmap");
	tap_case("a stopped reader: every call is read or counted as lost");
	dev = dev_ready(PACKET, 4);
	id = dev_add(dev, TL_BACKEND_KPROBE, symbol("__x64_sys_getppid"),
		     prog_di, 2);
	dev_enable(dev, id);
	rings->payload_bytes[id] = 8;
	rings_open(dev, rings);
	dev_start(dev);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		reader();
	for (round = 0; round < 4; round++) {
		pin(round % 2);
		call_getppid(2000);
		kill(pid, SIGSTOP);
		waitpid(pid, &status, WUNTRACED);
		call_getppid(5000);
		kill(pid, SIGCONT);
		sleep_ms(50);
		call_getppid(2000);
		calls += 9000;
	}
	/* the reader has caught up: the next packets tell of all losses */
	sleep_ms(300);
	for (round = 0; round < 2; round++) {
		pin(round);
		call_getppid(1);
		calls++;
	}
	dev_stop(dev);
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	stats = dev_stats(dev, id);
	CHECK_EQ(stats_hits(&stats), calls);
	CHECK_EQ(stats.recorded + stats.full, calls);
	CHECK_EQ(rings->records[id], stats.recorded);
	CHECK_EQ(rings_discarded(rings), stats.full);
	CHECK(stats.full > 0);
	/* more than the rings hold: the reader did go on after the stops */
	CHECK(stats.recorded > 2 * 2 * 4 * 250);
	tap_note("%llu recorded, %llu lost",
		 (unsigned long long)stats.recorded,
		 (unsigned long long)stats.full);
	close(dev);
	return tap_done();
}
