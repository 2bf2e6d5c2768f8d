// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend: a tracepoint, of the kernel or of a module.
 *
 * A tracepoint calls its probes with arguments of its own prototype. Here one
 * function serves all of them: it takes as many words as any tracepoint has, and
 * what a tracepoint does not have is whatever the registers and the stack hold
 * there. The words on the stack are no parameters for the compiler, which may load
 * those at once: a stack of interrupts can end right above. What programs may load
 * is bounded by the verifier, to the words of the frame.
 *
 * The tracepoint of a module is the module's memory, and a probe does not hold
 * the module, as tracefs does not: rmmod takes the probe off before the memory
 * goes. Such a place follows its module: see place_module.c.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "arch/arch.h"
#include "hit.h"
#include "place.h"
#include "trapline_prog.h"

/**
 * struct tl_tracepoint - a place of this backend
 * @place: what all have
 * @node: in the list of all places
 * @tracepoint: the kernel's; NULL: its module is not there
 * @is_registered: the kernel calls the handler for it
 *
 * All but @place belongs to tl_tracepoint_lock.
 */
struct tl_tracepoint {
	struct tl_place place;
	struct list_head node;
	struct tracepoint *tracepoint;
	bool is_registered;
};

/**
 * struct tl_tracepoint_module - a loaded module that has tracepoints
 * @node: in the list of them
 * @module: the kernel's; not held
 */
struct tl_tracepoint_module {
	struct list_head node;
	struct module *module;
};

/*
 * Serialises arming with the going of modules. Inside a session's lock, and
 * inside the kernel's for its list of modules with tracepoints, in which the
 * notifier is called; outside of the one in which probes are registered.
 */
static DEFINE_MUTEX(tl_tracepoint_lock);
/* A module with tracepoints is not in the list: there was no memory for it. */
static bool tl_tracepoint_lost;
static LIST_HEAD(tl_tracepoint_places);
static LIST_HEAD(tl_tracepoint_modules);

static struct tl_tracepoint *tl_tracepoint_of(const struct tl_place *place)
{
	return container_of(place, struct tl_tracepoint, place);
}

/* Of a caller's frame, whose other words are nobody's business. */
static __always_inline u64 tl_tracepoint_word(const unsigned long *stack, u32 number)
{
	return READ_ONCE_NOCHECK(stack[number - TL_ARCH_WORDS_IN_REGISTERS]);
}

static __always_inline void tl_tracepoint_hit(const struct tl_tracepoint *probe,
					      u64 *args, unsigned long caller)
{
	preempt_disable_notrace();
	/* programs were verified for a frame of this size */
	tl_event_hit(&probe->place, (struct pt_regs *)args, caller, NULL);
	preempt_enable_notrace();
}

/* Words that are not all on the page which the return address is on; 0: not there. */
static noinline void tl_tracepoint_edge(const struct tl_tracepoint *probe,
					const u64 *registers,
					const unsigned long *stack,
					unsigned long caller)
{
	u64 args[TL_TRACEPOINT_ARGS] = {};
	u32 i;

	for (i = 0; i < TL_ARCH_WORDS_IN_REGISTERS; i++)
		args[i] = registers[i];
	for (; i < TL_TRACEPOINT_ARGS; i++, stack++)
		if (copy_from_kernel_nofault(&args[i], stack, sizeof(args[i])))
			args[i] = 0;
	tl_tracepoint_hit(probe, args, caller);
}

NOKPROBE_SYMBOL(tl_tracepoint_edge);

/*
 * Newer kernels call it with preemption on. It comes in any context, also in the
 * middle of another handler. The frame is made of nothing but what is passed on:
 * for more, kernels that clear the stack would clear it at each hit. Where @a5 and
 * @a6 are not in registers they are not used, and so not loaded.
 */
static void tl_tracepoint_handler(void *data, u64 a0, u64 a1, u64 a2, u64 a3, u64 a4,
				  u64 a5, u64 a6)
{
	const unsigned long *stack = tl_arch_stack_words();
	const bool is_more = TL_ARCH_WORDS_IN_REGISTERS > 5;
	const u32 words = TL_TRACEPOINT_ARGS - TL_ARCH_WORDS_IN_REGISTERS;
	const unsigned long last = (unsigned long)&stack[words] - 1;

	if (unlikely(((unsigned long)&stack[-1] ^ last) & PAGE_MASK)) {
		const u64 registers[] = {
			a0, a1, a2, a3, a4, is_more ? a5 : 0, is_more ? a6 : 0,
		};

		tl_tracepoint_edge(data, registers, stack, _RET_IP_);
	} else {
		u64 args[TL_TRACEPOINT_ARGS] = {
			a0, a1, a2, a3, a4,
			is_more ? a5 : tl_tracepoint_word(stack, 5),
			is_more ? a6 : tl_tracepoint_word(stack, 6),
			tl_tracepoint_word(stack, 7),
			tl_tracepoint_word(stack, 8),
			tl_tracepoint_word(stack, 9),
			tl_tracepoint_word(stack, 10),
			tl_tracepoint_word(stack, 11),
		};

		tl_tracepoint_hit(data, args, _RET_IP_);
	}
}

NOKPROBE_SYMBOL(tl_tracepoint_handler);

/* ---- which tracepoints there are -------------------------------------- */

/**
 * struct tl_tracepoint_search - a look through the kernel's own tracepoints
 * @name: with this name
 * @found: the first one
 */
struct tl_tracepoint_search {
	const char *name;
	struct tracepoint *found;
};

static void tl_tracepoint_look(struct tracepoint *tracepoint, void *data)
{
	struct tl_tracepoint_search *search = data;

	if (!search->found && !strcmp(tracepoint->name, search->name))
		search->found = tracepoint;
}

static unsigned long tl_tracepoint_find(const char *name)
{
	struct tl_tracepoint_search search = { .name = name };

	for_each_kernel_tracepoint(tl_tracepoint_look, &search);
	return (unsigned long)search.found;
}

/* The lock is held. Returns NULL if the module is not there, or has none. */
static struct tracepoint *tl_tracepoint_in_module(const struct tl_place *place)
{
	const struct tl_tracepoint_module *entry;
	const char *name = strchr(place->symbol, ':') + 1;
	u32 i;

	list_for_each_entry(entry, &tl_tracepoint_modules, node) {
		const struct module *module = entry->module;

		if (!tl_place_is_of(place, module->name))
			continue;
		for (i = 0; i < module->num_tracepoints; i++) {
			struct tracepoint *tracepoint =
				tracepoint_ptr_deref(&module->tracepoints_ptrs[i]);

			if (!strcmp(tracepoint->name, name))
				return tracepoint;
		}
	}
	return NULL;
}

/* ---- places ----------------------------------------------------------- */

/* At one of the kernel's own, which never go; else without an address. */
static struct tl_place *tl_tracepoint_create(unsigned long address, u32 maxactive)
{
	struct tl_tracepoint *probe = kzalloc(sizeof(*probe), GFP_KERNEL_ACCOUNT);

	if (!probe)
		return NULL;
	probe->tracepoint = (struct tracepoint *)address;
	mutex_lock(&tl_tracepoint_lock);
	list_add(&probe->node, &tl_tracepoint_places);
	mutex_unlock(&tl_tracepoint_lock);
	return &probe->place;
}

static int tl_tracepoint_locate(struct tl_place *place)
{
	struct tl_tracepoint *probe = tl_tracepoint_of(place);

	mutex_lock(&tl_tracepoint_lock);
	probe->tracepoint = tl_tracepoint_in_module(place);
	place->address = (unsigned long)probe->tracepoint;
	mutex_unlock(&tl_tracepoint_lock);
	if (place->address)
		return 0;
	return READ_ONCE(tl_tracepoint_lost) ? -ENOMEM : -ENOENT;
}

static int tl_tracepoint_arm(struct tl_place *place)
{
	struct tl_tracepoint *probe = tl_tracepoint_of(place);
	int err = -ENOENT; /* it has gone since it was found */

	mutex_lock(&tl_tracepoint_lock);
	if (probe->tracepoint)
		err = tracepoint_probe_register(probe->tracepoint,
						tl_tracepoint_handler, probe);
	probe->is_registered = !err;
	mutex_unlock(&tl_tracepoint_lock);
	return err;
}

/* The lock is held. Handlers may still run when this returns. */
static void tl_tracepoint_unregister(struct tl_tracepoint *probe)
{
	if (!probe->is_registered)
		return;
	tracepoint_probe_unregister(probe->tracepoint, tl_tracepoint_handler,
				    probe);
	probe->is_registered = false;
}

static void tl_tracepoint_disarm(struct tl_place **places, u32 count)
{
	u32 i;

	mutex_lock(&tl_tracepoint_lock);
	for (i = 0; i < count; i++)
		tl_tracepoint_unregister(tl_tracepoint_of(places[i]));
	mutex_unlock(&tl_tracepoint_lock);
	/* for those that were taken off when their module went, too */
	tracepoint_synchronize_unregister();
}

/* The kernel lets no hit of a tracepoint out. */
static u64 tl_tracepoint_nmissed(const struct tl_place *place)
{
	return 0;
}

static bool tl_tracepoint_is_gone(const struct tl_place *place)
{
	return !READ_ONCE(tl_tracepoint_of(place)->tracepoint);
}

static void tl_tracepoint_destroy(struct tl_place *place)
{
	struct tl_tracepoint *probe = tl_tracepoint_of(place);

	mutex_lock(&tl_tracepoint_lock);
	list_del(&probe->node);
	mutex_unlock(&tl_tracepoint_lock);
	kfree(probe);
}

const struct tl_probe_ops tl_tracepoint_ops = {
	.arg_count = TL_TRACEPOINT_ARGS,
	.find = tl_tracepoint_find,
	.locate = tl_tracepoint_locate,
	.create = tl_tracepoint_create,
	.arm = tl_tracepoint_arm,
	.disarm = tl_tracepoint_disarm,
	.nmissed = tl_tracepoint_nmissed,
	.is_gone = tl_tracepoint_is_gone,
	.destroy = tl_tracepoint_destroy,
};

/* ---- modules ---------------------------------------------------------- */

static int tl_tracepoint_coming(struct module *module)
{
	struct tl_tracepoint_module *entry = kzalloc(sizeof(*entry), GFP_KERNEL);

	/* its tracepoints cannot be probed then; nothing else is wrong */
	if (!entry) {
		WRITE_ONCE(tl_tracepoint_lost, true);
		return NOTIFY_OK;
	}
	entry->module = module;
	mutex_lock(&tl_tracepoint_lock);
	list_add_tail(&entry->node, &tl_tracepoint_modules);
	mutex_unlock(&tl_tracepoint_lock);
	return NOTIFY_OK;
}

static bool tl_tracepoint_is_of(const struct tracepoint *tracepoint,
				const struct module *module)
{
	u32 i;

	for (i = 0; i < module->num_tracepoints; i++)
		if (tracepoint_ptr_deref(&module->tracepoints_ptrs[i]) == tracepoint)
			return true;
	return false;
}

/*
 * The module's code does not run any more. Its memory goes when this has
 * returned; of a handler that is still at work it is not the module that matters
 * but the place, and that stays until it is disarmed, which waits.
 */
static int tl_tracepoint_going(const struct module *module)
{
	struct tl_tracepoint_module *entry, *next;
	struct tl_tracepoint *probe;

	mutex_lock(&tl_tracepoint_lock);
	list_for_each_entry(probe, &tl_tracepoint_places, node) {
		if (!tl_tracepoint_is_of(probe->tracepoint, module))
			continue;
		tl_tracepoint_unregister(probe);
		WRITE_ONCE(probe->tracepoint, NULL);
	}
	list_for_each_entry_safe(entry, next, &tl_tracepoint_modules, node) {
		if (entry->module != module)
			continue;
		list_del(&entry->node);
		kfree(entry);
	}
	mutex_unlock(&tl_tracepoint_lock);
	return NOTIFY_OK;
}

static int tl_tracepoint_notify(struct notifier_block *notifier,
				unsigned long state, void *data)
{
	const struct tp_module *entry = data;

	switch (state) {
	case MODULE_STATE_COMING:
		return tl_tracepoint_coming(entry->mod);
	case MODULE_STATE_GOING:
		return tl_tracepoint_going(entry->mod);
	}
	return NOTIFY_DONE;
}

static struct notifier_block tl_tracepoint_notifier = {
	.notifier_call = tl_tracepoint_notify,
};

/**
 * tl_tracepoint_init() - learn of all modules with tracepoints, from now on
 *
 * Those that are loaded already are told of at once. Returns 0 or a negative
 * errno.
 */
int tl_tracepoint_init(void)
{
	int err = register_tracepoint_module_notifier(&tl_tracepoint_notifier);

	if (err || !tl_tracepoint_lost)
		return err;
	tl_tracepoint_exit();
	return -ENOMEM;
}

/**
 * tl_tracepoint_exit() - no place is left; forget the modules
 *
 * The kernel tells of each of them as if it went.
 */
void tl_tracepoint_exit(void)
{
	unregister_tracepoint_module_notifier(&tl_tracepoint_notifier);
}
