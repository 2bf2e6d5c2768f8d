// SPDX-License-Identifier: LGPL-2.1-or-later
/* See btf.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "btf.h"
#include "kallsyms.h"

/**
 * struct types_file - the BTF of the kernel or of a module
 * @module: NULL for the kernel
 * @btf: NULL if it could not be read
 * @missing: why, if it could not be read
 * @slots: hash table of the functions and structs, by name; 0: empty
 * @slot_count: a power of two
 * @next: the next module
 */
struct types_file {
	char *module;
	struct btf *btf;
	char *missing;
	uint32_t *slots;
	uint32_t slot_count;
	struct types_file *next;
};

/**
 * struct types - all that was read
 * @folder: where the files are
 * @files: the kernel's last, since the modules' refer to it
 */
struct types {
	char *folder;
	struct types_file *files;
};

/* ---- the table of names ----------------------------------------------- */

static bool has_entry(const struct btf_type *type)
{
	switch (btf_kind(type)) {
	case BTF_KIND_FUNC:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_TYPEDEF:
		return type->name_off;
	}
	return false;
}

/* What a file has itself begins behind what the kernel's has. */
static uint32_t first_id(const struct types_file *file)
{
	const struct btf *base = btf__base_btf(file->btf);

	return base ? btf__type_cnt(base) : 1;
}

static bool make_table(struct types_file *file)
{
	const uint32_t end = btf__type_cnt(file->btf);
	const char *name;
	uint32_t id, slot;

	file->slot_count = 16;
	while (file->slot_count / 2 < end - first_id(file))
		file->slot_count *= 2;
	file->slots = calloc(file->slot_count, sizeof(file->slots[0]));
	if (!file->slots)
		return false;
	for (id = first_id(file); id < end; id++) {
		const struct btf_type *type = btf__type_by_id(file->btf, id);

		if (!has_entry(type))
			continue;
		name = btf__name_by_offset(file->btf, type->name_off);
		slot = (uint32_t)kallsyms_hash(name);
		while (file->slots[slot & (file->slot_count - 1)])
			slot++;
		file->slots[slot & (file->slot_count - 1)] = id;
	}
	return true;
}

/*
 * The next of that name that is a function, or is none; 0: there is none.
 * There can be several: each file has its own static functions and structs.
 * @slot is where to look, the hash of the name at first.
 */
static uint32_t find_next(const struct types_file *file, const char *name,
			  bool function, uint32_t *slot)
{
	const struct btf_type *type;
	uint32_t id;

	for (;;) {
		id = file->slots[(*slot)++ & (file->slot_count - 1)];
		if (!id)
			return 0;
		type = btf__type_by_id(file->btf, id);
		if (btf_is_func(type) == function &&
		    !strcmp(btf__name_by_offset(file->btf, type->name_off),
			    name))
			return id;
	}
}

/* ---- files ------------------------------------------------------------ */

static void free_file(struct types_file *file)
{
	if (!file)
		return;
	btf__free(file->btf);
	free(file->slots);
	free(file->missing);
	free(file->module);
	free(file);
}

struct types *types_new(const char *folder)
{
	struct types *types = calloc(1, sizeof(*types));

	if (!types)
		return NULL;
	types->folder = strdup(folder);
	if (types->folder)
		return types;
	free(types);
	return NULL;
}

void types_free(struct types *types)
{
	struct types_file *file, *next;

	if (!types)
		return;
	for (file = types->files; file; file = next) {
		next = file->next;
		free_file(file);
	}
	free(types->folder);
	free(types);
}

/* libbpf tells its troubles on stderr unless it is told not to. */
static struct btf *parse_quietly(const char *path, struct btf *base)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct btf *btf = btf__parse_raw_split(path, base);
	int error = errno;

	libbpf_set_print(print);
	errno = error;
	return btf;
}

/* Read a file; what goes wrong is kept as a text. False: no memory. */
static bool read_file(const struct types *types, struct types_file *file,
		      struct btf *base)
{
	const char *name = file->module ? file->module : "vmlinux";
	char *path;

	if (asprintf(&path, "%s/%s", types->folder, name) < 0)
		return false;
	file->btf = parse_quietly(path, base);
	if (!file->btf && errno != ENOMEM &&
	    asprintf(&file->missing, "%s: %s", path,
		     errno == ENOENT ? "there is no such file" :
		     errno == EINVAL || errno == EPROTO ? "it is not BTF that can be read" :
				       strerror(errno)) < 0)
		file->missing = NULL;
	free(path);
	return file->btf ? make_table(file) : file->missing != NULL;
}

static struct types_file *get_file(struct types *types, const char *module)
{
	struct types_file *kernel = NULL;
	struct types_file *file;

	for (file = types->files; file; file = file->next)
		if (module && file->module ? !strcmp(file->module, module) :
					     !module == !file->module)
			return file;
	if (module) {
		kernel = get_file(types, NULL);
		if (!kernel || !kernel->btf)
			return kernel;
	}
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	if (module)
		file->module = strdup(module);
	if ((module && !file->module) ||
	    !read_file(types, file, kernel ? kernel->btf : NULL)) {
		free_file(file);
		return NULL;
	}
	file->next = types->files;
	types->files = file;
	return file;
}

int types_load(struct types *types, const char *module, const char **missing)
{
	const struct types_file *file = get_file(types, module);

	if (!file)
		return -ENOMEM;
	*missing = file->missing;
	return 0;
}

/* ---- look-up ---------------------------------------------------------- */

static bool read_proto(const struct btf *btf, uint32_t id,
		       struct types_function *function)
{
	const struct btf_type *proto = btf__type_by_id(btf, id);
	uint32_t count;

	if (!proto || !btf_is_func_proto(proto))
		return false;
	count = btf_vlen(proto);
	/* "..." is a last parameter of type void */
	function->is_variadic = count && !btf_params(proto)[count - 1].type;
	function->param_count = count - function->is_variadic;
	function->proto = (struct types_ref){ btf, id };
	function->result = (struct types_ref){ btf, proto->type };
	function->first = 0;
	function->nameless = 0;
	return true;
}

/* A function, or "btf_trace_NAME", which is a pointer to one. */
static bool read_function(struct types_ref ref, struct types_function *function)
{
	const struct btf_type *type = btf__type_by_id(ref.btf, ref.id);
	struct types_shape shape;

	if (btf_is_func(type))
		return read_proto(ref.btf, type->type, function);
	types_look(ref, &shape);
	return shape.kind == TYPES_POINTER &&
	       read_proto(ref.btf, shape.inner.id, function);
}

/* Stubs of system calls name their only parameter so, the calls do not. */
static bool is_unused(const char *name)
{
	return !name[0] || !strcmp(name, "__unused");
}

/*
 * Two functions of one name: are their types the same? What they do not both
 * call the same has no name, for it is not known which of them this one is.
 */
static bool merge_functions(struct types_function *function,
			    struct types_function *other)
{
	struct types_ref one, two;
	unsigned int i;

	if (function->param_count != other->param_count ||
	    function->is_variadic != other->is_variadic ||
	    !types_same(function->result, other->result))
		return false;
	other->nameless = function->nameless;
	for (i = 0; i < function->param_count; i++) {
		const char *name = types_param(function, i, &one);
		const char *other_name = types_param(other, i, &two);

		if (!types_same(one, two))
			return false;
		if (i < 64 && !is_unused(name) && !is_unused(other_name) &&
		    strcmp(name, other_name))
			other->nameless |= 1ull << i;
	}
	function->nameless = other->nameless;
	if (i && is_unused(types_param(function, 0, &one)))
		*function = *other;
	return true;
}

static enum types_found look_up(struct types *types, const char *module,
				const char *name, bool is_function,
				struct types_function *function)
{
	const struct types_file *file = get_file(types, module);
	uint32_t slot = (uint32_t)kallsyms_hash(name);
	enum types_found found = TYPES_NONE;
	struct types_function other;
	struct types_ref ref;

	if (!file || !file->btf)
		return TYPES_NONE;
	ref.btf = file->btf;
	while ((ref.id = find_next(file, name, is_function, &slot))) {
		if (!read_function(ref, &other))
			continue;
		if (found == TYPES_NONE)
			*function = other;
		else if (!merge_functions(function, &other))
			return TYPES_SEVERAL;
		found = TYPES_FOUND;
	}
	return found;
}

enum types_found types_function(struct types *types, const char *module,
				const char *name,
				struct types_function *function)
{
	return look_up(types, module, name, true, function);
}

/*
 * What calls the probes, or stands for one, has the names of the arguments. The
 * type of a probe has not.
 */
enum types_found types_tracepoint(struct types *types, const char *module,
				  const char *name,
				  struct types_function *function)
{
	static const char *const prefixes[] = {
		"__probestub_", "__traceiter_", "btf_trace_",
	};
	enum types_found found = TYPES_NONE;
	char full[256];
	int i;

	for (i = 0; i < 3 && found == TYPES_NONE; i++) {
		snprintf(full, sizeof(full), "%s%s", prefixes[i], name);
		found = look_up(types, module, full, i < 2, function);
		if (found == TYPES_FOUND && !function->param_count)
			found = TYPES_NONE;
	}
	if (found != TYPES_FOUND)
		return found;
	/* the first one is the probe's own */
	function->first = 1;
	function->param_count--;
	return found;
}

const char *types_param(const struct types_function *function,
			unsigned int index, struct types_ref *type)
{
	const struct btf *btf = function->proto.btf;
	const struct btf_type *proto = btf__type_by_id(btf, function->proto.id);
	const unsigned int i = function->first + index;
	const struct btf_param *param = &btf_params(proto)[i];
	const char *name = btf__name_by_offset(btf, param->name_off);

	*type = (struct types_ref){ btf, param->type };
	return name && !(i < 64 && function->nameless >> i & 1) ? name : "";
}

/* The structs of that name, with @member if that is not NULL. */
static enum types_found pick_struct(const struct types_file *file,
				    const char *name, const char *member,
				    struct types_ref *type)
{
	uint32_t slot = (uint32_t)kallsyms_hash(name);
	enum types_found found = TYPES_NONE;
	struct types_member unused;
	struct types_shape shape;
	struct types_ref ref;

	if (!file || !file->btf)
		return TYPES_NONE;
	ref.btf = file->btf;
	while ((ref.id = find_next(file, name, false, &slot))) {
		types_look(ref, &shape);
		if (shape.kind != TYPES_STRUCT ||
		    (member && !types_member(shape.ref, member, &unused)))
			continue;
		if (found == TYPES_NONE)
			*type = shape.ref;
		else if (!types_same(*type, shape.ref))
			return TYPES_SEVERAL;
		found = TYPES_FOUND;
	}
	return found;
}

enum types_found types_struct(struct types *types, const char *module,
			      const char *name, const char *member,
			      struct types_ref *type)
{
	const struct types_file *file = get_file(types, module);
	enum types_found found = pick_struct(file, name, NULL, type);

	if (found == TYPES_NONE && module) {
		file = get_file(types, NULL);
		found = pick_struct(file, name, NULL, type);
	}
	if (found == TYPES_SEVERAL &&
	    pick_struct(file, name, member, type) == TYPES_FOUND)
		found = TYPES_FOUND;
	return found;
}
