// SPDX-License-Identifier: GPL-2.0-only
/* Checks: what the kernel offers to a tracer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/trapline.h"
#include "doctor.h"

#define BTF_PATH "/sys/kernel/btf/vmlinux"
#define CLOCK_PATH \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

bool kernel_switch_is_off(const char *path)
{
	char value[16];

	return !doctor_read(path, value, sizeof(value)) && value[0] == '0';
}

void doctor_check_kernel(struct doctor *doctor)
{
	const char *arch = doctor->kernel.machine;
	bool known = !strcmp(arch, "x86_64");

	doctor_say(doctor, known ? DOCTOR_OK : DOCTOR_FAIL, "kernel",
		   known ? NULL : "trapline runs on x86_64", "%s, %s",
		   doctor->kernel.release, arch);
}

/* Loading is the real test: the file, kptr_restrict, the form. */
void doctor_check_symbols(struct doctor *doctor)
{
	struct trapline_symbols *symbols;
	struct trapline_error err = { 0 };
	char restriction[16];

	if (doctor_read("/proc/sys/kernel/kptr_restrict", restriction,
			sizeof(restriction)))
		strcpy(restriction, "?");
	if (trapline_symbols_load(NULL, &symbols, &err)) {
		doctor_say(doctor, DOCTOR_FAIL, "symbols",
			   err.hint[0] ? err.hint : NULL,
			   "%s (kptr_restrict is %s)", err.text, restriction);
		return;
	}
	trapline_symbols_free(symbols);
	doctor_say(doctor, DOCTOR_OK, "symbols", NULL,
		   "/proc/kallsyms has addresses (kptr_restrict is %s)",
		   restriction);
}

void doctor_check_kprobes(struct doctor *doctor)
{
	char value[16];
	int rc = doctor_read(KPROBES_ENABLED, value, sizeof(value));

	if (rc == -EACCES)
		doctor_say(doctor, DOCTOR_WARN, "kprobes", "run as root",
			   "not known: %s: %s", KPROBES_ENABLED,
			   strerror(EACCES));
	else if (rc)
		doctor_say(doctor, DOCTOR_WARN, "kprobes",
			   "mount -t debugfs debugfs /sys/kernel/debug",
			   "not known: %s is not there", KPROBES_ENABLED);
	else if (value[0] == '0')
		doctor_say(doctor, DOCTOR_FAIL, "kprobes",
			   "echo 1 > " KPROBES_ENABLED,
			   "all probes of the system are disarmed");
	else
		doctor_say(doctor, DOCTOR_OK, "kprobes", NULL, "enabled");
}

void doctor_check_ftrace(struct doctor *doctor)
{
	char value[16];

	if (access("/proc/sys/kernel", F_OK))
		doctor_say(doctor, DOCTOR_WARN, "ftrace", "mount -t proc proc /proc",
			   "not known: /proc is not mounted");
	else if (doctor_read(FTRACE_ENABLED, value, sizeof(value)))
		doctor_say(doctor, DOCTOR_WARN, "ftrace", NULL,
			   "this kernel has none: probes at function entries "
			   "use breakpoints, which are slower");
	else if (value[0] == '0')
		doctor_say(doctor, DOCTOR_WARN, "ftrace",
			   "sysctl kernel.ftrace_enabled=1",
			   "disabled: probes at function entries are armed, "
			   "and never hit");
	else
		doctor_say(doctor, DOCTOR_OK, "ftrace", NULL, "enabled");
}

void doctor_check_btf(struct doctor *doctor)
{
	if (access(BTF_PATH, R_OK))
		doctor_say(doctor, DOCTOR_WARN, "btf", NULL,
			   "%s is not there: no types of arguments", BTF_PATH);
	else
		doctor_say(doctor, DOCTOR_OK, "btf", NULL, "%s", BTF_PATH);
}

/* Every record reads the clock: outside the CPU that costs a microsecond. */
void doctor_check_clock(struct doctor *doctor)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "jiffies",
					    "refined-jiffies" };
	char name[64];
	size_t i;

	if (doctor_read(CLOCK_PATH, name, sizeof(name))) {
		doctor_say(doctor, DOCTOR_WARN, "clock", NULL, "not known");
		return;
	}
	for (i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		if (strcmp(name, slow[i]))
			continue;
		doctor_say(doctor, DOCTOR_WARN, "clock",
			   "see clocksource= in the kernel's parameters",
			   "%s is slow or coarse", name);
		return;
	}
	doctor_say(doctor, DOCTOR_OK, "clock", NULL, "%s", name);
}

/* What must be, and what is good to have; of CONFIG_. */
static const struct {
	const char *name;
	enum doctor_level missing;
} config_options[] = {
	{ "MODULES", DOCTOR_FAIL },
	{ "KPROBES", DOCTOR_FAIL },
	{ "KRETPROBES", DOCTOR_FAIL },
	{ "KALLSYMS", DOCTOR_FAIL },
	{ "KPROBES_ON_FTRACE", DOCTOR_WARN },
	{ "OPTPROBES", DOCTOR_WARN },
};

#define OPTION_COUNT (sizeof(config_options) / sizeof(config_options[0]))

/* Marks in @seen the options that are set. */
static void read_config(FILE *stream, bool *seen)
{
	char line[512], wanted[64];
	size_t i;

	while (fgets(line, sizeof(line), stream)) {
		line[strcspn(line, "\n")] = '\0';
		for (i = 0; i < OPTION_COUNT; i++) {
			snprintf(wanted, sizeof(wanted), "CONFIG_%s=y",
				 config_options[i].name);
			if (!strcmp(line, wanted))
				seen[i] = true;
		}
	}
}

/* Opens the first configuration that there is; gzip reads the kernel's own. */
static FILE *open_config(const struct doctor *doctor, bool *piped, char *path,
			 size_t size)
{
	static const char *const forms[] = {
		"/boot/config-%s",
		"/lib/modules/%s/config",
		"/lib/modules/%s/build/.config",
	};
	size_t i;

	*piped = false;
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		FILE *stream;

		snprintf(path, size, forms[i], doctor->kernel.release);
		stream = fopen(path, "re");
		if (stream)
			return stream;
	}
	if (access("/proc/config.gz", R_OK))
		return NULL;
	*piped = true;
	snprintf(path, size, "/proc/config.gz");
	return popen("gzip -dc /proc/config.gz 2>/dev/null", "re");
}

void doctor_check_config(struct doctor *doctor)
{
	bool seen[OPTION_COUNT] = { false };
	bool piped, all = true, any = false;
	char path[256];
	FILE *stream = open_config(doctor, &piped, path, sizeof(path));
	size_t i;

	if (!stream) {
		doctor_say(doctor, DOCTOR_WARN, "config", NULL,
			   "the kernel's configuration cannot be read");
		return;
	}
	read_config(stream, seen);
	if (piped)
		pclose(stream);
	else
		fclose(stream);
	for (i = 0; i < OPTION_COUNT; i++)
		any = any || seen[i];
	if (!any) {
		doctor_say(doctor, DOCTOR_WARN, "config", NULL,
			   "%s has nothing that is known", path);
		return;
	}
	for (i = 0; i < OPTION_COUNT; i++) {
		if (seen[i])
			continue;
		all = false;
		doctor_say(doctor, config_options[i].missing, "config",
			   config_options[i].missing == DOCTOR_FAIL ?
				   "use a kernel that has it" : NULL,
			   "CONFIG_%s is not set", config_options[i].name);
	}
	if (all)
		doctor_say(doctor, DOCTOR_OK, "config", NULL,
			   "%s has all that is needed", path);
}
