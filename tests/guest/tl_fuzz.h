/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random sequences of commands, and a model of the interface that says what
 * each must answer. All that is random comes from one seed: the n-th operation
 * of a thread from the seed, the thread's number and n.
 */
#ifndef TESTS_GUEST_TL_FUZZ_H
#define TESTS_GUEST_TL_FUZZ_H

#include <pthread.h>

#include "tl.h"

#define FZ_SESSIONS	6
#define FZ_RINGS	10
#define FZ_MAPS		4
#define FZ_EVENTS	24 /* that the model follows; a session may have more */
#define FZ_IDS		8
#define FZ_INSNS	TL_PROG_INSNS_MAX
#define FZ_WRONG_MAX	5 /* descriptions of what is wrong, then only counted */

/** enum fz_op - what is counted apart */
enum fz_op {
	FZ_OPEN,
	FZ_QUERY,
	FZ_SETUP,
	FZ_ADD_ENTRY,
	FZ_ADD_RETURN,
	FZ_ADD_TRACEPOINT,
	FZ_ENABLE,
	FZ_DISABLE,
	FZ_REMOVE,
	FZ_START,
	FZ_STOP,
	FZ_FLUSH,
	FZ_SNAPSHOT,
	FZ_RESUME,
	FZ_RING_OPEN,
	FZ_GET,
	FZ_STATS_SESSION,
	FZ_STATS_EVENT,
	FZ_MMAP,
	FZ_READ,
	FZ_POLL,
	FZ_OTHER,
	FZ_OPS,
};

/** enum fz_state - of a session, as the model knows it */
enum fz_state { FZ_CLOSED, FZ_NEW, FZ_READY, FZ_RUNNING, FZ_STOPPED };

/**
 * enum fz_arms - can a place be armed?
 * @FZ_ARMS_WAITS: its event is enabled, and waits for a module that never comes
 * @FZ_ARMS_UNKNOWN: any of these
 */
enum fz_arms {
	FZ_ARMS_NEVER,
	FZ_ARMS_MAYBE,
	FZ_ARMS_ALWAYS,
	FZ_ARMS_WAITS,
	FZ_ARMS_UNKNOWN,
};

/**
 * struct fz_place - an address to be probed, or a tracepoint
 * @address: it
 * @name: of the tracepoint; NULL: it is an address
 * @is_code: adding an event there succeeds
 * @arms: arming it succeeds
 */
struct fz_place {
	uint64_t address;
	const char *name;
	bool is_code;
	enum fz_arms arms;
};

struct fz_event {
	bool is_live;
	bool is_armed;
	enum fz_arms arms;
};

/**
 * struct fz_session - a session
 * @dev: its file, or -1
 * @state: where it is in its life
 * @is_held: a snapshot is on
 * @next_id: number of the next event
 * @ring_bytes: length of a mapping
 * @event: the first ones
 */
struct fz_session {
	int dev;
	enum fz_state state;
	bool is_held;
	uint32_t next_id;
	size_t ring_bytes;
	struct fz_event event[FZ_EVENTS];
};

/**
 * struct fz_ring - a ring that has a file, or a mapping
 * @fd: the file, or -1
 * @session: whose; NULL when that is closed
 * @cpu: which
 * @bytes: length of a mapping
 * @maps: mappings of it
 */
struct fz_ring {
	int fd;
	struct fz_session *session;
	uint32_t cpu;
	size_t bytes;
	unsigned int maps;
};

struct fz_map {
	unsigned char *at;
	size_t bytes;
	struct fz_ring *ring;
	bool is_readable;
};

/**
 * struct fuzz - what the threads of a run share
 * @seed: of the run
 * @is_exact: one thread: each answer must be the model's
 * @is_quick: few of those that wait for all CPUs, so that there are more of all
 * @cpu_count: of the module
 * @places: to be probed
 * @place_count: of them
 * @sessions: some open, some not
 * @rings: some open, some not
 */
struct fuzz {
	uint64_t seed;
	bool is_exact;
	bool is_quick;
	uint32_t cpu_count;
	const struct fz_place *places;
	size_t place_count;
	struct fz_session sessions[FZ_SESSIONS];
	struct fz_ring rings[FZ_RINGS];
};

/**
 * struct fz_thread - a thread of a run
 * @fuzz: the run
 * @thread: for pthread_join()
 * @number: of this thread
 * @step: operations begun
 * @random: state of the generator
 * @arena: memory for arguments, see tl_fuzz.c
 * @maps: this thread's mappings
 * @answers: how often each operation was refused [0], accepted [1]
 * @reasons: bits: reasons that were given
 * @wrong: answers that must not be
 * @digest: of all arguments and answers
 * @stop: to be set when it shall end
 */
struct fz_thread {
	struct fuzz *fuzz;
	pthread_t thread;
	uint64_t number;
	uint64_t step;
	uint64_t random;
	unsigned char *arena;
	struct fz_map maps[FZ_MAPS];
	uint64_t answers[FZ_OPS][2];
	uint64_t reasons;
	uint64_t wrong;
	uint64_t digest;
	bool stop;
};

/** union fz_arg - the struct of any command */
union fz_arg {
	struct {
		uint32_t size;
		uint32_t flags;
	};
	struct tl_query query;
	struct tl_session_setup setup;
	struct tl_event_add add;
	struct tl_event_ctl event_ctl;
	struct tl_session_ctl session_ctl;
	struct tl_ring_open ring_open;
	struct tl_ring_get get;
	struct tl_stats stats;
	unsigned char bytes[128];
	uint64_t words[16];
};

/** enum fz_memory - is what a pointer leads to good? */
enum fz_memory { FZ_GOOD, FZ_BAD, FZ_WILD };

/**
 * struct fz_expect - what a command must answer
 * @is_known: exactly this; else anything that is documented
 * @err: 0 or a negative errno
 * @any_code: the reason may be any that goes with it
 * @code: the reason
 */
struct fz_expect {
	bool is_known;
	int err;
	bool any_code;
	uint32_t code;
};

/**
 * struct fz_call - one command
 * @session: whose, or NULL
 * @ring: for TL_RING_GET
 * @fd: on which file
 * @number: of the ioctl
 * @bytes: of its struct
 * @op: how it is counted
 * @arg: the struct, before and after
 * @place: what add.places leads to
 * @where: the place, if it is one of the list
 * @id_list: what event_ctl.ids leads to
 * @results: what event_ctl.results leads to, before the call
 * @places_memory: of add.places
 * @insns_memory: of add.insns
 * @ids_memory: of event_ctl.ids
 * @results_memory: of event_ctl.results
 * @program_is_good: the program must be accepted
 */
struct fz_call {
	struct fz_session *session;
	struct fz_ring *ring;
	int fd;
	unsigned long number;
	uint32_t bytes;
	enum fz_op op;
	union fz_arg arg;
	struct tl_event_place place;
	const struct fz_place *where;
	uint32_t id_list[FZ_IDS];
	struct tl_error results[FZ_IDS];
	enum fz_memory places_memory;
	enum fz_memory insns_memory;
	enum fz_memory ids_memory;
	enum fz_memory results_memory;
	bool program_is_good;
};

/* ---- tl_fuzz.c: chance, memory, one call ------------------------------ */

/** fz_next() - 64 random bits */
uint64_t fz_next(struct fz_thread *t);
/** fz_below() - a number below @limit */
uint32_t fz_below(struct fz_thread *t, uint32_t limit);
/** fz_percent() - true so often */
bool fz_percent(struct fz_thread *t, uint32_t percent);
/** fz_odd() - a number that somebody may have forgotten */
uint64_t fz_odd(struct fz_thread *t);
/** fz_list() - @bytes of @data where lists go; bad: the end is missing */
uint64_t fz_list(struct fz_thread *t, const unsigned char *data, size_t bytes,
		 unsigned int which, enum fz_memory memory);
/** fz_wrong() - an answer that must not be */
void fz_wrong(struct fz_thread *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** fz_count() - an answer, for the books and the digest */
void fz_count(struct fz_thread *t, enum fz_op op, bool accepted, uint64_t what);
/** fz_power() - this thread's effective capabilities: all it may have, or none */
void fz_power(bool is_on);
/** fz_call_run() - make the call, with something wrong around it at times */
void fz_call_run(struct fz_thread *t, struct fz_call *call);
/** fz_thread_start() - memory and the first state */
void fz_thread_start(struct fz_thread *t, struct fuzz *fuzz, uint64_t number);
/** fz_thread_end() - and back */
void fz_thread_end(struct fz_thread *t);

/* ---- tl_fuzz_model.c: what must be ------------------------------------ */

struct fz_expect fz_known(int err, uint32_t code);
/** fz_predict() - what the command must answer, all being well around it */
struct fz_expect fz_predict(const struct fuzz *fuzz, const struct fz_call *call);
/** fz_apply() - the command was carried out */
void fz_apply(struct fz_call *call);
/** fz_is_documented() - may any command answer this? */
bool fz_is_documented(unsigned long number, int err, uint32_t code);
/** fz_check_success() - what a command has told must be possible */
void fz_check_success(struct fz_thread *t, const struct fz_call *call);

/* ---- tl_fuzz_calls.c, tl_fuzz_prog.c: what is done -------------------- */

/** fz_program() - a program for an event of this backend; returns its length,
 * *good: it must be accepted
 */
uint32_t fz_program(struct fz_thread *t, struct tl_insn *insns,
		    uint32_t backend, bool *good);
/** fz_make_call() - a command of this kind */
void fz_make_call(struct fz_thread *t, unsigned long number,
		  struct fz_call *call);

/* ---- tl_fuzz_files.c: files and mappings ------------------------------ */

void fz_open(struct fz_thread *t);
void fz_close(struct fz_thread *t);
/** fz_ring_opened() - a file that TL_RING_OPEN has given */
void fz_ring_opened(struct fz_thread *t, const struct fz_call *call);
void fz_close_ring(struct fz_thread *t);
void fz_map_ring(struct fz_thread *t);
void fz_unmap(struct fz_thread *t);
void fz_read(struct fz_thread *t);
void fz_poll(struct fz_thread *t);
/** fz_strange() - what such a file is not made for */
void fz_strange(struct fz_thread *t);
/** fz_close_all() - end of a run */
void fz_close_all(struct fz_thread *t);

/** fz_step() - one operation */
void fz_step(struct fz_thread *t);

#endif
