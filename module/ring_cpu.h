/* SPDX-License-Identifier: GPL-2.0-only */
/* One CPU's ring with its memory, its reader and its sleepers. */
#ifndef TL_RING_CPU_H
#define TL_RING_CPU_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/wait.h>

#include "core/ring.h"

/**
 * struct tl_ring_config - what all rings of a session have in common
 * @geo: sizes
 * @watermark: packets that must be ready before poll() wakes the reader
 * @overwrite: a full ring drops its oldest packet
 * @uuid: of the session
 */
struct tl_ring_config {
	struct tl_geometry geo;
	u32 watermark;
	bool overwrite;
	u8 uuid[16];
};

/**
 * struct tl_ring_cpu - one CPU's ring
 * @ring: what writers use
 * @config: sizes and identity
 * @cpu: whose
 * @pages: the meta page, then the buffers
 * @page_count: how many
 * @area: the kernel's mapping of @pages
 * @reader_lock: holds @reader, @read_at and @read_bytes
 * @reader: the reader's side of @ring
 * @read_at: how much read() has copied of the reader's packet
 * @read_bytes: length of that packet
 * @is_open: a ring file exists
 * @is_final: no writer will come any more
 * @wait: sleepers
 * @wake: wakes them from a context in which waking is possible
 * @flushed_ns: result of the last flush, see tl_ring_cpu_flush()
 * @held_seq: and, for a snapshot, the first packet that is not in it
 */
struct tl_ring_cpu {
	struct tl_ring ring;
	struct tl_ring_config config;
	u32 cpu;
	struct page **pages;
	u32 page_count;
	void *area;
	struct mutex reader_lock; /* the reader's side */
	struct tl_ring_reader reader;
	u32 read_at;
	u32 read_bytes;
	bool is_open;
	bool is_final;
	wait_queue_head_t wait;
	struct irq_work wake;
	u64 flushed_ns;
	u64 held_seq;
};

u64 tl_ring_cpu_map_bytes(const struct tl_ring_config *config);
u64 tl_ring_cpu_pages(const struct tl_ring_config *config);
struct tl_ring_cpu *tl_ring_cpu_create(const struct tl_ring_config *config,
				       u32 cpu);
void tl_ring_cpu_destroy(struct tl_ring_cpu *rc);
void tl_ring_cpu_finish(struct tl_ring_cpu *rc);
void tl_ring_cpu_flush(struct tl_ring_cpu *rc, u64 now_ns, bool is_snapshot);
void tl_ring_cpu_set_limit(struct tl_ring_cpu *rc);
void tl_ring_cpu_resume(struct tl_ring_cpu *rc);
bool tl_ring_cpu_ready(const struct tl_ring_cpu *rc, u32 packets);
bool tl_ring_cpu_at_limit(const struct tl_ring_cpu *rc);
bool tl_ring_cpu_readable(const struct tl_ring_cpu *rc, bool is_final);

#endif
