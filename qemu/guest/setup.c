// SPDX-License-Identifier: GPL-2.0-only
/* PID 1 of a test guest: file systems, network, modules, small files. */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

/* The whole file, NUL-terminated; NULL with errno when it cannot be read. */
char *read_file(const char *path, size_t *len)
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
char *read_line(const char *path)
{
	char *line = read_file(path, NULL);

	if (line)
		line[strcspn(line, "\n")] = '\0';
	return line;
}

/* What a kernel lacks is no failure: a command that needs it will say so. */
void mount_all(void)
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
			  mounts[i].options) && errno != EBUSY &&
		    errno != ENODEV && errno != ENOENT)
			fprintf(stderr, "init: mount %s: %s\n", mounts[i].dir,
				strerror(errno));
	}
	chmod("/tmp", 01777);
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
}

void set_up_network(void)
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

int load_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -1;
	ret = syscall(SYS_finit_module, fd, "", 0);
	close(fd);
	return ret;
}

/* The modules that make the ports, one path a line. */
void load_port_modules(void)
{
	char *list = read_file("/guest/modules", NULL), *path;

	for (path = strtok(list, "\n"); path; path = strtok(NULL, "\n"))
		if (load_module(path) && errno != EEXIST)
			fprintf(stderr, "init: %s: %s\n", path, strerror(errno));
	free(list);
}
