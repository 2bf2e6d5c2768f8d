// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend: return of a function of the kernel, by register_kretprobe().
 *
 * A call needs a free instance to be seen at its return; the kernel counts
 * those that found none (nmissed). The instance keeps what an event wants to
 * know of the entry. Tasks may be inside the function when the
 * probe is unregistered: the kernel keeps their instances and forgets the
 * handler before unregister_kretprobes() returns.
 */
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "entry.h"
#include "hit.h"
#include "place.h"

/* As many as are chosen where none are asked for. */
#define TL_INSTANCES_MIN 128u
#define TL_INSTANCES_PER_CPU 8u
/* Of all return probes together: 128 to 256 MiB. */
#define TL_INSTANCES_MAX 1048576u

/* How many there are; the lock is inside that of the places. */
static DEFINE_MUTEX(tl_kretprobe_lock);
static u32 tl_kretprobe_armed;

/**
 * struct tl_kretprobe - a place of this backend
 * @place: what all have
 * @entries: calls that got an instance, per CPU
 * @rp: as the kernel knows it
 */
struct tl_kretprobe {
	struct tl_place place;
	u64 __percpu *entries;
	struct kretprobe rp;
};

static struct tl_kretprobe *tl_kretprobe_of(const struct tl_place *place)
{
	return container_of(place, struct tl_kretprobe, place);
}

/* A call begins, and has an instance. */
static int tl_kretprobe_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct kretprobe *rp = get_kretprobe(ri);
	struct tl_entry *entry = (struct tl_entry *)ri->data;
	const struct tl_kretprobe *probe;

	if (unlikely(!rp))
		return 1; /* being unregistered: the return is nobody's */
	probe = container_of(rp, struct tl_kretprobe, rp);
	this_cpu_inc(*probe->entries);
	entry->is_saved = READ_ONCE(probe->place.wants_entry);
	if (entry->is_saved)
		tl_entry_save(entry, regs);
	return 0;
}

NOKPROBE_SYMBOL(tl_kretprobe_entry);

static int tl_kretprobe_handler(struct kretprobe_instance *ri,
				struct pt_regs *regs)
{
	const struct kretprobe *rp = get_kretprobe(ri);

	if (unlikely(!rp))
		return 0; /* being unregistered */
	/*
	 * Not the address in the instance: with a second return probe on the
	 * function that is the trampoline. The kernel sets the registers to
	 * where execution really goes on before it calls any handler.
	 */
	return tl_event_hit(&container_of(rp, struct tl_kretprobe, rp)->place,
			    regs, instruction_pointer(regs),
			    (const struct tl_entry *)ri->data);
}

NOKPROBE_SYMBOL(tl_kretprobe_handler);

static struct tl_place *tl_kretprobe_create(unsigned long address, u32 maxactive)
{
	struct tl_kretprobe *probe = kzalloc(sizeof(*probe), GFP_KERNEL_ACCOUNT);

	if (!probe)
		return NULL;
	probe->entries = alloc_percpu_gfp(u64, GFP_KERNEL_ACCOUNT);
	if (!probe->entries) {
		kfree(probe);
		return NULL;
	}
	return &probe->place;
}

static u32 tl_kretprobe_instances(const struct tl_place *place)
{
	if (place->maxactive)
		return place->maxactive;
	return clamp_t(u32, num_possible_cpus() * TL_INSTANCES_PER_CPU,
		       TL_INSTANCES_MIN, TL_MAXACTIVE_MAX);
}

/* The kernel takes memory for instances from nobody's account. */
static int tl_kretprobe_register(struct kretprobe *rp)
{
	const u32 instances = (u32)rp->maxactive;
	int err = -ENOMEM;

	mutex_lock(&tl_kretprobe_lock);
	if (instances <= TL_INSTANCES_MAX - tl_kretprobe_armed)
		err = register_kretprobe(rp);
	if (!err)
		tl_kretprobe_armed += instances;
	mutex_unlock(&tl_kretprobe_lock);
	return err;
}

static int tl_kretprobe_arm(struct tl_place *place)
{
	struct tl_kretprobe *probe = tl_kretprobe_of(place);

	memset(&probe->rp, 0, sizeof(probe->rp));
	probe->rp.kp.addr = (kprobe_opcode_t *)place->address;
	probe->rp.handler = tl_kretprobe_handler;
	probe->rp.entry_handler = tl_kretprobe_entry;
	probe->rp.data_size = sizeof(struct tl_entry);
	probe->rp.maxactive = (int)tl_kretprobe_instances(place);
	return tl_kretprobe_register(&probe->rp);
}

static void tl_kretprobe_disarm(struct tl_place **places, u32 count)
{
	struct kretprobe *rps[TL_DISARM_BATCH];
	u32 i;

	for (i = 0; i < count; i++)
		rps[i] = &tl_kretprobe_of(places[i])->rp;
	unregister_kretprobes(rps, (int)count);
	for (i = 0; i < count; i++)
		places[i]->is_stuck = tl_probe_is_stuck(&rps[i]->kp);
	mutex_lock(&tl_kretprobe_lock);
	for (i = 0; i < count; i++)
		tl_kretprobe_armed -= (u32)rps[i]->maxactive;
	mutex_unlock(&tl_kretprobe_lock);
}

static u64 tl_kretprobe_nmissed(const struct tl_place *place)
{
	const struct kretprobe *rp =
		&tl_kretprobe_of(place)->rp;

	return READ_ONCE(rp->nmissed) + READ_ONCE(rp->kp.nmissed);
}

static u64 tl_kretprobe_entries(const struct tl_place *place)
{
	const struct tl_kretprobe *probe = tl_kretprobe_of(place);
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(probe->entries, cpu));
	return sum;
}

static bool tl_kretprobe_is_gone(const struct tl_place *place)
{
	return kprobe_gone(&tl_kretprobe_of(place)->rp.kp);
}

static void tl_kretprobe_destroy(struct tl_place *place)
{
	struct tl_kretprobe *probe = tl_kretprobe_of(place);

	free_percpu(probe->entries);
	kfree(probe);
}

const struct tl_probe_ops tl_kretprobe_ops = {
	.is_return = true,
	.is_entry = true,
	.create = tl_kretprobe_create,
	.arm = tl_kretprobe_arm,
	.disarm = tl_kretprobe_disarm,
	.nmissed = tl_kretprobe_nmissed,
	.entries = tl_kretprobe_entries,
	.instances = tl_kretprobe_instances,
	.is_gone = tl_kretprobe_is_gone,
	.destroy = tl_kretprobe_destroy,
};
