// SPDX-License-Identifier: GPL-2.0-only
/* See tl_bed.h. */
#include <fcntl.h>
#include <sys/mman.h>

#include "tl_bed.h"

uint64_t bed_place, bed_return_place;

/* The first argument of a tracepoint. */
const struct tl_insn bed_prog_first[2] = {
	{ TL_OP_PUT_REG, 8, 0 }, { TL_OP_END, 0, 0 },
};

void bed_nothing(struct bed *bed)
{
	(void)bed;
}

void bed_session(struct bed *bed)
{
	bed->dev = dev_open();
}

void bed_ready(struct bed *bed)
{
	bed->dev = dev_ready(BED_PACKET_BYTES, BED_PACKETS);
}

void bed_event(struct bed *bed)
{
	bed_ready(bed);
	bed->id = dev_add(bed->dev, TL_BACKEND_KPROBE, bed_place, prog_di,
			  ARRAY_SIZE(prog_di));
}

void bed_return(struct bed *bed)
{
	bed_ready(bed);
	bed->id = dev_add(bed->dev, TL_BACKEND_KRETPROBE, bed_return_place, prog_di,
			  ARRAY_SIZE(prog_di));
}

void bed_tracepoint(struct bed *bed)
{
	bed_ready(bed);
	bed->id = dev_add_name(bed->dev, "sched_switch", bed_prog_first,
			       ARRAY_SIZE(bed_prog_first));
}

void bed_armed_tracepoint(struct bed *bed)
{
	bed_tracepoint(bed);
	dev_enable(bed->dev, bed->id);
}

void bed_function(struct bed *bed)
{
	bed_ready(bed);
	bed->id = dev_add(bed->dev, TL_BACKEND_FUNCTION,
			  symbol("do_sys_openat2"), prog_di,
			  ARRAY_SIZE(prog_di));
}

void bed_function_armed(struct bed *bed)
{
	bed_function(bed);
	dev_enable(bed->dev, bed->id);
}

void bed_armed(struct bed *bed)
{
	bed_event(bed);
	dev_enable(bed->dev, bed->id);
}

void bed_running(struct bed *bed)
{
	bed_armed(bed);
	dev_start(bed->dev);
}

void bed_ring(struct bed *bed)
{
	struct tl_ring_open open;

	bed_running(bed);
	if (ring_try_open(bed->dev, 0, &open))
		die("no ring");
	bed->ring = open.fd;
}

void bed_held(struct bed *bed)
{
	bed_running(bed);
	if (dev_session_ctl(bed->dev, TL_SESSION_SNAPSHOT))
		die("no snapshot");
}

/* A packet is there: of this CPU, which is 0. */
void bed_packet(struct bed *bed)
{
	bed_ring(bed);
	close(open("/dev/null", O_RDONLY));
	dev_flush(bed->dev);
}

void bed_map(struct bed *bed)
{
	bed_ring(bed);
	bed->map = mmap(NULL, BED_MAP_BYTES, PROT_READ, MAP_SHARED, bed->ring, 0);
	if (bed->map == MAP_FAILED)
		die("no mapping");
}

void bed_clear(struct bed *bed)
{
	if (bed->map)
		munmap(bed->map, BED_MAP_BYTES);
	if (bed->ring >= 0)
		close(bed->ring);
	if (bed->dev >= 0)
		close(bed->dev);
}
