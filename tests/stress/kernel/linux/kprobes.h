/* SPDX-License-Identifier: GPL-2.0-only */
/* NOKPROBE_SYMBOL() is in env_native.h. */
