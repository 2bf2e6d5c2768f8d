/* SPDX-License-Identifier: GPL-2.0-only */
/* How much memory rings may take, of one session and of all. */
#ifndef TL_RING_LIMIT_H
#define TL_RING_LIMIT_H

#include <linux/types.h>

void tl_ring_limit_init(void);
bool tl_ring_limit_take(u64 pages);
void tl_ring_limit_give(u64 pages);
u64 tl_ring_limit_session_bytes(void);
u64 tl_ring_limit_bytes(void);

#endif
