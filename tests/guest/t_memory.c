// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of rings: the limits of one session and of all, what is given back
 * and when, and every size that there is.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "tl_memory.h"
#include "tl_module.h"

#define KIB 1024u
#define MIB (1024ull * 1024)
/* what may be lost to the kernel's caches, of gigabytes that come and go */
#define TOLERANCE_KIB 2048
/* KASAN keeps freed memory back, a 32nd of all there is; and kmemleak is there */
#define TOLERANCE_DEBUG_KIB (40 * 1024)
#define SMALL_ONES 200

static struct tl_query query(int dev)
{
	struct tl_query result = { .size = sizeof(result) };

	if (dev_ioctl(dev, TL_QUERY, &result))
		die("query");
	return result;
}

/* 0 or a negative errno; the reason of a refusal goes to @code. */
static int try_setup(int dev, uint32_t packet_bytes, uint32_t packet_count,
		     uint32_t *code)
{
	struct tl_session_setup setup = {
		.size = sizeof(setup),
		.packet_bytes = packet_bytes,
		.packet_count = packet_count,
	};
	int err = dev_ioctl(dev, TL_SESSION_SETUP, &setup);

	*code = setup.error.code;
	return err;
}

static void check_refused(int dev, uint32_t packet_bytes, uint32_t packet_count)
{
	uint32_t code;

	CHECK_EQ(try_setup(dev, packet_bytes, packet_count, &code), -ENOMEM);
	CHECK_EQ(code, TL_ERR_MEMORY_LIMIT);
}

static void check_accepted(int dev, uint32_t packet_bytes,
			   uint32_t packet_count)
{
	uint32_t code;

	CHECK_EQ(try_setup(dev, packet_bytes, packet_count, &code), 0);
	CHECK_EQ(code, TL_ERR_NONE);
}

/* A session that is set up can do all that a session can. */
static void check_usable(int dev)
{
	struct tl_ring_get get;
	struct ring ring;
	uint32_t id;

	id = dev_add(dev, TL_BACKEND_KPROBE, symbol("__x64_sys_getppid"),
		     prog_di, 2);
	dev_enable(dev, id);
	ring_open(dev, 0, &ring);
	dev_start(dev);
	pin(0);
	getppid();
	dev_stop(dev);
	CHECK_EQ(ring_get(&ring, &get), TL_RING_PACKET);
	CHECK_EQ(ring_get(&ring, &get), TL_RING_END);
	ring_close(&ring);
}

/*
 * With two CPUs: 16 packets of 64 KiB each are 2.1 MiB, 32 are 4.1 MiB.
 */
static void test_session_limit(void)
{
	struct tl_error error;
	int dev;

	module_reload("session_mib_max=4");
	dev = dev_open();
	tap_case("a session over its limit is refused, as often as it asks");
	CHECK_EQ(query(dev).session_bytes_max, 4 * MIB);
	CHECK(query(dev).ring_bytes_max > 64 * MIB);
	check_refused(dev, 64 * KIB, 32);
	check_refused(dev, 4096 * KIB, 4096);
	check_refused(dev, 4096 * KIB, 2);

	tap_case("and is as before: not set up, and free to ask for less");
	CHECK_EQ(dev_session_ctl(dev, TL_SESSION_START), -EBUSY);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, (uint32_t[]){ 0 }, 1,
			       &error), -EBUSY);
	check_accepted(dev, 64 * KIB, 16);
	check_usable(dev);
	close(dev);
}

static void test_all_limit(void)
{
	int devs[3] = { dev_open(), dev_open(), dev_open() };
	struct tl_ring_open open;
	uint32_t code;

	tap_case("two sessions within the limit of all, a third one over it");
	CHECK_EQ(query(devs[0]).ring_bytes_max, 5 * MIB);
	CHECK_EQ(query(devs[0]).session_bytes_max, 4 * MIB);
	check_accepted(devs[0], 64 * KIB, 16);
	check_accepted(devs[1], 64 * KIB, 16);
	check_refused(devs[2], 64 * KIB, 16);
	check_accepted(devs[2], 4 * KIB, 16);
	check_usable(devs[2]);
	close(devs[2]);

	tap_case("memory is given back with the last file, not before");
	CHECK_EQ(ring_try_open(devs[0], 1, &open), 0);
	close(devs[0]);
	devs[2] = dev_open();
	check_refused(devs[2], 64 * KIB, 16);
	close(open.fd);
	check_accepted(devs[2], 64 * KIB, 16);
	close(devs[1]);
	close(devs[2]);

	tap_case("nothing is left of what was taken and given back");
	for (devs[1] = 0; devs[1] < 50; devs[1]++) {
		devs[0] = dev_open();
		CHECK_EQ(try_setup(devs[0], 64 * KIB, 32, &code), -ENOMEM);
		CHECK_EQ(try_setup(devs[0], 64 * KIB, 16, &code), 0);
		close(devs[0]);
	}
	CHECK_EQ(code, TL_ERR_NONE);
}

/* The limit of one session is never above that of all. */
static void test_parameters(void)
{
	int dev;

	tap_case("the limits that TL_QUERY tells");
	module_reload("ring_mib_max=3 session_mib_max=8");
	dev = dev_open();
	CHECK_EQ(query(dev).ring_bytes_max, 3 * MIB);
	CHECK_EQ(query(dev).session_bytes_max, 3 * MIB);
	check_refused(dev, 64 * KIB, 32);
	check_accepted(dev, 64 * KIB, 16);
	close(dev);
	module_reload("ring_mib_max=7");
	dev = dev_open();
	CHECK_EQ(query(dev).ring_bytes_max, 7 * MIB);
	CHECK_EQ(query(dev).session_bytes_max, 7 * MIB);
	close(dev);
	module_reload("");
	dev = dev_open();
	CHECK_EQ(query(dev).session_bytes_max, query(dev).ring_bytes_max);
	tap_note("by default %llu MiB",
		 (unsigned long long)(query(dev).ring_bytes_max / MIB));
	close(dev);
}

/* The rings are there, of the size that was asked for, and empty. */
static bool check_rings(int dev, uint32_t packet_bytes, uint32_t packet_count)
{
	const struct tl_meta *meta;
	struct tl_ring_get get;
	struct ring ring;
	bool good = true;
	uint32_t cpu;

	for (cpu = 0; cpu < query(dev).cpu_count; cpu++) {
		ring_open(dev, cpu, &ring);
		meta = (const struct tl_meta *)ring.map;
		good &= CHECK_EQ(meta->packet_bytes, packet_bytes);
		good &= CHECK_EQ(meta->packet_count, packet_count);
		good &= CHECK_EQ(ring.bytes, meta->data_offset +
				 (uint64_t)packet_bytes * (packet_count + 1));
		/* the last byte of the last buffer can be read */
		good &= CHECK_EQ(ring.map[ring.bytes - 1], 0);
		good &= CHECK_EQ(ring_get(&ring, &get), TL_RING_EMPTY);
		ring_close(&ring);
	}
	return good;
}

/* Whether it works must follow from its size alone. */
static bool one_size(uint32_t packet_bytes, uint32_t packet_count)
{
	int dev = dev_open();
	uint64_t limit = query(dev).session_bytes_max;
	uint64_t bytes = query(dev).cpu_count * (uint64_t)packet_bytes *
			 (packet_count + 1);
	uint32_t code;
	int err = try_setup(dev, packet_bytes, packet_count, &code);
	bool good;

	if (bytes > limit)
		good = CHECK_EQ(err, -ENOMEM) &&
		       CHECK_EQ(code, TL_ERR_MEMORY_LIMIT);
	else
		good = CHECK_EQ(err, 0) &&
		       check_rings(dev, packet_bytes, packet_count);
	if (!good)
		tap_note("with %u packets of %u bytes", packet_count,
			 packet_bytes);
	close(dev);
	return !err;
}

static void test_sizes(void)
{
	long long tolerance = kernel_checks_all() ? TOLERANCE_DEBUG_KIB :
						    TOLERANCE_KIB;
	struct memory before, after;
	unsigned int tried = 0, made = 0;
	uint32_t bytes, count;

	tap_case("each size of packets and rings works or is over the limit");
	/* each page of a ring is written */
	if (!is_long())
		module_reload("ring_mib_max=16");
	/* the kernel's own caches fill up once */
	for (count = 2; count <= 4096; count *= 2)
		one_size(64 * KIB, count);
	before = memory_read();
	for (bytes = 4 * KIB; bytes <= 4096 * KIB; bytes *= 2)
		for (count = 2; count <= 4096; count *= 2) {
			made += one_size(bytes, count);
			tried++;
		}
	CHECK_EQ(tried, 11 * 12);
	/* a page that is lost with each ring would show */
	for (count = 0; count < SMALL_ONES; count++)
		one_size(4 * KIB, 2);
	CHECK(made >= 50 && made < tried);
	after = memory_read();
	tap_note("%u of %u sizes made; %lld KiB less available, Slab %lld, VmallocUsed %lld more",
		 made, tried, before.available - after.available,
		 after.slab - before.slab, after.vmalloc - before.vmalloc);

	tap_case("and all of the memory comes back");
	CHECK(after.available > before.available - tolerance);
	CHECK(after.slab < before.slab + tolerance);
	CHECK(after.vmalloc < before.vmalloc + 256);
}

int main(void)
{
	test_session_limit();
	module_reload("ring_mib_max=5 session_mib_max=4");
	test_all_limit();
	test_parameters();
	test_sizes();
	return tap_done();
}
