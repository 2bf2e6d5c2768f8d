// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two threads on two CPUs: two writers with a ring each, and a writer with a
 * reader of its ring. Records of 32 bytes, a counter for a clock.
 *
 * All that was written is accounted for here as well, but the payload is not
 * compared: that would be the slowest part of it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "ring.h"

#define BYTES 32
#define RUN_NS 10000000
#define PATIENCE_NS 10000000000
#define CHUNK 1024
/*
 * A reader in a tight loop would take the slot's cache line away from the
 * writer, whose commits are in it. A real one sleeps; this one looks rarely.
 */
#define LOOK_NS 2000

/**
 * struct pair_thread - a writer on a CPU of its own
 * @thread: the thread
 * @bench: its ring
 * @cpu: index of its CPU
 * @start: everybody is ready
 * @stop: set to end it; NULL: it ends by itself, and is its own reader
 * @offered: records that it has tried to write
 * @recorded: those that the ring has taken
 * @read: those that it has found in packets
 * @per_second: records per second
 */
struct pair_thread {
	pthread_t thread;
	struct bench *bench;
	u32 cpu;
	pthread_barrier_t *start;
	bool *stop;
	u64 offered;
	u64 recorded;
	u64 read;
	double per_second;
};

static u64 write_some(struct bench *bench, u64 first, u64 count)
{
	const struct bench_way *way = &bench_ways_counter[BENCH_RING];

	return way->write[bench_size_index(BYTES)](bench, first, count);
}

static void start(struct bench *bench, bool overwrite)
{
	bench_start(bench, &bench_ways_counter[BENCH_RING], BYTES, overwrite,
		    0);
}

static u64 drain(struct bench *bench)
{
	struct tl_packet_view view;
	u64 records = 0;

	while (!tl_ring_take(&bench->ring, &bench->reader, &view)) {
		const struct tl_packet_header *header = (const void *)
			tl_ring_buffer(&bench->ring, view.buffer);

		records += (header->content_bits / 8 - sizeof(*header)) / BYTES;
	}
	return records;
}

/* Write, and drain before it is full: nothing may be lost. */
static void *scale_thread(void *arg)
{
	struct pair_thread *self = arg;
	u64 chunk = bench_packet_records(self->bench) << (BENCH_COUNT_SHIFT - 1);
	u64 start_ns, took_ns;

	if (!bench_pin(self->cpu))
		bench_die("a CPU has gone");
	pthread_barrier_wait(self->start);
	start_ns = bench_now_ns();
	do {
		self->recorded += write_some(self->bench, self->offered, chunk);
		self->offered += chunk;
		self->read += drain(self->bench);
		took_ns = bench_now_ns() - start_ns;
	} while (took_ns < RUN_NS);
	self->per_second = (double)self->recorded * 1e9 / (double)took_ns;
	tl_ring_flush(&self->bench->ring);
	self->read += drain(self->bench);
	if (self->recorded != self->offered || self->read != self->offered)
		bench_die("of %llu records %llu were recorded, %llu read",
			  (unsigned long long)self->offered,
			  (unsigned long long)self->recorded,
			  (unsigned long long)self->read);
	return NULL;
}

static void launch(struct pair_thread *thread, void *(*function)(void *))
{
	if (pthread_create(&thread->thread, NULL, function, thread))
		bench_die("no thread");
}

/* Records per second of writers on the first @count CPUs, in all. */
static double scale_once(struct bench *const *bench, u32 count)
{
	struct pair_thread thread[2] = {};
	pthread_barrier_t barrier;
	double sum = 0;
	u32 i;

	pthread_barrier_init(&barrier, NULL, count);
	for (i = 0; i < count; i++) {
		start(bench[i], false);
		thread[i].bench = bench[i];
		thread[i].cpu = i;
		thread[i].start = &barrier;
		launch(&thread[i], scale_thread);
	}
	for (i = 0; i < count; i++) {
		pthread_join(thread[i].thread, NULL);
		sum += thread[i].per_second;
	}
	pthread_barrier_destroy(&barrier);
	return sum;
}

/* One writer and two, in turn: millions of records per second. */
void bench_scale(u32 rounds)
{
	struct bench *const bench[2] = { bench_make(), bench_make() };
	double *rate = calloc((size_t)3 * rounds, sizeof(*rate));
	double *one = rate, *two = rate + rounds, *ratio = two + rounds;
	u32 i;

	if (!rate)
		bench_die("no memory");
	if (!bench_pin(1))
		rounds = 0;
	bench_pin(0);
	for (i = 0; i < rounds; i++) {
		one[i] = scale_once(bench, 1) / 1e6;
		two[i] = scale_once(bench, 2) / 1e6;
		ratio[i] = two[i] / one[i];
	}
	bench_sort(one, rounds);
	bench_sort(two, rounds);
	bench_sort(ratio, rounds);
	if (rounds) {
		printf("scale one %u %.1f %.1f\n", BYTES, one[rounds / 2],
		       one[rounds - 1]);
		printf("scale two %u %.1f %.1f\n", BYTES, two[rounds / 2],
		       two[rounds - 1]);
		printf("ratio two/one %u %.2f\n", BYTES, ratio[rounds / 2]);
	} else {
		puts("scale skipped - one CPU");
	}
	free(rate);
	bench_free(bench[0]);
	bench_free(bench[1]);
}

/* Write until told to stop, whether there is room or not. */
static void *writer_thread(void *arg)
{
	struct pair_thread *self = arg;

	if (!bench_pin(self->cpu))
		bench_die("a CPU has gone");
	pthread_barrier_wait(self->start);
	while (!__atomic_load_n(self->stop, __ATOMIC_RELAXED)) {
		self->recorded += write_some(self->bench, self->offered, CHUNK);
		self->offered += CHUNK;
	}
	tl_ring_flush(&self->bench->ring);
	return NULL;
}

/**
 * struct reader_run - what a reader has done
 * @packets: taken
 * @records: found in them
 * @skipped: packets that were overwritten before
 * @busy_ns: time for taking and walking, waiting not included
 * @took_ns: time in all
 */
struct reader_run {
	u64 packets;
	u64 records;
	u64 skipped;
	u64 busy_ns;
	u64 took_ns;
};

static bool read_packet(struct bench *bench, struct reader_run *run)
{
	u64 start_ns = bench_now_ns();
	struct tl_packet_view view;

	if (tl_ring_take(&bench->ring, &bench->reader, &view))
		return false;
	run->records += bench_walk_headers(bench, &view);
	run->skipped += view.skipped;
	run->packets++;
	run->busy_ns += bench_now_ns() - start_ns;
	return true;
}

static void read_for_a_while(struct bench *bench, struct reader_run *run)
{
	u64 start_ns = bench_now_ns(), now_ns = start_ns;

	/* on a busy machine the writer may get no turn for a while */
	while (now_ns - start_ns < RUN_NS || !run->packets) {
		u64 look_ns = now_ns + LOOK_NS;

		if (now_ns - start_ns > PATIENCE_NS)
			bench_die("the reader has got no packet");
		while (!read_packet(bench, run) && now_ns < look_ns)
			while ((now_ns = bench_now_ns()) < look_ns)
				;
		now_ns = bench_now_ns();
	}
	run->took_ns = now_ns - start_ns;
}

/* One run; the rest is read afterwards, and the books must balance. */
static struct reader_run reader_once(struct bench *bench, bool overwrite,
				     double *lost_share)
{
	pthread_barrier_t barrier;
	bool stop = false;
	struct pair_thread writer = {
		.bench = bench,
		.cpu = 1,
		.start = &barrier,
		.stop = &stop,
	};
	struct reader_run run = {}, rest;
	u64 gone, lost;

	start(bench, overwrite);
	pthread_barrier_init(&barrier, NULL, 2);
	launch(&writer, writer_thread);
	pthread_barrier_wait(&barrier);
	read_for_a_while(bench, &run);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(writer.thread, NULL);
	pthread_barrier_destroy(&barrier);
	rest = run;
	while (read_packet(bench, &rest))
		;
	gone = rest.skipped * bench_packet_records(bench);
	lost = bench->ring.lost;
	if (writer.recorded != rest.records + gone ||
	    writer.offered != writer.recorded + lost)
		bench_die("%llu offered, %llu recorded, %llu read, %llu overwritten, %llu lost",
			  (unsigned long long)writer.offered,
			  (unsigned long long)writer.recorded,
			  (unsigned long long)rest.records,
			  (unsigned long long)gone, (unsigned long long)lost);
	*lost_share = (double)(gone + lost) / (double)writer.offered;
	return run;
}

/* Medians: packets and MB per second, ns per packet, per cent lost. */
void bench_reader(bool overwrite, u32 rounds)
{
	struct bench *bench = bench_make();
	double *values = calloc((size_t)3 * rounds, sizeof(*values));
	double *rate = values, *ns = rate + rounds, *lost = ns + rounds;
	u32 middle = rounds / 2;
	u32 i;
	bool two_cpus = bench_pin(1);

	if (!values)
		bench_die("no memory");
	bench_pin(0);
	for (i = 0; i < rounds && two_cpus; i++) {
		struct reader_run run = reader_once(bench, overwrite, &lost[i]);

		rate[i] = (double)run.packets * 1e9 / (double)run.took_ns;
		ns[i] = (double)run.busy_ns / (double)run.packets;
	}
	bench_sort(rate, rounds);
	bench_sort(ns, rounds);
	bench_sort(lost, rounds);
	if (two_cpus)
		printf("reader %s %u %.0f %.0f %.0f %.1f\n",
		       overwrite ? "overwrite" : "discard", BYTES, rate[middle],
		       rate[middle] * (1 << BENCH_PACKET_SHIFT) / 1e6,
		       ns[middle], 100 * lost[middle]);
	else
		puts("reader skipped - one CPU");
	free(values);
	bench_free(bench);
}
