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

enum {
	MODIFIERS_MAX = 64,	/* typedefs of typedefs; more is a loop */
	ANONYMOUS_MAX = 16,	/* anonymous structs in each other */
};

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

/* The first of that name that is a function, or is none; 0: there is none. */
static uint32_t find(const struct types_file *file, const char *name,
		     bool function)
{
	uint32_t slot, id;

	if (!file->btf)
		return 0;
	for (slot = (uint32_t)kallsyms_hash(name);; slot++) {
		const struct btf_type *type;

		id = file->slots[slot & (file->slot_count - 1)];
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
	return true;
}

bool types_function(struct types *types, const char *module, const char *name,
		    struct types_function *function)
{
	const struct types_file *file = get_file(types, module);
	const uint32_t id = file ? find(file, name, true) : 0;

	return id && read_proto(file->btf, btf__type_by_id(file->btf, id)->type,
				function);
}

/* "btf_trace_NAME" is a pointer to a function. */
static bool find_trace_type(struct types *types, const char *module,
			    const char *name, struct types_function *function)
{
	const struct types_file *file = get_file(types, module);
	const uint32_t id = file ? find(file, name, false) : 0;
	struct types_shape shape;

	if (!id)
		return false;
	types_look((struct types_ref){ file->btf, id }, &shape);
	return shape.kind == TYPES_POINTER &&
	       read_proto(file->btf, shape.inner.id, function);
}

/*
 * What calls the probes, or stands for one, has the names of the arguments. The
 * type of a probe has not.
 */
bool types_tracepoint(struct types *types, const char *module, const char *name,
		      struct types_function *function)
{
	static const char *const prefixes[] = {
		"__probestub_", "__traceiter_", "btf_trace_",
	};
	bool found = false;
	char full[256];
	int i;

	for (i = 0; i < 3 && !found; i++) {
		snprintf(full, sizeof(full), "%s%s", prefixes[i], name);
		found = (i < 2 ? types_function : find_trace_type)
			(types, module, full, function) && function->param_count;
	}
	if (!found)
		return false;
	/* the first one is the probe's own */
	function->first = 1;
	function->param_count--;
	return true;
}

const char *types_param(const struct types_function *function,
			unsigned int index, struct types_ref *type)
{
	const struct btf *btf = function->proto.btf;
	const struct btf_type *proto = btf__type_by_id(btf, function->proto.id);
	const struct btf_param *param =
		&btf_params(proto)[function->first + index];
	const char *name = btf__name_by_offset(btf, param->name_off);

	*type = (struct types_ref){ btf, param->type };
	return name ? name : "";
}

bool types_struct(struct types *types, const char *module, const char *name,
		  struct types_ref *type)
{
	const struct types_file *file = get_file(types, module);
	struct types_shape shape;
	uint32_t id = file ? find(file, name, false) : 0;

	if (!id && module) {
		file = get_file(types, NULL);
		id = file ? find(file, name, false) : 0;
	}
	if (!id)
		return false;
	types_look((struct types_ref){ file->btf, id }, &shape);
	*type = shape.ref;
	return shape.kind == TYPES_STRUCT;
}

/* ---- what a type is --------------------------------------------------- */

static const struct btf_type *skip_modifiers(struct types_ref *ref)
{
	const struct btf_type *type = btf__type_by_id(ref->btf, ref->id);
	int i;

	for (i = 0; type && i < MODIFIERS_MAX; i++) {
		if (!btf_is_mod(type) && !btf_is_typedef(type) &&
		    btf_kind(type) != BTF_KIND_TYPE_TAG)
			return type;
		ref->id = type->type;
		type = btf__type_by_id(ref->btf, ref->id);
	}
	return NULL;
}

/* A struct of which this file has only a declaration may be whole elsewhere. */
static void look_forward(const struct btf_type *type, const char *name,
			 struct types_shape *shape)
{
	const bool is_union = btf_kflag(type);
	const __s32 id = btf__find_by_name_kind(shape->ref.btf, name,
						is_union ? BTF_KIND_UNION :
							   BTF_KIND_STRUCT);

	shape->word = is_union ? "union" : "struct";
	if (id <= 0)
		return;
	shape->kind = TYPES_STRUCT;
	shape->ref.id = (uint32_t)id;
	shape->bytes = btf__type_by_id(shape->ref.btf, shape->ref.id)->size;
}

static void look_array(const struct btf_type *type, struct types_shape *shape)
{
	const __s64 bytes = btf__resolve_size(shape->ref.btf, shape->ref.id);

	shape->kind = TYPES_ARRAY;
	shape->word = "an array";
	shape->name = "";
	shape->inner.id = btf_array(type)->type;
	shape->count = btf_array(type)->nelems;
	shape->bytes = bytes > 0 ? (size_t)bytes : 0;
}

void types_look(struct types_ref ref, struct types_shape *shape)
{
	const struct btf_type *type = skip_modifiers(&ref);
	const char *name;

	*shape = (struct types_shape){
		.kind = TYPES_OTHER, .word = "something else", .name = "",
		.ref = ref, .inner = { .btf = ref.btf },
	};
	if (!type)
		return;
	name = btf__name_by_offset(ref.btf, type->name_off);
	shape->name = name ? name : "";
	switch (btf_kind(type)) {
	case BTF_KIND_UNKN:
		shape->kind = TYPES_VOID;
		shape->word = "void";
		break;
	case BTF_KIND_INT:
		shape->kind = TYPES_INT;
		shape->word = "an integer";
		shape->bytes = type->size;
		shape->is_signed = btf_int_encoding(type) & BTF_INT_SIGNED;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		shape->kind = TYPES_ENUM;
		shape->word = "an enum";
		shape->bytes = type->size;
		/* what it was made with may not have told: int, as in C */
		shape->is_signed = btf_is_enum(type) || btf_kflag(type);
		break;
	case BTF_KIND_PTR:
		shape->kind = TYPES_POINTER;
		shape->word = "a pointer";
		shape->bytes = sizeof(uint64_t);
		shape->inner.id = type->type;
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		shape->kind = TYPES_STRUCT;
		shape->word = btf_is_struct(type) ? "struct" : "union";
		shape->bytes = type->size;
		break;
	case BTF_KIND_FWD:
		look_forward(type, shape->name, shape);
		break;
	case BTF_KIND_ARRAY:
		look_array(type, shape);
		break;
	case BTF_KIND_FLOAT:
		shape->word = "a floating-point number";
		shape->bytes = type->size;
		break;
	}
}

/* ---- members ---------------------------------------------------------- */

static bool find_member(struct types_ref ref, const char *name, int depth,
			struct types_member *member)
{
	const struct btf_type *type = skip_modifiers(&ref);
	const struct btf_member *members;
	uint32_t i;

	if (!type || !btf_is_composite(type) || depth > ANONYMOUS_MAX)
		return false;
	members = btf_members(type);
	for (i = 0; i < btf_vlen(type); i++) {
		struct types_ref inner = { ref.btf, members[i].type };
		const uint64_t offset = btf_member_bit_offset(type, i);

		if (!members[i].name_off) {
			if (!find_member(inner, name, depth + 1, member))
				continue;
			member->bit_offset += offset;
			return true;
		}
		if (strcmp(btf__name_by_offset(ref.btf, members[i].name_off),
			   name))
			continue;
		member->type = inner;
		member->bit_offset = offset;
		member->bits = btf_member_bitfield_size(type, i);
		return true;
	}
	return false;
}

bool types_member(struct types_ref ref, const char *name,
		  struct types_member *member)
{
	return find_member(ref, name, 0, member);
}

static void walk_members(struct types_ref ref, int depth,
			 void (*each)(const char *name, void *data), void *data)
{
	const struct btf_type *type = skip_modifiers(&ref);
	const struct btf_member *members;
	uint32_t i;

	if (!type || !btf_is_composite(type) || depth > ANONYMOUS_MAX)
		return;
	members = btf_members(type);
	for (i = 0; i < btf_vlen(type); i++) {
		struct types_ref inner = { ref.btf, members[i].type };

		if (members[i].name_off)
			each(btf__name_by_offset(ref.btf, members[i].name_off),
			     data);
		else
			walk_members(inner, depth + 1, each, data);
	}
}

void types_each_member(struct types_ref ref,
		       void (*each)(const char *name, void *data), void *data)
{
	walk_members(ref, 0, each, data);
}
