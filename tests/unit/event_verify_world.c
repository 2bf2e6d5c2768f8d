// SPDX-License-Identifier: GPL-2.0-only
/* See event_verify_world.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/prog.h"

#include "event_verify_world.h"

#define FRAME_BYTES 168 /* struct pt_regs of x86-64 */

struct tl_prog_limits event_limits(const struct trapline_event *event)
{
	const bool args_only = event->backend == TL_BACKEND_TRACEPOINT;

	return (struct tl_prog_limits){
		.regs_bytes = args_only ? TL_TRACEPOINT_ARGS * sizeof(u64) :
					  FRAME_BYTES,
		.is_return = event->backend == TL_BACKEND_KRETPROBE,
		.args_only = args_only,
	};
}

uint32_t verify_event(const struct trapline_event *event)
{
	const struct tl_prog_limits limits = event_limits(event);
	struct tl_prog prog = { .insns = event->insns };
	u32 bad;

	assert_int_equal(tl_prog_verify(&prog, event->insn_count, &limits,
					&bad), TL_ERR_NONE);
	return prog.max_bytes + prog.put_count;
}
