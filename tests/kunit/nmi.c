// SPDX-License-Identifier: GPL-2.0-only
/* Real NMIs and int3 when a test wants them, and a way into the middle of a hit. */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>

#include <asm/nmi.h>

#include "compat.h"
#include "context.h"
#include "nmi.h"

#define TL_NMI_NAME "trapline_kunit"

static void (*tl_nmi_fn)(void);
static unsigned long tl_nmis;
static int tl_nmi_cpu = -1; /* on which one is due; -1: none */

static int tl_nmi_handler(unsigned int type, struct pt_regs *regs)
{
	if (READ_ONCE(tl_nmi_cpu) != raw_smp_processor_id())
		return NMI_DONE;
	tl_nmi_fn();
	WRITE_ONCE(tl_nmis, tl_nmis + 1);
	/* the next one may be raised from here on, it waits for our end */
	smp_store_release(&tl_nmi_cpu, -1);
	return NMI_HANDLED;
}

void tl_nmi_begin(struct kunit *test, void (*fn)(void))
{
	tl_nmi_fn = fn;
	tl_nmis = 0;
	KUNIT_ASSERT_EQ(test, 0, register_nmi_handler(NMI_LOCAL, tl_nmi_handler,
						      0, TL_NMI_NAME));
}

void tl_nmi_end(struct kunit *test)
{
	u32 tries;

	for (tries = 0; tries < 10000 && READ_ONCE(tl_nmi_cpu) != -1; tries++)
		usleep_range(500, 1500);
	KUNIT_EXPECT_LT_MSG(test, tries, 10000, "an NMI has not come");
	unregister_nmi_handler(NMI_LOCAL, TL_NMI_NAME);
	WRITE_ONCE(tl_nmi_cpu, -1);
}

bool tl_nmi_raise(int cpu)
{
	/* pairs with the handler's release: what it did is seen */
	if (smp_load_acquire(&tl_nmi_cpu) != -1)
		return false;
	WRITE_ONCE(tl_nmi_cpu, cpu);
	tl_apic_send(cpu, NMI_VECTOR);
	return true;
}

unsigned long tl_nmi_count(void)
{
	return READ_ONCE(tl_nmis);
}

/* What has this is none that can be a jump. */
static void tl_int3_post(struct kprobe *kp, struct pt_regs *regs,
			 unsigned long flags)
{
}

void tl_int3_register(struct kunit *test, struct kprobe *kp)
{
	kp->post_handler = tl_int3_post;
	/* one that was registered before is registered as switched off */
	kp->flags = 0;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(kp));
}

static void (*tl_hook_fn)(void);
static int tl_hook_cpu;

static void tl_hook(unsigned long ip, unsigned long parent_ip,
		    struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	if (raw_smp_processor_id() == tl_hook_cpu && tl_context_busy())
		tl_hook_fn();
}

/* ftrace keeps one context of a CPU from calling it twice, not two of them. */
static struct ftrace_ops tl_hook_ops = {
	.func = tl_hook,
	.flags = FTRACE_OPS_FL_RECURSION,
};

static void tl_hook_end(void *data)
{
	unregister_ftrace_function(&tl_hook_ops);
	ftrace_set_filter(&tl_hook_ops, NULL, 0, 1);
}

void tl_hook_begin(struct kunit *test, void (*fn)(void))
{
	static unsigned char name[] = "copy_from_kernel_nofault";

	tl_hook_fn = fn;
	tl_hook_cpu = raw_smp_processor_id();
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter(&tl_hook_ops, name,
						   sizeof(name) - 1, 1));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&tl_hook_ops));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, tl_hook_end,
							   NULL));
}
