// SPDX-License-Identifier: GPL-2.0-only
/* Each wrong field has its errno and its reason, and changes nothing. */
#include "tl.h"

static uint64_t probed;

/* ---- setup ------------------------------------------------------------ */

static void test_setup_wrong(int dev)
{
	static const struct {
		const char *name;
		struct tl_session_setup setup;
		int result;
		uint32_t code;
	} wrong[] = {
		{ "flags", { .flags = 1 }, -EINVAL, TL_ERR_FLAGS },
		{ "high flags", { .flags = 1u << 31 }, -EINVAL, TL_ERR_FLAGS },
		{ "mode", { .mode = 2 }, -EINVAL, TL_ERR_MODE },
		{ "high mode", { .mode = 1u << 31 }, -EINVAL, TL_ERR_MODE },
		{ "clock", { .clock = 1 }, -EINVAL, TL_ERR_CLOCK },
		{ "reserved", { .reserved = 1 }, -EINVAL, TL_ERR_RESERVED },
		{ "packet of 1", { .packet_bytes = 1 }, -EINVAL,
		  TL_ERR_PACKET_BYTES },
		{ "packet of 2048", { .packet_bytes = 2048 }, -EINVAL,
		  TL_ERR_PACKET_BYTES },
		{ "packet of 4097", { .packet_bytes = 4097 }, -EINVAL,
		  TL_ERR_PACKET_BYTES },
		{ "packet of 12288", { .packet_bytes = 12288 }, -EINVAL,
		  TL_ERR_PACKET_BYTES },
		{ "packet of 2^31", { .packet_bytes = 1u << 31 }, -EINVAL,
		  TL_ERR_PACKET_BYTES },
		{ "packet of 2^32 - 1", { .packet_bytes = -1u }, -EINVAL,
		  TL_ERR_PACKET_BYTES },
		{ "1 packet", { .packet_count = 1 }, -EINVAL,
		  TL_ERR_PACKET_COUNT },
		{ "3 packets", { .packet_count = 3 }, -EINVAL,
		  TL_ERR_PACKET_COUNT },
		{ "2^31 packets", { .packet_count = 1u << 31 }, -EINVAL,
		  TL_ERR_PACKET_COUNT },
		{ "watermark", { .packet_count = 4, .watermark = 5 }, -EINVAL,
		  TL_ERR_WATERMARK },
		{ "watermark of all", { .packet_count = 4, .watermark = 4 },
		  -EINVAL, TL_ERR_WATERMARK },
		{ "high watermark", { .watermark = -1u }, -EINVAL,
		  TL_ERR_WATERMARK },
	};
	struct tl_session_setup setup;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		tap_case("setup: %s", wrong[i].name);
		setup = wrong[i].setup;
		setup.size = sizeof(setup);
		CHECK_EQ(dev_ioctl(dev, TL_SESSION_SETUP, &setup),
			 wrong[i].result);
		CHECK_EQ(setup.error.code, wrong[i].code);
	}
}

static void test_setup_after_refusals(int dev)
{
	struct tl_query query = { .size = sizeof(query) };
	struct tl_session_setup setup;

	tap_case("setup: more memory than the module allows");
	if (dev_ioctl(dev, TL_QUERY, &query))
		die("query");
	memset(&setup, 0, sizeof(setup));
	setup.size = sizeof(setup);
	setup.packet_bytes = query.packet_bytes_max;
	setup.packet_count = query.packet_count_max;
	CHECK_EQ(dev_ioctl(dev, TL_SESSION_SETUP, &setup), -ENOMEM);
	CHECK_EQ(setup.error.code, TL_ERR_MEMORY_LIMIT);

	tap_case("setup: works after all refusals");
	memset(&setup, 0, sizeof(setup));
	setup.size = sizeof(setup);
	/* what is out may be anything on the way in */
	memset(&setup.uuid, 0xff, sizeof(setup.uuid));
	setup.error.code = 77;
	setup.ring_bytes = 1;
	CHECK_EQ(dev_ioctl(dev, TL_SESSION_SETUP, &setup), 0);
	CHECK_EQ(setup.error.code, 0);
	CHECK_EQ(setup.ring_bytes, 4096 + 17 * 65536);
	CHECK(setup.realtime_offset_ns > 0);
}

static void test_setup(void)
{
	int dev = dev_open();

	test_setup_wrong(dev);
	test_setup_after_refusals(dev);
	close(dev);
}

/* ---- add -------------------------------------------------------------- */

static struct tl_event_place place;

static void good_add(struct tl_event_add *add)
{
	memset(&place, 0, sizeof(place));
	place.size = sizeof(place);
	place.address = probed;
	memset(add, 0, sizeof(*add));
	add->size = sizeof(*add);
	add->backend = TL_BACKEND_KPROBE;
	add->places = (uintptr_t)&place;
	add->place_count = 1;
	add->insns = (uintptr_t)prog_di;
	add->insn_count = ARRAY_SIZE(prog_di);
}

/* Refused as it should be? */
static void refused(int dev, struct tl_event_add *add, const char *name,
		    int result, uint32_t code)
{
	tap_case("add: %s", name);
	CHECK_EQ(dev_ioctl(dev, TL_EVENT_ADD, add), result);
	CHECK_EQ(add->error.code, code);
	good_add(add);
}

static void test_add_fields(int dev)
{
	struct tl_event_add add;

	good_add(&add);
	add.flags = 1;
	refused(dev, &add, "flags", -EINVAL, TL_ERR_FLAGS);
	add.reserved = 1;
	refused(dev, &add, "reserved", -EINVAL, TL_ERR_RESERVED);
	add.backend = 0;
	refused(dev, &add, "backend 0", -EINVAL, TL_ERR_BACKEND);
	add.backend = 5;
	refused(dev, &add, "backend 5", -EINVAL, TL_ERR_BACKEND);
	add.backend = -1u;
	refused(dev, &add, "backend 2^32 - 1", -EINVAL, TL_ERR_BACKEND);
	add.maxactive = 1;
	refused(dev, &add, "maxactive at entry", -EINVAL, TL_ERR_MAXACTIVE);
	add.backend = TL_BACKEND_KRETPROBE;
	add.maxactive = 4097;
	refused(dev, &add, "maxactive of 4097", -EINVAL, TL_ERR_MAXACTIVE);
	add.backend = TL_BACKEND_KRETPROBE;
	add.maxactive = -1u;
	refused(dev, &add, "maxactive of 2^32 - 1", -EINVAL, TL_ERR_MAXACTIVE);
	add.insn_count = 0;
	refused(dev, &add, "no instructions", -EINVAL, TL_ERR_PROG_LENGTH);
	add.insn_count = TL_PROG_INSNS_MAX + 1;
	refused(dev, &add, "too many instructions", -EINVAL,
		TL_ERR_PROG_LENGTH);
	add.insn_count = -1u;
	refused(dev, &add, "2^32 - 1 instructions", -EINVAL,
		TL_ERR_PROG_LENGTH);
	add.insns = 0;
	refused(dev, &add, "instructions at NULL", -EFAULT, TL_ERR_NONE);
	add.insns = 0xffffffff81000000;
	refused(dev, &add, "instructions in the kernel", -EFAULT, TL_ERR_NONE);
	add.place_count = 0;
	refused(dev, &add, "no place", -EINVAL, TL_ERR_PLACES);
	add.place_count = 2;
	refused(dev, &add, "two places", -EINVAL, TL_ERR_PLACES);
	add.place_count = -1u;
	refused(dev, &add, "2^32 - 1 places", -EINVAL, TL_ERR_PLACES);
	add.places = 0;
	refused(dev, &add, "places at NULL", -EFAULT, TL_ERR_NONE);
}

static void test_add_place(int dev)
{
	static const struct {
		const char *name;
		struct tl_event_place place;
		int result;
		uint32_t code;
	} wrong[] = {
		{ "size 0", { .size = 0 }, -EINVAL, TL_ERR_SIZE },
		{ "size 8", { .size = 8 }, -EINVAL, TL_ERR_SIZE },
		{ "huge size", { .size = -1u }, -EINVAL, TL_ERR_SIZE },
		{ "flags", { .size = sizeof(place), .flags = 2 }, -EINVAL,
		  TL_ERR_FLAGS },
		{ "symbol", { .size = sizeof(place), .symbol = 1 },
		  -EINVAL, TL_ERR_RESERVED },
		{ "offset", { .size = sizeof(place), .offset = 1 },
		  -EINVAL, TL_ERR_RESERVED },
		{ "address 0", { .size = sizeof(place) }, -EINVAL,
		  TL_ERR_PLACE_ADDRESS },
		{ "address 1", { .size = sizeof(place), .address = 1 }, -EINVAL,
		  TL_ERR_PLACE_ADDRESS },
		{ "address of user memory", { .size = sizeof(place),
		  .address = 0x400000 }, -EINVAL, TL_ERR_PLACE_ADDRESS },
		{ "address that is none", { .size = sizeof(place),
		  .address = 0x8000000000000000 }, -EINVAL,
		  TL_ERR_PLACE_ADDRESS },
		{ "the last address", { .size = sizeof(place),
		  .address = -1ull }, -EINVAL, TL_ERR_PLACE_ADDRESS },
	};
	struct {
		struct tl_event_place place;
		uint64_t more;
	} longer = { .more = 1 };
	struct tl_event_add add;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		char name[64];

		snprintf(name, sizeof(name), "place: %s", wrong[i].name);
		good_add(&add);
		place = wrong[i].place;
		refused(dev, &add, name, wrong[i].result, wrong[i].code);
	}
	longer.place = place;
	longer.place.size = sizeof(longer);
	add.places = (uintptr_t)&longer;
	refused(dev, &add, "place: longer and not zero", -E2BIG, TL_ERR_SIZE);
}

/* ---- the others ------------------------------------------------------- */

static void test_event_ctl(int dev, uint32_t id)
{
	static uint32_t many[65537];
	const uint32_t unknown[] = { id, 999 }, twice[] = { id, id };
	const uint32_t removed[] = { 0xffffffff };
	struct tl_error error;

	tap_case("event ctl: unknown commands");
	CHECK_EQ(dev_event_ctl(dev, 0, &id, 1, &error), -EINVAL);
	CHECK_EQ(error.code, TL_ERR_COMMAND);
	CHECK_EQ(dev_event_ctl(dev, 4, &id, 1, &error), -EINVAL);
	CHECK_EQ(dev_event_ctl(dev, -1u, &id, 1, &error), -EINVAL);
	CHECK_EQ(error.code, TL_ERR_COMMAND);

	tap_case("event ctl: no events, or too many");
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, &id, 0, &error), -EINVAL);
	CHECK_EQ(error.code, TL_ERR_ID_COUNT);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, many, 65537, &error),
		 -EINVAL);
	CHECK_EQ(error.code, TL_ERR_ID_COUNT);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, &id, -1u, &error), -EINVAL);
	CHECK_EQ(error.code, TL_ERR_ID_COUNT);

	tap_case("event ctl: a list at NULL, or longer than its memory");
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, NULL, 1, &error), -EFAULT);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, (void *)1, 1, &error),
		 -EFAULT);

	tap_case("event ctl: a number of no event, and where it is");
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, unknown, 2, &error),
		 -ENOENT);
	CHECK_EQ(error.code, TL_ERR_EVENT_ID);
	CHECK_EQ(error.index, 1);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_REMOVE, removed, 1, &error),
		 -ENOENT);

	tap_case("event ctl: an event listed twice, and where it is");
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, twice, 2, &error), -EINVAL);
	CHECK_EQ(error.code, TL_ERR_EVENT_TWICE);
	CHECK_EQ(error.index, 1);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_REMOVE, twice, 2, &error), -EINVAL);
}

static void test_stats(int dev)
{
	static const struct {
		const char *name;
		struct tl_stats stats;
		int result;
		uint32_t code;
	} wrong[] = {
		{ "flags", { .flags = 1, .selector = TL_STATS_SESSION }, -EINVAL,
		  TL_ERR_FLAGS },
		{ "selector 0", { .cpu = TL_CPU_ALL }, -EINVAL, TL_ERR_COMMAND },
		{ "selector 3", { .selector = 3, .cpu = TL_CPU_ALL }, -EINVAL,
		  TL_ERR_COMMAND },
		{ "a session with a number", { .selector = TL_STATS_SESSION,
		  .id = 1, .cpu = TL_CPU_ALL }, -EINVAL, TL_ERR_EVENT_ID },
		{ "no such event", { .selector = TL_STATS_EVENT, .id = 99,
		  .cpu = TL_CPU_ALL }, -ENOENT, TL_ERR_EVENT_ID },
		{ "no such CPU", { .selector = TL_STATS_SESSION, .cpu = 2 },
		  -ENXIO, TL_ERR_CPU },
		{ "a CPU far away", { .selector = TL_STATS_SESSION,
		  .cpu = 0xfffffffe }, -ENXIO, TL_ERR_CPU },
	};
	struct tl_stats dirty;
	size_t i;

	memset(&dirty, 0xa5, sizeof(dirty));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct tl_stats stats = wrong[i].stats;

		tap_case("stats: %s", wrong[i].name);
		stats.size = sizeof(stats);
		CHECK_EQ(dev_ioctl(dev, TL_STATS, &stats), wrong[i].result);
		CHECK_EQ(stats.error.code, wrong[i].code);
	}

	tap_case("stats: what was in the fields of the answer does not matter");
	dirty.size = sizeof(dirty);
	dirty.flags = 0;
	dirty.selector = TL_STATS_SESSION;
	dirty.id = 0;
	dirty.cpu = TL_CPU_ALL;
	CHECK_EQ(dev_ioctl(dev, TL_STATS, &dirty), 0);
	CHECK_EQ(dirty.state, 0);
	CHECK_EQ(dirty.hits, 0);
	CHECK_EQ(stats_hits(&dirty), 0);
	CHECK_EQ(dirty.faults + dirty.truncated + dirty.nmissed, 0);
}

static void test_others(int dev)
{
	struct tl_session_ctl ctl = { .size = sizeof(ctl), .reserved = 1,
				      .command = TL_SESSION_START };
	struct tl_ring_get get = { .size = sizeof(get), .reserved = 1 };
	struct tl_ring_open open;

	tap_case("session ctl: reserved");
	CHECK_EQ(dev_ioctl(dev, TL_SESSION_CTL, &ctl), -EINVAL);
	CHECK_EQ(ctl.error.code, TL_ERR_RESERVED);

	tap_case("session ctl: unknown commands");
	ctl.reserved = 0;
	ctl.command = 0;
	CHECK_EQ(dev_ioctl(dev, TL_SESSION_CTL, &ctl), -EINVAL);
	CHECK_EQ(ctl.error.code, TL_ERR_COMMAND);
	ctl.command = 6;
	CHECK_EQ(dev_ioctl(dev, TL_SESSION_CTL, &ctl), -EINVAL);
	CHECK_EQ(ctl.error.code, TL_ERR_COMMAND);

	tap_case("ring open: no such CPU");
	CHECK_EQ(ring_try_open(dev, 2, &open), -ENXIO);
	CHECK_EQ(open.error.code, TL_ERR_CPU);
	CHECK_EQ(ring_try_open(dev, TL_CPU_ALL, &open), -ENXIO);
	CHECK_EQ(open.error.code, TL_ERR_CPU);

	tap_case("get: reserved");
	if (ring_try_open(dev, 0, &open))
		die("ring");
	CHECK_EQ(dev_ioctl(open.fd, TL_RING_GET, &get), -EINVAL);
	close(open.fd);
}

int main(void)
{
	struct tl_stats stats;
	uint32_t id;
	int dev;

	probed = symbol("__x64_sys_getppid");
	test_setup();
	dev = dev_ready(4096, 2);
	id = dev_add(dev, TL_BACKEND_KPROBE, probed, prog_di, 2);
	test_add_fields(dev);
	test_add_place(dev);
	test_event_ctl(dev, id);
	test_stats(dev);
	test_others(dev);

	tap_case("after all refusals nothing is armed, started or numbered");
	CHECK_EQ(kprobes_count(), 0);
	getppid();
	stats = dev_stats_sum(dev);
	CHECK_EQ(stats_hits(&stats), 0);
	CHECK_EQ(dev_stats(dev, id).state, TL_EVENT_OFF);
	CHECK_EQ(dev_add(dev, TL_BACKEND_KPROBE, probed, prog_di, 2), id + 1);
	CHECK_EQ(dev_session_ctl(dev, TL_SESSION_START), 0);
	close(dev);
	return tap_done();
}
