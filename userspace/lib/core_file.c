// SPDX-License-Identifier: LGPL-2.1-or-later
/* See core_file.h. libelf does the checking. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include <gelf.h>
#include <libelf.h>

#include "core_file.h"

/* Where memory is in the file, and how much of it. */
struct segment {
	uint64_t offset;
	uint64_t bytes;
};

static bool is_core(Elf *elf, unsigned int machine)
{
	GElf_Ehdr ehdr;

	return elf && elf_kind(elf) == ELF_K_ELF &&
	       gelf_getehdr(elf, &ehdr) && ehdr.e_type == ET_CORE &&
	       ehdr.e_machine == machine;
}

/* What of a segment is at @address and behind it. */
static bool find_segment(Elf *elf, uint64_t address, struct segment *found)
{
	size_t count = 0, i;
	GElf_Phdr phdr;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (i = 0; i < count && gelf_getphdr(elf, (int)i, &phdr); i++) {
		const uint64_t into = address - phdr.p_vaddr;

		if (phdr.p_type != PT_LOAD || address < phdr.p_vaddr ||
		    into >= phdr.p_filesz)
			continue;
		found->offset = phdr.p_offset + into;
		found->bytes = phdr.p_filesz - into;
		return true;
	}
	return false;
}

static size_t read_at(int fd, uint64_t offset, unsigned char *to, size_t bytes)
{
	size_t done = 0;
	ssize_t got = 1;

	while (done < bytes && got) {
		got = pread(fd, to + done, bytes - done,
			    (off_t)(offset + done));
		if (got < 0 && errno != EINTR)
			break;
		done += got > 0 ? (size_t)got : 0;
	}
	return done;
}

size_t core_file_read(const char *path, unsigned int machine, uint64_t address,
		      void *to, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct segment segment = { 0 };
	Elf *elf = NULL;

	if (fd < 0)
		return 0;
	if (elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!is_core(elf, machine) || !find_segment(elf, address, &segment))
		segment.bytes = 0;
	elf_end(elf);
	if (bytes > segment.bytes)
		bytes = segment.bytes;
	bytes = read_at(fd, segment.offset, to, bytes);
	close(fd);
	return bytes;
}
