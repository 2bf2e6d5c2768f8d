/* SPDX-License-Identifier: GPL-2.0-only */
/* What the command prints, caught. */
#ifndef TRAPLINE_FUZZ_STREAM_H
#define TRAPLINE_FUZZ_STREAM_H

#include <stddef.h>
#include <stdio.h>

/**
 * struct stream - standard output and error while they are caught
 * @out: the former one
 * @err: and the other
 * @text: what was printed on both, in its order
 * @length: of @text
 * @stream: into @text
 */
struct stream {
	FILE *out;
	FILE *err;
	char *text;
	size_t length;
	FILE *stream;
};

void stream_catch(struct stream *stream);
/** stream_release() - as before; @text must be freed */
void stream_release(struct stream *stream);

#endif
