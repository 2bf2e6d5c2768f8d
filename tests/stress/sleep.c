// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is a wake-up ever lost? A writer delivers a packet while a reader goes to
 * sleep, again and again, on two processors.
 *
 *	sleep NAME milliseconds lost
 *
 * The writer's side is module/wake.c as it is, the sleeper's is the poll() of
 * module/ring_file.c, cut out of it by tests/stress/run (poll.inc); around them
 * is kernel/linux/. A wake-up is lost for certain, whatever the time, if the
 * writer is through and the sleeper, who has seen nothing, was not woken.
 *
 * Prints a line of TAP without its number. With "lost" as 1 a barrier was taken
 * away, and a wake-up must be lost: it runs until one is, or 30 times as long.
 */
#include <linux/poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ring_cpu.h"
#include "wake.h"

#define PACKET_SHIFT 9
#define COUNT_SHIFT 1
/* Turns of an empty loop: what the writer waits, and how much both vary it. */
#define DELAY_WRITER 500
#define DELAY_RANGE 16
/* Where fewer rounds slept or did not sleep, nothing was tried. */
#define ROUNDS_MIN 1000

static struct tl_ring_cpu *tl_ring_of(struct file *file)
{
	return file->private_data;
}

#include "poll.inc"

static struct tl_ring_cpu rc;
static struct tl_slot slots[1 << COUNT_SHIFT];
static u8 data[((1 << COUNT_SHIFT) + 1) << PACKET_SHIFT] __aligned(4096);

/* Rounds: opened by the sleeper, prepared and finished by the writer. */
static u64 go __aligned(64);
static u64 prepared __aligned(64);
static u64 finished __aligned(64);
static bool stop __aligned(64);

u64 tl_env_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

static u64 random_next(u64 *state)
{
	/* xorshift64 */
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void delay(u64 *random, u32 least)
{
	volatile u32 count =
		least + (u32)(random_next(random) >> 32) % DELAY_RANGE;

	while (count)
		count--;
}

/*
 * The two threads spin, each on a processor of its own: on a busy machine, who
 * yields is away for much longer than a round takes.
 */
static void pin(u32 index)
{
	cpu_set_t may, only;
	int cpu;

	sched_getaffinity(0, sizeof(may), &may);
	CPU_ZERO(&only);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &may) || index--)
			continue;
		CPU_SET(cpu, &only);
		break;
	}
	if (pthread_setaffinity_np(pthread_self(), sizeof(only), &only)) {
		fprintf(stderr, "sleep: two processors are needed\n");
		exit(2);
	}
}

/* Returns false at the end. */
static bool wait_for(const u64 *counter, u64 round)
{
	while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) != round)
		if (READ_ONCE(stop))
			return false;
	return true;
}

static void write_record(void)
{
	struct tl_slice slice;

	if (tl_ring_reserve(&rc.ring, 8, 1, &slice) != TL_RECORDED) {
		fprintf(stderr, "sleep: a record was refused\n");
		exit(2);
	}
	memset(tl_ring_record(&rc.ring, &slice), 0, 16);
	tl_ring_commit(&rc.ring, &slice);
}

static void *writer(void *arg)
{
	u64 random = 0x243f6a8885a308d3ull;
	u64 round;

	(void)arg;
	pin(1);
	for (round = 1;; round++) {
		write_record();
		__atomic_store_n(&prepared, round, __ATOMIC_RELEASE);
		if (!wait_for(&go, round))
			return NULL;
		/*
		 * With the queue in this processor's cache, too, the sleeper's
		 * store takes its time: what D is there for happens sooner.
		 */
		waitqueue_active(&rc.wait);
		delay(&random, DELAY_WRITER);
		tl_ring_flush(&rc.ring);
		__atomic_store_n(&finished, round, __ATOMIC_RELEASE);
	}
}

/* Asleep. Returns false if nobody will ever wake us. */
static bool sleep_in(u64 round)
{
	while (!READ_ONCE(rc.wait.triggered))
		if (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) == round)
			return READ_ONCE(rc.wait.triggered);
	return true;
}

/**
 * struct result - what came of the rounds
 * @rounds: how many
 * @slept: those in which the sleeper saw nothing and slept
 * @lost: those in which it would sleep for ever
 * @least_delay: how long the sleeper waits before it looks, at least. It is
 *	moved so that about half of the rounds sleep: there, both are at it at
 *	the same time.
 */
struct result {
	u64 rounds;
	u64 slept;
	u64 lost;
	u32 least_delay;
};

static void run_round(u64 round, u64 *random, struct result *result)
{
	struct file file = { .private_data = &rc };
	struct tl_packet_view view;
	poll_table table;

	WRITE_ONCE(rc.wait.triggered, 0);
	wait_for(&prepared, round);
	__atomic_store_n(&go, round, __ATOMIC_RELEASE);
	delay(random, result->least_delay);
	if (!tl_ring_file_poll(&file, &table)) {
		result->slept++;
		result->least_delay++;
		result->lost += !sleep_in(round);
	} else if (result->least_delay) {
		result->least_delay--;
	}
	wait_queue_lock(&rc.wait);
	WRITE_ONCE(rc.wait.queued, 0);
	wait_queue_unlock(&rc.wait);
	wait_for(&finished, round);
	if (tl_ring_take(&rc.ring, &rc.reader, &view)) {
		fprintf(stderr, "sleep: no packet\n");
		exit(2);
	}
}

static struct result run_rounds(u64 ms, bool is_planted)
{
	u64 until_ns = tl_env_clock_ns() + ms * 1000000 * (is_planted ? 30 : 1);
	u64 random = 0x452821e638d01377ull;
	struct result result = { .least_delay = DELAY_WRITER };

	while (tl_env_clock_ns() < until_ns && !(is_planted && result.lost))
		run_round(++result.rounds, &random, &result);
	return result;
}

int main(int argc, char **argv)
{
	static const struct tl_ring_identity identity;
	struct result result;
	bool is_planted, ok;
	pthread_t thread;

	if (argc != 4)
		return 2;
	is_planted = atoi(argv[3]);
	rc.ring.geo = tl_geometry(PACKET_SHIFT, COUNT_SHIFT);
	rc.ring.slots = slots;
	rc.ring.data = data;
	rc.config.watermark = 1;
	rc.wake.func = tl_wake_work;
	tl_ring_init(&rc.ring, &rc.reader, &identity);
	if (pthread_create(&thread, NULL, writer, NULL))
		return 2;
	pin(0);
	result = run_rounds((u64)atoi(argv[2]), is_planted);
	WRITE_ONCE(stop, true);
	pthread_join(thread, NULL);
	ok = is_planted ? result.lost :
			  !result.lost && result.slept >= ROUNDS_MIN &&
			  result.rounds - result.slept >= ROUNDS_MIN;
	printf("%s %s\n# %llu rounds, %llu slept, %llu wake-ups lost\n",
	       ok ? "ok" : "not ok", argv[1], (unsigned long long)result.rounds,
	       (unsigned long long)result.slept,
	       (unsigned long long)result.lost);
	return !ok;
}
