/* SPDX-License-Identifier: GPL-2.0-only */
/* What the checks of `trapline doctor` share. */
#ifndef TRAPLINE_DOCTOR_H
#define TRAPLINE_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/utsname.h>

enum doctor_level {
	DOCTOR_OK,
	DOCTOR_WARN,	/* tracing works, but something is worth knowing */
	DOCTOR_FAIL,	/* tracing cannot work */
};

/**
 * struct doctor - one examination
 * @kernel: the running kernel
 * @module_path: file of the module to look at; NULL: the installed one
 * @module_loaded: the device is there, so what prevents loading is no matter
 * @failed: something said FAIL
 */
struct doctor {
	struct utsname kernel;
	const char *module_path;
	bool module_loaded;
	bool failed;
};

/**
 * doctor_say() - the line of one check
 * @doctor: the examination
 * @level: the result
 * @subject: what was looked at, one word
 * @todo: what to do about it, or NULL
 * @format: what was found, a format of printf()
 */
void doctor_say(struct doctor *doctor, enum doctor_level level,
		const char *subject, const char *todo, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/**
 * doctor_read() - the first line of a small file
 * @path: the file
 * @buf: where to, with a NUL and without the newline
 * @size: of @buf
 *
 * Returns 0 or a negative errno.
 */
int doctor_read(const char *path, char *buf, size_t size);

#define KPROBES_ENABLED "/sys/kernel/debug/kprobes/enabled"
#define FTRACE_ENABLED "/proc/sys/kernel/ftrace_enabled"

/** kernel_switch_is_off() - the file is there and begins with a 0 */
bool kernel_switch_is_off(const char *path);

void doctor_check_kernel(struct doctor *doctor);
void doctor_check_config(struct doctor *doctor);
void doctor_check_permission(struct doctor *doctor);
void doctor_check_lockdown(struct doctor *doctor);
void doctor_check_signature(struct doctor *doctor);
void doctor_check_module(struct doctor *doctor);
void doctor_check_device(struct doctor *doctor);
void doctor_check_symbols(struct doctor *doctor);
void doctor_check_kprobes(struct doctor *doctor);
void doctor_check_ftrace(struct doctor *doctor);
void doctor_check_btf(struct doctor *doctor);
void doctor_check_clock(struct doctor *doctor);

#endif
