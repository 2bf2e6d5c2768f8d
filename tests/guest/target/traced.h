/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints of a module: few arguments, and the most that the kernel has. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM traced

#if !defined(TRACED_H) || defined(TRACE_HEADER_MULTI_READ)
#define TRACED_H

#include <linux/tracepoint.h>

struct traced_thing;

TRACE_EVENT(traced_few,

	TP_PROTO(int number, struct traced_thing *thing),

	TP_ARGS(number, thing),

	TP_STRUCT__entry(
		__field(int, number)
		__array(char, name, 16)
	),

	TP_fast_assign(
		__entry->number = number;
		strscpy(__entry->name, thing->name, sizeof(__entry->name));
	),

	TP_printk("number=%d name=%s", __entry->number, __entry->name)
);

TRACE_EVENT(traced_many,

	TP_PROTO(u8 a, s16 b, int c, long d, const char *e, u64 f, bool g,
		 char h, unsigned int i, s64 j, void *k, u16 l),

	TP_ARGS(a, b, c, d, e, f, g, h, i, j, k, l),

	TP_STRUCT__entry(
		__field(u8, a)
		__field(s16, b)
		__field(int, c)
		__field(long, d)
		__field(u64, f)
		__field(bool, g)
		__field(char, h)
		__field(unsigned int, i)
		__field(s64, j)
		__field(u16, l)
	),

	TP_fast_assign(
		__entry->a = a;
		__entry->b = b;
		__entry->c = c;
		__entry->d = d;
		__entry->f = f;
		__entry->g = g;
		__entry->h = h;
		__entry->i = i;
		__entry->j = j;
		__entry->l = l;
	),

	TP_printk("a=%u b=%d c=%d d=%ld f=%llu g=%d h=%d i=%u j=%lld l=%u",
		  __entry->a, __entry->b, __entry->c, __entry->d, __entry->f,
		  __entry->g, __entry->h, __entry->i, __entry->j, __entry->l)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE traced
#include <trace/define_trace.h>
