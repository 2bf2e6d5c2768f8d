// SPDX-License-Identifier: LGPL-2.1-or-later
/* The functions of an ELF file, by libelf, which does the checking. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <gelf.h>
#include <libelf.h>

#include "image.h"

/* More than any compiler makes is not read: a file may claim anything. */
#define SECTION_BYTES_MAX (UINT64_C(256) << 20)
#define SEGMENTS_MAX 64
#define FIRST_ROOM 256

/**
 * struct function - one symbol
 * @value: its address in the file's own terms
 * @bytes: its size; 0: up to the next one
 * @name: of it
 * @rank: which one of several at one address is shown: the lowest
 */
struct function {
	uint64_t value;
	uint64_t bytes;
	const char *name;
	unsigned int rank;
};

/** struct segment - what of the file is loaded where */
struct segment {
	uint64_t offset;
	uint64_t value;
	uint64_t bytes;
};

/**
 * struct image - the functions of a file
 * @elf: has their names
 * @file_bytes: length of the file
 * @segments: of code and data
 * @segment_count: how many
 * @functions: by their address, one for each
 * @count: how many
 * @room: how many there could be
 */
struct image {
	Elf *elf;
	uint64_t file_bytes;
	struct segment segments[SEGMENTS_MAX];
	unsigned int segment_count;
	struct function *functions;
	size_t count;
	size_t room;
};

static void read_segments(struct image *image)
{
	size_t count = 0, i;
	GElf_Phdr phdr;

	if (elf_getphdrnum(image->elf, &count))
		return;
	for (i = 0; i < count && image->segment_count < SEGMENTS_MAX; i++) {
		struct segment *segment =
			&image->segments[image->segment_count];

		if (!gelf_getphdr(image->elf, (int)i, &phdr))
			return;
		if (phdr.p_type != PT_LOAD || !phdr.p_filesz)
			continue;
		segment->offset = phdr.p_offset;
		segment->value = phdr.p_vaddr;
		segment->bytes = phdr.p_filesz;
		image->segment_count++;
	}
}

/* Of several names of one address: public before local, as written before __. */
static unsigned int rank_of(const GElf_Sym *sym, const char *name)
{
	static const unsigned char ranks[] = {
		[STB_LOCAL] = 2, [STB_GLOBAL] = 0, [STB_WEAK] = 1,
	};
	unsigned int bind = GELF_ST_BIND(sym->st_info);
	unsigned int rank = bind < sizeof(ranks) ? ranks[bind] : 3;

	return rank + 4 * (unsigned int)strspn(name, "_");
}

static bool add_function(struct image *image, const GElf_Sym *sym,
			 const char *name)
{
	struct function *grown;

	if (image->count == image->room) {
		size_t room = image->room ? 2 * image->room : FIRST_ROOM;

		grown = realloc(image->functions, room * sizeof(*grown));
		if (!grown)
			return false;
		image->functions = grown;
		image->room = room;
	}
	image->functions[image->count++] = (struct function){
		.value = sym->st_value,
		.bytes = sym->st_size,
		.name = name,
		.rank = rank_of(sym, name),
	};
	return true;
}

static bool is_function(const GElf_Sym *sym)
{
	const unsigned int type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	       sym->st_shndx != SHN_UNDEF;
}

/* Is the section all in the file, and not too large? */
static bool is_readable(const struct image *image, const GElf_Shdr *shdr)
{
	return shdr->sh_size && shdr->sh_size <= SECTION_BYTES_MAX &&
	       shdr->sh_offset <= image->file_bytes &&
	       shdr->sh_size <= image->file_bytes - shdr->sh_offset;
}

/* The names of @section, if it can have any. */
static bool has_names(const struct image *image, size_t section)
{
	Elf_Scn *scn = elf_getscn(image->elf, section);
	GElf_Shdr shdr;

	return scn && gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_STRTAB &&
	       is_readable(image, &shdr);
}

static void read_symbols(struct image *image, Elf_Scn *scn,
			 const GElf_Shdr *shdr)
{
	Elf_Data *data;
	size_t bytes, count;
	GElf_Sym sym;
	int i;

	if (!is_readable(image, shdr) || !has_names(image, shdr->sh_link))
		return;
	data = elf_getdata(scn, NULL);
	bytes = gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
	if (!data || !bytes)
		return;
	count = data->d_size / bytes;
	for (i = 0; i < (int)count && gelf_getsym(data, i, &sym); i++) {
		const char *name;

		if (!is_function(&sym))
			continue;
		name = elf_strptr(image->elf, shdr->sh_link, sym.st_name);
		if (name && *name && !add_function(image, &sym, name))
			return;
	}
}

static void read_section(struct image *image, unsigned int type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(image->elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == type)
			read_symbols(image, scn, &shdr);
}

static int compare(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* One function for each address, as large as the largest there. */
static void sort(struct image *image)
{
	struct function *at = image->functions;
	size_t kept = 0, i;

	qsort(at, image->count, sizeof(*at), compare);
	for (i = 0; i < image->count; i++) {
		if (kept && at[kept - 1].value == at[i].value) {
			if (at[kept - 1].bytes < at[i].bytes)
				at[kept - 1].bytes = at[i].bytes;
			continue;
		}
		at[kept++] = at[i];
	}
	image->count = kept;
}

struct image *image_read(int fd)
{
	struct image *image = calloc(1, sizeof(*image));
	struct stat st;

	if (!image || fstat(fd, &st) || elf_version(EV_CURRENT) == EV_NONE)
		goto none;
	image->file_bytes = (uint64_t)st.st_size;
	image->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF)
		goto none;
	read_segments(image);
	read_section(image, SHT_SYMTAB);
	if (!image->count)
		read_section(image, SHT_DYNSYM);
	if (!image->count || !image->segment_count)
		goto none;
	sort(image);
	/* all that is needed is in memory */
	elf_cntl(image->elf, ELF_C_FDDONE);
	return image;
none:
	image_free(image);
	return NULL;
}

void image_free(struct image *image)
{
	if (!image)
		return;
	elf_end(image->elf);
	free(image->functions);
	free(image);
}

/* Where the offset is loaded, in the file's own terms. */
static bool to_value(const struct image *image, uint64_t offset,
		     uint64_t *value)
{
	unsigned int i;

	for (i = 0; i < image->segment_count; i++) {
		const struct segment *segment = &image->segments[i];

		if (offset < segment->offset ||
		    offset - segment->offset >= segment->bytes)
			continue;
		*value = offset - segment->offset + segment->value;
		return true;
	}
	return false;
}

const char *image_find(const struct image *image, uint64_t offset,
		       uint64_t *into)
{
	const struct function *found;
	size_t low = 0, high;
	uint64_t value;

	if (!image || !to_value(image, offset, &value))
		return NULL;
	/* the first one that begins behind it */
	for (high = image->count; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (image->functions[middle].value <= value)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	found = &image->functions[low - 1];
	*into = value - found->value;
	return !found->bytes || *into < found->bytes ? found->name : NULL;
}
