// SPDX-License-Identifier: GPL-2.0-only
/* See elf_world.h. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf_world.h"

#define SECTIONS_AT 0x200
#define SYMBOLS_AT 0x300
#define NAMES_AT 0x600
#define SYMBOLS_MAX 32

enum { NONE, SYMBOLS, NAMES, SECTION_COUNT };

static void build_head(unsigned char *bytes)
{
	const Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(ehdr),
		.e_shoff = SECTIONS_AT,
		.e_ehsize = sizeof(ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTION_COUNT,
	};
	const Elf64_Phdr phdr = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = ELF_WORLD_OFFSET,
		.p_vaddr = ELF_WORLD_VALUE,
		.p_filesz = ELF_WORLD_CODE_BYTES,
		.p_memsz = ELF_WORLD_CODE_BYTES,
	};

	memcpy(bytes, &ehdr, sizeof(ehdr));
	memcpy(bytes + sizeof(ehdr), &phdr, sizeof(phdr));
}

void elf_build(unsigned char *bytes, unsigned int section,
	       const struct elf_symbol *symbols)
{
	Elf64_Shdr shdrs[SECTION_COUNT] = {
		[SYMBOLS] = { .sh_type = section, .sh_offset = SYMBOLS_AT,
			      .sh_link = NAMES, .sh_entsize = sizeof(Elf64_Sym) },
		[NAMES] = { .sh_type = SHT_STRTAB, .sh_offset = NAMES_AT },
	};
	Elf64_Sym sym = { 0 };
	size_t names = 1, count = 0;

	memset(bytes, 0, ELF_WORLD_BYTES);
	build_head(bytes);
	for (count = 1; symbols->name; symbols++, count++) {
		assert_true(count < SYMBOLS_MAX);
		sym.st_name = (Elf64_Word)names;
		sym.st_info = ELF64_ST_INFO(symbols->bind, symbols->type);
		sym.st_shndx = SYMBOLS;
		sym.st_value = ELF_WORLD_VALUE + symbols->value;
		sym.st_size = symbols->bytes;
		memcpy(bytes + SYMBOLS_AT + count * sizeof(sym), &sym,
		       sizeof(sym));
		strcpy((char *)bytes + NAMES_AT + names, symbols->name);
		names += strlen(symbols->name) + 1;
	}
	shdrs[SYMBOLS].sh_size = count * sizeof(sym);
	shdrs[NAMES].sh_size = names;
	memcpy(bytes + SECTIONS_AT, shdrs, sizeof(shdrs));
}

int elf_file(const unsigned char *bytes, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	return fd;
}
