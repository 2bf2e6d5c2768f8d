// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend: an instruction of the kernel, by register_kprobe().
 *
 * The kernel chooses the mechanism: ftrace at a function's entry, a jump where
 * it can optimise, int3 elsewhere. All of them call the handler with
 * preemption off. Registers and place mean the same in each, since the place
 * is the address that was asked for, not what the kernel made of it.
 */
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "hit.h"
#include "place.h"

struct tl_kprobe {
	struct tl_place place;
	struct kprobe kp;
};

static struct tl_kprobe *tl_kprobe_of(const struct tl_place *place)
{
	return container_of(place, struct tl_kprobe, place);
}

static int tl_kprobe_handler(struct kprobe *kp, struct pt_regs *regs)
{
	return tl_event_hit(&container_of(kp, struct tl_kprobe, kp)->place, regs,
			    0, NULL);
}

NOKPROBE_SYMBOL(tl_kprobe_handler);

static struct tl_place *tl_kprobe_create(unsigned long address, u32 maxactive)
{
	struct tl_kprobe *probe = kzalloc(sizeof(*probe), GFP_KERNEL_ACCOUNT);

	return probe ? &probe->place : NULL;
}

static int tl_kprobe_arm(struct tl_place *place)
{
	struct tl_kprobe *probe = tl_kprobe_of(place);

	/* a registration, and a failed one too, leaves traces in the struct */
	memset(&probe->kp, 0, sizeof(probe->kp));
	probe->kp.addr = (kprobe_opcode_t *)place->address;
	probe->kp.pre_handler = tl_kprobe_handler;
	return register_kprobe(&probe->kp);
}

static void tl_kprobe_disarm(struct tl_place **places, u32 count)
{
	struct kprobe *kps[TL_DISARM_BATCH];
	u32 i;

	for (i = 0; i < count; i++)
		kps[i] = &tl_kprobe_of(places[i])->kp;
	unregister_kprobes(kps, (int)count);
	for (i = 0; i < count; i++)
		places[i]->is_stuck = tl_probe_is_stuck(kps[i]);
}

static u64 tl_kprobe_nmissed(const struct tl_place *place)
{
	return READ_ONCE(tl_kprobe_of(place)->kp.nmissed);
}

static bool tl_kprobe_is_gone(const struct tl_place *place)
{
	return kprobe_gone(&tl_kprobe_of(place)->kp);
}

static void tl_kprobe_destroy(struct tl_place *place)
{
	kfree(tl_kprobe_of(place));
}

const struct tl_probe_ops tl_kprobe_ops = {
	.create = tl_kprobe_create,
	.arm = tl_kprobe_arm,
	.disarm = tl_kprobe_disarm,
	.nmissed = tl_kprobe_nmissed,
	.is_gone = tl_kprobe_is_gone,
	.destroy = tl_kprobe_destroy,
};
