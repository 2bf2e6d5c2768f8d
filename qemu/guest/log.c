// SPDX-License-Identifier: GPL-2.0-only
/* PID 1 of a test guest: what the kernel said meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

/* Taint flags of a good run: out-of-tree module, unsigned module, KUnit. */
#define TAINT_EXPECTED	(1ULL << 12 | 1ULL << 13 | 1ULL << 18)

int kmsg = -1;

bool log_is_bad;

/* From here on every line of the log counts. */
void begin_log(void)
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
		"WARNING:", "BUG:", "BUG ", "Oops:", "UBSAN:", "KASAN:",
		"KCSAN:", "KFENCE:", "KMSAN:", "ODEBUG:", "[ cut here ]",
		"INFO: task ", "suspected memory leaks",
		"INFO: rcu", "INFO: possible ", "INFO: suspicious ",
		"INFO: trying to register ", "self-detected stall",
		"detected stalls", "general protection fault",
		"unable to handle ", "refcount_t:", "Kernel panic",
		"scheduling while atomic", "kernel stack overflow",
		/* checks that gave up: from here on silence proves nothing */
		"INFO: lockdep is turned off", "locking correctness validator",
		"leak detector disabled",
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
void read_log(void)
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

void check_taint(void)
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
void send_log(void)
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
