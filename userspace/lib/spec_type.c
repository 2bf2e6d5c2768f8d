// SPDX-License-Identifier: LGPL-2.1-or-later
/* The type of an argument, what follows its ":". */
#include <errno.h>

#include "spec.h"

static const struct {
	const char *name;
	enum field_format format;
	unsigned int bytes;
	bool user;
} types[] = {
	{ "u8", FIELD_UNSIGNED, 1, false },
	{ "u16", FIELD_UNSIGNED, 2, false },
	{ "u32", FIELD_UNSIGNED, 4, false },
	{ "u64", FIELD_UNSIGNED, 8, false },
	{ "s8", FIELD_SIGNED, 1, false },
	{ "s16", FIELD_SIGNED, 2, false },
	{ "s32", FIELD_SIGNED, 4, false },
	{ "s64", FIELD_SIGNED, 8, false },
	{ "x8", FIELD_HEX, 1, false },
	{ "x16", FIELD_HEX, 2, false },
	{ "x32", FIELD_HEX, 4, false },
	{ "x64", FIELD_HEX, 8, false },
	{ "string", FIELD_STRING, 0, false },
	{ "ustring", FIELD_STRING, 0, true },
	{ "char", FIELD_CHAR, 1, false },
	{ "symbol", FIELD_SYMBOL, 8, false },
	{ "symstr", FIELD_SYMSTR, 8, false },
};

static int unknown_type(const struct spec_slice *name,
			struct trapline_error *err)
{
	spec_refuse(err, ERR_TYPE, name);
	error_hint(err, "there are u8 u16 u32 u64, s8 to s64, x8 to x64, char, "
		   "string, ustring, symbol, symstr, %%pd, %%pD and bWIDTH@OFFSET/SIZE");
	return -EINVAL;
}

/* The types that stand for a string somewhere behind the value. */
static bool parse_name_of(struct spec_type *type, const struct spec_slice *name)
{
	if (spec_is(name, "%pd"))
		type->name_of = SPEC_NAME_OF_DENTRY;
	else if (spec_is(name, "%pD"))
		type->name_of = SPEC_NAME_OF_FILE;
	else
		return false;
	type->format = FIELD_STRING;
	return true;
}

/* "bWIDTH@OFFSET/SIZE": the bits from OFFSET on of a value of SIZE bits */
static int parse_bitfield(struct spec_type *type, const struct spec_slice *name,
			  struct trapline_error *err)
{
	int at = spec_find(name, "@");
	int slash = spec_find(name, "/");
	uint64_t width, offset, size;
	struct spec_slice number;

	number = spec_cut(name, slash + 1, name->length);
	if (spec_number(&number, &size) ||
	    (size != 8 && size != 16 && size != 32 && size != 64))
		return unknown_type(name, err);
	if (at > slash)
		return spec_refuse(err, ERR_BITFIELD, name);
	number = spec_cut(name, 1, at);
	if (spec_number(&number, &width))
		return spec_refuse(err, ERR_BITFIELD, name);
	number = spec_cut(name, at + 1, slash);
	if (spec_number(&number, &offset) || !width || width > size ||
	    offset > size - width)
		return spec_refuse(err, ERR_BITFIELD, name);
	type->format = FIELD_UNSIGNED;
	type->bytes = (unsigned int)size / 8;
	type->bits = (unsigned int)width;
	type->shift = (unsigned int)offset;
	return 0;
}

/* "[N]" at the end of a type */
static int parse_array(struct spec_type *type, const struct spec_slice *array,
		       struct trapline_error *err)
{
	int end = spec_find(array, "]");
	struct spec_slice suffix, number;
	uint64_t count;
	int ret;

	suffix = spec_cut(array, end + (end < array->length), array->length);
	if (end == array->length)
		return spec_refuse(err, ERR_ARRAY_OPEN, &suffix);
	if (suffix.length)
		return spec_refuse(err, ERR_ARRAY_SUFFIX, &suffix);
	type->array = *array;
	number = spec_cut(array, 1, end);
	if (spec_is_name(&number)) {
		type->length_of = number;
		return 0;
	}
	ret = spec_number(&number, &count);
	if (!ret && count && count <= SPEC_ARRAY_MAX) {
		type->elements = (unsigned int)count;
		return 0;
	}
	error_set(err, ret == -EINVAL || !count ? ERR_ARRAY_SIZE :
		  ERR_ARRAY_BIG, number.column,
		  number.length ? number.length : 1, spec_shown(&number),
		  number.text, SPEC_ARRAY_MAX);
	return -EINVAL;
}

int spec_parse_type(struct spec_type *type, struct trapline_error *err)
{
	int bracket = spec_find(&type->where, "[");
	struct spec_slice name = spec_cut(&type->where, 0, bracket);
	struct spec_slice array = spec_cut(&type->where, bracket,
					   type->where.length);
	size_t i;
	int ret;

	if (array.length) {
		ret = parse_array(type, &array, err);
		if (ret)
			return ret;
	}
	if (parse_name_of(type, &name))
		return array.length ? spec_refuse(err, ERR_ARRAY_NAME_OF,
						  &name) : 0;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!spec_is(&name, types[i].name))
			continue;
		type->format = types[i].format;
		type->bytes = types[i].bytes;
		type->user = types[i].user;
		return 0;
	}
	if (spec_starts(&name, "b") && spec_find(&name, "/") < name.length)
		return parse_bitfield(type, &name, err);
	return unknown_type(&name, err);
}
