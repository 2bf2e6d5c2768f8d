/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What one process has mapped, as /proc says. */
#ifndef TRAPLINE_PROCESS_MAPS_H
#define TRAPLINE_PROCESS_MAPS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapped_file;

/**
 * struct process_map - one mapping that can be executed
 * @start: first address
 * @end: behind the last one
 * @offset: of @start in the file
 * @inode: of the file; 0: there is none
 * @device: of the file system, as /proc has it: not always what stat() says
 * @path: of it; "[vdso]" and the like; "" without a file
 * @file: for whoever looks the file up; NULL at first
 */
struct process_map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	ino_t inode;
	dev_t device;
	char *path;
	const struct mapped_file *file;
};

/**
 * struct process_maps - all of them, by address
 * @maps: array
 * @count: its length
 */
struct process_maps {
	struct process_map *maps;
	size_t count;
};

/**
 * process_maps_read() - read the mappings of a thread's process
 * @proc: "/proc"
 * @tid: the thread
 * @out: filled in; empty for a process without, and for one that has ended
 */
void process_maps_read(const char *proc, unsigned int tid,
		       struct process_maps *out);
void process_maps_free(struct process_maps *maps);
/** process_maps_find() - the mapping that contains an address, or NULL */
struct process_map *process_maps_find(const struct process_maps *maps,
				      uint64_t address);

/**
 * process_start_ns() - when the thread with this number began
 * @proc: "/proc"
 * @tid: the thread
 *
 * Returns a time of CLOCK_MONOTONIC, at most some milliseconds too early, or
 * UINT64_MAX where there is no such thread.
 */
uint64_t process_start_ns(const char *proc, unsigned int tid);

/**
 * process_open() - open the file of a mapping, for reading
 * @proc: "/proc"
 * @tid: a thread of the process
 * @map: the mapping
 *
 * Only a regular file, and no other one that has its name by now. Returns a
 * descriptor or -1.
 */
int process_open(const char *proc, unsigned int tid,
		 const struct process_map *map);

#endif
