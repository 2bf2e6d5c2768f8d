// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring's file is a capability: passed through a socket to a process without
 * any right, it can be mapped and read there to the end; the session that goes
 * with it can be looked at and stopped, and makes nothing new.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tl.h"

#define CALLS	20
#define FILES	2
#define NOBODY	65534

/* A message with the two files; or, to receive it, with room for them. */
static void fill_message(struct msghdr *message, struct iovec *data,
			 char *control, size_t bytes)
{
	memset(message, 0, sizeof(*message));
	memset(control, 0, bytes);
	message->msg_iov = data;
	message->msg_iovlen = 1;
	message->msg_control = control;
	message->msg_controllen = bytes;
}

static void send_files(int to, const int *files)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(FILES * sizeof(int))];
	struct iovec data = { .iov_base = "", .iov_len = 1 };
	struct msghdr message;
	struct cmsghdr *header;

	fill_message(&message, &data, control, sizeof(control));
	header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(FILES * sizeof(int));
	memcpy(CMSG_DATA(header), files, FILES * sizeof(int));
	if (sendmsg(to, &message, 0) != 1)
		die("sendmsg");
}

static void receive_files(int from, int *files)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(FILES * sizeof(int))];
	char byte;
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message;

	fill_message(&message, &data, control, sizeof(control));
	if (recvmsg(from, &message, 0) != 1 || !CMSG_FIRSTHDR(&message))
		die("recvmsg");
	memcpy(files, CMSG_DATA(CMSG_FIRSTHDR(&message)), FILES * sizeof(int));
}

/* Its mapping is its own, made without any right, and for reading only. */
static bool read_ring(int fd)
{
	static struct rings rings;
	struct ring *ring = &rings.ring[0];
	bool good;

	*ring = (struct ring){ .fd = fd, .bytes = (1 + 4 + 1) * 4096 };
	rings.count = 1;
	rings.payload_bytes[0] = 8;
	ring->map = mmap(NULL, ring->bytes, PROT_READ, MAP_SHARED, fd, 0);
	good = CHECK(ring->map != MAP_FAILED);
	if (!good)
		return false;
	good &= CHECK(mmap(NULL, ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			   fd, 0) == MAP_FAILED && errno == EACCES);
	good &= CHECK_EQ(ring_drain(ring, &rings), TL_RING_END);
	good &= CHECK_EQ(rings.errors, 0);
	good &= CHECK_EQ(rings.records[0], CALLS);
	return good;
}

/* A process that was nobody before it got anything. */
static bool nobody(int from)
{
	struct tl_event_add add;
	struct tl_ring_open open_ring;
	int files[FILES];
	bool good;

	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		die("becoming nobody");
	good = CHECK(open("/dev/trapline", O_RDWR) < 0 && errno == EACCES);
	receive_files(from, files);
	good &= CHECK_EQ(dev_try_add(files[0], TL_BACKEND_KPROBE, 0, 0, prog_di,
				     2, &add), -EPERM);
	good &= CHECK_EQ(add.error.code, TL_ERR_PRIVILEGE);
	good &= CHECK_EQ(ring_try_open(files[0], 1, &open_ring), -EPERM);
	good &= CHECK_EQ(dev_stats(files[0], 0).recorded, CALLS);
	good &= CHECK_EQ(dev_session_ctl(files[0], TL_SESSION_STOP), 0);
	good &= read_ring(files[1]);
	return good;
}

int main(void)
{
	struct tl_ring_open ring;
	int files[FILES], pair[2], status;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
		die("socketpair");
	tap_case("a ring's file, passed to a process without rights, is read to the end");
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		_exit(!nobody(pair[1]));
	pin(0);
	files[0] = dev_ready(4096, 4);
	dev_enable(files[0], dev_add(files[0], TL_BACKEND_KPROBE,
				     symbol("__x64_sys_getppid"), prog_di, 2));
	if (ring_try_open(files[0], 0, &ring))
		die("ring");
	files[1] = ring.fd;
	dev_start(files[0]);
	call_getppid(CALLS);
	send_files(pair[0], files);
	CHECK(waitpid(pid, &status, 0) == pid && !status);

	tap_case("it was not the only one of the ring: nothing is there twice");
	CHECK_EQ(dev_stats_sum(files[0]).recorded, CALLS);
	CHECK_EQ(kprobes_count(), 0);
	close(files[0]);
	close(files[1]);
	CHECK_EQ(module_unload(), 0);
	module_load();
	return tap_done();
}
