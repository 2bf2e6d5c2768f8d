// SPDX-License-Identifier: GPL-2.0-only
/* Linux 6.5: functions to be called when a test ends. */
#include <kunit/resource.h>

int tl_probe(struct kunit *test, kunit_action_t *fn);
int tl_probe(struct kunit *test, kunit_action_t *fn)
{
	return kunit_add_action_or_reset(test, fn, NULL);
}
