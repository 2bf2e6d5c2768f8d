// SPDX-License-Identifier: LGPL-2.1-or-later
/* See barred.h. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "barred.h"
#include "error.h"

#define RESTRICT_PATH	"/proc/sys/kernel/kptr_restrict"
#define PARANOID_PATH	"/proc/sys/kernel/perf_event_paranoid"
#define LOCKDOWN_PATH	"/sys/kernel/security/lockdown"
#define ENFORCE_PATH	"/sys/module/module/parameters/sig_enforce"

/* What a file begins with; an empty text where it cannot be read. */
static void read_setting(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t count;

	buf[0] = '\0';
	if (fd < 0)
		return;
	count = read(fd, buf, size - 1);
	close(fd);
	buf[count > 0 ? count : 0] = '\0';
}

/* A setting that is a number; @none where it cannot be read. */
static int read_number(const char *path, int none)
{
	char value[32];

	read_setting(path, value, sizeof(value));
	return value[0] ? atoi(value) : none;
}

void barred_symbols(struct trapline_error *err)
{
	int restriction = read_number(RESTRICT_PATH, -1);

	switch (restriction) {
	case 0:
		error_hint(err, "kernel.perf_event_paranoid is %d, and above 1 "
			   "only who has CAP_SYSLOG sees them: run as root, or "
			   "with CAP_SYSLOG beside CAP_PERFMON",
			   read_number(PARANOID_PATH, 2));
		break;
	case 1:
		error_hint(err, "kernel.kptr_restrict is 1, which shows them "
			   "only to who has CAP_SYSLOG: run as root, or with "
			   "CAP_SYSLOG beside CAP_PERFMON");
		break;
	case 2:
		error_hint(err, "kernel.kptr_restrict is 2, which hides them "
			   "even from root: `sysctl kernel.kptr_restrict=1` "
			   "for as long as it takes to begin a trace");
		break;
	default:
		error_hint(err, "run as root; see %s", RESTRICT_PATH);
	}
}

/* Lockdown's state is the word in brackets: "none [integrity] ..." */
static bool lockdown_is(const char *word)
{
	char state[128];

	read_setting(LOCKDOWN_PATH, state, sizeof(state));
	return strstr(state, word) != NULL;
}

static bool signatures_are_enforced(void)
{
	char value[32];

	read_setting(ENFORCE_PATH, value, sizeof(value));
	return value[0] == 'Y' || value[0] == '1';
}

/* The library's text has no line of its own for each step. */
static void hint_sign(struct trapline_error *err, const char *why,
		      const char *instead)
{
	error_hint(err, "the kernel takes signed modules only (%s): "
		   "`scripts/sign-file sha256 KEY CERT trapline.ko` of its "
		   "headers signs with a key that it trusts (`mokutil --import "
		   "CERT`, then boot); or boot %s", why, instead);
}

void barred_module(struct trapline_error *err)
{
	if (lockdown_is("[confidentiality]"))
		error_hint(err, "it could not be used: the kernel is locked "
			   "down (confidentiality), which forbids probes; boot "
			   "with lockdown=integrity or none");
	else if (signatures_are_enforced())
		hint_sign(err, "module.sig_enforce",
			  "with module.sig_enforce=0");
	else if (lockdown_is("[integrity]"))
		hint_sign(err, "lockdown, integrity", "without lockdown=");
	else
		error_hint(err, "load it: `modprobe trapline`, or `insmod "
			   "trapline.ko`; `trapline doctor` says what is "
			   "missing");
}

void barred_device(struct trapline_error *err)
{
	if (lockdown_is("[confidentiality]"))
		error_hint(err, "the kernel is locked down (confidentiality): "
			   "%s; tracing needs integrity or none",
			   LOCKDOWN_PATH);
	else
		error_hint(err, "run as root, or with CAP_PERFMON and access "
			   "to the device file");
}
