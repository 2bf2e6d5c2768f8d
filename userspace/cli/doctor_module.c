// SPDX-License-Identifier: GPL-2.0-only
/* Checks: the module, and what keeps it from being loaded or used. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../lib/trapline.h"
#include "doctor.h"

#define LOCKDOWN_PATH "/sys/kernel/security/lockdown"
#define INITIAL_USER_NAMESPACE 0xEFFFFFFDu /* its inode: linux/proc_ns.h */

static void list_backends(char *buf, size_t size, uint64_t backends)
{
	/* numbers of TL_BACKEND_* */
	static const char *const names[] = {
		NULL, "kprobe", "kretprobe", "function", "tracepoint",
	};
	size_t i, length = 0;

	buf[0] = '\0';
	for (i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
		int count;

		if (!names[i] || !(backends >> i & 1) || length >= size)
			continue;
		count = snprintf(buf + length, size - length, "%s%s",
				 length ? ", " : "", names[i]);
		length += (size_t)count;
	}
}

/* Opening is the real test: device, permission, interface. */
void doctor_check_device(struct doctor *doctor)
{
	struct trapline_info info = { .size = sizeof(info) };
	struct trapline_session *session;
	struct trapline_error err = { 0 };
	char backends[64];

	if (!access("/dev/trapline", F_OK))
		doctor->module_loaded = true;
	if (trapline_session_open(&session, &err)) {
		const char *todo = err.hint[0] ? err.hint : NULL;

		/* the library's hint would send the user to us */
		if (!doctor->module_loaded)
			todo = "load it: `modprobe trapline`, or `insmod trapline.ko`";
		doctor_say(doctor, DOCTOR_FAIL, "device", todo, "%s",
			   err.text);
		return;
	}
	trapline_session_info(session, &info);
	trapline_session_close(session);
	list_backends(backends, sizeof(backends), info.backends);
	doctor_say(doctor, backends[0] ? DOCTOR_OK : DOCTOR_FAIL, "device",
		   NULL, "/dev/trapline: interface %u.%u, packet format %u, "
		   "backends: %s", info.abi_major, info.abi_minor, info.format,
		   backends[0] ? backends : "none");
}

/* The installed module's path, from modules.dep; false if there is none. */
static bool find_installed(const struct doctor *doctor, char *path,
			   size_t size)
{
	char line[4096], dep[256];
	bool found = false;
	FILE *stream;

	snprintf(dep, sizeof(dep), "/lib/modules/%s/modules.dep",
		 doctor->kernel.release);
	stream = fopen(dep, "re");
	if (!stream)
		return false;
	while (!found && fgets(line, sizeof(line), stream)) {
		line[strcspn(line, ":\n")] = '\0';
		found = strstr(line, "/trapline.ko") != NULL;
	}
	fclose(stream);
	if (found)
		snprintf(path, size, "/lib/modules/%s/%s",
			 doctor->kernel.release, line);
	return found;
}

/*
 * The kernel that a module was built for: the first word after "vermagic=".
 * Compressed modules cannot be looked into: -ENOEXEC.
 */
static int read_vermagic(const char *path, char *buf, size_t size)
{
	static const char key[] = "vermagic=";
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = -ENOEXEC;
	const char *map, *at;
	struct stat st;
	size_t left, length;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_size <= 0) {
		close(fd);
		return -ENOEXEC;
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return -ENOMEM;
	at = memmem(map, (size_t)st.st_size, key, sizeof(key) - 1);
	if (at) {
		at += sizeof(key) - 1;
		left = (size_t)(map + st.st_size - at);
		for (length = 0; length < left && length < size - 1; length++)
			if (at[length] == ' ' || !at[length])
				break;
		memcpy(buf, at, length);
		buf[length] = '\0';
		rc = 0;
	}
	munmap((void *)map, (size_t)st.st_size);
	return rc;
}

void doctor_check_module(struct doctor *doctor)
{
	char path[4400], built_for[128];
	const char *file = doctor->module_path;
	enum doctor_level level;
	int rc;

	if (!file && find_installed(doctor, path, sizeof(path)))
		file = path;
	if (!file) {
		doctor_say(doctor, doctor->module_loaded ? DOCTOR_OK :
							   DOCTOR_WARN,
			   "module", doctor->module_loaded ? NULL :
			   "build it for this kernel, then `insmod trapline.ko`",
			   "not installed in /lib/modules/%s",
			   doctor->kernel.release);
		return;
	}
	rc = read_vermagic(file, built_for, sizeof(built_for));
	/* a file that was named must be right, the installed one may be old */
	level = doctor->module_path ? DOCTOR_FAIL : DOCTOR_WARN;
	if (rc == -ENOEXEC)
		doctor_say(doctor, level, "module", NULL,
			   "%s has no version that can be read", file);
	else if (rc)
		doctor_say(doctor, level, "module", NULL, "%s: %s", file,
			   strerror(-rc));
	else if (strcmp(built_for, doctor->kernel.release))
		doctor_say(doctor, level, "module",
			   "build it against the headers of this kernel",
			   "%s was built for %s, this is %s", file, built_for,
			   doctor->kernel.release);
	else
		doctor_say(doctor, DOCTOR_OK, "module", NULL,
			   "%s is for this kernel", file);
}

/* Effective capabilities; not from /proc, which may not be there. */
static unsigned long long read_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct words[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, words))
		return 0;
	return (unsigned long long)words[1].effective << 32 | words[0].effective;
}

/* In a user namespace of its own: what it may there says nothing to the module. */
static bool is_in_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/user", &st) && st.st_ino != INITIAL_USER_NAMESPACE;
}

void doctor_check_permission(struct doctor *doctor)
{
	unsigned long long caps = read_capabilities();
	bool admin = caps >> CAP_SYS_ADMIN & 1;
	bool perfmon = caps >> CAP_PERFMON & 1;

	if (is_in_namespace())
		doctor_say(doctor, DOCTOR_FAIL, "permission",
			   "run as root outside of it",
			   "user %u in a user namespace, whose capabilities do not count",
			   (unsigned int)geteuid());
	else if (admin || perfmon)
		doctor_say(doctor, DOCTOR_OK, "permission", NULL,
			   "user %u with%s%s", (unsigned int)geteuid(),
			   perfmon ? " CAP_PERFMON" : "",
			   admin ? " CAP_SYS_ADMIN" : "");
	else
		doctor_say(doctor, DOCTOR_FAIL, "permission",
			   "run as root or with CAP_PERFMON",
			   "user %u without CAP_PERFMON and CAP_SYS_ADMIN",
			   (unsigned int)geteuid());
}

void doctor_check_lockdown(struct doctor *doctor)
{
	char state[128];
	int rc = doctor_read(LOCKDOWN_PATH, state, sizeof(state));

	if (rc == -ENOENT && access("/sys/kernel/security/lsm", F_OK))
		doctor_say(doctor, DOCTOR_WARN, "lockdown",
			   "mount -t securityfs securityfs /sys/kernel/security",
			   "not known: securityfs is not mounted");
	else if (rc == -ENOENT)
		doctor_say(doctor, DOCTOR_OK, "lockdown", NULL,
			   "this kernel has none");
	else if (rc)
		doctor_say(doctor, DOCTOR_WARN, "lockdown", NULL, "%s: %s",
			   LOCKDOWN_PATH, strerror(-rc));
	else if (strstr(state, "[confidentiality]"))
		doctor_say(doctor, DOCTOR_FAIL, "lockdown",
			   "boot with lockdown=integrity or lower",
			   "confidentiality: probes are forbidden");
	else if (strstr(state, "[integrity]"))
		doctor_say(doctor, doctor->module_loaded ? DOCTOR_OK :
							   DOCTOR_WARN,
			   "lockdown", doctor->module_loaded ? NULL :
			   "sign it (scripts/sign-file of the kernel's headers) "
			   "with a key that the kernel trusts",
			   "integrity: only signed modules can be loaded");
	else
		doctor_say(doctor, DOCTOR_OK, "lockdown", NULL, "none");
}

void doctor_check_signature(struct doctor *doctor)
{
	char value[16];

	if (doctor_read("/sys/module/module/parameters/sig_enforce", value,
			sizeof(value)))
		doctor_say(doctor, DOCTOR_OK, "signature", NULL,
			   "this kernel does not check signatures of modules");
	else if (value[0] != 'Y' && value[0] != '1')
		doctor_say(doctor, DOCTOR_OK, "signature", NULL,
			   "unsigned modules are accepted");
	else
		doctor_say(doctor, doctor->module_loaded ? DOCTOR_OK :
							   DOCTOR_WARN,
			   "signature", doctor->module_loaded ? NULL :
			   "sign it (scripts/sign-file of the kernel's headers) "
			   "with a key that the kernel trusts, or boot with "
			   "module.sig_enforce=0",
			   "unsigned modules are refused (module.sig_enforce)");
}
