// SPDX-License-Identifier: GPL-2.0-only
/* See symbols_world.h. */
#include "symbols_world.h"

struct trapline_symbols *symbols;

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
