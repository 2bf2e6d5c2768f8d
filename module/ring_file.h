/* SPDX-License-Identifier: GPL-2.0-only */
/* Ring files: what a reader has of one CPU's ring. */
#ifndef TL_RING_FILE_H
#define TL_RING_FILE_H

#include "command.h"
#include "session.h"

int tl_ring_file_open(struct tl_session *session, struct tl_call *call);

#endif
