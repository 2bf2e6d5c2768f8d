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
#include <sys/stat.h>
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
 * struct mapped_file - a file that some process has mapped
 * @next: in the list, the newest first
 * @inode: of it, as the mapping has it
 * @device: as the mapping has it
 * @path: as some process knows it
 * @state: as it was when it was read: one that is built again may well get the
 *	inode number of the old one
 * @image: its functions; NULL: none that could be read
 */
struct mapped_file {
	struct mapped_file *next;
	ino_t inode;
	dev_t device;
	char *path;
	struct stat state;
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
	struct mapped_file *files;
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
	*out = processes_new("/proc", trapline_ids_are_initial());
	if (*out)
		return 0;
	error_set(err, ERR_NO_MEMORY, -1, 0);
	return -ENOMEM;
}

void trapline_processes_close(struct trapline_processes *processes)
{
	struct mapped_file *file;
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

static struct process_map *find_map(struct trapline_processes *processes,
				    const struct trapline_record *record,
				    uint64_t address)
{
	struct process *process = &processes->slots[record->tid % SLOTS];
	struct process_map *map;

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

static const struct mapped_file *add_file(struct trapline_processes *processes,
					  const struct process_map *map, int fd,
					  const struct stat *state)
{
	struct mapped_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->path = strdup(map->path);
	if (!file->path) {
		free(file);
		return NULL;
	}
	file->inode = map->inode;
	file->device = map->device;
	file->state = *state;
	file->image = image_read(fd);
	file->next = processes->files;
	processes->files = file;
	processes->file_count++;
	return file;
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_unchanged(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_size == b->st_size &&
	       is_same_time(&a->st_mtim, &b->st_mtim) &&
	       is_same_time(&a->st_ctim, &b->st_ctim);
}

/* What was read of the file; @state: in this state, NULL: last. */
static const struct mapped_file *
known_file(const struct trapline_processes *processes,
	   const struct process_map *map, const struct stat *state)
{
	const struct mapped_file *file;

	for (file = processes->files; file; file = file->next)
		if (file->inode == map->inode && file->device == map->device &&
		    !strcmp(file->path, map->path) &&
		    (!state || is_unchanged(&file->state, state)))
			return file;
	return NULL;
}

/*
 * The process has ended since its mappings were read, or is not ours to look at:
 * the file is taken for the one that others had, unless its path shows that it
 * is not.
 */
static const struct mapped_file *
guess_file(const struct trapline_processes *processes,
	   const struct process_map *map)
{
	const struct mapped_file *file = known_file(processes, map, NULL);
	struct stat state;

	if (file && !stat(map->path, &state) && state.st_ino == map->inode &&
	    !is_unchanged(&file->state, &state))
		return NULL;
	return file;
}

static const struct mapped_file *find_file(struct trapline_processes *processes,
					   unsigned int tid,
					   const struct process_map *map)
{
	const struct mapped_file *file = NULL;
	struct stat state;
	int fd = process_open(processes->proc, tid, map);

	/* not remembered: another process may still have it */
	if (fd < 0)
		return guess_file(processes, map);
	if (!fstat(fd, &state)) {
		file = known_file(processes, map, &state);
		if (!file && processes->file_count < FILES_MAX)
			file = add_file(processes, map, fd, &state);
	}
	close(fd);
	return file;
}

/* Files are compared once each time that the mappings are read. */
static const struct image *find_image(struct trapline_processes *processes,
				      unsigned int tid, struct process_map *map)
{
	if (!map->inode)
		return NULL;
	if (!map->file)
		map->file = find_file(processes, tid, map);
	return map->file ? map->file->image : NULL;
}

bool processes_find(struct trapline_processes *processes,
		    const struct trapline_record *record, uint64_t address,
		    struct process_place *place)
{
	struct process_map *map;
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
