// SPDX-License-Identifier: GPL-2.0-only
/* See random_world.h. */
#include "random_world.h"

uint64_t random_number(void)
{
	static uint64_t number = 88172645463325252u;

	number ^= number << 13;
	number ^= number >> 7;
	number ^= number << 17;
	return number;
}
