// SPDX-License-Identifier: GPL-2.0-only
/* See tl_fuzz.h: files and mappings. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>

#include "tl_fuzz.h"

#define PAGE 4096u

/* In a storm each number is closed by one thread only. */
static int take(int *fd)
{
	return __atomic_exchange_n(fd, -1, __ATOMIC_SEQ_CST);
}

void fz_open(struct fz_thread *t)
{
	struct fz_session *session =
		&t->fuzz->sessions[fz_below(t, FZ_SESSIONS)];
	int flags = fz_percent(t, 80) ? O_RDWR : (int)fz_below(t, 3);
	bool is_allowed = fz_percent(t, 85);
	int fd, err, none = -1;

	if (session->dev >= 0)
		return;
	if (!is_allowed)
		fz_power(false);
	fd = open("/dev/trapline", flags | O_CLOEXEC);
	err = fd < 0 ? errno : 0;
	if (!is_allowed)
		fz_power(true);
	fz_count(t, FZ_OPEN, !err, (uint64_t)err);
	if (err != (is_allowed ? 0 : EPERM))
		fz_wrong(t, "open: errno %d", err);
	if (err)
		return;
	/* in a storm somebody else may have been faster */
	if (!__atomic_compare_exchange_n(&session->dev, &none, fd, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		close(fd);
		return;
	}
	*session = (struct fz_session){ .dev = fd, .state = FZ_NEW };
}

static void close_session(struct fz_thread *t, struct fz_session *session)
{
	int fd = take(&session->dev);
	size_t i;

	if (fd < 0)
		return;
	if (close(fd) && t->fuzz->is_exact)
		fz_wrong(t, "close: errno %d", errno);
	session->state = FZ_CLOSED;
	/* rings outlive it */
	for (i = 0; i < FZ_RINGS; i++)
		if (t->fuzz->rings[i].session == session)
			t->fuzz->rings[i].session = NULL;
}

void fz_close(struct fz_thread *t)
{
	close_session(t, &t->fuzz->sessions[fz_below(t, FZ_SESSIONS)]);
}

void fz_ring_opened(struct fz_thread *t, const struct fz_call *call)
{
	int fd = call->arg.ring_open.fd;
	size_t i;

	/* in one thread nothing here may wait */
	fcntl(fd, F_SETFL, t->fuzz->is_exact || fz_percent(t, 70) ?
		      O_NONBLOCK : 0);
	if (!(fcntl(fd, F_GETFD) & FD_CLOEXEC))
		fz_wrong(t, "ring open: the file is not close-on-exec");
	for (i = 0; i < FZ_RINGS; i++) {
		struct fz_ring *ring = &t->fuzz->rings[i];
		int none = -1;

		if (ring->maps || !__atomic_compare_exchange_n(&ring->fd, &none,
				fd, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			continue;
		ring->session = call->session;
		ring->cpu = call->arg.ring_open.cpu;
		ring->bytes = call->session->ring_bytes;
		return;
	}
	close(fd);
}

static void close_ring(struct fz_ring *ring)
{
	int fd = take(&ring->fd);

	if (fd >= 0)
		close(fd);
}

void fz_close_ring(struct fz_thread *t)
{
	close_ring(&t->fuzz->rings[fz_below(t, FZ_RINGS)]);
}

/* Of a mapping that is made: could it be? */
static bool may_be_mapped(const struct fz_ring *ring, size_t bytes,
			  int protection, int flags, off_t offset)
{
	size_t pages = (bytes + PAGE - 1) / PAGE, whole = ring->bytes / PAGE;

	if (protection & (PROT_WRITE | PROT_EXEC) || !(flags & MAP_SHARED))
		return false;
	if (!offset)
		return pages == 1 || pages == whole;
	return offset == PAGE && pages == whole - 1;
}

/* Length, protection and offset as a reader has them, or with one of them odd. */
static void choose_mapping(struct fz_thread *t, const struct fz_ring *ring,
			   size_t *bytes, int *protection, int *flags,
			   off_t *offset)
{
	*bytes = fz_percent(t, 70) ? ring->bytes : PAGE;
	*protection = PROT_READ;
	*flags = MAP_SHARED;
	*offset = 0;
	switch (fz_below(t, 14)) {
	case 0:
		*bytes = (size_t)fz_odd(t);
		break;
	case 1:
		*protection = (int)fz_below(t, 8);
		break;
	case 2:
		*flags = MAP_PRIVATE;
		break;
	case 3:
		*offset = (off_t)(fz_odd(t) & ~(PAGE - 1ull));
		break;
	case 4:
		*offset = PAGE;
		*bytes = ring->bytes - PAGE;
		break;
	case 5:
		*bytes = PAGE * (size_t)fz_below(t, 80);
		*offset = PAGE * (off_t)fz_below(t, 4);
		break;
	}
}

static void check_mapping(struct fz_thread *t, const struct fz_ring *ring,
			  const struct fz_map *map, int protection, off_t offset)
{
	const struct tl_meta *meta = (const struct tl_meta *)map->at;

	if (!t->fuzz->is_exact || offset || protection != PROT_READ)
		return;
	if (meta->cpu != ring->cpu || meta->map_bytes != ring->bytes ||
	    meta->format != TL_FORMAT)
		fz_wrong(t, "mmap: the meta page is another one's");
	if (!mprotect(map->at, PAGE, PROT_READ | PROT_WRITE) ||
	    !mprotect(map->at, PAGE, PROT_READ | PROT_EXEC))
		fz_wrong(t, "mprotect: more than to read");
}

void fz_map_ring(struct fz_thread *t)
{
	struct fz_ring *ring = &t->fuzz->rings[fz_below(t, FZ_RINGS)];
	struct fz_map *map = &t->maps[fz_below(t, FZ_MAPS)];
	int protection, flags, fd = ring->fd;
	bool expected;
	size_t bytes;
	off_t offset;
	void *at;

	if (fd < 0 || map->at)
		return;
	choose_mapping(t, ring, &bytes, &protection, &flags, &offset);
	expected = may_be_mapped(ring, bytes, protection, flags, offset);
	at = mmap(NULL, bytes, protection, flags, fd, offset);
	fz_count(t, FZ_MMAP, at != MAP_FAILED,
		 at == MAP_FAILED ? (uint64_t)errno : 0);
	if (at == MAP_FAILED && errno != EINVAL && errno != EPERM &&
	    errno != EACCES && errno != ENOMEM && errno != EOVERFLOW &&
	    (t->fuzz->is_exact || (errno != EBADF && errno != ENODEV)))
		fz_wrong(t, "mmap: errno %d", errno);
	if (t->fuzz->is_exact && expected != (at != MAP_FAILED))
		fz_wrong(t, "mmap of 0x%zx at 0x%llx, protection %d, flags %d: %s",
			 bytes, (unsigned long long)offset, protection, flags,
			 expected ? strerror(errno) : "possible");
	if (at == MAP_FAILED)
		return;
	*map = (struct fz_map){ .at = at, .bytes = bytes, .ring = ring,
				.is_readable = protection & PROT_READ };
	__atomic_add_fetch(&ring->maps, 1, __ATOMIC_SEQ_CST);
	check_mapping(t, ring, map, protection, offset);
}

/* All of it, at times piece by piece. */
static void unmap(struct fz_thread *t, struct fz_map *map)
{
	size_t pages = (map->bytes + PAGE - 1) / PAGE, i;

	if (!map->at)
		return;
	if (fz_percent(t, 30))
		for (i = 0; i < pages; i += 2)
			munmap(map->at + i * PAGE, PAGE);
	munmap(map->at, pages * PAGE);
	__atomic_sub_fetch(&map->ring->maps, 1, __ATOMIC_SEQ_CST);
	*map = (struct fz_map){};
}

void fz_unmap(struct fz_thread *t)
{
	unmap(t, &t->maps[fz_below(t, FZ_MAPS)]);
}

void fz_read(struct fz_thread *t)
{
	static __thread unsigned char buffer[3 * 65536];
	const struct fz_ring *ring = &t->fuzz->rings[fz_below(t, FZ_RINGS)];
	size_t bytes = 1 + fz_below(t, sizeof(buffer) - 1);
	unsigned char *to = buffer;
	int fd = ring->fd;
	ssize_t got;

	if (fd < 0)
		return;
	if (fz_percent(t, 15))
		bytes = fz_percent(t, 50) ? (size_t)fz_odd(t) : 0;
	/* bytes that nobody has: it may end before, or fault */
	if (bytes > sizeof(buffer) || fz_percent(t, 10))
		to = (unsigned char *)(uintptr_t)(fz_odd(t) | 1ull << 63);
	got = read(fd, to, bytes);
	/* whether there is something to be read is a matter of interrupts, too */
	fz_count(t, FZ_READ, got >= 0, 0);
	if (got > 0 && (size_t)got > bytes)
		fz_wrong(t, "read: more than was asked for");
	if (got < 0 && errno != EAGAIN && errno != EFAULT && errno != EINVAL &&
	    (t->fuzz->is_exact || (errno != EBADF && errno != EINTR)))
		fz_wrong(t, "read: errno %d", errno);
}

void fz_poll(struct fz_thread *t)
{
	const short known = POLLIN | POLLRDNORM | POLLHUP;
	const struct fz_ring *ring = &t->fuzz->rings[fz_below(t, FZ_RINGS)];
	struct pollfd fd = { .fd = ring->fd, .events = (short)fz_next(t) };
	int rc;

	if (fd.fd < 0)
		return;
	rc = poll(&fd, 1, 0);
	fz_count(t, FZ_POLL, rc >= 0, 0);
	if (rc < 0 && errno != EINTR)
		fz_wrong(t, "poll: errno %d", errno);
	if (t->fuzz->is_exact && rc > 0 && fd.revents & ~known)
		fz_wrong(t, "poll: events 0x%x", (unsigned short)fd.revents);
}

void fz_strange(struct fz_thread *t)
{
	const struct fz_ring *ring = &t->fuzz->rings[fz_below(t, FZ_RINGS)];
	const struct fz_session *session =
		&t->fuzz->sessions[fz_below(t, FZ_SESSIONS)];
	int fd = fz_percent(t, 50) ? ring->fd : session->dev;
	char byte = 0;

	if (fd < 0)
		return;
	if (write(fd, &byte, 1) >= 0)
		fz_wrong(t, "write: possible");
	if (pread(fd, &byte, 1, 4096) >= 0 && fd == session->dev)
		fz_wrong(t, "pread of a session: possible");
	if (!ftruncate(fd, 0))
		fz_wrong(t, "ftruncate: possible");
	lseek(fd, (off_t)fz_odd(t), (int)fz_below(t, 5));
	fz_count(t, FZ_OTHER, true, 0);
}

void fz_close_all(struct fz_thread *t)
{
	size_t i;

	for (i = 0; i < FZ_MAPS; i++)
		unmap(t, &t->maps[i]);
	for (i = 0; i < FZ_SESSIONS; i++)
		close_session(t, &t->fuzz->sessions[i]);
	for (i = 0; i < FZ_RINGS; i++)
		close_ring(&t->fuzz->rings[i]);
}
