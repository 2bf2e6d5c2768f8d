// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load, arm, trace, disarm, unload, over and over: 1000 times in a long run, as
 * often as there is time for in a short one. Nothing grows. What cannot be
 * reached any more is for kmemleak to find, when the guest ends.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>

#include "tl_memory.h"
#include "tl_module.h"

#define SHORT_MS	12000
#define LONG_CYCLES	1000
#define WARM_UP		3
#define CYCLES_MIN	5
/* the kernel's caches breathe; a page a cycle is above all of these */
#define SLAB_KIB	2048
#define PERCPU_KIB	64
#define VMALLOC_KIB	128
#define AVAILABLE_KIB	8192

static uint64_t entry;

/* How the session ends: all of it undone, stopped only, or just left. */
enum end { UNDONE, STOPPED, LEFT, ENDS };

static void session(enum end end)
{
	static struct rings rings;
	uint32_t ids[2];
	int dev;

	memset(&rings, 0, sizeof(rings));
	dev = dev_ready(4096, 4);
	ids[0] = dev_add(dev, TL_BACKEND_KPROBE, entry, prog_di, 2);
	ids[1] = dev_add(dev, TL_BACKEND_KRETPROBE, entry, prog_di, 2);
	rings.payload_bytes[ids[0]] = 8;
	rings.payload_bytes[ids[1]] = 8;
	if (dev_event_ctl(dev, TL_EVENT_ENABLE, ids, 2, NULL))
		die("enable");
	rings_open(dev, &rings);
	dev_start(dev);
	call_getppid(50);
	if (end == UNDONE)
		CHECK_EQ(dev_event_ctl(dev, TL_EVENT_REMOVE, ids, 2, NULL), 0);
	if (end != LEFT) {
		dev_stop(dev);
		CHECK(rings_drain(&rings));
		CHECK_EQ(rings.errors, 0);
		CHECK_EQ(rings.records[ids[0]], 50);
		CHECK_EQ(rings.records[ids[1]], 50);
	}
	rings_close(&rings);
	close(dev);
}

static bool one_cycle(unsigned int number)
{
	if (module_insert(module_path(), ""))
		die("loading the module");
	session((enum end)(number % ENDS));
	return CHECK_EQ(kprobes_count(), 0) && CHECK_EQ(module_unload(), 0);
}

static bool goes_on(unsigned int done, uint64_t begin_ms)
{
	if (is_long())
		return done < LONG_CYCLES;
	return done < CYCLES_MIN || now_ms() - begin_ms < SHORT_MS;
}

static void check_memory(const struct memory *before, const struct memory *after)
{
	tap_note("%lld KiB less available, Slab %lld, Percpu %lld, VmallocUsed %lld KiB more",
		 before->available - after->available,
		 after->slab - before->slab, after->percpu - before->percpu,
		 after->vmalloc - before->vmalloc);
	CHECK(after->slab - before->slab < SLAB_KIB);
	CHECK(after->percpu - before->percpu < PERCPU_KIB);
	CHECK(after->vmalloc - before->vmalloc < VMALLOC_KIB);
	CHECK(before->available - after->available < AVAILABLE_KIB);
}

int main(void)
{
	struct memory before, after;
	unsigned int done = 0;
	uint64_t begin_ms;

	entry = symbol("__x64_sys_getppid");
	pin(0);
	tap_case("load, arm, trace, disarm, unload");
	CHECK_EQ(module_unload(), 0);
	while (done < WARM_UP && one_cycle(done))
		done++;
	before = memory_read();
	begin_ms = now_ms();
	for (done = 0; goes_on(done, begin_ms) && one_cycle(done); done++)
		;
	after = memory_read();
	tap_note("%u cycles in %llu s", done,
		 (unsigned long long)(now_ms() - begin_ms) / 1000);
	CHECK(done >= (is_long() ? LONG_CYCLES : CYCLES_MIN));
	tap_case("and memory does not grow");
	check_memory(&before, &after);
	module_load();
	tap_case("the module works as ever");
	module_check_works(entry, 50);
	return tap_done();
}
