// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From addresses in processes to what is mapped there: which mappings are known,
 * and how long that is true.
 *
 * There is no telling when a process maps something else, or becomes another
 * program: what is known of it is read again after a moment, and sooner where an
 * address has nothing. A thread id may be used again: a process that began after
 * the record is not the record's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "error.h"
#include "image.h"
#include "process_maps.h"
#include "processes.h"

#define NSEC_PER_MSEC UINT64_C(1000000)
/* what was read is taken for true so long */
#define FRESH_NS (100 * NSEC_PER_MSEC)
/* an address that is not there is looked for again no sooner than this */
#define AGAIN_NS (10 * NSEC_PER_MSEC)
/* threads that are known at once, and files in all: more are read again */
#define SLOTS 1024
#define FILES_MAX 4096

/**
 * struct process - one thread's process
 * @tid: 0: none
 * @read_ns: when it was read
 * @start_ns: when the thread began
 * @maps: of the process
 */
struct process {
	unsigned int tid;
	uint64_t read_ns;
	uint64_t start_ns;
	struct process_maps maps;
};

/**
 * struct file - a file that some process has mapped
 * @next: in the list
 * @inode: of it
 * @path: as some process knows it
 * @image: its functions; NULL: none that could be read
 */
struct file {
	struct file *next;
	ino_t inode;
	char *path;
	struct image *image;
};

/**
 * struct trapline_processes - what is known
 * @proc: where it is from
 * @is_ours: @proc shows the thread ids that records have
 * @slots: by thread id, which comes first to a place goes first
 * @files: of all of them
 * @file_count: how many
 */
struct trapline_processes {
	const char *proc;
	bool is_ours;
	struct process slots[SLOTS];
	struct file *files;
	unsigned int file_count;
};

static uint64_t now_ns(void)
{
	return clock_now_ns(CLOCK_MONOTONIC);
}

struct trapline_processes *processes_new(const char *proc, bool is_ours)
{
	struct trapline_processes *processes = calloc(1, sizeof(*processes));

	if (processes) {
		processes->proc = proc;
		processes->is_ours = is_ours;
	}
	return processes;
}

int trapline_processes_open(struct trapline_processes **out,
			    struct trapline_error *err)
{
	*out = processes_new("/proc", process_ids_are_initial());
	if (*out)
		return 0;
	error_set(err, ERR_NO_MEMORY, -1, 0);
	return -ENOMEM;
}

void trapline_processes_close(struct trapline_processes *processes)
{
	struct file *file;
	size_t i;

	if (!processes)
		return;
	for (i = 0; i < SLOTS; i++)
		process_maps_free(&processes->slots[i].maps);
	while ((file = processes->files)) {
		processes->files = file->next;
		image_free(file->image);
		free(file->path);
		free(file);
	}
	free(processes);
}

/* Reads a process; of one that has ended stays what was known. */
static void read_process(const struct trapline_processes *processes,
			 struct process *process, unsigned int tid)
{
	/* before the mappings: what begins in between is too new, not too old */
	uint64_t start_ns = process_start_ns(processes->proc, tid);
	struct process_maps maps;

	process->read_ns = now_ns();
	process_maps_read(processes->proc, tid, &maps);
	if (process->tid == tid && !maps.count)
		return;
	process_maps_free(&process->maps);
	process->tid = tid;
	process->start_ns = start_ns;
	process->maps = maps;
}

static const struct process_map *find_map(struct trapline_processes *processes,
					  const struct trapline_record *record,
					  uint64_t address)
{
	struct process *process = &processes->slots[record->tid % SLOTS];
	const struct process_map *map;

	if (process->tid != record->tid ||
	    now_ns() - process->read_ns > FRESH_NS)
		read_process(processes, process, record->tid);
	map = process_maps_find(&process->maps, address);
	if (!map && now_ns() - process->read_ns > AGAIN_NS) {
		read_process(processes, process, record->tid);
		map = process_maps_find(&process->maps, address);
	}
	return process->start_ns <= record->time_ns ? map : NULL;
}

static const struct image *add_file(struct trapline_processes *processes,
				    const struct process_map *map, int fd)
{
	struct file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->path = strdup(map->path);
	if (!file->path) {
		free(file);
		return NULL;
	}
	file->inode = map->inode;
	file->image = image_read(fd);
	file->next = processes->files;
	processes->files = file;
	processes->file_count++;
	return file->image;
}

static const struct image *find_image(struct trapline_processes *processes,
				      unsigned int tid,
				      const struct process_map *map)
{
	const struct image *image;
	const struct file *file;
	int fd;

	for (file = processes->files; file; file = file->next)
		if (file->inode == map->inode && !strcmp(file->path, map->path))
			return file->image;
	if (!map->inode || processes->file_count == FILES_MAX)
		return NULL;
	fd = process_open(processes->proc, tid, map);
	/* not remembered: another process may still have it */
	if (fd < 0)
		return NULL;
	image = add_file(processes, map, fd);
	close(fd);
	return image;
}

bool processes_find(struct trapline_processes *processes,
		    const struct trapline_record *record, uint64_t address,
		    struct process_place *place)
{
	const struct process_map *map;
	uint64_t into;

	/* thread 0 is the idle task, whose number many have */
	map = processes->is_ours && record->tid ?
		      find_map(processes, record, address) : NULL;
	if (!map)
		return false;
	place->path = map->path;
	place->offset = address - map->start + (map->inode ? map->offset : 0);
	place->symbol = image_find(find_image(processes, record->tid, map),
				   place->offset, &into);
	if (place->symbol)
		place->offset = into;
	return true;
}
