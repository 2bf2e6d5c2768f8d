/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libtrapline: errors, the kernel's symbols, and events from lines of text.
 * Included by trapline.h, which says how a program uses them.
 */
#ifndef TRAPLINE_EVENT_API_H
#define TRAPLINE_EVENT_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct trapline_symbols;
struct trapline_event;

/**
 * struct trapline_error - what went wrong, where, and what to do
 * @code: number of the reason, stable; see trapline_error_name()
 * @column: 0-based column of the first wrong character of the line, or -1
 * @length: how many characters are wrong, at least 1 where @column is not -1
 * @os_errno: errno of the call that failed, or 0
 * @text: the reason, one line without a newline
 * @hint: a proposal, one line, or empty
 */
struct trapline_error {
	int code;
	int column;
	int length;
	int os_errno;
	char text[512];
	char hint[512];
};

/** trapline_error_name() - short stable name of a reason, as "symbol-unknown" */
const char *trapline_error_name(int code);

/**
 * trapline_error_is_place() - does the kernel want no probe at the place?
 *
 * The line is right then, and the place is one that no probe can have, as far as
 * this kernel says or is known to say: other events can do without this one.
 */
bool trapline_error_is_place(const struct trapline_error *err);

/** trapline_version() - version of the library, as "1.0.0" */
const char *trapline_version(void);

/* ---- symbols ---------------------------------------------------------- */

/**
 * trapline_symbols_load() - read the running kernel's symbols
 * @path: NULL for /proc/kallsyms; a file of that form for tests
 * @out: the table, to be freed with trapline_symbols_free()
 * @err: filled on failure: no file, or all addresses hidden (kptr_restrict)
 */
int trapline_symbols_load(const char *path, struct trapline_symbols **out,
			  struct trapline_error *err);
void trapline_symbols_free(struct trapline_symbols *symbols);

/* ---- events ----------------------------------------------------------- */

/**
 * trapline_event_parse() - turn a probe definition into an event
 * @line: a line in the language of kprobe_events
 * @symbols: the kernel's symbols
 * @out: the event, to be freed with trapline_event_free() unless a session
 *	has taken it; NULL for a line that is empty or only a comment
 * @err: filled on failure, with column and hint
 *
 * Nothing is asked of the kernel but what @symbols has: a dry run. Whether an
 * instruction begins at an offset is read from /proc/kcore as far as that can be;
 * of several places those that are inside of instructions are marked as refused.
 */
int trapline_event_parse(const char *line,
			 const struct trapline_symbols *symbols,
			 struct trapline_event **out,
			 struct trapline_error *err);
void trapline_event_free(struct trapline_event *event);

/**
 * trapline_events_delete() - carry out "-:[GROUP/]EVENT" or "-:GROUP/"
 * @line: a line that stands among definitions
 * @events: those above it, in no session; removed ones are freed and become NULL
 * @count: how many
 * @err: filled on failure: not of that form, or there is no such event
 *
 * Returns 1, 0 for a line that is no deletion, or a negative errno.
 */
int trapline_events_delete(const char *line, struct trapline_event **events,
			   size_t count, struct trapline_error *err);

/**
 * trapline_event_restrict() - record only some of an event's hits
 * @event: not yet added to a session
 * @filter: a condition on the task, as it could stand behind the "if" of a
 *	definition: "tgid == 12 && comm ~ \"dd*\"". The event's arguments are not
 *	known in it. A filter that the event has already stays: both must be true.
 * @err: filled on failure; its column is one of @filter
 */
int trapline_event_restrict(struct trapline_event *event, const char *filter,
			    struct trapline_error *err);

/** trapline_event_name() - "open", or the automatic "p_vfs_read_0" */
const char *trapline_event_name(const struct trapline_event *event);
/** trapline_event_group() - "kprobes", or of a tracepoint "tracepoints", unless
 * the line names another
 */
const char *trapline_event_group(const struct trapline_event *event);
/** trapline_event_line() - the definition, word for word */
const char *trapline_event_line(const struct trapline_event *event);

/**
 * trapline_event_note() - what the user should know of a line that is right
 *
 * NULL for most. An argument is called as a parameter is, and fetches the register
 * of another one; or $argN is on the stack and was not checked for want of BTF.
 */
const char *trapline_event_note(const struct trapline_event *event);

/**
 * trapline_event_instances() - calls that can be under way at once and be seen
 * @event: a return, added to a session
 *
 * Returns what was given in the definition, or what the module chose; 0 for what
 * is no return, and before it is added.
 */
unsigned int trapline_event_instances(const struct trapline_event *event);

/**
 * trapline_event_number() - number in its session, from 0; -1 before it is added
 *
 * A session numbers its events in the order in which they were added.
 */
int trapline_event_number(const struct trapline_event *event);

/**
 * trapline_event_waits() - was its module missing when the line was parsed?
 *
 * Such an event is armed when a module of that name comes, if ever.
 */
bool trapline_event_waits(const struct trapline_event *event);

enum trapline_place_state {
	TRAPLINE_PLACE_OFF,
	TRAPLINE_PLACE_ARMED,
	TRAPLINE_PLACE_REFUSED,	/* by the kernel */
};

/**
 * struct trapline_place - where an event is
 * @size: sizeof(struct trapline_place), set by the caller
 * @address: of the probe; 0 of a tracepoint, and before its module has come
 * @symbol: the function that has it, or the name of the tracepoint
 * @module: of it; NULL for the kernel itself
 * @offset: @address less that of the function
 * @state: of this place
 * @reason: why the kernel has refused it, or of an event that is in no session
 *	yet will do so as far as that is known; or NULL
 */
struct trapline_place {
	size_t size;
	uint64_t address;
	const char *symbol;
	const char *module;
	uint64_t offset;
	enum trapline_place_state state;
	const char *reason;
};

/** trapline_event_place_count() - 1, but for patterns and "SYMBOL#all" */
unsigned int trapline_event_place_count(const struct trapline_event *event);
/** trapline_event_place() - one place of an event, @index from 0 by address,
 * of tracepoints by name;
 * texts live as long as the event. Returns 0, -ENOENT behind the last one. */
int trapline_event_place(const struct trapline_event *event,
			 unsigned int index, struct trapline_place *place);

/**
 * trapline_event_listing() - the definition in the form of the kernel's list
 * @event: the event
 * @buf: where to write; always ends with a NUL
 * @size: of @buf
 *
 * As the kernel lists it: "p:kprobes/t vfs_read arg1=$arg1 n=$arg3:u64".
 * Returns the length without NUL that the whole text has.
 */
size_t trapline_event_listing(const struct trapline_event *event, char *buf,
			      size_t size);

#ifdef __cplusplus
}
#endif
#endif
