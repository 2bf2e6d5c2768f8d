/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From an errno or a struct tl_error to a text that says what to do.
 */
#ifndef TRAPLINE_REFUSAL_H
#define TRAPLINE_REFUSAL_H

#include "../../uapi/trapline.h"
#include "trapline.h"

/**
 * refusal_set() - the kernel refused an ioctl
 * @err: filled; NULL is allowed
 * @os_errno: what the ioctl failed with, positive
 * @why: the kernel's reason; NULL where the struct has none
 * @event: the event concerned, or NULL
 */
void refusal_set(struct trapline_error *err, int os_errno,
		 const struct tl_error *why,
		 const struct trapline_event *event);

/** refusal_text() - a TL_ERR_* as a text */
const char *refusal_text(uint32_t code);
/** refusal_is_place() - is it the fault of the place, and not of the event? */
bool refusal_is_place(uint32_t code);

/** refusal_point() - the place in the line is what is wrong */
void refusal_point(struct trapline_error *err, const char *line);

/** refusal_all() - an error if all of several places are refused, else 0 */
int refusal_all(const struct trapline_event *event, struct trapline_error *err);

/**
 * refusal_hint_instructions() - a place is inside an instruction: the nearest ones
 * @err: has the refusal
 * @part: the place
 * @before: offset of the one before; that of @part: not known
 * @behind: of the one behind; that of @part, or behind the function: there is none
 */
void refusal_hint_instructions(struct trapline_error *err,
			       const struct trapline_event *part,
			       uint64_t before, uint64_t behind);

/** refusal_open() - /dev/trapline cannot be opened */
void refusal_open(struct trapline_error *err, int os_errno);

#endif
