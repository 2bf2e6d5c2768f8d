/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that ftrace can trace, as the kernel itself tells. */
#ifndef TESTS_GUEST_TL_FUNCTIONS_H
#define TESTS_GUEST_TL_FUNCTIONS_H

#include "tl.h"

/**
 * functions_traced() - how many functions call any user of ftrace now; kprobes at
 * entries are among them, but not twice
 */
unsigned int functions_traced(void);

/**
 * functions_find() - addresses of functions that ftrace and kprobes can have, and
 * that an idle machine does not call; ends the test if there are not so many
 */
void functions_find(uint64_t *addresses, unsigned int count);

#endif
