/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints to be probed, the ones with the fewest and the most arguments. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tl_kunit

#if !defined(TL_KUNIT_PASSED_H) || defined(TRACE_HEADER_MULTI_READ)
#define TL_KUNIT_PASSED_H

#include <linux/tracepoint.h>

TRACE_EVENT(tl_kunit_one,

	TP_PROTO(u64 a),

	TP_ARGS(a),

	TP_STRUCT__entry(
		__field(u64, a)
	),

	TP_fast_assign(
		__entry->a = a;
	),

	TP_printk("a=%llu", __entry->a)
);

TRACE_EVENT(tl_kunit_many,

	TP_PROTO(u8 a, s16 b, int c, long d, const char *e, u64 f, bool g,
		 char h, unsigned int i, s64 j, void *k, u16 l),

	TP_ARGS(a, b, c, d, e, f, g, h, i, j, k, l),

	TP_STRUCT__entry(
		__field(u64, sum)
	),

	TP_fast_assign(
		__entry->sum = a + b + c + d + *e + f + g + h + i + j + !k + l;
	),

	TP_printk("sum=%llu", __entry->sum)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE passed
#include <trace/define_trace.h>
