// SPDX-License-Identifier: GPL-2.0-only
/* PID 1 of a test guest: the way to the host. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define EXIT_PORT	0xf4	/* QEMU's isa-debug-exit; 0x10 ends it with 33 */
#define EXIT_DONE	0x10
#define PORT_WAIT_MS	20000

static int ctl = -1;		/* trapline.ctl */

struct pump pumps[2] = {
	{ .port = "trapline.out", .from = -1, .child = -1, .to = -1 },
	{ .port = "trapline.err", .from = -1, .child = -1, .to = -1 },
};

int write_all(int fd, const char *buf, size_t len)
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
void tell(const char *fmt, ...)
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

void trouble(const char *what)
{
	tell("trouble %s: %s", what, strerror(errno));
}

/*
 * isa-debug-exit ends QEMU at once.  Lockdown forbids the port; then a reboot
 * does it, since the host runs QEMU with -no-reboot.
 */
void __attribute__((noreturn)) end_guest(void)
{
	sync();
	if (!ioperm(EXIT_PORT, 1, 1))
		outb(EXIT_DONE, EXIT_PORT);
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
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
int open_port(const char *name)
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

bool open_ports(void)
{
	ctl = open_port("trapline.ctl");
	pumps[0].to = open_port(pumps[0].port);
	pumps[1].to = open_port(pumps[1].port);
	return ctl >= 0 && pumps[0].to >= 0 && pumps[1].to >= 0;
}

/* Wait for the host's word that it has every byte. */
void drain(void)
{
	char answer[64];

	tell("drain %llu %llu", (unsigned long long)pumps[0].bytes,
	     (unsigned long long)pumps[1].bytes);
	while (read(ctl, answer, sizeof(answer)) < 0 && errno == EINTR)
		;
}
