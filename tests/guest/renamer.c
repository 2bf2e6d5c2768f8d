// SPDX-License-Identifier: GPL-2.0-only
/*
 * renamer old DIR: is called "before"; once DIR/go is there, calls itself
 * "after", makes one traced call, and makes DIR/done.
 * renamer many N: gives itself N names.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void old_name(const char *dir)
{
	char path[256];

	prctl(PR_SET_NAME, "before");
	snprintf(path, sizeof(path), "%s/go", dir);
	while (access(path, F_OK))
		usleep(20000);
	prctl(PR_SET_NAME, "after");
	syscall(SYS_getppid);
	snprintf(path, sizeof(path), "%s/done", dir);
	close(open(path, O_WRONLY | O_CREAT, 0644));
	pause();
}

static void many_names(int count)
{
	char name[16];
	int i;

	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "name %d", i % 1000);
		prctl(PR_SET_NAME, name);
	}
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "old"))
		old_name(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "many"))
		many_names(atoi(argv[2]));
	else
		return 99;
	return 0;
}
