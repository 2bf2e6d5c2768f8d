// SPDX-License-Identifier: GPL-2.0-only
/* Who may trace: CAP_PERFMON, at the opening and at each command. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tl.h"

#define NOBODY 65534

/* A user without capabilities, or with those of @mask. */
static void become_nobody(uint64_t mask)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = (uint32_t)mask, .permitted = (uint32_t)mask },
		{ .effective = (uint32_t)(mask >> 32),
		  .permitted = (uint32_t)(mask >> 32) },
	};

	if (prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) ||
	    setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY) ||
	    syscall(SYS_capset, &header, data))
		die("becoming nobody");
}

/* What an open gives to such a user: 0, or an errno. */
static int open_as(uint64_t mask)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		die("fork");
	if (!pid) {
		become_nobody(mask);
		_exit(open("/dev/trapline", O_RDWR) < 0 ? errno : 0);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		die("the child");
	return WEXITSTATUS(status);
}

static uint64_t address;

/* A session that was opened by root, in the hands of nobody. */
static bool use_inherited(int dev)
{
	struct tl_query query = { .size = sizeof(query) };
	struct tl_session_setup setup = { .size = sizeof(setup) };
	const uint32_t id = 0;
	struct tl_event_add add;
	struct tl_ring_open open;
	struct tl_error error;
	bool good = true;

	become_nobody(0);
	good &= CHECK_EQ(dev_ioctl(dev, TL_QUERY, &query), 0);
	good &= CHECK_EQ(dev_ioctl(dev, TL_SESSION_SETUP, &setup), -EPERM);
	good &= CHECK_EQ(setup.error.code, TL_ERR_PRIVILEGE);
	good &= CHECK_EQ(dev_try_add(dev, TL_BACKEND_KPROBE, address, 0, prog_di, 2,
			     &add), -EPERM);
	good &= CHECK_EQ(add.error.code, TL_ERR_PRIVILEGE);
	good &= CHECK_EQ(dev_event_ctl(dev, TL_EVENT_DISABLE, &id, 1, &error), -EPERM);
	good &= CHECK_EQ(error.code, TL_ERR_PRIVILEGE);
	good &= CHECK_EQ(ring_try_open(dev, 0, &open), -EPERM);
	good &= CHECK_EQ(open.error.code, TL_ERR_PRIVILEGE);
	good &= CHECK_EQ(dev_stats(dev, 0).state, TL_EVENT_ARMED);
	/* stopping must always be possible */
	good &= CHECK_EQ(dev_session_ctl(dev, TL_SESSION_STOP), 0);
	return good;
}

int main(void)
{
	const uint64_t perfmon = 1ull << CAP_PERFMON;
	struct stat st;
	int dev, status;
	pid_t pid;

	address = symbol("__x64_sys_getppid");
	tap_case("the device is root's alone");
	CHECK(!stat("/dev/trapline", &st) && S_ISCHR(st.st_mode));
	CHECK_EQ(st.st_mode & 0777, 0600);
	CHECK_EQ(st.st_uid, 0);
	CHECK_EQ(open_as(0), EACCES);
	CHECK_EQ(open_as(perfmon), EACCES);

	tap_case("with the device open to all, it takes CAP_PERFMON");
	if (chmod("/dev/trapline", 0666))
		die("chmod");
	CHECK_EQ(open_as(0), EPERM);
	CHECK_EQ(open_as(1ull << CAP_NET_ADMIN | 1ull << CAP_DAC_OVERRIDE),
		 EPERM);
	CHECK_EQ(open_as(perfmon), 0);
	CHECK_EQ(open_as(1ull << CAP_SYS_ADMIN), 0);
	if (chmod("/dev/trapline", 0600))
		die("chmod");

	dev = dev_ready(4096, 2);
	dev_enable(dev, dev_add(dev, TL_BACKEND_KPROBE, address, prog_di, 2));
	dev_start(dev);
	tap_case("a session in the hands of a user without privilege");
	pid = fork();
	if (!pid)
		_exit(!use_inherited(dev));
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	CHECK_EQ(dev_stats(dev, 0).state, TL_EVENT_OFF);
	CHECK_EQ(kprobes_count(), 0);
	close(dev);
	return tap_done();
}
