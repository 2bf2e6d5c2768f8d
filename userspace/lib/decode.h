/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From bytes to records: the only decoder. It trusts nothing: whatever the
 * bytes are, it reads inside the packet and either yields records that the
 * events can have made or says -EBADMSG. It does not look for the next record
 * behind a bad one: the reader resumes at the next packet.
 */
#ifndef TRAPLINE_DECODE_H
#define TRAPLINE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "trapline.h"

/**
 * struct decode_layout - what the decoder must know of one event
 * @event: the event; NULL for a number that is not in use
 * @puts: arguments in the record, the caller of a return event included
 * @fixed_bytes: payload without what is in its strings (status bytes neither)
 * @has_strings: the payload is longer than @fixed_bytes
 */
struct decode_layout {
	const struct trapline_event *event;
	unsigned int puts;
	size_t fixed_bytes;
	bool has_strings;
};

/**
 * struct decode_events - the events of a session by their number
 * @layouts: array, indexed by the number
 * @count: its length
 */
struct decode_events {
	struct decode_layout *layouts;
	size_t count;
};

/** decode_events_add() - put an event that has its number into the table */
int decode_events_add(struct decode_events *events,
		      const struct trapline_event *event);
/** decode_events_remove() - there will be no records of this event any more */
void decode_events_remove(struct decode_events *events,
			  const struct trapline_event *event);
void decode_events_free(struct decode_events *events);

/** struct decode_packet - a packet header, checked */
struct decode_packet {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t sequence;
	uint64_t discarded;
	size_t content_bytes;
	unsigned int cpu;
	unsigned char uuid[16];
};

/**
 * decode_header() - read and check a packet's header
 * @bytes: the packet
 * @size: bytes that may be read
 * @out: the header
 *
 * Returns 0 or -EBADMSG.
 */
int decode_header(const void *bytes, size_t size, struct decode_packet *out);

/**
 * struct decode_cursor - the way through one packet
 * @packet: its header
 * @position: of the next record; after -EBADMSG of the bad one
 *
 * The others are the decoder's own.
 */
struct decode_cursor {
	struct decode_packet packet;
	size_t position;
	const struct decode_events *events;
	const unsigned char *bytes;
	uint64_t time_ns;
};

/** decode_start() - check the header and stand before the first record */
int decode_start(struct decode_cursor *cursor,
		 const struct decode_events *events, const void *bytes,
		 size_t size);

/**
 * decode_next() - the next record
 * @cursor: the way through the packet
 * @record: points into the packet
 *
 * Returns 1, 0 at the end of the packet, or -EBADMSG, for good.
 */
int decode_next(struct decode_cursor *cursor, struct trapline_record *record);

/**
 * struct decode_value - one argument
 * @status: TL_STATUS_*
 * @number: zero-extended, of a field that is neither a string nor an array
 * @string: of a string field, without a NUL; of an array of numbers its bytes,
 *	as far as they could be read
 * @length: of @string
 */
struct decode_value {
	unsigned int status;
	uint64_t number;
	const char *string;
	size_t length;
};

/** struct decode_args - the way through the arguments of a record */
struct decode_args {
	const struct trapline_record *record;
	const unsigned char *at;
	size_t left;
	unsigned int put;
	unsigned int field;
};

/** decode_args_start() - stand before the first argument */
void decode_args_start(struct decode_args *args,
		       const struct trapline_record *record);

/**
 * decode_args_caller() - the return address, first in a return's record
 *
 * To be called before decode_args_next(), for return events only. Returns 1
 * or -EBADMSG.
 */
int decode_args_caller(struct decode_args *args, struct decode_value *value);

/**
 * decode_args_next() - the next field, constants included
 * @args: the way through the arguments
 * @field: out
 * @value: out
 *
 * Returns 1, 0 after the last one, or -EBADMSG.
 */
int decode_args_next(struct decode_args *args, const struct field **field,
		     struct decode_value *value);

/**
 * decode_element() - one element of an array of numbers
 * @field: the array
 * @value: its value
 * @index: of the element, below @value->length / @field->bytes
 *
 * Returns it zero-extended.
 */
uint64_t decode_element(const struct field *field,
			const struct decode_value *value, size_t index);

#endif
