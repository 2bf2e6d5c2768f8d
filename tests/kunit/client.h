/* SPDX-License-Identifier: GPL-2.0-only */
/* A session as user space has it: what its commands point at is user memory. */
#ifndef TL_KUNIT_CLIENT_H
#define TL_KUNIT_CLIENT_H

#include "stream.h"
#include "suites.h"

/**
 * struct tl_client - a session and some user memory
 * @test: whose
 * @session: ended with the test, if not before
 * @page: user memory for what commands point at
 * @error: of the last command
 */
struct tl_client {
	struct kunit *test;
	struct tl_session *session;
	unsigned long page;
	struct tl_error error;
};

/* Without rings; and with them, of 16 packets of 4 KiB. */
struct tl_client *tl_client_new(struct kunit *test);
struct tl_client *tl_client_make(struct kunit *test, u32 mode);
void tl_client_end(struct tl_client *client);

int tl_client_setup(struct tl_client *client, struct tl_session_setup *setup);
/* To the user memory at @to. */
void tl_client_put(struct tl_client *client, u64 to, const void *from,
		   size_t bytes);
/* The command, to be changed before it is tried; what it points at is there. */
struct tl_event_add tl_client_event_add(struct tl_client *client, u32 backend,
					unsigned long address,
					const struct tl_insn *insns,
					u32 insn_count);
/* Return the event's number, or a negative errno. */
int tl_client_try_add(struct tl_client *client, struct tl_event_add *add);
int tl_client_add(struct tl_client *client, u32 backend, unsigned long address,
		  const struct tl_insn *insns, u32 insn_count);
int tl_client_events(struct tl_client *client, u32 command, const u32 *ids,
		     u32 count);
int tl_client_event(struct tl_client *client, u32 command, u32 id);
int tl_client_try_ctl(struct tl_client *client, u32 command);
void tl_client_ctl(struct tl_client *client, u32 command);
/* Read all rings of a session, whose events are the first ones. */
void tl_client_drain(struct tl_client *client,
		     void (*visit)(struct tl_stream *stream,
				   const struct tl_record *record),
		     void *data);
/* Of one event, or of TL_CLIENT_ALL together. */
#define TL_CLIENT_ALL (~0u)
void tl_client_stats(struct tl_client *client, u32 id, struct tl_stats *stats);

#endif
