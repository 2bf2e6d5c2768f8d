// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random sequences of commands from a seed, which is printed and can be given
 * as TRAPLINE_SEED. In one thread every answer is compared with that of a model,
 * and the same seed gives the same answers again; in several threads, with
 * signals and under load, each must be one of those that are documented. Then
 * nothing is left, and all works as before.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tl_fuzz.h"
#include "tl_module.h"

/* Which numbers are reasons. */
#define FUZZ_IS_REASON(number, name, text) [number] = true,
static const bool is_reason[] = { TL_ERROR_LIST(FUZZ_IS_REASON) };
#undef FUZZ_IS_REASON
#define TL_ERRORS (sizeof(is_reason) / sizeof(is_reason[0]))

#define RING_MIB	8
#define AGAIN_STEPS	1500
#define ALONE_STEPS	4000
#define QUICK_STEPS	5000
#define STORM_STEPS	6000
#define RARE_STEPS	1000
#define RARE_TRIES	12
/* commands that a run makes at least, all parts together */
#define COMMANDS_SHORT	4000u
#define COMMANDS_LONG	150000u
#define THREADS		4
#define LOADS		2

static struct fz_place places[24];
static size_t place_count;
static uint32_t cpu_count;
static uint64_t answers[FZ_OPS][2], reasons;

static void add_place(uint64_t address, bool is_code, enum fz_arms arms)
{
	if (place_count == ARRAY_SIZE(places))
		die("too many places");
	places[place_count++] = (struct fz_place){ address, NULL, is_code, arms };
}

static void add_name(const char *name, enum fz_arms arms)
{
	if (place_count == ARRAY_SIZE(places))
		die("too many places");
	places[place_count++] = (struct fz_place){
		.name = name, .is_code = arms != FZ_ARMS_NEVER, .arms = arms,
	};
}

static void find_places(void)
{
	add_place(symbol("__x64_sys_getppid"), true, FZ_ARMS_ALWAYS);
	add_place(symbol("__x64_sys_lseek"), true, FZ_ARMS_ALWAYS);
	add_place(symbol("vfs_read"), true, FZ_ARMS_ALWAYS);
	add_place(symbol("do_sys_openat2"), true, FZ_ARMS_ALWAYS);
	/* inside of functions: perhaps an instruction, no entry for returns */
	add_place(symbol("do_sys_openat2") + 9, true, FZ_ARMS_MAYBE);
	add_place(symbol("vfs_read") + 1, true, FZ_ARMS_MAYBE);
	add_place(symbol("__x64_sys_lseek") + 3, true, FZ_ARMS_MAYBE);
	/* forbidden, and no code at all */
	add_place(symbol("notify_die"), true, FZ_ARMS_NEVER);
	add_place(symbol("init_task"), true, FZ_ARMS_NEVER);
	/* nothing there, and not the kernel's */
	add_place(0, false, FZ_ARMS_NEVER);
	add_place(0x400000, false, FZ_ARMS_NEVER);
	add_place(0x8000000000000000, false, FZ_ARMS_NEVER);
	add_name("sys_enter", FZ_ARMS_ALWAYS);
	add_name("sched_switch", FZ_ARMS_ALWAYS);
	add_name("hrtimer_expire_entry", FZ_ARMS_ALWAYS);
	add_name("kfree", FZ_ARMS_ALWAYS);
	add_name("no_such_tracepoint", FZ_ARMS_NEVER);
	add_name(":sched_switch", FZ_ARMS_NEVER);
	/* one that is not there, and one that has no such tracepoint */
	add_name("no_such_module:sched_switch", FZ_ARMS_WAITS);
	add_name("trapline:sched_switch", FZ_ARMS_WAITS);
}

static unsigned int steps(unsigned int count)
{
	return is_long() ? 50 * count : count;
}

static uint64_t choose_seed(void)
{
	const char *text = getenv("TRAPLINE_SEED");
	uint64_t seed;

	if (text && *text)
		return strtoull(text, NULL, 0);
	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		die("getrandom");
	return seed;
}

static void fuzz_start(struct fuzz *fuzz, uint64_t seed, bool is_exact)
{
	size_t i;

	memset(fuzz, 0, sizeof(*fuzz));
	fuzz->seed = seed;
	fuzz->is_exact = is_exact;
	fuzz->cpu_count = cpu_count;
	fuzz->places = places;
	fuzz->place_count = place_count;
	for (i = 0; i < FZ_SESSIONS; i++)
		fuzz->sessions[i].dev = -1;
	for (i = 0; i < FZ_RINGS; i++)
		fuzz->rings[i].fd = -1;
}

static void collect(const struct fz_thread *t)
{
	size_t i;

	for (i = 0; i < FZ_OPS; i++) {
		answers[i][0] += t->answers[i][0];
		answers[i][1] += t->answers[i][1];
	}
	reasons |= t->reasons;
}

/*
 * So many steps at least, and so long; the digest of the first ones. Of a quick
 * run there are as many as were asked for.
 */
static uint64_t run_alone(uint64_t seed, unsigned int ms, uint64_t steps,
			  bool is_quick)
{
	uint64_t end = now_ms() + ms, digest = 0;
	struct fz_thread t;
	struct fuzz fuzz;

	fuzz_start(&fuzz, seed, true);
	fuzz.is_quick = is_quick;
	fz_thread_start(&t, &fuzz, 0);
	while (t.step < steps || now_ms() < end) {
		fz_step(&t);
		if (t.step == AGAIN_STEPS)
			digest = t.digest;
	}
	fz_close_all(&t);
	fz_thread_end(&t);
	CHECK_EQ(t.wrong, 0);
	collect(&t);
	tap_note("%llu operations, digest %016llx",
		 (unsigned long long)t.step, (unsigned long long)digest);
	return digest;
}

/* ---- several threads -------------------------------------------------- */

static void *run_thread(void *data)
{
	struct fz_thread *t = data;

	while (!__atomic_load_n(&t->stop, __ATOMIC_RELAXED))
		fz_step(t);
	/* what is closed by all of them is closed once */
	fz_close_all(t);
	return NULL;
}

static void on_signal(int number)
{
	(void)number;
}

static pid_t spawn_load(void)
{
	pid_t pid = fork();
	char byte;
	int fd;

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = open("/dev/zero", O_RDONLY);
	for (;;) {
		call_getppid(20);
		syscall(SYS_lseek, -1, 1, 0);
		close((int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY));
		if (read(fd, &byte, 1) != 1)
			_exit(1);
	}
}

/* Signals to all of them, so that nobody waits for long. */
static void run_storm(uint64_t seed, unsigned int ms)
{
	const struct sigaction action = { .sa_handler = on_signal };
	static struct fz_thread threads[THREADS];
	static struct fuzz fuzz;
	uint64_t end = now_ms() + ms, steps = 0;
	unsigned int i, signals = 0;

	sigaction(SIGUSR1, &action, NULL);
	fuzz_start(&fuzz, seed, false);
	for (i = 0; i < THREADS; i++) {
		fz_thread_start(&threads[i], &fuzz, i + 1);
		if (pthread_create(&threads[i].thread, NULL, run_thread,
				   &threads[i]))
			die("pthread_create");
	}
	for (; now_ms() < end; signals++) {
		sleep_ms(1 + signals % 7);
		pthread_kill(threads[signals % THREADS].thread, SIGUSR1);
	}
	for (i = 0; i < THREADS; i++)
		__atomic_store_n(&threads[i].stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS; i++) {
		while (pthread_tryjoin_np(threads[i].thread, NULL)) {
			pthread_kill(threads[i].thread, SIGUSR1);
			sleep_ms(5);
		}
		steps += threads[i].step;
		CHECK_EQ(threads[i].wrong, 0);
		collect(&threads[i]);
	}
	/* what one has opened after another one has closed all */
	for (i = 0; i < THREADS; i++) {
		fz_close_all(&threads[i]);
		fz_thread_end(&threads[i]);
	}
	tap_note("%llu operations, %u signals", (unsigned long long)steps,
		 signals);
}

static void test_storm(uint64_t seed, unsigned int ms)
{
	pid_t loads[LOADS];
	unsigned int i;
	int status;

	for (i = 0; i < LOADS; i++)
		loads[i] = spawn_load();
	run_storm(seed, ms);
	for (i = 0; i < LOADS; i++) {
		kill(loads[i], SIGKILL);
		CHECK(waitpid(loads[i], &status, 0) == loads[i]);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
}

/* ---- afterwards ------------------------------------------------------- */

static const char *const names[FZ_OPS] = {
	[FZ_OPEN] = "open", [FZ_QUERY] = "QUERY", [FZ_SETUP] = "SETUP",
	[FZ_ADD_ENTRY] = "EVENT_ADD of an entry",
	[FZ_ADD_RETURN] = "EVENT_ADD of a return",
	[FZ_ADD_TRACEPOINT] = "EVENT_ADD of a tracepoint", [FZ_ENABLE] = "ENABLE",
	[FZ_DISABLE] = "DISABLE", [FZ_REMOVE] = "REMOVE", [FZ_START] = "START",
	[FZ_STOP] = "STOP", [FZ_FLUSH] = "FLUSH", [FZ_SNAPSHOT] = "SNAPSHOT",
	[FZ_RESUME] = "RESUME", [FZ_RING_OPEN] = "RING_OPEN", [FZ_GET] = "GET",
	[FZ_STATS_SESSION] = "STATS of a session",
	[FZ_STATS_EVENT] = "STATS of an event", [FZ_MMAP] = "mmap",
	[FZ_READ] = "read",
};

static void check_answers(void)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < FZ_OPS; i++) {
		if (!names[i])
			continue;
		tap_note("%s: %llu accepted, %llu refused", names[i],
			 (unsigned long long)answers[i][1],
			 (unsigned long long)answers[i][0]);
		CHECK(answers[i][0] > 0);
		CHECK(answers[i][1] > 0);
		sum += answers[i][0] + answers[i][1];
	}
	tap_note("%llu commands in all", (unsigned long long)sum);
	CHECK(sum >= (is_long() ? COMMANDS_LONG : COMMANDS_SHORT));
}

/* Reasons for which something must happen that is not for us to do. */
static bool is_rare(unsigned int code)
{
	return code == TL_ERR_NONE || code == TL_ERR_LOCKDOWN ||
	       code == TL_ERR_MEMORY || code == TL_ERR_EVENTS ||
	       code == TL_ERR_ARM_FAILED || code == TL_ERR_PLACE_GONE ||
	       code == TL_ERR_PLACE_MISSING;
}

/* The first reason that was not given yet, or the end of them. */
static unsigned int missing_reason(void)
{
	unsigned int code;

	for (code = 0; code < TL_ERRORS; code++)
		if (is_reason[code] && !is_rare(code) && !(reasons >> code & 1))
			break;
	return code;
}

/* A short run may be too short for the rarest; t_program and others ask for each. */
static void check_reasons(void)
{
	unsigned int code = missing_reason();

	if (!CHECK(code == TL_ERRORS || !is_long()) || code != TL_ERRORS)
		tap_note("reason %u was never given", code);
}

/* What an event answers when it is armed: a reason that chance seldom finds. */
static void ask_place(uint32_t backend, uint64_t address, const char *name)
{
	struct tl_error error = { 0 };
	struct tl_event_add add;
	int dev = dev_ready(4096, 2);
	int err;

	if (name)
		err = dev_try_add_symbol(dev, backend, name, 1 << 30, prog_di,
					 ARRAY_SIZE(prog_di), &add);
	else
		err = dev_try_add(dev, backend, address, 0, prog_di,
				  ARRAY_SIZE(prog_di), &add);
	if (err)
		die("an event: reason %u", add.error.code);
	dev_event_ctl(dev, TL_EVENT_ENABLE, &add.id, 1, &error);
	reasons |= 1ull << error.code;
	close(dev);
}

static void ask_places(void)
{
	uint64_t entry = symbol("vfs_read");

	ask_place(TL_BACKEND_KPROBE, 0, "trapline:tl_session_ctl");
	ask_place(TL_BACKEND_KPROBE, symbol("notify_die"), NULL);
	ask_place(TL_BACKEND_KPROBE, entry + 1, NULL);
	ask_place(TL_BACKEND_KRETPROBE, entry + 9, NULL);
}

/* More of all, until each reason was given: some are rare. */
static void run_rare(uint64_t seed)
{
	/* only a long run demands each */
	const unsigned int tries = is_long() ? RARE_TRIES : 2;
	unsigned int i;

	for (i = 1; i <= tries && missing_reason() != TL_ERRORS; i++)
		run_alone(seed + i, 0, RARE_STEPS, false);
}

static void check_clean(unsigned int room)
{
	CHECK_EQ(module_references(), 0);
	CHECK_EQ(kprobes_count(), 0);
	/* each page of a session's rings is counted: none is missing */
	CHECK_EQ(module_capacity(), room);
}

static void count_cpus(void)
{
	struct tl_query query = { .size = sizeof(query) };
	int dev = dev_open();

	if (dev_ioctl(dev, TL_QUERY, &query))
		die("query");
	cpu_count = query.cpu_count;
	close(dev);
}

int main(void)
{
	uint64_t seed = choose_seed(), digest;
	char parameters[32];
	unsigned int room;
	cpu_set_t all;

	snprintf(parameters, sizeof(parameters), "ring_mib_max=%u", RING_MIB);
	module_reload(parameters);
	find_places();
	count_cpus();
	room = module_capacity();
	tap_note("TRAPLINE_SEED=0x%llx; room for %u sessions",
		 (unsigned long long)seed, room);

	tap_case("one thread: each answer is the model's");
	sched_getaffinity(0, sizeof(all), &all);
	pin(0);
	digest = run_alone(seed, steps(ALONE_STEPS), AGAIN_STEPS, false);
	check_clean(room);
	tap_case("the same seed gives the same answers");
	CHECK_EQ(run_alone(seed, 0, AGAIN_STEPS, false), digest);
	check_clean(room);
	tap_case("many more that are quick");
	run_alone(~seed, 0, steps(QUICK_STEPS), true);
	ask_places();
	run_rare(seed);
	check_clean(room);
	sched_setaffinity(0, sizeof(all), &all);

	tap_case("%u threads, signals and load: each answer is documented",
		 THREADS);
	test_storm(seed, steps(STORM_STEPS));
	tap_case("each command was accepted, and refused");
	check_answers();
	tap_case("each reason was given");
	check_reasons();
	tap_case("nothing is left: files, probes, memory");
	check_clean(room);
	tap_case("and a trace is as good as ever");
	module_check_works(places[0].address, 100);
	module_reload("");
	return tap_done();
}
