// SPDX-License-Identifier: GPL-2.0-only
/*
 * PID 1 of a test guest: memory of the kernel that nobody can reach any more.
 *
 * Only a kernel with kmemleak has the file. It does not tell of memory younger
 * than five seconds, nor of what has changed since the scan before; hence two.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

#define LEAKS_FILE	"/sys/kernel/debug/kmemleak"
#define LEAKS_AGE_S	6
/* Each has a stack: the first ones tell enough. */
#define LEAKS_LINES	60

static bool order(const char *word)
{
	int fd = open(LEAKS_FILE, O_WRONLY | O_CLOEXEC);
	bool ok;

	if (fd < 0)
		return false;
	ok = write(fd, word, strlen(word)) == (ssize_t)strlen(word);
	if (close(fd))
		ok = false;
	return ok;
}

static void tell_leaks(char *text)
{
	int lines = 0;
	char *line;

	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (!lines++)
			tell("report kmemleak: %s", line);
		else if (lines <= LEAKS_LINES)
			tell("leak %s", line);
	}
	if (lines)
		log_is_bad = true;
}

void check_leaks(void)
{
	char *text;

	if (access(LEAKS_FILE, F_OK))
		return;
	if (!order("scan")) {
		/* the command may have locked the kernel down: no debugfs */
		if (errno != EPERM)
			trouble(LEAKS_FILE);
		return;
	}
	sleep(LEAKS_AGE_S);
	if (!order("scan"))
		trouble(LEAKS_FILE);
	text = read_file(LEAKS_FILE, NULL);
	if (text)
		tell_leaks(text);
	else
		trouble(LEAKS_FILE);
	free(text);
}
