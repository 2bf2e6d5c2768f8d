/* SPDX-License-Identifier: GPL-2.0-only */
/* User memory for tests: that of the process that loads the module. */
#ifndef TL_KUNIT_USER_H
#define TL_KUNIT_USER_H

#include "compat.h"

/* By the process, before the first test. */
void tl_user_begin(void);

/*
 * @bytes of new user memory, none of its pages touched. The test's thread has
 * that process's address space from here on.
 */
unsigned long tl_user_map(struct kunit *test, unsigned long bytes);

#endif
