// SPDX-License-Identifier: GPL-2.0-only
/* The table of backends. */
#include <linux/bits.h>
#include <linux/kallsyms.h>
#include <linux/kconfig.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include "probe.h"
#include "trapline.h"

static const struct tl_probe_ops *const tl_backends[TL_BACKENDS] = {
	[TL_BACKEND_KPROBE] = &tl_kprobe_ops,
	[TL_BACKEND_KRETPROBE] = &tl_kretprobe_ops,
	/*
	 * One handler serves tracepoints of all prototypes. A kernel that checks
	 * the prototype at each indirect call would not let it be called.
	 */
	[TL_BACKEND_TRACEPOINT] =
		IS_ENABLED(CONFIG_CFI_CLANG) || IS_ENABLED(CONFIG_CFI) ?
			NULL : &tl_tracepoint_ops,
#ifdef CONFIG_KPROBES_ON_FTRACE
	[TL_BACKEND_FUNCTION] = &tl_function_ops,
#endif
};

/**
 * tl_probe_backend() - a backend by its number
 * @number: TL_BACKEND_*, from user space
 *
 * Returns NULL for a number that is none.
 */
const struct tl_probe_ops *tl_probe_backend(u32 number)
{
	if (number >= ARRAY_SIZE(tl_backends))
		return NULL;
	return tl_backends[array_index_nospec(number, ARRAY_SIZE(tl_backends))];
}

/**
 * tl_probe_backends() - which backends there are, one bit each
 */
u64 tl_probe_backends(void)
{
	u64 mask = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tl_backends); i++)
		if (tl_backends[i])
			mask |= BIT_ULL(i);
	return mask;
}

/**
 * tl_probe_is_entry() - is an address the start of a function?
 * @address: in the kernel's code
 *
 * Only its text form of the symbol tells that a module.
 */
bool tl_probe_is_entry(unsigned long address)
{
	char symbol[KSYM_SYMBOL_LEN];

	sprint_symbol(symbol, address);
	return strstr(symbol, "+0x0/");
}

/**
 * tl_probe_is_stuck() - has the kernel failed to take a probe off?
 * @kp: after unregister_kprobes()
 *
 * It needs memory for the last one at an entry of ftrace's. Without it the probe
 * stays armed, and a kernel says so with a warning, and by a probe without address.
 */
bool tl_probe_is_stuck(const struct kprobe *kp)
{
	return !kp->addr;
}
