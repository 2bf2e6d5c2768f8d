// SPDX-License-Identifier: GPL-2.0-only
/* What the guest's test programs share: see tl.h. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "tl.h"

/* ---- TAP -------------------------------------------------------------- */

static struct {
	char name[256];
	unsigned int count;
	unsigned int failed;
	bool case_failed;
} tap;

static void tap_end_case(void)
{
	if (!tap.name[0])
		return;
	printf("%s - %s\n", tap.case_failed ? "not ok" : "ok", tap.name);
	fflush(stdout);
	tap.count++;
	tap.failed += tap.case_failed;
	tap.case_failed = false;
	tap.name[0] = '\0';
}

void tap_case(const char *format, ...)
{
	va_list args;

	tap_end_case();
	va_start(args, format);
	vsnprintf(tap.name, sizeof(tap.name), format, args);
	va_end(args);
}

int tap_done(void)
{
	tap_end_case();
	printf("1..%u\n", tap.count);
	fflush(stdout);
	return tap.failed || !tap.count;
}

void tap_note(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

bool is_long(void)
{
	const char *value = getenv("TRAPLINE_LONG");

	return value && !strcmp(value, "1");
}

bool kernel_checks_all(void)
{
	return !access("/sys/kernel/debug/kmemleak", F_OK);
}

unsigned int scaled(unsigned int count)
{
	return is_long() ? 10 * count : count;
}

bool has_more_rounds(unsigned int done, unsigned int count, uint64_t begin_ms)
{
	if (!is_long() || done < 10 * count)
		return done < scaled(count);
	/* a test has 900 s */
	return done < 1000 && now_ms() - begin_ms < 600000;
}

void die(const char *format, ...)
{
	int error = errno;
	va_list args;

	printf("# broken off: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(" (errno %d, %s)\n", error, strerror(error));
	fflush(stdout);
	_exit(99);
}

bool tap_check(bool good, const char *file, int line, const char *text)
{
	if (good)
		return true;
	tap.case_failed = true;
	tap_note("%s:%d: not true: %s", file, line, text);
	return false;
}

bool tap_check_equal(long long got, long long want, const char *file, int line,
		     const char *text)
{
	if (got == want)
		return true;
	tap.case_failed = true;
	tap_note("%s:%d: %s is %lld, not %lld", file, line, text, got, want);
	return false;
}

/* ---- the kernel ------------------------------------------------------- */

uint64_t symbol(const char *name)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512], found[256], type;
	unsigned long long address;

	if (!file)
		die("/proc/kallsyms");
	while (fgets(line, sizeof(line), file)) {
		if (!strstr(line, name) ||
		    sscanf(line, "%llx %c %255s", &address, &type, found) != 3 ||
		    strcmp(found, name))
			continue;
		fclose(file);
		return address;
	}
	die("no symbol %s", name);
}

unsigned int kprobes_count(void)
{
	FILE *file = fopen("/sys/kernel/debug/kprobes/list", "r");
	unsigned int count = 0;
	char line[512];

	if (!file)
		die("/sys/kernel/debug/kprobes/list");
	while (fgets(line, sizeof(line), file))
		count++;
	fclose(file);
	return count;
}

bool kprobes_wait_none(unsigned int ms)
{
	uint64_t end = now_ms() + ms;

	while (kprobes_count()) {
		if (now_ms() > end)
			return false;
		sleep_ms(10);
	}
	return true;
}

const char *module_path(void)
{
	const char *path = getenv("TRAPLINE_KO");

	return path ? path : "/work/trapline.ko";
}

int module_remove(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

int module_unload(void)
{
	return module_remove("trapline");
}

int module_insert(const char *path, const char *parameters)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = syscall(SYS_finit_module, fd, parameters, 0) ? -errno : 0;
	close(fd);
	return err;
}

void module_load(void)
{
	if (module_insert(module_path(), ""))
		die("loading the module");
}

void sleep_ms(unsigned int ms)
{
	poll(NULL, 0, (int)ms);
}

uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void call_getppid(unsigned int count)
{
	while (count--)
		syscall(SYS_getppid);
}

void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("no CPU %u to run on", cpu);
}

/* ---- the device ------------------------------------------------------- */

const struct tl_insn prog_di[2] = {
	{ TL_OP_PUT_REG, 8, REG_DI },
	{ TL_OP_END, 0, 0 },
};

const struct tl_insn prog_sys[4] = {
	{ TL_OP_REG, 0, REG_DI },
	{ TL_OP_DEREF, 8, REG_DI },
	{ TL_OP_PUT, 8, 0 },
	{ TL_OP_END, 0, 0 },
};

const struct tl_insn prog_sys2[4] = {
	{ TL_OP_REG, 0, REG_DI },
	{ TL_OP_DEREF, 8, REG_SI },
	{ TL_OP_PUT, 8, 0 },
	{ TL_OP_END, 0, 0 },
};

int dev_ioctl(int fd, unsigned long number, void *arg)
{
	return ioctl(fd, number, arg) < 0 ? -errno : 0;
}

int dev_open(void)
{
	int fd = open("/dev/trapline", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die("/dev/trapline");
	return fd;
}

void dev_setup(int fd, struct tl_session_setup *setup)
{
	setup->size = sizeof(*setup);
	if (dev_ioctl(fd, TL_SESSION_SETUP, setup))
		die("setup: reason %u", setup->error.code);
}

int dev_ready(uint32_t packet_bytes, uint32_t packet_count)
{
	struct tl_session_setup setup = {
		.packet_bytes = packet_bytes,
		.packet_count = packet_count,
	};
	int fd = dev_open();

	dev_setup(fd, &setup);
	return fd;
}

int dev_ready_overwriting(uint32_t packet_bytes, uint32_t packet_count,
			  uint32_t watermark)
{
	struct tl_session_setup setup = {
		.mode = TL_MODE_OVERWRITE,
		.packet_bytes = packet_bytes,
		.packet_count = packet_count,
		.watermark = watermark,
	};
	int fd = dev_open();

	dev_setup(fd, &setup);
	return fd;
}

static int try_add_at(int fd, uint32_t backend,
		      const struct tl_event_place *place, uint32_t maxactive,
		      const struct tl_insn *insns, uint32_t count,
		      struct tl_event_add *add)
{
	memset(add, 0, sizeof(*add));
	add->size = sizeof(*add);
	add->backend = backend;
	add->maxactive = maxactive;
	add->places = (uintptr_t)place;
	add->place_count = 1;
	add->insns = (uintptr_t)insns;
	add->insn_count = count;
	return dev_ioctl(fd, TL_EVENT_ADD, add);
}

int dev_try_add(int fd, uint32_t backend, uint64_t address, uint32_t maxactive,
		const struct tl_insn *insns, uint32_t count,
		struct tl_event_add *add)
{
	const struct tl_event_place place = {
		.size = sizeof(place),
		.address = address,
	};

	return try_add_at(fd, backend, &place, maxactive, insns, count, add);
}

int dev_try_add_symbol(int fd, uint32_t backend, const char *symbol,
		       uint64_t offset, const struct tl_insn *insns,
		       uint32_t count, struct tl_event_add *add)
{
	const struct tl_event_place place = {
		.size = sizeof(place),
		.flags = TL_PLACE_SYMBOL,
		.symbol = (uintptr_t)symbol,
		.offset = offset,
	};

	return try_add_at(fd, backend, &place, 0, insns, count, add);
}

int dev_try_add_name(int fd, const char *name, const struct tl_insn *insns,
		     uint32_t count, struct tl_event_add *add)
{
	return dev_try_add_symbol(fd, TL_BACKEND_TRACEPOINT, name, 0, insns,
				  count, add);
}

uint32_t dev_add_name(int fd, const char *name, const struct tl_insn *insns,
		      uint32_t count)
{
	struct tl_event_add add;

	if (dev_try_add_name(fd, name, insns, count, &add))
		die("add %s: reason %u, instruction %u", name, add.error.code,
		    add.error.insn);
	return add.id;
}

uint32_t dev_add(int fd, uint32_t backend, uint64_t address,
		 const struct tl_insn *insns, uint32_t count)
{
	struct tl_event_add add;

	if (dev_try_add(fd, backend, address, 0, insns, count, &add))
		die("add: reason %u, instruction %u", add.error.code,
		    add.error.insn);
	return add.id;
}

int dev_event_ctl(int fd, uint32_t command, const uint32_t *ids, uint32_t count,
		  struct tl_error *error)
{
	struct tl_event_ctl ctl = {
		.size = sizeof(ctl),
		.command = command,
		.id_count = count,
		.ids = (uintptr_t)ids,
	};
	int err = dev_ioctl(fd, TL_EVENT_CTL, &ctl);

	if (error)
		*error = ctl.error;
	return err;
}

void dev_enable(int fd, uint32_t id)
{
	struct tl_error error;

	if (dev_event_ctl(fd, TL_EVENT_ENABLE, &id, 1, &error))
		die("enable: reason %u, the kernel's errno %u", error.code,
		    error.kernel_errno);
}

int dev_session_ctl(int fd, uint32_t command)
{
	struct tl_session_ctl ctl = {
		.size = sizeof(ctl),
		.command = command,
	};

	return dev_ioctl(fd, TL_SESSION_CTL, &ctl);
}

void dev_start(int fd)
{
	if (dev_session_ctl(fd, TL_SESSION_START))
		die("start");
}

void dev_stop(int fd)
{
	if (dev_session_ctl(fd, TL_SESSION_STOP))
		die("stop");
}

void dev_flush(int fd)
{
	if (dev_session_ctl(fd, TL_SESSION_FLUSH))
		die("flush");
}

static struct tl_stats stats_of(int fd, uint32_t selector, uint32_t id,
				uint32_t cpu)
{
	struct tl_stats stats = {
		.size = sizeof(stats),
		.selector = selector,
		.id = id,
		.cpu = cpu,
	};

	if (dev_ioctl(fd, TL_STATS, &stats))
		die("stats: reason %u", stats.error.code);
	return stats;
}

struct tl_stats dev_stats(int fd, uint32_t id)
{
	return stats_of(fd, TL_STATS_EVENT, id, TL_CPU_ALL);
}

struct tl_stats dev_stats_sum(int fd)
{
	return stats_of(fd, TL_STATS_SESSION, 0, TL_CPU_ALL);
}

struct tl_stats dev_stats_cpu(int fd, uint32_t cpu)
{
	return stats_of(fd, TL_STATS_SESSION, 0, cpu);
}

uint64_t stats_hits(const struct tl_stats *stats)
{
	return stats->recorded + stats->filtered + stats->recursion +
	       stats->not_running + stats_lost(stats);
}

uint64_t stats_lost(const struct tl_stats *stats)
{
	return stats->full + stats->wrapped + stats->too_big;
}
