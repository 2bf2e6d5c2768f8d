// SPDX-License-Identifier: GPL-2.0-only
/* The module stays while anybody has anything of it, and goes afterwards. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/socket.h>

#include "tl.h"

/* Unloading works, and the module can be used again. */
static void check_unload(void)
{
	CHECK_EQ(kprobes_count(), 0);
	CHECK_EQ(module_unload(), 0);
	CHECK(access("/dev/trapline", F_OK));
	module_load();
	CHECK(!access("/dev/trapline", R_OK | W_OK));
}

static int armed_session(void)
{
	int dev = dev_ready(4096, 2);
	uint32_t id = dev_add(dev, TL_BACKEND_KPROBE,
			      symbol("__x64_sys_getppid"), prog_di,
			      ARRAY_SIZE(prog_di));

	dev_enable(dev, id);
	dev_start(dev);
	return dev;
}

/* Put a file's last reference into a message that nobody has received. */
static int hide_fd(int fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(int)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS } };
	struct iovec data = { .iov_base = "", .iov_len = 1 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	int pair[2];

	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) ||
	    sendmsg(pair[0], &message, 0) != 1)
		die("sendmsg");
	close(fd);
	close(pair[0]);
	return pair[1];
}

int main(void)
{
	const struct tl_meta *meta;
	struct ring ring;
	int dev, hidden, i;

	tap_case("unload and load, five times");
	for (i = 0; i < 5; i++)
		check_unload();

	tap_case("an open session, not set up, refuses the unload");
	dev = dev_open();
	CHECK_EQ(module_unload(), -EWOULDBLOCK);
	close(dev);
	check_unload();

	tap_case("an armed session refuses the unload");
	dev = armed_session();
	CHECK_EQ(module_unload(), -EWOULDBLOCK);
	CHECK_EQ(kprobes_count(), 1);
	close(dev);
	check_unload();

	tap_case("a ring file alone refuses the unload, its probes are gone");
	dev = armed_session();
	ring_open(dev, 1, &ring);
	munmap((void *)ring.map, ring.bytes);
	close(dev);
	CHECK_EQ(kprobes_count(), 0);
	CHECK_EQ(module_unload(), -EWOULDBLOCK);
	close(ring.fd);
	check_unload();

	tap_case("a mapping alone refuses the unload, and can still be read");
	dev = armed_session();
	ring_open(dev, 0, &ring);
	close(dev);
	close(ring.fd);
	CHECK_EQ(module_unload(), -EWOULDBLOCK);
	meta = (const struct tl_meta *)ring.map;
	CHECK_EQ(meta->format, TL_FORMAT);
	CHECK_EQ(meta->map_bytes, ring.bytes);
	for (i = 0; i < 3; i++)
		CHECK_EQ(*(const uint32_t *)(ring.map + meta->data_offset +
					     i * meta->packet_bytes),
			 TL_PACKET_MAGIC);
	munmap((void *)ring.map, ring.bytes);
	check_unload();

	tap_case("a session that is on its way between processes, too");
	hidden = hide_fd(armed_session());
	CHECK_EQ(kprobes_count(), 1);
	CHECK_EQ(module_unload(), -EWOULDBLOCK);
	close(hidden);
	CHECK(kprobes_wait_none(2000));
	check_unload();
	return tap_done();
}
