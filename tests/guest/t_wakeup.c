// SPDX-License-Identifier: GPL-2.0-only
/*
 * No wake-up is lost: a writer fills exactly as many packets as the watermark
 * and waits until they are read. A reader that sleeps over them stops it all.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>

#include "tl_calls.h"

/* Records of 808 bytes: four of them close to fill a packet, the next ends it. */
#define PER_PACKET 4
#define PUTS 100
#define PACKETS 8
/* at least so long, and so often */
#define RUN_MS 400
#define RUN_ROUNDS 20
#define LOST_MS 5000

static int calls, dev;
/* what is called: CALLS_ENTRY, or CALLS_INT3, whose handler is an NMI's */
static uint32_t place = CALLS_ENTRY;
static struct ring ring;

/* How far both sides are: packets that must have come, and that were taken. */
static uint64_t delivered, taken;
static bool stop;

static void start(uint32_t watermark)
{
	static struct tl_insn insns[PUTS + 1];
	struct tl_session_setup setup = {
		.packet_bytes = 4096,
		.packet_count = PACKETS,
		.watermark = watermark,
	};
	unsigned int i;

	for (i = 0; i < PUTS; i++)
		insns[i] = (struct tl_insn){ TL_OP_PUT_REG, 8, REG_DI };
	insns[PUTS] = (struct tl_insn){ TL_OP_END, 0, 0 };
	dev = dev_open();
	dev_setup(dev, &setup);
	dev_enable(dev, dev_add(dev, TL_BACKEND_KPROBE,
				calls_address(calls, place), insns,
				ARRAY_SIZE(insns)));
	ring_open(dev, 1, &ring);
	dev_start(dev);
	delivered = 0;
	taken = 0;
	stop = false;
}

static void end(void)
{
	ring_close(&ring);
	close(dev);
}

/*
 * Keeps CPU 0 awake, and gives way to whoever wakes up there: an emulated CPU
 * that sleeps takes milliseconds to come back, and the rounds would be few.
 */
static void *keep_awake(void *unused)
{
	const struct sched_param param = { 0 };

	(void)unused;
	pin(0);
	if (sched_setscheduler(0, SCHED_IDLE, &param))
		die("SCHED_IDLE");
	for (;;)
		__asm__ volatile("pause");
	return NULL;
}

static uint64_t load(const uint64_t *at)
{
	return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

/* Some time that is never the same: the reader goes to sleep meanwhile. */
static void dawdle(unsigned int *seed)
{
	volatile unsigned int left = rand_r(seed) % 3000;

	while (left)
		left--;
}

/*
 * So many that @packets wait to be taken, and no more; waits in small steps.
 * (Not as many each time: a reader that has just come from a packet takes the
 * first one of the next batch without sleeping, and sleeps over the others.)
 */
static void *write_batches(void *data)
{
	const uint64_t packets = *(const uint32_t *)data;
	unsigned int seed = 1;
	uint64_t number = 1;

	pin(1);
	/* the first record opens a packet: each next one closes another */
	calls_make(calls, number++, 1, place);
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		uint64_t more = packets - (delivered - load(&taken));

		if (!more) {
			sched_yield();
			continue;
		}
		dawdle(&seed);
		__atomic_store_n(&delivered, delivered + more,
				 __ATOMIC_SEQ_CST);
		calls_make(calls, number, more * PER_PACKET, place);
		number += more * PER_PACKET;
	}
	return NULL;
}

static unsigned int take_all(void)
{
	unsigned int packets = 0;
	struct tl_ring_get get;

	while (ring_get(&ring, &get) == TL_RING_PACKET)
		packets++;
	__atomic_add_fetch(&taken, packets, __ATOMIC_SEQ_CST);
	return packets;
}

static const char *place_name(void)
{
	return place == CALLS_INT3 ? "from NMI context" : "from a task";
}

static void test_epoll(bool is_edge, uint32_t watermark)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	uint64_t until, wakeups = 0, idle = 0;
	pthread_t writer;

	tap_case("%s-triggered epoll, watermark %u, %s: no wake-up is lost",
		 is_edge ? "edge" : "level", watermark, place_name());
	start(watermark);
	if (is_edge)
		event.events |= EPOLLET;
	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, ring.fd, &event))
		die("epoll");
	if (pthread_create(&writer, NULL, write_batches, &watermark))
		die("pthread_create");
	until = now_ms() + scaled(RUN_MS);
	while (now_ms() < until || wakeups < RUN_ROUNDS) {
		if (!CHECK_EQ(epoll_wait(epoll, &event, 1, LOST_MS), 1))
			break;
		wakeups++;
		idle += !take_all();
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(writer, NULL);
	/* none too few, and woken for nothing at most now and then */
	CHECK(taken / watermark + idle + 1 >= wakeups);
	CHECK(idle <= wakeups / 2 + 1);
	tap_note("%llu wake-ups, %llu of them for nothing, %llu packets",
		 (unsigned long long)wakeups, (unsigned long long)idle,
		 (unsigned long long)taken);
	close(epoll);
	end();
}

/* The same with read(), which sleeps by itself. */
static void test_read(uint32_t watermark)
{
	static unsigned char bytes[PACKETS * 4096];
	uint64_t until, reads = 0;
	pthread_t writer;

	tap_case("blocking read(), watermark %u, %s: none is lost", watermark,
		 place_name());
	start(watermark);
	if (pthread_create(&writer, NULL, write_batches, &watermark))
		die("pthread_create");
	until = now_ms() + scaled(RUN_MS);
	/* a lost one would hang: the guard of all tests ends that */
	while (now_ms() < until || reads < RUN_ROUNDS) {
		ssize_t got = read(ring.fd, bytes, sizeof(bytes));

		if (!CHECK(got > 0 && got % 4096 == 0))
			break;
		__atomic_add_fetch(&taken, (uint64_t)got / 4096,
				   __ATOMIC_SEQ_CST);
		reads++;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(writer, NULL);
	tap_note("%llu reads, %llu packets", (unsigned long long)reads,
		 (unsigned long long)taken);
	end();
}

/* A thread that only waits, while another one takes. */
struct watcher {
	pthread_t thread;
	uint64_t seen;
};

static void *watch(void *data)
{
	struct watcher *watcher = data;

	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		/* after the stop: POLLHUP, at once */
		ring_poll(&ring, -1);
		__atomic_add_fetch(&watcher->seen, 1, __ATOMIC_SEQ_CST);
		sched_yield();
	}
	return NULL;
}

/*
 * Two packets come one right after the other, and this thread takes the first
 * one as soon as it is there. The watcher must learn of the second one, however
 * its sleep, the take and the delivery fall together.
 */
static void test_two_threads(void)
{
	struct watcher watcher = { .seen = 0 };
	uint64_t until, rounds = 0, number = 2;
	struct tl_ring_get get;
	pthread_t writer;
	uint32_t packets = 2;

	tap_case("one thread takes, another one is in poll(): it is woken");
	start(1);
	if (pthread_create(&watcher.thread, NULL, watch, &watcher) ||
	    pthread_create(&writer, NULL, write_batches, &packets))
		die("pthread_create");
	until = now_ms() + scaled(RUN_MS);
	while (now_ms() < until || rounds < RUN_ROUNDS) {
		uint64_t seen, deadline = now_ms() + LOST_MS;

		while (ring_get(&ring, &get) != TL_RING_PACKET)
			if (!CHECK(now_ms() < deadline))
				goto out;
		/* there is, or will be, one more that nobody takes */
		seen = load(&watcher.seen);
		while (load(&watcher.seen) == seen)
			if (!CHECK(now_ms() < deadline))
				goto out;
		while (ring_get(&ring, &get) != TL_RING_PACKET)
			if (!CHECK(now_ms() < deadline))
				goto out;
		__atomic_add_fetch(&taken, 2, __ATOMIC_SEQ_CST);
		rounds++;
		number += 2 * PER_PACKET;
	}
out:
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(writer, NULL);
	dev_stop(dev);
	pthread_join(watcher.thread, NULL);
	CHECK(dev_stats_sum(dev).recorded + 2 * PER_PACKET + 1 >= number);
	tap_note("%llu rounds", (unsigned long long)rounds);
	end();
}

/* A slow writer: who waits runs out of time, flushes, and has it all. */
static void test_flush(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	uint64_t number = 1;
	struct tl_ring_get get;
	unsigned int round;

	tap_case("out of time, a flush, and each record so far is there");
	start(PACKETS - 1);
	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, ring.fd, &event))
		die("epoll");
	pin(1);
	for (round = 0; round < scaled(40); round++) {
		unsigned int count = 1 + round % PER_PACKET;

		calls_make(calls, number, count, place);
		number += count;
		CHECK_EQ(epoll_wait(epoll, &event, 1, 5), 0);
		dev_flush(dev);
		/* one packet: below the watermark, but there to be taken */
		CHECK_EQ(epoll_wait(epoll, &event, 1, 0), 0);
		CHECK_EQ(ring_get(&ring, &get), TL_RING_PACKET);
		if (!CHECK_EQ(get.content_bytes,
			      80 + count * (8 + 8 * PUTS)))
			break;
		CHECK_EQ(ring_get(&ring, &get), TL_RING_EMPTY);
	}
	close(epoll);
	end();
}

int main(void)
{
	static const uint32_t watermarks[] = { 1, 2, PACKETS - 1 };
	pthread_t awake;
	size_t i;

	calls = calls_open();
	if (pthread_create(&awake, NULL, keep_awake, NULL))
		die("pthread_create");
	for (i = 0; i < ARRAY_SIZE(watermarks); i++) {
		pin(0);
		test_epoll(true, watermarks[i]);
		test_epoll(false, watermarks[i]);
		test_read(watermarks[i]);
	}
	test_two_threads();
	test_flush();
	place = CALLS_INT3;
	pin(0);
	test_epoll(true, 1);
	test_epoll(false, 1);
	test_read(1);
	calls_close(calls);
	return tap_done();
}
