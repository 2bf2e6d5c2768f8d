// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ring files: mmap, poll, read and TL_RING_GET.
 *
 * A mapping holds the file, the file holds the session's rings and the module:
 * nothing can go away under a reader, and rmmod is refused while one is there.
 */
#include <linux/anon_inodes.h>
#include <linux/cpumask.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "command.h"
#include "compat/compat.h"
#include "ring_file.h"

/**
 * struct tl_ring_file - an open ring file
 * @session: holds a reference
 * @rc: the ring
 */
struct tl_ring_file {
	struct tl_session *session;
	struct tl_ring_cpu *rc;
};

static struct tl_ring_cpu *tl_ring_of(struct file *file)
{
	const struct tl_ring_file *ring_file = file->private_data;

	return ring_file->rc;
}

static int tl_ring_file_release(struct inode *inode, struct file *file)
{
	struct tl_ring_file *ring_file = file->private_data;

	mutex_lock(&ring_file->session->lock);
	ring_file->rc->is_open = false;
	mutex_unlock(&ring_file->session->lock);
	tl_session_put(ring_file->session);
	kfree(ring_file);
	return 0;
}

/*
 * Read-only, and for ever: what user space cannot write, the kernel need not
 * check. The mapping is the meta page alone, the buffers alone or both.
 */
static int tl_ring_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	const struct tl_ring_cpu *rc = tl_ring_of(file);
	unsigned long count = vma_pages(vma);
	unsigned long first = vma->vm_pgoff;

	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	/* VM_SHARED is gone from a mapping of a read-only file */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (first > 1)
		return -EINVAL;
	if (count != rc->page_count - first && (first || count != 1))
		return -EINVAL;
	tl_vm_flags_set(vma, VM_DONTEXPAND | VM_DONTCOPY | VM_DONTDUMP);
	tl_vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	/* on failure the kernel unmaps what was inserted */
	return vm_insert_pages(vma, vma->vm_start, rc->pages + first, &count);
}

static __poll_t tl_ring_file_poll(struct file *file, poll_table *wait)
{
	struct tl_ring_cpu *rc = tl_ring_of(file);
	bool is_final;

	poll_wait(file, &rc->wait, wait);
	smp_mb(); /* D, see wake.c */
	is_final = smp_load_acquire(&rc->is_final); /* E, see ring_cpu.c */
	/* a packet of which read() has copied a part is there at once */
	if (READ_ONCE(rc->read_at) != READ_ONCE(rc->read_bytes) ||
	    tl_ring_cpu_readable(rc, is_final))
		return EPOLLIN | EPOLLRDNORM;
	return is_final ? EPOLLHUP : 0;
}

static u8 *tl_ring_file_spare(const struct tl_ring_cpu *rc)
{
	return tl_ring_buffer(&rc->ring, rc->reader.spare);
}

/*
 * Take the next packet: for read(), from its beginning, or for GET, as read.
 * @is_final was loaded before, so that what is not there will not come.
 */
static int tl_ring_file_take(struct tl_ring_cpu *rc, bool is_final,
			     bool is_for_read, struct tl_packet_view *view)
{
	const struct tl_packet_header *header;
	int err = tl_ring_take(&rc->ring, &rc->reader, view);
	u32 bytes;

	if (err == -EAGAIN && is_final)
		err = tl_ring_take_last(&rc->ring, &rc->reader, view);
	if (err)
		return err;
	header = (const struct tl_packet_header *)tl_ring_file_spare(rc);
	bytes = (u32)(header->packet_bits / 8);
	WRITE_ONCE(rc->read_at, is_for_read ? 0 : bytes);
	WRITE_ONCE(rc->read_bytes, bytes);
	return 0;
}

/* Copy on from the packet that read() is in; it may be the reader's spare. */
static ssize_t tl_ring_file_copy(struct tl_ring_cpu *rc, char __user *to,
				 size_t bytes)
{
	size_t left = rc->read_bytes - rc->read_at;

	bytes = min(bytes, left);
	if (copy_to_user(to, tl_ring_file_spare(rc) + rc->read_at, bytes))
		return -EFAULT;
	WRITE_ONCE(rc->read_at, rc->read_at + (u32)bytes);
	return (ssize_t)bytes;
}

/*
 * As many whole packets as fit and are there; a packet that does not fit is
 * continued by the next read. So whoever copies the stream, with whatever
 * buffer, has a valid stream file.
 */
static ssize_t tl_ring_file_read_now(struct tl_ring_cpu *rc, bool is_final,
				     char __user *to, size_t bytes)
{
	struct tl_packet_view view;
	size_t done = 0;

	while (done < bytes) {
		ssize_t copied;

		if (rc->read_at == rc->read_bytes &&
		    tl_ring_file_take(rc, is_final, true, &view))
			break;
		copied = tl_ring_file_copy(rc, to + done, bytes - done);
		if (copied < 0)
			return done ? (ssize_t)done : copied;
		done += (size_t)copied;
		/* a ring, and so a read, may be of many gigabytes */
		if (fatal_signal_pending(current))
			break;
		cond_resched();
	}
	return (ssize_t)done;
}

/* Somebody else may hold it for long, in a copy to memory that is slow. */
static int tl_ring_file_lock(struct tl_ring_cpu *rc, bool is_nonblocking)
{
	if (is_nonblocking)
		return mutex_trylock(&rc->reader_lock) ? 0 : -EAGAIN;
	return mutex_lock_interruptible(&rc->reader_lock) ? -ERESTARTSYS : 0;
}

static ssize_t tl_ring_file_read(struct file *file, char __user *to,
				 size_t bytes, loff_t *pos)
{
	struct tl_ring_cpu *rc = tl_ring_of(file);

	if (!bytes)
		return 0;
	for (;;) {
		bool is_final = smp_load_acquire(&rc->is_final); /* E */
		bool is_end;
		ssize_t done;
		int err;

		err = tl_ring_file_lock(rc, file->f_flags & O_NONBLOCK);
		if (err)
			return err;
		/* who dies here leaves the packet to the next reader */
		if (fatal_signal_pending(current)) {
			mutex_unlock(&rc->reader_lock);
			return -EINTR;
		}
		done = tl_ring_file_read_now(rc, is_final, to, bytes);
		is_end = is_final || tl_ring_cpu_at_limit(rc);
		mutex_unlock(&rc->reader_lock);
		if (done || is_end)
			return done;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		/* full barriers of prepare_to_wait() are D here, see wake.c */
		err = wait_event_interruptible(rc->wait,
					       tl_ring_cpu_readable(rc, false) ||
					       READ_ONCE(rc->is_final));
		if (err)
			return err;
	}
}

/* Why there is no packet. */
static u32 tl_ring_file_state(const struct tl_ring_cpu *rc, bool is_final)
{
	if (is_final)
		return TL_RING_END;
	if (tl_ring_cpu_at_limit(rc))
		return TL_RING_SNAPSHOT;
	if (tl_ring_closing(&rc->ring, rc->reader.next_seq))
		return TL_RING_CLOSING;
	return TL_RING_EMPTY;
}

static int tl_ring_file_get(struct tl_ring_cpu *rc, struct tl_ring_get *get)
{
	bool is_final = smp_load_acquire(&rc->is_final); /* E */
	const struct tl_packet_header *header;
	struct tl_packet_view view;

	if (tl_ring_file_take(rc, is_final, false, &view)) {
		get->state = tl_ring_file_state(rc, is_final);
		return 0;
	}
	header = (const struct tl_packet_header *)tl_ring_file_spare(rc);
	get->state = TL_RING_PACKET;
	get->content_bytes = (u32)(header->content_bits / 8);
	get->packet_bytes = (u32)(header->packet_bits / 8);
	get->offset = PAGE_SIZE +
		      ((u64)view.buffer << rc->ring.geo.packet_shift);
	get->sequence = view.seq;
	get->skipped = view.skipped;
	return 0;
}

static int tl_ring_command_get(struct tl_call *call)
{
	struct tl_ring_cpu *rc = tl_ring_of(call->file);
	int err;

	if (call->command.ring_get.reserved)
		return tl_refuse(call->error, TL_ERR_RESERVED, -EINVAL);
	if (mutex_lock_interruptible(&rc->reader_lock))
		return -ERESTARTSYS;
	err = tl_ring_file_get(rc, &call->command.ring_get);
	mutex_unlock(&rc->reader_lock);
	return err;
}

static const struct tl_command_ops tl_ring_commands[] = {
	{
		.number = _IOC_NR(TL_RING_GET),
		.bytes = sizeof(struct tl_ring_get),
		.bytes_min = sizeof(struct tl_ring_get),
		.run = tl_ring_command_get,
	},
	{}
};

static long tl_ring_file_ioctl(struct file *file, unsigned int number,
			       unsigned long arg)
{
	return tl_command_run(tl_ring_commands, file, number, arg);
}

static const struct file_operations tl_ring_file_ops = {
	.owner = THIS_MODULE,
	.release = tl_ring_file_release,
	.mmap = tl_ring_file_mmap,
	.poll = tl_ring_file_poll,
	.read = tl_ring_file_read,
	.unlocked_ioctl = tl_ring_file_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

/* The file of a ring that is not open yet; nobody knows it so far. */
static struct file *tl_ring_file_make(struct tl_session *session,
				      struct tl_ring_cpu *rc)
{
	struct tl_ring_file *ring_file;
	struct file *file;

	ring_file = kzalloc(sizeof(*ring_file), GFP_KERNEL_ACCOUNT);
	if (!ring_file)
		return ERR_PTR(-ENOMEM);
	ring_file->session = session;
	ring_file->rc = rc;
	file = anon_inode_getfile("[trapline-ring]", &tl_ring_file_ops,
				  ring_file, O_RDONLY);
	if (IS_ERR(file)) {
		kfree(ring_file);
		return file;
	}
	tl_session_get(session);
	rc->is_open = true;
	/* of a packet that the last reader left in pieces: all of it */
	if (rc->read_at < rc->read_bytes)
		rc->read_at = 0;
	return file;
}

/**
 * tl_ring_file_open() - TL_RING_OPEN
 * @session: locked
 * @call: the command; the file is known once the caller was told of it
 */
int tl_ring_file_open(struct tl_session *session, struct tl_call *call)
{
	struct tl_ring_open *open = &call->command.ring_open;
	struct tl_ring_cpu *rc;
	struct file *file;
	int fd;

	if (session->state == TL_SESSION_NEW)
		return tl_refuse(call->error, TL_ERR_STATE, -EBUSY);
	if (open->cpu >= nr_cpu_ids || !cpu_possible(open->cpu))
		return tl_refuse(call->error, TL_ERR_CPU, -ENXIO);
	rc = session->rings[open->cpu];
	if (rc->is_open)
		return tl_refuse(call->error, TL_ERR_RING_BUSY, -EBUSY);
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	file = tl_ring_file_make(session, rc);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return tl_refuse_errno(call->error, PTR_ERR(file));
	}
	call->opened = file;
	call->opened_fd = fd;
	open->fd = fd;
	return 0;
}
