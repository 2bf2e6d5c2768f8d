// SPDX-License-Identifier: GPL-2.0-only
/* See tl_nth.h. */
#include <fcntl.h>
#include <sys/klog.h>

#include "tl_nth.h"

static int nth_fd = -1;

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die("%s: %s", path, strerror(errno));
	close(fd);
}

/* Failures are made only where they are asked for; then of all kinds. */
static void inject_everywhere(void)
{
	write_file("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	write_file("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	write_file("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N");
	write_file("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	/* the log would be nothing but reports of it */
	write_file("/sys/kernel/debug/failslab/verbose", "0");
	write_file("/sys/kernel/debug/fail_page_alloc/verbose", "0");
	write_file("/sys/kernel/debug/fail_usercopy/verbose", "0");
}

void nth_set(unsigned int nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	/* what is left of the last one may hit the write itself */
	while (pwrite(nth_fd, text, (size_t)length, 0) != length)
		if (errno != EFAULT)
			die("fail-nth: %s", strerror(errno));
}

/* Has it failed since nth_set()? (If the read fails, then it was its turn.) */
bool nth_happened(void)
{
	char text[16] = "";
	bool happened = pread(nth_fd, text, sizeof(text) - 1, 0) > 0 &&
			atoi(text) == 0;

	nth_set(0);
	return happened;
}

unsigned int nth_chances(unsigned int set)
{
	char text[16] = "";

	if (pread(nth_fd, text, sizeof(text) - 1, 0) <= 0)
		die("fail-nth: %s", strerror(errno));
	nth_set(0);
	return set - (unsigned int)atoi(text);
}

static bool is_report(const char *line)
{
	static const char *const words[] = {
		"WARNING:", "BUG", "Oops", "UBSAN", "KASAN", "ODEBUG",
		"INFO: ", "lockdep is turned off",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(line, words[i]))
			return true;
	return false;
}

void nth_check_log(void)
{
	static char log[1 << 20];
	int length = klogctl(4 /* read and clear */, log, sizeof(log) - 1);
	char *line;

	if (length < 0)
		die("the kernel's log");
	log[length] = '\0';
	for (line = strtok(log, "\n"); line; line = strtok(NULL, "\n"))
		if (!CHECK(!is_report(line)))
			tap_note("%s", line);
}

void nth_start(void)
{
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR);
	if (nth_fd < 0)
		die("this kernel has no fault injection");
	inject_everywhere();
}
