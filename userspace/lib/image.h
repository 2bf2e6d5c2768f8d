/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of an ELF file: from an offset in the file to a name. The file
 * is somebody else's, and may be anything.
 */
#ifndef TRAPLINE_IMAGE_H
#define TRAPLINE_IMAGE_H

#include <stdint.h>

struct image;

/**
 * image_read() - read what an ELF file says of its functions
 * @fd: the file; it is read, not mapped, since it may be cut meanwhile
 *
 * From .symtab, or where that has none from .dynsym. Returns NULL where there
 * are none, or no memory.
 */
struct image *image_read(int fd);
void image_free(struct image *image);

/**
 * image_find() - the function that contains an offset in the file
 * @image: may be NULL
 * @offset: in the file
 * @into: out: how far that is behind the function's start
 *
 * Returns its name or NULL.
 */
const char *image_find(const struct image *image, uint64_t offset,
		       uint64_t *into);

#endif
