// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writers that are interrupted by signals, three levels deep, and a reader on
 * another CPU. A signal is to a thread what an interrupt is to a CPU: it comes
 * between any two instructions, and is over before the thread goes on.
 *
 *	storm NAME packet_shift count_shift overwrite rings signals milliseconds
 *
 * Prints a line of TAP without its number. It fails if the books do not
 * balance, and also if what it is for has not happened.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"

#define RINGS_MAX 2
#define SIGNALS (STRESS_LEVELS - 1)
/* On a busy machine: records to be written, and the longer time for it. */
#define TICKETS_MIN 200000
#define PATIENCE_NS 20000000000ull

/* How often each signal comes; no two of them in step. */
static const long interval_ns[SIGNALS] = { 31000, 47000, 73000 };

static struct stress stresses[RINGS_MAX];
static unsigned int rings;
static bool with_signals;
static u64 until_ns;

/* The ring of this thread, for its signal handlers. */
static __thread struct stress *mine;

static u64 monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

static int signal_of(u32 level)
{
	return level == 1 ? SIGUSR1 : SIGRTMIN + (int)level - 2;
}

/* Up to three records; now and then more packets than a small ring has. */
static void on_signal(int number)
{
	u32 level = number == SIGUSR1 ? 1 : (u32)(number - SIGRTMIN) + 2;
	struct stress *stress = mine;
	u64 random = stress_random(&stress->levels[level].random);
	bool is_storm = random % 16 == 0;
	u32 count = is_storm ? 8 : random >> 8 & 3;

	while (count--) {
		stress_write(stress, level);
		if (is_storm)
			stress_flush(stress, level);
	}
	if (random >> 16 & 1)
		stress_flush(stress, level);
}

/* A level may be interrupted by those above it only. */
static void handle_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	u32 level;

	sigemptyset(&action.sa_mask);
	for (level = 1; level < STRESS_LEVELS; level++) {
		sigaddset(&action.sa_mask, signal_of(level));
		sigaction(signal_of(level), &action, NULL);
	}
}

static void start_timers(timer_t *timers)
{
	u32 i;

	for (i = 0; i < SIGNALS; i++) {
		struct itimerspec when = {
			.it_value.tv_nsec = interval_ns[i],
			.it_interval.tv_nsec = interval_ns[i],
		};
		struct sigevent event = {
			.sigev_notify = SIGEV_THREAD_ID,
			.sigev_signo = signal_of(i + 1),
		};

		event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
		if (timer_create(CLOCK_MONOTONIC, &event, &timers[i]) ||
		    timer_settime(timers[i], 0, &when, NULL)) {
			perror("storm: timer");
			exit(2);
		}
	}
}

/* No signal comes after this: what was pending has been handled. */
static void stop_timers(timer_t *timers)
{
	u32 i;

	for (i = 0; i < SIGNALS; i++)
		timer_delete(timers[i]);
	sched_yield();
}

/* Has all that this run is for happened? */
static bool is_complete(const struct stress *stress)
{
	bool is_small = stress->ring.geo.count_shift == 1;
	u32 level;

	if (stress->tickets < TICKETS_MIN)
		return false;
	if (stress->ring.overwrite ? !READ_ONCE(stress->skipped) :
				     !stress_outcomes(stress, TL_FULL))
		return false;
	for (level = 1; with_signals && level < STRESS_LEVELS; level++)
		if (!stress->levels[level].nested)
			return false;
	if (with_signals && is_small && !stress_outcomes(stress, TL_WRAPPED))
		return false;
	return stress_outcomes(stress, TL_TOO_BIG) &&
	       stress->levels[0].extended &&
	       (!with_signals || stress->busy_max >= 3);
}

/* For the time given; and, on a busy machine, until it is complete. */
static bool go_on(const struct stress *stress)
{
	u64 now_ns = monotonic_ns();

	if (tl_pos_seq(stress->ring.geo, stress->ring.pos) >=
		    STRESS_PACKETS_MAX - 4096 ||
	    stress->tickets >= STRESS_TICKETS_MAX - (1 << 20))
		return false;
	return now_ns < until_ns ||
	       (now_ns < until_ns + PATIENCE_NS && !is_complete(stress));
}

/* Give the reader a little time, so that not all is lost in a full ring. */
static void let_read(const struct stress *stress)
{
	u64 next_seq = READ_ONCE(stress->reader.next_seq);
	u64 wait_ns = monotonic_ns() + 20000;

	while (READ_ONCE(stress->reader.next_seq) == next_seq &&
	       monotonic_ns() < wait_ns)
		sched_yield();
}

static void *writer(void *arg)
{
	struct stress *stress = arg;
	timer_t timers[SIGNALS];
	u32 i;

	mine = stress;
	if (with_signals)
		start_timers(timers);
	do {
		for (i = 0; i < 32; i++)
			stress_write(stress, 0);
		if (stress_random(&stress->levels[0].random) % 16 == 0)
			stress_flush(stress, 0);
		let_read(stress);
	} while (go_on(stress));
	if (with_signals)
		stop_timers(timers);
	stress_flush(stress, 0);
	__atomic_store_n(&stress->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Take all there is; returns whether more may come. */
static bool drain(struct stress *stress)
{
	bool done = __atomic_load_n(&stress->done, __ATOMIC_ACQUIRE);

	while (!stress_take(stress))
		;
	return !done;
}

/* The reader rests now and then, so that the rings become full. */
static void *reader(void *arg)
{
	u64 random = 0x452821e638d01377ull;
	bool more = true;
	unsigned int i;

	(void)arg;
	while (more) {
		more = false;
		for (i = 0; i < rings; i++)
			more |= drain(&stresses[i]);
		if (stress_random(&random) % 256 == 0)
			usleep(random >> 32 & 255);
		else
			sched_yield();
	}
	return NULL;
}

static u64 nested_above(const struct stress *stress, u32 level)
{
	u64 sum = 0;

	for (; level < STRESS_LEVELS; level++)
		sum += stress->levels[level].nested;
	return sum;
}

static void must_happen(struct stress *stress, const char *what, u64 times)
{
	if (!times)
		stress_error(stress, what, 0, 1);
}

/* Silence about what never happened would be no proof. */
static void check_reached(struct stress *stress)
{
	u32 level;

	must_happen(stress, "records too big", stress_outcomes(stress, TL_TOO_BIG));
	must_happen(stress, "extended records", stress->levels[0].extended);
	if (stress->ring.overwrite)
		must_happen(stress, "packets overwritten", stress->skipped);
	else
		must_happen(stress, "records lost in a full ring",
			    stress_outcomes(stress, TL_FULL));
	if (!with_signals)
		return;
	for (level = 1; level < STRESS_LEVELS; level++)
		must_happen(stress, "nested records of a level",
			    stress->levels[level].nested);
	if (stress->busy_max < 3)
		stress_error(stress, "writers in each other at most",
			     stress->busy_max, 3);
	if (stress->ring.geo.count_shift == 1)
		must_happen(stress, "records that went round the ring",
			    stress_outcomes(stress, TL_WRAPPED));
}

static void report(const struct stress *stress)
{
	printf("# %llu records offered, %llu read, %llu packets, %llu skipped; lost: %llu full, %llu wrapped, %llu too big\n",
	       (unsigned long long)stress->tickets,
	       (unsigned long long)stress->read,
	       (unsigned long long)stress->expect_seq,
	       (unsigned long long)stress->skipped,
	       (unsigned long long)stress_outcomes(stress, TL_FULL),
	       (unsigned long long)stress_outcomes(stress, TL_WRAPPED),
	       (unsigned long long)stress_outcomes(stress, TL_TOO_BIG));
	printf("# %llu records nested in another one, up to %u writers in each other; by level: %llu %llu %llu\n",
	       (unsigned long long)nested_above(stress, 1), stress->busy_max,
	       (unsigned long long)stress->levels[1].nested,
	       (unsigned long long)stress->levels[2].nested,
	       (unsigned long long)stress->levels[3].nested);
}

static void run_threads(void)
{
	pthread_t threads[RINGS_MAX + 1];
	unsigned int i;

	for (i = 0; i <= rings; i++) {
		if (pthread_create(&threads[i], NULL, i ? writer : reader,
				   i ? &stresses[i - 1] : NULL)) {
			fprintf(stderr, "storm: no thread\n");
			exit(2);
		}
	}
	for (i = 0; i <= rings; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	u64 errors = 0;
	unsigned int i;

	if (argc != 8) {
		fprintf(stderr, "storm: see storm.c for the arguments\n");
		return 2;
	}
	rings = (unsigned int)atoi(argv[5]);
	with_signals = atoi(argv[6]);
	if (rings < 1 || rings > RINGS_MAX)
		return 2;
	for (i = 0; i < rings; i++)
		stress_make(&stresses[i], (u32)atoi(argv[2]),
			    (u32)atoi(argv[3]), atoi(argv[4]));
	handle_signals();
	until_ns = monotonic_ns() + (u64)atoi(argv[7]) * 1000000;
	run_threads();
	for (i = 0; i < rings; i++) {
		stress_check_books(&stresses[i]);
		check_reached(&stresses[i]);
		errors += stresses[i].errors;
	}
	printf("%s %s\n", errors ? "not ok" : "ok", argv[1]);
	for (i = 0; i < rings; i++) {
		report(&stresses[i]);
		stress_free(&stresses[i]);
	}
	return errors ? 1 : 0;
}
