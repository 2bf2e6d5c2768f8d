/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints as a source of hits. */
#ifndef TL_KUNIT_TRACE_H
#define TL_KUNIT_TRACE_H

#include <kunit/test.h>

/* Look them up; the test fails here if one is not there. */
void tl_trace_find(struct kunit *test);
/* @hit is called with preemption off, on all CPUs, in all contexts. */
void tl_trace_begin(struct kunit *test, void (*hit)(void));
/* Nobody is in @hit any more when this returns. */
void tl_trace_end(void);

#endif
