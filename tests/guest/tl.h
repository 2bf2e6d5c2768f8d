/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the guest's test programs share: TAP, the device's ioctls and the
 * records of a packet. All of it is written against uapi/ alone, so that an
 * error of the library cannot hide one of the module.
 */
#ifndef TESTS_GUEST_TL_H
#define TESTS_GUEST_TL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/user.h>
#include <unistd.h>

#include "trapline.h"
#include "trapline_packet.h"
#include "trapline_prog.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* ---- TAP -------------------------------------------------------------- */

/** tap_case() - the checks from here on are one result, with this name */
void tap_case(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** tap_done() - ends the last case and prints the plan; for main() to return */
int tap_done(void);
/** tap_note() - a diagnostic */
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* How much longer than planned a test may wait for what the machine is too slow for. */
#define PATIENCE_MS 60000

/** is_long() - is this a run for which time does not matter? */
bool is_long(void);
/** kernel_checks_all() - is it one that looks at each access, and at all memory? */
bool kernel_checks_all(void);
/** scaled() - so many times, or ten times as many in a long run */
unsigned int scaled(unsigned int count);
/** die() - the test cannot go on: not a failed check but a broken run */
void die(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

/**
 * has_more_rounds() - is there to be another round?
 * @done: rounds so far
 * @count: how many there are in a short run; in a long one 1000, or as many as
 *	there is time for, but ten times @count at least
 * @begin_ms: when the first one began
 */
bool has_more_rounds(unsigned int done, unsigned int count, uint64_t begin_ms);

bool tap_check(bool good, const char *file, int line, const char *text);
bool tap_check_equal(long long got, long long want, const char *file, int line,
		     const char *text);

#define CHECK(condition) \
	tap_check((condition), __FILE__, __LINE__, #condition)
#define CHECK_EQ(got, want)                                            \
	tap_check_equal((long long)(got), (long long)(want), __FILE__, \
			__LINE__, #got)

/* ---- the kernel ------------------------------------------------------- */

/** symbol() - address of a function or variable; ends the test without one */
uint64_t symbol(const char *name);
/** kprobes_count() - lines of the kernel's own list of registered probes */
unsigned int kprobes_count(void);
/** kprobes_wait_none() - none left within @ms milliseconds? */
bool kprobes_wait_none(unsigned int ms);
/** module_unload() - 0 or a negative errno, without waiting */
int module_unload(void);
/** module_load() - load it again; ends the test if that fails */
void module_load(void);
/** module_path() - the module's file */
const char *module_path(void);
/** module_insert() - load this file with these parameters; 0 or an errno */
int module_insert(const char *path, const char *parameters);
/** module_remove() - as module_unload(), of any module */
int module_remove(const char *name);
/** sleep_ms() - without nanosleep(), which tests probe */
void sleep_ms(unsigned int ms);
uint64_t now_ms(void);
/** call_getppid() - the system call that most tests probe, so many times */
void call_getppid(unsigned int count);
/** pin() - run on this CPU only */
void pin(unsigned int cpu);

/* ---- the device ------------------------------------------------------- */

/* Offsets in the register frame, as TL_OP_REG and TL_OP_PUT_REG want them. */
#define REG_DI offsetof(struct user_regs_struct, rdi)
#define REG_SI offsetof(struct user_regs_struct, rsi)
#define REG_DX offsetof(struct user_regs_struct, rdx)

/* The program that records the first argument, 8 bytes. */
extern const struct tl_insn prog_di[2];
/* The program that records the first argument of a system call, 8 bytes. */
extern const struct tl_insn prog_sys[4];
/* The program that records the second one. */
extern const struct tl_insn prog_sys2[4];

/** dev_ioctl() - 0, or a negative errno */
int dev_ioctl(int fd, unsigned long number, void *arg);
/** dev_open() - a session; ends the test if that fails */
int dev_open(void);
/** dev_ready() - a session with rings */
int dev_ready(uint32_t packet_bytes, uint32_t packet_count);
/** dev_ready_overwriting() - the same in TL_MODE_OVERWRITE */
int dev_ready_overwriting(uint32_t packet_bytes, uint32_t packet_count,
			  uint32_t watermark);
void dev_setup(int fd, struct tl_session_setup *setup);
/** dev_try_add() - an event; @add has the result */
int dev_try_add(int fd, uint32_t backend, uint64_t address, uint32_t maxactive,
		const struct tl_insn *insns, uint32_t count,
		struct tl_event_add *add);
/** dev_try_add_symbol() - an event whose place is "MODULE:SYMBOL" and an offset */
int dev_try_add_symbol(int fd, uint32_t backend, const char *symbol,
		       uint64_t offset, const struct tl_insn *insns,
		       uint32_t count, struct tl_event_add *add);
/** dev_try_add_name() - an event on the tracepoint of this name */
int dev_try_add_name(int fd, const char *name, const struct tl_insn *insns,
		     uint32_t count, struct tl_event_add *add);
/** dev_add_name() - its number; ends the test if it is refused */
uint32_t dev_add_name(int fd, const char *name, const struct tl_insn *insns,
		      uint32_t count);
/** dev_add() - number of the new event; ends the test if it is refused */
uint32_t dev_add(int fd, uint32_t backend, uint64_t address,
		 const struct tl_insn *insns, uint32_t count);
/** dev_event_ctl() - 0 or a negative errno; @error may be NULL */
int dev_event_ctl(int fd, uint32_t command, const uint32_t *ids, uint32_t count,
		  struct tl_error *error);
/** dev_enable() - arm one event; ends the test if it is refused */
void dev_enable(int fd, uint32_t id);
int dev_session_ctl(int fd, uint32_t command);
void dev_start(int fd);
void dev_stop(int fd);
void dev_flush(int fd);
/** dev_stats() - of one event, over all CPUs */
struct tl_stats dev_stats(int fd, uint32_t id);
/** dev_stats_cpu() - of the session, on one CPU */
struct tl_stats dev_stats_cpu(int fd, uint32_t cpu);
/** dev_stats_sum() - of the session */
struct tl_stats dev_stats_sum(int fd);
uint64_t stats_hits(const struct tl_stats *stats);
uint64_t stats_lost(const struct tl_stats *stats);

/* ---- rings ------------------------------------------------------------ */

#define CPUS_MAX 8
#define EVENTS_MAX 2048

/**
 * struct ring - an open and mapped ring
 * @fd: its file
 * @cpu: whose
 * @map: the whole mapping
 * @bytes: its length
 */
struct ring {
	int fd;
	uint32_t cpu;
	const unsigned char *map;
	size_t bytes;
};

/**
 * struct record - one record of a packet
 * @id: number of the event
 * @tid: thread
 * @context: TL_CTX_*
 * @cpu: of the packet
 * @time_ns: when
 * @payload: its bytes
 */
struct record {
	uint32_t id;
	uint32_t tid;
	uint32_t context;
	uint32_t cpu;
	uint64_t time_ns;
	const unsigned char *payload;
};

/**
 * struct rings - all rings of a session, and what was read from them
 * @count: CPUs
 * @ring: by number
 * @payload_bytes: by event, of records that are not exceptional; filled in by
 *	the test, whose events all have a fixed length
 * @on_record: called for each record if set
 * @data: for the test
 * @overwrites: a gap in the numbers of packets is no error, but is counted
 * @records: read, by event
 * @packets: read, by CPU
 * @skipped: packets that were overwritten before those that were read, by CPU
 * @discarded: of the last header, by CPU
 * @errors: what is wrong with the stream: magic, sequence, times, lengths
 */
struct rings {
	uint32_t count;
	struct ring ring[CPUS_MAX];
	uint32_t payload_bytes[EVENTS_MAX];
	void (*on_record)(const struct record *record, struct rings *rings);
	void *data;
	bool overwrites;
	uint64_t records[EVENTS_MAX];
	uint64_t packets[CPUS_MAX];
	uint64_t skipped[CPUS_MAX];
	uint64_t discarded[CPUS_MAX];
	uint64_t last_ns[CPUS_MAX];
	unsigned int errors;
};

/** ring_try_open() - 0, or a negative errno; not mapped */
int ring_try_open(int dev, uint32_t cpu, struct tl_ring_open *open);
/** ring_open() - open and map; ends the test if that fails */
void ring_open(int dev, uint32_t cpu, struct ring *ring);
void ring_close(struct ring *ring);
/** ring_get() - TL_RING_GET; its state */
uint32_t ring_get(const struct ring *ring, struct tl_ring_get *get);

/** ring_drain() - read what there is; the state that ended it */
uint32_t ring_drain(const struct ring *ring, struct rings *rings);
/** ring_drain_closed() - the same, and waits for writers in closed packets */
uint32_t ring_drain_closed(const struct ring *ring, struct rings *rings);
/** ring_poll() - what poll() says of POLLIN within this time */
short ring_poll(const struct ring *ring, int timeout_ms);

void rings_open(int dev, struct rings *rings);
void rings_close(struct rings *rings);
/** rings_packet() - check one packet and count its records */
void rings_packet(struct rings *rings, uint32_t cpu,
		  const unsigned char *packet, size_t bytes);
/** rings_drain() - read what there is; true when all rings are at their end */
bool rings_drain(struct rings *rings);
uint64_t rings_discarded(const struct rings *rings);

#endif
