// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions, with the module of session_world.c: what the kernel says comes out
 * as it was said, and what fails leaves nothing behind.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../uapi/trapline_packet.h"
#include "../../userspace/lib/event.h"
#include "../../userspace/lib/reader.h"
#include "session_world.h"

static void test_open(void **state)
{
	struct trapline_session *session;

	(void)state;
	module.interrupts = 3;
	session = open_session();
	trapline_session_close(session);
	refuses(TL_QUERY, ENOTTY, 0, 0);
	assert_int_equal(trapline_session_open(&session, &err), -ENOTTY);
	assert_null(session);
	assert_int_equal(err.os_errno, ENOTTY);
	refuses(0, 0, 0, 0);
	module.query.abi_major++;
	assert_int_equal(trapline_session_open(&session, &err), -EPROTO);
	assert_string_equal(trapline_error_name(err.code), "abi-mismatch");
	module.query.abi_major--;
	module.query.format++;
	assert_int_equal(trapline_session_open(&session, &err), -EPROTO);
	assert_string_equal(trapline_error_name(err.code), "format-mismatch");
	assert_true(err.hint[0]);
}

static void test_setup(void **state)
{
	struct trapline_session *session = open_session();

	(void)state;
	refuses(TL_SESSION_SETUP, ENOMEM, TL_ERR_MEMORY_LIMIT, 0);
	assert_int_equal(trapline_session_setup(session, NULL, &err), -ENOMEM);
	assert_non_null(strstr(err.hint, "64 MiB for one session, 256 MiB"));
	refuses(TL_SESSION_SETUP, EINVAL, TL_ERR_PACKET_BYTES, 0);
	assert_int_equal(trapline_session_setup(session, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.hint, "powers of two"));
	assert_false(session->is_set_up);
	trapline_session_close(session);
}

static void test_add(void **state)
{
	static struct field unsound = { .bytes = 3 };
	struct trapline_session *session = open_session();
	struct trapline_event *event = new_event("e");

	(void)state;
	refuses(TL_EVENT_ADD, EINVAL, TL_ERR_PLACE_BOUNDARY, 0);
	assert_int_equal(trapline_session_add(session, event, &err), -EINVAL);
	assert_int_equal(err.column, 2);
	assert_int_equal(trapline_event_number(event), -1);
	/* the kernel takes it, the decoder does not */
	refuses(0, 0, 0, 0);
	event->fields = &unsound;
	event->field_count = 1;
	module.added = 5;
	assert_int_equal(trapline_session_add(session, event, &err), -EINVAL);
	assert_int_equal(module.removed, 5);
	assert_int_equal(trapline_event_number(event), -1);
	assert_int_equal(trapline_session_event_count(session), 0);
	assert_null(trapline_session_event(session, 0));
	event->fields = NULL;
	event->field_count = 0;
	assert_int_equal(trapline_session_add(session, event, &err), 0);
	assert_ptr_equal(trapline_session_event(session, 0), event);
	trapline_session_close(session);
}

/* The kernel finds a tracepoint by its name, and in its module. */
static void test_names(void **state)
{
	struct trapline_session *session = open_session();
	struct trapline_event *entry = new_event("e");
	struct trapline_event *first = new_event("t");
	struct trapline_event *second = new_event("m");

	(void)state;
	entry->address = 0x1234;
	assert_int_equal(trapline_session_add(session, entry, &err), 0);
	assert_int_equal(module.addresses[0], 0x1234);
	assert_string_equal(module.name, "none");
	first->backend = TL_BACKEND_TRACEPOINT;
	first->symbol = strdup("sched_switch");
	second->backend = TL_BACKEND_TRACEPOINT;
	second->symbol = strdup("ext4_begin");
	second->module = strdup("ext4");
	assert_int_equal(trapline_session_add(session, first, &err), 0);
	assert_int_equal(module.addresses[1], 0);
	assert_string_equal(module.name, "sched_switch");
	assert_int_equal(trapline_session_add(session, second, &err), 0);
	assert_string_equal(module.name, "ext4:ext4_begin");
	trapline_session_close(session);
}

static void test_enable(void **state)
{
	struct trapline_session *session = open_session();
	struct trapline_event *first = new_event("first");
	struct trapline_event *second = new_event("second");
	struct trapline_event *third = new_event("third");

	(void)state;
	assert_int_equal(trapline_session_enable(session, &err), 0);
	assert_int_equal(trapline_session_add(session, first, &err), 0);
	assert_int_equal(trapline_session_enable(session, &err), 0);
	assert_int_equal(trapline_session_add(session, second, &err), 0);
	assert_int_equal(trapline_session_add(session, third, &err), 0);
	/* of those two, as the first one is armed; it is not for the place's sake */
	refuses(TL_EVENT_CTL, ENOMEM, TL_ERR_MEMORY, 1);
	assert_int_equal(trapline_session_enable(session, &err), -ENOMEM);
	assert_ptr_equal(trapline_session_failed(session), third);
	assert_non_null(strstr(err.text, "kprobes/third"));
	assert_false(trapline_error_is_place(&err));
	assert_false(trapline_session_refused(session, third, &err));
	/* an index that there is not */
	refuses(TL_EVENT_CTL, EINVAL, TL_ERR_ARM_FAILED, 2);
	assert_int_equal(trapline_session_enable(session, &err), -EINVAL);
	assert_null(trapline_session_failed(session));
	trapline_session_close(session);
}

/* Which events the kernel's switch of all kprobes disarms. */
static void test_uses_kprobes(void **state)
{
	struct trapline_session *session = open_session();
	struct trapline_event *event = new_event("t");

	(void)state;
	session->query.backends = 1u << TL_BACKEND_FUNCTION;
	assert_false(trapline_session_uses_kprobes(session));
	event->backend = TL_BACKEND_TRACEPOINT;
	event->symbol = strdup("sched_switch");
	assert_int_equal(trapline_session_add(session, event, &err), 0);
	event = new_event("entry");
	event->symbol = strdup("f");
	assert_int_equal(trapline_session_add(session, event, &err), 0);
	assert_false(trapline_session_uses_kprobes(session));
	event = new_event("inside");
	event->symbol = strdup("f");
	event->offset = 4;
	assert_int_equal(trapline_session_add(session, event, &err), 0);
	assert_true(trapline_session_uses_kprobes(session));
	/* not one that the kernel does not have */
	module.refuses = 1 << event->id;
	assert_int_equal(trapline_session_enable(session, &err), 0);
	assert_false(trapline_session_uses_kprobes(session));
	event = new_event("return");
	event->backend = TL_BACKEND_KRETPROBE;
	assert_int_equal(trapline_session_add(session, event, &err), 0);
	assert_true(trapline_session_uses_kprobes(session));
	trapline_session_close(session);
	session = open_session();
	session->query.backends = 1u << TL_BACKEND_FUNCTION;
	session->kprobes = true;
	event = new_event("entry");
	event->symbol = strdup("f");
	assert_int_equal(trapline_session_add(session, event, &err), 0);
	assert_true(trapline_session_uses_kprobes(session));
	trapline_session_close(session);
}

static void test_control(void **state)
{
	struct trapline_session *session = open_session();
	struct trapline_stats stats = { .size = sizeof(stats) };
	uint64_t time_ns = 0;
	int fd = 77;

	(void)state;
	assert_int_equal(session_flush(session, &time_ns, &err), 0);
	assert_int_not_equal(time_ns, 0);
	refuses(TL_SESSION_CTL, EBUSY, TL_ERR_STATE, 0);
	assert_int_equal(trapline_session_start(session, &err), -EBUSY);
	assert_false(session->started);
	assert_int_equal(trapline_session_stop(session, &err), -EBUSY);
	assert_false(session->stopped);
	assert_int_equal(session_snapshot(session, &err), -EBUSY);
	assert_int_equal(session_resume(session, &err), -EBUSY);
	refuses(TL_STATS, EINVAL, TL_ERR_EVENT_ID, 0);
	assert_int_equal(trapline_session_stats(session, NULL, &stats, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "no event has this number"));
	refuses(TL_RING_OPEN, EBUSY, TL_ERR_RING_BUSY, 0);
	assert_int_equal(session_ring_open(session, 0, &fd, &err), -EBUSY);
	assert_non_null(strstr(err.hint, "another reader"));
	memset(&err, 0, sizeof(err));
	refuses(TL_RING_OPEN, ENXIO, TL_ERR_CPU, 0);
	assert_int_equal(session_ring_open(session, 0, &fd, &err), -ENXIO);
	assert_int_equal(err.code, 0);
	assert_int_equal(fd, 77);
	trapline_session_close(session);
}

/* Structs of callers that are older, or that did not set their size. */
static void test_sizes(void **state)
{
	struct trapline_session *session = open_session();
	struct trapline_info info = { .size = sizeof(info) };
	struct trapline_stats stats = { .size = sizeof(stats) };

	(void)state;
	assert_int_equal(trapline_session_info(session, &info), 0);
	assert_int_equal(info.format, TL_FORMAT);
	assert_int_equal(info.ring_bytes_max, 256 << 20);
	info.size = offsetof(struct trapline_info, format);
	info.abi_major = 0;
	info.format = 99;
	assert_int_equal(trapline_session_info(session, &info), 0);
	assert_int_equal(info.abi_major, TL_ABI_MAJOR);
	assert_int_equal(info.format, 99);
	info.size = 4;
	assert_int_equal(trapline_session_info(session, &info), -EINVAL);
	stats.size = 0;
	assert_int_equal(trapline_session_stats(session, NULL, &stats, &err),
			 -EINVAL);
	assert_true(trapline_session_fd(session) >= 0);
	trapline_session_close(session);
}

/* A ring whose file is too short for what it says of itself, or says nonsense. */
static void test_ring_map(void **state)
{
	struct trapline_session *session = open_session();
	struct trapline_sink sink = { .size = sizeof(sink) };
	struct trapline_reader *reader;
	struct tl_meta meta = { .size = sizeof(meta), .format = TL_FORMAT };
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	assert_int_equal(trapline_reader_open(&reader, &err), 0);
	assert_int_equal(trapline_reader_add(reader, session, &sink, &err),
			 -EINVAL);
	assert_string_equal(trapline_error_name(err.code), "not-set-up");
	sink.size = 0;
	assert_int_equal(trapline_reader_add(reader, session, &sink, &err),
			 -EINVAL);
	sink.size = sizeof(sink);
	assert_int_equal(trapline_session_setup(session, NULL, &err), 0);
	assert_int_equal(trapline_reader_add(reader, session, &sink, &err),
			 -EBADF);
	assert_non_null(strstr(err.text, "mapping a ring"));
	module.map = fileno(file);
	assert_int_equal(ftruncate(module.map, 65536), 0);
	assert_int_equal(trapline_reader_add(reader, session, &sink, &err),
			 -EPROTO);
	meta.map_bytes = 65536;
	meta.format++;
	assert_int_equal(pwrite(module.map, &meta, sizeof(meta), 0),
			 sizeof(meta));
	assert_int_equal(trapline_reader_add(reader, session, &sink, &err),
			 -EPROTO);
	meta.format--;
	meta.map_bytes = SIZE_MAX / 2 - 65535;
	assert_int_equal(pwrite(module.map, &meta, sizeof(meta), 0),
			 sizeof(meta));
	assert_int_equal(trapline_reader_add(reader, session, &sink, &err),
			 -ENOMEM);
	/* a plain file can be mapped, but not waited for */
	meta.map_bytes = 65536;
	assert_int_equal(pwrite(module.map, &meta, sizeof(meta), 0),
			 sizeof(meta));
	assert_int_equal(trapline_reader_add(reader, session, &sink, &err),
			 -EPERM);
	assert_int_equal(err.os_errno, EPERM);
	/* a CPU that is not possible has no ring, and that is no error */
	refuses(TL_RING_OPEN, ENXIO, TL_ERR_CPU, 0);
	assert_int_equal(trapline_reader_add(reader, session, &sink, &err), 0);
	assert_null(reader->rings);
	trapline_reader_close(reader);
	trapline_session_close(session);
	fclose(file);
}

/* ---- other sizes of pages --------------------------------------------- */

/**
 * struct memory - what the library asks of memory, see the Makefile: --wrap
 * @page: what sysconf() says; 0: the truth
 * @mapped: the lengths of mappings
 * @unmapped: the lengths of what goes
 * @maps: how many of them
 * @unmaps: how many of these
 */
static struct memory {
	long page;
	size_t mapped[4];
	size_t unmapped[4];
	unsigned int maps;
	unsigned int unmaps;
} memory;

long __real_sysconf(int name);
long __wrap_sysconf(int name);
void *__real_mmap(void *at, size_t length, int prot, int flags, int fd,
		  off_t offset);
void *__wrap_mmap(void *at, size_t length, int prot, int flags, int fd,
		  off_t offset);
int __real_munmap(void *at, size_t length);
int __wrap_munmap(void *at, size_t length);

long __wrap_sysconf(int name)
{
	return name == _SC_PAGESIZE && memory.page ? memory.page :
						     __real_sysconf(name);
}

void *__wrap_mmap(void *at, size_t length, int prot, int flags, int fd,
		  off_t offset)
{
	if (memory.maps < 4)
		memory.mapped[memory.maps++] = length;
	return __real_mmap(at, length, prot, flags, fd, offset);
}

int __wrap_munmap(void *at, size_t length)
{
	if (memory.unmaps < 4)
		memory.unmapped[memory.unmaps++] = length;
	return __real_munmap(at, length);
}

/* A ring that says it has so many bytes, in pages of that size. */
static int map_ring(uint64_t map_bytes, long page)
{
	struct trapline_session *session = open_session();
	const struct trapline_sink sink = { .size = sizeof(sink) };
	const struct tl_meta meta = {
		.size = sizeof(meta),
		.format = TL_FORMAT,
		.map_bytes = map_bytes,
	};
	struct trapline_reader *reader;
	FILE *file = tmpfile();
	int rc;

	assert_non_null(file);
	module.map = fileno(file);
	assert_int_equal(ftruncate(module.map, (off_t)map_bytes + page), 0);
	assert_int_equal(pwrite(module.map, &meta, sizeof(meta), 0),
			 sizeof(meta));
	assert_int_equal(trapline_session_setup(session, NULL, &err), 0);
	assert_int_equal(trapline_reader_open(&reader, &err), 0);
	memory = (struct memory){ .page = page };
	rc = trapline_reader_add(reader, session, &sink, &err);
	memory.page = 0;
	trapline_reader_close(reader);
	trapline_session_close(session);
	fclose(file);
	return rc;
}

/* One page is looked at, then as much is mapped as it says, no more, no less. */
static void test_pages(void **state)
{
	static const long pages[] = { 4096, 16384, 65536 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		const size_t page = (size_t)pages[i];

		/* the meta page and two packets; a plain file, see above */
		assert_int_equal(map_ring(3 * page, pages[i]), -EPERM);
		assert_int_equal(memory.maps, 2);
		assert_int_equal(memory.mapped[0], page);
		assert_int_equal(memory.mapped[1], 3 * page);
		assert_int_equal(memory.unmaps, 2);
		assert_int_equal(memory.unmapped[0], page);
		assert_int_equal(memory.unmapped[1], 3 * page);
		/* less than its meta page is nothing that the module has made */
		assert_int_equal(map_ring(page - 1, pages[i]), -EPROTO);
		assert_int_equal(memory.maps, 1);
		assert_int_equal(memory.unmapped[0], page);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_open, session_world_reset),
		cmocka_unit_test_setup(test_setup, session_world_reset),
		cmocka_unit_test_setup(test_add, session_world_reset),
		cmocka_unit_test_setup(test_names, session_world_reset),
		cmocka_unit_test_setup(test_enable, session_world_reset),
		cmocka_unit_test_setup(test_uses_kprobes, session_world_reset),
		cmocka_unit_test_setup(test_control, session_world_reset),
		cmocka_unit_test_setup(test_sizes, session_world_reset),
		cmocka_unit_test_setup(test_ring_map, session_world_reset),
		cmocka_unit_test_setup(test_pages, session_world_reset),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
