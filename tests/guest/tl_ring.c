// SPDX-License-Identifier: GPL-2.0-only
/* See tl.h: rings, and the packets in them. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tl.h"

int ring_try_open(int dev, uint32_t cpu, struct tl_ring_open *open)
{
	memset(open, 0, sizeof(*open));
	open->size = sizeof(*open);
	open->cpu = cpu;
	return dev_ioctl(dev, TL_RING_OPEN, open);
}

void ring_open(int dev, uint32_t cpu, struct ring *ring)
{
	struct tl_ring_open open;
	const struct tl_meta *meta;
	long page = sysconf(_SC_PAGESIZE);

	if (ring_try_open(dev, cpu, &open))
		die("ring of CPU %u: reason %u", cpu, open.error.code);
	ring->fd = open.fd;
	ring->cpu = cpu;
	meta = mmap(NULL, page, PROT_READ, MAP_SHARED, open.fd, 0);
	if (meta == MAP_FAILED)
		die("meta page of CPU %u", cpu);
	ring->bytes = meta->map_bytes;
	munmap((void *)meta, page);
	ring->map = mmap(NULL, ring->bytes, PROT_READ, MAP_SHARED, open.fd, 0);
	if (ring->map == MAP_FAILED)
		die("mapping of CPU %u", cpu);
}

void ring_close(struct ring *ring)
{
	munmap((void *)ring->map, ring->bytes);
	close(ring->fd);
}

uint32_t ring_get(const struct ring *ring, struct tl_ring_get *get)
{
	memset(get, 0, sizeof(*get));
	get->size = sizeof(*get);
	if (dev_ioctl(ring->fd, TL_RING_GET, get))
		die("get of CPU %u", ring->cpu);
	return get->state;
}

uint32_t ring_drain_closed(const struct ring *ring, struct rings *rings)
{
	uint64_t end = now_ms() + 10000;
	uint32_t state;

	while ((state = ring_drain(ring, rings)) == TL_RING_CLOSING) {
		if (now_ms() > end)
			die("CPU %u: a writer does not end", ring->cpu);
		sleep_ms(1);
	}
	return state;
}

short ring_poll(const struct ring *ring, int timeout_ms)
{
	struct pollfd fd = { .fd = ring->fd, .events = POLLIN };

	return poll(&fd, 1, timeout_ms) > 0 ? fd.revents : 0;
}

void rings_open(int dev, struct rings *rings)
{
	struct tl_query query = { .size = sizeof(query) };
	uint32_t cpu;

	if (dev_ioctl(dev, TL_QUERY, &query))
		die("query");
	if (query.cpu_count > CPUS_MAX)
		die("%u CPUs", query.cpu_count);
	rings->count = query.cpu_count;
	for (cpu = 0; cpu < rings->count; cpu++)
		ring_open(dev, cpu, &rings->ring[cpu]);
}

void rings_close(struct rings *rings)
{
	uint32_t cpu;

	for (cpu = 0; cpu < rings->count; cpu++)
		ring_close(&rings->ring[cpu]);
}

static void rings_wrong(struct rings *rings, uint32_t cpu, const char *what)
{
	if (rings->errors++ < 5)
		tap_note("stream of CPU %u, packet %llu: %s", cpu,
			 (unsigned long long)rings->packets[cpu], what);
}

/* Decode one record's header; returns the bytes of it. */
static size_t record_header(const unsigned char *at, uint64_t before_ns,
			    struct record *record)
{
	const uint64_t mask = (1ull << TL_RECORD_TIME_BITS) - 1;
	struct tl_record_extended extended;
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	record->id = word & ((1u << TL_RECORD_ID_BITS) - 1);
	if (record->id == TL_EVENT_EXTENDED) {
		memcpy(&extended, at, sizeof(extended));
		record->id = extended.id;
		record->time_ns = extended.time_ns;
		record->context = extended.context & 31;
		record->tid = extended.context >> TL_EXTENDED_TID_SHIFT;
		return sizeof(extended);
	}
	record->time_ns = (before_ns & ~mask) |
			  (word >> TL_RECORD_TIME_SHIFT & mask);
	if (record->time_ns < before_ns)
		record->time_ns += mask + 1;
	record->context = word >> TL_RECORD_CTX_SHIFT & 31;
	record->tid = word >> TL_RECORD_TID_SHIFT;
	return sizeof(word);
}

static void rings_records(struct rings *rings,
			  const struct tl_packet_header *header,
			  const unsigned char *packet)
{
	size_t at = sizeof(*header), end = header->content_bits / 8;
	uint64_t before_ns = header->begin_ns;
	struct record record = { .cpu = header->cpu };

	while (at < end) {
		at += record_header(packet + at, before_ns, &record);
		record.payload = packet + at;
		if (record.id >= EVENTS_MAX || !rings->payload_bytes[record.id]) {
			rings_wrong(rings, header->cpu, "a record of no event");
			return;
		}
		if (record.context & TL_CTX_EXCEPTIONAL) {
			rings_wrong(rings, header->cpu, "an exceptional record");
			return;
		}
		if (record.time_ns < before_ns || record.time_ns > header->end_ns)
			rings_wrong(rings, header->cpu, "time of a record");
		before_ns = record.time_ns;
		rings->records[record.id]++;
		if (rings->on_record)
			rings->on_record(&record, rings);
		at += rings->payload_bytes[record.id];
		at = (at + TL_RECORD_ALIGN - 1) & ~(size_t)(TL_RECORD_ALIGN - 1);
	}
	if (at != end)
		rings_wrong(rings, header->cpu, "the last record's end");
}

void rings_packet(struct rings *rings, uint32_t cpu,
		  const unsigned char *packet, size_t bytes)
{
	struct tl_packet_header header;
	uint64_t gap;

	memcpy(&header, packet, sizeof(header));
	if (header.magic != TL_PACKET_MAGIC || header.cpu != cpu ||
	    header.stream_id || header.format != TL_FORMAT)
		rings_wrong(rings, cpu, "header");
	gap = header.sequence - rings->packets[cpu] - rings->skipped[cpu];
	if (gap && (!rings->overwrites || gap >> 63))
		rings_wrong(rings, cpu, "sequence");
	rings->skipped[cpu] += gap;
	if (header.begin_ns < rings->last_ns[cpu] ||
	    header.end_ns < header.begin_ns)
		rings_wrong(rings, cpu, "times");
	if (header.content_bits % 64 || header.packet_bits / 8 != bytes ||
	    header.content_bits > header.packet_bits ||
	    header.packet_bits % (8 * 4096))
		rings_wrong(rings, cpu, "lengths");
	else
		rings_records(rings, &header, packet);
	if (header.discarded < rings->discarded[cpu])
		rings_wrong(rings, cpu, "discarded goes down");
	rings->last_ns[cpu] = header.end_ns;
	rings->discarded[cpu] = header.discarded;
	rings->packets[cpu]++;
}

uint32_t ring_drain(const struct ring *ring, struct rings *rings)
{
	const uint32_t cpu = ring->cpu;
	struct tl_ring_get get;

	while (ring_get(ring, &get) == TL_RING_PACKET) {
		uint64_t skipped = rings->skipped[cpu];

		rings_packet(rings, cpu, ring->map + get.offset,
			     get.packet_bytes);
		if (get.skipped != rings->skipped[cpu] - skipped)
			rings_wrong(rings, cpu, "skipped of the get");
		if (get.sequence + 1 != rings->packets[cpu] + rings->skipped[cpu])
			rings_wrong(rings, cpu, "sequence of the get");
	}
	return get.state;
}

bool rings_drain(struct rings *rings)
{
	bool ended = true;
	uint32_t cpu;

	for (cpu = 0; cpu < rings->count; cpu++)
		if (ring_drain(&rings->ring[cpu], rings) != TL_RING_END)
			ended = false;
	return ended;
}

uint64_t rings_discarded(const struct rings *rings)
{
	uint64_t sum = 0;
	uint32_t cpu;

	for (cpu = 0; cpu < rings->count; cpu++)
		sum += rings->discarded[cpu];
	return sum;
}
