// SPDX-License-Identifier: GPL-2.0-only
/* See stream.h. The C library's streams are variables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stream.h"

void stream_catch(struct stream *stream)
{
	stream->stream = open_memstream(&stream->text, &stream->length);
	assert_non_null(stream->stream);
	stream->out = stdout;
	stream->err = stderr;
	stdout = stream->stream;
	stderr = stream->stream;
}

void stream_release(struct stream *stream)
{
	stdout = stream->out;
	stderr = stream->err;
	assert_int_equal(fclose(stream->stream), 0);
}
