// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What one process has mapped, as /proc says. What is read here may be of a
 * process that wants to be in the way: paths are any bytes, and what is mapped
 * may be no file that one should open.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "clock.h"
#include "process_maps.h"
#include "trapline.h"

/* The kernel's own limit is 65530, unless somebody has raised it. */
#define MAPS_MAX 262144
#define PATH_BYTES 8192
#define START_FIELD 22 /* of /proc/TID/stat */
#define NSEC_PER_SEC UINT64_C(1000000000)
/* the inode number of the initial pid namespace, fixed by the kernel's ABI */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCu

bool trapline_ids_are_initial(void)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st))
		/* a kernel without such namespaces has the one */
		return errno == ENOENT && !access("/proc/self/stat", F_OK);
	return st.st_ino == INITIAL_PID_NAMESPACE;
}

/* "START-END rwxp OFFSET MAJOR:MINOR INODE   PATH" */
static bool parse_map(char *line, struct process_map *map)
{
	unsigned int major_number, minor_number;
	unsigned long long inode;
	char perms[5];
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %llu %n",
		   &map->start, &map->end, perms, &map->offset, &major_number,
		   &minor_number, &inode, &at) < 7 || !at || map->start >= map->end ||
	    perms[2] != 'x')
		return false;
	line += at;
	line[strcspn(line, "\n")] = '\0';
	map->inode = (ino_t)inode;
	map->device = makedev(major_number, minor_number);
	map->file = NULL;
	map->path = strdup(line);
	return map->path;
}

static bool add_map(struct process_maps *maps, const struct process_map *map)
{
	const size_t count = maps->count;
	struct process_map *grown = maps->maps;

	if (count == MAPS_MAX)
		return false;
	/* full at each power of two */
	if (!(count & (count - 1))) {
		grown = realloc(grown, (count ? 2 * count : 1) * sizeof(*grown));
		if (!grown)
			return false;
		maps->maps = grown;
	}
	grown[maps->count++] = *map;
	return true;
}

void process_maps_read(const char *proc, unsigned int tid,
		       struct process_maps *out)
{
	struct process_map map;
	char path[PATH_BYTES];
	char *line = NULL;
	size_t size = 0;
	FILE *file;

	memset(out, 0, sizeof(*out));
	snprintf(path, sizeof(path), "%s/%u/maps", proc, tid);
	file = fopen(path, "re");
	if (!file)
		return;
	while (getline(&line, &size, file) > 0) {
		if (!parse_map(line, &map))
			continue;
		if (!add_map(out, &map)) {
			free(map.path);
			break;
		}
	}
	free(line);
	fclose(file);
}

void process_maps_free(struct process_maps *maps)
{
	size_t i;

	for (i = 0; i < maps->count; i++)
		free(maps->maps[i].path);
	free(maps->maps);
	memset(maps, 0, sizeof(*maps));
}

struct process_map *process_maps_find(const struct process_maps *maps,
				      uint64_t address)
{
	size_t low = 0, high = maps->count;

	/* the first one that ends behind it; /proc has them in order */
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (maps->maps[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == maps->count || address < maps->maps[low].start)
		return NULL;
	return &maps->maps[low];
}

/* The text of a field, from 3 on: what is before may have blanks in it. */
static const char *stat_field(const char *stat, int number)
{
	const char *at = strrchr(stat, ')');
	int field;

	for (field = 2; at && field < number; field++)
		at = strchr(at + 1, ' ');
	return at ? at + 1 : NULL;
}

uint64_t process_start_ns(const char *proc, unsigned int tid)
{
	const uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t ticks, start_ns, awake_ns, asleep_ns;
	char path[PATH_BYTES], stat[1024];
	const char *field;
	ssize_t count;
	int fd;

	snprintf(path, sizeof(path), "%s/%u/stat", proc, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return UINT64_MAX;
	count = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	if (count <= 0)
		return UINT64_MAX;
	stat[count] = '\0';
	field = stat_field(stat, START_FIELD);
	if (!field || sscanf(field, "%" SCNu64, &ticks) != 1)
		return UINT64_MAX;
	/* it counts the time that the machine was asleep, records do not */
	start_ns = ticks / hz * NSEC_PER_SEC + ticks % hz * NSEC_PER_SEC / hz;
	awake_ns = clock_now_ns(CLOCK_MONOTONIC);
	asleep_ns = clock_now_ns(CLOCK_BOOTTIME) - awake_ns;
	return start_ns > asleep_ns ? start_ns - asleep_ns : 0;
}

/* The descriptor of @path again, for reading, if it is the file. */
static int open_regular(const char *path, const struct process_map *map)
{
	char again[64];
	struct stat st;
	int fd = open(path, O_PATH | O_CLOEXEC);
	int result = -1;

	if (fd < 0)
		return -1;
	/* a device would be touched by opening it, a pipe would not let go */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_ino == map->inode) {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
		result = open(again, O_RDONLY | O_CLOEXEC);
	}
	close(fd);
	return result;
}

int process_open(const char *proc, unsigned int tid,
		 const struct process_map *map)
{
	char path[PATH_BYTES];
	int fd;

	if (map->path[0] != '/')
		return -1;
	/* the file itself, renamed or not; not everybody may */
	snprintf(path, sizeof(path), "%s/%u/map_files/%" PRIx64 "-%" PRIx64,
		 proc, tid, map->start, map->end);
	fd = open_regular(path, map);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "%s/%u/root%s", proc, tid, map->path);
	return open_regular(path, map);
}
