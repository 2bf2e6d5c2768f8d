// SPDX-License-Identifier: LGPL-2.1-or-later
/* The library's version. */
#include "trapline.h"
#include "version.h"

const char *trapline_version(void)
{
	return TRAPLINE_VERSION;
}
