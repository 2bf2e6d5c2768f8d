// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend: return of a function of the kernel, by register_kretprobe().
 *
 * A call needs a free instance to be seen at its return; the kernel counts
 * those that found none (nmissed). Tasks may be inside the function when the
 * probe is unregistered: the kernel keeps their instances and forgets the
 * handler before unregister_kretprobes() returns.
 */
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "hit.h"
#include "place.h"

struct tl_kretprobe {
	struct tl_place place;
	struct kretprobe rp;
};

static struct tl_kretprobe *tl_kretprobe_of(const struct tl_place *place)
{
	return container_of(place, struct tl_kretprobe, place);
}

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
			    regs, instruction_pointer(regs));
}

NOKPROBE_SYMBOL(tl_kretprobe_handler);

static struct tl_place *tl_kretprobe_create(unsigned long address, u32 maxactive)
{
	struct tl_kretprobe *probe = kzalloc(sizeof(*probe), GFP_KERNEL_ACCOUNT);

	return probe ? &probe->place : NULL;
}

static int tl_kretprobe_arm(struct tl_place *place)
{
	struct tl_kretprobe *probe = tl_kretprobe_of(place);

	memset(&probe->rp, 0, sizeof(probe->rp));
	probe->rp.kp.addr = (kprobe_opcode_t *)place->address;
	probe->rp.handler = tl_kretprobe_handler;
	probe->rp.maxactive = (int)place->maxactive;
	return register_kretprobe(&probe->rp);
}

static void tl_kretprobe_disarm(struct tl_place **places, u32 count)
{
	struct kretprobe *rps[TL_DISARM_BATCH];
	u32 i;

	for (i = 0; i < count; i++)
		rps[i] = &tl_kretprobe_of(places[i])->rp;
	unregister_kretprobes(rps, (int)count);
}

static u64 tl_kretprobe_nmissed(const struct tl_place *place)
{
	const struct kretprobe *rp =
		&tl_kretprobe_of(place)->rp;

	return READ_ONCE(rp->nmissed) + READ_ONCE(rp->kp.nmissed);
}

static bool tl_kretprobe_is_gone(const struct tl_place *place)
{
	return kprobe_gone(&tl_kretprobe_of(place)->rp.kp);
}

static void tl_kretprobe_destroy(struct tl_place *place)
{
	kfree(tl_kretprobe_of(place));
}

const struct tl_probe_ops tl_kretprobe_ops = {
	.is_return = true,
	.create = tl_kretprobe_create,
	.arm = tl_kretprobe_arm,
	.disarm = tl_kretprobe_disarm,
	.nmissed = tl_kretprobe_nmissed,
	.is_gone = tl_kretprobe_is_gone,
	.destroy = tl_kretprobe_destroy,
};
