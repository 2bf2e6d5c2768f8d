// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses that nothing may be read from: each is a fault of its argument, the
 * argument behind it is right, and the kernel does not complain.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tl.h"

static const uint64_t addresses[] = {
	0, 1, 0x1000, 0x7fffffffefff, 0x7ffffffffffc, 0x7fffffffffff,
	/* neither user's nor the kernel's, with and without 5-level tables */
	0x800000000000, 0x8000000000000, 0xff000000000000, 0x100000000000000,
	0x4141414141414141, 0x8000000000000000, 0xfe00000000000000,
	0xffef9d4ce8000001, 0xff7fffffffffffff, 0xffff7ffffffffff8,
	0xffff7ffffffffffc,
	/* the kernel's, but nothing there, or nothing to be read */
	0xffff800000000000, 0xffffffff00000000, 0xffffffffff600000,
	0xfffffffffffff000, 0xfffffffffffffff8, 0xfffffffffffffffc,
	0xffffffffffffffff,
};

static uint64_t probed;

/* What of an exceptional record is wanted: two faults and a good value. */
static const unsigned char *payload_of(const struct ring *ring,
				       const struct tl_ring_get *get)
{
	return ring->map + get->offset + sizeof(struct tl_packet_header) + 8;
}

/* @user: read as user memory. The third argument must be right. */
static void test(uint64_t address, uint32_t user)
{
	const struct tl_insn insns[] = {
		{ TL_OP_REG, 0, REG_DI },
		{ TL_OP_DEREF, 8, REG_SI },
		{ TL_OP_DEREF, 8 | user, 0 },
		{ TL_OP_PUT, 8, 0 },
		{ TL_OP_REG, 0, REG_DI },
		{ TL_OP_DEREF, 8, REG_SI },
		{ TL_OP_PUT_STRING, 100 | user, 0 },
		{ TL_OP_REG, 0, REG_DI },
		{ TL_OP_DEREF, 8, REG_SI },
		{ TL_OP_PUT, 8, 0 },
		{ TL_OP_END, 0, 0 },
	};
	/* three status bytes, an integer of zeros, an empty string, the value */
	unsigned char want[3 + 8 + 2 + 8] = {
		TL_STATUS_FAULT, TL_STATUS_FAULT, TL_STATUS_OK,
	};
	int dev = dev_ready(4096, 2);
	uint32_t id = dev_add(dev, TL_BACKEND_KPROBE, probed, insns,
			      ARRAY_SIZE(insns));
	struct tl_stats stats;
	struct tl_ring_get get;
	struct ring ring;

	memcpy(want + 13, &address, 8);
	ring_open(dev, 0, &ring);
	dev_enable(dev, id);
	dev_start(dev);
	syscall(SYS_lseek, -1, address, 0);
	dev_stop(dev);
	stats = dev_stats(dev, id);
	CHECK_EQ(stats.recorded, 1);
	CHECK_EQ(stats.faults, 1);
	if (CHECK_EQ(ring_get(&ring, &get), TL_RING_PACKET))
		CHECK(!memcmp(payload_of(&ring, &get), want, sizeof(want)));
	ring_close(&ring);
	close(dev);
}

int main(void)
{
	size_t i;

	pin(0);
	probed = symbol("__x64_sys_lseek");
	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		tap_case("address 0x%llx is a fault",
			 (unsigned long long)addresses[i]);
		test(addresses[i], 0);
		test(addresses[i], TL_ARG_USER);
	}
	tap_case("the kernel's text is a fault where user memory is wanted");
	test(symbol("vfs_read"), TL_ARG_USER);
	return tap_done();
}
