// SPDX-License-Identifier: GPL-2.0-only
/* trapline doctor: can this kernel be traced, and if not, why not? */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "doctor.h"
#include "report.h"

/* In the order in which they are worth reading; the device comes first. */
static void (*const checks[])(struct doctor *doctor) = {
	doctor_check_kernel,
	doctor_check_device,
	doctor_check_module,
	doctor_check_permission,
	doctor_check_lockdown,
	doctor_check_signature,
	doctor_check_symbols,
	doctor_check_kprobes,
	doctor_check_ftrace,
	doctor_check_config,
	doctor_check_btf,
	doctor_check_clock,
};

void doctor_say(struct doctor *doctor, enum doctor_level level,
		const char *subject, const char *todo, const char *format, ...)
{
	static const char *const words[] = { "ok", "warn", "FAIL" };
	va_list args;

	if (level == DOCTOR_FAIL)
		doctor->failed = true;
	printf("%-4s  %-10s  ", words[level], subject);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	if (todo)
		printf("; %s", todo);
	putchar('\n');
}

int doctor_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t count;

	if (fd < 0)
		return -errno;
	count = read(fd, buf, size - 1);
	close(fd);
	if (count < 0)
		return -EIO;
	buf[count] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

static int run_doctor(const struct command *self, int argc, char **argv)
{
	struct doctor doctor = { 0 };
	int option;
	size_t i;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", self->options,
				     NULL)) != -1) {
		if (option != OPTION_HELP)
			return usage_option(self, option, argv);
		help_command(self);
		return EXIT_GOOD;
	}
	if (argc - optind > 1)
		return usage_error(self, "one module at a time, not \"%s\"",
				   argv[optind + 1]);
	doctor.module_path = argv[optind];
	uname(&doctor.kernel);
	for (i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		checks[i](&doctor);
	puts(doctor.failed ? "tracing cannot work: see FAIL above" :
			     "tracing can work");
	return doctor.failed ? EXIT_FAILED : EXIT_GOOD;
}

static const struct option options[] = {
	{ "help", no_argument, NULL, OPTION_HELP },
	{ 0 },
};

const struct command command_doctor = {
	.name = "doctor",
	.usage = "[MODULE.ko]",
	.summary = "Tell what the running kernel offers and what prevents tracing.",
	.details =
	"One line for each check: ok, warn or FAIL, what was found, what to do.\n"
	"With a file: whether that module fits the kernel. The exit status is 0\n"
	"if tracing can work, 1 if not.\n\n"
	"  -h, --help   this text\n",
	.options = options,
	.run = run_doctor,
};
