// SPDX-License-Identifier: LGPL-2.1-or-later
/* The kernel's refusals as text. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "barred.h"
#include "error.h"
#include "event.h"
#include "refusal.h"

#define REASON_TEXT(number, name, text) [number] = text,
static const char *const reason_texts[] = { TL_ERROR_LIST(REASON_TEXT) };
#undef REASON_TEXT

/* What to do about it; reasons that only a bug can cause have none. */
static const char *const reason_hints[] = {
	[TL_ERR_PRIVILEGE] = "run as root, or with CAP_PERFMON",
	[TL_ERR_LOCKDOWN] =
		"boot with lockdown=integrity or none; see `trapline doctor`",
	[TL_ERR_PACKET_BYTES] =
		"packet sizes are powers of two from 4096 bytes on",
	[TL_ERR_PACKET_COUNT] = "packet counts are powers of two from 2 on",
	[TL_ERR_MEMORY] = "use smaller packets or fewer of them (-b, -n)",
	[TL_ERR_PLACE_REFUSED] =
		"/sys/kernel/debug/kprobes/blacklist lists what is forbidden; "
		"probe a caller of the function instead",
	[TL_ERR_PLACE_NOT_ENTRY] = "leave out the offset",
	[TL_ERR_PROG_BYTES] = "fetch fewer or shorter strings",
	[TL_ERR_PROG_LENGTH] = "fetch fewer arguments in one event",
	[TL_ERR_EVENTS] = "use a second session for the others",
	[TL_ERR_RING_BUSY] = "another reader of this session has it",
	[TL_ERR_TRACEPOINT] =
		"its module may have gone, or have been loaded by force, which "
		"the kernel does not trust with tracepoints",
};

const char *refusal_text(uint32_t code)
{
	if (code < sizeof(reason_texts) / sizeof(reason_texts[0]) &&
	    reason_texts[code])
		return reason_texts[code];
	return "a reason that this library does not know";
}

static const char *reason_hint(uint32_t code)
{
	if (code < sizeof(reason_hints) / sizeof(reason_hints[0]))
		return reason_hints[code];
	return NULL;
}

/*
 * The kernel uses errnos in its own way: EILSEQ is no wide character there. So
 * beside a reason stands the name, for who reads the kernel's source.
 */
static const char *errno_name(int number)
{
	const char *name = strerrorname_np(number);

	return name ? name : "unknown errno";
}

/* Those that are the fault of the place are shown under it. */
bool refusal_is_place(uint32_t code)
{
	return code == TL_ERR_PLACE_ADDRESS || code == TL_ERR_PLACE_REFUSED ||
	       code == TL_ERR_PLACE_BOUNDARY ||
	       code == TL_ERR_PLACE_NOT_ENTRY || code == TL_ERR_ARM_FAILED ||
	       code == TL_ERR_TRACEPOINT;
}

/* The place is the second word of a definition. */
void refusal_point(struct trapline_error *err, const char *line)
{
	static const char blanks[] = " \t\r\n";
	size_t start = strspn(line, blanks);

	if (!err)
		return;
	start += strcspn(line + start, blanks);
	start += strspn(line + start, blanks);
	if (!line[start])
		return;
	err->column = (int)start;
	err->length = (int)strcspn(line + start, blanks);
}

int refusal_all(const struct trapline_event *event, struct trapline_error *err)
{
	unsigned int i;

	if (!event->more_count)
		return 0;
	for (i = 0; i <= event->more_count; i++)
		if (!event_part(event, i)->refused.code)
			return 0;
	error_set(err, ERR_PLACES_REFUSED, -1, 0, event->more_count + 1,
		  event->place, event->symbol, refusal_text(event->refused.code));
	refusal_point(err, event->line);
	if (err)
		err->os_errno = EINVAL;
	return -EINVAL;
}

/* The function may end before the next one. */
void refusal_hint_instructions(struct trapline_error *err,
			       const struct trapline_event *part,
			       uint64_t before, uint64_t behind)
{
	const bool is_behind = behind != part->offset &&
			       behind < part->symbol_bytes;

	if (before != part->offset && is_behind)
		error_hint(err, "the nearest instructions begin at %s+%" PRIu64
			   " and %s+%" PRIu64, part->symbol, before,
			   part->symbol, behind);
	else if (before != part->offset || is_behind)
		error_hint(err, "the nearest instruction begins at %s+%" PRIu64,
			   part->symbol, is_behind ? behind : before);
}

static void name_event(char *buf, size_t size,
		       const struct trapline_event *event)
{
	if (event->backend == TL_BACKEND_TRACEPOINT)
		snprintf(buf, size, "%s/%s at the tracepoint %s: ",
			 event->group, event->name, event->symbol);
	else if (event->symbol)
		snprintf(buf, size, "%s/%s at %s+0x%" PRIx64 ": ",
			 event->group, event->name, event->symbol,
			 event->offset);
	else
		snprintf(buf, size, "%s/%s at 0x%" PRIx64 ": ", event->group,
			 event->name, event->address);
}

void refusal_set(struct trapline_error *err, int os_errno,
		 const struct tl_error *why,
		 const struct trapline_event *event)
{
	uint32_t code = why ? why->code : TL_ERR_NONE;
	int kernel_errno = why ? (int)why->kernel_errno : 0;
	char subject[256] = "", reason[512];

	if (!err)
		return;
	if (event)
		name_event(subject, sizeof(subject), event);
	/* without a reason the errno is all there is */
	if (code == TL_ERR_NONE)
		snprintf(reason, sizeof(reason), "%s%s", subject,
			 strerror(os_errno));
	else if (kernel_errno)
		snprintf(reason, sizeof(reason), "%s%s (%s)", subject,
			 refusal_text(code), errno_name(kernel_errno));
	else
		snprintf(reason, sizeof(reason), "%s%s", subject,
			 refusal_text(code));
	error_set(err, ERR_KERNEL, -1, 0, reason);
	err->os_errno = os_errno;
	if (event && event->line && refusal_is_place(code))
		refusal_point(err, event->line);
	if (reason_hint(code))
		error_hint(err, "%s", reason_hint(code));
	else if (code == TL_ERR_NONE && os_errno == ENOMEM)
		error_hint(err, "%s", reason_hint(TL_ERR_MEMORY));
}

void refusal_open(struct trapline_error *err, int os_errno)
{
	if (!err)
		return;
	switch (os_errno) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		error_set(err, ERR_NO_DEVICE, -1, 0);
		barred_module(err);
		break;
	case EACCES:
	case EPERM:
		error_set(err, ERR_DEVICE_PERMISSION, -1, 0);
		barred_device(err);
		break;
	default:
		error_set(err, ERR_SYSTEM, -1, 0, "/dev/trapline",
			  strerror(os_errno));
	}
	err->os_errno = os_errno;
}
