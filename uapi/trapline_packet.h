/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * trapline: what lies in a ring: packets, records and the meta page.
 *
 * Everything here is little endian and is a CTF 1.8 packet as it stands, so
 * that recording is a plain write() of whole packets. docs/FORMAT.md draws it.
 *
 * Format number 1 (%TL_FORMAT): it has a history of its own, apart from the
 * ABI's, because files outlive kernels.
 */
#ifndef _UAPI_TRAPLINE_PACKET_H
#define _UAPI_TRAPLINE_PACKET_H

#include <linux/types.h>

/** TL_FORMAT - number of the packet format, in each packet (since 1.0) */
#define TL_FORMAT 1

/** TL_PACKET_MAGIC - first word of each packet, the one that CTF prescribes */
#define TL_PACKET_MAGIC 0xC1FC1FC1u

/**
 * struct tl_packet_header - the first 80 bytes of each packet
 * @magic: %TL_PACKET_MAGIC
 * @uuid: the session's, the same in all of its rings
 * @stream_id: always 0: one stream class, one ring a CPU
 * @begin_ns: time of the first record, the base of the 27-bit times; in a packet
 *	without records the latest time of the ring
 * @end_ns: time at which the packet was closed; no record of it is later
 * @content_bits: length in use, this header included, in bits
 * @packet_bits: length to store in a file: @content_bits rounded up to a page
 * @sequence: number of the packet in its ring, from 0 without gaps unless
 *	packets were overwritten or skipped
 * @discarded: records lost in this ring before @end_ns since the session's
 *	start (full, wrapped, too big), a running total
 * @cpu: the CPU whose ring it is
 * @format: %TL_FORMAT
 *
 * Begin fields (@begin_ns, @sequence) are written by who opens the packet, end
 * fields by who delivers it, the others when the ring is made. Only the last
 * packet of a ring may be without records: it tells of what was lost after the
 * one before, and is made for the reader. Since 1.0.
 */
struct tl_packet_header {
	__u32 magic;
	__u8 uuid[16];
	__u32 stream_id;
	__u64 begin_ns;
	__u64 end_ns;
	__u64 content_bits;
	__u64 packet_bits;
	__u64 sequence;
	__u64 discarded;
	__u32 cpu;
	__u32 format;
};

/*
 * The record header: one 64-bit word, stored with one store.
 *
 *   63            42 41    37 36                  10 9         0
 *  +----------------+--------+----------------------+-----------+
 *  |  thread id 22  | ctx 5  |  time, low 27 bits   | event  10 |
 *  +----------------+--------+----------------------+-----------+
 *
 * The full time is the previous record's (the packet's begin_ns for the first
 * one) with its low 27 bits replaced, plus 2^27 if that went down. A record
 * that comes 2^27 ns or more after the previous one, or whose event has a
 * number of %TL_EVENT_EXTENDED or more, has the extended header instead.
 * Records start at multiples of 8 bytes; fields inside are packed to bytes.
 */
#define TL_RECORD_ID_BITS	10
#define TL_RECORD_TIME_SHIFT	10
#define TL_RECORD_TIME_BITS	27
#define TL_RECORD_CTX_SHIFT	37
#define TL_RECORD_CTX_BITS	5
#define TL_RECORD_TID_SHIFT	42
#define TL_RECORD_TID_BITS	22
#define TL_RECORD_ALIGN		8

/** TL_EVENT_EXTENDED - the event number that announces the extended header */
#define TL_EVENT_EXTENDED 1023

/* Context flags of a record (5 bits, since 1.0). */
#define TL_CTX_TASK		0 /* a task, or an exception of it */
#define TL_CTX_SOFTIRQ		1 /* serving a softirq */
#define TL_CTX_HARDIRQ		2 /* serving an interrupt */
#define TL_CTX_NMI		3 /* an NMI; an int3 probe counts as one */
#define TL_CTX_LEVEL_MASK	3
#define TL_CTX_EXCEPTIONAL	4 /* payload starts with one status byte per argument */
#define TL_CTX_NESTED		8 /* with TL_CTX_NMI: on top of another NMI */

/**
 * struct tl_record_extended - the long record header, 24 bytes
 * @event: %TL_EVENT_EXTENDED in the low 10 bits, the other bits 0
 * @id: number of the event
 * @time_ns: the full time
 * @context: context flags in bits 0-4, thread id in bits 10-31
 * @reserved: zero
 *
 * Since 1.0.
 */
struct tl_record_extended {
	__u32 event;
	__u32 id;
	__u64 time_ns;
	__u32 context;
	__u32 reserved;
};

#define TL_EXTENDED_TID_SHIFT 10

/* Status of one argument in an exceptional record (one byte, since 1.0). */
#define TL_STATUS_OK		0 /* the value is right and whole */
#define TL_STATUS_FAULT		1 /* memory could not be read; the value is zeros */
#define TL_STATUS_TRUNCATED	2 /* string or stack cut at its maximum */
#define TL_STATUS_INCOMPLETE	3 /* string, array or stack ran into what cannot be read */

/**
 * struct tl_meta - first page of a ring's mapping, constant once mapped
 * @size: bytes of this struct that the kernel filled
 * @format: %TL_FORMAT
 * @abi_major: as in &struct tl_query
 * @abi_minor: as in &struct tl_query
 * @cpu: the CPU whose ring it is
 * @packet_count: packets in the ring, N; the mapping holds N + 1 buffers
 * @packet_bytes: size of each buffer
 * @data_offset: offset of buffer 0 in the mapping; buffer i follows at
 *	@data_offset + i * @packet_bytes
 * @map_bytes: length of the whole mapping, meta page included
 * @uuid: the session's
 *
 * Since 1.0.
 */
struct tl_meta {
	__u32 size;
	__u32 format;
	__u32 abi_major;
	__u32 abi_minor;
	__u32 cpu;
	__u32 packet_count;
	__u64 packet_bytes;
	__u64 data_offset;
	__u64 map_bytes;
	__u8 uuid[16];
};

#endif
