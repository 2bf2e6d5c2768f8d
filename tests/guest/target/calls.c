// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions to be probed, and who calls them: see calls.h.
 *
 * Each CPU has an hrtimer. Each of its interrupts calls the functions, has a
 * tasklet and an irq_work call them, and sends an NMI to the next CPU, whose
 * handler calls them once more. NMIs that no CPU has sent come from outside of
 * the guest and call them, too. So all contexts of a CPU are nested into each
 * other at random. What a caller counts is what was really called.
 */
#include <linux/cpu.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "calls.h"

/**
 * struct calls_cpu - the callers of one CPU
 * @count: calls of each function, by caller
 * @timer: starts a round
 * @tasklet: calls in a softirq
 * @work: calls in an interrupt of its own
 * @nmi_pending: an NMI was sent and has not come yet
 */
struct calls_cpu {
	u64 count[CALLS_CALLERS];
	struct hrtimer timer;
	struct tasklet_struct tasklet;
	struct irq_work work;
	atomic_t nmi_pending;
};

static DEFINE_PER_CPU(struct calls_cpu, calls_cpu);
static DEFINE_MUTEX(calls_lock);
static struct calls_storm calls_orders;

/* ---- the places ------------------------------------------------------- */

/* How far inside of the functions, stored by the assembler. */
extern u64 calls_jump_offset, calls_int3_offset;

static noinline __noclone void calls_entry(u64 number, u64 stamp)
{
	asm volatile("" : : "D"(number), "S"(stamp) : "memory");
}

/* Two instructions of six bytes together: room for a jump. */
static noinline __noclone void calls_jump(u64 number, u64 stamp)
{
	asm volatile("1:\n\t"
		     "movq %%rdi, %%rax\n\t"
		     "addq %%rsi, %%rax\n\t"
		     "nop\n\t"
		     ".pushsection .data\n"
		     "calls_jump_offset: .quad 1b - calls_jump\n\t"
		     ".popsection"
		     : : "D"(number), "S"(stamp) : "rax", "cc", "memory");
}

/* The second instruction is jumped at: no room for a jump before it. */
static noinline __noclone void calls_int3(u64 number, u64 stamp)
{
	asm volatile("testq %%rdi, %%rdi\n\t"
		     "js 2f\n"
		     "1:\n\t"
		     "movq %%rdi, %%rax\n"
		     "2:\n\t"
		     "addq %%rsi, %%rax\n\t"
		     "nop\n\t"
		     ".pushsection .data\n"
		     "calls_int3_offset: .quad 1b - calls_int3\n\t"
		     ".popsection"
		     : : "D"(number), "S"(stamp) : "rax", "cc", "memory");
}

/* ---- the callers ------------------------------------------------------ */

static void (*const calls_functions[])(u64 number, u64 stamp) = {
	[CALLS_ENTRY] = calls_entry,
	[CALLS_JUMP] = calls_jump,
	[CALLS_INT3] = calls_int3,
};

/*
 * The next number of this caller on this CPU, to its places. Callers of one
 * kind do not interrupt each other, so that their numbers arrive in order.
 */
static void calls_all(u32 caller)
{
	u64 number = this_cpu_inc_return(calls_cpu.count[caller]);
	u64 stamp = calls_stamp(number, caller);
	u32 places = READ_ONCE(calls_orders.places[caller]);
	u32 place;

	for (place = 0; place < CALLS_PLACES; place++)
		if (places & 1u << place)
			calls_functions[place](number, stamp);
}

static int calls_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!this_cpu_read(calls_cpu.nmi_pending.counter))
		return NMI_DONE;
	calls_all(CALLS_NMI);
	atomic_set_release(this_cpu_ptr(&calls_cpu.nmi_pending), 0);
	return NMI_HANDLED;
}

/*
 * An NMI that nobody else claims: QEMU's monitor has sent it. It comes when it
 * likes, so whether there is a storm is asked here, and with an acquire: then
 * the places are those of the same storm.
 */
static int calls_monitor(unsigned int type, struct pt_regs *regs)
{
	if (smp_load_acquire(&calls_orders.period_us))
		calls_all(CALLS_MONITOR);
	return NMI_HANDLED;
}

static void calls_softirq(struct tasklet_struct *tasklet)
{
	calls_all(CALLS_SOFTIRQ);
}

static void calls_work(struct irq_work *work)
{
	calls_all(CALLS_WORK);
}

/* One at a time: the CPU would melt two into one. */
static void calls_send_nmi(int cpu)
{
	if (!atomic_cmpxchg(per_cpu_ptr(&calls_cpu.nmi_pending, cpu), 0, 1))
		apic->send_IPI(cpu, NMI_VECTOR);
}

static enum hrtimer_restart calls_timer(struct hrtimer *timer)
{
	struct calls_cpu *own = this_cpu_ptr(&calls_cpu);
	u32 period_us = READ_ONCE(calls_orders.period_us);
	int next = cpumask_next(smp_processor_id(), cpu_online_mask);
	u64 jitter_ns;

	if (!period_us)
		return HRTIMER_NORESTART;
	calls_send_nmi(next < nr_cpu_ids ? next : cpumask_first(cpu_online_mask));
	calls_all(CALLS_TIMER);
	tasklet_schedule(&own->tasklet);
	irq_work_queue(&own->work);
	jitter_ns = calls_stamp(own->count[CALLS_TIMER], 0) % 1000 * period_us;
	hrtimer_forward_now(timer, ns_to_ktime(period_us * 500ull + jitter_ns));
	return HRTIMER_RESTART;
}

static void calls_timer_start(void *unused)
{
	hrtimer_start(this_cpu_ptr(&calls_cpu.timer), ns_to_ktime(100000),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* When this returns, only tasks call. */
static void calls_storm_end(void)
{
	int cpu;

	WRITE_ONCE(calls_orders.period_us, 0);
	for_each_possible_cpu(cpu)
		hrtimer_cancel(per_cpu_ptr(&calls_cpu.timer, cpu));
	for_each_possible_cpu(cpu) {
		struct calls_cpu *own = per_cpu_ptr(&calls_cpu, cpu);

		tasklet_kill(&own->tasklet);
		irq_work_sync(&own->work);
		while (atomic_read_acquire(&own->nmi_pending))
			cond_resched();
	}
	/* an NMI from outside that has seen the storm is over, too */
	synchronize_rcu();
}

static void calls_storm(const struct calls_storm *orders)
{
	mutex_lock(&calls_lock);
	cpus_read_lock();
	calls_storm_end();
	memcpy(calls_orders.places, orders->places, sizeof(orders->places));
	smp_store_release(&calls_orders.period_us, orders->period_us);
	if (orders->period_us)
		on_each_cpu(calls_timer_start, NULL, 1);
	cpus_read_unlock();
	mutex_unlock(&calls_lock);
}

/* ---- the device ------------------------------------------------------- */

static int calls_task_run(u64 count)
{
	while (count--) {
		if (signal_pending(current))
			return -EINTR;
		/* number and call are one for other tasks */
		preempt_disable();
		calls_all(CALLS_TASK);
		preempt_enable();
		cond_resched();
	}
	return 0;
}

static int calls_make(const struct calls_make *make)
{
	u64 i;

	if (make->place >= CALLS_PLACES || make->reserved)
		return -EINVAL;
	for (i = 0; i < make->count; i++) {
		u64 number = make->first + i;

		calls_functions[make->place](number, calls_stamp(number, CALLS_TASK));
		cond_resched();
	}
	return 0;
}

static long calls_copy_counts(void __user *to)
{
	struct calls_counts counts = {};
	int cpu;

	for_each_possible_cpu(cpu)
		if (cpu < CALLS_CPUS)
			memcpy(counts.count[cpu],
			       per_cpu_ptr(&calls_cpu, cpu)->count,
			       sizeof(counts.count[cpu]));
	return copy_to_user(to, &counts, sizeof(counts)) ? -EFAULT : 0;
}

static long calls_copy_places(void __user *to)
{
	struct calls_places places = {
		.address = {
			[CALLS_ENTRY] = (unsigned long)calls_entry,
			[CALLS_JUMP] = (unsigned long)calls_jump +
				       calls_jump_offset,
			[CALLS_INT3] = (unsigned long)calls_int3 +
				       calls_int3_offset,
		},
	};
	u32 place;

	for (place = 0; place < CALLS_PLACES; place++)
		places.opcode[place] =
			READ_ONCE(*(u8 *)(unsigned long)places.address[place]);
	return copy_to_user(to, &places, sizeof(places)) ? -EFAULT : 0;
}

static long calls_ioctl(struct file *file, unsigned int number,
			unsigned long arg)
{
	void __user *data = (void __user *)arg;
	struct calls_storm orders;
	struct calls_make make;

	switch (number) {
	case CALLS_PLACES_GET:
		return calls_copy_places(data);
	case CALLS_MAKE:
		if (copy_from_user(&make, data, sizeof(make)))
			return -EFAULT;
		return calls_make(&make);
	case CALLS_TASK_RUN:
		return calls_task_run(arg);
	case CALLS_STORM:
		if (copy_from_user(&orders, data, sizeof(orders)))
			return -EFAULT;
		calls_storm(&orders);
		return 0;
	case CALLS_COUNTS_GET:
		return calls_copy_counts(data);
	}
	return -ENOTTY;
}

/* Whoever made a storm may have died. */
static int calls_release(struct inode *inode, struct file *file)
{
	calls_storm(&(struct calls_storm){});
	return 0;
}

static const struct file_operations calls_ops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = calls_ioctl,
	.release = calls_release,
};

static struct miscdevice calls_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "calls",
	.fops = &calls_ops,
	.mode = 0600,
};

static int __init calls_init(void)
{
	int cpu, err;

	for_each_possible_cpu(cpu) {
		struct calls_cpu *own = per_cpu_ptr(&calls_cpu, cpu);

#ifdef HAVE_HRTIMER_SETUP
		hrtimer_setup(&own->timer, calls_timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
#else
		hrtimer_init(&own->timer, CLOCK_MONOTONIC,
			     HRTIMER_MODE_REL_PINNED_HARD);
		own->timer.function = calls_timer;
#endif
		tasklet_setup(&own->tasklet, calls_softirq);
		/* an interrupt with PREEMPT_RT, too, and no thread */
		own->work = IRQ_WORK_INIT_HARD(calls_work);
	}
	err = register_nmi_handler(NMI_LOCAL, calls_nmi, 0, "calls");
	if (err)
		return err;
	err = register_nmi_handler(NMI_UNKNOWN, calls_monitor, 0, "calls");
	if (err)
		goto local;
	err = misc_register(&calls_device);
	if (err)
		goto unknown;
	return 0;
unknown:
	unregister_nmi_handler(NMI_UNKNOWN, "calls");
local:
	unregister_nmi_handler(NMI_LOCAL, "calls");
	return err;
}

static void __exit calls_exit(void)
{
	misc_deregister(&calls_device);
	unregister_nmi_handler(NMI_UNKNOWN, "calls");
	unregister_nmi_handler(NMI_LOCAL, "calls");
}

module_init(calls_init);
module_exit(calls_exit);
MODULE_DESCRIPTION("Functions to be probed, called from everywhere");
MODULE_LICENSE("GPL");
