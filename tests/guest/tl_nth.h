/* SPDX-License-Identifier: GPL-2.0-only */
/* The n-th chance for a failure fails: of a kernel with fault injection. */
#ifndef TESTS_GUEST_TL_NTH_H
#define TESTS_GUEST_TL_NTH_H

#include "tl.h"

#define NTH_MAX 3000

/** nth_start() - in this thread, and of all kinds; ends the test if it cannot be */
void nth_start(void);
/** nth_set() - the n-th chance from here on fails */
void nth_set(unsigned int nth);
/** nth_happened() - has it failed since nth_set()? No more of it will. */
bool nth_happened(void);
/** nth_chances() - how many there have been since nth_set(); none has failed */
unsigned int nth_chances(unsigned int set);
/**
 * nth_check_log() - the kernel's log since the last time has no report
 *
 * But for those of memory that could not be had, which we have made, and which
 * some of its allocators tell with a stack: hence the log is emptied, before
 * who runs the tests sees it.
 */
void nth_check_log(void);

#endif
