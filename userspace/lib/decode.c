// SPDX-License-Identifier: LGPL-2.1-or-later
/* The decoder of packets: see decode.h for what it promises. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../uapi/trapline.h"
#include "../../uapi/trapline_packet.h"
#include "decode.h"

#define TIME_MASK ((UINT64_C(1) << TL_RECORD_TIME_BITS) - 1)
#define CTX_MASK ((1u << TL_RECORD_CTX_BITS) - 1)
#define TID_MASK ((1u << TL_RECORD_TID_BITS) - 1)
#define CALLER_BYTES 8
#define STRING_LENGTH_BYTES 2

/* Everything is little endian and nothing in a payload is aligned. */
static uint64_t load_le(const unsigned char *bytes, unsigned int count)
{
	uint64_t value = 0;

	memcpy(&value, bytes, count);
	return le64toh(value);
}

static bool is_return(const struct trapline_event *event)
{
	return event->backend == TL_BACKEND_KRETPROBE;
}

/* Bytes of a field in the record, or 0 where a length is before them. */
static unsigned int fixed_bytes(const struct field *field)
{
	return field->elements ? 0 : field->bytes;
}

static void layout_fill(struct decode_layout *layout,
			const struct trapline_event *event)
{
	unsigned int i;

	memset(layout, 0, sizeof(*layout));
	layout->event = event;
	if (is_return(event)) {
		layout->puts = 1;
		layout->fixed_bytes = CALLER_BYTES;
	}
	for (i = 0; i < event->field_count; i++) {
		const struct field *field = &event->fields[i];

		if (field->constant)
			continue;
		layout->puts++;
		if (fixed_bytes(field)) {
			layout->fixed_bytes += field->bytes;
		} else {
			layout->fixed_bytes += STRING_LENGTH_BYTES;
			layout->has_strings = true;
		}
	}
}

/* What the decoder relies on: sizes that exist, and strings without one. */
static bool fields_are_sound(const struct trapline_event *event)
{
	unsigned int i;

	for (i = 0; i < event->field_count; i++) {
		const struct field *field = &event->fields[i];
		unsigned int bytes = field->bytes;

		if ((field->format == FIELD_STRING) != (bytes == 0))
			return false;
		if (bytes > 8 || bytes & (bytes - 1))
			return false;
	}
	return true;
}

int decode_events_add(struct decode_events *events,
		      const struct trapline_event *event)
{
	size_t need = (size_t)event->id + 1;

	if (event->id < 0 || !fields_are_sound(event))
		return -EINVAL;
	if (need > events->count) {
		struct decode_layout *grown;

		grown = realloc(events->layouts, need * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		memset(grown + events->count, 0,
		       (need - events->count) * sizeof(*grown));
		events->layouts = grown;
		events->count = need;
	}
	layout_fill(&events->layouts[event->id], event);
	return 0;
}

void decode_events_remove(struct decode_events *events,
			  const struct trapline_event *event)
{
	if (event->id >= 0 && (size_t)event->id < events->count)
		memset(&events->layouts[event->id], 0,
		       sizeof(events->layouts[0]));
}

void decode_events_free(struct decode_events *events)
{
	free(events->layouts);
	events->layouts = NULL;
	events->count = 0;
}

int decode_header(const void *bytes, size_t size, struct decode_packet *out)
{
	struct tl_packet_header header;
	uint64_t content_bits, packet_bits;

	if (size < sizeof(header))
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	content_bits = le64toh(header.content_bits);
	packet_bits = le64toh(header.packet_bits);
	if (le32toh(header.magic) != TL_PACKET_MAGIC || header.stream_id ||
	    le32toh(header.format) != TL_FORMAT)
		return -EBADMSG;
	if (content_bits % 8 || packet_bits % 8 ||
	    content_bits / 8 < sizeof(header) || content_bits > packet_bits ||
	    packet_bits / 8 > size)
		return -EBADMSG;
	out->begin_ns = le64toh(header.begin_ns);
	out->end_ns = le64toh(header.end_ns);
	if (out->begin_ns > out->end_ns)
		return -EBADMSG;
	out->sequence = le64toh(header.sequence);
	out->discarded = le64toh(header.discarded);
	out->content_bytes = (size_t)(content_bits / 8);
	out->cpu = le32toh(header.cpu);
	memcpy(out->uuid, header.uuid, sizeof(out->uuid));
	return 0;
}

int decode_start(struct decode_cursor *cursor,
		 const struct decode_events *events, const void *bytes,
		 size_t size)
{
	int rc = decode_header(bytes, size, &cursor->packet);

	cursor->events = events;
	cursor->bytes = bytes;
	cursor->position = sizeof(struct tl_packet_header);
	if (rc) {
		/* nothing behind a bad header: decode_next() says the end */
		cursor->packet.content_bytes = 0;
		return rc;
	}
	cursor->time_ns = cursor->packet.begin_ns;
	return 0;
}

/* What the two forms of the record header say. */
struct head {
	uint32_t id;
	uint32_t context;
	uint32_t tid;
	uint64_t time_ns;
	size_t bytes;
};

static int extended_head(const struct decode_cursor *cursor, size_t left,
			 struct head *head)
{
	struct tl_record_extended ext;
	uint32_t context;

	if (left < sizeof(ext))
		return -EBADMSG;
	memcpy(&ext, cursor->bytes + cursor->position, sizeof(ext));
	context = le32toh(ext.context);
	if (le32toh(ext.event) != TL_EVENT_EXTENDED || ext.reserved ||
	    context & ((1u << TL_EXTENDED_TID_SHIFT) - 1) & ~CTX_MASK)
		return -EBADMSG;
	head->id = le32toh(ext.id);
	head->context = context & CTX_MASK;
	head->tid = context >> TL_EXTENDED_TID_SHIFT;
	head->time_ns = le64toh(ext.time_ns);
	head->bytes = sizeof(ext);
	return 0;
}

static int record_head(const struct decode_cursor *cursor, size_t left,
		       struct head *head)
{
	uint64_t word;

	if (left < sizeof(word))
		return -EBADMSG;
	word = load_le(cursor->bytes + cursor->position, sizeof(word));
	head->id = word & ((1u << TL_RECORD_ID_BITS) - 1);
	if (head->id == TL_EVENT_EXTENDED)
		return extended_head(cursor, left, head);
	head->context = word >> TL_RECORD_CTX_SHIFT & CTX_MASK;
	head->tid = word >> TL_RECORD_TID_SHIFT & TID_MASK;
	head->time_ns = (cursor->time_ns & ~TIME_MASK) |
			(word >> TL_RECORD_TIME_SHIFT & TIME_MASK);
	if (head->time_ns < cursor->time_ns)
		head->time_ns += TIME_MASK + 1;
	head->bytes = sizeof(word);
	return 0;
}

static bool status_is_valid(unsigned char status, bool is_string)
{
	return status <= (is_string ? TL_STATUS_INCOMPLETE : TL_STATUS_FAULT);
}

/* Checks the status bytes against the fields; @status may be NULL. */
static int check_status(const struct decode_layout *layout,
			const unsigned char *status)
{
	const struct trapline_event *event = layout->event;
	unsigned int i;

	if (!status)
		return 0;
	if (is_return(event) && !status_is_valid(*status++, false))
		return -EBADMSG;
	for (i = 0; i < event->field_count; i++) {
		const struct field *field = &event->fields[i];

		if (!field->constant &&
		    !status_is_valid(*status++, !fixed_bytes(field)))
			return -EBADMSG;
	}
	return 0;
}

/* Can a field with a length before it be so long? */
static bool length_is_sound(const struct field *field, size_t length)
{
	if (!field->bytes)
		return true;	/* a string */
	if ((field->format == FIELD_KSTACK || field->format == FIELD_USTACK) &&
	    length % field->bytes)
		return false;
	return length <= field->elements * field->bytes;
}

/* Length of a payload with strings, or -EBADMSG if it goes past @left. */
static int measure_strings(const struct decode_layout *layout,
			   const unsigned char *payload, size_t left,
			   size_t *out)
{
	const struct trapline_event *event = layout->event;
	size_t at = is_return(event) ? CALLER_BYTES : 0;
	size_t length;
	unsigned int i;

	for (i = 0; i < event->field_count; i++) {
		const struct field *field = &event->fields[i];

		if (field->constant)
			continue;
		if (fixed_bytes(field)) {
			at += field->bytes;
			continue;
		}
		if (left < STRING_LENGTH_BYTES ||
		    at > left - STRING_LENGTH_BYTES)
			return -EBADMSG;
		length = load_le(payload + at, STRING_LENGTH_BYTES);
		if (!length_is_sound(field, length))
			return -EBADMSG;
		at += STRING_LENGTH_BYTES + length;
	}
	if (at > left)
		return -EBADMSG;
	*out = at;
	return 0;
}

static int record_body(struct decode_cursor *cursor, size_t left,
		       const struct head *head, struct trapline_record *record)
{
	const unsigned char *at =
		cursor->bytes + cursor->position + head->bytes;
	const struct decode_layout *layout;

	left -= head->bytes;
	if (head->id >= cursor->events->count)
		return -EBADMSG;
	layout = &cursor->events->layouts[head->id];
	if (!layout->event)
		return -EBADMSG;
	record->event = layout->event->whole ? layout->event->whole :
					       layout->event;
	record->place = layout->event->index;
	record->status = NULL;
	if (head->context & TL_CTX_EXCEPTIONAL) {
		if (left < layout->puts)
			return -EBADMSG;
		record->status = at;
		at += layout->puts;
		left -= layout->puts;
	}
	record->payload = at;
	record->payload_bytes = layout->fixed_bytes;
	if (left < layout->fixed_bytes)
		return -EBADMSG;
	if (layout->has_strings &&
	    measure_strings(layout, at, left, &record->payload_bytes))
		return -EBADMSG;
	return check_status(layout, record->status);
}

/* What is spare is zero in this format, and only an NMI is nested in one. */
static bool context_is_sound(uint32_t context)
{
	const uint32_t known = TL_CTX_LEVEL_MASK | TL_CTX_EXCEPTIONAL |
			       TL_CTX_NESTED;

	if (context & TL_CTX_NESTED &&
	    (context & TL_CTX_LEVEL_MASK) != TL_CTX_NMI)
		return false;
	return !(context & ~known);
}

int decode_next(struct decode_cursor *cursor, struct trapline_record *record)
{
	size_t end = cursor->packet.content_bytes;
	struct head head;
	size_t left, next;

	if (cursor->position >= end)
		return 0;
	left = end - cursor->position;
	if (record_head(cursor, left, &head))
		return -EBADMSG;
	if (!context_is_sound(head.context) || head.time_ns < cursor->time_ns ||
	    head.time_ns > cursor->packet.end_ns)
		return -EBADMSG;
	if (record_body(cursor, left, &head, record))
		return -EBADMSG;
	record->time_ns = head.time_ns;
	record->cpu = cursor->packet.cpu;
	record->tid = head.tid;
	record->context =
		(enum trapline_context)(head.context & TL_CTX_LEVEL_MASK);
	next = (size_t)(record->payload - cursor->bytes) +
	       record->payload_bytes;
	cursor->position = (next + TL_RECORD_ALIGN - 1) &
			   ~(size_t)(TL_RECORD_ALIGN - 1);
	cursor->time_ns = head.time_ns;
	return 1;
}

void decode_args_start(struct decode_args *args,
		       const struct trapline_record *record)
{
	args->record = record;
	args->at = record->payload;
	args->left = record->payload_bytes;
	args->put = 0;
	args->field = 0;
}

/* One put of @bytes, or a string where that is 0. */
static int take(struct decode_args *args, unsigned int bytes,
		struct decode_value *value)
{
	size_t need = bytes ? bytes : STRING_LENGTH_BYTES;

	value->status = args->record->status ?
				args->record->status[args->put] : TL_STATUS_OK;
	args->put++;
	if (args->left < need)
		return -EBADMSG;
	value->number = load_le(args->at, (unsigned int)need);
	args->at += need;
	args->left -= need;
	if (bytes)
		return 1;
	value->length = (size_t)value->number;
	if (args->left < value->length)
		return -EBADMSG;
	value->string = (const char *)args->at;
	args->at += value->length;
	args->left -= value->length;
	return 1;
}

int decode_args_caller(struct decode_args *args, struct decode_value *value)
{
	return take(args, CALLER_BYTES, value);
}

int decode_args_next(struct decode_args *args, const struct field **field,
		     struct decode_value *value)
{
	const struct trapline_event *event = event_part(args->record->event,
							args->record->place);

	if (args->field >= event->field_count)
		return args->left ? -EBADMSG : 0;
	*field = &event->fields[args->field++];
	if (!(*field)->constant)
		return take(args, fixed_bytes(*field), value);
	value->status = TL_STATUS_OK;
	value->number = (*field)->value;
	value->string = (*field)->string;
	value->length = value->string ? strlen(value->string) : 0;
	return 1;
}

uint64_t decode_element(const struct field *field,
			const struct decode_value *value, size_t index)
{
	const unsigned char *bytes = (const unsigned char *)value->string;

	return load_le(bytes + index * field->bytes, field->bytes);
}
