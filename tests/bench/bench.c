// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an event costs: guest instructions and bytes for a getppid() loop.
 *
 * To be run in a guest whose time stamp counter counts guest instructions
 * (qemu/run --icount). Each case is measured in 25 batches of 2000 calls; the
 * median batch, less the one without a probe, is the cost of an event. All
 * cases record, into buffers that nobody reads meanwhile and that hold all, but
 * for those of filters, which let nothing through.
 *
 * The probe is at the entry of a function, so trapline leaves it to ftrace; what
 * a kprobe there costs is measured beside it.
 *
 * Prints one line a case: name, instructions, bytes ("-" where not recorded).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#include "../../uapi/trapline.h"
#include "../../uapi/trapline_packet.h"
#include "../../userspace/lib/trapline.h"

#define BATCHES 25
#define CALLS 2000
#define TRACEFS "/sys/kernel/tracing"
#define FUNCTION "__x64_sys_getppid"

static const char *const args_1 = "%di";
static const char *const args_4 = "%di %si %dx %cx";
static const char *const entry = "p:bench " FUNCTION;
static const char *const tracepoint = "t:bench sys_enter";
/* what the kernel's own event records: the number and six arguments */
static const char *const args_7 =
	"$arg2 +0x70($arg1) +0x68($arg1) +0x60($arg1) +0x38($arg1) "
	"+0x48($arg1) +0x40($arg1)";

static void die(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(1);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Instructions of one call, in the median batch. */
static double measure(void)
{
	double batch[BATCHES];
	int i, call;

	for (i = 0; i < BATCHES; i++) {
		uint64_t start = __rdtsc();

		for (call = 0; call < CALLS; call++)
			syscall(SYS_getppid);
		batch[i] = (double)(__rdtsc() - start) / CALLS;
	}
	qsort(batch, BATCHES, sizeof(batch[0]), by_value);
	return batch[BATCHES / 2];
}

static void print_case(const char *name, double instructions, double bytes)
{
	if (bytes > 0)
		printf("%-24s %8.1f %8.1f\n", name, instructions, bytes);
	else
		printf("%-24s %8.1f %8s\n", name, instructions, "-");
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die(path, strerror(errno));
	close(fd);
}

/* A number out of ftrace's statistics of CPU 0. */
static double tracefs_stat(const char *key)
{
	FILE *file = fopen(TRACEFS "/per_cpu/cpu0/stats", "r");
	char line[256];
	double value = 0;

	if (!file)
		die("stats", strerror(errno));
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			value = atof(strchr(line, ':') + 1);
	fclose(file);
	return value;
}

/*
 * The kernel's own event of a tracepoint. The calls that switch it on and off
 * pass it, too.
 */
static void bench_static(const char *name, double base)
{
	double cost, entries;

	write_file(TRACEFS "/trace", "");
	write_file(TRACEFS "/events/raw_syscalls/sys_enter/enable", "1");
	cost = measure() - base;
	write_file(TRACEFS "/events/raw_syscalls/sys_enter/enable", "0");
	entries = tracefs_stat("entries");
	if (entries < BATCHES * CALLS || entries > BATCHES * CALLS + 10 ||
	    tracefs_stat("overrun") != 0)
		die("tracefs", "not all events were recorded");
	print_case(name, cost, tracefs_stat("bytes") / entries);
}

static void bench_bare(double base)
{
	if (system("insmod bare_kprobe.ko symbol=" FUNCTION))
		die("bare_kprobe.ko", "cannot be loaded");
	print_case("bare-kprobe", measure() - base, 0);
	if (system("rmmod bare_kprobe"))
		die("bare_kprobe", "cannot be unloaded");
}

static void bench_tracefs(const char *name, const char *args, double base)
{
	char line[256];
	double cost, entries;

	snprintf(line, sizeof(line), "p:bench " FUNCTION " %s", args);
	write_file(TRACEFS "/kprobe_events", line);
	write_file(TRACEFS "/buffer_size_kb", "16384");
	write_file(TRACEFS "/trace", "");
	write_file(TRACEFS "/events/kprobes/bench/enable", "1");
	cost = measure() - base;
	write_file(TRACEFS "/events/kprobes/bench/enable", "0");
	entries = tracefs_stat("entries");
	if (entries != BATCHES * CALLS || tracefs_stat("overrun") != 0)
		die("tracefs", "not all events were recorded");
	print_case(name, cost, tracefs_stat("bytes") / entries);
	write_file(TRACEFS "/kprobe_events", "-:bench");
}

/* Bytes in all packets of CPU 0, headers included, as a recorder stores them. */
static double ring_bytes(struct trapline_session *session)
{
	struct tl_ring_open ring = { .size = sizeof(ring) };
	struct tl_packet_header header;
	static char packet[65536];
	double bytes = 0;

	if (ioctl(trapline_session_fd(session), TL_RING_OPEN, &ring))
		die("ring", strerror(errno));
	while (read(ring.fd, packet, sizeof(header)) == sizeof(header)) {
		size_t rest;

		memcpy(&header, packet, sizeof(header));
		bytes += (double)header.content_bits / 8;
		rest = header.packet_bits / 8 - sizeof(header);
		if (read(ring.fd, packet, rest) != (ssize_t)rest)
			die("ring", "a packet is cut");
	}
	close(ring.fd);
	return bytes;
}

static void check(int rc, const struct trapline_error *err)
{
	if (rc)
		die("trapline", err->text);
}

/* The cost of a call with one event on it; @stats is what it has counted. */
static double trapline_cost(const char *line, double base, bool kprobes,
			    const struct trapline_symbols *symbols,
			    struct trapline_session **session,
			    struct trapline_stats *stats)
{
	const struct trapline_session_opts opts = {
		.size = sizeof(opts),
		.packet_count = 64,
		.kprobes = kprobes,
	};
	struct trapline_event *event;
	struct trapline_error err;
	double cost;

	check(trapline_event_parse(line, symbols, &event, &err), &err);
	check(trapline_session_open(session, &err), &err);
	check(trapline_session_setup(*session, &opts, &err), &err);
	check(trapline_session_add(*session, event, &err), &err);
	check(trapline_session_enable(*session, &err), &err);
	check(trapline_session_start(*session, &err), &err);
	cost = measure() - base;
	check(trapline_session_stop(*session, &err), &err);
	stats->size = sizeof(*stats);
	check(trapline_session_stats(*session, event, stats, &err), &err);
	return cost;
}

static void bench_trapline(const char *name, const char *place,
			   const char *args, double base, bool kprobes,
			   const struct trapline_symbols *symbols)
{
	struct trapline_session *session;
	struct trapline_stats stats;
	char line[256];
	double cost;

	snprintf(line, sizeof(line), "%s %s", place, args);
	cost = trapline_cost(line, base, kprobes, symbols, &session, &stats);
	if (stats.recorded < BATCHES * CALLS || stats.full)
		die("trapline", "not all events were recorded");
	print_case(name, cost, ring_bytes(session) / (double)stats.recorded);
	trapline_session_close(session);
}

/*
 * Hits that a filter rejects, at an argument of which the filter needs @args,
 * through both tracers. Nothing is recorded.
 */
static void bench_tracefs_filter(const char *name, const char *args,
				 const char *filter, double base)
{
	char line[256];
	double cost;

	snprintf(line, sizeof(line), "p:bench " FUNCTION " %s", args);
	write_file(TRACEFS "/kprobe_events", line);
	write_file(TRACEFS "/events/kprobes/bench/filter", filter);
	write_file(TRACEFS "/trace", "");
	write_file(TRACEFS "/events/kprobes/bench/enable", "1");
	cost = measure() - base;
	write_file(TRACEFS "/events/kprobes/bench/enable", "0");
	if (tracefs_stat("entries") > 0)
		die("tracefs", "an event was recorded that is filtered");
	print_case(name, cost, 0);
	write_file(TRACEFS "/kprobe_events", "-:bench");
}

static void bench_trapline_filter(const char *name, const char *args,
				  const char *filter, double base,
				  const struct trapline_symbols *symbols)
{
	struct trapline_session *session;
	struct trapline_stats stats;
	char line[256];
	double cost;

	snprintf(line, sizeof(line), "p:bench " FUNCTION " %s if %s", args,
		 filter);
	cost = trapline_cost(line, base, false, symbols, &session, &stats);
	if (stats.filtered < BATCHES * CALLS || stats.recorded)
		die("trapline", "not all events were filtered");
	print_case(name, cost, 0);
	trapline_session_close(session);
}

static const struct {
	const char *name;
	const char *args;
	const char *theirs;
	const char *ours;
} filters[] = {
	{ "task", "%di", "common_pid == 1", "tid == 1" },
	{ "register", "a=%di", "a == 1", "a == 1" },
	{ "memory", "a=+0(%di)", "a == 1", "a == 1" },
	{ "name", "%di", "comm ~ \"dd*\"", "comm ~ \"dd*\"" },
};

static void bench_filters(double base, const struct trapline_symbols *symbols)
{
	char name[64];
	size_t i;

	for (i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		snprintf(name, sizeof(name), "kprobe_events-if-%s",
			 filters[i].name);
		bench_tracefs_filter(name, filters[i].args, filters[i].theirs,
				     base);
		snprintf(name, sizeof(name), "trapline-if-%s", filters[i].name);
		bench_trapline_filter(name, filters[i].args, filters[i].ours,
				      base, symbols);
	}
}

int main(void)
{
	struct trapline_symbols *symbols;
	struct trapline_error err;
	double base;

	setvbuf(stdout, NULL, _IOLBF, 0);
	check(trapline_symbols_load(NULL, &symbols, &err), &err);
	measure(); /* once for the caches of the emulator */
	base = measure();
	print_case("no-probe", base, 0);
	bench_bare(base);
	bench_tracefs("kprobe_events-1", args_1, base);
	bench_tracefs("kprobe_events-4", args_4, base);
	bench_trapline("trapline-kprobe-1", entry, args_1, base, true, symbols);
	bench_trapline("trapline-kprobe-4", entry, args_4, base, true, symbols);
	bench_trapline("trapline-1", entry, args_1, base, false, symbols);
	bench_trapline("trapline-4", entry, args_4, base, false, symbols);
	bench_filters(base, symbols);
	bench_static("event-sys_enter", base);
	bench_trapline("trapline-t-1", tracepoint, "$arg2", base, false,
		       symbols);
	bench_trapline("trapline-t-7", tracepoint, args_7, base, false,
		       symbols);
	trapline_symbols_free(symbols);
	return 0;
}
