// SPDX-License-Identifier: GPL-2.0-only
/*
 * workload MODE [ARGUMENT...]: system calls that are known beforehand.
 *
 * What tracing it must show is printed by itself, from its own knowledge of
 * what it did, into the file WANT: one line a record, "EVENT ARGUMENTS" or what
 * the mode's comment says. No mode opens a file after its first traced call,
 * but for the calls that are the point of it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPEN_FLAGS (O_RDONLY | O_NOCTTY)
#define LONGEST 65535
#define KERNEL_TEXT ((const char *)0xffffffff81000000)

static FILE *want;

static void die(const char *what)
{
	fprintf(stderr, "workload: %s: %s\n", what, strerror(errno));
	exit(99);
}

/* For appending, since other processes may write to it too. */
static void open_want(const char *path, bool is_new)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC |
			    (is_new ? O_TRUNC : 0), 0644);

	/* "a" would seek, which is traced */
	want = fd < 0 ? NULL : fdopen(fd, "w");
	if (!want)
		die(path);
}

/* Of a file, or of no file: -1. */
static void *map(size_t bytes, int protection, int fd)
{
	void *at = mmap(NULL, bytes, protection,
			MAP_PRIVATE | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

/* A call that exists to be traced; it fails with EBADF and does nothing. */
static long mark(uint64_t value, unsigned int whence)
{
	return syscall(SYS_lseek, -1, value, whence);
}

/* ---- strings WANT: names of files -------------------------------------- */

/* One openat(), and what it must show; @text is the string as it is printed. */
static void open_one(int dfd, const char *name, const char *text)
{
	long ret = syscall(SYS_openat, dfd, name, OPEN_FLAGS);

	if (ret >= 0)
		close((int)ret);
	else
		ret = -errno;
	/* the system call adds O_LARGEFILE, which glibc defines as 0 */
	fprintf(want, "o dfd=%d name=%s flags=0x%x\nr ret=%ld\n", dfd, text,
		OPEN_FLAGS | 0100000, ret);
}

static void open_plain(const char *name)
{
	char text[8192];

	snprintf(text, sizeof(text), "\"%s\"", name);
	open_one(AT_FDCWD, name, text);
}

/* @length times @letter; longer than @max it is cut there. */
static void open_long(char letter, size_t length, size_t max)
{
	static char name[LONGEST + 1], text[LONGEST + 8];
	size_t shown = length < max ? length : max;

	memset(name, letter, length);
	name[length] = '\0';
	snprintf(text, sizeof(text), "\"%.*s\"%s", (int)shown, name,
		 length > max ? "..." : "");
	open_one(AT_FDCWD, name, text);
}

/* A string in a page that this process has not got yet. */
static char *map_untouched(const char *text, size_t bytes)
{
	int fd = open("/tmp/untouched", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || pwrite(fd, text, strlen(text) + 1, 0) < 0)
		die("/tmp/untouched");
	return map(bytes, PROT_READ, fd);
}

static void run_strings(char **argv)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = map(3 * page, PROT_READ | PROT_WRITE, -1);
	char *untouched = map_untouched("/tmp/first", page);
	char *end;

	open_want(argv[0], true);
	/* stdio's own buffer must be there already */
	fprintf(want, "%s", "");
	/* the third page is a hole; glibc's own calls are over by now */
	memset(pages, 'x', 2 * page);
	munmap(pages + 2 * page, page);
	end = pages + 2 * page;

	open_plain("/begin");
	open_plain("/dev/null");
	open_plain("/tmp/normal");
	open_one(-9999, "relative", "\"relative\"");
	open_long('L', 399, 4096);
	open_long('M', 4095, 4096);
	open_long('N', 4096, 4096);
	open_long('O', 4097, 4096);
	open_long('P', 8000, 4096);
	open_long('Q', LONGEST, 4096);
	open_one(AT_FDCWD, "/tmp/\303\251\n\001z", "\"/tmp/\303\251\\n\\x01z\"");
	open_one(AT_FDCWD, "q\"b\\t\tc\rd\177\377", "\"q\\\"b\\\\t\\tc\\rd\\x7f\\xff\"");
	open_plain("");
	open_one(AT_FDCWD, NULL, "<fault>");
	open_one(AT_FDCWD, (char *)1, "<fault>");
	strcpy(pages + page - 6, "across-a-border");
	open_plain(pages + page - 6);
	memcpy(end - 4, "EEEE", 4);
	open_one(AT_FDCWD, end - 4, "\"EEEE\"<fault>");
	open_one(AT_FDCWD, end, "<fault>");
	/* a whole string that ends with the last byte is not incomplete */
	strcpy(end - 5, "FFFF");
	open_plain(end - 5);
	open_one(AT_FDCWD, KERNEL_TEXT, "<fault>");
	/* at the entry nothing is there; the call itself brings it in */
	open_one(AT_FDCWD, untouched, "<fault>");
	open_plain(untouched);
	open_plain("/end");
}

/* ---- values WANT: integers of all widths, through lseek()'s offset ----- */

static const uint64_t values[] = {
	0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
	0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
	0x8182838485868788, 0x1a341,
};

static void run_values(char **argv)
{
	size_t i;

	open_want(argv[0], true);
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		uint64_t v = values[i];
		long ret = mark(v, 77);

		fprintf(want,
			"v a=%d b=%u c=0x%x d=%d e=%u f=0x%x g=%" PRId32
			" h=%" PRIu32 " i=0x%" PRIx32 " j=%" PRId64
			" k=%" PRIu64 " l=0x%" PRIx64 " m=0x%" PRIx64 " n=77\n",
			(int8_t)v, (uint8_t)v, (uint8_t)v, (int16_t)v,
			(uint16_t)v, (uint16_t)v, (int32_t)v, (uint32_t)v,
			(uint32_t)v, (int64_t)v, v, v, v);
		if (ret != -1 || errno != EBADF)
			die("lseek of no file worked");
		fprintf(want, "w a=%d b=%u c=0x%x d=%d e=0x%" PRIx64 "\n",
			-EBADF, (uint8_t)-EBADF, (uint16_t)-EBADF, -EBADF,
			(uint64_t)-EBADF);
	}
}

/* ---- nested WANT: a chain of user memory ------------------------------- */

struct node {
	uint64_t before;
	struct node *next;
	const char *name;
	int32_t number;
};

static void run_nested(char **argv)
{
	static char name[] = "the \"last\" one";
	struct node last = { .name = name, .number = -123456 };
	struct node first = { .next = &last, .name = "first", .number = 17 };
	struct node broken = { .next = (struct node *)8, .name = "broken" };

	open_want(argv[0], true);
	mark((uintptr_t)&first, 78);
	fprintf(want, "n first=\"first\" second=\"the \\\"last\\\" one\" number=-123456 after=78\n");
	mark((uintptr_t)&broken, 79);
	fprintf(want, "n first=\"broken\" second=<fault> number=<fault> after=79\n");
	mark(3, 80);
	fprintf(want, "n first=<fault> second=<fault> number=<fault> after=80\n");
}

/* ---- count N: getppid() ------------------------------------------------ */

static void run_count(char **argv)
{
	unsigned long count = strtoul(argv[0], NULL, 0);

	while (count--)
		syscall(SYS_getppid);
}

/* ---- calls WANT: one round of many kinds, for comparing two tracers ----- */

static void run_calls(char **argv)
{
	static char text[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	int rounds = atoi(argv[1]), null, zero, i;
	char buffer[64];

	open_want(argv[0], true);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	/* of one length in each run, and no newline: tracefs would print it */
	fprintf(want, "%010d", getpid());
	fflush(want);
	/* everything is touched now: strings of both tracers are whole */
	mark((uintptr_t)text, 1);
	for (i = 0; i < rounds; i++) {
		size_t v;

		for (v = 0; v < sizeof(values) / sizeof(values[0]); v++)
			mark(values[v], (unsigned int)v);
		mark((uintptr_t)text, (unsigned int)i);
		syscall(SYS_getppid);
		if (write(null, text, 1 + (size_t)i % 36) < 0)
			die("write");
		if (read(zero, buffer, 1 + (size_t)i) < 0)
			die("read");
		syscall(SYS_read, -1, buffer, 5);
		syscall(SYS_openat, AT_FDCWD, text + i % 30, OPEN_FLAGS);
		syscall(SYS_openat, -5, text, O_RDONLY);
		syscall(SYS_openat, AT_FDCWD, NULL, OPEN_FLAGS);
		syscall(SYS_openat, AT_FDCWD, KERNEL_TEXT, OPEN_FLAGS);
		syscall(SYS_getpriority, 99, 0);
		prctl(PR_SET_NAME, i % 2 ? "odd round" : "even");
	}
}

/* ---- names WANT: marks 1.. and the name of the thread that made them --- */

static void named(unsigned int number, const char *name)
{
	mark(number, 81);
	fprintf(want, "%u %s\n", number, name);
	fflush(want);
}

static void rename_by_proc(int tid, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", getpid(), tid);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, name, strlen(name)) != (ssize_t)strlen(name))
		die(path);
	close(fd);
}

struct thread {
	pthread_t thread;
	pthread_barrier_t barrier;
	int tid;
};

/* Marked as it starts, after it renamed itself, after somebody else did. */
static void *thread_main(void *data)
{
	struct thread *self = data;

	self->tid = (int)syscall(SYS_gettid);
	named(6, "by proc");
	prctl(PR_SET_NAME, "own name");
	named(7, "own name");
	pthread_barrier_wait(&self->barrier);
	pthread_barrier_wait(&self->barrier);
	named(8, "given by other");
	return NULL;
}

static void thread_names(void)
{
	struct thread other;

	pthread_barrier_init(&other.barrier, NULL, 2);
	if (pthread_create(&other.thread, NULL, thread_main, &other))
		die("pthread_create");
	pthread_barrier_wait(&other.barrier);
	rename_by_proc(other.tid, "given by other");
	pthread_barrier_wait(&other.barrier);
	pthread_join(other.thread, NULL);
}

static void child_names(const char *self, const char *want_path)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		named(4, "by proc");
		execl(self, "ignored", "named", want_path, "5", NULL);
		die(self);
	}
	waitpid(pid, NULL, 0);
}

/* Processes that live no longer than their mark. */
static void short_lives(void)
{
	unsigned int i;

	for (i = 20; i < 40; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid) {
			char name[16];

			snprintf(name, sizeof(name), "short %u", i);
			prctl(PR_SET_NAME, name);
			mark(i, 81);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		fprintf(want, "%u short %u\n", i, i);
	}
}

static void run_names(char **argv)
{
	char other[256];

	snprintf(other, sizeof(other), "/tmp/a longer name than 15");
	unlink(other);
	if (link("/proc/self/exe", other) && symlink(argv[1], other))
		die(other);
	open_want(argv[0], true);
	named(1, "workload");
	prctl(PR_SET_NAME, "a b-1 [c] <d>");
	named(2, "a b-1 [c] <d>");
	rename_by_proc(getpid(), "by proc");
	named(3, "by proc");
	child_names(other, argv[0]);
	thread_names();
	prctl(PR_SET_NAME, "new\nline\001");
	named(9, "new\\nline\\x01");
	short_lives();
}

/* named WANT N: what child_names() executes; the file's name is cut to 15 */
static void run_named(char **argv)
{
	open_want(argv[0], false);
	named((unsigned int)atoi(argv[1]), "a longer name t");
}

/* ---- token N: marks 0..N-1, taken in turns by two CPUs ------------------ */

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

/*
 * By memory and not by a pipe: emulated CPUs take a millisecond to wake up.
 * Each spins for its turn, and lets others run when that takes long.
 */
static void pass_token(volatile uint32_t *token, uint32_t self, uint32_t end)
{
	unsigned int spins = 0;
	uint32_t now;

	while ((now = __atomic_load_n(token, __ATOMIC_ACQUIRE)) < end) {
		if (now % 2 != self) {
			/* an emulated CPU gives way to the next one here */
			__builtin_ia32_pause();
			if (++spins % 4096 == 0)
				sched_yield();
			continue;
		}
		mark(now, 82);
		__atomic_store_n(token, now + 1, __ATOMIC_RELEASE);
	}
}

static void run_token(char **argv)
{
	uint32_t end = (uint32_t)strtoul(argv[0], NULL, 0);
	uint32_t *token = mmap(NULL, sizeof(*token), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	if (token == MAP_FAILED)
		die("mmap");
	pid = fork();
	if (pid < 0)
		die("fork");
	pin(pid ? 0 : 1);
	pass_token(token, pid ? 0 : 1, end);
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

/* ---- load MS: reads, calls, forks until it is killed, MS between them ---- */

static void run_load(char **argv)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	int ms = atoi(argv[0]);
	unsigned int i;
	char byte;

	for (i = 0;; i++) {
		if (ms)
			poll(NULL, 0, ms);
		if (read(fd, &byte, 1) != 1)
			die("/dev/zero");
		syscall(SYS_getppid);
		if (i % 64 == 0) {
			pid_t pid = fork();

			if (!pid)
				_exit(0);
			if (pid > 0)
				waitpid(pid, NULL, 0);
		}
	}
}

/* ------------------------------------------------------------------------ */

static const struct mode {
	const char *name;
	int arguments;
	void (*run)(char **argv);
} modes[] = {
	{ "strings", 1, run_strings },
	{ "values", 1, run_values },
	{ "nested", 1, run_nested },
	{ "count", 1, run_count },
	{ "calls", 2, run_calls },
	{ "names", 2, run_names },
	{ "named", 2, run_named },
	{ "token", 1, run_token },
	{ "load", 1, run_load },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(argv[1], modes[i].name) ||
		    argc - 2 != modes[i].arguments)
			continue;
		modes[i].run(argv + 2);
		if (want && fclose(want))
			die("writing what is wanted");
		return 0;
	}
	fprintf(stderr, "workload: wrong usage\n");
	return 2;
}
