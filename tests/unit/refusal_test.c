// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's refusals, and errors as text: what, where, what to do. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../userspace/lib/error.h"
#include "../../userspace/lib/event.h"
#include "../../userspace/lib/refusal.h"
#include "text_world.h"

static const struct trapline_event event = {
	.group = (char *)"kprobes",
	.name = (char *)"e",
	.line = (char *)"  p:e \tvfs_read+2  n=%di",
	.symbol = (char *)"vfs_read",
	.address = 0x1002,
	.offset = 2,
};

static void refuse(struct trapline_error *err, int os_errno, uint32_t code,
		   int kernel_errno, const struct trapline_event *about)
{
	const struct tl_error why = {
		.code = code,
		.kernel_errno = (__u32)kernel_errno,
	};

	memset(err, 0xa5, sizeof(*err));
	refusal_set(err, os_errno, &why, about);
	assert_int_equal(err->os_errno, os_errno);
	assert_string_equal(trapline_error_name(err->code), "kernel-refuses");
}

static void test_place(void **state)
{
	struct trapline_error err;

	(void)state;
	refuse(&err, EINVAL, TL_ERR_PLACE_REFUSED, EINVAL, &event);
	assert_string_equal(err.text, "the kernel refuses: kprobes/e at "
			    "vfs_read+0x2: the kernel does not allow a probe "
			    "there (blacklisted, notrace or not code) (EINVAL)");
	assert_non_null(strstr(err.hint, "probe a caller"));
	assert_int_equal(err.column, 7);
	assert_int_equal(err.length, strlen("vfs_read+2"));
	refuse(&err, EINVAL, TL_ERR_PLACE_BOUNDARY, EILSEQ, &event);
	assert_int_equal(err.column, 7);
}

/* Not the place's fault: nothing in the line is marked. */
static void test_other(void **state)
{
	struct trapline_event without = event;
	struct trapline_error err;

	(void)state;
	without.symbol = NULL;
	refuse(&err, EPERM, TL_ERR_PRIVILEGE, 0, &without);
	assert_string_equal(err.text, "the kernel refuses: kprobes/e at "
			    "0x1002: needs CAP_PERFMON or CAP_SYS_ADMIN");
	assert_string_equal(err.hint, "run as root, or with CAP_PERFMON");
	assert_int_equal(err.column, -1);
	/* a line without a place has none to mark */
	without.line = (char *)"p:e ";
	refuse(&err, EINVAL, TL_ERR_PLACE_BOUNDARY, EILSEQ, &without);
	assert_non_null(strstr(err.text, "(EILSEQ)"));
	assert_int_equal(err.column, -1);
	assert_string_equal(err.hint, "");
}

static void test_without_reason(void **state)
{
	struct trapline_error err;

	(void)state;
	refuse(&err, ENOMEM, TL_ERR_NONE, 0, NULL);
	assert_string_equal(err.text,
			    "the kernel refuses: Cannot allocate memory");
	assert_string_equal(err.hint,
			    "use smaller packets or fewer of them (-b, -n)");
	refusal_set(&err, EIO, NULL, NULL);
	assert_string_equal(err.text,
			    "the kernel refuses: Input/output error");
	assert_string_equal(err.hint, "");
	refusal_set(NULL, EIO, NULL, NULL);
	refusal_open(NULL, EIO);
}

/* A newer module may have more reasons, and errnos of its own. */
static void test_unknown(void **state)
{
	struct trapline_error err;

	(void)state;
	refuse(&err, EINVAL, 9999, 524, &event);
	assert_non_null(strstr(err.text, "a reason that this library does not know (unknown errno)"));
	assert_int_equal(err.column, -1);
}

/* All reasons have a text of their own. */
static void test_all(void **state)
{
	uint32_t code;

	(void)state;
	for (code = TL_ERR_NONE + 1; code <= TL_ERR_MEMORY_LIMIT; code++) {
		struct trapline_error err;

		refuse(&err, EINVAL, code, 0, NULL);
		assert_null(strstr(err.text, "does not know"));
		assert_true(strlen(err.text) > strlen("the kernel refuses: "));
	}
}

static void test_open(void **state)
{
	struct trapline_error err;

	(void)state;
	refusal_open(&err, ENXIO);
	assert_string_equal(trapline_error_name(err.code), "device-missing");
	refusal_open(&err, EACCES);
	assert_string_equal(trapline_error_name(err.code),
			    "device-permission");
	assert_true(err.hint[0]);
	refusal_open(&err, EMFILE);
	assert_string_equal(err.text, "/dev/trapline: Too many open files");
	assert_int_equal(err.os_errno, EMFILE);
}

/* Bytes that somebody else chose; what does not fit ends between characters. */
static void test_printable(void **state)
{
	struct trapline_error err;
	char text[600];
	size_t i, shift;

	(void)state;
	error_set(&err, ERR_SYSTEM, 0, 1, "a\x1b[2Jb\r", "\xc2\x9b\xff");
	assert_string_equal(err.text, "a\\x1b[2Jb\\r: \\xc2\\x9b\\xff");
	error_hint(&err, "%s", "\xe2\x82\xac\n");
	assert_string_equal(err.hint, "\xe2\x82\xac\\n");
	for (shift = 0; shift < 3; shift++) {
		memset(text, 'x', shift);
		for (i = shift; i + 3 < sizeof(text); i += 3)
			memcpy(text + i, "\xe2\x82\xac", 3);
		text[i] = '\0';
		/* each of them is longer escaped than there is room for */
		text[10 + shift] = 1;
		error_hint(&err, "%s", text);
		assert_true(strlen(err.hint) > sizeof(err.hint) - 5);
		text_is_printable(err.hint, strlen(err.hint));
	}
}

static void test_nobody_asks(void **state)
{
	struct trapline_error err = { .text = "before" };

	(void)state;
	error_set(NULL, ERR_SYSTEM, 0, 1, "a", "b");
	error_hint(NULL, "a hint");
	error_set(&err, (enum error_code)9999, 3, 4);
	assert_int_equal(err.code, 9999);
	assert_string_equal(err.text, "");
	assert_string_equal(trapline_error_name(9999), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_other),
		cmocka_unit_test(test_without_reason),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_printable),
		cmocka_unit_test(test_nobody_asks),
	};

	return cmocka_run_group_tests_name("refusal", tests, NULL, NULL);
}
