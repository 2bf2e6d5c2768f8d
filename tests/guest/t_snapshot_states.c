// SPDX-License-Identifier: GPL-2.0-only
/*
 * Snapshots: when they are possible, whom they wake, and what becomes of one
 * whose session ends. Nothing is called here but by the test itself.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tl.h"

#define PER_PACKET 250
#define SOON_MS 3000

static int dev;
static struct ring ring;

static void ready(uint32_t mode, uint32_t watermark)
{
	struct tl_session_setup setup = {
		.mode = mode,
		.packet_bytes = 4096,
		.packet_count = 8,
		.watermark = watermark,
	};

	dev = dev_open();
	dev_setup(dev, &setup);
	dev_enable(dev, dev_add(dev, TL_BACKEND_KPROBE,
				symbol("__x64_sys_getppid"), prog_di, 2));
	ring_open(dev, 0, &ring);
}

static void start(uint32_t mode, uint32_t watermark)
{
	ready(mode, watermark);
	dev_start(dev);
}

static void end(void)
{
	ring_close(&ring);
	close(dev);
}

static int snapshot(void)
{
	return dev_session_ctl(dev, TL_SESSION_SNAPSHOT);
}

static int resume(void)
{
	return dev_session_ctl(dev, TL_SESSION_RESUME);
}

static uint32_t reason_of(uint32_t command)
{
	struct tl_session_ctl ctl = { .size = sizeof(ctl), .command = command };

	CHECK_EQ(dev_ioctl(dev, TL_SESSION_CTL, &ctl), -EBUSY);
	return ctl.error.code;
}

/* Take a packet with this content, and no other. */
static void take_one(unsigned int records)
{
	struct tl_ring_get get;

	CHECK_EQ(ring_get(&ring, &get), TL_RING_PACKET);
	CHECK_EQ(get.content_bytes, 80 + 16 * records);
	CHECK_EQ(get.skipped, 0);
}

static uint32_t state_now(void)
{
	struct tl_ring_get get;

	return ring_get(&ring, &get);
}

static void test_states(void)
{
	struct tl_query query = { .size = sizeof(query) };

	tap_case("snapshots are offered, and refused where there can be none");
	dev = dev_open();
	CHECK_EQ(dev_ioctl(dev, TL_QUERY, &query), 0);
	CHECK(query.features & TL_FEATURE_OVERWRITE);
	CHECK_EQ(reason_of(TL_SESSION_SNAPSHOT), TL_ERR_STATE);
	CHECK_EQ(reason_of(TL_SESSION_RESUME), TL_ERR_STATE);
	close(dev);
	ready(TL_MODE_OVERWRITE, 1);
	CHECK_EQ(reason_of(TL_SESSION_SNAPSHOT), TL_ERR_STATE);
	CHECK_EQ(reason_of(TL_SESSION_RESUME), TL_ERR_STATE);
	dev_start(dev);
	CHECK_EQ(reason_of(TL_SESSION_RESUME), TL_ERR_STATE);
	CHECK_EQ(snapshot(), 0);
	CHECK_EQ(reason_of(TL_SESSION_SNAPSHOT), TL_ERR_STATE);
	CHECK_EQ(resume(), 0);
	CHECK_EQ(reason_of(TL_SESSION_RESUME), TL_ERR_STATE);
	CHECK_EQ(snapshot(), 0);
	dev_flush(dev);
	dev_stop(dev);
	CHECK_EQ(reason_of(TL_SESSION_SNAPSHOT), TL_ERR_STATE);
	CHECK_EQ(reason_of(TL_SESSION_RESUME), TL_ERR_STATE);
	CHECK_EQ(state_now(), TL_RING_END);
	end();
}

/* What comes after the snapshot is not in it, flushed or not. */
static void test_limit(uint32_t mode)
{
	struct tl_ring_get get;
	char bytes[8192];

	tap_case("%s: the snapshot, its end, and what comes after it",
		 mode == TL_MODE_OVERWRITE ? "overwriting" : "discarding");
	start(mode, 1);
	call_getppid(7);
	CHECK_EQ(snapshot(), 0);
	call_getppid(5);
	dev_flush(dev);
	take_one(7);
	CHECK_EQ(state_now(), TL_RING_SNAPSHOT);
	CHECK_EQ(read(ring.fd, bytes, sizeof(bytes)), 0);
	CHECK_EQ(ring_poll(&ring, 0), POLLIN);
	CHECK_EQ(resume(), 0);
	take_one(5);
	CHECK_EQ(state_now(), TL_RING_EMPTY);
	CHECK_EQ(ring_poll(&ring, 0), 0);

	/* with nothing new, the end is at once */
	CHECK_EQ(snapshot(), 0);
	CHECK_EQ(ring_poll(&ring, 0), POLLIN);
	CHECK_EQ(state_now(), TL_RING_SNAPSHOT);
	CHECK_EQ(resume(), 0);

	/* read() ends behind the last whole packet, in the middle of its own */
	call_getppid(3);
	CHECK_EQ(snapshot(), 0);
	call_getppid(4);
	CHECK_EQ(read(ring.fd, bytes, 100), 100);
	CHECK_EQ(read(ring.fd, bytes, sizeof(bytes)), 4096 - 100);
	CHECK_EQ(read(ring.fd, bytes, sizeof(bytes)), 0);
	CHECK_EQ(ring_get(&ring, &get), TL_RING_SNAPSHOT);
	dev_stop(dev);
	take_one(4);
	CHECK_EQ(state_now(), TL_RING_END);
	end();
}

/* Held, a ring that is full loses the new; resumed, the old. */
static void test_full(void)
{
	struct tl_ring_get get;
	struct tl_stats stats;
	unsigned int i;

	tap_case("held: 8 packets stay, the rest is full; resumed: they make way");
	start(TL_MODE_OVERWRITE, 1);
	call_getppid(20 * PER_PACKET);
	CHECK_EQ(snapshot(), 0);
	call_getppid(1000);
	stats = dev_stats_sum(dev);
	CHECK_EQ(stats.recorded, 20 * PER_PACKET);
	CHECK_EQ(stats.full, 1000);
	CHECK_EQ(resume(), 0);
	call_getppid(3 * PER_PACKET);
	stats = dev_stats_sum(dev);
	CHECK_EQ(stats.recorded, 23 * PER_PACKET);
	CHECK_EQ(stats.full, 1000);
	CHECK_EQ(snapshot(), 0);
	for (i = 0; i < 8; i++) {
		const struct tl_packet_header *header;

		CHECK_EQ(ring_get(&ring, &get), TL_RING_PACKET);
		CHECK_EQ(get.skipped, i ? 0 : 15);
		header = (const void *)(ring.map + get.offset);
		CHECK_EQ(header->discarded, i < 5 ? 0 : 1000);
	}
	CHECK_EQ(state_now(), TL_RING_SNAPSHOT);
	end();
}

struct sleeper {
	pthread_t thread;
	bool reads;
	volatile ssize_t result;
	volatile bool is_awake;
};

static void *sleep_in(void *data)
{
	struct sleeper *sleeper = data;
	static char bytes[2 * 4096];

	sleeper->result = sleeper->reads ?
				  read(ring.fd, bytes, sizeof(bytes)) :
				  ring_poll(&ring, -1);
	sleeper->is_awake = true;
	return NULL;
}

/* Fewer packets than the watermark, or none: a snapshot is worth a wake-up. */
static void test_wakes(bool reads, unsigned int records)
{
	struct sleeper sleeper = { .reads = reads };
	uint64_t until;

	tap_case("watermark 4, %u records: a snapshot wakes who sleeps in %s",
		 records, reads ? "read()" : "poll()");
	start(TL_MODE_OVERWRITE, 4);
	if (pthread_create(&sleeper.thread, NULL, sleep_in, &sleeper))
		die("pthread_create");
	call_getppid(records);
	sleep_ms(200);
	CHECK(!sleeper.is_awake);
	CHECK_EQ(snapshot(), 0);
	until = now_ms() + SOON_MS;
	while (!sleeper.is_awake && now_ms() < until)
		sleep_ms(5);
	CHECK(sleeper.is_awake);
	if (!sleeper.is_awake)
		dev_stop(dev);
	pthread_join(sleeper.thread, NULL);
	if (reads)
		CHECK_EQ(sleeper.result, records ? 4096 : 0);
	else
		CHECK_EQ(sleeper.result, POLLIN);
	if (!reads && records)
		take_one(records);
	CHECK_EQ(state_now(), TL_RING_SNAPSHOT);
	CHECK_EQ(resume(), 0);
	/* and the watermark holds again */
	call_getppid(2 * PER_PACKET);
	CHECK_EQ(ring_poll(&ring, 0), 0);
	call_getppid(3 * PER_PACKET);
	CHECK_EQ(ring_poll(&ring, 0), POLLIN);
	end();
}

/* Memory whose first use waits until somebody provides it: nobody does yet. */
static char *slow_page(int *fault_fd)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register area = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*fault_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (page == MAP_FAILED || *fault_fd < 0)
		die("memory with faults of our own");
	area.range.start = (uintptr_t)page;
	area.range.len = 4096;
	if (ioctl(*fault_fd, UFFDIO_API, &api) ||
	    ioctl(*fault_fd, UFFDIO_REGISTER, &area))
		die("faults of our own");
	return page;
}

struct copier {
	pthread_t thread;
	char *page;
	volatile ssize_t result;
	volatile bool is_done;
};

static void *copy_slowly(void *data)
{
	struct copier *copier = data;

	copier->result = read(ring.fd, copier->page, 4096);
	copier->is_done = true;
	return NULL;
}

static void *take_snapshot(void *data)
{
	*(volatile int *)data = snapshot();
	return NULL;
}

/* A reader that hangs in the middle of its copy holds up nobody else. */
static void test_slow_reader(void)
{
	struct copier copier = { .is_done = false };
	volatile int result = 1;
	struct uffd_msg message;
	struct uffdio_zeropage zero = { .range.len = 4096 };
	pthread_t taker;
	int fault_fd, i;

	tap_case("a reader hangs in the middle of its copy: snapshot and resume do not");
	start(TL_MODE_OVERWRITE, 1);
	call_getppid(5);
	dev_flush(dev);
	copier.page = slow_page(&fault_fd);
	if (pthread_create(&copier.thread, NULL, copy_slowly, &copier) ||
	    read(fault_fd, &message, sizeof(message)) != sizeof(message))
		die("no fault of the reader");
	call_getppid(3);
	if (pthread_create(&taker, NULL, take_snapshot, (void *)&result))
		die("pthread_create");
	for (i = 0; i < SOON_MS / 10 && result > 0; i++)
		sleep_ms(10);
	CHECK_EQ(result, 0);
	CHECK(!copier.is_done);
	if (!result)
		CHECK_EQ(resume(), 0);
	/* the reader goes on where it was */
	zero.range.start = (uintptr_t)copier.page;
	if (ioctl(fault_fd, UFFDIO_ZEROPAGE, &zero))
		die("providing the page");
	pthread_join(copier.thread, NULL);
	pthread_join(taker, NULL);
	CHECK_EQ(copier.result, 4096);
	take_one(3);
	close(fault_fd);
	munmap(copier.page, 4096);
	end();
}

static void test_close(void)
{
	tap_case("the session's file is closed in a snapshot: read on, then the end");
	start(TL_MODE_OVERWRITE, 3);
	call_getppid(PER_PACKET + 1);
	CHECK_EQ(snapshot(), 0);
	call_getppid(5);
	close(dev);
	take_one(PER_PACKET);
	take_one(1);
	CHECK_EQ(ring_poll(&ring, 0), POLLIN);
	take_one(5);
	CHECK_EQ(ring_poll(&ring, 0), POLLHUP);
	CHECK_EQ(state_now(), TL_RING_END);
	ring_close(&ring);
}

static void test_death(void)
{
	int status;
	pid_t pid;

	tap_case("a process dies in its snapshot: nothing of it stays");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		start(TL_MODE_OVERWRITE, 1);
		call_getppid(20 * PER_PACKET);
		if (snapshot() || state_now() != TL_RING_PACKET)
			_exit(1);
		raise(SIGKILL);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	CHECK_EQ(kprobes_count(), 0);
	CHECK_EQ(module_unload(), 0);
	module_load();
}

int main(void)
{
	pin(0);
	test_states();
	test_limit(TL_MODE_OVERWRITE);
	test_limit(TL_MODE_DISCARD);
	test_full();
	test_wakes(false, 5);
	test_wakes(true, 5);
	test_wakes(false, 0);
	test_wakes(true, 0);
	test_slow_reader();
	test_close();
	test_death();
	return tap_done();
}
