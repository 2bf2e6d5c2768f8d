// SPDX-License-Identifier: GPL-2.0-only
/*
 * Three kinds of probes, hit from tasks, softirqs, interrupts and NMIs of four
 * CPUs at once, for as long as there is time: each call is a record that was
 * read, or is counted as lost, or was missed by the kernel's own probe layer.
 *
 * NMIs are of two kinds: those that the CPUs send each other in interrupts, and
 * those that QEMU's monitor sends to CPU 0, at times that have nothing to do
 * with what the guest does. The second kind needs qemu/run --nmi; TRAPLINE_NMI
 * in the environment says how many a second, and then they must come. Without
 * it none may come: nobody else sends NMIs.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "tl_calls.h"

#define CPUS 4
#define PERIOD_US 2000
#define SECOND_MS 1000
#define SMALL_MS 5

#define ALL_PLACES (1u << CALLS_ENTRY | 1u << CALLS_JUMP | 1u << CALLS_INT3)

static const char *const place_names[CALLS_PLACES] = { "entry", "jump", "int3" };

/**
 * struct round - one session
 * @name: what is special about it
 * @mode: TL_MODE_*
 * @packet_bytes: of its rings
 * @packet_count: of its rings
 * @seconds: how long
 * @is_optimized: may the kernel make a jump of a probe?
 * @nmi_int3: do NMIs reach an int3? Else interrupts do: see below
 * @snapshots: read nothing but snapshots
 */
struct round {
	const char *name;
	uint32_t mode;
	uint32_t packet_bytes;
	uint32_t packet_count;
	uint32_t seconds;
	bool is_optimized;
	bool nmi_int3;
	bool snapshots;
};

/*
 * The kernel's layer for int3 probes can bear one hit on top of another one,
 * and no third: it ends in BUG() ("Unrecoverable kprobe detected"). An
 * interrupt may be the second one, on top of a task that is in the handler of
 * another probe. So either NMIs or interrupts reach int3 probes, not both.
 */
static struct calls_storm orders_of(const struct round *round)
{
	uint32_t no_int3 = 1u << CALLS_ENTRY;
	uint32_t interrupts, nmis;

	if (round->is_optimized)
		no_int3 |= 1u << CALLS_JUMP;
	interrupts = round->nmi_int3 ? no_int3 : ALL_PLACES;
	nmis = round->nmi_int3 ? ALL_PLACES : no_int3;
	return (struct calls_storm){
		.period_us = PERIOD_US,
		.places = {
			[CALLS_TASK] = ALL_PLACES,
			[CALLS_TIMER] = interrupts,
			[CALLS_SOFTIRQ] = interrupts,
			[CALLS_WORK] = interrupts,
			[CALLS_NMI] = nmis,
			[CALLS_MONITOR] = nmis,
		},
	};
}

static int calls;
static struct rings rings;
static struct calls_stream streams[CALLS_PLACES][CPUS][CALLS_CALLERS];
static uint64_t wrong_contexts, strangers;
static bool is_jump, stop, has_monitor, has_kcsan;

static bool is_nmi(uint32_t caller)
{
	return caller == CALLS_NMI || caller == CALLS_MONITOR;
}

/* Is this the context of a record of that place and caller? */
static bool is_context(uint32_t context, uint32_t place, uint32_t caller)
{
	static const uint32_t levels[CALLS_CALLERS] = {
		[CALLS_TASK] = TL_CTX_TASK,
		[CALLS_TIMER] = TL_CTX_HARDIRQ,
		[CALLS_SOFTIRQ] = TL_CTX_SOFTIRQ,
		[CALLS_WORK] = TL_CTX_HARDIRQ,
		[CALLS_NMI] = TL_CTX_NMI,
		[CALLS_MONITOR] = TL_CTX_NMI,
	};

	/* an int3 counts as an NMI by itself */
	if (place == CALLS_INT3 || (place == CALLS_JUMP && !is_jump))
		return context == (is_nmi(caller) ? TL_CTX_NMI | TL_CTX_NESTED :
						    TL_CTX_NMI);
	/* an NMI may come on top of somebody's int3 */
	if (is_nmi(caller))
		context &= ~TL_CTX_NESTED;
	return context == levels[caller];
}

static void on_record(const struct record *record, struct rings *from)
{
	uint64_t stamp;
	uint32_t caller;

	memcpy(&stamp, record->payload + 8, sizeof(stamp));
	caller = stamp & 7;
	if (caller >= CALLS_CALLERS || record->cpu >= CPUS) {
		strangers++;
		return;
	}
	if (!is_context(record->context, record->id, caller)) {
		if (!wrong_contexts++)
			tap_note("%s, caller %u: context %u",
				 place_names[record->id], caller,
				 record->context);
	}
	calls_stream_add(&streams[record->id][record->cpu][caller], record,
			 from, caller);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die("%s", path);
	close(fd);
}

/* What the kernel has made of a probe: the first byte there. */
static uint32_t opcode(uint32_t place)
{
	struct calls_places places;

	if (ioctl(calls, CALLS_PLACES_GET, &places))
		die("the places");
	return places.opcode[place];
}

static void *task(void *data)
{
	pin((uint32_t)(uintptr_t)data);
	/* behind the reader, who has to keep up */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 10);
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
		if (ioctl(calls, CALLS_TASK_RUN, 200) && errno != EINTR)
			die("calls of a task");
	return NULL;
}

static struct calls_counts counts_now(void)
{
	struct calls_counts counts;

	if (ioctl(calls, CALLS_COUNTS_GET, &counts))
		die("what was called");
	return counts;
}

/* Armed while nobody calls, so that no code is changed under a running CPU. */
static int start(const struct round *round)
{
	struct tl_session_setup setup = {
		.mode = round->mode,
		.packet_bytes = round->packet_bytes,
		.packet_count = round->packet_count,
	};
	int dev = dev_open();
	uint64_t until;
	uint32_t place;

	write_file("/proc/sys/debug/kprobes-optimization",
		   round->is_optimized ? "1" : "0");
	dev_setup(dev, &setup);
	memset(&rings, 0, sizeof(rings));
	memset(streams, 0, sizeof(streams));
	wrong_contexts = 0;
	strangers = 0;
	for (place = 0; place < CALLS_PLACES; place++) {
		dev_enable(dev, dev_add(dev, TL_BACKEND_KPROBE,
					calls_address(calls, place), prog_calls,
					ARRAY_SIZE(prog_calls)));
		rings.payload_bytes[place] = 16;
	}
	rings.on_record = on_record;
	rings.overwrites = round->mode == TL_MODE_OVERWRITE;
	rings_open(dev, &rings);
	dev_start(dev);
	/* the kernel makes jumps of probes in the background */
	until = now_ms() + 10 * SECOND_MS;
	while (round->is_optimized && opcode(CALLS_JUMP) != CALLS_OPCODE_JUMP &&
	       now_ms() < until)
		sleep_ms(50);
	is_jump = opcode(CALLS_JUMP) == CALLS_OPCODE_JUMP;
	CHECK_EQ(is_jump, round->is_optimized);
	CHECK_EQ(opcode(CALLS_JUMP), is_jump ? CALLS_OPCODE_JUMP :
					       CALLS_OPCODE_INT3);
	CHECK_EQ(opcode(CALLS_INT3), CALLS_OPCODE_INT3);
	CHECK(opcode(CALLS_ENTRY) != CALLS_OPCODE_INT3);
	return dev;
}

/* Snapshots, one after the other, each with an end. */
static void read_snapshot(int dev)
{
	uint32_t cpu;

	CHECK_EQ(dev_session_ctl(dev, TL_SESSION_SNAPSHOT), 0);
	for (cpu = 0; cpu < rings.count; cpu++)
		CHECK_EQ(ring_drain_closed(&rings.ring[cpu], &rings),
			 TL_RING_SNAPSHOT);
	CHECK_EQ(dev_session_ctl(dev, TL_SESSION_RESUME), 0);
}

/* On a slow machine it takes longer than @until before something is overwritten. */
static bool is_enough(uint64_t until)
{
	if (rings.overwrites && !rings.skipped[0])
		until += PATIENCE_MS;
	return now_ms() > until;
}

/* Calls from everywhere, read meanwhile; over when nobody calls any more. */
static void run(const struct round *round, int dev)
{
	uint64_t until = now_ms() + scaled(round->seconds) * SECOND_MS;
	struct calls_storm orders = orders_of(round);
	unsigned int turn = 0, pause_ms = SMALL_MS;
	pthread_t tasks[CPUS];
	uintptr_t cpu;

	stop = false;
	if (ioctl(calls, CALLS_STORM, &orders))
		die("the storm");
	for (cpu = 0; cpu < CPUS; cpu++)
		if (pthread_create(&tasks[cpu], NULL, task, (void *)cpu))
			die("pthread_create");
	while (!is_enough(until)) {
		if (round->snapshots)
			read_snapshot(dev);
		else
			rings_drain(&rings);
		/* a flush comes as an interrupt, among all the others */
		if (++turn % 16 == 0)
			dev_flush(dev);
		/* slow writers are given time to overwrite something */
		if (now_ms() > until && pause_ms < 1000)
			pause_ms *= 2;
		sleep_ms(pause_ms);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	for (cpu = 0; cpu < CPUS; cpu++)
		pthread_join(tasks[cpu], NULL);
	orders.period_us = 0;
	if (ioctl(calls, CALLS_STORM, &orders))
		die("the end of the storm");
}

/* Calls since @before, by caller. */
static void calls_since(const struct calls_counts *before, uint64_t *by_caller)
{
	struct calls_counts now = counts_now();
	uint32_t cpu, caller;

	for (caller = 0; caller < CALLS_CALLERS; caller++) {
		by_caller[caller] = 0;
		for (cpu = 0; cpu < CALLS_CPUS; cpu++)
			by_caller[caller] += now.count[cpu][caller] -
					     before->count[cpu][caller];
		/* how many of the monitor's come is up to the host */
		if (caller == CALLS_MONITOR)
			CHECK_EQ(by_caller[caller] > 0, has_monitor);
		else
			CHECK(by_caller[caller] > 100);
	}
	tap_note("calls: %llu by tasks, %llu timers, %llu softirqs, %llu irq_works, %llu NMIs, %llu NMIs of the monitor",
		 (unsigned long long)by_caller[CALLS_TASK],
		 (unsigned long long)by_caller[CALLS_TIMER],
		 (unsigned long long)by_caller[CALLS_SOFTIRQ],
		 (unsigned long long)by_caller[CALLS_WORK],
		 (unsigned long long)by_caller[CALLS_NMI],
		 (unsigned long long)by_caller[CALLS_MONITOR]);
}

/* What was read of an event on one CPU is what was recorded there. */
static uint64_t check_streams(int dev, uint32_t place)
{
	struct tl_stats stats = { .size = sizeof(stats), .id = place,
				  .selector = TL_STATS_EVENT };
	uint64_t read_all = 0;
	uint32_t cpu, caller;

	for (cpu = 0; cpu < CPUS; cpu++) {
		uint64_t read_here = 0;

		for (caller = 0; caller < CALLS_CALLERS; caller++) {
			const struct calls_stream *stream =
				&streams[place][cpu][caller];

			CHECK_EQ(stream->broken, 0);
			read_here += stream->count;
		}
		stats.cpu = cpu;
		CHECK_EQ(dev_ioctl(dev, TL_STATS, &stats), 0);
		if (rings.overwrites)
			CHECK(read_here <= stats.recorded);
		else
			CHECK_EQ(read_here, stats.recorded);
		read_all += read_here;
	}
	return read_all;
}

static void check_event(int dev, uint32_t place, const struct round *round,
			const uint64_t *by_caller)
{
	struct calls_storm orders = orders_of(round);
	struct tl_stats stats = dev_stats(dev, place);
	uint64_t called = 0, missed;
	uint32_t caller;

	for (caller = 0; caller < CALLS_CALLERS; caller++)
		if (orders.places[caller] & 1u << place)
			called += by_caller[caller];
	missed = called - stats.hits;
	CHECK_EQ(stats_hits(&stats), stats.hits);
	CHECK_EQ(stats.recorded + stats_lost(&stats), stats.hits);
	CHECK_EQ(rings.records[place], check_streams(dev, place));
	/* the kernel's count is one for all CPUs, and some get lost in it */
	CHECK(stats.hits <= called);
	CHECK(stats.nmissed <= missed);
	CHECK(missed - stats.nmissed <= missed / 50 + 100);
	/* on KCSAN handlers are slow, and a tenth comes on top of them */
	CHECK(missed <= called / (has_kcsan ? 4 : 10));
	tap_note("%s: %llu calls, %llu recorded, %llu full, %llu wrapped, %llu missed (the kernel says %llu)",
		 place_names[place], (unsigned long long)called,
		 (unsigned long long)stats.recorded,
		 (unsigned long long)stats.full,
		 (unsigned long long)stats.wrapped, (unsigned long long)missed,
		 (unsigned long long)stats.nmissed);
}

static void test(const struct round *round)
{
	uint64_t by_caller[CALLS_CALLERS];
	struct calls_counts before = counts_now();
	struct tl_stats stats;
	uint32_t i;
	int dev;

	tap_case("%s: the probes are what they should be", round->name);
	dev = start(round);
	tap_case("%s: %u s of calls from everywhere", round->name,
		 scaled(round->seconds));
	run(round, dev);
	calls_since(&before, by_caller);
	dev_stop(dev);
	CHECK(rings_drain(&rings));
	stats = dev_stats_sum(dev);
	CHECK_EQ(rings.errors, 0);
	CHECK_EQ(rings_discarded(&rings), stats_lost(&stats));
	if (round->packet_count > 16)
		CHECK(stats.recorded > stats.hits / 2);
	else if (rings.overwrites)
		CHECK(rings.skipped[0] > 0);
	else /* how many, the speed of the reader decides */
		CHECK(stats.full > stats.hits / 50);

	tap_case("%s: each call is read, lost or missed", round->name);
	for (i = 0; i < CALLS_PLACES; i++)
		check_event(dev, i, round, by_caller);
	CHECK_EQ(strangers, 0);

	tap_case("%s: in its order, once, and in the right context", round->name);
	CHECK_EQ(wrong_contexts, 0);
	for (i = 0; i < CALLS_CALLERS; i++)
		CHECK_EQ(streams[CALLS_ENTRY][0][i].count > 0,
			 i != CALLS_MONITOR || has_monitor);
	tap_note("%llu hits, %llu records read",
		 (unsigned long long)stats.hits,
		 (unsigned long long)(rings.records[0] + rings.records[1] +
				      rings.records[2]));
	rings_close(&rings);
	close(dev);
}

/* The kernel's log, from now on. */
static int log_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || lseek(fd, 0, SEEK_END) < 0)
		die("/dev/kmsg");
	return fd;
}

/* "Uhhuh. NMI received for unknown reason": each NMI must be somebody's. */
static void check_log(int fd)
{
	uint64_t unknown = 0;
	char record[8192];
	ssize_t len;

	tap_case("no NMI was unknown to the kernel");
	while ((len = read(fd, record, sizeof(record) - 1)) > 0) {
		record[len] = '\0';
		if (strstr(record, "NMI received"))
			unknown++;
	}
	/* records that were overwritten (EPIPE) may have been such */
	CHECK_EQ(errno, EAGAIN);
	CHECK_EQ(unknown, 0);
	close(fd);
}

int main(void)
{
	const char *nmi = getenv("TRAPLINE_NMI");
	static const struct round rounds[] = {
		{ "large rings", TL_MODE_DISCARD, 65536, 128, 4,
		  true, false, false },
		{ "int3 in NMIs", TL_MODE_DISCARD, 65536, 128, 2,
		  true, true, false },
		{ "int3 only", TL_MODE_DISCARD, 65536, 128, 2,
		  false, false, false },
		{ "tiny rings", TL_MODE_DISCARD, 4096, 2, 2,
		  true, false, false },
		{ "overwriting, in snapshots", TL_MODE_OVERWRITE, 4096, 8, 2,
		  true, false, true },
	};
	size_t i;
	int log;

	has_monitor = nmi && atoi(nmi) > 0;
	has_kcsan = !access("/sys/kernel/debug/kcsan", F_OK);
	if (!has_monitor)
		tap_note("no NMIs from QEMU's monitor: TRAPLINE_NMI is not set");
	/* an emulated CPU is slow: the kernel need not complain of that */
	write_file("/sys/kernel/debug/x86/nmi_longest_ns", "10000000000");
	calls = calls_open();
	log = log_open();
	for (i = 0; i < ARRAY_SIZE(rounds); i++)
		test(&rounds[i]);
	check_log(log);
	calls_close(calls);
	return tap_done();
}
