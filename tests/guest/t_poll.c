// SPDX-License-Identifier: GPL-2.0-only
/* When a reader of a ring is woken, and when it is not. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>

#include "tl.h"

/* records of 16 bytes in a packet of 4096 bytes: a header of 80, an end of 1 */
#define PER_PACKET 250
#define SOON_MS 3000
#define LONG_MS 300

static int dev;
static struct ring ring;

static void start(uint32_t watermark)
{
	struct tl_session_setup setup = { .packet_bytes = 4096,
					  .packet_count = 8,
					  .watermark = watermark };

	dev = dev_open();
	dev_setup(dev, &setup);
	dev_enable(dev, dev_add(dev, TL_BACKEND_KPROBE,
				symbol("__x64_sys_getppid"), prog_di, 2));
	ring_open(dev, 0, &ring);
	dev_start(dev);
}

static void end(void)
{
	ring_close(&ring);
	close(dev);
}

static short poll_now(int timeout_ms)
{
	struct pollfd fd = { .fd = ring.fd, .events = POLLIN };

	return poll(&fd, 1, timeout_ms) > 0 ? fd.revents : 0;
}

/* A thread that sleeps in poll() or read(), and says when it woke up. */
struct sleeper {
	pthread_t thread;
	bool reads;
	volatile uint64_t woken_ms;
	volatile ssize_t result;
};

static void *sleep_in(void *data)
{
	struct sleeper *sleeper = data;
	char bytes[4096];

	if (sleeper->reads)
		sleeper->result = read(ring.fd, bytes, sizeof(bytes));
	else
		sleeper->result = poll_now(-1);
	sleeper->woken_ms = now_ms();
	return NULL;
}

static void sleeper_start(struct sleeper *sleeper, bool reads)
{
	*sleeper = (struct sleeper){ .reads = reads };
	if (pthread_create(&sleeper->thread, NULL, sleep_in, sleeper))
		die("pthread_create");
	sleep_ms(50);
}

static bool sleeper_woke(struct sleeper *sleeper, unsigned int ms)
{
	uint64_t deadline = now_ms() + ms;

	while (!sleeper->woken_ms && now_ms() < deadline)
		sleep_ms(5);
	return sleeper->woken_ms;
}

static void test_watermark(void)
{
	tap_case("readable from the watermark on");
	start(3);
	CHECK_EQ(poll_now(0), 0);
	call_getppid(PER_PACKET);
	/* full for records of this length, but closed only by the next one */
	CHECK_EQ(poll_now(0), 0);
	call_getppid(2 * PER_PACKET);
	CHECK_EQ(poll_now(0), 0);
	call_getppid(1);
	CHECK_EQ(poll_now(0), POLLIN);
	end();
}

static void test_sleeper(bool reads, uint32_t watermark)
{
	struct sleeper sleeper;

	tap_case("%s sleeps until the watermark of %u, and no longer",
		 reads ? "read()" : "poll()", watermark);
	start(watermark);
	sleeper_start(&sleeper, reads);
	call_getppid(watermark * PER_PACKET);
	CHECK(!sleeper_woke(&sleeper, LONG_MS));
	call_getppid(1);
	CHECK(sleeper_woke(&sleeper, SOON_MS));
	if (!sleeper.woken_ms)
		dev_stop(dev);
	pthread_join(sleeper.thread, NULL);
	CHECK_EQ(sleeper.result, reads ? 4096 : POLLIN);
	end();
}

static void test_flush(void)
{
	struct tl_ring_get get;

	tap_case("a flush makes what there is readable");
	start(1);
	call_getppid(5);
	CHECK_EQ(poll_now(0), 0);
	CHECK_EQ(ring_get(&ring, &get), TL_RING_EMPTY);
	dev_flush(dev);
	CHECK_EQ(poll_now(0), POLLIN);
	CHECK_EQ(ring_get(&ring, &get), TL_RING_PACKET);
	CHECK_EQ(get.content_bytes, 80 + 5 * 16);
	CHECK_EQ(get.packet_bytes, 4096);
	CHECK_EQ(poll_now(0), 0);
	/* there is nothing now, and a flush makes no empty packet */
	dev_flush(dev);
	CHECK_EQ(poll_now(0), 0);
	end();
}

static void test_stop(void)
{
	struct tl_ring_get get;
	char byte;

	tap_case("after the stop: readable, then hung up");
	start(7);
	call_getppid(5);
	CHECK_EQ(poll_now(0), 0);
	dev_stop(dev);
	CHECK_EQ(poll_now(0), POLLIN);
	CHECK_EQ(ring_get(&ring, &get), TL_RING_PACKET);
	CHECK_EQ(poll_now(0), POLLHUP);
	CHECK_EQ(ring_get(&ring, &get), TL_RING_END);
	CHECK_EQ(ring_get(&ring, &get), TL_RING_END);
	CHECK_EQ(read(ring.fd, &byte, 1), 0);
	end();

	tap_case("the same when the session's file is closed instead");
	start(7);
	call_getppid(5);
	close(dev);
	dev = -1;
	CHECK_EQ(poll_now(0), POLLIN);
	CHECK_EQ(ring_get(&ring, &get), TL_RING_PACKET);
	CHECK_EQ(get.content_bytes, 80 + 5 * 16);
	CHECK_EQ(poll_now(0), POLLHUP);
	CHECK_EQ(ring_get(&ring, &get), TL_RING_END);
	ring_close(&ring);
}

static void test_stop_wakes(bool reads)
{
	struct sleeper sleeper;

	tap_case("a stop wakes who sleeps in %s with nothing to read",
		 reads ? "read()" : "poll()");
	start(1);
	sleeper_start(&sleeper, reads);
	CHECK(!sleeper_woke(&sleeper, LONG_MS));
	dev_stop(dev);
	CHECK(sleeper_woke(&sleeper, SOON_MS));
	pthread_join(sleeper.thread, NULL);
	CHECK_EQ(sleeper.result, reads ? 0 : POLLHUP);
	end();
}

static void test_nonblocking(void)
{
	char bytes[8192];

	tap_case("O_NONBLOCK: EAGAIN with nothing to read, whatever the watermark");
	start(2);
	if (fcntl(ring.fd, F_SETFL, O_NONBLOCK))
		die("fcntl");
	CHECK(read(ring.fd, bytes, sizeof(bytes)) < 0 && errno == EAGAIN);
	call_getppid(3);
	CHECK(read(ring.fd, bytes, sizeof(bytes)) < 0 && errno == EAGAIN);
	call_getppid(PER_PACKET);
	CHECK_EQ(read(ring.fd, bytes, sizeof(bytes)), 4096);
	CHECK(read(ring.fd, bytes, sizeof(bytes)) < 0 && errno == EAGAIN);
	dev_stop(dev);
	CHECK_EQ(read(ring.fd, bytes, sizeof(bytes)), 4096);
	CHECK_EQ(read(ring.fd, bytes, sizeof(bytes)), 0);
	end();
}

/* What read() has begun is there, whatever the watermark, and after the stop. */
static void test_rest_of_packet(void)
{
	char bytes[4096];

	tap_case("the rest of a packet that read() has begun is readable");
	start(2);
	call_getppid(PER_PACKET + 1);
	CHECK_EQ(poll_now(0), 0);
	CHECK_EQ(read(ring.fd, bytes, 100), 100);
	CHECK_EQ(poll_now(0), POLLIN);
	CHECK_EQ(read(ring.fd, bytes, sizeof(bytes)), 4096 - 100);
	CHECK_EQ(poll_now(0), 0);
	dev_stop(dev);
	CHECK_EQ(read(ring.fd, bytes, 100), 100);
	CHECK_EQ(poll_now(0), POLLIN);
	CHECK_EQ(read(ring.fd, bytes, sizeof(bytes)), 4096 - 100);
	CHECK_EQ(poll_now(0), POLLHUP);
	end();
}

static void test_edge_triggered(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int epoll = epoll_create1(EPOLL_CLOEXEC), round;
	struct tl_ring_get get;

	tap_case("edge-triggered epoll: one event for each batch");
	start(1);
	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, ring.fd, &event))
		die("epoll");
	for (round = 0; round < 10; round++) {
		CHECK_EQ(epoll_wait(epoll, &event, 1, 0), 0);
		call_getppid(PER_PACKET);
		if (!round)
			call_getppid(1);
		CHECK_EQ(epoll_wait(epoll, &event, 1, SOON_MS), 1);
		CHECK_EQ(epoll_wait(epoll, &event, 1, 0), 0);
		while (ring_get(&ring, &get) == TL_RING_PACKET)
			;
	}
	close(epoll);
	end();
}

static void test_busy(void)
{
	struct tl_ring_open open;

	tap_case("one reader: a second file of a ring is refused");
	start(1);
	CHECK_EQ(ring_try_open(dev, 0, &open), -EBUSY);
	CHECK_EQ(open.error.code, TL_ERR_RING_BUSY);
	CHECK_EQ(ring_try_open(dev, 1, &open), 0);
	CHECK(fcntl(open.fd, F_GETFD) == FD_CLOEXEC);
	CHECK((fcntl(open.fd, F_GETFL) & O_ACCMODE) == O_RDONLY);
	CHECK(write(open.fd, "x", 1) < 0);
	close(open.fd);

	tap_case("a file that is opened anew goes on where the last one ended");
	call_getppid(2 * PER_PACKET + 1);
	{
		struct tl_ring_get get;

		CHECK_EQ(ring_get(&ring, &get), TL_RING_PACKET);
		CHECK_EQ(get.sequence, 0);
		ring_close(&ring);
		ring_open(dev, 0, &ring);
		CHECK_EQ(ring_get(&ring, &get), TL_RING_PACKET);
		CHECK_EQ(get.sequence, 1);
		CHECK_EQ(get.skipped, 0);
	}
	end();
}

int main(void)
{
	pin(0);
	test_watermark();
	test_sleeper(false, 1);
	test_sleeper(false, 4);
	test_sleeper(true, 1);
	test_sleeper(true, 2);
	test_flush();
	test_stop();
	test_stop_wakes(false);
	test_stop_wakes(true);
	test_nonblocking();
	test_rest_of_packet();
	test_edge_triggered();
	test_busy();
	return tap_done();
}
