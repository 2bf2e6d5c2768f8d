/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A reader inside the library: what opens the rings (reader_ring.c) and what
 * reads them (reader.c) have in common.
 */
#ifndef TRAPLINE_READER_H
#define TRAPLINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "merge.h"
#include "session.h"
#include "trapline.h"

/**
 * struct ring - the ring of one CPU of one session
 * @input: first, for the merge
 * @next: list of all rings
 * @session: whose
 * @fd: the ring's file
 * @map: its mapping, read-only
 * @map_bytes: length of @map
 * @watched: it is in the reader's epoll
 */
struct ring {
	struct merge_input input;
	struct ring *next;
	struct trapline_session *session;
	int fd;
	const unsigned char *map;
	size_t map_bytes;
	bool watched;
};

/**
 * struct source - a session of a reader
 * @next: list of all
 * @session: it
 * @sink: where its records go; its inputs point here
 * @held: a snapshot of it is being read
 */
struct source {
	struct source *next;
	struct trapline_session *session;
	struct trapline_sink sink;
	bool held;
};

/**
 * struct trapline_reader - a reader
 * @merge: of all rings
 * @rings: of all sessions
 * @sources: the sessions
 * @epoll_fd: watches the rings that have not ended
 * @flushed: when the last round flushed
 */
struct trapline_reader {
	struct merge merge;
	struct ring *rings;
	struct source *sources;
	int epoll_fd;
	struct timespec flushed;
};

/** reader_error() - "what: why" of an errno; returns @rc */
int reader_error(struct trapline_error *err, const char *what, int rc);

/** reader_overwrites() - does a session of the reader overwrite? */
bool reader_overwrites(const struct trapline_reader *reader);

#endif
