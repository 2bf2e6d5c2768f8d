// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers that are stopped and killed at any moment, and replaced: each costs
 * at most the packet that it had taken, and the books are right at the end.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tl_calls.h"

#define PACKET 4096
#define PER_PACKET ((PACKET - 80 - 8) / 24)
#define PACKETS 8
#define KILLS 8

/* How a reader reads, and who holds the ring's file. */
enum style { GET_INHERITED, GET_REOPENED, READ_INHERITED, READ_PIECES, STYLES };

static const char *const style_names[STYLES] = {
	"GET on a file that is kept", "GET on a file opened anew",
	"read() on a file that is kept", "read() in pieces, a file opened anew",
};

/**
 * struct account - what all readers have read of CPU 0's ring
 * @rings: the packets
 * @stream: the numbers in them
 * @gaps: packets that came to no account
 */
struct account {
	struct rings rings;
	struct calls_stream stream;
	uint64_t gaps;
};

/**
 * struct books - memory that all processes share
 * @current: the account that holds; the other one is being written
 * @lives: readers that have read something
 * @accounts: so that a reader that is killed while it writes leaves no mark
 */
struct books {
	uint32_t current;
	uint32_t lives;
	struct account accounts[2];
};

static struct books *books;
static int calls, dev;
static enum style style;
static struct ring kept;

static void on_record(const struct record *record, struct rings *from)
{
	struct account *account = from->data;

	calls_stream_add(&account->stream, record, from, CALLS_TASK);
}

/* One packet more, all of it or nothing. */
static void enter_packet(const unsigned char *packet)
{
	uint32_t next = !books->current;
	struct account *account = &books->accounts[next];
	uint64_t skipped;

	*account = books->accounts[!next];
	account->rings.data = account;
	skipped = account->rings.skipped[0];
	rings_packet(&account->rings, 0, packet, PACKET);
	account->gaps += account->rings.skipped[0] - skipped;
	__atomic_store_n(&books->current, next, __ATOMIC_SEQ_CST);
}

/* False at the end of the ring. */
static bool get_one(const struct ring *ring)
{
	struct tl_ring_get get;

	ring_poll(ring, -1);
	switch (ring_get(ring, &get)) {
	case TL_RING_PACKET:
		enter_packet(ring->map + get.offset);
		return true;
	case TL_RING_END:
		return false;
	}
	return true;
}

static bool read_one(const struct ring *ring, size_t piece)
{
	static unsigned char packet[PACKET];
	size_t at = 0;

	while (at < sizeof(packet)) {
		size_t want = sizeof(packet) - at;
		ssize_t got = read(ring->fd, packet + at,
				   want < piece ? want : piece);

		if (got < 0)
			die("read");
		if (!got)
			return false;
		at += (size_t)got;
	}
	enter_packet(packet);
	return true;
}

static bool one_packet(const struct ring *ring)
{
	switch (style) {
	case READ_INHERITED:
		return read_one(ring, PACKET);
	case READ_PIECES:
		return read_one(ring, 300);
	default:
		return get_one(ring);
	}
}

static bool is_kept(void)
{
	return style == GET_INHERITED || style == READ_INHERITED;
}

/* A reader's life. */
static void reader(void)
{
	struct ring ring = kept;
	bool is_first = true;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (is_kept()) {
		/* mappings are not inherited */
		ring.map = mmap(NULL, ring.bytes, PROT_READ, MAP_SHARED,
				ring.fd, 0);
		if (ring.map == MAP_FAILED)
			die("mapping the ring that is kept");
	} else {
		ring_open(dev, 0, &ring);
	}
	while (one_packet(&ring)) {
		if (is_first)
			books->lives++;
		is_first = false;
	}
	_exit(books->accounts[books->current].rings.errors ? 1 : 0);
}

static pid_t spawn(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid)
		reader();
	return pid;
}

/* In it for a while, stopped now and then, dead. */
static bool one_life(unsigned int *seed)
{
	pid_t pid = spawn();
	int status;

	sleep_ms(2 + rand_r(seed) % 40);
	if (rand_r(seed) % 2) {
		kill(pid, SIGSTOP);
		sleep_ms(rand_r(seed) % 50);
		kill(pid, SIGCONT);
		sleep_ms(rand_r(seed) % 20);
	}
	kill(pid, SIGKILL);
	return CHECK(waitpid(pid, &status, 0) == pid) &&
	       CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void check_books(uint64_t made, unsigned int kills)
{
	const struct account *account = &books->accounts[books->current];
	struct tl_stats stats = dev_stats_sum(dev);
	uint64_t lost = stats.recorded - account->stream.count;

	CHECK_EQ(stats_hits(&stats), made);
	CHECK_EQ(stats.recorded + stats.full, made);
	CHECK_EQ(account->rings.errors, 0);
	CHECK_EQ(account->stream.broken, 0);
	CHECK_EQ(rings_discarded(&account->rings), stats.full);
	CHECK(account->gaps <= kills);
	CHECK(lost >= account->gaps && lost <= account->gaps * PER_PACKET);
	CHECK(stats.full > 0);
	CHECK(books->lives > kills / 4);
	tap_note("%llu calls, %llu full, %llu read by %u readers, %llu packets (%llu records) lost with %u that were killed",
		 (unsigned long long)made, (unsigned long long)stats.full,
		 (unsigned long long)account->stream.count, books->lives,
		 (unsigned long long)account->gaps, (unsigned long long)lost,
		 kills);
}

static void test(enum style how)
{
	struct calls_writer writer = { .fd = calls, .place = CALLS_ENTRY,
				       .batch = 50 };
	unsigned int seed = (unsigned int)how + 1, kills = 0;
	struct rings *rings;
	int status = -1;
	pid_t pid;

	style = how;
	tap_case("%u readers are killed: %s", scaled(KILLS), style_names[how]);
	memset(books, 0, sizeof(*books));
	dev = dev_ready(PACKET, PACKETS);
	dev_enable(dev, dev_add(dev, TL_BACKEND_KPROBE,
				calls_address(calls, CALLS_ENTRY), prog_calls,
				ARRAY_SIZE(prog_calls)));
	rings = &books->accounts[0].rings;
	rings->count = 1;
	rings->payload_bytes[0] = 16;
	rings->overwrites = true; /* gaps are counted here */
	rings->on_record = on_record;
	if (is_kept())
		ring_open(dev, 0, &kept);
	dev_start(dev);
	calls_writer_start(&writer);
	while (kills < scaled(KILLS) && one_life(&seed))
		kills++;
	pid = spawn();
	sleep_ms(100);
	calls_writer_end(&writer);
	dev_stop(dev);
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	check_books(writer.done, kills);
	if (is_kept())
		ring_close(&kept);
	close(dev);
}

int main(void)
{
	enum style how;

	books = mmap(NULL, sizeof(*books), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (books == MAP_FAILED)
		die("mmap");
	calls = calls_open();
	for (how = 0; how < STYLES; how++)
		test(how);
	calls_close(calls);
	return tap_done();
}
