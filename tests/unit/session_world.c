// SPDX-License-Identifier: GPL-2.0-only
/* See session_world.h. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../uapi/trapline_packet.h"
#include "../../userspace/lib/event.h"
#include "session_world.h"

struct module module;

int open(const char *path, int flags, ...)
{
	static int (*next)(const char *path, int flags, ...);
	mode_t mode = 0;
	va_list args;

	if (!next) {
		void *found = dlsym(RTLD_NEXT, "open");

		memcpy(&next, &found, sizeof(next));
	}
	va_start(args, flags);
	if (flags & O_CREAT)
		mode = (mode_t)va_arg(args, int);
	va_end(args);
	if (!strcmp(path, "/dev/trapline"))
		path = "/dev/null";
	return next(path, flags, mode);
}

/* Where a request's struct has its error. */
static struct tl_error *error_of(unsigned long request, void *arg)
{
	switch (request) {
	case TL_SESSION_SETUP:
		return &((struct tl_session_setup *)arg)->error;
	case TL_EVENT_ADD:
		return &((struct tl_event_add *)arg)->error;
	case TL_EVENT_CTL:
		return &((struct tl_event_ctl *)arg)->error;
	case TL_SESSION_CTL:
		return &((struct tl_session_ctl *)arg)->error;
	case TL_RING_OPEN:
		return &((struct tl_ring_open *)arg)->error;
	case TL_STATS:
		return &((struct tl_stats *)arg)->error;
	default:
		return NULL;
	}
}

static int refuse(unsigned long request, void *arg)
{
	struct tl_error *error = error_of(request, arg);

	if (error)
		*error = module.error;
	errno = module.os_errno;
	return -1;
}

/* Why an event cannot be armed, or TL_ERR_NONE. */
static enum tl_error_code arm_reason(uint32_t id)
{
	if (module.refuses >> id & 1)
		return TL_ERR_PLACE_REFUSED;
	if (module.insn_bytes && module.addresses[id] % module.insn_bytes)
		return TL_ERR_PLACE_BOUNDARY;
	return TL_ERR_NONE;
}

/* Arms what can be armed, and tells what became of each. */
static int enable_each(const struct tl_event_ctl *ctl, const uint32_t *ids)
{
	struct tl_error *results = (struct tl_error *)(uintptr_t)ctl->results;
	unsigned int i;

	assert_int_equal(ctl->command, TL_EVENT_ENABLE);
	for (i = 0; i < ctl->id_count; i++) {
		assert_false(module.armed >> ids[i] & 1);
		results[i] = (struct tl_error){ .code = arm_reason(ids[i]) };
		if (results[i].code)
			results[i].kernel_errno = EINVAL;
		else
			module.armed |= UINT64_C(1) << ids[i];
	}
	return 0;
}

/* Arms all of a list or none of it, as the module does. */
static int control_events(struct tl_event_ctl *ctl)
{
	const uint32_t *ids = (const uint32_t *)(uintptr_t)ctl->ids;
	uint64_t bits = 0;
	unsigned int i;

	if (ctl->results)
		return enable_each(ctl, ids);
	for (i = 0; i < ctl->id_count; i++) {
		bits |= UINT64_C(1) << ids[i];
		if (ctl->command != TL_EVENT_ENABLE)
			continue;
		ctl->error.code = arm_reason(ids[i]);
		if (!ctl->error.code)
			continue;
		ctl->error.index = i;
		errno = EINVAL;
		return -1;
	}
	if (ctl->command == TL_EVENT_ENABLE) {
		assert_false(module.armed & bits);
		module.armed |= bits;
	} else {
		module.armed &= ~bits;
	}
	if (ctl->command == TL_EVENT_REMOVE)
		module.removed = (int)ids[0];
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	const struct tl_event_place *place;
	struct tl_event_add *add;
	va_list args;
	void *arg;

	(void)fd;
	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (module.interrupts-- > 0) {
		errno = EINTR;
		return -1;
	}
	if (request == module.fails)
		return refuse(request, arg);
	switch (request) {
	case TL_QUERY:
		memcpy(arg, &module.query, sizeof(module.query));
		break;
	case TL_EVENT_ADD:
		add = arg;
		place = (const struct tl_event_place *)(uintptr_t)add->places;
		assert_true(module.added < 64);
		module.addresses[module.added] = place->address;
		snprintf(module.name, sizeof(module.name), "%s", place->symbol ?
			 (const char *)(uintptr_t)place->symbol : "none");
		add->id = module.added++;
		break;
	case TL_EVENT_CTL:
		return control_events(arg);
	case TL_RING_OPEN:
		((struct tl_ring_open *)arg)->fd = dup(module.map);
		break;
	}
	return 0;
}

struct trapline_error err;

void refuses(unsigned long request, int os_errno, uint32_t code,
		    uint32_t index)
{
	module.fails = request;
	module.os_errno = os_errno;
	module.error.code = code;
	module.error.index = index;
}

struct trapline_session *open_session(void)
{
	struct trapline_session *session;

	assert_int_equal(trapline_session_open(&session, &err), 0);
	return session;
}

struct trapline_event *new_event(const char *name)
{
	struct trapline_event *event = calloc(1, sizeof(*event));

	assert_non_null(event);
	event->group = strdup("kprobes");
	event->name = strdup(name);
	event->line = strdup("p f");
	event->backend = TL_BACKEND_KPROBE;
	event->id = -1;
	event->number = -1;
	return event;
}

int session_world_reset(void **state)
{
	(void)state;
	memset(&module, 0, sizeof(module));
	memset(&err, 0, sizeof(err));
	module.removed = -1;
	module.map = -1;
	module.query = (struct tl_query){
		.size = sizeof(module.query),
		.abi_major = TL_ABI_MAJOR,
		.abi_minor = TL_ABI_MINOR,
		.format = TL_FORMAT,
		.cpu_count = 1,
		.session_bytes_max = 64 << 20,
		.ring_bytes_max = 256 << 20,
	};
	return 0;
}

int session_world_reset_results(void **state)
{
	session_world_reset(state);
	module.query.features = TL_FEATURE_RESULTS;
	return 0;
}
