// SPDX-License-Identifier: GPL-2.0-only
/*
 * The options that restrict a run become a condition in the language of
 * filters, which each event gets besides its own.
 */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <linux/magic.h>

#include "cli.h"
#include "report.h"
#include "restrict.h"

#define CGROUP_ROOT "/sys/fs/cgroup"

static void *more(void *old, size_t bytes)
{
	void *grown = realloc(old, bytes);

	if (grown)
		return grown;
	report("out of memory");
	exit(EXIT_FAILED);
}

int restrict_add_pids(struct restriction *only, const char *list)
{
	for (;;) {
		unsigned long pid;
		char *end;

		if (list[0] < '1' || list[0] > '9')
			return -1;
		errno = 0;
		pid = strtoul(list, &end, 10);
		if (errno || pid > INT_MAX || (*end && *end != ','))
			return -1;
		only->pids = more(only->pids, (only->pid_count + 1) *
				  sizeof(only->pids[0]));
		only->pids[only->pid_count++] = (unsigned int)pid;
		if (!*end)
			return 0;
		list = end + 1;
	}
}

void restrict_free(struct restriction *only)
{
	free(only->pids);
	only->pids = NULL;
	only->pid_count = 0;
}

/* ---- processes -------------------------------------------------------- */

/* A thread has a folder in /proc, too, but is no process of its own. */
static int check_pid(unsigned int pid)
{
	char path[64], line[128];
	unsigned int tgid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	file = fopen(path, "re");
	if (!file) {
		report("--pid %u: there is no such process", pid);
		return -1;
	}
	while (!tgid && fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %u", &tgid) != 1)
			tgid = 0;
	fclose(file);
	if (!tgid || tgid == pid)
		return 0;
	report("--pid %u: that is a thread of process %u; for one thread there is the filter \"if tid == %u\"",
	       pid, tgid, pid);
	return -1;
}

static int add_pids(FILE *text, const struct restriction *only)
{
	size_t i;

	if (!trapline_ids_are_initial()) {
		report("--pid: in this PID namespace %u is another process than for the kernel; run trapline outside of the container, or give --comm or --cgroup",
		       only->pids[0]);
		return -1;
	}
	for (i = 0; i < only->pid_count; i++) {
		if (check_pid(only->pids[i]))
			return -1;
		fprintf(text, "%s%s == %u", i ? " || " : "(",
			only->children ? "family" : "tgid", only->pids[i]);
	}
	fprintf(text, ")");
	return 0;
}

/* ---- names ------------------------------------------------------------ */

/* The pattern in quotes: quotes in it are its own. */
static int add_comm(FILE *text, const char *pattern)
{
	fprintf(text, "comm ~ \"");
	for (; *pattern; pattern++) {
		if (*pattern == '"') {
			fputc('\\', text);
		} else if (*pattern == '\\') {
			fputc(*pattern++, text);
			if (!*pattern) {
				report("--comm: nothing follows the last \"\\\"");
				return -1;
			}
		}
		fputc(*pattern, text);
	}
	fprintf(text, "\"");
	return 0;
}

/* ---- cgroups ---------------------------------------------------------- */

/* nftw() hands nothing on: the condition that is being written, and how far. */
static FILE *cgroup_text;
static bool cgroup_is_first;

static int add_cgroup(const char *path, const struct stat *stat, int type,
		      struct FTW *level)
{
	(void)path;
	(void)level;
	if (type != FTW_D)
		return 0;
	fprintf(cgroup_text, "%scgroup == %llu", cgroup_is_first ? "(" : " || ",
		(unsigned long long)stat->st_ino);
	cgroup_is_first = false;
	return 0;
}

static bool is_cgroup(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

/* The folder, or the one of that name below where cgroups are. */
static int add_cgroups(FILE *text, const char *path)
{
	static const char *const roots[] = {
		"", CGROUP_ROOT "/", CGROUP_ROOT "/unified/",
	};
	char folder[PATH_MAX];
	size_t i;
	int length;

	for (i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		length = snprintf(folder, sizeof(folder), "%s%s", roots[i], path);
		if (length >= (int)sizeof(folder) || !is_cgroup(folder))
			continue;
		cgroup_text = text;
		cgroup_is_first = true;
		if (nftw(folder, add_cgroup, 16, FTW_PHYS | FTW_MOUNT) ||
		    cgroup_is_first)
			break;
		fprintf(text, ")");
		return 0;
	}
	report("--cgroup %s: that is no cgroup of version 2, neither as a path nor below %s",
	       path, CGROUP_ROOT);
	return -1;
}

/* ---- all of them ------------------------------------------------------ */

static int write_condition(FILE *text, const struct restriction *only)
{
	const char *between = "";

	if (only->pid_count) {
		if (add_pids(text, only))
			return -1;
		between = " && ";
	}
	if (only->comm) {
		fprintf(text, "%s", between);
		if (add_comm(text, only->comm))
			return -1;
		between = " && ";
	}
	if (only->cgroup) {
		fprintf(text, "%s", between);
		if (add_cgroups(text, only->cgroup))
			return -1;
	}
	return 0;
}

/* No other condition has a text. */
static bool is_of_comm(const struct trapline_error *err)
{
	const char *name = trapline_error_name(err->code);

	return !strcmp(name, "filter-text-long") ||
	       !strcmp(name, "filter-pattern");
}

static int restrict_all(const struct definitions *defs, const char *condition)
{
	struct trapline_error err = { 0 };
	size_t i;

	for (i = 0; i < defs->count; i++) {
		struct trapline_event *event = defs->items[i].event;

		if (!event || !trapline_event_restrict(event, condition, &err))
			continue;
		report("%s: %s", is_of_comm(&err) ? "--comm" :
		       "--pid, --comm and --cgroup together", err.text);
		return -1;
	}
	return 0;
}

int restrict_events(const struct restriction *only,
		    const struct definitions *defs)
{
	char *condition = NULL;
	size_t size;
	FILE *text;
	int ret;

	if (!only->pid_count && !only->comm && !only->cgroup)
		return 0;
	text = open_memstream(&condition, &size);
	if (!text) {
		report("out of memory");
		return -1;
	}
	ret = write_condition(text, only);
	if (fclose(text)) {
		report("out of memory");
		ret = -1;
	}
	if (!ret)
		ret = restrict_all(defs, condition);
	free(condition);
	return ret;
}
