/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets for tests, built by hand from what the uapi header says, without the
 * code that is tested.
 */
#ifndef TRAPLINE_PACKET_BUILD_H
#define TRAPLINE_PACKET_BUILD_H

#include <stdint.h>
#include <string.h>

#include "../../uapi/trapline.h"
#include "../../uapi/trapline_packet.h"

#define BUILD_BYTES 65536

struct build {
	_Alignas(8) unsigned char bytes[BUILD_BYTES];
	size_t at;
	uint64_t begin_ns;
};

static inline void build_start(struct build *b, uint64_t begin_ns)
{
	memset(b, 0, sizeof(*b));
	b->at = sizeof(struct tl_packet_header);
	b->begin_ns = begin_ns;
}

static inline void build_raw(struct build *b, const void *bytes, size_t count)
{
	memcpy(b->bytes + b->at, bytes, count);
	b->at += count;
}

static inline void build_number(struct build *b, uint64_t value, size_t count)
{
	build_raw(b, &value, count);
}

static inline void build_string(struct build *b, const char *text)
{
	build_number(b, strlen(text), 2);
	build_raw(b, text, strlen(text));
}

static inline void build_align(struct build *b)
{
	b->at = (b->at + 7) & ~(size_t)7;
}

/* The short header of a record. */
static inline void build_record(struct build *b, unsigned int id,
				uint64_t time_ns, unsigned int context,
				unsigned int tid)
{
	build_align(b);
	build_number(b, id | (time_ns & ((1u << 27) - 1)) << 10 |
			(uint64_t)context << 37 | (uint64_t)tid << 42, 8);
}

static inline void build_extended(struct build *b, unsigned int id,
				  uint64_t time_ns, unsigned int context,
				  unsigned int tid)
{
	build_align(b);
	build_number(b, TL_EVENT_EXTENDED, 4);
	build_number(b, id, 4);
	build_number(b, time_ns, 8);
	build_number(b, context | tid << 10, 4);
	build_number(b, 0, 4);
}

/* Writes the header; returns how many bytes the packet has in a file. */
static inline size_t build_end(struct build *b, unsigned int cpu,
			       uint64_t end_ns, uint64_t sequence,
			       uint64_t discarded)
{
	struct tl_packet_header header = {
		.magic = TL_PACKET_MAGIC,
		.format = TL_FORMAT,
		.begin_ns = b->begin_ns,
		.end_ns = end_ns,
		.sequence = sequence,
		.discarded = discarded,
		.cpu = cpu,
	};
	size_t bytes;

	build_align(b);
	bytes = (b->at + 4095) & ~(size_t)4095;
	header.content_bits = b->at * 8;
	header.packet_bits = bytes * 8;
	memset(header.uuid, 0x5a, sizeof(header.uuid));
	memcpy(b->bytes, &header, sizeof(header));
	return bytes;
}

#endif
