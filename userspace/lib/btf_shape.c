// SPDX-License-Identifier: LGPL-2.1-or-later
/* What types are, and whether two of them are the same. See btf.h. */
#include <string.h>

#include <bpf/btf.h>

#include "btf.h"

enum {
	MODIFIERS_MAX = 64,	/* typedefs of typedefs; more is a loop */
	ANONYMOUS_MAX = 16,	/* anonymous structs in each other */
};

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

static const char *name_of(struct types_ref ref, uint32_t offset)
{
	const char *name = btf__name_by_offset(ref.btf, offset);

	return name ? name : "";
}

/* ---- the same --------------------------------------------------------- */

/* "struct NAME;" is taken for what it declares. */
static bool is_declared(const struct btf_type *one, const struct btf_type *two)
{
	return btf_is_fwd(one) && (btf_is_fwd(two) ?
				   btf_kflag(one) == btf_kflag(two) :
				   btf_kind(two) == (btf_kflag(one) ?
						     BTF_KIND_UNION :
						     BTF_KIND_STRUCT));
}

static bool has_size(const struct btf_type *type)
{
	switch (btf_kind(type)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FLOAT:
		return true;
	}
	return false;
}

static bool same_kind(const struct btf_type *one, const struct btf_type *two)
{
	if (is_declared(one, two) || is_declared(two, one))
		return true;
	if (btf_kind(one) != btf_kind(two))
		return false;
	switch (btf_kind(one)) {
	case BTF_KIND_INT:
		return one->size == two->size &&
		       btf_int_encoding(one) == btf_int_encoding(two);
	case BTF_KIND_ARRAY:
		return btf_array(one)->nelems == btf_array(two)->nelems;
	case BTF_KIND_PTR:
		return true;
	default:
		return !has_size(one) || one->size == two->size;
	}
}

/*
 * By name, size and sign, along pointers and arrays. @one and @two become what
 * those lead to.
 */
static bool same_outside(struct types_ref *one, struct types_ref *two)
{
	const struct btf_type *first, *second;
	int i;

	for (i = 0; i < MODIFIERS_MAX; i++) {
		first = skip_modifiers(one);
		second = skip_modifiers(two);
		if (first == second)
			return true;
		if (!first || !second || !same_kind(first, second) ||
		    strcmp(name_of(*one, first->name_off),
			   name_of(*two, second->name_off)))
			return false;
		if (btf_is_ptr(first)) {
			one->id = first->type;
			two->id = second->type;
		} else if (btf_is_array(first)) {
			one->id = btf_array(first)->type;
			two->id = btf_array(second)->type;
		} else {
			return true;
		}
	}
	return false;
}

/* Structs: what is at each offset, seen from outside where it has a name. */
static bool same_members(struct types_ref one, struct types_ref two, int depth)
{
	const struct btf_type *first = skip_modifiers(&one);
	const struct btf_type *second = skip_modifiers(&two);
	uint32_t i;

	if (first == second || !btf_is_composite(first) ||
	    !btf_is_composite(second))
		return true;
	if (btf_vlen(first) != btf_vlen(second) || depth > ANONYMOUS_MAX)
		return false;
	for (i = 0; i < btf_vlen(first); i++) {
		const struct btf_member *a = &btf_members(first)[i];
		const struct btf_member *b = &btf_members(second)[i];
		struct types_ref inner = { one.btf, a->type };
		struct types_ref other = { two.btf, b->type };

		if (btf_member_bit_offset(first, i) !=
		    btf_member_bit_offset(second, i) ||
		    btf_member_bitfield_size(first, i) !=
		    btf_member_bitfield_size(second, i) ||
		    strcmp(name_of(one, a->name_off),
			   name_of(two, b->name_off)) ||
		    !same_outside(&inner, &other))
			return false;
		if (!a->name_off && !same_members(inner, other, depth + 1))
			return false;
	}
	return true;
}

bool types_same(struct types_ref one, struct types_ref two)
{
	return same_outside(&one, &two) && same_members(one, two, 0);
}

/* ---- what a type is --------------------------------------------------- */

/*
 * A struct of which there is only a declaration may be whole elsewhere. If
 * several are that differ, nobody knows which it is. 0: there is none.
 */
static uint32_t find_whole(struct types_ref declared, const char *name,
			   uint32_t kind)
{
	const uint32_t end = btf__type_cnt(declared.btf);
	struct types_ref found = { declared.btf, 0 }, other = found;

	for (other.id = 1; other.id < end; other.id++) {
		const struct btf_type *type = btf__type_by_id(other.btf,
							      other.id);

		if (btf_kind(type) != kind ||
		    strcmp(name_of(other, type->name_off), name))
			continue;
		if (!found.id)
			found = other;
		else if (!types_same(found, other))
			return 0;
	}
	return found.id;
}

static void look_forward(const struct btf_type *type,
			 struct types_shape *shape)
{
	const bool is_union = btf_kflag(type);
	const uint32_t id = find_whole(shape->ref, shape->name, is_union ?
				       BTF_KIND_UNION : BTF_KIND_STRUCT);

	shape->word = is_union ? "union" : "struct";
	if (!id)
		return;
	shape->kind = TYPES_STRUCT;
	shape->ref.id = id;
	shape->bytes = btf__type_by_id(shape->ref.btf, id)->size;
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

	*shape = (struct types_shape){
		.kind = TYPES_OTHER, .word = "something else", .name = "",
		.ref = ref, .inner = { .btf = ref.btf },
	};
	if (!type)
		return;
	shape->name = name_of(ref, type->name_off);
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
		look_forward(type, shape);
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
	struct types_shape shape;

	/* the members of what is only declared here are elsewhere */
	types_look(ref, &shape);
	return find_member(shape.ref, name, 0, member);
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
	struct types_shape shape;

	types_look(ref, &shape);
	walk_members(shape.ref, 0, each, data);
}
