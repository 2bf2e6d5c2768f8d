// SPDX-License-Identifier: GPL-2.0-only
/* read() gives the packets' bytes, whatever the buffer, and GET beside it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>

#include "tl.h"

#define PACKETS 4
/* records of 16 bytes in a packet of 8192 bytes: a header of 80, an end of 1 */
#define PER_PACKET 506
#define PACKET 8192

static int dev;
static struct ring ring;
static unsigned char stream[(PACKETS + 1) * PACKET];

static void start(void)
{
	dev = dev_ready(PACKET, PACKETS);
	dev_enable(dev, dev_add(dev, TL_BACKEND_KPROBE,
				symbol("__x64_sys_getppid"), prog_di, 2));
	ring_open(dev, 0, &ring);
	if (fcntl(ring.fd, F_SETFL, O_NONBLOCK))
		die("fcntl");
	dev_start(dev);
}

static void end(void)
{
	ring_close(&ring);
	close(dev);
}

/* Where packet @sequence is in the mapping; the reader's own if there are two. */
static const unsigned char *in_mapping(uint64_t sequence)
{
	const struct tl_meta *meta = (const struct tl_meta *)ring.map;
	struct tl_packet_header header;
	uint32_t i;

	for (i = 0; i <= meta->packet_count; i++) {
		const unsigned char *at = ring.map + meta->data_offset +
					  i * meta->packet_bytes;

		memcpy(&header, at, sizeof(header));
		if (header.content_bits && header.sequence == sequence)
			return at;
	}
	return NULL;
}

/* Read the whole stream in pieces of @piece; each packet as the mapping has it. */
static void test_pieces(size_t piece)
{
	size_t at = 0, packet = 0, wrong = 0;
	static struct rings rings;
	uint64_t sequence = 0;
	ssize_t count;

	tap_case("pieces of %zu bytes", piece);
	start();
	call_getppid(2 * PER_PACKET + 17);
	dev_stop(dev);
	while ((count = read(ring.fd, stream + at,
			     piece < sizeof(stream) - at ? piece :
							   sizeof(stream) - at)) > 0) {
		const unsigned char *mapped = in_mapping(sequence);

		if ((size_t)count > piece)
			wrong++;
		at += (size_t)count;
		/* GET would say what this is: the packet that read() is in */
		if (!mapped || memcmp(mapped, stream + packet,
				      at - packet < PACKET ? at - packet : PACKET))
			wrong++;
		while (at - packet >= PACKET) {
			packet += PACKET;
			sequence++;
		}
	}
	CHECK_EQ(count, 0);
	CHECK_EQ(wrong, 0);
	/* the last one is stored as whole pages, not as a whole packet */
	CHECK_EQ(at, 2 * PACKET + 4096);
	memset(&rings, 0, sizeof(rings));
	rings.payload_bytes[0] = 8;
	rings_packet(&rings, 0, stream, PACKET);
	rings_packet(&rings, 0, stream + PACKET, PACKET);
	rings_packet(&rings, 0, stream + 2 * PACKET, 4096);
	CHECK_EQ(rings.errors, 0);
	CHECK_EQ(rings.records[0], 2 * PER_PACKET + 17);
	end();
}

static uint64_t sequence_of(const unsigned char *packet)
{
	return ((const struct tl_packet_header *)packet)->sequence;
}

static void test_mixed(void)
{
	struct tl_ring_get get;

	tap_case("GET takes the next packet, and read() goes on behind it");
	start();
	call_getppid(4 * PER_PACKET);
	dev_stop(dev);
	CHECK_EQ(read(ring.fd, stream, 100), 100);
	CHECK_EQ(sequence_of(stream), 0);
	CHECK_EQ(ring_get(&ring, &get), TL_RING_PACKET);
	CHECK_EQ(get.sequence, 1);
	CHECK_EQ(read(ring.fd, stream, 100), 100);
	CHECK_EQ(sequence_of(stream), 2);
	CHECK_EQ(read(ring.fd, stream + 100, PACKET), PACKET);
	/* there is no next one: the one that read() is in stays its own */
	CHECK_EQ(ring_get(&ring, &get), TL_RING_END);
	CHECK_EQ(read(ring.fd, stream, 100), 100);
	CHECK_EQ(read(ring.fd, stream, PACKET), PACKET - 200);
	CHECK_EQ(read(ring.fd, stream, 100), 0);
	end();
}

static void test_bad_buffers(void)
{
	tap_case("a read of nothing, and into bad memory, loses nothing");
	start();
	call_getppid(2 * PER_PACKET);
	CHECK_EQ(read(ring.fd, NULL, 0), 0);
	CHECK_EQ(syscall(SYS_read, ring.fd, NULL, 100), -1);
	CHECK_EQ(errno, EFAULT);
	CHECK_EQ(syscall(SYS_read, ring.fd, (void *)0xffffffff81000000, 8), -1);
	CHECK_EQ(errno, EFAULT);
	CHECK_EQ(syscall(SYS_read, ring.fd, ring.map, 8), -1);
	CHECK_EQ(errno, EFAULT);
	CHECK_EQ(read(ring.fd, stream, 80), 80);
	CHECK_EQ(((struct tl_packet_header *)stream)->magic, TL_PACKET_MAGIC);
	CHECK_EQ(sequence_of(stream), 0);
	end();
}

static void test_whole_stream(void)
{
	tap_case("one large read gives all packets, up to its own length");
	start();
	call_getppid(3 * PER_PACKET);
	dev_stop(dev);
	CHECK_EQ(read(ring.fd, stream, PACKET + 4096), PACKET + 4096);
	CHECK_EQ(sequence_of(stream + PACKET), 1);
	CHECK_EQ(read(ring.fd, stream, sizeof(stream)), 4096 + PACKET);
	CHECK_EQ(sequence_of(stream + 4096), 2);
	CHECK_EQ(read(ring.fd, stream, sizeof(stream)), 0);
	end();
}

static void test_new_file(void)
{
	tap_case("a new file of a ring starts with a whole packet");
	start();
	call_getppid(3 * PER_PACKET);
	CHECK_EQ(read(ring.fd, stream, 100), 100);
	ring_close(&ring);
	ring_open(dev, 0, &ring);
	CHECK_EQ(read(ring.fd, stream, 100), 100);
	CHECK_EQ(((struct tl_packet_header *)stream)->magic, TL_PACKET_MAGIC);
	end();
}

/* Ways round read() are not there, and take nothing. */
static void test_splice(void)
{
	int ends[2], file = open("/tmp/spliced", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	tap_case("splice() and sendfile() are refused, and lose nothing");
	if (file < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		die("a file, or a pipe");
	start();
	call_getppid(2 * PER_PACKET);
	CHECK_EQ(splice(ring.fd, NULL, ends[1], NULL, PACKET, 0), -1);
	CHECK_EQ(errno, EINVAL);
	CHECK_EQ(sendfile(ends[1], ring.fd, NULL, PACKET), -1);
	CHECK_EQ(errno, EINVAL);
	CHECK_EQ(sendfile(file, ring.fd, NULL, PACKET), -1);
	CHECK_EQ(errno, EINVAL);
	/* neither has it written anything there */
	CHECK_EQ(read(ends[0], stream, 1), -1);
	CHECK_EQ(errno, EAGAIN);
	CHECK_EQ(lseek(file, 0, SEEK_CUR), 0);
	dev_stop(dev);
	CHECK_EQ(read(ring.fd, stream, sizeof(stream)), 2 * PACKET);
	CHECK_EQ(sequence_of(stream), 0);
	CHECK_EQ(sequence_of(stream + PACKET), 1);
	CHECK_EQ(read(ring.fd, stream, sizeof(stream)), 0);
	end();
	close(file);
	close(ends[0]);
	close(ends[1]);
}

/* ---- a reader that is traced ------------------------------------------ */

#define ROUNDS 200u
/* of one round: what there is, a packet that was begun meanwhile, and nothing */
#define READS_MAX 4u

static pid_t self;
static uint64_t own, foreign;

static void count_own(const struct record *record, struct rings *rings)
{
	(void)rings;
	if (record->tid == (uint32_t)self)
		own++;
	else
		foreign++;
}

/* Read what there is; how many calls that took. */
static unsigned int read_all(struct rings *rings)
{
	unsigned int reads = 0;
	ssize_t count;

	do {
		count = read(ring.fd, stream, PACKET);
		reads++;
		if (count > 0)
			rings_packet(rings, 0, stream, (size_t)count);
	} while (count > 0 && reads < 2 * READS_MAX);
	return reads;
}

/*
 * Each reading makes a record, which is read by a later one: no more than that, and each
 * one is there.
 */
static void test_self(void)
{
	static struct rings rings;
	unsigned int round, reads, most = 0;
	uint64_t made = 0;

	tap_case("a reader whose own reads are traced comes to an end each time");
	self = (pid_t)syscall(SYS_gettid);
	dev = dev_ready(PACKET, PACKETS);
	dev_enable(dev, dev_add(dev, TL_BACKEND_KPROBE, symbol("vfs_read"),
				prog_di, 2));
	rings.payload_bytes[0] = 8;
	rings.on_record = count_own;
	ring_open(dev, 0, &ring);
	if (fcntl(ring.fd, F_SETFL, O_NONBLOCK))
		die("fcntl");
	dev_start(dev);
	for (round = 0; round < ROUNDS; round++) {
		dev_flush(dev);
		reads = read_all(&rings);
		made += reads;
		most = reads > most ? reads : most;
	}
	dev_stop(dev);
	CHECK(most <= READS_MAX);
	read_all(&rings);
	tap_note("%llu reads, %u at most in a round; %llu records, %llu of others",
		 (unsigned long long)made, most, (unsigned long long)own,
		 (unsigned long long)foreign);

	tap_case("and has a record of each of them, whole and in order");
	CHECK_EQ(own, made);
	CHECK_EQ(dev_stats(dev, 0).recorded, own + foreign);
	CHECK_EQ(rings.errors, 0);
	end();
}

int main(void)
{
	pin(0);
	test_pieces(7);
	test_pieces(4095);
	test_pieces(PACKET);
	test_pieces(sizeof(stream));
	test_mixed();
	test_bad_buffers();
	test_whole_stream();
	test_new_file();
	test_splice();
	test_self();
	return tap_done();
}
