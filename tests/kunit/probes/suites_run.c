// SPDX-License-Identifier: GPL-2.0-only
/* Linux 6.15: suites can be known without being run. */
#include <kunit/test.h>

int tl_probe(struct kunit_suite **suites, int count);
int tl_probe(struct kunit_suite **suites, int count)
{
	return __kunit_test_suites_init(suites, count, true);
}
