/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a backend is: a table of functions on places. The table of all
 * backends, by TL_BACKEND_* number, is in probe.c.
 */
#ifndef TL_PROBE_H
#define TL_PROBE_H

#include <linux/types.h>

struct kprobe;
struct tl_place;

/**
 * struct tl_probe_ops - a backend
 * @is_return: its hits are returns of functions
 * @arg_count: a hit has so many arguments and no registers; 0: it has registers
 * @find: the address that stands for the kernel's own place of a name; 0: there
 *	is none; NULL: places have no names
 * @locate: set the address of a place which follows its module; -ENOENT: it is not
 *	there; NULL: it is a function's
 * @is_entry: its places are the starts of functions
 * @create: allocate a place that is not armed; NULL: no memory
 * @arm: register the probe; 0 or a negative errno, with nothing changed.
 *	Handlers may run before it returns.
 * @arm_many: in the place of @arm, for a backend to which many are little more
 *	work than one: register the probes of @count places, all of this backend,
 *	and set &tl_place.arm_error of each
 * @disarm: unregister the probes of @count places, all of this backend, and set
 *	&tl_place.is_stuck of each that the kernel has not let go. When it returns,
 *	no handler of theirs runs or will run, or, with @settle, when that has
 *	returned.
 * @settle: finish what any number of calls of @disarm have begun; NULL: nothing
 *	is left to do
 * @nmissed: the kernel's count of hits that never reached the handler, since
 *	the place was last armed
 * @entries: calls that were seen to begin; only of returns
 * @instances: how many calls can be inside at once; only of returns
 * @is_gone: what an armed place is on was unloaded
 * @destroy: free a place that is not armed
 */
struct tl_probe_ops {
	bool is_return;
	u32 arg_count;
	unsigned long (*find)(const char *name);
	int (*locate)(struct tl_place *place);
	bool is_entry;
	struct tl_place *(*create)(unsigned long address, u32 maxactive);
	int (*arm)(struct tl_place *place);
	void (*arm_many)(struct tl_place **places, u32 count);
	void (*disarm)(struct tl_place **places, u32 count);
	void (*settle)(void);
	u64 (*nmissed)(const struct tl_place *place);
	u64 (*entries)(const struct tl_place *place);
	u32 (*instances)(const struct tl_place *place);
	bool (*is_gone)(const struct tl_place *place);
	void (*destroy)(struct tl_place *place);
};

extern const struct tl_probe_ops tl_kprobe_ops;
extern const struct tl_probe_ops tl_kretprobe_ops;
extern const struct tl_probe_ops tl_tracepoint_ops;

int tl_tracepoint_init(void);
void tl_tracepoint_exit(void);
extern const struct tl_probe_ops tl_function_ops;

const struct tl_probe_ops *tl_probe_backend(u32 number);
u64 tl_probe_backends(void);
bool tl_probe_is_entry(unsigned long address);
bool tl_probe_is_stuck(const struct kprobe *kp);

/* What a backend has beside its places; without ftrace there is no such one. */
#ifdef CONFIG_KPROBES_ON_FTRACE
int tl_function_init(void);
void tl_function_exit(void);
#else
static inline int tl_function_init(void)
{
	return 0;
}

static inline void tl_function_exit(void)
{
}
#endif

/* Most instances of a return probe. */
#define TL_MAXACTIVE_MAX 4096

/* Backends are numbered below this. */
#define TL_BACKENDS 8

/* Most places that one call of @disarm gets; bounds its use of the stack. */
#define TL_DISARM_BATCH 64

#endif
