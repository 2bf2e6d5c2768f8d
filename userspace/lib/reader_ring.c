// SPDX-License-Identifier: LGPL-2.1-or-later
/* A reader's rings: opened, mapped, watched, asked for packets, closed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../uapi/trapline_packet.h"
#include "error.h"
#include "reader.h"

int reader_error(struct trapline_error *err, const char *what, int rc)
{
	error_set(err, ERR_SYSTEM, -1, 0, what, strerror(-rc));
	if (err)
		err->os_errno = -rc;
	return rc;
}

/* The merge's question: see &struct merge_input. */
static int ring_get(struct merge_input *input, struct merge_packet *packet)
{
	struct ring *ring = (struct ring *)input;
	struct tl_ring_get get = { .size = sizeof(get) };
	int rc = session_ioctl(ring->fd, TL_RING_GET, &get);

	if (rc)
		return rc;
	switch (get.state) {
	case TL_RING_PACKET:
		if (get.offset > ring->map_bytes ||
		    get.packet_bytes > ring->map_bytes - get.offset)
			return -EPROTO;
		packet->bytes = ring->map + get.offset;
		packet->size = get.packet_bytes;
		packet->sequence = get.sequence;
		packet->skipped = get.skipped;
		return MERGE_PACKET;
	case TL_RING_EMPTY:
		return MERGE_EMPTY;
	case TL_RING_CLOSING:
		return MERGE_CLOSING;
	case TL_RING_END:
		return MERGE_END;
	case TL_RING_SNAPSHOT:
		return MERGE_SNAPSHOT;
	default:
		return -EPROTO;
	}
}

/* The first page tells how long the whole mapping is. */
static int ring_size(int fd, size_t *map_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const void *map = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	struct tl_meta meta;

	if (map == MAP_FAILED)
		return -errno;
	memcpy(&meta, map, sizeof(meta));
	munmap((void *)map, page);
	if (meta.size < sizeof(meta) || meta.format != TL_FORMAT ||
	    meta.map_bytes < page || meta.map_bytes > SIZE_MAX / 2)
		return -EPROTO;
	*map_bytes = (size_t)meta.map_bytes;
	return 0;
}

static int ring_map(struct ring *ring)
{
	int rc = ring_size(ring->fd, &ring->map_bytes);
	void *map;

	if (rc)
		return rc;
	map = mmap(NULL, ring->map_bytes, PROT_READ, MAP_SHARED, ring->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	ring->map = map;
	return 0;
}

static void ring_free(struct ring *ring)
{
	if (ring->map)
		munmap((void *)ring->map, ring->map_bytes);
	if (ring->fd >= 0)
		close(ring->fd);
	free(ring);
}

static int ring_watch(struct trapline_reader *reader, struct ring *ring)
{
	struct epoll_event event = {
		.events = EPOLLIN,
		.data.ptr = ring,
	};

	if (epoll_ctl(reader->epoll_fd, EPOLL_CTL_ADD, ring->fd, &event))
		return -errno;
	ring->watched = true;
	return 0;
}

static struct ring *ring_new(struct source *source, unsigned int cpu)
{
	struct trapline_session *session = source->session;
	struct ring *ring = calloc(1, sizeof(*ring));

	if (!ring)
		return NULL;
	ring->fd = -1;
	ring->session = session;
	ring->input.get = ring_get;
	ring->input.events = &session->table;
	ring->input.sink = &source->sink;
	ring->input.cpu = cpu;
	memcpy(ring->input.uuid, session->setup.uuid,
	       sizeof(ring->input.uuid));
	return ring;
}

/* Opens and maps one ring; a CPU that is not possible is no error. */
static int add_ring(struct trapline_reader *reader, struct source *source,
		    unsigned int cpu, struct ring **list,
		    struct trapline_error *err)
{
	struct ring *ring = ring_new(source, cpu);
	int rc;

	if (!ring)
		return reader_error(err, "ring", -ENOMEM);
	rc = session_ring_open(source->session, cpu, &ring->fd, err);
	if (rc) {
		ring_free(ring);
		return rc == -ENXIO ? 0 : rc;
	}
	rc = ring_map(ring);
	if (!rc)
		rc = ring_watch(reader, ring);
	if (rc) {
		ring_free(ring);
		return reader_error(err, "mapping a ring", rc);
	}
	ring->next = *list;
	*list = ring;
	return 0;
}

static void free_rings(struct ring *ring)
{
	while (ring) {
		struct ring *next = ring->next;

		ring_free(ring);
		ring = next;
	}
}

int trapline_reader_open(struct trapline_reader **out,
			 struct trapline_error *err)
{
	struct trapline_reader *reader = calloc(1, sizeof(*reader));

	*out = NULL;
	if (!reader)
		return reader_error(err, "reader", -ENOMEM);
	reader->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (reader->epoll_fd < 0) {
		int rc = -errno;

		free(reader);
		return reader_error(err, "epoll", rc);
	}
	*out = reader;
	return 0;
}

/* Hands all rings of a list to the merge: all of them or, on failure, none. */
static int adopt_rings(struct trapline_reader *reader, struct ring *list)
{
	const struct ring *ring;
	size_t count = 0;

	for (ring = list; ring; ring = ring->next)
		count++;
	if (merge_reserve(&reader->merge, count))
		return -ENOMEM;
	while (list) {
		struct ring *next = list->next;

		merge_add(&reader->merge, &list->input);
		list->next = reader->rings;
		reader->rings = list;
		list = next;
	}
	return 0;
}

/* Opens the rings of all CPUs into @list. */
static int open_rings(struct trapline_reader *reader, struct source *source,
		      struct ring **list, struct trapline_error *err)
{
	unsigned int cpu;

	for (cpu = 0; cpu < source->session->query.cpu_count; cpu++) {
		int rc = add_ring(reader, source, cpu, list, err);

		if (rc)
			return rc;
	}
	return 0;
}

int trapline_reader_add(struct trapline_reader *reader,
			struct trapline_session *session,
			const struct trapline_sink *sink,
			struct trapline_error *err)
{
	struct source **at = &reader->sources;
	struct ring *list = NULL;
	struct source *source;
	int rc;

	if (sink->size < sizeof(sink->size))
		return reader_error(err, "sink without a size", -EINVAL);
	if (!session->is_set_up) {
		error_set(err, ERR_NOT_SET_UP, -1, 0);
		return -EINVAL;
	}
	source = calloc(1, sizeof(*source));
	if (!source)
		return reader_error(err, "reader", -ENOMEM);
	source->session = session;
	memcpy(&source->sink, sink, sink->size < sizeof(source->sink) ?
					    sink->size : sizeof(source->sink));
	rc = open_rings(reader, source, &list, err);
	if (!rc) {
		rc = adopt_rings(reader, list);
		if (rc)
			reader_error(err, "reader", rc);
	}
	if (rc) {
		free_rings(list);
		free(source);
		return rc;
	}
	/* snapshots go in this order, and that of the names must be the last */
	while (*at)
		at = &(*at)->next;
	*at = source;
	return 0;
}

bool reader_overwrites(const struct trapline_reader *reader)
{
	const struct source *source;

	for (source = reader->sources; source; source = source->next)
		if (source->session->setup.mode == TL_MODE_OVERWRITE)
			return true;
	return false;
}

void trapline_reader_close(struct trapline_reader *reader)
{
	struct source *source;

	if (!reader)
		return;
	merge_free(&reader->merge);
	free_rings(reader->rings);
	while ((source = reader->sources)) {
		reader->sources = source->next;
		free(source);
	}
	close(reader->epoll_fd);
	free(reader);
}
