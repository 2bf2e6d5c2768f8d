// SPDX-License-Identifier: GPL-2.0-only
/* trapline live: the options. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "definitions.h"
#include "live.h"
#include "report.h"
#include "signals.h"

/* "4096", "64k", "1M"; 0 for what is no number above 0 */
static unsigned int read_number(const char *text)
{
	unsigned long value, factor = 1;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return 0;
	errno = 0;
	value = strtoul(text, &end, 0);
	if (*end == 'k' || *end == 'K')
		factor = 1024;
	else if (*end == 'm' || *end == 'M')
		factor = 1024 * 1024;
	if (factor > 1)
		end++;
	if (errno || *end || value > UINT_MAX / factor)
		return 0;
	return (unsigned int)(value * factor);
}

/* A power of two in a range; 0 for what is not. */
static unsigned int read_power(const char *text, unsigned int min,
			       unsigned int max)
{
	unsigned int value = read_number(text);

	if (value & (value - 1) || value < min || value > max)
		return 0;
	return value;
}

/* --comm or --cgroup. Of two it would not be clear whether "and" or "or" is meant. */
static int take_once(const struct command *self, const char *option,
		     const char **value)
{
	if (!optarg[0])
		return usage_error(self, "%s \"\": nothing is called that",
				   option);
	if (*value)
		return usage_error(self,
				   "%s was given already; several are a filter of the definition: if ... || ...",
				   option);
	*value = optarg;
	return -1;
}

/* An option that says whose hits are recorded. */
static int take_restriction(const struct command *self, int option,
			    struct restriction *only)
{
	switch (option) {
	case OPTION_PID:
		if (!restrict_add_pids(only, optarg))
			return -1;
		return usage_error(self, "\"%s\" is not PID[,PID]...: process numbers",
				   optarg);
	case OPTION_COMM:
		return take_once(self, "--comm", &only->comm);
	case OPTION_CGROUP:
		return take_once(self, "--cgroup", &only->cgroup);
	default:
		only->children = true;
		return -1;
	}
}

/* One option; -1 to go on, or an exit code. */
static int take_option(const struct command *self, int option, char **argv,
		       struct live *live)
{
	switch (option) {
	case 'e':
		definitions_add(&live->defs, optarg);
		return -1;
	case 'f':
		return definitions_add_file(&live->defs, optarg) ?
			EXIT_FAILED : -1;
	case 'b':
		live->opts.packet_bytes = read_power(optarg, 4096, 4 << 20);
		if (!live->opts.packet_bytes)
			return usage_error(self,
					   "\"%s\" bytes: not a power of two from 4k to 4M",
					   optarg);
		return -1;
	case 'n':
		live->opts.packet_count = read_power(optarg, 2, 4096);
		if (!live->opts.packet_count)
			return usage_error(self,
					   "\"%s\" packets: not a power of two from 2 to 4096",
					   optarg);
		return -1;
	case 'o':
		live->output_name = optarg;
		return -1;
	case 'w':
		live->opts.overwrite = true;
		return -1;
	case OPTION_JSON_ERRORS:
		report_as_json();
		return -1;
	case OPTION_PLACES:
		live->list_places = true;
		return -1;
	case OPTION_KPROBES:
		live->opts.kprobes = true;
		return -1;
	case OPTION_ALL_OR_NOTHING:
		live->opts.all_or_nothing = true;
		return -1;
	case OPTION_NANO:
		live->format.nanoseconds = true;
		return -1;
	case OPTION_PID:
	case OPTION_COMM:
	case OPTION_CGROUP:
	case OPTION_CHILDREN:
		return take_restriction(self, option, &live->only);
	case OPTION_HELP:
		help_command(self);
		return EXIT_GOOD;
	default:
		return usage_option(self, option, argv);
	}
}

static int read_options(const struct command *self, int argc, char **argv,
			struct live *live)
{
	int option, status = -1;

	opterr = 0;
	/* "+": what follows the first word that is no option is the command */
	while (status < 0 &&
	       (option = getopt_long(argc, argv, "+:hb:e:f:n:o:w", self->options,
				     NULL)) != -1)
		status = take_option(self, option, argv, live);
	if (status >= 0)
		return status;
	if (optind < argc)
		live->argv = argv + optind;
	else if (!strcmp(argv[argc - 1], "--"))
		return usage_error(self, "no command behind \"--\"");
	if (!live->defs.count)
		return usage_error(self, "no events: give them with -e or -f");
	return -1;
}

/* Options that say nothing without another one. */
static int check_options(const struct command *self, const struct live *live)
{
	if (live->only.children && !live->only.pid_count)
		return usage_error(self, "--children needs --pid: whose?");
	return -1;
}

/* The output is opened first, so that nothing is armed in vain. */
static int run_prepared(struct live *live)
{
	if (live_open_output(live))
		return EXIT_FAILED;
	if (live_prepare(live)) {
		live_drop_output(live);
		return EXIT_FAILED;
	}
	return live_empty_output(live) ? EXIT_FAILED : live_run(live);
}

static int run_live(const struct command *self, int argc, char **argv)
{
	struct live live = {
		.opts.size = sizeof(live.opts),
		.format.size = sizeof(live.format),
	};
	int status = read_options(self, argc, argv, &live);

	if (status < 0)
		status = check_options(self, &live);
	/* early: whoever asks before all is armed gets the first one then */
	if (status < 0 && live.opts.overwrite)
		signals_catch_snapshots();
	if (status < 0)
		status = run_prepared(&live);
	live_close(&live);
	return status;
}

static const struct option options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "file", required_argument, NULL, 'f' },
	{ "bytes", required_argument, NULL, 'b' },
	{ "packets", required_argument, NULL, 'n' },
	{ "output", required_argument, NULL, 'o' },
	{ "overwrite", no_argument, NULL, 'w' },
	{ "pid", required_argument, NULL, OPTION_PID },
	{ "comm", required_argument, NULL, OPTION_COMM },
	{ "cgroup", required_argument, NULL, OPTION_CGROUP },
	{ "children", no_argument, NULL, OPTION_CHILDREN },
	{ "json-errors", no_argument, NULL, OPTION_JSON_ERRORS },
	{ "places", no_argument, NULL, OPTION_PLACES },
	{ "kprobes", no_argument, NULL, OPTION_KPROBES },
	{ "all-or-nothing", no_argument, NULL, OPTION_ALL_OR_NOTHING },
	{ "nano", no_argument, NULL, OPTION_NANO },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ 0 },
};

const struct command command_live = {
	.name = "live",
	.usage = "[-e LINE]... [-f FILE]... [OPTION...] [-- COMMAND...]",
	.summary = "Trace and print each record, while a command runs or until Ctrl-C.",
	.details =
	"Records go to standard output, which the command has too, or to a file, one\n"
	"a line, in the form of ftrace; at the end a table of what was recorded and\n"
	"lost goes to standard error. The whole system is traced, not only the command,\n"
	"unless --pid, --comm or --cgroup says whose hits are recorded.\n\n"
	"  -e, --event LINE    an event, in the language of kprobe_events\n"
	"  -f, --file FILE     events from a file, one a line; - is standard input\n"
	"  -b, --bytes N       bytes of a packet, a power of two (default 64k)\n"
	"  -n, --packets N     packets for each CPU, a power of two (default 16)\n"
	"  -o, --output FILE   records into a file, not to standard output\n"
	"  -w, --overwrite     a flight recorder: keep the newest records, print them at\n"
	"                      the end and when SIGUSR2 comes\n"
	"      --pid PID[,PID]  only these processes, with all their threads\n"
	"      --children      and what descends from them, while its parents live\n"
	"      --comm GLOB     only tasks whose name fits: * ? [a-z]\n"
	"      --cgroup PATH   only tasks in this cgroup (version 2) and those that are\n"
	"                      below it now\n"
	"      --places        list the places of each event on standard error first\n"
	"      --json-errors   each message on standard error is a JSON object on a line\n"
	"      --all-or-nothing  a place that the kernel refuses is an error, also of one\n"
	"                      of several events, or one of those of a pattern\n"
	"      --kprobes       kprobes at entries of functions, too, and not ftrace\n"
	"      --nano          nine digits after the second\n"
	"  -h, --help          this text\n",
	.options = options,
	.run = run_live,
};
