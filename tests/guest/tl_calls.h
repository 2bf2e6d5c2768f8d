/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls whose number and arguments are known, made by calls.ko, and the records
 * of them: see target/calls.h.
 */
#ifndef TESTS_GUEST_TL_CALLS_H
#define TESTS_GUEST_TL_CALLS_H

#include "target/calls.h"
#include "tl.h"

/* Number and stamp, 16 bytes: stored right into the ring. */
extern const struct tl_insn prog_calls[3];
/* The same and a word of the stack, 24 bytes: made in scratch memory first. */
extern const struct tl_insn prog_calls_long[5];

/** calls_open() - load calls.ko; a descriptor of its device */
int calls_open(void);
/** calls_close() - and unload it */
void calls_close(int fd);
/** calls_address() - of a place, CALLS_ENTRY, ... */
uint64_t calls_address(int fd, uint32_t place);
/** calls_make() - @count calls, numbered from @first on */
void calls_make(int fd, uint64_t first, uint64_t count, uint32_t place);

/**
 * struct calls_stream - numbers that were read of one caller on one CPU
 * @first: number of the first record
 * @last: number of the last one; 0: none so far
 * @count: records
 * @missing: numbers left out where packets had been overwritten
 * @holes: places where numbers are missing though no packet is
 * @broken: records that are not whole, or out of order
 * @skipped: of the rings, at the last record
 */
struct calls_stream {
	uint64_t first;
	uint64_t last;
	uint64_t count;
	uint64_t missing;
	uint64_t holes;
	uint64_t broken;
	uint64_t skipped;
};

/** calls_stream_add() - one more record, of a caller that counts up by one */
void calls_stream_add(struct calls_stream *stream, const struct record *record,
		      const struct rings *rings, uint32_t caller);

/**
 * struct calls_writer - a thread that calls all the time on one CPU
 * @thread: the thread
 * @fd: of the device
 * @cpu: where it runs
 * @place: what it calls
 * @batch: calls of one go
 * @begun: number of the last call that may have been made
 * @done: number of the last call that was certainly made
 * @stop: to be set when it shall end
 */
struct calls_writer {
	unsigned long thread;
	int fd;
	uint32_t cpu;
	uint32_t place;
	uint32_t batch;
	uint64_t begun;
	uint64_t done;
	bool stop;
};

void calls_writer_start(struct calls_writer *writer);
/** calls_writer_wait() - until @done is so much; ends the test if it hangs */
void calls_writer_wait(const struct calls_writer *writer, uint64_t number);
void calls_writer_end(struct calls_writer *writer);
uint64_t calls_writer_done(const struct calls_writer *writer);
uint64_t calls_writer_begun(const struct calls_writer *writer);

#endif
