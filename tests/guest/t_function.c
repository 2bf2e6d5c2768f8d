// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entries of functions by ftrace: what is recorded is what a kprobe at the same
 * place records, what may not be probed is refused, and many are armed at once.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>

#include "tl.h"
#include "tl_functions.h"

#define CALLS 200u
#define MANY 500u

/* What both backends must agree on: registers, stack, place. */
static const struct tl_insn prog_all[] = {
	{ TL_OP_PUT_REG, 8, REG_DI },
	{ TL_OP_PUT_REG, 8, REG_SI },
	{ TL_OP_PUT_REG, 8, offsetof(struct user_regs_struct, rsp) },
	{ TL_OP_PUT_REG, 8, offsetof(struct user_regs_struct, rbx) },
	{ TL_OP_PUT_REG, 8, offsetof(struct user_regs_struct, r15) },
	{ TL_OP_PUT_REG, 8, offsetof(struct user_regs_struct, eflags) },
	{ TL_OP_PLACE, 0, 0 }, { TL_OP_PUT, 8, 0 },
	{ TL_OP_STACK, 0, 0 }, { TL_OP_PUT, 8, 0 },
	{ TL_OP_END, 0, 0 },
};

#define ALL_BYTES 64

static const uint32_t backends[] = { TL_BACKEND_FUNCTION, TL_BACKEND_KPROBE };

static struct {
	unsigned char payload[2][ALL_BYTES];
	uint64_t address;
	unsigned int count, wrong_value, wrong_place;
} seen;

static void see(const struct record *record, struct rings *rings)
{
	uint64_t place;

	(void)rings;
	memcpy(seen.payload[record->id], record->payload, ALL_BYTES);
	memcpy(&place, record->payload + 48, sizeof(place));
	seen.wrong_place += place != seen.address;
	if (++seen.count % 2)
		return; /* the other one is still to come */
	seen.wrong_value += memcmp(seen.payload[0], seen.payload[1],
				   ALL_BYTES) != 0;
}

/* A hit is a record of each of them, in whatever order of the two. */
static void test_records(void)
{
	static struct rings rings;
	int dev = dev_ready(4096, 64);
	uint32_t i;

	tap_case("the same records as those of a kprobe, %u calls", CALLS);
	seen.address = symbol("__x64_sys_lseek");
	rings.on_record = see;
	for (i = 0; i < ARRAY_SIZE(backends); i++) {
		dev_enable(dev, dev_add(dev, backends[i], seen.address, prog_all,
					ARRAY_SIZE(prog_all)));
		rings.payload_bytes[i] = ALL_BYTES;
	}
	CHECK_EQ(kprobes_count(), 1);
	rings_open(dev, &rings);
	pin(1);
	dev_start(dev);
	for (i = 0; i < CALLS; i++)
		syscall(SYS_lseek, -1, i, 0);
	dev_stop(dev);
	CHECK(rings_drain(&rings));
	CHECK_EQ(rings.errors, 0);
	for (i = 0; i < ARRAY_SIZE(backends); i++) {
		CHECK_EQ(rings.records[i], CALLS);
		CHECK_EQ(dev_stats(dev, i).hits, CALLS);
		CHECK_EQ(dev_stats(dev, i).nmissed, 0);
	}
	CHECK_EQ(seen.wrong_place, 0);
	CHECK_EQ(seen.wrong_value, 0);
	rings_close(&rings);
	close(dev);
}

static void test_refusal(const char *name, uint64_t address, uint32_t code)
{
	const uint64_t good = symbol("__x64_sys_getppid");
	int dev = dev_ready(4096, 2);
	struct tl_error error;
	uint32_t ids[3];

	tap_case("refused: %s, and with it the list", name);
	ids[0] = dev_add(dev, TL_BACKEND_FUNCTION, good, prog_di, 2);
	ids[1] = dev_add(dev, TL_BACKEND_KPROBE, good, prog_di, 2);
	ids[2] = dev_add(dev, TL_BACKEND_FUNCTION, address, prog_di, 2);
	dev_start(dev);
	CHECK(dev_event_ctl(dev, TL_EVENT_ENABLE, ids, 3, &error) < 0);
	CHECK_EQ(error.code, code);
	CHECK_EQ(error.index, 2);
	CHECK(error.kernel_errno != 0);
	CHECK_EQ(kprobes_count(), 0);
	getppid();
	CHECK_EQ(dev_stats(dev, ids[0]).hits, 0);
	CHECK_EQ(dev_stats(dev, ids[0]).state, TL_EVENT_OFF);
	CHECK_EQ(functions_traced(), 0);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, ids, 2, &error), 0);
	CHECK_EQ(functions_traced(), 1);
	getppid();
	CHECK_EQ(dev_stats(dev, ids[0]).hits, 1);
	CHECK_EQ(dev_stats(dev, ids[1]).hits, 1);
	close(dev);
	CHECK_EQ(functions_traced(), 0);
	CHECK_EQ(kprobes_count(), 0);
}

/* With results: each one by itself. */
static void test_results(void)
{
	const uint64_t good = symbol("__x64_sys_getppid");
	const struct {
		uint32_t backend;
		uint64_t address;
		uint32_t code;
	} wanted[] = {
		{ TL_BACKEND_KPROBE, symbol("get_kprobe"), TL_ERR_PLACE_REFUSED },
		{ TL_BACKEND_FUNCTION, good, TL_ERR_NONE },
		{ TL_BACKEND_FUNCTION, symbol("get_kprobe"),
		  TL_ERR_PLACE_REFUSED },
		{ TL_BACKEND_KPROBE, good, TL_ERR_NONE },
		{ TL_BACKEND_FUNCTION, symbol("tl_event_hit"),
		  TL_ERR_PLACE_REFUSED },
		{ TL_BACKEND_FUNCTION, good, TL_ERR_NONE },
	};
	struct tl_error results[ARRAY_SIZE(wanted)];
	uint32_t ids[ARRAY_SIZE(wanted)], i;
	struct tl_event_ctl ctl = {
		.size = sizeof(ctl),
		.command = TL_EVENT_ENABLE,
		.id_count = ARRAY_SIZE(wanted),
		.ids = (uintptr_t)ids,
		.results = (uintptr_t)results,
	};
	int dev = dev_ready(4096, 2);

	tap_case("a list with results: what can be armed is");
	for (i = 0; i < ARRAY_SIZE(wanted); i++)
		ids[i] = dev_add(dev, wanted[i].backend, wanted[i].address,
				 prog_di, 2);
	dev_start(dev);
	memset(results, 0xee, sizeof(results));
	CHECK_EQ(dev_ioctl(dev, TL_EVENT_CTL, &ctl), 0);
	getppid();
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		const bool is_good = wanted[i].code == TL_ERR_NONE;

		CHECK_EQ(results[i].code, wanted[i].code);
		CHECK_EQ(!results[i].kernel_errno, is_good);
		CHECK_EQ(results[i].index, i);
		CHECK_EQ(dev_stats(dev, ids[i]).state,
			 is_good ? TL_EVENT_ARMED : TL_EVENT_OFF);
		CHECK_EQ(dev_stats(dev, ids[i]).hits, is_good);
	}

	tap_case("results are only for arming, and must be writable");
	ctl.results = 8;
	CHECK_EQ(dev_ioctl(dev, TL_EVENT_CTL, &ctl), -EFAULT);
	ctl.results = (uintptr_t)results;
	ctl.command = TL_EVENT_DISABLE;
	CHECK_EQ(dev_ioctl(dev, TL_EVENT_CTL, &ctl), -EINVAL);
	CHECK_EQ(ctl.error.code, TL_ERR_RESERVED);
	CHECK_EQ(dev_stats(dev, ids[1]).state, TL_EVENT_ARMED);
	close(dev);
}

/* One function of two sessions; each comes and goes as it likes. */
static void test_shared(void)
{
	const uint64_t address = symbol("__x64_sys_getppid");
	const uint64_t other = symbol("__x64_sys_getpgrp");
	int dev[2] = { dev_ready(4096, 2), dev_ready(4096, 2) };
	uint32_t id[2], beside, i;

	tap_case("two sessions on one function: one goes, the other stays");
	for (i = 0; i < 2; i++) {
		id[i] = dev_add(dev[i], TL_BACKEND_FUNCTION, address, prog_di, 2);
		dev_enable(dev[i], id[i]);
		dev_start(dev[i]);
	}
	beside = dev_add(dev[0], TL_BACKEND_FUNCTION, other, prog_di, 2);
	dev_enable(dev[0], beside);
	CHECK_EQ(functions_traced(), 2);
	call_getppid(10);
	dev_event_ctl(dev[0], TL_EVENT_DISABLE, id, 1, NULL);
	call_getppid(5);
	CHECK_EQ(dev_stats(dev[0], id[0]).hits, 10);
	CHECK_EQ(dev_stats(dev[1], id[1]).hits, 15);
	dev_enable(dev[0], id[0]);
	call_getppid(1);
	close(dev[1]);
	call_getppid(1);
	CHECK_EQ(dev_stats(dev[0], id[0]).hits, 12);
	syscall(SYS_getpgrp);
	CHECK_EQ(dev_stats(dev[0], beside).hits, 1);
	CHECK_EQ(functions_traced(), 2);
	close(dev[0]);
	CHECK_EQ(functions_traced(), 0);
}

/* In the order of making, whatever the order of arming. */
static void check_order(const struct record *record, struct rings *rings)
{
	uint32_t *expected = rings->data;

	CHECK_EQ(record->id, *expected % 3);
	++*expected;
}

static void test_order(void)
{
	const uint64_t address = symbol("__x64_sys_getppid");
	static struct rings rings;
	uint32_t expected = 0, i;
	int dev = dev_ready(4096, 8);

	tap_case("several events of one function: in the order of making");
	rings.on_record = check_order;
	rings.data = &expected;
	for (i = 0; i < 3; i++) {
		dev_add(dev, TL_BACKEND_FUNCTION, address, prog_di, 2);
		rings.payload_bytes[i] = 8;
	}
	dev_enable(dev, 2);
	dev_enable(dev, 0);
	dev_enable(dev, 1);
	rings_open(dev, &rings);
	pin(1);
	dev_start(dev);
	call_getppid(20);
	dev_stop(dev);
	CHECK(rings_drain(&rings));
	CHECK_EQ(expected, 60);
	rings_close(&rings);
	close(dev);
}

static void test_gone(void)
{
	const char *call = "cat /sys/module/target/parameters/call >/dev/null";
	uint32_t first, beside, kept;
	int dev = dev_ready(4096, 2);

	tap_case("its module goes: gone, and the others stay");
	if (module_insert("target.ko", ""))
		die("target.ko");
	kept = dev_add(dev, TL_BACKEND_FUNCTION, symbol("__x64_sys_getppid"),
		       prog_di, 2);
	first = dev_add(dev, TL_BACKEND_FUNCTION, symbol("target_call"), prog_di,
			2);
	dev_enable(dev, kept);
	dev_enable(dev, first);
	dev_start(dev);
	CHECK_EQ(system(call), 0);
	CHECK_EQ(functions_traced(), 2);
	CHECK_EQ(module_remove("target"), 0);
	CHECK_EQ(functions_traced(), 1);
	CHECK_EQ(dev_stats(dev, first).state, TL_EVENT_GONE);
	CHECK_EQ(dev_stats(dev, first).hits, 1);
	CHECK_EQ(dev_stats(dev, kept).state, TL_EVENT_ARMED);

	tap_case("it is back, and so is nothing: a new event is hit");
	if (module_insert("target.ko", ""))
		die("target.ko");
	CHECK_EQ(functions_traced(), 1);
	CHECK_EQ(system(call), 0);
	beside = dev_add(dev, TL_BACKEND_FUNCTION, symbol("target_call"),
			 prog_di, 2);
	dev_enable(dev, beside);
	CHECK_EQ(system(call), 0);
	CHECK_EQ(dev_stats(dev, first).hits, 1);
	CHECK_EQ(dev_stats(dev, beside).hits, 1);

	tap_case("it goes as the only one, and with the session");
	dev_event_ctl(dev, TL_EVENT_DISABLE, &kept, 1, NULL);
	CHECK_EQ(functions_traced(), 1);
	CHECK_EQ(module_remove("target"), 0);
	CHECK_EQ(functions_traced(), 0);
	CHECK_EQ(dev_stats(dev, beside).state, TL_EVENT_GONE);
	dev_enable(dev, kept);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_REMOVE, &first, 1, NULL), 0);
	close(dev);
	CHECK_EQ(functions_traced(), 0);
}

/**
 * struct times - of a list of events, in milliseconds
 * @arm: all of them
 * @disarm: all of them
 */
struct times {
	uint64_t arm;
	uint64_t disarm;
};

static struct times arm_many(int dev, const uint32_t *ids, uint32_t backend)
{
	uint64_t start = now_ms();
	struct times times;

	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_ENABLE, ids, MANY, NULL), 0);
	times.arm = now_ms() - start;
	CHECK_EQ(functions_traced(), MANY);
	CHECK_EQ(kprobes_count(), backend == TL_BACKEND_KPROBE ? MANY : 0);
	start = now_ms();
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_DISABLE, ids, MANY, NULL), 0);
	times.disarm = now_ms() - start;
	CHECK_EQ(functions_traced(), 0);
	CHECK_EQ(kprobes_count(), 0);
	return times;
}

/*
 * The best of some tries counts: the machine may be busy. Beside other guests it
 * is, for as long as it likes, so a time by the clock is demanded of a guest that
 * is alone, which is that of a long run. What each run demands is the proportion
 * of the two ways, see main().
 */
static struct times test_many(const char *by, uint32_t backend, const uint64_t *addresses,
		      unsigned int tries, const struct times *most)
{
	struct times best = { UINT64_MAX, UINT64_MAX }, now;
	bool in_time = is_long() && !kernel_checks_all();
	static uint32_t ids[MANY];
	int dev = dev_ready(4096, 2);
	uint64_t start = now_ms();
	uint32_t i;

	tap_case("%u functions %s, armed and disarmed%s", MANY, by,
		 in_time ? ", in time" : "");
	for (i = 0; i < MANY; i++)
		ids[i] = dev_add(dev, backend, addresses[i], prog_di, 2);
	tap_note("%s: added in %llu ms", by,
		 (unsigned long long)(now_ms() - start));
	while (tries--) {
		now = arm_many(dev, ids, backend);
		tap_note("%s: armed in %llu ms, disarmed in %llu ms", by,
			 (unsigned long long)now.arm,
			 (unsigned long long)now.disarm);
		best.arm = now.arm < best.arm ? now.arm : best.arm;
		best.disarm = now.disarm < best.disarm ? now.disarm :
							 best.disarm;
	}
	if (in_time) {
		CHECK(best.arm <= most->arm);
		CHECK(best.disarm <= most->disarm);
	}
	close(dev);
	return best;
}

int main(void)
{
	static uint64_t addresses[MANY];
	struct times quick, slow;
	int dev = dev_open();
	struct tl_query query = { .size = sizeof(query) };

	tap_case("the module has this backend");
	CHECK_EQ(dev_ioctl(dev, TL_QUERY, &query), 0);
	CHECK(query.backends & 1u << TL_BACKEND_FUNCTION);
	CHECK(query.features & TL_FEATURE_RESULTS);
	close(dev);

	test_records();
	test_refusal("a blacklisted function", symbol("get_kprobe"),
		     TL_ERR_PLACE_REFUSED);
	test_refusal("an offset", symbol("vfs_read") + 4,
		     TL_ERR_PLACE_NOT_ENTRY);
	test_refusal("data", symbol("linux_banner"), TL_ERR_PLACE_REFUSED);
	test_refusal("the handler's own code", symbol("tl_event_hit"),
		     TL_ERR_PLACE_REFUSED);
	test_results();
	test_shared();
	test_order();
	test_gone();

	functions_find(addresses, MANY);
	quick = test_many("by ftrace", TL_BACKEND_FUNCTION, addresses,
			  kernel_checks_all() ? 1 : 3,
			  &(struct times){ 1000, 1000 });
	/* each one for itself: too long where each access is checked */
	if (kernel_checks_all())
		return tap_done();
	slow = test_many("by kprobes", TL_BACKEND_KPROBE, addresses, 1,
			 &(struct times){ 8000, 6000 });
	tap_case("by ftrace it takes a fourth of the time at most");
	CHECK(quick.arm * 4 <= slow.arm);
	CHECK(quick.disarm * 4 <= slow.disarm);
	return tap_done();
}
