// SPDX-License-Identifier: GPL-2.0-only
/* See tl_calls.h. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>

#include "tl_calls.h"

#define HANG_MS 30000

const struct tl_insn prog_calls[3] = {
	{ TL_OP_PUT_REG, 8, REG_DI },
	{ TL_OP_PUT_REG, 8, REG_SI },
	{ TL_OP_END, 0, 0 },
};

const struct tl_insn prog_calls_long[5] = {
	{ TL_OP_PUT_REG, 8, REG_DI },
	{ TL_OP_PUT_REG, 8, REG_SI },
	{ TL_OP_STACK, 0, 0 },
	{ TL_OP_PUT, 8, 0 },
	{ TL_OP_END, 0, 0 },
};

int calls_open(void)
{
	int err = module_insert("calls.ko", ""), fd;

	if (err && err != -EEXIST)
		die("loading calls.ko");
	fd = open("/dev/calls", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		die("/dev/calls");
	return fd;
}

void calls_close(int fd)
{
	close(fd);
	if (module_remove("calls"))
		die("unloading calls.ko");
}

uint64_t calls_address(int fd, uint32_t place)
{
	struct calls_places places;

	if (ioctl(fd, CALLS_PLACES_GET, &places))
		die("the places of calls.ko");
	return places.address[place];
}

void calls_make(int fd, uint64_t first, uint64_t count, uint32_t place)
{
	struct calls_make make = {
		.first = first,
		.count = count,
		.place = place,
	};

	if (ioctl(fd, CALLS_MAKE, &make))
		die("making calls");
}

void calls_stream_add(struct calls_stream *stream, const struct record *record,
		      const struct rings *rings, uint32_t caller)
{
	uint64_t skipped = rings->skipped[record->cpu];
	uint64_t number, stamp;

	memcpy(&number, record->payload, sizeof(number));
	memcpy(&stamp, record->payload + 8, sizeof(stamp));
	if (stamp != calls_stamp(number, caller) || number <= stream->last) {
		if (!stream->broken++)
			tap_note("CPU %u: number %llu, stamp %llx after %llu",
				 record->cpu, (unsigned long long)number,
				 (unsigned long long)stamp,
				 (unsigned long long)stream->last);
		return;
	}
	if (!stream->count)
		stream->first = number;
	else if (number != stream->last + 1 && skipped == stream->skipped)
		stream->holes++;
	else
		stream->missing += number - stream->last - 1;
	stream->count++;
	stream->last = number;
	stream->skipped = skipped;
}

static void *calls_writer_run(void *data)
{
	struct calls_writer *writer = data;
	uint64_t number = 0;

	pin(writer->cpu);
	while (!__atomic_load_n(&writer->stop, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&writer->begun, number + writer->batch,
				 __ATOMIC_SEQ_CST);
		calls_make(writer->fd, number + 1, writer->batch, writer->place);
		number += writer->batch;
		__atomic_store_n(&writer->done, number, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

void calls_writer_start(struct calls_writer *writer)
{
	writer->begun = 0;
	writer->done = 0;
	writer->stop = false;
	if (pthread_create(&writer->thread, NULL, calls_writer_run, writer))
		die("pthread_create");
}

void calls_writer_wait(const struct calls_writer *writer, uint64_t number)
{
	uint64_t end = now_ms() + HANG_MS;

	while (calls_writer_done(writer) < number) {
		if (now_ms() > end)
			die("the calls on CPU %u do not go on", writer->cpu);
		sleep_ms(2);
	}
}

void calls_writer_end(struct calls_writer *writer)
{
	__atomic_store_n(&writer->stop, true, __ATOMIC_RELEASE);
	pthread_join(writer->thread, NULL);
}

uint64_t calls_writer_done(const struct calls_writer *writer)
{
	return __atomic_load_n(&writer->done, __ATOMIC_SEQ_CST);
}

uint64_t calls_writer_begun(const struct calls_writer *writer)
{
	return __atomic_load_n(&writer->begun, __ATOMIC_SEQ_CST);
}
