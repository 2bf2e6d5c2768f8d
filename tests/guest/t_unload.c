// SPDX-License-Identifier: GPL-2.0-only
/* The module stays while anybody has anything of it, and goes afterwards. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "tl.h"

#define AT_ONCE_MS 1000
#define STORM_THREADS 3
#define ENOUGH (is_long() ? 100 : 10)

/* Unloading works, and the module can be used again. */
static void check_unload(void)
{
	CHECK_EQ(kprobes_count(), 0);
	CHECK_EQ(module_unload(), 0);
	CHECK(access("/dev/trapline", F_OK));
	module_load();
	CHECK(!access("/dev/trapline", R_OK | W_OK));
}

/* It is refused, and it does not take long to say so. */
static bool check_refused(void)
{
	uint64_t begin = now_ms();

	return CHECK_EQ(module_unload(), -EWOULDBLOCK) &&
	       CHECK(now_ms() - begin < AT_ONCE_MS);
}

/* Does a line of this command's output end this way? */
static bool says(const char *command, const char *what)
{
	char line[256];
	bool found = false;
	FILE *stream = popen(command, "r");

	if (!stream)
		die("%s", command);
	while (fgets(line, sizeof(line), stream)) {
		char *at = strstr(line, what);

		line[strcspn(line, "\n")] = '\0';
		found |= at && !strcmp(at, what);
	}
	pclose(stream);
	return found;
}

/* As docs/SAFETY.md says: a process with a mapping, and with no file any more. */
static bool maps_name_us(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", getpid());
	return says("grep -l trapline-ring /proc/[0-9]*/maps 2>/dev/null", path);
}

/* And one with a session; not every guest has this tool. */
static bool fuser_names_us(void)
{
	char pid[16];

	if (system("command -v fuser >/dev/null")) {
		tap_note("no fuser here");
		return true;
	}
	snprintf(pid, sizeof(pid), "%d", getpid());
	return says("fuser /dev/trapline 2>/dev/null", pid);
}

/* How far a session has come. */
enum stage { OPENED, SET_UP, ADDED, ARMED, RUNNING, HELD, STOPPED, STAGES };

static int session_at(enum stage stage)
{
	int dev = stage == OPENED ? dev_open() : dev_ready(4096, 2);
	uint32_t id = 0;

	if (stage >= ADDED)
		id = dev_add(dev, TL_BACKEND_KPROBE,
			     symbol("__x64_sys_getppid"), prog_di,
			     ARRAY_SIZE(prog_di));
	if (stage >= ARMED)
		dev_enable(dev, id);
	if (stage >= RUNNING)
		dev_start(dev);
	if (stage == HELD && dev_session_ctl(dev, TL_SESSION_SNAPSHOT))
		die("snapshot");
	if (stage == STOPPED)
		dev_stop(dev);
	return dev;
}

static int armed_session(void)
{
	return session_at(RUNNING);
}

static void test_stages(void)
{
	static const char *const names[STAGES] = {
		"opened", "set up", "with an event", "armed", "running",
		"in a snapshot", "stopped",
	};
	enum stage stage;
	int dev;

	for (stage = OPENED; stage < STAGES; stage++) {
		tap_case("a session that is %s refuses the unload, until it is closed",
			 names[stage]);
		dev = session_at(stage);
		check_refused();
		CHECK_EQ(kprobes_count(), stage >= ARMED && stage < STOPPED);
		close(dev);
		check_unload();
	}
}

/* ---- readers ---------------------------------------------------------- */

static void poll_for_ever(int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };

	poll(&one, 1, -1);
}

static void read_for_ever(int fd)
{
	static unsigned char packet[4096];

	while (read(fd, packet, sizeof(packet)) > 0)
		;
}

/* Is it asleep? Its state is behind the name, which is in brackets. */
static bool is_asleep(pid_t pid)
{
	char path[64], line[256] = "", *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	state = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	fclose(file);
	return state && !strncmp(state, ") S", 3);
}

/*
 * A process that has all there is of a session sleeps in it, and is killed: at
 * once no probe is left, and nothing holds the module.
 */
static void test_reader(const char *where, void (*wait_for)(int fd))
{
	uint64_t end = now_ms() + 10000;
	struct ring ring;
	int dev, status;
	pid_t pid;

	tap_case("a reader that sleeps in %s, until it is killed", where);
	dev = armed_session();
	ring_open(dev, 0, &ring);
	munmap((void *)ring.map, ring.bytes);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		wait_for(ring.fd);
		_exit(0);
	}
	close(ring.fd);
	close(dev);
	while (!is_asleep(pid) && now_ms() < end)
		sleep_ms(5);
	CHECK(is_asleep(pid));
	check_refused();
	CHECK_EQ(kprobes_count(), 1);
	kill(pid, SIGKILL);
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	check_unload();
}

/* ---- storms ----------------------------------------------------------- */

static int storm_dev, storm_ring;
static bool storm_over;

/* Commands that come and go in the module. */
static void *storm(void *data)
{
	struct tl_query query = { .size = sizeof(query) };
	struct tl_ring_get get = { .size = sizeof(get) };
	struct tl_event_add add;

	(void)data;
	while (!__atomic_load_n(&storm_over, __ATOMIC_RELAXED)) {
		dev_ioctl(storm_dev, TL_QUERY, &query);
		dev_session_ctl(storm_dev, TL_SESSION_FLUSH);
		dev_try_add(storm_dev, 77, 0, 0, prog_di, 2, &add);
		dev_stats_sum(storm_dev);
		dev_ioctl(storm_ring, TL_RING_GET, &get);
		call_getppid(3);
	}
	return NULL;
}

/* Opens that may come too late. */
static void *open_storm(void *data)
{
	unsigned long *opened = data;
	int fd;

	while (!__atomic_load_n(&storm_over, __ATOMIC_RELAXED)) {
		fd = open("/dev/trapline", O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		/* now and then nobody has it: an emulated CPU may stop here */
		if (++*opened % 4 == 0)
			sched_yield();
		close(fd);
		sleep_ms(*opened % 3);
	}
	return NULL;
}

static void test_storm(void)
{
	pthread_t threads[STORM_THREADS];
	struct ring ring;
	int i;

	tap_case("in a storm of commands each unload is refused");
	storm_dev = armed_session();
	ring_open(storm_dev, 0, &ring);
	storm_ring = ring.fd;
	storm_over = false;
	for (i = 0; i < STORM_THREADS; i++)
		if (pthread_create(&threads[i], NULL, storm, NULL))
			die("pthread_create");
	for (i = 0; i < 100 && check_refused(); i++)
		sleep_ms(5);
	storm_over = true;
	for (i = 0; i < STORM_THREADS; i++)
		pthread_join(threads[i], NULL);
	ring_close(&ring);
	close(storm_dev);
	check_unload();
}

static void test_open_storm(void)
{
	unsigned long opened = 0;
	unsigned int gone = 0, refused = 0;
	uint64_t end = now_ms() + 20000;
	pthread_t thread;
	int err;

	tap_case("while others open the device: refused, or gone");
	storm_over = false;
	if (pthread_create(&thread, NULL, open_storm, &opened))
		die("pthread_create");
	while ((gone < ENOUGH || refused < ENOUGH || opened < ENOUGH) &&
	       now_ms() < end) {
		err = module_unload();
		if (!err) {
			gone++;
			module_load();
		} else if (CHECK_EQ(err, -EWOULDBLOCK)) {
			refused++;
		}
		sched_yield();
	}
	storm_over = true;
	pthread_join(thread, NULL);
	tap_note("%u unloaded, %u refused, %lu opened", gone, refused, opened);
	CHECK(gone > 0 && refused > 0 && opened > 0);
	check_unload();
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

	test_stages();

	tap_case("a ring file alone refuses the unload, its probes are gone");
	dev = armed_session();
	ring_open(dev, 1, &ring);
	munmap((void *)ring.map, ring.bytes);
	close(dev);
	CHECK_EQ(kprobes_count(), 0);
	check_refused();
	close(ring.fd);
	check_unload();

	tap_case("a mapping alone refuses the unload, and can still be read");
	dev = armed_session();
	CHECK(fuser_names_us());
	CHECK(!maps_name_us());
	ring_open(dev, 0, &ring);
	close(dev);
	close(ring.fd);
	check_refused();
	CHECK(maps_name_us());
	meta = (const struct tl_meta *)ring.map;
	CHECK_EQ(meta->format, TL_FORMAT);
	CHECK_EQ(meta->map_bytes, ring.bytes);
	for (i = 0; i < 3; i++)
		CHECK_EQ(*(const uint32_t *)(ring.map + meta->data_offset +
					     i * meta->packet_bytes),
			 TL_PACKET_MAGIC);
	munmap((void *)ring.map, ring.bytes);
	CHECK(!maps_name_us());
	check_unload();

	tap_case("a session that is on its way between processes, too");
	hidden = hide_fd(armed_session());
	CHECK_EQ(kprobes_count(), 1);
	check_refused();
	close(hidden);
	CHECK(kprobes_wait_none(2000));
	check_unload();

	test_reader("poll()", poll_for_ever);
	test_reader("read()", read_for_ever);
	test_storm();
	test_open_storm();
	return tap_done();
}
