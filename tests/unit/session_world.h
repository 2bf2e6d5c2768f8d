/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A module that is not there: open() and ioctl() are defined here, before those
 * of libc, and answer as the module would, or as a test wants.
 */
#ifndef TRAPLINE_SESSION_WORLD_H
#define TRAPLINE_SESSION_WORLD_H

#include <stdint.h>

#include "../../uapi/trapline.h"
#include "../../userspace/lib/session.h"

/**
 * struct module - what the next ioctls answer
 * @fails: the request that fails, or 0
 * @os_errno: with this
 * @error: and this reason
 * @interrupts: a signal comes first, so many times
 * @query: the answer to TL_QUERY
 * @removed: event that was removed, or -1
 * @insn_bytes: of each instruction; 0: any address is one's beginning
 * @addresses: of the events by number
 * @name: of the last event's place, or "none"
 * @refuses: bit of each event number that cannot be armed
 * @armed: bit of each that is
 * @added: events so far
 * @map: the file of a ring; -1: none
 */
struct module {
	unsigned long fails;
	int os_errno;
	struct tl_error error;
	int interrupts;
	struct tl_query query;
	int removed;
	unsigned int insn_bytes;
	uint64_t addresses[64];
	char name[40];
	uint64_t refuses;
	uint64_t armed;
	unsigned int added;
	int map;
};

extern struct module module;
extern struct trapline_error err;

/** session_world_reset() - the setup of each test */
int session_world_reset(void **state);
/** session_world_reset_results() - the same, with a result for each event */
int session_world_reset_results(void **state);
/** refuses() - from now on a request fails; 0: none does */
void refuses(unsigned long request, int os_errno, uint32_t code,
	     uint32_t index);
struct trapline_session *open_session(void);
/** new_event() - "p f", not added to any session */
struct trapline_event *new_event(const char *name);

#endif
