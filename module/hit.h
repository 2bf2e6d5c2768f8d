/* SPDX-License-Identifier: GPL-2.0-only */
/* The entry into the hot path, for backends. */
#ifndef TL_HIT_H
#define TL_HIT_H

struct pt_regs;
struct tl_entry;
struct tl_place;

int tl_event_hit(const struct tl_place *place, struct pt_regs *regs,
		 unsigned long caller, const struct tl_entry *entry);

#endif
