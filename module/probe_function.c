// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend: entry of a function of the kernel, by register_ftrace_function().
 *
 * All places of all sessions share one ftrace_ops. Its filter, which is changed
 * for many places at once, says which functions call the handler; a hash says
 * which places a function has. The registers are those that a kprobe at the
 * function's start would be given.
 *
 * ftrace takes functions that no kprobe may have, and cannot take some that one
 * may. So the kernel is asked first, with a kprobe that is registered disabled
 * (no code is changed for that): it refuses what is not to be probed, knows
 * where ftrace calls from, and says whether it is such a place at all. Where it
 * is not, the kprobe is enabled, and is the probe.
 *
 * A handler may begin until the filter is changed, and run on afterwards, also
 * where RCU does not look (the idle loop, on older kernels). A task may even
 * have been preempted on the way to the handler, and enter it much later: it
 * finds no place in the hash then.
 */
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "hit.h"
#include "place.h"
#include "probe_filter.h"

#define TL_FUNCTION_BITS 12

/* Filter entries that are removed at once, without memory of one's own. */
#define TL_FILTER_BATCH 64

/**
 * enum tl_function_state - by what a place is armed
 * @TL_FUNCTION_OFF: by nothing
 * @TL_FUNCTION_TRACED: by ftrace
 * @TL_FUNCTION_KPROBE: by its kprobe
 * @TL_FUNCTION_GONE: by nothing any more: its module was unloaded
 */
enum tl_function_state {
	TL_FUNCTION_OFF,
	TL_FUNCTION_TRACED,
	TL_FUNCTION_KPROBE,
	TL_FUNCTION_GONE,
};

/**
 * struct tl_function - a place of this backend
 * @place: what all have
 * @kp: what the kernel is asked with; the probe of one that ftrace cannot take
 * @ip: where ftrace calls from
 * @node: in the hash, by @ip, while it is traced
 * @leaving: in a list of those that are about to be disarmed
 * @state: &enum tl_function_state
 */
struct tl_function {
	struct tl_place place;
	struct kprobe kp;
	unsigned long ip;
	struct hlist_node node;
	struct list_head leaving;
	enum tl_function_state state;
};

static void tl_function_handler(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *ops, struct ftrace_regs *fregs);

/*
 * What all places share. The lock is taken inside a session's, and is held
 * while the kernel's own locks are taken; handlers look at the hash under RCU.
 * As long as no place is traced the ops are not registered; what their filter
 * still has then is forgotten before the next place.
 */
static struct {
	struct mutex lock; /* all but what handlers look at */
	struct ftrace_ops ops;
	u32 traced;
	struct list_head leaving;
	struct hlist_head hash[1 << TL_FUNCTION_BITS];
} tl_functions = {
	.lock = __MUTEX_INITIALIZER(tl_functions.lock),
	.ops = {
		.func = tl_function_handler,
		/* no RECURSION, no RCU: that is the handler's own business */
		.flags = FTRACE_OPS_FL_SAVE_REGS,
	},
	.leaving = LIST_HEAD_INIT(tl_functions.leaving),
};

static struct tl_function *tl_function_of(const struct tl_place *place)
{
	return container_of(place, struct tl_function, place);
}

static __always_inline struct hlist_head *tl_function_bucket(unsigned long ip)
{
	return &tl_functions.hash[hash_long(ip, TL_FUNCTION_BITS)];
}

/* ---- handlers --------------------------------------------------------- */

/*
 * Preemption is on or off. tl_event_hit() sees recursions; nothing here is traced.
 * What RCU does not hold, in the idle loop of older kernels, is not looked at: such
 * a call is one that the event has missed. (Places do not go as long as the lists
 * are looked through: see tl_function_wait().)
 */
static void tl_function_handler(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	const struct hlist_head *bucket = tl_function_bucket(ip);
	struct tl_function *function;

	preempt_disable_notrace();
	hlist_for_each_entry_rcu_notrace(function, bucket, node) {
		if (function->ip != ip)
			continue;
		if (unlikely(is_idle_task(current)) && !rcu_is_watching())
			function->kp.nmissed++; /* not exact, as the kernel's own */
		else
			tl_event_hit(&function->place, ftrace_get_regs(fregs),
				     0, NULL);
	}
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(tl_function_handler);

static int tl_function_kprobe_handler(struct kprobe *kp, struct pt_regs *regs)
{
	return tl_event_hit(&container_of(kp, struct tl_function, kp)->place,
			    regs, 0, NULL);
}

NOKPROBE_SYMBOL(tl_function_kprobe_handler);

/* ---- the shared ops --------------------------------------------------- */

/* Is another place of this function traced? */
static bool tl_function_is_shared(const struct tl_function *function)
{
	const struct tl_function *other;

	hlist_for_each_entry(other, tl_function_bucket(function->ip), node)
		if (other->ip == function->ip &&
		    other->state == TL_FUNCTION_TRACED)
			return true;
	return false;
}

/* Those that are leaving do not count as traced any more. */
static void tl_filter_leave(const struct list_head *leaving)
{
	unsigned long ips[TL_FILTER_BATCH];
	const struct tl_function *function;
	u32 count = 0;

	list_for_each_entry(function, leaving, leaving) {
		if (tl_function_is_shared(function))
			continue;
		ips[count++] = function->ip;
		if (count == TL_FILTER_BATCH) {
			tl_filter_remove(&tl_functions.ops, ips, count);
			count = 0;
		}
	}
	tl_filter_remove(&tl_functions.ops, ips, count);
}

/* Wait until no handler runs that may have found a place in the hash. */
static void tl_function_wait(void)
{
	synchronize_rcu();
	/* each CPU's, also where RCU did not look */
	synchronize_rcu_tasks_rude();
}

/*
 * Disarm the traced places of a list, and empty it; with the lock held, and
 * without memory. First the code of the functions, then the hash, so that hits
 * are counted to the last.
 */
static void tl_function_untrace(struct list_head *leaving,
				enum tl_function_state state)
{
	struct tl_function *function, *next;

	if (list_empty(leaving))
		return;
	list_for_each_entry(function, leaving, leaving) {
		function->state = state;
		tl_functions.traced--;
	}
	if (tl_functions.traced)
		tl_filter_leave(leaving);
	else if (unregister_ftrace_function(&tl_functions.ops))
		__module_get(THIS_MODULE); /* the handler may be called, for ever */
	list_for_each_entry_safe(function, next, leaving, leaving) {
		hlist_del_init_rcu(&function->node);
		list_del_init(&function->leaving);
	}
	tl_function_wait();
}

/* ---- arming ----------------------------------------------------------- */

/*
 * Ask the kernel: may the function be probed, and is it ftrace that does it?
 * On success the kprobe is registered, but disabled.
 */
static int tl_function_ask(struct tl_function *function)
{
	struct kprobe *kp = &function->kp;

	if (!tl_probe_is_entry(function->place.address))
		return -EINVAL;
	/* a registration, and a failed one too, leaves traces in the struct */
	memset(kp, 0, sizeof(*kp));
	kp->addr = (kprobe_opcode_t *)function->place.address;
	kp->pre_handler = tl_function_kprobe_handler;
	kp->flags = KPROBE_FLAG_DISABLED;
	return register_kprobe(kp);
}

/* The places that ftrace takes enter the hash; the others get a kprobe. */
static int tl_function_prepare(struct tl_function *function)
{
	int err;

	function->state = TL_FUNCTION_OFF;
	err = tl_function_ask(function);
	if (err)
		return err;
	if (kprobe_ftrace(&function->kp)) {
		function->ip = (unsigned long)function->kp.addr;
		hlist_add_head_rcu(&function->node,
				   tl_function_bucket(function->ip));
		function->state = TL_FUNCTION_TRACED;
		return 0;
	}
	err = enable_kprobe(&function->kp);
	if (err)
		unregister_kprobe(&function->kp);
	else
		function->state = TL_FUNCTION_KPROBE;
	return err;
}

/* Puts the places into the filter; how many of them it has taken. */
static u32 tl_filter_take(struct tl_place **places, u32 count,
			  unsigned long *ips, u32 ip_count)
{
	int err = tl_functions.traced ? 0 : tl_filter_clear(&tl_functions.ops);
	u32 i, taken = 0;

	if (!err)
		err = tl_filter_add(&tl_functions.ops, ips, ip_count);
	for (i = 0; i < count; i++) {
		struct tl_function *function = tl_function_of(places[i]);

		if (function->state != TL_FUNCTION_TRACED)
			continue;
		/* one was unloaded a moment ago: the others are taken singly */
		places[i]->arm_error = err == -EINVAL ?
					       tl_filter_add(&tl_functions.ops, &function->ip, 1) :
					       err;
		taken += !places[i]->arm_error;
	}
	return taken;
}

static void tl_function_trace(struct tl_place **places, u32 count,
			      unsigned long *ips, u32 ip_count)
{
	u32 taken = ip_count ? tl_filter_take(places, count, ips, ip_count) : 0;
	int err = 0;
	u32 i;

	if (taken && !tl_functions.traced)
		err = register_ftrace_function(&tl_functions.ops);
	if (!err)
		tl_functions.traced += taken;
	for (i = 0; err && i < count; i++)
		if (tl_function_of(places[i])->state == TL_FUNCTION_TRACED)
			places[i]->arm_error = err;
}

/* What was refused leaves the hash again, and nobody may be looking at it. */
static void tl_function_drop_refused(struct tl_place **places, u32 count)
{
	bool is_refused = false;
	u32 i;

	for (i = 0; i < count; i++) {
		struct tl_function *function = tl_function_of(places[i]);

		if (!places[i]->arm_error || function->state != TL_FUNCTION_TRACED)
			continue;
		function->state = TL_FUNCTION_OFF;
		hlist_del_init_rcu(&function->node);
		is_refused = true;
	}
	if (is_refused)
		tl_function_wait();
}

static void tl_function_arm_with(struct tl_place **places, u32 count,
				 unsigned long *ips, struct kprobe **kps)
{
	u32 traced = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		struct tl_function *function = tl_function_of(places[i]);

		/*
		 * Some milliseconds each, but there may be many. One alone may be
		 * that of a module that is loaded by somebody else.
		 */
		if (count > 1 && fatal_signal_pending(current)) {
			function->state = TL_FUNCTION_OFF;
			places[i]->arm_error = -EINTR;
			continue;
		}
		places[i]->arm_error = tl_function_prepare(function);
		if (function->state != TL_FUNCTION_TRACED)
			continue;
		kps[traced] = &function->kp;
		ips[traced++] = function->ip;
	}
	/* they were only to ask; one grace period for all */
	unregister_kprobes(kps, (int)traced);
	tl_function_trace(places, count, ips, traced);
	tl_function_drop_refused(places, count);
}

static void tl_function_arm_many(struct tl_place **places, u32 count)
{
	unsigned long *ips = kvcalloc(count, sizeof(*ips), GFP_KERNEL_ACCOUNT);
	struct kprobe **kps = kvcalloc(count, sizeof(*kps), GFP_KERNEL_ACCOUNT);
	u32 i;

	if (ips && kps) {
		mutex_lock(&tl_functions.lock);
		tl_function_arm_with(places, count, ips, kps);
		mutex_unlock(&tl_functions.lock);
	} else {
		for (i = 0; i < count; i++)
			places[i]->arm_error = -ENOMEM;
	}
	kvfree(kps);
	kvfree(ips);
}

/* ---- disarming -------------------------------------------------------- */

static void tl_function_disarm(struct tl_place **places, u32 count)
{
	struct kprobe *kps[TL_DISARM_BATCH];
	u32 kp_count = 0;
	u32 i;

	mutex_lock(&tl_functions.lock);
	for (i = 0; i < count; i++) {
		struct tl_function *function = tl_function_of(places[i]);

		if (function->state == TL_FUNCTION_KPROBE)
			kps[kp_count++] = &function->kp;
		if (function->state == TL_FUNCTION_TRACED)
			list_add_tail(&function->leaving,
				      &tl_functions.leaving);
	}
	mutex_unlock(&tl_functions.lock);
	unregister_kprobes(kps, (int)kp_count);
	for (i = 0; i < kp_count; i++) {
		struct tl_function *function =
			container_of(kps[i], struct tl_function, kp);

		function->state = kprobe_gone(kps[i]) ? TL_FUNCTION_GONE :
							TL_FUNCTION_OFF;
		function->place.is_stuck = tl_probe_is_stuck(kps[i]);
	}
}

/* Also what another session has let go: each waits for its own at least. */
static void tl_function_settle(void)
{
	mutex_lock(&tl_functions.lock);
	tl_function_untrace(&tl_functions.leaving, TL_FUNCTION_OFF);
	mutex_unlock(&tl_functions.lock);
}

/* ---- code that comes and goes ----------------------------------------- */

static bool tl_function_goes(const struct tl_function *function,
			     const struct module *module, unsigned long state)
{
	const unsigned long address = function->place.address;

	if (state == MODULE_STATE_LIVE)
		return within_module_init(address, module);
	return state == MODULE_STATE_GOING && within_module(address, module);
}

/*
 * Called before ftrace forgets the module's functions. What stayed in the
 * filter would count for whatever is loaded there next.
 */
static int tl_function_module(struct notifier_block *block, unsigned long state,
			      void *data)
{
	struct tl_function *function;
	LIST_HEAD(leaving);
	u32 i;

	if (state != MODULE_STATE_LIVE && state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&tl_functions.lock);
	for (i = 0; tl_functions.traced && i < ARRAY_SIZE(tl_functions.hash); i++)
		hlist_for_each_entry(function, &tl_functions.hash[i], node)
			if (tl_function_goes(function, data, state))
				list_move_tail(&function->leaving, &leaving);
	tl_function_untrace(&leaving, TL_FUNCTION_GONE);
	mutex_unlock(&tl_functions.lock);
	return NOTIFY_DONE;
}

static struct notifier_block tl_function_notifier = {
	.notifier_call = tl_function_module,
};

/** tl_function_init() - hear of modules that go, before any place is made */
int tl_function_init(void)
{
	return register_module_notifier(&tl_function_notifier);
}

/** tl_function_exit() - there is no place any more */
void tl_function_exit(void)
{
	unregister_module_notifier(&tl_function_notifier);
	ftrace_free_filter(&tl_functions.ops);
}

/* ---- the backend ------------------------------------------------------ */

static struct tl_place *tl_function_create(unsigned long address, u32 maxactive)
{
	struct tl_function *function = kzalloc(sizeof(*function),
					       GFP_KERNEL_ACCOUNT);

	if (!function)
		return NULL;
	INIT_LIST_HEAD(&function->leaving);
	return &function->place;
}

/* A traced function misses none that the kernel would count. */
static u64 tl_function_nmissed(const struct tl_place *place)
{
	return READ_ONCE(tl_function_of(place)->kp.nmissed);
}

static bool tl_function_is_gone(const struct tl_place *place)
{
	struct tl_function *function = tl_function_of(place);

	if (READ_ONCE(function->state) == TL_FUNCTION_KPROBE)
		return kprobe_gone(&function->kp);
	return READ_ONCE(function->state) == TL_FUNCTION_GONE;
}

static void tl_function_destroy(struct tl_place *place)
{
	kfree(tl_function_of(place));
}

const struct tl_probe_ops tl_function_ops = {
	.is_entry = true,
	.create = tl_function_create,
	.arm_many = tl_function_arm_many,
	.disarm = tl_function_disarm,
	.settle = tl_function_settle,
	.nmissed = tl_function_nmissed,
	.is_gone = tl_function_is_gone,
	.destroy = tl_function_destroy,
};
