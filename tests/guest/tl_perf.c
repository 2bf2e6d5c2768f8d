// SPDX-License-Identifier: GPL-2.0-only
/* See tl_perf.h. */
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "tl_perf.h"

#define PAGE 4096ul
/* records of 24 bytes: more than a test makes */
#define DATA (32 * PAGE)

static struct perf_event_mmap_page *perf_ring;

static int read_id(const char *event)
{
	char path[200];
	FILE *file;
	int id;

	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", event);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%d", &id) != 1)
		die("%s", path);
	fclose(file);
	return id;
}

static int open_disabled(const char *event, const char *filter, bool has_records)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = (uint64_t)read_id(event),
		.disabled = 1,
	};
	int fd;

	if (has_records) {
		attr.sample_period = 1;
		attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	}
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter))
		die("perf_event_open: %d", errno);
	return fd;
}

/* After the filter: what comes before it would be counted. */
static void enable(int fd)
{
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		die("enabling perf's event: %d", errno);
}

int perf_open(const char *event, const char *filter)
{
	int fd = open_disabled(event, filter, false);

	enable(fd);
	return fd;
}

uint64_t perf_count(int fd)
{
	uint64_t count;

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		die("perf: %d", errno);
	return count;
}

int perf_open_ring(const char *event, const char *filter)
{
	int fd = open_disabled(event, filter, true);

	perf_ring = mmap(NULL, PAGE + DATA, PROT_READ | PROT_WRITE, MAP_SHARED,
			 fd, 0);
	if (perf_ring == MAP_FAILED)
		die("perf's ring: %d", errno);
	enable(fd);
	return fd;
}

uint64_t perf_ring_records(int fd)
{
	const unsigned char *data = (const unsigned char *)perf_ring + PAGE;
	const uint64_t end = __atomic_load_n(&perf_ring->data_head, __ATOMIC_ACQUIRE);
	const struct perf_event_header *header;
	uint64_t at, records = 0;

	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	/* it was never read, so its end is its length */
	if (end > DATA)
		die("perf's ring has wrapped");
	for (at = 0; at < end; at += header->size) {
		header = (const struct perf_event_header *)(data + at);
		if (header->type == PERF_RECORD_LOST)
			die("perf's ring has lost some");
		records += header->type == PERF_RECORD_SAMPLE;
	}
	return records;
}

void perf_close_ring(int fd)
{
	munmap(perf_ring, PAGE + DATA);
	close(fd);
}
