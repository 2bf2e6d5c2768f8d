/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TL_FAMILY_H
#define TL_FAMILY_H

#include <linux/types.h>

bool tl_family_has(u32 tgid);

#endif
