// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of the rings: single pages of the CPU's node, mapped in one piece for
 * the kernel. Being ordinary pages, they can be mapped by user space and used
 * there for direct I/O.
 */
#include <linux/gfp.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "context.h"
#include "ring_cpu.h"
#include "trapline.h"
#include "wake.h"

/**
 * tl_ring_cpu_map_bytes() - length of a ring's mapping
 * @config: of the session
 */
u64 tl_ring_cpu_map_bytes(const struct tl_ring_config *config)
{
	return PAGE_SIZE + ((u64)(tl_packet_count(config->geo) + 1)
			    << config->geo.packet_shift);
}

/**
 * tl_ring_cpu_pages() - memory that a ring takes, in pages
 * @config: of the session
 */
u64 tl_ring_cpu_pages(const struct tl_ring_config *config)
{
	u64 mapped = tl_ring_cpu_map_bytes(config) >> PAGE_SHIFT;
	u64 slots = tl_packet_count(config->geo);
	u64 bytes = sizeof(struct tl_ring_cpu) + slots * sizeof(struct tl_slot) +
		    mapped * sizeof(struct page *);

	return mapped + DIV_ROUND_UP_ULL(bytes, PAGE_SIZE);
}

static void tl_ring_cpu_free_pages(struct tl_ring_cpu *rc)
{
	u32 i;

	for (i = 0; i < rc->page_count && rc->pages[i]; i++)
		__free_page(rc->pages[i]);
	kvfree(rc->pages);
}

static int tl_ring_cpu_alloc_pages(struct tl_ring_cpu *rc)
{
	u64 count = tl_ring_cpu_map_bytes(&rc->config) >> PAGE_SHIFT;
	int node = cpu_to_node((int)rc->cpu);
	u32 i;

	rc->page_count = (u32)count;
	rc->pages = kvcalloc(count, sizeof(*rc->pages), GFP_KERNEL_ACCOUNT);
	if (!rc->pages)
		return -ENOMEM;
	for (i = 0; i < rc->page_count; i++) {
		/* rather fail than have the OOM killer look for victims */
		rc->pages[i] = alloc_pages_node(node,
						GFP_KERNEL_ACCOUNT | __GFP_ZERO |
						__GFP_RETRY_MAYFAIL |
						__GFP_NOWARN, 0);
		if (!rc->pages[i] || fatal_signal_pending(current))
			goto fail;
		cond_resched();
	}
	rc->area = vmap(rc->pages, rc->page_count, VM_MAP, PAGE_KERNEL);
	if (rc->area)
		return 0;
fail:
	tl_ring_cpu_free_pages(rc);
	return -ENOMEM;
}

static void tl_ring_cpu_fill_meta(struct tl_ring_cpu *rc)
{
	struct tl_meta *meta = rc->area;

	meta->size = sizeof(*meta);
	meta->format = TL_FORMAT;
	meta->abi_major = TL_ABI_MAJOR;
	meta->abi_minor = TL_ABI_MINOR;
	meta->cpu = rc->cpu;
	meta->packet_count = tl_packet_count(rc->config.geo);
	meta->packet_bytes = tl_packet_bytes(rc->config.geo);
	meta->data_offset = PAGE_SIZE;
	meta->map_bytes = (u64)rc->page_count << PAGE_SHIFT;
	memcpy(meta->uuid, rc->config.uuid, sizeof(meta->uuid));
}

/**
 * tl_ring_cpu_create() - allocate a ring
 * @config: of the session
 * @cpu: a possible CPU
 *
 * Returns NULL without memory.
 */
struct tl_ring_cpu *tl_ring_cpu_create(const struct tl_ring_config *config,
				       u32 cpu)
{
	struct tl_ring_identity identity = { .cpu = cpu };
	struct tl_ring_cpu *rc;

	rc = kzalloc_node(sizeof(*rc), GFP_KERNEL_ACCOUNT,
			  cpu_to_node((int)cpu));
	if (!rc)
		return NULL;
	rc->config = *config;
	rc->cpu = cpu;
	mutex_init(&rc->reader_lock);
	init_waitqueue_head(&rc->wait);
	init_irq_work(&rc->wake, tl_wake_work);
	rc->ring.geo = config->geo;
	rc->ring.overwrite = config->overwrite;
	rc->ring.slots = kvcalloc(tl_packet_count(config->geo),
				  sizeof(*rc->ring.slots), GFP_KERNEL_ACCOUNT);
	if (!rc->ring.slots || tl_ring_cpu_alloc_pages(rc)) {
		kvfree(rc->ring.slots);
		kfree(rc);
		return NULL;
	}
	tl_ring_cpu_fill_meta(rc);
	rc->ring.data = (u8 *)rc->area + PAGE_SIZE;
	memcpy(identity.uuid, config->uuid, sizeof(identity.uuid));
	tl_ring_init(&rc->ring, &rc->reader, &identity);
	return rc;
}

/**
 * tl_ring_cpu_destroy() - free a ring that nobody writes, reads or maps
 * @rc: the ring
 */
void tl_ring_cpu_destroy(struct tl_ring_cpu *rc)
{
	irq_work_sync(&rc->wake);
	vunmap(rc->area);
	tl_ring_cpu_free_pages(rc);
	kvfree(rc->ring.slots);
	kfree(rc);
}

/**
 * tl_ring_cpu_finish() - no writer will come any more
 * @rc: the ring; all its packets are closed and complete
 */
void tl_ring_cpu_finish(struct tl_ring_cpu *rc)
{
	/*
	 * E. Pairs with the loads of is_final: who sees it sees all packets
	 * FULL, and takes what is not for the end.
	 */
	smp_store_release(&rc->is_final, true);
	wake_up_all(&rc->wait);
}

/**
 * tl_ring_cpu_flush() - close the open packet
 * @rc: this CPU's ring, or one whose CPU is offline
 * @now_ns: a time taken before
 * @is_snapshot: and keep all packets up to this one
 *
 * Leaves in flushed_ns the time before which every record is in a closed
 * packet. That is @now_ns, which no later record can be before even if this
 * CPU's clock lags behind the one that told it; unless the flush has
 * interrupted a writer. That one may have taken its time already and reserve
 * later, if no packet was open (else its reservation fails and it takes
 * another time). Then it is the time of the last reservation, before which the
 * interrupted one cannot be. (Whose session the writer is in is not looked at:
 * an earlier time is only less useful, not wrong.)
 */
void tl_ring_cpu_flush(struct tl_ring_cpu *rc, u64 now_ns, bool is_snapshot)
{
	u64 last_ns = READ_ONCE(rc->ring.last_ns);
	bool is_busy = rc->cpu == raw_smp_processor_id() && tl_context_busy();

	tl_ring_not_before(&rc->ring, now_ns);
	if (is_snapshot)
		rc->held_seq = tl_ring_hold(&rc->ring);
	else
		tl_ring_flush(&rc->ring);
	rc->flushed_ns = is_busy ? min(now_ns, last_ns) : now_ns;
}

/**
 * tl_ring_cpu_set_limit() - a snapshot for the reader: up to what a flush has kept
 * @rc: the ring, after tl_ring_cpu_flush() for a snapshot
 *
 * Not under the reader's lock, as the resume: read() holds it while it copies
 * to memory that somebody else may be slow to provide. A take that goes on
 * meanwhile goes by the one limit or by the other.
 */
void tl_ring_cpu_set_limit(struct tl_ring_cpu *rc)
{
	WRITE_ONCE(rc->reader.limit_seq, rc->held_seq);
	/* what is there is now worth a wake-up whatever the watermark */
	wake_up_all(&rc->wait);
}

/**
 * tl_ring_cpu_resume() - end a snapshot, read or not
 * @rc: the ring
 */
void tl_ring_cpu_resume(struct tl_ring_cpu *rc)
{
	WRITE_ONCE(rc->reader.limit_seq, TL_SEQ_NONE);
	WRITE_ONCE(rc->ring.overwrite, rc->config.overwrite);
}

/**
 * tl_ring_cpu_ready() - are packets there to be taken?
 * @rc: the ring
 * @packets: how many
 */
bool tl_ring_cpu_ready(const struct tl_ring_cpu *rc, u32 packets)
{
	return tl_ring_ready(&rc->ring, READ_ONCE(rc->reader.next_seq), packets);
}

NOKPROBE_SYMBOL(tl_ring_cpu_ready);

/**
 * tl_ring_cpu_at_limit() - has all of a snapshot been read?
 * @rc: the ring
 */
bool tl_ring_cpu_at_limit(const struct tl_ring_cpu *rc)
{
	return READ_ONCE(rc->reader.next_seq) >=
	       READ_ONCE(rc->reader.limit_seq);
}

NOKPROBE_SYMBOL(tl_ring_cpu_at_limit);

/**
 * tl_ring_cpu_readable() - would a read be worth while, or see an end?
 * @rc: the ring
 * @is_final: no writer will come any more
 *
 * Not at the end after the last packet: that is for the caller to know.
 */
bool tl_ring_cpu_readable(const struct tl_ring_cpu *rc, bool is_final)
{
	u32 packets = rc->config.watermark;

	if (is_final)
		return tl_ring_cpu_ready(rc, 1) ||
		       tl_ring_owes(&rc->ring, &rc->reader);
	if (tl_ring_cpu_at_limit(rc))
		return true;
	if (READ_ONCE(rc->reader.limit_seq) != TL_SEQ_NONE)
		packets = 1;
	return tl_ring_cpu_ready(rc, packets);
}

NOKPROBE_SYMBOL(tl_ring_cpu_readable);
