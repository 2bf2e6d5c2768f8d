/* SPDX-License-Identifier: GPL-2.0-only */
/* A small ELF file, for what reads symbols of programs. */
#ifndef TRAPLINE_ELF_WORLD_H
#define TRAPLINE_ELF_WORLD_H

#include <stddef.h>
#include <stdint.h>

/* Code would be at this offset in the file, and is there in its own terms. */
#define ELF_WORLD_OFFSET 0x1000
#define ELF_WORLD_VALUE 0x401000
#define ELF_WORLD_CODE_BYTES 0x1000
#define ELF_WORLD_BYTES 0x700

/** struct elf_symbol - one symbol; @value is from the start of the code */
struct elf_symbol {
	const char *name;
	uint64_t value;
	uint64_t bytes;
	unsigned char bind;
	unsigned char type;
};

/**
 * elf_build() - an x86-64 file with these symbols
 * @bytes: room for ELF_WORLD_BYTES
 * @section: SHT_SYMTAB or SHT_DYNSYM: where they are
 * @symbols: the last one has no name
 */
void elf_build(unsigned char *bytes, unsigned int section,
	       const struct elf_symbol *symbols);

/** elf_file() - a descriptor of a file without a name, with these bytes */
int elf_file(const unsigned char *bytes, size_t size);

#endif
