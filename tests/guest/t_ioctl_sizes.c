// SPDX-License-Identifier: GPL-2.0-only
/*
 * The size rule of all commands: a struct is at least that of version 1.0, a
 * longer one is taken if it is zero there; and pointers that lead nowhere.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "tl.h"

#define PAGE 4096u

static const struct kind {
	const char *name;
	unsigned long number;
	uint32_t bytes;
	/* with zeros in all other fields, what the command answers */
	int result;
} kinds[] = {
	{ "query", TL_QUERY, sizeof(struct tl_query), 0 },
	{ "setup", TL_SESSION_SETUP, sizeof(struct tl_session_setup), -EBUSY },
	{ "add", TL_EVENT_ADD, sizeof(struct tl_event_add), -EINVAL },
	{ "event ctl", TL_EVENT_CTL, sizeof(struct tl_event_ctl), -EINVAL },
	{ "session ctl", TL_SESSION_CTL, sizeof(struct tl_session_ctl), -EINVAL },
	{ "ring open", TL_RING_OPEN, sizeof(struct tl_ring_open), -EBUSY },
	{ "get", TL_RING_GET, sizeof(struct tl_ring_get), 0 },
	{ "stats", TL_STATS, sizeof(struct tl_stats), -EINVAL },
};

static int dev, ring;

static int target(const struct kind *kind)
{
	return kind->number == TL_RING_GET ? ring : dev;
}

/* Call with @size in a page of zeros; canaries behind are left alone. */
static int call(const struct kind *kind, unsigned char *page, uint32_t size)
{
	memset(page, 0, PAGE + 64);
	memcpy(page, &size, sizeof(size));
	return dev_ioctl(target(kind), kind->number, page);
}

static uint32_t size_in(const unsigned char *page)
{
	uint32_t size;

	memcpy(&size, page, sizeof(size));
	return size;
}

static void test_sizes(const struct kind *kind, unsigned char *page)
{
	uint32_t size, i;

	tap_case("%s: what is shorter than ever is invalid", kind->name);
	for (size = 0; size < kind->bytes; size++) {
		CHECK_EQ(call(kind, page, size), -EINVAL);
		CHECK_EQ(size_in(page), size);
	}

	tap_case("%s: nothing is written behind the struct", kind->name);
	size = kind->bytes;
	memset(page, 0, PAGE);
	memset(page + size, 0xee, 64);
	memcpy(page, &size, sizeof(size));
	CHECK_EQ(dev_ioctl(target(kind), kind->number, page), kind->result);
	for (i = 0; i < 64; i++)
		if (!CHECK_EQ(page[size + i], 0xee))
			break;

	tap_case("%s: a longer struct with zeros is taken", kind->name);
	CHECK_EQ(call(kind, page, kind->bytes + 1), kind->result);
	CHECK_EQ(call(kind, page, kind->bytes + 8), kind->result);
	CHECK_EQ(size_in(page), kind->bytes + 8);
	CHECK_EQ(call(kind, page, PAGE), kind->result);

	tap_case("%s: what is longer and not zero is E2BIG and the size known",
		 kind->name);
	for (i = kind->bytes; i < kind->bytes + 16; i++) {
		size = kind->bytes + 16;
		memset(page, 0, PAGE);
		memcpy(page, &size, sizeof(size));
		page[i] = 1;
		CHECK_EQ(dev_ioctl(target(kind), kind->number, page), -E2BIG);
		CHECK_EQ(size_in(page), kind->bytes);
	}
	CHECK_EQ(call(kind, page, PAGE + 1), -E2BIG);
	CHECK_EQ(size_in(page), kind->bytes);
	CHECK_EQ(call(kind, page, 0x7fffffff), -E2BIG);
	CHECK_EQ(call(kind, page, 0xffffffff), -E2BIG);
	CHECK_EQ(size_in(page), kind->bytes);

	tap_case("%s: unknown flags are invalid, each bit", kind->name);
	for (i = 0; i < 32; i++) {
		const uint32_t head[2] = { kind->bytes, 1u << i };

		memset(page, 0, PAGE);
		memcpy(page, head, sizeof(head));
		CHECK_EQ(dev_ioctl(target(kind), kind->number, page), -EINVAL);
	}
}

static void test_pointers(const struct kind *kind, unsigned char *page)
{
	uint32_t size = kind->bytes;

	tap_case("%s: pointers that lead nowhere", kind->name);
	CHECK_EQ(dev_ioctl(target(kind), kind->number, NULL), -EFAULT);
	CHECK_EQ(dev_ioctl(target(kind), kind->number, (void *)1), -EFAULT);
	CHECK_EQ(dev_ioctl(target(kind), kind->number, (void *)-1), -EFAULT);
	CHECK_EQ(dev_ioctl(target(kind), kind->number,
			   (void *)0xffffffff81000000), -EFAULT);
	/* the size is there, the rest is not */
	memcpy(page + PAGE - 4, &size, sizeof(size));
	CHECK_EQ(dev_ioctl(target(kind), kind->number, page + PAGE - 4),
		 -EFAULT);
}

/* The answer cannot be written: then nothing may have been done. */
static void test_readonly(unsigned char *page)
{
	struct tl_ring_open *open = (struct tl_ring_open *)page, again;

	tap_case("a ring whose number cannot be told is not opened");
	memset(page, 0, PAGE);
	open->size = sizeof(*open);
	open->cpu = 1;
	if (mprotect(page, PAGE, PROT_READ))
		die("mprotect");
	CHECK_EQ(dev_ioctl(dev, TL_RING_OPEN, open), -EFAULT);
	CHECK_EQ(ring_try_open(dev, 1, &again), 0);
	if (again.fd > 0)
		close(again.fd);
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

static void test_numbers(void)
{
	struct tl_query query = { .size = sizeof(query) };
	unsigned int number;

	tap_case("unknown numbers");
	for (number = 8; number < 256; number++) {
		CHECK_EQ(dev_ioctl(dev, _IOWR(TL_IOC_MAGIC, number,
					      struct tl_query), &query), -ENOTTY);
		CHECK_EQ(dev_ioctl(ring, _IOWR(TL_IOC_MAGIC, number,
					       struct tl_query), &query),
			 -ENOTTY);
	}
	CHECK_EQ(dev_ioctl(dev, _IOWR(0xf4, 0, struct tl_query), &query),
		 -ENOTTY);
	CHECK_EQ(dev_ioctl(dev, 0, &query), -ENOTTY);

	tap_case("commands of the other kind of file");
	CHECK_EQ(dev_ioctl(dev, TL_RING_GET, &query), -ENOTTY);
	for (number = 0; number < 8; number++)
		if (number != 6)
			CHECK_EQ(dev_ioctl(ring, _IOWR(TL_IOC_MAGIC, number,
						       struct tl_query),
					   &query), -ENOTTY);

	tap_case("the size inside the number does not count");
	CHECK_EQ(dev_ioctl(dev, _IO(TL_IOC_MAGIC, 0), &query), 0);
	CHECK_EQ(query.abi_major, TL_ABI_MAJOR);
	CHECK_EQ(dev_ioctl(dev, _IOWR(TL_IOC_MAGIC, 0, char[4000]), &query), 0);
}

static void test_query(void)
{
	struct tl_query query = { .size = sizeof(query) };
	struct tl_query full;

	tap_case("a query tells what the headers say");
	memset(&full, 0xff, sizeof(full));
	full.size = sizeof(full);
	full.flags = 0;
	CHECK_EQ(dev_ioctl(dev, TL_QUERY, &query), 0);
	CHECK_EQ(dev_ioctl(dev, TL_QUERY, &full), 0);
	/* out fields need not be zero on the way in */
	CHECK(!memcmp(&query, &full, sizeof(full)));
	CHECK_EQ(query.abi_major, TL_ABI_MAJOR);
	CHECK_EQ(query.abi_minor, TL_ABI_MINOR);
	CHECK_EQ(query.format, TL_FORMAT);
	CHECK_EQ(query.arch, 62);
	CHECK_EQ(query.features, TL_FEATURE_OVERWRITE | TL_FEATURE_FILTER |
				 TL_FEATURE_SYMBOL | TL_FEATURE_RESULTS);
	CHECK_EQ(query.backends, 1 << TL_BACKEND_KPROBE |
				 1 << TL_BACKEND_KRETPROBE |
				 1 << TL_BACKEND_FUNCTION |
				 1 << TL_BACKEND_TRACEPOINT);
	CHECK_EQ(query.insns_max, TL_PROG_INSNS_MAX);
	CHECK_EQ(query.args_max, TL_ARGS_MAX);
	CHECK_EQ(query.record_bytes_max, TL_RECORD_BYTES_MAX);
	CHECK_EQ(query.string_bytes_max, TL_STRING_BYTES_MAX);
	CHECK_EQ(query.places_max, 1);
	CHECK_EQ(query.maxactive_max, 4096);
	CHECK_EQ(query.regs_bytes, 168);
	CHECK_EQ(query.packet_bytes_min, 4096);
	CHECK_EQ(query.cpu_count, 2);
	CHECK(query.task_tid_offset > 0 && query.task_tid_offset < 8192);
	CHECK(query.ring_bytes_max > 0 && query.ring_bytes_max % 4096 == 0);
	CHECK(query.session_bytes_max <= query.ring_bytes_max);
}

int main(void)
{
	unsigned char *page = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct tl_ring_open open;
	size_t i;

	dev = dev_ready(4096, 2);
	if (ring_try_open(dev, 0, &open))
		die("ring");
	ring = open.fd;
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		test_sizes(&kinds[i], page);
	munmap(page + PAGE, PAGE);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		test_pointers(&kinds[i], page);
	test_readonly(page);
	test_numbers();
	test_query();
	close(ring);
	close(dev);
	return tap_done();
}
