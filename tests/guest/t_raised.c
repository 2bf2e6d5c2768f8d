// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel is locked down while sessions are there: at integrity all goes on;
 * at confidentiality nothing is begun any more, with the reason told, and what
 * was begun can be read, looked at and ended. There is no way back, so this has
 * a guest of its own.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>

#include "tl.h"

#define CALLS 10

static uint64_t probed;

static void raise_to(const char *level)
{
	int fd = open("/sys/kernel/security/lockdown", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, level, strlen(level)) < 0)
		die("lockdown: %s", level);
	close(fd);
}

/* A session of all that there is; it must work. */
static void check_begins(void)
{
	int dev = dev_ready(4096, 2);
	uint32_t id = dev_add(dev, TL_BACKEND_KPROBE, probed, prog_di, 2);

	dev_enable(dev, id);
	dev_start(dev);
	call_getppid(CALLS);
	dev_stop(dev);
	CHECK_EQ(dev_stats(dev, id).recorded, CALLS);
	close(dev);
}

static int running_session(void)
{
	int dev = dev_ready(4096, 4);

	dev_enable(dev, dev_add(dev, TL_BACKEND_KPROBE, probed, prog_di, 2));
	/* one that could be armed later */
	dev_add(dev, TL_BACKEND_KPROBE, probed, prog_di, 2);
	dev_start(dev);
	return dev;
}

/* What would make it do more. */
static void check_refuses_more(int dev, int fresh, int ready)
{
	struct tl_session_setup setup = { .size = sizeof(setup) };
	struct tl_session_ctl start = { .size = sizeof(start),
					.command = TL_SESSION_START };
	const uint32_t id = 1;
	struct tl_event_add add;
	struct tl_ring_open ring;
	struct tl_error error;

	CHECK_EQ(dev_ioctl(fresh, TL_SESSION_SETUP, &setup), -EPERM);
	CHECK_EQ(setup.error.code, TL_ERR_LOCKDOWN);
	CHECK_EQ(dev_ioctl(ready, TL_SESSION_CTL, &start), -EPERM);
	CHECK_EQ(start.error.code, TL_ERR_LOCKDOWN);
	CHECK_EQ(dev_try_add(dev, TL_BACKEND_KPROBE, probed, 0, prog_di, 2, &add),
		 -EPERM);
	CHECK_EQ(add.error.code, TL_ERR_LOCKDOWN);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, &id, 1, &error), -EPERM);
	CHECK_EQ(error.code, TL_ERR_LOCKDOWN);
	CHECK_EQ(ring_try_open(dev, 1, &ring), -EPERM);
	CHECK_EQ(ring.error.code, TL_ERR_LOCKDOWN);
}

/* What was begun goes on to its end. */
static void check_goes_on(int dev, struct rings *rings)
{
	struct tl_query query = { .size = sizeof(query) };
	uint64_t before = dev_stats(dev, 0).recorded;
	void *meta;

	CHECK_EQ(dev_ioctl(dev, TL_QUERY, &query), 0);
	call_getppid(CALLS);
	CHECK_EQ(dev_stats(dev, 0).recorded, before + CALLS);
	dev_flush(dev);
	CHECK_EQ(dev_session_ctl(dev, TL_SESSION_SNAPSHOT), 0);
	CHECK_EQ(dev_session_ctl(dev, TL_SESSION_RESUME), 0);
	ring_drain(&rings->ring[0], rings);
	CHECK_EQ(rings->records[0], before + CALLS);
	/* the file is a capability: it can be mapped anew, too */
	meta = mmap(NULL, 4096, PROT_READ, MAP_SHARED, rings->ring[0].fd, 0);
	if (CHECK(meta != MAP_FAILED))
		munmap(meta, 4096);
}

static void check_end(int dev, struct rings *rings)
{
	CHECK_EQ(dev_session_ctl(dev, TL_SESSION_STOP), 0);
	CHECK_EQ(ring_drain(&rings->ring[0], rings), TL_RING_END);
	CHECK_EQ(rings->errors, 0);
	CHECK_EQ(rings->records[0], dev_stats(dev, 0).recorded);
	ring_close(&rings->ring[0]);
	close(dev);
}

int main(void)
{
	static struct rings rings = { .payload_bytes = { 8 } };
	int dev, fresh, ready;

	pin(0);
	probed = symbol("__x64_sys_getppid");
	dev = running_session();
	ring_open(dev, 0, &rings.ring[0]);
	fresh = dev_open();
	ready = dev_ready(4096, 2);
	tap_case("integrity: what runs goes on");
	raise_to("integrity");
	check_goes_on(dev, &rings);
	tap_case("integrity: sessions are begun as before");
	check_begins();

	tap_case("confidentiality: what runs goes on");
	raise_to("confidentiality");
	check_goes_on(dev, &rings);
	tap_case("confidentiality: nothing is begun, and the reason is told");
	check_refuses_more(dev, fresh, ready);
	tap_case("confidentiality: the device is not opened");
	CHECK(open("/dev/trapline", O_RDWR) < 0 && errno == EPERM);
	tap_case("confidentiality: what runs can be ended, and read to the end");
	check_end(dev, &rings);
	close(fresh);
	close(ready);
	tap_case("confidentiality: the module can be unloaded, and not come back");
	CHECK_EQ(module_unload(), 0);
	CHECK_EQ(module_insert(module_path(), ""), -EPERM);
	return tap_done();
}
