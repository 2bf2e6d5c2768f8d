/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one place where the library's version is written; the build reads it. */
#ifndef TRAPLINE_VERSION_H
#define TRAPLINE_VERSION_H

#define TRAPLINE_VERSION "1.0.0"

#endif
