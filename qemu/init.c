// SPDX-License-Identifier: GPL-2.0-only
/*
 * PID 1 of a test guest: runs one command, passes on what it prints, and says
 * how it ended and whether the kernel complained meanwhile.
 *
 * The host is reached through virtio ports, found by name:
 *
 *   trapline.out, trapline.err   the command's stdout and stderr, byte for byte
 *   trapline.ctl                 lines of text, below
 *   trapline.log                 the kernel log, if something was wrong
 *
 * Lines on trapline.ctl:
 *
 *   begin                 the command is about to start
 *   drain OUT ERR         that many bytes were sent; the host answers with a
 *                         line of its own when it has them all, since bytes
 *                         still in QEMU's hands would be lost when it ends
 *   trouble TEXT          the harness failed, not the command
 *   report TEXT           a line of the kernel log that reports a bug
 *   tainted HEX           taint flags that a good run does not set
 *   proof WORD STATUS     the run is complete; WORD is from /guest/proof, so
 *                         that no other output can pass for it
 *
 * What to do is in files of the initramfs: /guest/argv (the command, each
 * argument ended by a NUL), /guest/modules (modules for the ports, in order),
 * /guest/module (the module under test, if any), /guest/tty ("TERM ROWS
 * COLUMNS": run the command on the serial console instead).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define WORKDIR		"/work"
#define GUEST_PATH	WORKDIR ":/usr/bin:/bin:/usr/sbin:/sbin"
#define EXIT_PORT	0xf4	/* QEMU's isa-debug-exit; 0x10 ends it with 33 */
#define EXIT_DONE	0x10
#define PORT_WAIT_MS	20000

/* Taint flags of a good run: out-of-tree module, unsigned module, KUnit. */
#define TAINT_EXPECTED	(1ULL << 12 | 1ULL << 13 | 1ULL << 18)

static int ctl = -1;		/* trapline.ctl */
static int kmsg = -1;		/* /dev/kmsg, read from the begin marker on */

struct pump {
	const char *port;	/* name of the virtio port */
	int from;		/* read end of the command's pipe */
	int child;		/* write end, the command's */
	int to;			/* the port */
	uint64_t bytes;
};

static struct pump pumps[] = {
	{ .port = "trapline.out", .from = -1, .child = -1, .to = -1 },
	{ .port = "trapline.err", .from = -1, .child = -1, .to = -1 },
};

/* ---- talking to the host -------------------------------------------- */

static int write_all(int fd, const char *buf, size_t len)
{
	while (len) {
		ssize_t n = write(fd, buf, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		buf += n;
		len -= n;
	}
	return 0;
}

/* One line to the host, or to the console as long as there is no port. */
static void tell(const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	if (len > (int)sizeof(line) - 2)
		len = sizeof(line) - 2;
	line[len++] = '\n';
	if (write_all(ctl >= 0 ? ctl : STDERR_FILENO, line, len) && ctl >= 0)
		write_all(STDERR_FILENO, line, len);
}

static void trouble(const char *what)
{
	tell("trouble %s: %s", what, strerror(errno));
}

/*
 * isa-debug-exit ends QEMU at once.  Lockdown forbids the port; then a reboot
 * does it, since the host runs QEMU with -no-reboot.
 */
static void __attribute__((noreturn)) end_guest(void)
{
	sync();
	if (!ioperm(EXIT_PORT, 1, 1))
		outb(EXIT_DONE, EXIT_PORT);
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

/* ---- small files ----------------------------------------------------- */

/* The whole file, NUL-terminated; NULL with errno when it cannot be read. */
static char *read_file(const char *path, size_t *len)
{
	size_t size = 0, room = 0;
	char *buf = NULL;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	do {
		if (room - size < 4096) {
			room = room * 2 + 8192;
			buf = realloc(buf, room);
			if (!buf)
				break;
		}
		n = read(fd, buf + size, room - size - 1);
		if (n > 0)
			size += n;
	} while (n > 0);
	close(fd);
	if (buf)
		buf[size] = '\0';
	if (len)
		*len = size;
	return buf;
}

/* The first line of a file, without its end. */
static char *read_line(const char *path)
{
	char *line = read_file(path, NULL);

	if (line)
		line[strcspn(line, "\n")] = '\0';
	return line;
}

/* ---- setting up ------------------------------------------------------ */

/* What a kernel lacks is no failure: a command that needs it will say so. */
static void mount_all(void)
{
	static const struct {
		const char *type, *dir, *options;
	} mounts[] = {
		{ "proc", "/proc", NULL },
		{ "sysfs", "/sys", NULL },
		{ "devtmpfs", "/dev", NULL },
		{ "devpts", "/dev/pts", "mode=620,ptmxmode=666" },
		{ "tmpfs", "/dev/shm", NULL },
		{ "tmpfs", "/tmp", NULL },
		{ "tmpfs", "/run", NULL },
		{ "debugfs", "/sys/kernel/debug", NULL },
		{ "tracefs", "/sys/kernel/tracing", NULL },
		{ "securityfs", "/sys/kernel/security", NULL },
		{ "cgroup2", "/sys/fs/cgroup", NULL },
	};
	size_t i;

	for (i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i].dir, 0755);
		if (mount(mounts[i].type, mounts[i].dir, mounts[i].type, 0,
			  mounts[i].options) && errno != EBUSY && errno != ENODEV)
			fprintf(stderr, "init: mount %s: %s\n", mounts[i].dir,
				strerror(errno));
	}
	chmod("/tmp", 01777);
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
}

static void set_up_network(void)
{
	struct ifreq ifr = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	sethostname("guest", 5);
	if (fd < 0)
		return;
	ifr.ifr_flags = IFF_UP | IFF_RUNNING;
	if (ioctl(fd, SIOCSIFFLAGS, &ifr))
		fprintf(stderr, "init: loopback: %s\n", strerror(errno));
	close(fd);
}

static int load_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -1;
	ret = syscall(SYS_finit_module, fd, "", 0);
	close(fd);
	return ret;
}

/* The modules that make the ports, one path a line. */
static void load_port_modules(void)
{
	char *list = read_file("/guest/modules", NULL), *path;

	for (path = strtok(list, "\n"); path; path = strtok(NULL, "\n"))
		if (load_module(path) && errno != EEXIST)
			fprintf(stderr, "init: %s: %s\n", path, strerror(errno));
	free(list);
}

/* The device node of the port called @name, opened; -1 if there is none yet. */
static int open_port_once(const char *name)
{
	char path[64], *got;
	int i, fd = -1;

	for (i = 0; i < 8 && fd < 0; i++) {
		snprintf(path, sizeof(path),
			 "/sys/class/virtio-ports/vport0p%d/name", i);
		got = read_line(path);
		if (got && !strcmp(got, name)) {
			snprintf(path, sizeof(path), "/dev/vport0p%d", i);
			fd = open(path, O_RDWR | O_CLOEXEC);
		}
		free(got);
	}
	return fd;
}

/* Ports appear some time after their driver was loaded. */
static int open_port(const char *name)
{
	int waited, fd;

	for (waited = 0; waited < PORT_WAIT_MS; waited += 5) {
		fd = open_port_once(name);
		if (fd >= 0)
			return fd;
		usleep(5000);
	}
	fprintf(stderr, "init: no port %s\n", name);
	return -1;
}

static bool open_ports(void)
{
	ctl = open_port("trapline.ctl");
	pumps[0].to = open_port(pumps[0].port);
	pumps[1].to = open_port(pumps[1].port);
	return ctl >= 0 && pumps[0].to >= 0 && pumps[1].to >= 0;
}

/* ---- the kernel log -------------------------------------------------- */

static bool log_is_bad;

/* From here on every line of the log counts. */
static void begin_log(void)
{
	static const char marker[] = "<5>guest: begin\n";
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0)
		trouble("/dev/kmsg");
	if (fd < 0 || write_all(fd, marker, sizeof(marker) - 1))
		trouble("the begin marker");
	close(fd);
}

/* Does @text hold @word, not as the tail of a longer one ("DEBUG:")? */
static bool has_word(const char *text, const char *word)
{
	const char *at;

	for (at = text; (at = strstr(at, word)); at++)
		if (at == text || !strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", at[-1]))
			return true;
	return false;
}

static bool is_report(const char *text)
{
	static const char * const words[] = {
		"WARNING:", "BUG:", "Oops:", "UBSAN:", "KASAN:", "KCSAN:",
		"KFENCE:", "KMSAN:", "[ cut here ]", "INFO: task ",
		"INFO: rcu", "INFO: possible ", "INFO: suspicious ",
		"INFO: trying to register ", "self-detected stall",
		"detected stalls", "general protection fault",
		"unable to handle ", "refcount_t:", "Kernel panic",
		"scheduling while atomic", "kernel stack overflow",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (has_word(text, words[i]))
			return true;
	return false;
}

/*
 * A record is "priority,sequence,time,flags;text" and then lines with a
 * leading blank.  EPIPE says that records were overwritten before we came.
 */
static void read_log(void)
{
	char record[8192], *text;
	ssize_t n;

	for (;;) {
		n = read(kmsg, record, sizeof(record) - 1);
		if (n < 0 && errno == EPIPE) {
			log_is_bad = true;
			tell("report records of the kernel log were lost");
			continue;
		}
		if (n <= 0)
			return;
		record[n] = '\0';
		text = strchr(record, ';');
		if (!text)
			continue;
		text++;
		text[strcspn(text, "\n")] = '\0';
		if (is_report(text)) {
			log_is_bad = true;
			tell("report %s", text);
		}
	}
}

static void check_taint(void)
{
	char *text = read_line("/proc/sys/kernel/tainted");
	unsigned long long flags;

	if (!text) {
		trouble("/proc/sys/kernel/tainted");
		return;
	}
	flags = strtoull(text, NULL, 10) & ~TAINT_EXPECTED;
	if (flags) {
		log_is_bad = true;
		tell("tainted 0x%llx", flags);
	}
	free(text);
}

/* Every record there still is, to the host. */
static void send_log(void)
{
	char record[8192];
	int from = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int to = open_port("trapline.log");
	ssize_t n;

	if (from < 0 || to < 0)
		return;
	while ((n = read(from, record, sizeof(record))) > 0 || errno == EPIPE)
		if (n > 0)
			write_all(to, record, n);
	close(to);
	close(from);
}

/* ---- the command ----------------------------------------------------- */

/* /guest/argv as an argument vector. */
static char **read_argv(void)
{
	size_t len = 0, pos, n = 0;
	char *text = read_file("/guest/argv", &len);
	char **argv;

	if (!text || !len)
		return NULL;
	argv = calloc(len + 1, sizeof(*argv));
	if (!argv)
		return NULL;
	for (pos = 0; pos < len; pos += strlen(text + pos) + 1)
		argv[n++] = text + pos;
	return argv;
}

/* The console as a terminal that a shell can use, with the host's size. */
static void take_terminal(const char *settings)
{
	struct winsize size = { 0 };
	struct termios tio;
	char term[64] = "vt100";
	int fd = open("/dev/ttyS0", O_RDWR);

	if (fd < 0)
		return;
	sscanf(settings, "%63s %hu %hu", term, &size.ws_row, &size.ws_col);
	setenv("TERM", term, 1);
	setsid();
	ioctl(fd, TIOCSCTTY, 1);
	if (size.ws_row && size.ws_col)
		ioctl(fd, TIOCSWINSZ, &size);
	if (!tcgetattr(fd, &tio)) {
		tio.c_iflag |= ICRNL | IXON;
		tio.c_oflag &= ~ONLCR;	/* the host's terminal does it */
		tio.c_lflag |= ISIG | ICANON | ECHO | ECHOE | ECHOK | IEXTEN;
		tcsetattr(fd, TCSANOW, &tio);
	}
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static void take_pipes(void)
{
	int null = open("/dev/null", O_RDONLY);

	setsid();
	dup2(null, STDIN_FILENO);
	dup2(pumps[0].child, STDOUT_FILENO);
	dup2(pumps[1].child, STDERR_FILENO);
	if (null > STDERR_FILENO)
		close(null);
}

/* In the child: become the command.  127 and 126 are what a shell would say. */
static void __attribute__((noreturn)) become(char **argv, const char *terminal)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (terminal)
		take_terminal(terminal);
	else
		take_pipes();
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Pass on one read; false at the end of the pipe. */
static bool pump_once(struct pump *p)
{
	static char buf[65536];
	ssize_t n = read(p->from, buf, sizeof(buf));

	if (n < 0)
		return errno == EINTR;
	if (n == 0)
		return false;
	if (write_all(p->to, buf, n)) {
		trouble(p->port);
		return false;
	}
	p->bytes += n;
	return true;
}

/*
 * Pass on what is in the pipe now.  An orphan of the command may go on writing
 * for ever, so this does not try to see the pipe empty.
 */
static void pump_rest(struct pump *p)
{
	uint64_t end;
	int left = 0;

	if (p->from < 0 || ioctl(p->from, FIONREAD, &left))
		return;
	end = p->bytes + left;
	while (p->bytes < end && pump_once(p))
		;
}

static void close_pump(struct pump *p)
{
	close(p->from);
	p->from = -1;
}

/*
 * PID 1 inherits every orphan, so reap all; true when @child is among them.
 */
static bool reap(pid_t child, int *status)
{
	bool ended = false;
	pid_t pid;
	int st;

	while ((pid = waitpid(-1, &st, WNOHANG)) > 0) {
		if (pid == child) {
			*status = st;
			ended = true;
		}
	}
	return ended;
}

/*
 * Relay until the command itself ends.  Its orphans may hold the pipes open,
 * so the end of the pipes is not waited for: what is in them by then is.
 */
static int relay(pid_t child, int sigfd)
{
	struct signalfd_siginfo info;
	struct pollfd fds[4];
	int status = 0;
	size_t i;

	for (;;) {
		fds[0] = (struct pollfd){ .fd = pumps[0].from, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = pumps[1].from, .events = POLLIN };
		fds[2] = (struct pollfd){ .fd = kmsg, .events = POLLIN };
		fds[3] = (struct pollfd){ .fd = sigfd, .events = POLLIN };
		if (poll(fds, 4, -1) < 0)
			continue;
		for (i = 0; i < 2; i++)
			if (fds[i].revents && !pump_once(&pumps[i]))
				close_pump(&pumps[i]);
		if (fds[2].revents)
			read_log();
		if (fds[3].revents && read(sigfd, &info, sizeof(info)) > 0 &&
		    reap(child, &status))
			break;
	}
	for (i = 0; i < 2; i++)
		pump_rest(&pumps[i]);
	return status;
}

static int exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool open_pipes(void)
{
	int fd[2];
	size_t i;

	for (i = 0; i < 2; i++) {
		if (pipe2(fd, O_CLOEXEC))
			return false;
		pumps[i].from = fd[0];
		pumps[i].child = fd[1];
	}
	return true;
}

/* Run the command; its status as a shell would put it. */
static int run(char **argv)
{
	char *terminal = read_line("/guest/tty");
	sigset_t chld;
	int sigfd;
	pid_t pid;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	sigfd = signalfd(-1, &chld, SFD_CLOEXEC);
	if (sigfd < 0 || !open_pipes()) {
		trouble("pipes");
		return 0;
	}
	tell("begin");
	pid = fork();
	if (pid < 0) {
		trouble("fork");
		return 0;
	}
	if (pid == 0)
		become(argv, terminal);
	close(pumps[0].child);
	close(pumps[1].child);
	return exit_status(relay(pid, sigfd));
}

/* Wait for the host's word that it has every byte. */
static void drain(void)
{
	char answer[64];

	tell("drain %llu %llu", (unsigned long long)pumps[0].bytes,
	     (unsigned long long)pumps[1].bytes);
	while (read(ctl, answer, sizeof(answer)) < 0 && errno == EINTR)
		;
}

/* ---- all together ---------------------------------------------------- */

static void set_up(void)
{
	mount_all();
	set_up_network();
	setenv("PATH", GUEST_PATH, 1);
	setenv("HOME", "/root", 1);
	setenv("TERM", "dumb", 1);
	mkdir(WORKDIR, 0755);
	if (chdir(WORKDIR))
		fprintf(stderr, "init: %s: %s\n", WORKDIR, strerror(errno));
	load_port_modules();
}

/* The module under test, if the host named one. */
static bool load_tested_module(void)
{
	char *path = read_line("/guest/module");
	bool ok = true;

	if (path && load_module(path)) {
		trouble(path);
		log_is_bad = true;
		ok = false;
	}
	free(path);
	return ok;
}

int main(void)
{
	char *word, **argv;
	int status = 0;

	set_up();
	if (!open_ports())
		end_guest();
	word = read_line("/guest/proof");
	argv = read_argv();
	begin_log();
	if (!argv || !word)
		trouble("the files of /guest");
	else if (load_tested_module())
		status = run(argv);
	drain();
	read_log();
	check_taint();
	if (log_is_bad)
		send_log();
	tell("proof %s %d", word ? word : "-", status);
	drain();
	end_guest();
}
