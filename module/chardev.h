/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/trapline. */
#ifndef TL_CHARDEV_H
#define TL_CHARDEV_H

int tl_chardev_init(void);
void tl_chardev_exit(void);

#endif
