/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Several rings into one stream in the order of time, without copying.
 *
 * Each ring ("input") delivers packets whose times never go back. Of each
 * input at most one packet is held, decoded as far as its first record that is
 * not delivered yet: its head. The heads are in a heap. Three facts decide how
 * far the stream may go:
 *
 *  - an input with a head has nothing older than it;
 *  - an input without a head has nothing older than its @safe_ns. That is the
 *    time of the flush after which it said EMPTY, so an idle CPU holds back
 *    nothing for longer than one round. While it says CLOSING (a packet
 *    awaits its last writer) @safe_ns stays where it was: the stream waits.
 *
 *  - an input at the end of a snapshot ("paused") has nothing more for this
 *    round.
 *
 * Nothing newer than the oldest flush of the round is delivered, so that a
 * round ends however fast the writers are. Memory is what the rings have: a
 * packet that is held is the ring's spare one, and what the reader does not
 * take stays in the ring, where the writers count what no longer fits.
 */
#ifndef TRAPLINE_MERGE_H
#define TRAPLINE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode.h"
#include "trapline.h"

/** enum merge_state - what an input has to say, as TL_RING_* */
enum merge_state {
	MERGE_EMPTY,
	MERGE_PACKET,
	MERGE_CLOSING,
	MERGE_END,
	MERGE_SNAPSHOT,
};

/**
 * struct merge_packet - an answer, valid until the next one is asked for
 * @bytes: the packet
 * @size: bytes that may be read
 * @sequence: its number
 * @skipped: packets that were overwritten before it
 */
struct merge_packet {
	const void *bytes;
	size_t size;
	uint64_t sequence;
	uint64_t skipped;
};

/**
 * struct merge_input - one ring
 * @get: asks for the next packet: one of &enum merge_state, or a negative
 *	errno, which ends the round
 * @events: of the session
 * @sink: of the session
 * @uuid: of the session; a packet that has another one is damaged
 * @cpu: whose ring it is
 * @flush_ns: time of the session's last flush; UINT64_MAX once it is stopped,
 *	and while a snapshot is read
 *
 * Those are set by the owner, the others belong to the merge; @paused: it has
 * said that its snapshot ends here, @ended: that there will be nothing more.
 */
struct merge_input {
	int (*get)(struct merge_input *input, struct merge_packet *packet);
	const struct decode_events *events;
	const struct trapline_sink *sink;
	unsigned char uuid[16];
	unsigned int cpu;
	uint64_t flush_ns;

	enum { HEAD_NONE, HEAD_LOSS, HEAD_RECORD } head;
	struct decode_cursor cursor;
	struct trapline_record record;
	struct trapline_loss loss;
	uint64_t head_ns;
	uint64_t safe_ns;
	uint64_t next_sequence;
	uint64_t discarded;
	size_t order;
	bool paused;
	bool ended;
};

/**
 * struct merge - all inputs
 * @closing: out: an input held back the last round by CLOSING
 */
struct merge {
	struct merge_input **inputs;
	size_t input_count;
	struct merge_input **heap;
	size_t heap_count;
	size_t capacity;
	bool closing;
};

/** merge_reserve() - room for @count more inputs; 0 or -ENOMEM */
int merge_reserve(struct merge *merge, size_t count);

/**
 * merge_add() - one more input, for which there is room
 * @merge: the merge
 * @input: all zero but for what its owner sets; must outlive the merge
 */
void merge_add(struct merge *merge, struct merge_input *input);

/**
 * merge_run() - deliver what is certain to be in order
 *
 * Returns 1 when all inputs have ended and all is delivered, 0 to be called
 * again after a flush, or the negative errno of a @get or of a sink.
 */
int merge_run(struct merge *merge);
void merge_free(struct merge *merge);

#endif
