/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * trapline: the control interface, /dev/trapline.
 *
 * An open file of /dev/trapline is a session: it owns events and rings, and
 * closing it (or dying) removes every probe and frees what nobody maps any
 * more. TL_RING_OPEN gives one more file per CPU, from which packets are read.
 *
 * Every struct starts with its own size as the caller knows it. The kernel
 * takes an older, shorter one down to that of version 1.0 (missing fields are
 * zero) and a longer one whose extra bytes are zero; otherwise it answers E2BIG
 * and writes the size it knows into @size. What is called "out" is written by
 * the kernel, on failure too: a call that fails fills in &struct tl_error where
 * the struct has one, unless the struct itself could not be taken (E2BIG,
 * EFAULT, ENOTTY, EINVAL for a size below that of version 1.0). Unknown flags
 * and unknown selectors are EINVAL. docs/ABI.md has the history.
 */
#ifndef _UAPI_TRAPLINE_H
#define _UAPI_TRAPLINE_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define TL_ABI_MAJOR 1 /* changes only with the device's name */
#define TL_ABI_MINOR 1 /* grows with each addition, see docs/ABI.md */

#define TL_DEVICE_NAME "trapline"

/*
 * Reasons of a refusal: number, name, text. One list serves both sides.
 * The text completes the sentence "the kernel refuses: ...".
 */
#define TL_ERROR_LIST(X)                                                      \
	X(0, NONE, "no reason given")                                         \
	X(1, PRIVILEGE, "needs CAP_PERFMON or CAP_SYS_ADMIN")                 \
	X(2, LOCKDOWN, "kernel lockdown (confidentiality) forbids probes")    \
	X(3, SIZE, "the struct is too short, or longer than this kernel knows and not zero there") \
	X(4, FLAGS, "unknown flag")                                           \
	X(5, RESERVED, "a reserved field is not zero")                        \
	X(6, STATE, "not possible in this state of the session")              \
	X(7, PACKET_BYTES, "packet size is not a power of two in range")      \
	X(8, PACKET_COUNT, "packet count is not a power of two in range")     \
	X(9, MODE, "unknown ring mode")                                       \
	X(10, CLOCK, "unknown clock")                                         \
	X(11, MEMORY, "not enough memory")                                    \
	X(12, BACKEND, "unknown or unusable backend")                         \
	X(13, PLACES, "an event has exactly one place in this version")       \
	X(14, PLACE_ADDRESS, "the address is not in the kernel's code")       \
	X(15, PLACE_REFUSED, "the kernel does not allow a probe there (blacklisted, notrace or not code)") \
	X(16, PLACE_BOUNDARY, "the address is not the start of an instruction") \
	X(17, PLACE_NOT_ENTRY, "this probe must be at the start of a function")                              \
	X(18, MAXACTIVE, "maxactive is out of range")                         \
	X(19, PROG_LENGTH, "program is empty or too long")                    \
	X(20, PROG_OP, "unknown instruction")                                 \
	X(21, PROG_OPERAND, "operand is out of range")                        \
	X(22, PROG_REGISTER, "register offset is outside the register frame") \
	X(23, PROG_CONTEXT, "instruction needs a return probe")               \
	X(24, PROG_FLOW, "a value is loaded but not used, or used but not loaded") \
	X(25, PROG_END, "program does not end with its only END")             \
	X(26, PROG_BYTES, "record could become longer than the limit")        \
	X(27, PROG_ARGS, "too many arguments")                                \
	X(28, EVENT_ID, "no event has this number")                           \
	X(29, EVENT_TWICE, "an event is listed twice")                         \
	X(30, EVENTS, "the session has used up its event numbers")            \
	X(31, CPU, "no such CPU")                                             \
	X(32, RING_BUSY, "the ring of this CPU is open already")              \
	X(33, ARM_FAILED, "registering the probe failed")                     \
	X(34, COMMAND, "unknown command or selector")                         \
	X(35, WATERMARK, "the watermark is not below the packets of a ring")  \
	X(36, ID_COUNT, "the list of events is empty or longer than a session's") \
	X(37, PLACE_GONE, "the code at this address was unloaded; add the event anew") \
	X(38, MEMORY_LIMIT, "the rings would take more memory than the module allows (its parameters ring_mib_max, session_mib_max)") \
	X(40, PROG_JUMP, "a jump does not lead to a later comparison, a rejection, or the end of the filter") \
	X(41, PROG_PART, "instruction stands in the wrong part: a filter ends with its last rejection, and puts come behind it") \
	X(42, PROG_PATTERN, "pattern has no valid form")                      \
	X(43, PROG_STEPS, "patterns and strings of the filter are too long together") \
	X(44, PLACE_SYMBOL, "the symbol of a place must be MODULE:SYMBOL, with both names") \
	X(45, PLACE_MISSING, "the module has no such function or tracepoint") \
	X(46, PLACE_OFFSET, "the function ends before the offset") \
	X(54, TRACEPOINT, "the kernel has no such tracepoint")                \
	X(55, PLACE_NAME, "a tracepoint is told by its name, and by nothing else") \
	X(56, PROG_FRAME, "a tracepoint has arguments, but no registers and no stack pointer")

#define TL_ERROR_ENUM(number, name, text) TL_ERR_##name = number,
enum tl_error_code { TL_ERROR_LIST(TL_ERROR_ENUM) };
#undef TL_ERROR_ENUM

/**
 * struct tl_error - why a call failed (out, since 1.0)
 * @code: one of &enum tl_error_code
 * @kernel_errno: errno of the kernel function that refused, positive, or 0
 * @index: which element of the array (place, id) was refused
 * @insn: which instruction of the program was refused
 */
struct tl_error {
	__u32 code;
	__u32 kernel_errno;
	__u32 index;
	__u32 insn;
};

/* Backends: bits of &tl_query.backends are 1 << number (since 1.0). */
#define TL_BACKEND_KPROBE	1 /* an instruction of the kernel, before it runs */
#define TL_BACKEND_KRETPROBE	2 /* return of a function of the kernel */
#define TL_BACKEND_FUNCTION	3 /* entry of a function of the kernel (since 1.1) */
#define TL_BACKEND_TRACEPOINT	4 /* a tracepoint of the kernel or of a module (since 1.1) */

/** TL_FEATURE_OVERWRITE - %TL_MODE_OVERWRITE and snapshots (since 1.0) */
#define TL_FEATURE_OVERWRITE	1
/** TL_FEATURE_FILTER - programs may begin with a filter (since 1.1) */
#define TL_FEATURE_FILTER	2
/** TL_FEATURE_SYMBOL - %TL_PLACE_SYMBOL: places in modules that come and go (since 1.1) */
#define TL_FEATURE_SYMBOL	4
/** TL_FEATURE_RESULTS - &tl_event_ctl.results (since 1.1) */
#define TL_FEATURE_RESULTS	8

/**
 * struct tl_query - TL_QUERY: what this module can do
 * @size: of this struct
 * @flags: zero
 * @abi_major: %TL_ABI_MAJOR
 * @abi_minor: %TL_ABI_MINOR
 * @format: %TL_FORMAT of the packets
 * @arch: ELF machine number of the register frame (62 x86-64, 183 AArch64)
 * @features: TL_FEATURE_*, bits
 * @backends: bit 1 << TL_BACKEND_* for each that can be used
 * @insns_max: instructions in one program
 * @args_max: puts in one program
 * @record_bytes_max: longest record
 * @string_bytes_max: longest string
 * @events_max: events that one session can ever have, removed ones included
 * @places_max: places of one event
 * @maxactive_max: largest &tl_event_add.maxactive
 * @regs_bytes: size of the register frame
 * @packet_bytes_min: smallest packet
 * @packet_bytes_max: largest packet
 * @packet_count_min: fewest packets in a ring
 * @packet_count_max: most packets in a ring
 * @cpu_count: one more than the highest possible CPU number
 * @task_tid_offset: where struct task_struct has the thread id (a __s32)
 * @ring_bytes_max: memory that the rings of all sessions may take together
 * @session_bytes_max: memory that the rings of one session may take
 *
 * All but @size and @flags is out. Since 1.0.
 */
struct tl_query {
	__u32 size;
	__u32 flags;
	__u32 abi_major;
	__u32 abi_minor;
	__u32 format;
	__u32 arch;
	__u64 features;
	__u64 backends;
	__u32 insns_max;
	__u32 args_max;
	__u32 record_bytes_max;
	__u32 string_bytes_max;
	__u32 events_max;
	__u32 places_max;
	__u32 maxactive_max;
	__u32 regs_bytes;
	__u32 packet_bytes_min;
	__u32 packet_bytes_max;
	__u32 packet_count_min;
	__u32 packet_count_max;
	__u32 cpu_count;
	__u32 task_tid_offset;
	__u64 ring_bytes_max;
	__u64 session_bytes_max;
};

#define TL_MODE_DISCARD		0 /* a full ring drops new records, counted */
#define TL_MODE_OVERWRITE	1 /* a full ring drops its oldest packet */

#define TL_CLOCK_MONOTONIC	0 /* CLOCK_MONOTONIC, in nanoseconds */

/**
 * struct tl_session_setup - TL_SESSION_SETUP: make the rings, once a session
 * @size: of this struct
 * @flags: zero
 * @mode: TL_MODE_*
 * @clock: TL_CLOCK_*
 * @packet_bytes: size of a packet, a power of two; 0: 64 KiB
 * @packet_count: packets per CPU, a power of two; 0: 16
 * @watermark: packets that must be ready before poll() wakes the reader, fewer
 *	than @packet_count; 0: 1
 * @reserved: zero
 * @uuid: out: random identity, in each packet
 * @ring_bytes: out: length of one ring's mapping
 * @realtime_offset_ns: out: add to a record's time to get CLOCK_REALTIME
 * @error: out
 *
 * ENOMEM when the memory is not there (%TL_ERR_MEMORY) or over a limit of the
 * module (%TL_ERR_MEMORY_LIMIT); the session is then as before.
 * Since 1.0.
 */
struct tl_session_setup {
	__u32 size;
	__u32 flags;
	__u32 mode;
	__u32 clock;
	__u32 packet_bytes;
	__u32 packet_count;
	__u32 watermark;
	__u32 reserved;
	__u8 uuid[16];
	__u64 ring_bytes;
	__u64 realtime_offset_ns;
	struct tl_error error;
};

/** TL_PLACE_SYMBOL - the place is told by @symbol and @offset (since 1.1) */
#define TL_PLACE_SYMBOL		1

/* Most bytes of &tl_event_place.symbol, its NUL included. */
#define TL_SYMBOL_BYTES_MAX	640

/**
 * struct tl_event_place - where an event is
 * @size: of this struct, the same for each element of an array
 * @flags: zero or %TL_PLACE_SYMBOL
 * @address: of the instruction; the start of the function for a return. With
 *	%TL_PLACE_SYMBOL a guess that saves time, checked by the kernel, or 0.
 * @symbol: address of "MODULE:SYMBOL", ended by a NUL (since 1.1; zero without
 *	%TL_PLACE_SYMBOL). Of a tracepoint, which has neither address nor offset, of
 *	"NAME" or "MODULE:NAME".
 * @offset: of the instruction in that function (since 1.1; likewise)
 *
 * A symbol's module need not be there: the event is then pending, armed when
 * the module comes, before its init function runs, disarmed when it goes, and
 * armed again when it comes back. Of several functions of one name in a module
 * the kernel takes the first that it finds. Since 1.0.
 */
struct tl_event_place {
	__u32 size;
	__u32 flags;
	__u64 address;
	__u64 symbol;
	__u64 offset;
};

/**
 * struct tl_event_add - TL_EVENT_ADD: make an event, not yet armed
 * @size: of this struct
 * @flags: zero
 * @backend: TL_BACKEND_*; the place of a %TL_BACKEND_FUNCTION is the start of a
 *	function. What is recorded there is the same as with %TL_BACKEND_KPROBE,
 *	but for an instruction pointer that is read as a register.
 * @maxactive: calls that can be inside the function at once, for a return
 *	probe; 0: chosen by the module (eight for each CPU, at least 128)
 * @places: address of an array of &struct tl_event_place
 * @place_count: length of that array, 1 in this version
 * @insn_count: length of @insns
 * @insns: address of an array of &struct tl_insn
 * @id: out: number of the event in this session, from 0
 * @reserved: zero
 * @error: out; &tl_error.index is the place, &tl_error.insn the instruction
 * @instances: out: calls that can be inside at once, of a return probe; else 0
 *	(since 1.1)
 * @reserved2: out: zero (since 1.1)
 *
 * The kernel stores no names and no types: it would have no use for them.
 * Since 1.0.
 */
struct tl_event_add {
	__u32 size;
	__u32 flags;
	__u32 backend;
	__u32 maxactive;
	__u64 places;
	__u32 place_count;
	__u32 insn_count;
	__u64 insns;
	__u32 id;
	__u32 reserved;
	struct tl_error error;
	__u32 instances;
	__u32 reserved2;
};

#define TL_EVENT_ENABLE		1 /* arm */
#define TL_EVENT_DISABLE	2 /* disarm; counters stay */
#define TL_EVENT_REMOVE		3 /* disarm and forget; the number is not used again */

/**
 * struct tl_event_ctl - TL_EVENT_CTL: arm, disarm or remove events
 * @size: of this struct
 * @flags: zero
 * @command: TL_EVENT_ENABLE, ...
 * @id_count: length of @ids
 * @ids: address of an array of __u32 event numbers
 * @error: out; &tl_error.index is the element that failed
 * @results: address of an array of @id_count &struct tl_error, out; 0: none. Only
 *	for arming (since 1.1)
 *
 * All or nothing: if one element fails, the others are put back as they were;
 * in a running session they may have been hit meanwhile. With @results each
 * event is armed that can be, the call succeeds, and the code of an element is
 * zero if its event is armed, else says why not. Since 1.0.
 */
struct tl_event_ctl {
	__u32 size;
	__u32 flags;
	__u32 command;
	__u32 id_count;
	__u64 ids;
	struct tl_error error;
	__u64 results;
};

#define TL_SESSION_START	1 /* hits are recorded from here on */
#define TL_SESSION_STOP		2 /* disarm all, wait for handlers, close packets; final */
#define TL_SESSION_FLUSH	3 /* close the open packets, so that they can be read */
#define TL_SESSION_SNAPSHOT	4 /* flush, and keep all that until it is read */
#define TL_SESSION_RESUME	5 /* end the snapshot */

/**
 * struct tl_session_ctl - TL_SESSION_CTL: start, stop, flush, snapshot
 * @size: of this struct
 * @flags: zero
 * @command: TL_SESSION_START, ...
 * @reserved: zero
 * @time_ns: out: flush, snapshot, stop: every record older than this is in a
 *	packet that is closed. A closed packet can be read as soon as its last
 *	writer has committed. Start: nothing is older. Resume: when it ended.
 * @error: out
 *
 * A session is started once and stopped once.
 *
 * A snapshot is for a running session that overwrites: from SNAPSHOT to RESUME
 * its rings drop new records instead of old packets where they are full
 * (counted as full), and their readers come to an end, %TL_RING_SNAPSHOT, after
 * the last packet that was closed by SNAPSHOT. Writers go on meanwhile, in
 * slots that are free or become so. In a session that discards it only sets
 * the readers' end. A stop ends a snapshot, too. EBUSY (%TL_ERR_STATE) for a
 * snapshot where the session does not run or one is on, and for a resume
 * without one. Since 1.0.
 */
struct tl_session_ctl {
	__u32 size;
	__u32 flags;
	__u32 command;
	__u32 reserved;
	__u64 time_ns;
	struct tl_error error;
};

/**
 * struct tl_ring_open - TL_RING_OPEN: a file for the ring of one CPU
 * @size: of this struct
 * @flags: zero
 * @cpu: number of a possible CPU
 * @fd: out: the file; close-on-exec, for poll(), read(), mmap() and TL_RING_GET
 * @error: out
 *
 * One reader per ring: EBUSY while another file of the same ring is open.
 * ENXIO for a number that is not a possible CPU. Since 1.0.
 */
struct tl_ring_open {
	__u32 size;
	__u32 flags;
	__u32 cpu;
	__s32 fd;
	struct tl_error error;
};

#define TL_RING_EMPTY	0 /* nothing to read now */
#define TL_RING_PACKET	1 /* @offset has a packet */
#define TL_RING_CLOSING	2 /* nothing to read now, but a closed packet awaits its last writer */
#define TL_RING_END	3 /* stopped, and everything was read */
#define TL_RING_SNAPSHOT 4 /* all of the snapshot was read */

/**
 * struct tl_ring_get - TL_RING_GET on a ring's file: take the next packet
 * @size: of this struct
 * @flags: zero
 * @state: out: TL_RING_EMPTY, ...
 * @content_bytes: out: bytes in use, header included
 * @packet_bytes: out: bytes to store in a file
 * @reserved: out: zero
 * @offset: out: where the packet is in the mapping
 * @sequence: out: number of the packet
 * @skipped: out: packets that were overwritten since the last GET
 *
 * The packet is the reader's until the next GET or read(). Where records were
 * lost after the last packet was closed, one without records comes at the end
 * and tells of them. Since 1.0.
 */
struct tl_ring_get {
	__u32 size;
	__u32 flags;
	__u32 state;
	__u32 content_bytes;
	__u32 packet_bytes;
	__u32 reserved;
	__u64 offset;
	__u64 sequence;
	__u64 skipped;
};

#define TL_STATS_SESSION	1 /* sum over the events; with TL_CPU_ALL removed ones too */
#define TL_STATS_EVENT		2 /* one event */

#define TL_CPU_ALL	0xffffffffu

#define TL_EVENT_OFF	0 /* made, not armed */
#define TL_EVENT_ARMED	1 /* armed */
#define TL_EVENT_GONE	2 /* its module was unloaded while it was armed; comes back with it if
			   * its place is a symbol
			   */
#define TL_EVENT_PENDING 3 /* its module has not come yet (since 1.1) */
#define TL_EVENT_REFUSED 4 /* its module came, and the place was refused (since 1.1) */

/**
 * struct tl_stats - TL_STATS: the counters
 * @size: of this struct
 * @flags: zero
 * @selector: TL_STATS_SESSION or TL_STATS_EVENT
 * @id: event number; zero for the session
 * @cpu: one CPU's counters, or %TL_CPU_ALL
 * @state: out: TL_EVENT_OFF, ...; zero for the session
 * @hits: out: the sum of @recorded to @not_running
 * @recorded: out: hits that became records
 * @filtered: out: hits that a filter rejected
 * @full: out: hits lost because the ring was full
 * @wrapped: out: hits lost because nested writers went round the ring
 * @too_big: out: hits lost because the record does not fit into a packet
 * @recursion: out: hits from inside trapline's own handler
 * @not_running: out: hits before start or after stop
 * @faults: out: records with at least one faulted argument (a mark, not a loss)
 * @truncated: out: records with at least one string cut or incomplete
 * @nmissed: out: the kernel's own inexact count of hits that never reached
 *	trapline (nested probes, no free return instance), of all CPUs and, for
 *	an event, of all events on its place; not part of the sum
 * @error: out
 * @entries: out: of a return event: calls that were seen to begin while it
 *	was enabled, on all CPUs; zero otherwise. Those that are neither in @hits
 *	nor inside the function now returned when it was not. (since 1.1)
 * @address: out: of an event: where it is armed or was last, or what
 *	&tl_event_place.address guessed; 0: not known yet (since 1.1)
 * @symbol_bytes: out: of an event whose place is a symbol: size of that
 *	function; 0: not known (since 1.1)
 *
 * Each hit raises exactly one of @recorded to @not_running. Exact once the
 * event is disarmed. For an event in %TL_EVENT_REFUSED, @error says why.
 * Since 1.0.
 */
struct tl_stats {
	__u32 size;
	__u32 flags;
	__u32 selector;
	__u32 id;
	__u32 cpu;
	__u32 state;
	__u64 hits;
	__u64 recorded;
	__u64 filtered;
	__u64 full;
	__u64 wrapped;
	__u64 too_big;
	__u64 recursion;
	__u64 not_running;
	__u64 faults;
	__u64 truncated;
	__u64 nmissed;
	struct tl_error error;
	__u64 entries;
	__u64 address;
	__u64 symbol_bytes;
};

/*
 * The size encoded in a number is that of version 1.0 for the reader's sake
 * (strace); the kernel looks at the number alone.
 */
#define TL_IOC_MAGIC 0xF5

#define TL_QUERY	 _IOWR(TL_IOC_MAGIC, 0, struct tl_query)
#define TL_SESSION_SETUP _IOWR(TL_IOC_MAGIC, 1, struct tl_session_setup)
#define TL_EVENT_ADD	 _IOWR(TL_IOC_MAGIC, 2, struct tl_event_add)
#define TL_EVENT_CTL	 _IOWR(TL_IOC_MAGIC, 3, struct tl_event_ctl)
#define TL_SESSION_CTL	 _IOWR(TL_IOC_MAGIC, 4, struct tl_session_ctl)
#define TL_RING_OPEN	 _IOWR(TL_IOC_MAGIC, 5, struct tl_ring_open)
#define TL_RING_GET	 _IOWR(TL_IOC_MAGIC, 6, struct tl_ring_get)
#define TL_STATS	 _IOWR(TL_IOC_MAGIC, 7, struct tl_stats)

#endif
