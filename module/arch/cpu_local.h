/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU-local atomics: atomic against other contexts of the same CPU (an
 * interrupt, an NMI, a signal handler), not against other CPUs.
 *
 * x86 has them for a fraction of the price of the shared ones: the same
 * instructions without the LOCK prefix. local_t would do there, but elsewhere
 * it is made of fully ordered atomics, which cost more than needed.
 *
 * ThreadSanitizer sees no inline assembly, so a build for it is generic.
 */
#ifndef TL_ARCH_CPU_LOCAL_H
#define TL_ARCH_CPU_LOCAL_H

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#include "x86/cpu_local.h"
#else
#include "generic/cpu_local.h"
#endif

#endif
