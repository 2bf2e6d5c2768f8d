// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sessions: thin wrappers over the ioctls of /dev/trapline. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../../uapi/trapline_packet.h"
#include "error.h"
#include "refusal.h"
#include "session.h"

#define DEVICE_PATH "/dev/" TL_DEVICE_NAME

int session_ioctl(int fd, unsigned long request, void *arg)
{
	int rc;

	do {
		rc = ioctl(fd, request, arg);
	} while (rc < 0 && errno == EINTR);
	return rc < 0 ? -errno : 0;
}

int session_no_memory(struct trapline_error *err)
{
	error_set(err, ERR_NO_MEMORY, -1, 0);
	return -ENOMEM;
}

/* Asks the module what it is; it must speak our interface and format. */
static int session_query(struct trapline_session *session,
			 struct trapline_error *err)
{
	struct tl_query *query = &session->query;
	int rc;

	memset(query, 0, sizeof(*query));
	query->size = sizeof(*query);
	rc = session_ioctl(session->fd, TL_QUERY, query);
	if (rc) {
		refusal_set(err, -rc, NULL, NULL);
		return rc;
	}
	if (query->abi_major != TL_ABI_MAJOR) {
		error_set(err, ERR_ABI, -1, 0, query->abi_major,
			  query->abi_minor, TL_ABI_MAJOR, TL_ABI_MINOR);
		error_hint(err, "load the module that belongs to this library");
		return -EPROTO;
	}
	if (query->format != TL_FORMAT) {
		error_set(err, ERR_FORMAT, -1, 0, query->format, TL_FORMAT);
		error_hint(err, "load the module that belongs to this library");
		return -EPROTO;
	}
	return 0;
}

int trapline_session_open(struct trapline_session **out,
			  struct trapline_error *err)
{
	struct trapline_session *session = calloc(1, sizeof(*session));
	int rc;

	*out = NULL;
	if (!session)
		return session_no_memory(err);
	session->fd = open(DEVICE_PATH, O_RDWR | O_CLOEXEC);
	if (session->fd < 0) {
		rc = -errno;
		refusal_open(err, -rc);
		free(session);
		return rc;
	}
	rc = session_query(session, err);
	if (rc) {
		trapline_session_close(session);
		return rc;
	}
	*out = session;
	return 0;
}

/*
 * A caller's struct may be older and so shorter than ours: what it does not
 * have is 0, the default.
 */
static void copy_opts(struct trapline_session_opts *to,
		      const struct trapline_session_opts *from)
{
	memset(to, 0, sizeof(*to));
	if (from)
		memcpy(to, from, from->size < sizeof(*to) ? from->size :
							    sizeof(*to));
}

static void hint_limits(const struct trapline_session *session,
			struct trapline_error *err)
{
	error_hint(err, "use smaller packets or fewer of them; the limit is %" PRIu64 " MiB for one session, %" PRIu64
		   " MiB for all",
		   (uint64_t)(session->query.session_bytes_max >> 20),
		   (uint64_t)(session->query.ring_bytes_max >> 20));
}

int trapline_session_setup(struct trapline_session *session,
			   const struct trapline_session_opts *opts,
			   struct trapline_error *err)
{
	struct trapline_session_opts known;
	struct tl_session_setup setup;
	int rc;

	copy_opts(&known, opts);
	memset(&setup, 0, sizeof(setup));
	setup.size = sizeof(setup);
	setup.mode = known.overwrite ? TL_MODE_OVERWRITE : TL_MODE_DISCARD;
	setup.clock = TL_CLOCK_MONOTONIC;
	setup.packet_bytes = known.packet_bytes;
	setup.packet_count = known.packet_count;
	setup.watermark = known.watermark;
	rc = session_ioctl(session->fd, TL_SESSION_SETUP, &setup);
	if (rc) {
		refusal_set(err, -rc, &setup.error, NULL);
		if (setup.error.code == TL_ERR_MEMORY_LIMIT)
			hint_limits(session, err);
		return rc;
	}
	session->setup = setup;
	session->kprobes = known.kprobes;
	session->all_or_nothing = known.all_or_nothing;
	session->is_set_up = true;
	return 0;
}

static int session_control(struct trapline_session *session, uint32_t command,
			   uint64_t *time_ns, struct trapline_error *err)
{
	struct tl_session_ctl ctl = {
		.size = sizeof(ctl),
		.command = command,
	};
	int rc = session_ioctl(session->fd, TL_SESSION_CTL, &ctl);

	if (rc)
		refusal_set(err, -rc, &ctl.error, NULL);
	else if (time_ns)
		*time_ns = ctl.time_ns;
	return rc;
}

int trapline_session_start(struct trapline_session *session,
			   struct trapline_error *err)
{
	int rc = session_control(session, TL_SESSION_START, NULL, err);

	if (!rc)
		session->started = true;
	return rc;
}

int trapline_session_stop(struct trapline_session *session,
			  struct trapline_error *err)
{
	int rc = session_control(session, TL_SESSION_STOP, NULL, err);

	if (rc)
		return rc;
	session->stopped = true;
	session_disarmed(session);
	return 0;
}

int session_flush(struct trapline_session *session, uint64_t *time_ns,
		  struct trapline_error *err)
{
	struct timespec now;

	if (session->stopped) {
		*time_ns = UINT64_MAX;
		return 0;
	}
	if (!session->started) {
		/* it has no packets, and its records will be newer than now */
		clock_gettime(CLOCK_MONOTONIC, &now);
		*time_ns = (uint64_t)now.tv_sec * 1000000000u +
			   (uint64_t)now.tv_nsec;
		return 0;
	}
	return session_control(session, TL_SESSION_FLUSH, time_ns, err);
}

bool session_is_running(const struct trapline_session *session)
{
	return session->started && !session->stopped;
}

int session_snapshot(struct trapline_session *session,
		     struct trapline_error *err)
{
	return session_control(session, TL_SESSION_SNAPSHOT, NULL, err);
}

int session_resume(struct trapline_session *session,
		   struct trapline_error *err)
{
	return session_control(session, TL_SESSION_RESUME, NULL, err);
}

int session_ring_open(struct trapline_session *session, unsigned int cpu,
		      int *fd, struct trapline_error *err)
{
	struct tl_ring_open ring = {
		.size = sizeof(ring),
		.cpu = cpu,
		.fd = -1,
	};
	int rc = session_ioctl(session->fd, TL_RING_OPEN, &ring);

	if (rc && rc != -ENXIO)
		refusal_set(err, -rc, &ring.error, NULL);
	else if (!rc)
		*fd = ring.fd;
	return rc;
}

int session_copy_known(void *to, size_t to_size, const void *known,
		       size_t known_size)
{
	size_t size = to_size < known_size ? to_size : known_size;

	if (to_size < sizeof(size))
		return -EINVAL;
	memcpy(to, known, size);
	memcpy(to, &size, sizeof(size));
	return 0;
}

int trapline_session_info(const struct trapline_session *session,
			  struct trapline_info *info)
{
	const struct tl_query *query = &session->query;
	struct trapline_info known = {
		.size = sizeof(known),
		.abi_major = query->abi_major,
		.abi_minor = query->abi_minor,
		.format = query->format,
		.arch = query->arch,
		.backends = query->backends,
		.features = query->features,
		.cpu_count = query->cpu_count,
		.events_max = query->events_max,
		.packet_bytes_min = query->packet_bytes_min,
		.packet_bytes_max = query->packet_bytes_max,
		.ring_bytes_max = query->ring_bytes_max,
		.session_bytes_max = query->session_bytes_max,
	};

	return session_copy_known(info, info->size, &known, known.size);
}

int trapline_session_fd(const struct trapline_session *session)
{
	return session->fd;
}

void trapline_session_close(struct trapline_session *session)
{
	unsigned int i;

	if (!session)
		return;
	/* first the probes, then what their records are read with */
	if (session->fd >= 0)
		close(session->fd);
	for (i = 0; i < session->event_count; i++)
		trapline_event_free(session->events[i]);
	free(session->events);
	decode_events_free(&session->table);
	free(session);
}
