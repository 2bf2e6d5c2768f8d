// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as an ELF file that a process has mapped: its functions are read
 * inside of it or not at all, and found by any offset.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../userspace/lib/image.h"
#include "../unit/elf_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = elf_file(bytes, size);
	struct image *image = image_read(fd);
	uint64_t offset, into = 0;

	close(fd);
	for (offset = 0; offset < ELF_WORLD_OFFSET + 0x400; offset += 0x40) {
		const char *name = image_find(image, offset, &into);

		/* each byte of a name is there */
		assert_true(!name || strlen(name) < size);
	}
	image_find(image, UINT64_MAX, &into);
	image_free(image);
	return 0;
}
