/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's memory as an ELF core file shows it: /proc/kcore. */
#ifndef TRAPLINE_CORE_FILE_H
#define TRAPLINE_CORE_FILE_H

#include <stddef.h>
#include <stdint.h>

/**
 * core_file_read() - read memory
 * @path: the file
 * @machine: EM_*: only from a core of this machine
 * @address: where it is in the core's own terms
 * @to: room for @bytes
 * @bytes: how many are wanted
 *
 * Returns how many there are from @address on, up to @bytes; 0 where the file is
 * not there, must not be read, or is no such core.
 */
size_t core_file_read(const char *path, unsigned int machine, uint64_t address,
		      void *to, size_t bytes);

#endif
