// SPDX-License-Identifier: GPL-2.0-only
/* Mappings of a ring: read only, shared, of the right size, for one process. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "tl.h"

#define PAGE 4096ul
#define PACKET (2 * PAGE)
#define PACKETS 4ul
/* the meta page, the packets and the reader's spare */
#define RING (PAGE + (PACKETS + 1) * PACKET)

static int fd;

/* 0, or the negative errno of the attempt; a success is unmapped again. */
static int try_map(size_t bytes, int protection, int flags, off_t offset)
{
	void *at = mmap(NULL, bytes, protection, flags, fd, offset);

	if (at == MAP_FAILED)
		return -errno;
	munmap(at, bytes);
	return 0;
}

static const struct attempt {
	const char *name;
	size_t bytes;
	int protection;
	int flags;
	off_t offset;
	int result;
} attempts[] = {
	{ "all of it", RING, PROT_READ, MAP_SHARED, 0, 0 },
	{ "the meta page", PAGE, PROT_READ, MAP_SHARED, 0, 0 },
	{ "the packets", RING - PAGE, PROT_READ, MAP_SHARED, PAGE, 0 },
	{ "for nothing yet", RING, PROT_NONE, MAP_SHARED, 0, 0 },
	/* an odd length ends in the same page */
	{ "not a whole page at the end", RING - 1, PROT_READ, MAP_SHARED, 0, 0 },
	{ "the first packet", PAGE + PACKET, PROT_READ, MAP_SHARED, 0, -EINVAL },
	{ "one page less", RING - PAGE, PROT_READ, MAP_SHARED, 0, -EINVAL },
	{ "one page more", RING + PAGE, PROT_READ, MAP_SHARED, 0, -EINVAL },
	{ "one byte more", RING + 1, PROT_READ, MAP_SHARED, 0, -EINVAL },
	{ "nothing", 0, PROT_READ, MAP_SHARED, 0, -EINVAL },
	{ "all of it from the first packet", RING, PROT_READ, MAP_SHARED, PAGE,
	  -EINVAL },
	{ "the first packet's page alone", PAGE, PROT_READ, MAP_SHARED, PAGE,
	  -EINVAL },
	{ "from the second page on", RING - 2 * PAGE, PROT_READ, MAP_SHARED,
	  2 * PAGE, -EINVAL },
	{ "the last page", PAGE, PROT_READ, MAP_SHARED, RING - PAGE, -EINVAL },
	{ "past the end", PAGE, PROT_READ, MAP_SHARED, RING, -EINVAL },
	{ "an offset inside a page", PAGE, PROT_READ, MAP_SHARED, 1, -EINVAL },
	{ "an offset of 2^63 less a page", PAGE, PROT_READ, MAP_SHARED,
	  0x7ffffffffffff000, -EINVAL },
	{ "an offset that wraps around", 2 * PAGE, PROT_READ, MAP_SHARED,
	  -(off_t)PAGE, -EOVERFLOW },
	{ "a tebibyte", 1ul << 40, PROT_READ, MAP_SHARED, 0, -EINVAL },
	{ "nearly all addresses", -PAGE, PROT_READ, MAP_SHARED, 0, -ENOMEM },
	{ "for writing", RING, PROT_READ | PROT_WRITE, MAP_SHARED, 0, -EACCES },
	{ "for writing only", RING, PROT_WRITE, MAP_SHARED, 0, -EACCES },
	{ "the meta page for writing", PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
	  0, -EACCES },
	{ "for execution", RING, PROT_READ | PROT_EXEC, MAP_SHARED, 0, -EPERM },
	{ "private", RING, PROT_READ, MAP_PRIVATE, 0, -EINVAL },
	{ "private for writing", RING, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0,
	  -EPERM },
	{ "private for execution", RING, PROT_READ | PROT_EXEC, MAP_PRIVATE, 0,
	  -EPERM },
};

static void test_attempts(const char *when)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(attempts); i++) {
		const struct attempt *a = &attempts[i];
		int result = try_map(a->bytes, a->protection, a->flags,
				     a->offset);

		tap_case("map %s%s: %s", a->name, when,
			 a->result ? strerror(-a->result) : "possible");
		CHECK_EQ(result, a->result);
	}
}

static bool is_over;

static void *write_run(void *unused)
{
	(void)unused;
	pin(0);
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
		call_getppid(100);
	return NULL;
}

/* Each buffer is a packet of this ring, and no two are the same one. */
static void check_headers(const unsigned char *map)
{
	struct tl_packet_header headers[PACKETS + 1];
	unsigned int i, j;

	for (i = 0; i <= PACKETS; i++) {
		memcpy(&headers[i], map + PAGE + i * PACKET, sizeof(headers[i]));
		CHECK_EQ(headers[i].magic, TL_PACKET_MAGIC);
		CHECK_EQ(headers[i].format, TL_FORMAT);
		CHECK_EQ(headers[i].cpu, 0);
		CHECK_EQ(headers[i].stream_id, 0);
		CHECK(!memcmp(headers[i].uuid, headers[0].uuid, sizeof(headers[i].uuid)));
		for (j = 0; j < i; j++)
			CHECK(headers[i].sequence != headers[j].sequence);
	}
}

/* The same attempts while the packets are written, over and over. */
static void test_busy(void)
{
	static struct rings rings = { .overwrites = true, .payload_bytes = { 8 } };
	int kept = fd, dev = dev_ready_overwriting(PACKET, PACKETS, 0);
	struct tl_stats stats;
	pthread_t thread;
	struct ring ring;
	uint64_t before;

	dev_enable(dev, dev_add(dev, TL_BACKEND_KPROBE,
				symbol("__x64_sys_getppid"), prog_di, 2));
	ring_open(dev, 0, &ring);
	fd = ring.fd;
	dev_start(dev);
	if (pthread_create(&thread, NULL, write_run, NULL))
		die("pthread_create");
	while (dev_stats(dev, 0).recorded < 10000)
		sleep_ms(1);
	before = dev_stats(dev, 0).recorded;
	test_attempts(", which is written");
	while (dev_stats(dev, 0).recorded == before)
		sleep_ms(1);
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	dev_stop(dev);

	tap_case("the packets are whole after these attempts");
	check_headers(ring.map);
	CHECK_EQ(ring_drain(&ring, &rings), TL_RING_END);
	stats = dev_stats(dev, 0);
	CHECK_EQ(rings.errors, 0);
	CHECK(rings.packets[0] > 1 && rings.skipped[0] > 0);
	CHECK(rings.records[0] > 0 && rings.records[0] < stats.recorded);
	CHECK_EQ(stats_lost(&stats), 0);
	ring_close(&ring);
	close(dev);
	fd = kept;
}

static void test_later(unsigned char *map)
{
	tap_case("a mapping cannot be made writable or executable later");
	CHECK(mprotect(map, RING, PROT_READ | PROT_WRITE) && errno == EACCES);
	CHECK(mprotect(map, PAGE, PROT_WRITE) && errno == EACCES);
	CHECK(mprotect(map + PAGE, PACKET, PROT_READ | PROT_EXEC) &&
	      errno == EACCES);
	CHECK(!mprotect(map, RING, PROT_NONE));
	CHECK(!mprotect(map, RING, PROT_READ));
	CHECK_EQ(((struct tl_meta *)map)->format, TL_FORMAT);

	tap_case("a mapping does not grow");
	CHECK(mremap(map, RING, RING + PAGE, MREMAP_MAYMOVE) == MAP_FAILED &&
	      (errno == EFAULT || errno == EINVAL));
	CHECK(mremap(map + RING - PAGE, PAGE, 2 * PAGE, MREMAP_MAYMOVE) ==
		      MAP_FAILED &&
	      (errno == EFAULT || errno == EINVAL));

	tap_case("a mapping is not writable by way of the file of the memory");
	{
		FILE *mem = fopen("/proc/self/mem", "r+");

		setbuf(mem, NULL);
		fseeko(mem, (off_t)(uintptr_t)map, SEEK_SET);
		CHECK(fwrite("x", 1, 1, mem) == 0);
		fclose(mem);
		CHECK_EQ(((struct tl_meta *)map)->format, TL_FORMAT);
	}
}

static sigjmp_buf after_fault;

static void on_fault(int number)
{
	siglongjmp(after_fault, number);
}

/* Which signal a read gives; 0: none. */
static int signal_of_read(const volatile unsigned char *at)
{
	const struct sigaction caught = { .sa_handler = on_fault };
	const struct sigaction normal = { .sa_handler = SIG_DFL };
	int number;

	sigaction(SIGBUS, &caught, NULL);
	sigaction(SIGSEGV, &caught, NULL);
	number = sigsetjmp(after_fault, 1);
	if (!number)
		(void)*at;
	sigaction(SIGBUS, &normal, NULL);
	sigaction(SIGSEGV, &normal, NULL);
	return number;
}

/* Calls that make a second mapping, or another one, of what is mapped. */
static void test_doubles(unsigned char *map)
{
	tap_case("a mapping cannot be doubled or made of other pages");
	CHECK(mremap(map, 0, RING, MREMAP_MAYMOVE) == MAP_FAILED);
	CHECK(mremap(map, 0, PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
	CHECK(syscall(SYS_remap_file_pages, map, PAGE, 0, 2, 0));
	CHECK(syscall(SYS_remap_file_pages, map + PAGE, PACKET, 0, 5, 0));
	CHECK_EQ(((struct tl_meta *)map)->format, TL_FORMAT);
	CHECK_EQ(*(uint32_t *)(map + PAGE), TL_PACKET_MAGIC);

	tap_case("a mapping cannot be put into core dumps");
	CHECK(madvise(map, RING, MADV_DODUMP) && errno == EINVAL);
}

/* Who lets go of pages has none there, and harms himself alone. */
static void test_let_go(void)
{
	unsigned char *map = mmap(NULL, RING, PROT_READ, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		die("mmap");
	tap_case("pages that were let go of are not there: SIGBUS");
	if (!madvise(map + PAGE, PAGE, MADV_DONTNEED)) {
		CHECK_EQ(signal_of_read(map + PAGE), SIGBUS);
		CHECK_EQ(signal_of_read(map), 0);
		CHECK_EQ(signal_of_read(map + 2 * PAGE), 0);
	} else {
		CHECK_EQ(errno, EINVAL);
	}
	CHECK(madvise(map, RING, MADV_REMOVE));
	CHECK(!munmap(map, RING));
	map = mmap(NULL, RING, PROT_READ, MAP_SHARED, fd, 0);
	if (CHECK(map != MAP_FAILED)) {
		CHECK_EQ(*(uint32_t *)(map + PAGE), TL_PACKET_MAGIC);
		munmap(map, RING);
	}
}

/* A pipe holds the page itself: it stays as long as it is there. */
static void test_pipe(int dev)
{
	struct iovec from;
	struct ring ring;
	uint32_t magic = 0;
	int ends[2];

	tap_case("a page that is in a pipe outlives its ring");
	ring_open(dev, 1, &ring);
	from.iov_base = (void *)(ring.map + PAGE);
	from.iov_len = PAGE;
	if (pipe(ends) || vmsplice(ends[1], &from, 1, 0) != PAGE)
		die("vmsplice");
	ring_close(&ring);
	close(dev);
	CHECK_EQ(module_unload(), 0);
	module_load();
	CHECK_EQ(read(ends[0], &magic, sizeof(magic)), sizeof(magic));
	CHECK_EQ(magic, TL_PACKET_MAGIC);
	close(ends[0]);
	close(ends[1]);
}

/* It is not inherited, but whoever has it may ask for that: to read, no more. */
static void test_asked_fork(unsigned char *map)
{
	int status;
	pid_t pid;

	tap_case("a child has a mapping that its parent wanted it to have, to read");
	if (madvise(map, RING, MADV_DOFORK)) {
		CHECK_EQ(errno, EINVAL);
		return;
	}
	pid = fork();
	if (!pid)
		_exit(((struct tl_meta *)map)->format == TL_FORMAT &&
		      mprotect(map, PAGE, PROT_READ | PROT_WRITE) &&
		      errno == EACCES ? 0 : 1);
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	CHECK(!madvise(map, RING, MADV_DONTFORK));
}

static void test_fork(const unsigned char *map)
{
	int status;
	pid_t pid;

	tap_case("a child has no mapping");
	pid = fork();
	if (!pid) {
		unsigned char present[RING / PAGE];

		/* ENOMEM: nothing is mapped there */
		_exit(mincore((void *)map, RING, present) && errno == ENOMEM ?
			      0 : 1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	CHECK_EQ(((const struct tl_meta *)map)->format, TL_FORMAT);
}

/* Move it, cut a hole into it, unmap the pieces in an odd order. */
static void test_pieces(unsigned char *map)
{
	unsigned char *moved;

	tap_case("a mapping can be moved and unmapped in pieces");
	moved = mremap(map, RING, RING, MREMAP_MAYMOVE | MREMAP_FIXED,
		       (char *)0x200000000);
	CHECK(moved == (unsigned char *)0x200000000);
	if (moved == MAP_FAILED)
		return;
	CHECK_EQ(((struct tl_meta *)moved)->format, TL_FORMAT);
	CHECK(!munmap(moved + 3 * PAGE, 2 * PAGE));
	CHECK_EQ(*(uint32_t *)(moved + PAGE), TL_PACKET_MAGIC);
	CHECK_EQ(*(uint32_t *)(moved + PAGE + 2 * PACKET), TL_PACKET_MAGIC);
	CHECK(mprotect(moved, PAGE, PROT_READ | PROT_WRITE) && errno == EACCES);
	CHECK(!munmap(moved, PAGE));
	CHECK(!munmap(moved, RING));
}

int main(void)
{
	struct tl_session_setup setup = {
		.packet_bytes = PACKET,
		.packet_count = PACKETS,
	};
	struct tl_ring_open open;
	unsigned char *map;
	int dev = dev_open();

	dev_setup(dev, &setup);
	tap_case("the length of the mapping");
	CHECK_EQ(setup.ring_bytes, RING);
	if (ring_try_open(dev, 0, &open))
		die("ring");
	fd = open.fd;
	test_attempts("");
	test_busy();
	map = mmap(NULL, RING, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		die("mmap");
	CHECK_EQ(((struct tl_meta *)map)->size, sizeof(struct tl_meta));
	test_later(map);
	test_doubles(map);
	test_let_go();
	test_fork(map);
	test_asked_fork(map);
	test_pieces(map);
	tap_case("the session's own file cannot be mapped");
	close(fd);
	fd = dev;
	CHECK_EQ(try_map(PAGE, PROT_READ, MAP_SHARED, 0), -ENODEV);
	test_pipe(dev);

	tap_case("nothing is left that keeps the module");
	CHECK_EQ(module_unload(), 0);
	module_load();
	return tap_done();
}
