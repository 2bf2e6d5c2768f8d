// SPDX-License-Identifier: GPL-2.0-only
/* See tl_memory.h. */
#include <fcntl.h>
#include <glob.h>

#include "tl.h"
#include "tl_memory.h"

static long long meminfo(const char *name)
{
	FILE *file = fopen("/proc/meminfo", "r");
	size_t length = strlen(name);
	long long value = -1;
	char line[256];

	if (!file)
		die("/proc/meminfo");
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, name, length) && line[length] == ':')
			value = atoll(line + length + 1);
	fclose(file);
	if (value < 0)
		die("no %s in /proc/meminfo", name);
	return value;
}

/* Free pages that each CPU has put aside are in no figure of meminfo. */
static long long aside(void)
{
	FILE *file = fopen("/proc/zoneinfo", "r");
	long long pages = 0, count;
	char line[256];

	if (!file)
		die("/proc/zoneinfo");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " count: %lld", &count) == 1)
			pages += count;
	fclose(file);
	return pages * 4;
}

/* Slabs that are free go back; KASAN lets go of what it has kept from reuse. */
static void shrink_slabs(void)
{
	glob_t found;
	size_t i;

	if (glob("/sys/kernel/slab/*/shrink", 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++) {
		int fd = open(found.gl_pathv[i], O_WRONLY | O_CLOEXEC);

		/* a cache may have gone */
		if (fd < 0)
			continue;
		if (write(fd, "1", 1) != 1)
			tap_note("%s: %s", found.gl_pathv[i], strerror(errno));
		close(fd);
	}
	globfree(&found);
}

/* What is cached by the kernel is not lost; files go in an RCU callback. */
static void settle(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);

	sleep_ms(500);
	if (fd < 0 || write(fd, "3", 1) != 1)
		die("/proc/sys/vm/drop_caches");
	close(fd);
	shrink_slabs();
	sleep_ms(100);
}

struct memory memory_read(void)
{
	settle();
	return (struct memory){
		.available = meminfo("MemAvailable") + aside(),
		.slab = meminfo("Slab"),
		.percpu = meminfo("Percpu"),
		.vmalloc = meminfo("VmallocUsed"),
	};
}
