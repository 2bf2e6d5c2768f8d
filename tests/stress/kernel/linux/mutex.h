/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TL_TEST_LINUX_MUTEX_H
#define TL_TEST_LINUX_MUTEX_H

struct mutex {
	int unused;
};

#endif
