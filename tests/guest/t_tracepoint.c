// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints: which one a name means, what is refused, each hit counted, as many
 * as perf counts, and a module that goes and comes back while it is probed.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tl.h"
#include "tl_perf.h"

#define CALLS 2000u
#define PASS "cat /sys/module/traced/parameters/pass >/dev/null"

/* All twelve arguments, 8 bytes each. */
static struct tl_insn prog_all[TL_TRACEPOINT_ARGS + 1];
static const struct tl_insn prog_first[] = {
	{ TL_OP_PUT_REG, 8, 0 }, { TL_OP_END, 0, 0 },
};

/*
 * The system call of this number in this thread; the filter's last comparison
 * leads to the rejection behind it, the first one, too.
 */
#define EQUAL(distance, bytes) \
	(TL_TEST_IF_TRUE | (distance) | (bytes) << TL_TEST_BYTES_SHIFT)
#define THREAD 3
static struct tl_insn prog_call[] = {
	{ TL_OP_REG, 0, 8 },
	{ TL_OP_TEST, EQUAL(2, 4u), SYS_getppid },
	{ TL_OP_REJECT, 0, 0 },
	{ TL_OP_TASK, TL_TASK_TID, 0 },
	{ TL_OP_TEST, EQUAL(2, 4u), 0 },
	{ TL_OP_REJECT, 0, 0 },
	{ TL_OP_PUT_REG, 8, 8 },
	{ TL_OP_END, 0, 0 },
};

static void shell(const char *command)
{
	if (system(command))
		die("%s", command);
}

static int try_place(int dev, uint32_t backend,
		     const struct tl_event_place *place, uint32_t *code)
{
	struct tl_event_add add = {
		.size = sizeof(add),
		.backend = backend,
		.places = (uintptr_t)place,
		.place_count = 1,
		.insns = (uintptr_t)prog_first,
		.insn_count = ARRAY_SIZE(prog_first),
	};
	int err = dev_ioctl(dev, TL_EVENT_ADD, &add);

	*code = add.error.code;
	return err;
}

static void test_names(int dev)
{
	static const struct {
		const char *name;
		int err;
		uint32_t code;
	} names[] = {
		{ "sched_switch", 0, 0 },
		{ "sys_enter", 0, 0 },
		{ "sys_enter_openat", -ENOENT, TL_ERR_TRACEPOINT },
		{ "", -ENOENT, TL_ERR_TRACEPOINT },
		{ "traced_few", -ENOENT, TL_ERR_TRACEPOINT },
		{ ":traced_few", -ENOENT, TL_ERR_TRACEPOINT },
		{ "sched_switch:", -ENOENT, TL_ERR_TRACEPOINT },
		/* the module may come */
		{ "traced:traced_few", 0, 0 },
		{ "traced:sched_switch", 0, 0 },
		{ NULL, -EFAULT, TL_ERR_NONE },
		{ (const char *)8, -EFAULT, TL_ERR_NONE },
	};
	struct tl_event_add add;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		tap_case("name %zu", i);
		CHECK_EQ(dev_try_add_name(dev, names[i].name, prog_first,
					  ARRAY_SIZE(prog_first), &add),
			 names[i].err);
		CHECK_EQ(add.error.code, names[i].code);
	}
}

/* Told by its name, and by nothing else. */
static void test_places(int dev)
{
	static char long_name[TL_SYMBOL_BYTES_MAX + 1];
	const struct tl_event_place good = {
		.size = sizeof(good),
		.flags = TL_PLACE_SYMBOL,
		.symbol = (uintptr_t)"sched_switch",
	};
	struct tl_event_place place = good;
	uint32_t code;

	tap_case("a name that does not end");
	memset(long_name, 'a', TL_SYMBOL_BYTES_MAX);
	place.symbol = (uintptr_t)long_name;
	CHECK_EQ(try_place(dev, TL_BACKEND_TRACEPOINT, &place, &code), -EINVAL);
	CHECK_EQ(code, TL_ERR_PLACE_NAME);
	long_name[TL_SYMBOL_BYTES_MAX - 1] = '\0';
	CHECK_EQ(try_place(dev, TL_BACKEND_TRACEPOINT, &place, &code), -ENOENT);

	tap_case("an address, an offset, no flag");
	place = good;
	place.address = 8;
	CHECK_EQ(try_place(dev, TL_BACKEND_TRACEPOINT, &place, &code), -EINVAL);
	CHECK_EQ(code, TL_ERR_PLACE_NAME);
	place = good;
	place.offset = 1;
	CHECK_EQ(try_place(dev, TL_BACKEND_TRACEPOINT, &place, &code), -EINVAL);
	CHECK_EQ(code, TL_ERR_PLACE_NAME);
	place = good;
	place.flags = 0;
	CHECK_EQ(try_place(dev, TL_BACKEND_TRACEPOINT, &place, &code), -EINVAL);
	CHECK_EQ(code, TL_ERR_PLACE_NAME);

	tap_case("a function is no tracepoint's name");
	CHECK_EQ(try_place(dev, TL_BACKEND_KPROBE, &good, &code), -EINVAL);
	CHECK_EQ(code, TL_ERR_PLACE_SYMBOL);
}

static void test_programs(int dev)
{
	static const struct {
		struct tl_insn load;
		uint32_t code;
	} cases[] = {
		{ { TL_OP_REG, 0, 8 * (TL_TRACEPOINT_ARGS - 1) }, TL_ERR_NONE },
		{ { TL_OP_REG, 0, 8 * TL_TRACEPOINT_ARGS }, TL_ERR_PROG_REGISTER },
		{ { TL_OP_REG, 0, REG_DI }, TL_ERR_PROG_REGISTER },
		{ { TL_OP_SP, 0, 0 }, TL_ERR_PROG_FRAME },
		{ { TL_OP_STACK, 0, 0 }, TL_ERR_PROG_FRAME },
		{ { TL_OP_RETVAL, 0, 0 }, TL_ERR_PROG_CONTEXT },
		{ { TL_OP_REG, TL_REG_ENTRY, 0 }, TL_ERR_PROG_CONTEXT },
		{ { TL_OP_PLACE, 0, 0 }, TL_ERR_NONE },
	};
	struct tl_event_add add;
	size_t i;

	tap_case("a program loads arguments, and nothing else of the place");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct tl_insn insns[] = {
			cases[i].load, { TL_OP_PUT, 8, 0 }, { TL_OP_END, 0, 0 },
		};

		CHECK_EQ(dev_try_add_name(dev, "sys_enter", insns,
					  ARRAY_SIZE(insns), &add),
			 cases[i].code ? -EINVAL : 0);
		CHECK_EQ(add.error.code, cases[i].code);
	}
}

/* ---- beside perf ------------------------------------------------------ */

/* Twice the same calls: what the kernel's own event counts, we count. */
static void test_perf(int dev)
{
	static struct rings rings;
	struct tl_stats stats;
	uint32_t enter, leave;
	int perf, sampler;

	prog_call[THREAD + 1].imm = (uint64_t)syscall(SYS_gettid);
	enter = dev_add_name(dev, "sys_enter", prog_call, ARRAY_SIZE(prog_call));
	/* the registers, where the number was, then what is returned */
	leave = dev_add_name(dev, "sys_exit", prog_call + THREAD,
			     ARRAY_SIZE(prog_call) - THREAD);
	rings.payload_bytes[enter] = 8;
	rings.payload_bytes[leave] = 8;
	rings_open(dev, &rings);
	perf = perf_open("raw_syscalls/sys_enter", "id == 110");
	sampler = perf_open_ring("raw_syscalls/sys_enter", "id == 110");
	dev_start(dev);
	dev_enable(dev, enter);
	dev_enable(dev, leave);
	call_getppid(CALLS);
	dev_stop(dev);
	stats = dev_stats(dev, enter);

	tap_case("system calls: as many as were made, and as perf counts");
	CHECK_EQ(perf_count(perf), CALLS);
	CHECK_EQ(stats.recorded, CALLS);
	CHECK_EQ(stats_hits(&stats), stats.hits);
	CHECK_EQ(stats.recursion, 0);
	CHECK_EQ(stats.nmissed, 0);
	CHECK(stats.filtered > 0);

	tap_case("and as perf has records of in a ring of its own");
	CHECK_EQ(perf_ring_records(sampler), CALLS);

	tap_case("their ends, with those of the commands around");
	stats = dev_stats(dev, leave);
	CHECK(stats.recorded >= CALLS && stats.recorded <= CALLS + 10);
	CHECK_EQ(stats_hits(&stats), stats.hits);

	tap_case("all of them are in the rings");
	CHECK(rings_drain(&rings));
	CHECK_EQ(rings.errors, 0);
	CHECK_EQ(rings.records[enter], CALLS);
	CHECK_EQ(rings.records[leave], stats.recorded);
	rings_close(&rings);
	perf_close_ring(sampler);
	close(perf);
}

/* ---- faults ----------------------------------------------------------- */

/*
 * A handler that reads user memory which is not there faults, and the fault has
 * a tracepoint: a hit in the middle of the handler, in its own context. That is
 * a recursion, counted one by one.
 */
static void test_recursion(void)
{
	static const struct tl_insn prog_bad[] = {
		{ TL_OP_TASK, TL_TASK_TID, 0 },
		{ TL_OP_TEST, EQUAL(2, 4u), 0 },
		{ TL_OP_REJECT, 0, 0 },
		{ TL_OP_REG, 0, 0 },
		{ TL_OP_DEREF, 8, REG_DI },
		{ TL_OP_PUT_STRING, 16 | TL_ARG_USER, 0 },
		{ TL_OP_END, 0, 0 },
	};
	static struct tl_insn prog[ARRAY_SIZE(prog_bad)];
	int dev = dev_ready(65536, 16);
	char *nothing = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t reads, faults, i;
	struct tl_stats stats;

	memcpy(prog, prog_bad, sizeof(prog));
	prog[1].imm = (uint64_t)syscall(SYS_gettid);
	reads = dev_add_name(dev, "sys_enter", prog, ARRAY_SIZE(prog));
	faults = dev_add_name(dev, "page_fault_kernel", prog_first,
			      ARRAY_SIZE(prog_first));
	dev_enable(dev, faults);
	dev_start(dev);
	dev_enable(dev, reads);
	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid, nothing);
	dev_stop(dev);

	tap_case("user memory that is not there is a fault");
	stats = dev_stats(dev, reads);
	CHECK(stats.faults >= CALLS);
	CHECK(stats.recorded >= CALLS);
	CHECK_EQ(stats.recursion, 0);
	CHECK_EQ(stats_hits(&stats), stats.hits);

	tap_case("the handler's own faults are recursions");
	stats = dev_stats(dev, faults);
	CHECK(stats.recursion >= CALLS);
	CHECK_EQ(stats_hits(&stats), stats.hits);
	munmap(nothing, 4096);
	close(dev);
}

/* ---- modules ---------------------------------------------------------- */

static uint64_t last_args[TL_TRACEPOINT_ARGS];

static void keep_args(const struct record *record, struct rings *rings)
{
	(void)rings;
	memcpy(last_args, record->payload, sizeof(last_args));
}

/* The n-th pass, n up to 9; what is above the bytes of a type is anything. */
static void check_args(int n)
{
	CHECK_EQ((uint8_t)last_args[0], 200 + n);
	CHECK_EQ((int16_t)last_args[1], -300 - n);
	CHECK_EQ((int32_t)last_args[2], -70000 - n);
	CHECK_EQ(last_args[3], -5000000000 - n);
	CHECK_EQ(last_args[5], 1ull << 63 | n);
	CHECK_EQ((uint8_t)last_args[6], n & 1);
	CHECK_EQ((char)last_args[7], 'g' + n);
	CHECK_EQ((uint32_t)last_args[8], 4000000000u + n);
	CHECK_EQ(last_args[9], -6000000000 - n);
	CHECK_EQ((uint16_t)last_args[11], 65000 + n);
}

static void make_all(void)
{
	uint32_t i;

	for (i = 0; i < TL_TRACEPOINT_ARGS; i++)
		prog_all[i] = (struct tl_insn){ TL_OP_PUT_REG, 8, 8 * i };
	prog_all[i].op = TL_OP_END;
}

/* Events that are added before their module is there. */
static void test_waiting(int dev, uint32_t many, uint32_t idle)
{
	const uint32_t never = dev_add_name(dev, "traced:sched_switch", prog_all,
					    ARRAY_SIZE(prog_all));

	dev_enable(dev, many);
	dev_enable(dev, never);
	dev_start(dev);
	tap_case("events wait for their module");
	CHECK_EQ(dev_stats(dev, many).state, TL_EVENT_PENDING);
	CHECK_EQ(dev_stats(dev, many).address, 0);
	CHECK_EQ(dev_stats(dev, never).state, TL_EVENT_PENDING);
	CHECK_EQ(dev_stats(dev, idle).state, TL_EVENT_OFF);
	shell("insmod traced.ko");
	CHECK_EQ(dev_stats(dev, many).state, TL_EVENT_ARMED);
	CHECK(dev_stats(dev, many).address);
	CHECK_EQ(dev_stats(dev, never).state, TL_EVENT_REFUSED);
	CHECK_EQ(dev_stats(dev, never).error.code, TL_ERR_PLACE_MISSING);
}

/* The module goes, and comes again. */
static void test_again(int dev, uint32_t many, uint32_t idle)
{
	tap_case("the module goes: it is not held, counters stay");
	shell("rmmod traced");
	CHECK_EQ(dev_stats(dev, many).state, TL_EVENT_GONE);
	CHECK_EQ(dev_stats(dev, many).recorded, 2);
	CHECK_EQ(dev_stats(dev, idle).state, TL_EVENT_OFF);

	tap_case("it is back, and so is what was armed");
	shell("insmod traced.ko");
	CHECK_EQ(dev_stats(dev, many).state, TL_EVENT_ARMED);
	dev_enable(dev, idle);
	CHECK_EQ(dev_stats(dev, idle).state, TL_EVENT_ARMED);
	shell(PASS);
	CHECK_EQ(dev_stats(dev, many).recorded, 3);
	CHECK_EQ(dev_stats(dev, idle).recorded, 1);

	tap_case("what is disarmed while it is gone stays so");
	shell("rmmod traced");
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_DISABLE, &idle, 1, NULL), 0);
	CHECK_EQ(dev_event_ctl(dev, TL_EVENT_REMOVE, &idle, 1, NULL), 0);
	shell("insmod traced.ko");
	shell(PASS);
	CHECK_EQ(dev_stats(dev, many).recorded, 4);
}

static void test_module(void)
{
	static struct rings rings;
	int dev = dev_ready(4096, 8);
	uint32_t many, idle, i;

	/* and the calls: records are in their order */
	pin(0);
	make_all();
	many = dev_add_name(dev, "traced:traced_many", prog_all, ARRAY_SIZE(prog_all));
	idle = dev_add_name(dev, "traced:traced_few", prog_all, ARRAY_SIZE(prog_all));
	for (i = 0; i < 2; i++)
		rings.payload_bytes[i] = sizeof(last_args);
	rings.on_record = keep_args;
	rings_open(dev, &rings);
	test_waiting(dev, many, idle);
	shell(PASS);
	shell(PASS);

	tap_case("twelve arguments");
	dev_flush(dev);
	rings_drain(&rings);
	CHECK_EQ(rings.records[many], 2);
	check_args(2);

	test_again(dev, many, idle);

	tap_case("the session ends with one armed");
	dev_stop(dev);
	CHECK(rings_drain(&rings));
	CHECK_EQ(rings.errors, 0);
	CHECK_EQ(rings.records[many], 4);
	rings_close(&rings);
	close(dev);
	shell("rmmod traced");
}

/* Loaded, probed, passed and unloaded, with the event armed to the end. */
static void test_cycles(void)
{
	unsigned int i, count = scaled(15);
	int dev = dev_ready(4096, 8);
	uint64_t recorded = 0;

	tap_case("%u modules come and go", count);
	dev_start(dev);
	for (i = 0; i < count; i++) {
		uint32_t id;

		shell("insmod traced.ko");
		id = dev_add_name(dev, "traced:traced_few", prog_first,
				  ARRAY_SIZE(prog_first));
		dev_enable(dev, id);
		shell(PASS "; rmmod traced");
		recorded += dev_stats(dev, id).recorded;
		CHECK_EQ(dev_stats(dev, id).state, TL_EVENT_GONE);
	}
	CHECK_EQ(recorded, count);
	close(dev);
}

int main(void)
{
	int dev = dev_ready(65536, 16);

	test_names(dev);
	test_places(dev);
	test_programs(dev);
	close(dev);
	dev = dev_ready(65536, 16);
	test_perf(dev);
	close(dev);
	test_recursion();
	test_module();
	test_cycles();
	return tap_done();
}
