// SPDX-License-Identifier: LGPL-2.1-or-later
/* Where instructions begin: what the kernel says of an address that is none. */
#include "event.h"
#include "refusal.h"
#include "session.h"

enum {
	INSTRUCTION_MAX = 15,	/* bytes of the longest one (x86) */
};

/* The kernel takes a probe at the beginning of an instruction only. */
static bool can_be_at(struct trapline_session *session, uint64_t address)
{
	const struct tl_insn end = { .op = TL_OP_END };
	struct tl_event_place place = {
		.size = sizeof(place),
		.address = address,
	};
	struct tl_event_add add = {
		.size = sizeof(add),
		.backend = TL_BACKEND_KPROBE,
		.places = (uintptr_t)&place,
		.place_count = 1,
		.insn_count = 1,
		.insns = (uintptr_t)&end,
	};
	struct tl_error unused;
	uint32_t id;
	int rc;

	if (session_ioctl(session->fd, TL_EVENT_ADD, &add))
		return false;
	id = add.id;
	rc = session_control_events(session, TL_EVENT_ENABLE, &id, 1, &unused);
	session_control_events(session, TL_EVENT_REMOVE, &id, 1, &unused);
	return !rc;
}

/* The nearest offset in a direction, or that of @part if there is none. */
static uint64_t find_instruction(struct trapline_session *session,
				 const struct trapline_event *part, int step)
{
	const uint64_t start = part->address - part->offset;
	uint64_t offset = part->offset;
	unsigned int tries;

	for (tries = 0; tries < INSTRUCTION_MAX; tries++) {
		if (step < 0 && !offset)
			break;
		offset += (uint64_t)(int64_t)step;
		if (offset >= part->symbol_bytes)
			break;
		if (can_be_at(session, start + offset))
			return offset;
	}
	return part->offset;
}

/*
 * Where instructions.c does not know what begins where, the kernel is asked, which
 * knows its code without the breakpoints of other probes. The probes of the questions are there for
 * moments, and of a session that does not record: records of theirs would be
 * nobody's.
 */
void session_hint_instructions(struct trapline_session *session,
			       const struct trapline_event *part,
			       struct trapline_error *err)
{
	uint64_t before, after;

	if (session->started || !part->symbol)
		return;
	before = find_instruction(session, part, -1);
	after = find_instruction(session, part, 1);
	refusal_hint_instructions(err, part, before, after);
}
