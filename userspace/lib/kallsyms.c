// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The lines of /proc/kallsyms. Some 150,000 of them are read at each start, so
 * names are hashed on the way and used where they were read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "barred.h"
#include "error.h"
#include "kallsyms.h"

#define READ_BYTES (8 << 20) /* at first; doubled when it is full */

static int report_errno(struct trapline_error *err, const char *path)
{
	int error = errno;

	error_set(err, ERR_SYSTEM, -1, 0, path, strerror(error));
	if (err)
		err->os_errno = error;
	return -error;
}

static int no_memory(struct trapline_error *err)
{
	error_set(err, ERR_NO_MEMORY, -1, 0);
	return -ENOMEM;
}

static int read_all(int fd, const char *path, char **out, size_t *length,
		    struct trapline_error *err)
{
	size_t size = READ_BYTES;
	char *text = malloc(size);
	size_t used = 0;
	ssize_t got = 1;

	while (text && got) {
		if (used + 1 == size) {
			char *more = realloc(text, size *= 2);

			if (!more)
				free(text);
			text = more;
			continue;
		}
		got = read(fd, text + used, size - used - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			free(text);
			return report_errno(err, path);
		}
		used += (size_t)got;
	}
	if (!text)
		return no_memory(err);
	text[used] = '\0';
	*out = text;
	*length = used;
	return 0;
}

static int read_file(const char *path, char **out, size_t *length,
		     struct trapline_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return report_errno(err, path);
	ret = read_all(fd, path, out, length, err);
	close(fd);
	return ret;
}

/* ---- its lines -------------------------------------------------------- */

static size_t count_lines(const char *text, size_t length)
{
	const char *end = text + length;
	size_t lines = 0;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		lines++;
		text = newline ? newline + 1 : end;
	}
	return lines;
}

static const char *parse_address(const char *at, uint64_t *address)
{
	const char *start = at;
	uint64_t value = 0;

	for (;; at++) {
		unsigned int c = (unsigned char)*at;

		if (c >= '0' && c <= '9')
			value = value << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (c - 'a' + 10);
		else
			break;
	}
	*address = value;
	return at > start && at - start <= 16 ? at : NULL;
}

static bool ends_name(char c)
{
	return c == '\0' || c == '\n' || c == '\t' || c == ' ';
}

/* FNV-1a */
static uint64_t hash_step(uint64_t hash, char c)
{
	return (hash ^ (unsigned char)c) * 0x100000001b3ULL;
}

uint64_t kallsyms_hash(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	while (*name)
		hash = hash_step(hash, *name++);
	return hash;
}

/* The module's name in brackets at @at, or NULL; *next is behind it. */
static const char *parse_module(char *at, char **next)
{
	char *name = NULL;

	while (*at == '\t' || *at == ' ')
		at++;
	if (*at == '[') {
		name = ++at;
		while (*at && *at != ']' && *at != '\n')
			at++;
		if (*at == ']')
			*at++ = '\0';
	}
	while (*at && *at != '\n')
		at++;
	*next = at;
	return name;
}

/*
 * "ADDRESS TYPE NAME[\t[MODULE]]" becomes a symbol. Returns the next line, or
 * NULL if the line is not of that form.
 */
static char *parse_line(char *line, struct symbol *symbol, uint64_t *hash)
{
	const char *space = parse_address(line, &symbol->address);
	char *end, *next;

	if (!space || space[0] != ' ' || ends_name(space[1]) ||
	    space[2] != ' ' || ends_name(space[3]))
		return NULL;
	symbol->type = space[1];
	symbol->name = space + 3;
	*hash = kallsyms_hash("");
	for (end = line + (symbol->name - line); !ends_name(*end); end++)
		*hash = hash_step(*hash, *end);
	symbol->module = parse_module(end, &next);
	if (*next)
		*next++ = '\0';
	*end = '\0';
	return next;
}

static int parse_lines(struct kallsyms *file, size_t length, const char *path,
		       struct trapline_error *err)
{
	const char *end = file->text + length;
	char *line = file->text;
	const char *module = NULL;
	uint64_t any = 0;

	while (line < end) {
		struct symbol *symbol = &file->symbols[file->count];

		line = parse_line(line, symbol,
				  &file->hashes[file->count]);
		if (!line) {
			error_set(err, ERR_SYMBOLS_FORM, -1, 0, path,
				  (unsigned int)file->count + 1);
			return -EINVAL;
		}
		/* one pointer for each run of a module's symbols */
		if (symbol->module && module &&
		    !strcmp(symbol->module, module))
			symbol->module = module;
		module = symbol->module;
		any |= symbol->address;
		file->count++;
	}
	if (!file->count) {
		error_set(err, ERR_SYMBOLS_EMPTY, -1, 0, path);
		return -ENOENT;
	}
	if (any)
		return 0;
	error_set(err, ERR_SYMBOLS_HIDDEN, -1, 0, path);
	barred_symbols(err);
	return -EPERM;
}

static int allocate(struct kallsyms *file, size_t lines)
{
	/* not 0: calloc() might then give NULL */
	file->symbols = calloc(lines + 1, sizeof(file->symbols[0]));
	file->hashes = calloc(lines + 1, sizeof(file->hashes[0]));
	return file->symbols && file->hashes ? 0 : -ENOMEM;
}

int kallsyms_load(const char *path, struct kallsyms *file,
		  struct trapline_error *err)
{
	size_t length = 0;
	int ret;

	ret = read_file(path, &file->text, &length, err);
	if (ret)
		return ret;
	if (allocate(file, count_lines(file->text, length)))
		return no_memory(err);
	return parse_lines(file, length, path, err);
}

void kallsyms_free(struct kallsyms *file)
{
	free(file->hashes);
	free(file->symbols);
	free(file->text);
}
