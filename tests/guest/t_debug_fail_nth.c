// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each command with its first allocation (or copy from or to user memory)
 * failing, then with its second one, and so on until it succeeds: what fails
 * says so, leaves everything as it was, and the same command then succeeds.
 * The same with files and mappings.
 *
 * Needs a kernel with fault injection. Leaks and uses after free are for that
 * kernel's own checks to find.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "tl_bed.h"
#include "tl_module.h"
#include "tl_nth.h"

/**
 * struct op - a command that may fail
 * @name: for the report
 * @prepare: what must have been done before
 * @run: it; 0 or a negative errno
 * @check_failed: what must hold after a failure
 * @again: what it answers, or 0, where it was carried out and could not say so
 * @may_not_fail: it allocates nothing
 */
struct op {
	const char *name;
	void (*prepare)(struct bed *bed);
	int (*run)(struct bed *bed);
	void (*check_failed)(const struct bed *bed);
	int again;
	bool may_not_fail;
};

/* ---- the commands ----------------------------------------------------- */

static int run_open(struct bed *bed)
{
	bed->dev = open("/dev/" TL_DEVICE_NAME, O_RDWR);
	return bed->dev < 0 ? -errno : 0;
}

static int run_query(struct bed *bed)
{
	struct tl_query query = { .size = sizeof(query) };

	return dev_ioctl(bed->dev, TL_QUERY, &query);
}

static int run_setup(struct bed *bed)
{
	struct tl_session_setup setup = {
		.size = sizeof(setup),
		.packet_bytes = 4096,
		.packet_count = 8,
	};

	return dev_ioctl(bed->dev, TL_SESSION_SETUP, &setup);
}

static int run_add(struct bed *bed)
{
	struct tl_event_add add;

	return dev_try_add(bed->dev, TL_BACKEND_KPROBE, bed_place, 0, prog_di,
			   ARRAY_SIZE(prog_di), &add);
}

static int run_add_return(struct bed *bed)
{
	struct tl_event_add add;

	return dev_try_add(bed->dev, TL_BACKEND_KRETPROBE, bed_return_place, 3,
			   prog_di, ARRAY_SIZE(prog_di), &add);
}

static int run_add_tracepoint(struct bed *bed)
{
	struct tl_event_add add;

	return dev_try_add_name(bed->dev, "sched_switch", bed_prog_first,
				ARRAY_SIZE(bed_prog_first), &add);
}

static int run_enable(struct bed *bed)
{
	return dev_event_ctl(bed->dev, TL_EVENT_ENABLE, &bed->id, 1, NULL);
}

/* With its result, which must be the same as that of the whole. */
static int run_enable_each(struct bed *bed)
{
	struct tl_error result;
	struct tl_event_ctl ctl = {
		.size = sizeof(ctl),
		.command = TL_EVENT_ENABLE,
		.id_count = 1,
		.ids = (uintptr_t)&bed->id,
		.results = (uintptr_t)&result,
	};
	int rc = dev_ioctl(bed->dev, TL_EVENT_CTL, &ctl);

	return rc || !result.code ? rc : -(int)result.kernel_errno;
}

static int run_disable(struct bed *bed)
{
	return dev_event_ctl(bed->dev, TL_EVENT_DISABLE, &bed->id, 1, NULL);
}

static int run_remove(struct bed *bed)
{
	return dev_event_ctl(bed->dev, TL_EVENT_REMOVE, &bed->id, 1, NULL);
}

static int run_start(struct bed *bed)
{
	return dev_session_ctl(bed->dev, TL_SESSION_START);
}

static int run_stop(struct bed *bed)
{
	return dev_session_ctl(bed->dev, TL_SESSION_STOP);
}

static int run_snapshot(struct bed *bed)
{
	return dev_session_ctl(bed->dev, TL_SESSION_SNAPSHOT);
}

static int run_resume(struct bed *bed)
{
	return dev_session_ctl(bed->dev, TL_SESSION_RESUME);
}

static int run_flush(struct bed *bed)
{
	return dev_session_ctl(bed->dev, TL_SESSION_FLUSH);
}

static int run_ring_open(struct bed *bed)
{
	struct tl_ring_open open;
	int rc = ring_try_open(bed->dev, 0, &open);

	if (!rc)
		bed->ring = open.fd;
	return rc;
}

static int run_map(struct bed *bed)
{
	void *map = mmap(NULL, BED_MAP_BYTES, PROT_READ, MAP_SHARED, bed->ring, 0);

	if (map == MAP_FAILED)
		return -errno;
	bed->map = map;
	return 0;
}

static int run_get(struct bed *bed)
{
	struct tl_ring_get get = { .size = sizeof(get) };

	return dev_ioctl(bed->ring, TL_RING_GET, &get);
}

static int run_stats(struct bed *bed)
{
	struct tl_stats stats = {
		.size = sizeof(stats),
		.selector = TL_STATS_SESSION,
		.cpu = TL_CPU_ALL,
	};

	return dev_ioctl(bed->dev, TL_STATS, &stats);
}

/* The first touch of each page brings nothing in: it is all there. */
static int run_touch(struct bed *bed)
{
	const volatile unsigned char *map = bed->map;
	size_t at;

	for (at = 0; at < BED_MAP_BYTES; at += 4096)
		(void)map[at];
	return 0;
}

/* All of the packet, or none of it. */
static int run_read(struct bed *bed)
{
	static unsigned char packet[BED_PACKET_BYTES];
	ssize_t got = read(bed->ring, packet, sizeof(packet));
	uint32_t magic = 0;

	if (got < 0)
		return -errno;
	memcpy(&magic, packet, sizeof(magic));
	return got == BED_PACKET_BYTES && magic == TL_PACKET_MAGIC ? 0 : -EBADMSG;
}

static int run_poll(struct bed *bed)
{
	struct pollfd fd = { .fd = bed->ring, .events = POLLIN };
	int rc = poll(&fd, 1, 0);

	if (rc < 0)
		return -errno;
	return rc == 1 && fd.revents == POLLIN ? 0 : -EBADMSG;
}

/* The end of a session needs no memory. */
static int run_close(struct bed *bed)
{
	int rc = close(bed->dev) ? -errno : 0;

	bed->dev = -1;
	return rc;
}

static void check_nothing(const struct bed *bed)
{
	(void)bed;
}

static void check_not_armed(const struct bed *bed)
{
	CHECK_EQ(kprobes_count(), 0);
	CHECK_EQ(dev_stats(bed->dev, bed->id).state, TL_EVENT_OFF);
}

static void check_armed_function(const struct bed *bed)
{
	CHECK_EQ(kprobes_count(), 0);
	CHECK_EQ(dev_stats(bed->dev, bed->id).state, TL_EVENT_ARMED);
}

static void check_armed(const struct bed *bed)
{
	CHECK_EQ(kprobes_count(), 1);
	CHECK_EQ(dev_stats(bed->dev, bed->id).state, TL_EVENT_ARMED);
}

static void check_off(const struct bed *bed)
{
	CHECK_EQ(dev_stats(bed->dev, bed->id).state, TL_EVENT_OFF);
}

static void check_on(const struct bed *bed)
{
	CHECK_EQ(dev_stats(bed->dev, bed->id).state, TL_EVENT_ARMED);
}

/* ---- the loop --------------------------------------------------------- */

/* One failure; false if there were not as many chances for one. */
static bool try_nth(const struct op *op, unsigned int nth, unsigned int *failed)
{
	struct bed bed = { .dev = -1, .ring = -1 };
	bool happened;
	int rc, again;

	op->prepare(&bed);
	nth_set(nth);
	rc = op->run(&bed);
	happened = nth_happened();
	if (rc) {
		CHECK(happened);
		CHECK(rc == -ENOMEM || rc == -EFAULT);
		if (rc == -ENOMEM)
			op->check_failed(&bed);
		again = op->run(&bed);
		/* what could not be copied out was done all the same */
		if (rc == -ENOMEM || again != op->again)
			CHECK_EQ(again, 0);
		(*failed)++;
	}
	bed_clear(&bed);
	CHECK_EQ(kprobes_count(), 0);
	CHECK(module_references_wait(0));
	return happened;
}

static void test_op(const struct op *op)
{
	unsigned int nth = 0, failed = 0;

	tap_case("%s fails at each point and leaves all as it was", op->name);
	do {
		nth++;
	} while (nth < NTH_MAX && try_nth(op, nth, &failed));
	nth_check_log();
	CHECK(nth < NTH_MAX);
	CHECK(failed || op->may_not_fail);
	tap_note("%s: %u chances, failed at %u of them", op->name, nth - 1,
		 failed);
}

static const struct op ops[] = {
	{ "open", bed_nothing, run_open, check_nothing, 0, false },
	{ "QUERY", bed_session, run_query, check_nothing, 0, false },
	{ "SETUP", bed_session, run_setup, check_nothing, -EBUSY, false },
	{ "EVENT_ADD", bed_ready, run_add, check_nothing, 0, false },
	{ "EVENT_ADD of a return", bed_ready, run_add_return, check_nothing,
	  0, false },
	{ "ENABLE", bed_event, run_enable, check_not_armed, 0, false },
	{ "ENABLE of a return", bed_return, run_enable, check_not_armed, 0,
	  false },
	{ "EVENT_ADD of a tracepoint", bed_ready, run_add_tracepoint,
	  check_nothing, 0, false },
	{ "ENABLE of a tracepoint", bed_tracepoint, run_enable, check_off, 0,
	  false },
	{ "DISABLE of a tracepoint", bed_armed_tracepoint, run_disable,
	  check_on, 0, false },
	{ "close with a tracepoint", bed_armed_tracepoint, run_close,
	  check_nothing, 0, true },
	{ "ENABLE of a function", bed_function, run_enable, check_not_armed,
	  0, false },
	{ "ENABLE with results", bed_function, run_enable_each,
	  check_not_armed, 0, false },
	{ "DISABLE of a function", bed_function_armed, run_disable,
	  check_armed_function, 0, false },
	{ "DISABLE", bed_armed, run_disable, check_armed, 0, false },
	{ "REMOVE", bed_armed, run_remove, check_armed, -ENOENT, false },
	{ "START", bed_armed, run_start, check_armed, -EBUSY, false },
	{ "STOP", bed_running, run_stop, check_armed, -EBUSY, false },
	{ "FLUSH", bed_running, run_flush, check_armed, 0, false },
	{ "SNAPSHOT", bed_running, run_snapshot, check_armed, -EBUSY,
	  false },
	{ "RESUME", bed_held, run_resume, check_armed, -EBUSY, false },
	{ "RING_OPEN", bed_event, run_ring_open, check_nothing, 0, false },
	{ "mmap", bed_ring, run_map, check_nothing, 0, false },
	{ "the first touch of a mapping", bed_map, run_touch, check_nothing,
	  0, true },
	{ "GET", bed_ring, run_get, check_nothing, 0, false },
	{ "read", bed_packet, run_read, check_nothing, 0, false },
	{ "poll", bed_packet, run_poll, check_nothing, 0, false },
	{ "STATS", bed_running, run_stats, check_nothing, 0, false },
	{ "close", bed_running, run_close, check_nothing, 0, true },
};

/*
 * Not at the entry: there ftrace arms the probe, and if that fails the kernel
 * warns of itself. Behind it: an endbr64 perhaps, and the 5 bytes of ftrace.
 */
static uint64_t find_place(void)
{
	uint64_t entry = symbol("do_sys_openat2");
	struct bed bed = { .dev = -1, .ring = -1 };
	bool found = false;

	for (bed_place = entry + 5; !found && bed_place <= entry + 9; bed_place += 4) {
		bed_event(&bed);
		found = !run_enable(&bed);
		bed_clear(&bed);
	}
	if (!found)
		die("no instruction behind the entry of do_sys_openat2()");
	return bed_place - 4;
}

/* Assembler, which ftrace does not know: any that can be armed. */
static uint64_t find_return_place(void)
{
	static const char *const names[] = {
		"clear_page_erms", "clear_page_rep", "csum_partial",
	};
	struct bed bed = { .dev = -1, .ring = -1 };
	bool found = false;
	size_t i;

	for (i = 0; !found && i < ARRAY_SIZE(names); i++) {
		bed_return_place = symbol(names[i]);
		bed_return(&bed);
		found = !run_enable(&bed);
		bed_clear(&bed);
	}
	if (!found)
		die("no function for a return");
	return bed_return_place;
}

int main(void)
{
	unsigned int room;
	size_t i;

	nth_start();
	pin(0);
	module_reload("ring_mib_max=4");
	room = module_capacity();
	bed_place = find_place();
	bed_return_place = find_return_place();
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		test_op(&ops[i]);
	tap_case("no memory of rings is missing, and all works as before");
	CHECK_EQ(module_capacity(), room);
	module_check_works(symbol("__x64_sys_getppid"), 20);
	return tap_done();
}
