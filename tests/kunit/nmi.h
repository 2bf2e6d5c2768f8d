/* SPDX-License-Identifier: GPL-2.0-only */
/* Real NMIs and int3 when a test wants them, and a way into the middle of a hit. */
#ifndef TL_KUNIT_NMI_H
#define TL_KUNIT_NMI_H

#include <linux/types.h>

struct kprobe;
struct kunit;

/* @fn is called in each NMI that tl_nmi_raise() has raised. */
void tl_nmi_begin(struct kunit *test, void (*fn)(void));
/* After the last one has been handled. */
void tl_nmi_end(struct kunit *test);
/* An NMI on @cpu; false while the one before has not been handled. */
bool tl_nmi_raise(int cpu);
/* How many have been handled since the beginning. */
unsigned long tl_nmi_count(void);

/* Register @kp as a breakpoint that stays one: the kernel makes it no jump. */
void tl_int3_register(struct kunit *test, struct kprobe *kp);

/*
 * @fn is called on this CPU whenever a program is about to read kernel memory:
 * inside the guard, before anything is reserved. Ends with the test.
 */
void tl_hook_begin(struct kunit *test, void (*fn)(void));

#endif
