/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stacks as text: " NAME=[NEWEST <- ... <- OLDEST]". */
#ifndef TRAPLINE_FORMAT_STACK_H
#define TRAPLINE_FORMAT_STACK_H

#include "decode.h"
#include "text.h"

/** format_kernel_stack() - frames as functions of the kernel; @symbols or NULL */
void format_kernel_stack(struct text *text, const struct field *field,
			 const struct decode_value *value,
			 const struct trapline_record *record,
			 const struct trapline_symbols *symbols);
/** format_user_stack() - frames as functions of files; @processes or NULL */
void format_user_stack(struct text *text, const struct field *field,
		       const struct decode_value *value,
		       const struct trapline_record *record,
		       struct trapline_processes *processes);

#endif
