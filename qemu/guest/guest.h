/* SPDX-License-Identifier: GPL-2.0-only */
/* PID 1 of a test guest, see main.c: what its files have of each other. */
#ifndef QEMU_GUEST_H
#define QEMU_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One stream of the command on its way to the host. */
struct pump {
	const char *port;	/* name of the virtio port */
	int from;		/* read end of the command's pipe */
	int child;		/* write end, the command's */
	int to;			/* the port */
	uint64_t bytes;
};

extern struct pump pumps[2];	/* stdout, stderr */
extern bool log_is_bad;		/* the host is to get the kernel log */
extern int kmsg;		/* /dev/kmsg, read from the begin marker on */

/* host.c: ports, lines to the host, the end */
int write_all(int fd, const char *buf, size_t len);
void tell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void trouble(const char *what);
int open_port(const char *name);
bool open_ports(void);
void drain(void);
void end_guest(void) __attribute__((noreturn));

/* setup.c: what a command expects of a machine */
char *read_file(const char *path, size_t *len);
char *read_line(const char *path);
void mount_all(void);
void set_up_network(void);
int load_module(const char *path);
void load_port_modules(void);

/* log.c: did the kernel complain? */
void begin_log(void);
void read_log(void);
void check_taint(void);
void send_log(void);

/* leaks.c: does it hold what nobody can reach? */
void check_leaks(void);

/* command.c: running it */
char **read_argv(void);
int run(char **argv);

#endif
