// SPDX-License-Identifier: GPL-2.0-only
/* See symbols_world.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbols_world.h"

struct trapline_symbols *symbols;

struct trapline_event *parse_event(const char *line)
{
	struct trapline_event *event;
	struct trapline_error err;

	if (trapline_event_parse(line, symbols, &event, &err))
		fail_msg("%s: %s", line, err.text);
	assert_non_null(event);
	return event;
}

int load_symbols(void **state)
{
	(void)state;
	return trapline_symbols_load(TEST_DATA "/kallsyms.txt", &symbols,
				     NULL);
}

int free_symbols(void **state)
{
	(void)state;
	trapline_symbols_free(symbols);
	return 0;
}
