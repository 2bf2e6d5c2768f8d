// SPDX-License-Identifier: GPL-2.0-only
/* Per-CPU state of handlers, for the life of the module. */
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "context.h"

DEFINE_PER_CPU(struct tl_cpu, tl_cpu);

/**
 * tl_context_exit() - free the scratch memory; no handler may run any more
 */
void tl_context_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct tl_cpu *state = per_cpu_ptr(&tl_cpu, cpu);

		vfree(state->scratch);
		state->scratch = NULL;
	}
}

/**
 * tl_context_init() - allocate scratch memory for all contexts of all CPUs
 *
 * Returns 0 or -ENOMEM.
 */
int tl_context_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct tl_cpu *state = per_cpu_ptr(&tl_cpu, cpu);

		state->scratch = vzalloc_node(array_size(sizeof(*state->scratch),
							 TL_SCRATCHES),
					      cpu_to_node(cpu));
		if (!state->scratch) {
			tl_context_exit();
			return -ENOMEM;
		}
	}
	return 0;
}
