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
 *   leak TEXT             more about a report of a leak
 *   tainted HEX           taint flags that a good run does not set
 *   proof WORD STATUS     the run is complete; WORD is from /guest/proof, so
 *                         that no other output can pass for it
 *
 * What to do is in files of the initramfs: /guest/argv (the command, each
 * argument ended by a NUL), /guest/modules (modules for the ports, in order),
 * /guest/module (the module under test, if any), /guest/tty ("TERM ROWS
 * COLUMNS": run the command on the serial console instead).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

#define WORKDIR		"/work"
#define GUEST_PATH	WORKDIR ":/usr/bin:/bin:/usr/sbin:/sbin"

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
	if (access("/guest/tty", F_OK))
		check_leaks();
	read_log();
	check_taint();
	if (log_is_bad)
		send_log();
	tell("proof %s %d", word ? word : "-", status);
	drain();
	end_guest();
}
