/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one table of the library's errors: number, stable name, text.
 * The text is a format of printf(); the arguments belong to the place that
 * reports it. Numbers are never used again; new ones go to the end of a part.
 */
#ifndef TRAPLINE_ERROR_H
#define TRAPLINE_ERROR_H

#include "trapline.h"

/* name in C, name in text, format */
#define ERROR_LIST(X) \
	/* the device and the session: session.c, reader.c, names.c */ \
	X(1, NO_DEVICE, "device-missing", "/dev/trapline is not there: the module is not loaded") \
	X(2, DEVICE_PERMISSION, "device-permission", "/dev/trapline: permission denied") \
	X(3, KERNEL, "kernel-refuses", "the kernel refuses: %s") \
	X(4, SYSTEM, "system", "%s: %s") \
	X(5, ABI, "abi-mismatch", "the module speaks version %u.%u of the interface, this library %u.%u") \
	X(6, NO_MEMORY, "memory", "out of memory") \
	X(7, FORMAT, "format-mismatch", "the module writes packets of format %u, this library reads %u") \
	X(8, NAMES, "names-best-effort", "names of tasks are best effort: %s") \
	X(9, NOT_SET_UP, "not-set-up", "the session has no rings yet") \
	X(10, PENDING_MODULE, "abi-mismatch", "the module trapline that is loaded cannot wait for the module %s") \
	/* symbols: symbols.c */ \
	X(50, SYMBOLS_HIDDEN, "symbols-hidden", "%s hides the kernel's addresses") \
	X(51, SYMBOLS_FORM, "symbols-form", "%s: line %u is not of kallsyms' form") \
	X(52, SYMBOLS_EMPTY, "symbols-empty", "%s has no symbols") \
	/* definitions, their form: spec_*.c */ \
	X(100, UNSUPPORTED, "unsupported", "%s \"%.*s\" is not supported by this version") \
	X(101, LINE_LONG, "line-long", "the line is longer than %d characters") \
	X(102, LINE_MANY, "line-many", "a second line follows; a definition is one line") \
	X(103, LETTER, "letter", "a definition begins with p (entry of a function), r (return), c (call) or t (tracepoint), not with \"%.*s\"") \
	X(104, DELETE_FORM, "delete-form", "a deletion is -:[GROUP/]EVENT or -:GROUP/") \
	X(105, MAXACTIVE_NUMBER, "maxactive-number", "\"%.*s\" is not a number of calls from 1 to %d") \
	X(106, MAXACTIVE_BIG, "maxactive-big", "%.*s calls at once are too many, the limit is %d") \
	X(107, MAXACTIVE_ENTRY, "maxactive-on-entry", "only a return probe (r, c) takes a number after its letter") \
	X(108, GROUP_EMPTY, "group-empty", "the name of the group is missing before \"%c\"") \
	X(109, GROUP_LONG, "group-name-long", "the name of the group has %d characters, the limit is %d") \
	X(110, GROUP_NAME, "group-name", "\"%.*s\" is not a name for a group: letters, digits, _ and -, no digit first") \
	X(111, EVENT_EMPTY, "event-empty", "the name of the event is missing after \":\"") \
	X(112, EVENT_LONG, "event-name-long", "the name of the event has %d characters, the limit is %d") \
	X(113, EVENT_NAME, "event-name", "\"%.*s\" is not a name for an event: letters, digits and _, no digit first") \
	X(114, PLACE_MISSING, "place-missing", "the place is missing: which function?") \
	X(115, PLACE_FORM, "place-form", "\"%.*s\" is not a place; a place is FUNCTION, FUNCTION+OFFSET or an address") \
	X(116, PLACE_SUFFIX, "place-suffix", "\"%.*s\" cannot follow a place; only +OFFSET and %%return can") \
	X(117, PLACE_ARGUMENT, "place-argument", "place \"%.*s\" is not a symbol") \
	X(118, ARGS_MANY, "args-many", "more than %d arguments") \
	X(119, ARG_NAME_EMPTY, "arg-name-empty", "the name is missing before \"=\"") \
	X(120, ARG_NAME_LONG, "arg-name-long", "the name of the argument has %d characters, the limit is %d") \
	X(121, ARG_NAME, "arg-name", "\"%.*s\" is not a name for an argument: letters, digits and _, no digit first") \
	X(122, ARG_NAME_USED, "arg-name-used", "the name \"%s\" is used by an earlier argument") \
	X(123, ARG_NAME_RESERVED, "arg-name-used", "the name \"%s\" is one of those that every record has") \
	X(124, ARG_EMPTY, "arg-empty", "nothing follows \"%.*s=\": what is to be recorded?") \
	X(125, FETCH, "bad-arg", "\"%.*s\" is not something that can be recorded") \
	X(126, FETCH_TAIL, "fetch-tail", "\"%.*s\" follows the argument; only \":TYPE\" can") \
	X(127, REGISTER, "register", "there is no register \"%.*s\"") \
	X(128, VARIABLE, "dollar-var", "there is no \"%.*s\"") \
	X(129, STACK_NUMBER, "stack-number", "\"%.*s\": the stack has words 0 to %d") \
	X(130, ARG_NUMBER, "arg-number", "\"%.*s\": the arguments of a function are $arg1 to $arg%d") \
	X(131, MEM_ADDRESS, "mem-address", "\"%.*s\" is not @ADDRESS or @SYMBOL") \
	X(132, FILE_OFFSET, "fileoff-on-kernel", "\"%.*s\" is an offset in a file, which a probe in the kernel does not have") \
	X(133, IMMEDIATE, "immediate", "\"%.*s\" is not a number; after \\ comes a number or \"TEXT\"") \
	X(134, STRING_OPEN, "string-open", "the text does not end with \"") \
	X(135, NUMBER_RANGE, "number-range", "\"%.*s\" does not fit into 64 bits") \
	X(136, DEREF_OFFSET, "deref-offset", "\"%.*s\" is not an offset in bytes; memory is read with +OFFSET(ADDRESS)") \
	X(137, DEREF_PAREN, "deref-paren", "\"(\" is missing; memory is read with +OFFSET(ADDRESS)") \
	X(138, DEREF_OPEN, "deref-open", "\")\" is missing") \
	X(139, DEREF_DEPTH, "deref-depth", "more than %d reads inside each other") \
	X(140, DEREF_TEXT, "comm-deref", "\"%.*s\" is a text, not an address") \
	X(141, TYPE, "type", "there is no type \"%.*s\"") \
	X(142, BITFIELD, "bitfield", "\"%.*s\" is not a bit field; one is bWIDTH@OFFSET/SIZE with at least 1 bit, all of them inside SIZE") \
	X(143, ARRAY_OPEN, "array-open", "\"]\" is missing") \
	X(144, ARRAY_SUFFIX, "array-suffix", "\"%.*s\" cannot follow an array") \
	X(145, ARRAY_SIZE, "array-size", "\"%.*s\" is not a number of elements from 1 to %d") \
	X(146, ARRAY_BIG, "array-big", "%.*s elements are too many, the limit is %d") \
	X(147, FETCH_EMPTY, "fetch-empty", "what is to be fetched is missing") \
	/* definitions, their meaning: resolve.c, compile.c */ \
	X(200, SYMBOL_UNKNOWN, "symbol-unknown", "the kernel has no symbol %.*s") \
	X(201, SYMBOL_MODULE, "symbol-unknown", "the module %.*s has no symbol %.*s") \
	X(202, SYMBOL_DATA, "symbol-data", "%.*s is data, not a function") \
	X(203, SYMBOL_COPY, "symbol-copy", "the kernel has no symbol %.*s, only what the compiler made of it: %s") \
	X(204, SYMBOL_AMBIGUOUS, "symbol-ambiguous", "%zu symbols have the name %.*s") \
	X(205, PLACE_OFFSET, "place-offset", "offset %llu is not inside %s, which has %llu bytes") \
	X(206, PLACE_ADDRESS, "place-address", "the address %#llx is not inside a function of the kernel") \
	X(207, RETURN_OFFSET, "ret-not-entry", "a return probe is at the start of a function, not at an offset") \
	X(208, ARG_NOT_ENTRY, "args-not-entry", "\"%.*s\" is only known at the start of a function, not at an offset") \
	X(209, RETVAL_ENTRY, "retval-on-entry", "there is no $retval before the function returns") \
	X(210, NEEDS_MEMORY, "string-needs-memory", "type %.*s is for memory; \"%.*s\" is a value") \
	X(211, NEEDS_STRING, "needs-string-type", "\"%.*s\" is a text; its type can only be string") \
	X(212, PROGRAM_LONG, "program-long", "the arguments need more than %d instructions") \
	X(213, ARRAY_BYTES, "array-big", "an array of %u bytes is too large, the limit is %d") \
	X(214, RECORD_LONG, "record-long", "the record would have %u bytes without its strings, the limit is %d") \
	X(215, STRINGS_MANY, "args-many", "more than %d arguments, each string of an array counted") \
	X(216, DURATION_ENTRY, "duration-on-entry", "there is no $duration before the function returns") \
	X(217, ARG_NOT_KEPT, "arg-not-kept", "\"%.*s\" is not kept until the function returns; $arg1 to $arg%d are") \
	X(218, CHOICE, "choice", "\"%.*s\" chooses none of several functions of one name: SYMBOL#1, SYMBOL#2, ...") \
	X(219, CHOICE_RANGE, "choice", "there is no %.*s#%u, only %zu of that name") \
	/* names and types: spec_path.c, compile_name.c, compile_path.c */ \
	X(230, BTF_MISSING, "btf-missing", "\"%.*s\" needs the kernel's types (BTF), which are not there: %s") \
	X(231, BTF_FUNCTION, "btf-function", "the kernel's types (BTF) do not have the %s %s") \
	X(232, PARAM_UNKNOWN, "no-such-variable", "%s has no parameter %.*s") \
	X(233, PARAM_COUNT, "no-such-variable", "\"%.*s\": %s has %u parameter%s") \
	X(234, MEMBER_UNKNOWN, "no-such-member", "%s has no member %.*s") \
	X(235, NOT_POINTER, "not-a-pointer", "\"->\" needs a pointer; \"%.*s\" is %s") \
	X(236, NOT_STRUCT, "not-a-struct", "\"%.*s\" has no members; it is %s%s") \
	X(237, NEEDS_DOT, "needs-dot", "\"%.*s\" is no pointer but %s itself: its members follow \".\", not \"->\"") \
	X(238, NEEDS_ARROW, "needs-arrow", "\"%.*s\" is a pointer: members follow \"->\", not \".\"") \
	X(239, HYPHEN, "hyphen", "\"%.*s\" alone means nothing here; members follow \"->\"") \
	X(240, MEMBER_EMPTY, "member-empty", "the name of a member is missing after \"%.*s\"") \
	X(241, STRUCT_UNKNOWN, "no-such-struct", "the kernel's types (BTF) do not have a struct or union %.*s") \
	X(242, INDEX_FORM, "index-form", "\"%.*s\" is not the number of an element, [N]") \
	X(243, INDEX_RANGE, "index-range", "there is no element %.*s: \"%.*s\" has %u") \
	X(244, NOT_ARRAY, "not-an-array", "\"%.*s\" has no elements that could be counted; it is %s%s") \
	X(245, ARGS_FORM, "args-form", "\"%.*s\": $arg* stands for all arguments, once, with no name, type or anything around it") \
	X(246, MEMBER_NAME, "member-name", "\"%.*s\" is not the name of a member") \
	X(247, PARAM_PLACE, "args-by-value", "where the parameter %s of %s is cannot be told: %s is %zu bytes by value") \
	X(248, RETVAL_VOID, "retval-void", "%s returns nothing") \
	X(249, NOT_TEXT, "not-a-text", "\"%.*s\" is no text; it is %s%s") \
	X(325, BTF_SEVERAL, "btf-function", "the kernel's types (BTF) have several %s %s, of which the parameters or the results differ") \
	X(326, PARAM_SEVERAL, "no-such-variable", "not all functions %s have a parameter %.*s") \
	X(327, STRUCT_SEVERAL, "struct-several", "the kernel's types (BTF) have several structs %.*s that differ, and not only one of them has the member %.*s") \
	X(329, ARRAY_NAME_OF, "array-type", "an array of %.*s is not possible") \
	/* filters, their form: spec_filter.c */ \
	X(250, FILTER_EMPTY, "filter-empty", "nothing follows \"if\": which hits are to be recorded?") \
	X(251, FILTER_OPERAND, "filter-operand", "\"%.*s\" is no name: a comparison is NAME OPERATOR VALUE") \
	X(252, FILTER_OPERATOR, "filter-operator", "\"%.*s\" is no comparison; there are == != < <= > >= & for numbers, == != ~ for texts") \
	X(253, FILTER_VALUE, "filter-value", "\"%.*s\" is neither a number nor a text in quotes") \
	X(254, FILTER_TEXT_OPEN, "filter-text-open", "the text does not end with \"") \
	X(255, FILTER_PAREN, "filter-paren", "\")\" is missing") \
	X(256, FILTER_CLOSE, "filter-paren", "\")\" without \"(\"") \
	X(257, FILTER_TAIL, "filter-tail", "\"%.*s\" follows a comparison; only && and || can") \
	X(258, FILTER_NOT, "filter-not", "\"!\" is for what is in parentheses: !(...)") \
	X(259, FILTER_DEPTH, "filter-depth", "more than %d \"(\" and \"!\" inside each other") \
	X(260, FILTER_MANY, "filter-many", "more than %d comparisons") \
	/* filters, their meaning: compile_filter.c, compile_compare.c */ \
	X(261, FILTER_NAME, "filter-name", "\"%.*s\" is neither an argument of the event nor tid, tgid, comm, cpu, cgroup, family or duration") \
	X(262, FILTER_TASK_NAME, "filter-name", "\"%.*s\" is none of tid, tgid, comm, cpu, cgroup, family") \
	X(263, FILTER_CONSTANT, "filter-constant", "\"%.*s\" is a constant: each hit has the same") \
	X(264, FILTER_TYPE, "filter-type", "\"%.*s\" is of a type that cannot be compared") \
	X(265, FILTER_NUMBER, "filter-number", "\"%.*s\" is a number; it is compared with a number, by == != < <= > >= &") \
	X(266, FILTER_TEXT, "filter-text", "\"%.*s\" is a text; it is compared with a text in quotes, by == != ~") \
	X(267, FILTER_RANGE, "filter-range", "\"%.*s\", %u bytes, %ssigned, cannot be %.*s") \
	X(268, FILTER_PATTERN, "filter-pattern", "%.*s is no pattern: a [ has no ], nothing in it, or a range from high to low") \
	X(269, FILTER_TEXT_LONG, "filter-text-long", "the text is longer than %d bytes") \
	X(270, FILTER_STEPS, "filter-steps", "the patterns of the filter are too long together") \
	X(271, FILTER_LONG, "program-long", "the filter and the arguments need more than %d instructions") \
	X(272, FILTER_LATE, "filter-late", "the event is in a session already") \
	X(273, FILTER_DURATION, "duration-on-entry", "\"%.*s\" is known when the function has returned: r or c") \
	X(274, FILTER_FAMILY, "filter-family", "\"%.*s\": a family has a process or not: == or !=") \
	X(328, FILTER_COMM, "filter-text-long", "%.*s has at most %d bytes, this text needs %u") \
	/* stacks: spec_fetch.c, compile_arg.c */                             \
	X(310, STACK_TYPE, "stack-type", "\"%.*s\" is not a number of frames; a stack has no type") \
	X(311, STACK_FRAMES, "stack-frames", "\"%.*s\": a stack has 1 to %d frames") \
	X(312, STACK_VALUE, "stack-value", "\"%.*s\" is a stack, not an address") \
	/* places in modules that are not loaded: resolve.c */    \
	X(320, PENDING_CHOICE, "choice", "the module %.*s is not loaded: which of its functions #%u is, is not known") \
	/* lengths of arrays: compile_arg.c */ \
	X(322, LENGTH_NAME, "array-length", "the length \"%.*s\" is neither a number nor the name of an argument before this one") \
	X(323, LENGTH_NUMBER, "array-length", "the length \"%.*s\" is not an argument with one whole number") \
	/* events with several places: places.c, session_event.c */ \
	X(285, PLACES_REFUSED, "places-refused", "the kernel refuses all %u places of %s; the first, %s: %s") \
	X(286, PATTERN_EMPTY, "pattern-empty", "no %s fits %.*s") \
	X(287, PLACES_MANY, "places-many", "%.*s stands for %zu %s, the limit is %d") \
	/* where no probe can be: resolve.c */                                \
	X(288, PLACE_BLACKLIST, "place-blacklisted", "%s is in the kernel's kprobe blacklist: tracing itself runs through it") \
	X(289, PLACE_NOINSTR, "place-noinstr", "%s is code that must not be instrumented (entry code, noinstr)") \
	X(290, PLACE_INIT, "place-init", "%s was code of the kernel's start: its memory was freed after that") \
	X(291, SYMBOL_INLINED, "symbol-inlined", "the kernel has no symbol %.*s, but its types (BTF) have that function: the compiler has put it into its callers (inlined)") \
	/* system calls: spec_fetch.c, compile_path.c */                      \
	X(292, SYSARG, "sysarg", "\"%.*s\": a system call has the arguments $sysarg1 to $sysarg6, %s") \
	/* deletions: spec_delete.c */                                        \
	X(294, DELETE_NONE, "delete-none", "no %s %.*s is defined above this line") \
	/* tracepoints: spec_parse.c, spec_tracepoint.c, resolve_tracepoint.c, places_tracepoint.c, compile_arg.c */ \
	X(295, TRACEPOINT_MAXACTIVE, "maxactive-on-tracepoint", "a tracepoint (t) takes no number after its letter; only a return probe (r, c) does") \
	X(296, TRACEPOINT_FORM, "tracepoint-form", "\"%.*s\" is not a tracepoint; a tracepoint is NAME, SUBSYSTEM/NAME or MODULE:NAME") \
	X(297, TRACEPOINT_UNKNOWN, "tracepoint-unknown", "the kernel has no tracepoint %.*s") \
	X(298, TRACEPOINT_REGISTER, "tracepoint-register", "\"%.*s\" is a register; a tracepoint has only its arguments") \
	X(299, TRACEPOINT_STACK, "tracepoint-stack", "\"%.*s\" is of the stack; a tracepoint has only its arguments") \
	X(300, TRACEPOINT_RETURN, "tracepoint-return", "\"%.*s\" is known when a function returns; a tracepoint is none") \
	X(301, TRACEPOINT_SUFFIX, "tracepoint-suffix", "\"%.*s\" cannot follow a tracepoint: it is no function, and has neither offsets nor a return") \
	X(302, TRACEPOINT_SUBSYSTEM, "tracepoint-subsystem", "the tracepoint %s is not in the subsystem %.*s") \
	X(303, TRACEPOINT_MISSING, "tracepoint-missing", "the tracepoint is missing") \
	X(304, TRACEPOINT_ARGS, "tracepoint-args", "\"%.*s\": no tracepoint has more than %d arguments") \
	X(324, TRACEPOINT_MODULE, "tracepoint-module", "the module %.*s has no tracepoint %.*s") \
	X(330, TRACEPOINT_EVENTS, "tracefs-unreadable", "which tracepoints the subsystem %.*s has cannot be known: %s")

#define ERROR_ENUM(number, name, id, text) ERR_##name = number,
enum error_code { ERROR_LIST(ERROR_ENUM) };
#undef ERROR_ENUM

/**
 * error_set() - fill in an error from the table
 * @err: the error; NULL is allowed and ignored
 * @code: which
 * @column: 0-based column in the line, or -1
 * @length: characters that are wrong
 *
 * The arguments after @length are those of the code's format.
 */
void error_set(struct trapline_error *err, enum error_code code, int column,
	       int length, ...);

/** error_hint() - add a proposal to an error, a format of printf() */
void error_hint(struct trapline_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
