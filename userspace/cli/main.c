// SPDX-License-Identifier: GPL-2.0-only
/* trapline: finds the subcommand and runs it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../lib/trapline.h"
#include "cli.h"
#include "report.h"

static int no_command(const char *word)
{
	const char *near = command_nearest(word);

	if (near)
		report("there is no %s \"%s\"; did you mean \"%s\"?",
		       word[0] == '-' ? "option" : "command", word, near);
	else
		report("there is no %s \"%s\"; see `trapline help`",
		       word[0] == '-' ? "option" : "command", word);
	return EXIT_USAGE;
}

static int run(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		report("which command? see `trapline help`");
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help_all();
		return EXIT_GOOD;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("trapline %s\n", trapline_version());
		return EXIT_GOOD;
	}
	command = command_find(argv[1]);
	if (!command)
		return no_command(argv[1]);
	return command->run(command, argc - 1, argv + 1);
}

/* Else the next file that is opened would be taken for standard output. */
static void open_missing_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	int status;

	open_missing_streams();
	status = run(argc, argv);

	/* output that did not arrive is a failure, but a closed pipe is none */
	if (fflush(stdout) && errno != EPIPE) {
		report("standard output: %s", strerror(errno));
		if (status == EXIT_GOOD)
			status = EXIT_FAILED;
	}
	return status;
}
