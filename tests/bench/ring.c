// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a record costs in the packet ring, on a real processor.
 *
 * The module's own core/ring.[ch] are compiled as a program, and used in the
 * steps of module/hit.c. Beside them run two loops that store the same records
 * into the same memory with less: "bare" reserves and commits with one
 * CPU-local exchange and one CPU-local add, "copy" only stores. What the ring
 * costs more than "bare" is the price of packets, times and a reader.
 *
 * How it is measured:
 *
 * A batch is as many records as the 16 packets of the ring hold. Each starts
 * with an empty ring, and ends with a flush: so 16 packets are opened, closed
 * and delivered in it, nothing is lost or overwritten, and afterwards each
 * record can be looked for and compared. One that is not there ends the run.
 * The mode is discard, the module's default; no take is in the time.
 *
 * Nanoseconds are worth little alone: clocks of processors change, and others
 * use the machine. So all loops run in turn, round after round, a batch each
 * (and one before it, not timed, so that caches and predictors know the loop
 * already). What disturbs one disturbs the others. The median of the rounds is
 * what one may expect; the least is what the code costs undisturbed. A ratio is
 * that of two loops which ran one after the other in the same round, and the
 * median of those: of two leasts, one may be of a faster hour than the other.
 *
 * Prints a line for each result: what, name, bytes, median, least. ring_run
 * makes a table of them.
 */
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "ring.h"

#define READS 20000

/* The loops, in the order in which they run. */
static const struct {
	const char *name;
	const struct bench_way *way;
} cases[] = {
	{ "copy", &bench_ways_counter[BENCH_COPY] },
	{ "bare", &bench_ways_counter[BENCH_BARE] },
	{ "ring", &bench_ways_counter[BENCH_RING] },
	{ "general", &bench_ways_counter[BENCH_GENERAL] },
	{ "extended", &bench_ways_counter[BENCH_EXTENDED] },
	{ "ring-clock", &bench_ways_clock[BENCH_RING] },
	{ "general-clock", &bench_ways_clock[BENCH_GENERAL] },
	{ "extended-clock", &bench_ways_clock[BENCH_EXTENDED] },
};
enum { CASE_BARE = 1, CASE_RING = 2, CASES = sizeof(cases) / sizeof(cases[0]) };

void bench_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("ring benchmark: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

u64 bench_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

bool bench_pin(u32 index)
{
	static cpu_set_t may;
	static bool asked;
	cpu_set_t one;
	int cpu;

	/* once: afterwards this is what we have made it */
	if (!asked && sched_getaffinity(0, sizeof(may), &may))
		bench_die("cannot tell the CPUs");
	asked = true;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &may) || index--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one))
			bench_die("cannot run on CPU %d", cpu);
		return true;
	}
	return false;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void bench_sort(double *values, u32 count)
{
	qsort(values, count, sizeof(*values), by_value);
}

/*
 * One batch: ns per record. Whoever is kept from running for so long that a
 * short header cannot tell the gap writes an extended one, which has no room
 * in a batch: it is repeated.
 */
static double batch(struct bench *bench, const struct bench_way *way, u32 size,
		    u64 salt)
{
	u64 count, recorded, start_ns, took_ns;

	do {
		bench_start(bench, way, bench_bytes[size], false, salt);
		count = bench_packet_records(bench) << BENCH_COUNT_SHIFT;
		start_ns = bench_now_ns();
		recorded = way->write[size](bench, salt, count);
		if (way->in_ring)
			tl_ring_flush(&bench->ring);
		took_ns = bench_now_ns() - start_ns;
	} while (tl_gap_needs_extended(took_ns));
	if (recorded != count)
		bench_die("%s: %llu of %llu records", way->name,
			  (unsigned long long)recorded,
			  (unsigned long long)count);
	bench_check(bench, way, salt, count);
	return (double)took_ns / (double)count;
}

/* All loops with records of one size. */
static void measure_writers(struct bench *bench, u32 size, u32 rounds)
{
	double *ns = calloc((size_t)(CASES + 1) * rounds, sizeof(*ns));
	double *ratio = ns + (size_t)CASES * rounds;
	static u64 salt;
	u32 round, i;

	if (!ns)
		bench_die("no memory");
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < CASES; i++) {
			batch(bench, cases[i].way, size, salt += 1001);
			ns[i * rounds + round] =
				batch(bench, cases[i].way, size, salt += 1001);
		}
		ratio[round] = ns[CASE_RING * rounds + round] /
			       ns[CASE_BARE * rounds + round];
	}
	bench_sort(ratio, rounds);
	for (i = 0; i < CASES; i++) {
		double *of = ns + (size_t)i * rounds;

		bench_sort(of, rounds);
		printf("write %s %u %.2f %.2f\n", cases[i].name,
		       bench_bytes[size], of[rounds / 2], of[0]);
	}
	printf("ratio ring/bare %u %.2f\n", bench_bytes[size],
	       ratio[rounds / 2]);
	free(ns);
}

static u64 read_clock(void)
{
	return bench_now_ns();
}

#ifdef __x86_64__
static u64 read_counter(void)
{
	return __rdtsc();
}
#endif

/* What it takes to read a clock and do nothing else. */
static void measure_clock(const char *name, u64 (*read)(void), u32 rounds)
{
	double *ns = calloc(rounds, sizeof(*ns));
	u32 round, i;
	u64 last = 0;

	if (!ns)
		bench_die("no memory");
	for (round = 0; round < rounds; round++) {
		u64 start_ns = bench_now_ns();

		for (i = 0; i < READS; i++) {
			u64 now = read();

			if (now < last)
				bench_die("%s goes back", name);
			last = now;
		}
		ns[round] = (double)(bench_now_ns() - start_ns) / READS;
	}
	bench_sort(ns, rounds);
	printf("clock %s - %.2f %.2f\n", name, ns[rounds / 2], ns[0]);
	free(ns);
}

int main(int argc, char **argv)
{
	u32 rounds = argc == 2 ? (u32)strtoul(argv[1], NULL, 10) : 0;
	struct bench *bench = bench_make();
	u32 size;

	if (!rounds) {
		fputs("usage: ring ROUNDS\n", stderr);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	bench_pin(0);
	for (size = 0; size < BENCH_SIZES; size++)
		measure_writers(bench, size, rounds);
	bench_free(bench);
	measure_clock("clock_gettime", read_clock, rounds);
#ifdef __x86_64__
	measure_clock("rdtsc", read_counter, rounds);
#endif
	bench_scale(rounds);
	bench_reader(false, rounds);
	bench_reader(true, rounds);
	return 0;
}
