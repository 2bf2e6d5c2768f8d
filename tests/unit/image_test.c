// SPDX-License-Identifier: GPL-2.0-only
/* Functions of ELF files: found by their offset; files that are not what they say. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../userspace/lib/image.h"
#include "elf_world.h"
#include "random_world.h"

#define ROUNDS 20000
#define AT(offset) (ELF_WORLD_OFFSET + (offset))

static const struct elf_symbol symbols[] = {
	{ "second", 0x100, 0x40, STB_GLOBAL, STT_FUNC },
	{ "first", 0, 0x10, STB_LOCAL, STT_FUNC },
	{ "data", 0x20, 0x40, STB_GLOBAL, STT_OBJECT },
	/* one address, several names: the public, plain one */
	{ "__alias", 0x200, 0x20, STB_GLOBAL, STT_FUNC },
	{ "alias_local", 0x200, 0, STB_LOCAL, STT_FUNC },
	{ "alias", 0x200, 0x10, STB_WEAK, STT_FUNC },
	{ "open", 0x300, 0, STB_GLOBAL, STT_FUNC },
	{ "chosen", 0x400, 8, STB_GLOBAL, STT_GNU_IFUNC },
	{ "", 0x500, 8, STB_GLOBAL, STT_FUNC },
	{ NULL, 0, 0, 0, 0 },
};

static unsigned char bytes[ELF_WORLD_BYTES];

static struct image *read_bytes(size_t size)
{
	int fd = elf_file(bytes, size);
	struct image *image = image_read(fd);

	close(fd);
	return image;
}

static void expect(const struct image *image, uint64_t offset, const char *name,
		   uint64_t into)
{
	uint64_t found = 0;
	const char *got = image_find(image, offset, &found);

	if (!name) {
		assert_null(got);
		return;
	}
	assert_non_null(got);
	assert_string_equal(got, name);
	assert_int_equal(found, into);
}

static void check_all(unsigned int section)
{
	struct image *image;

	elf_build(bytes, section, symbols);
	image = read_bytes(sizeof(bytes));
	assert_non_null(image);
	expect(image, AT(0), "first", 0);
	expect(image, AT(0xf), "first", 0xf);
	expect(image, AT(0x10), NULL, 0);
	expect(image, AT(0x20), NULL, 0);	/* data */
	expect(image, AT(0x13f), "second", 0x3f);
	expect(image, AT(0x140), NULL, 0);
	/* the best name, with the longest size of that address */
	expect(image, AT(0x21f), "alias", 0x1f);
	/* without a size: up to the next one */
	expect(image, AT(0x3ff), "open", 0xff);
	expect(image, AT(0x407), "chosen", 7);
	expect(image, AT(0x500), NULL, 0);
	/* what is not loaded is at no address */
	expect(image, 0, NULL, 0);
	expect(image, AT(0) - 1, NULL, 0);
	expect(image, AT(ELF_WORLD_CODE_BYTES), NULL, 0);
	expect(image, UINT64_MAX, NULL, 0);
	expect(NULL, AT(0), NULL, 0);
	image_free(image);
}

static void names_by_offset(void **state)
{
	(void)state;
	check_all(SHT_SYMTAB);
	/* a file that was stripped still has what it exports */
	check_all(SHT_DYNSYM);
}

static void not_elf(void **state)
{
	size_t size;

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	assert_null(read_bytes(sizeof(bytes)));
	assert_null(read_bytes(0));
	/* no symbols at all */
	elf_build(bytes, SHT_PROGBITS, symbols);
	assert_null(read_bytes(sizeof(bytes)));
	/* cut anywhere before the end of the names */
	elf_build(bytes, SHT_SYMTAB, symbols);
	for (size = 0; size < 0x600; size++)
		assert_null(read_bytes(size));
}

/* The headers, sections and symbols, where changes matter; now and then elsewhere. */
static size_t some_place(void)
{
	static const size_t starts[] = { 0, 0x200, 0x300, 0x600 };

	if (random_number() % 16 == 0)
		return random_number() % sizeof(bytes);
	return starts[random_number() % 4] + random_number() % 0xc0;
}

/* Whatever a file says of itself, it is read inside of it, or not. */
static void hostile(void **state)
{
	static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };
	unsigned int round, readable = 0, i;
	uint64_t into;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		size_t size = sizeof(bytes);
		struct image *image;

		elf_build(bytes, round & 1 ? SHT_SYMTAB : SHT_DYNSYM, symbols);
		for (i = 0; i < 1 + round % 8; i++)
			bytes[some_place()] = random_number() & 1 ?
				values[random_number() % sizeof(values)] :
				(unsigned char)random_number();
		if (round % 10 == 0)
			size = random_number() % sizeof(bytes);
		image = read_bytes(size);
		readable += image != NULL;
		for (i = 0; i < 40; i++) {
			const char *name = image_find(image, AT(i * 0x20),
						      &into);

			assert_true(!name || strlen(name) < sizeof(bytes));
		}
		image_free(image);
	}
	/* worth something only if many of them come through */
	assert_in_range(readable, ROUNDS / 4, ROUNDS * 19 / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_by_offset),
		cmocka_unit_test(not_elf),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
