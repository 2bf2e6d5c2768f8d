/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the system's settings keep from the user, and what to do about it, as the
 * hint of an error.
 */
#ifndef TRAPLINE_BARRED_H
#define TRAPLINE_BARRED_H

#include "trapline.h"

/** barred_symbols() - /proc/kallsyms shows no addresses */
void barred_symbols(struct trapline_error *err);

/** barred_module() - the module is not loaded */
void barred_module(struct trapline_error *err);

/** barred_device() - the device cannot be opened */
void barred_device(struct trapline_error *err);

#endif
