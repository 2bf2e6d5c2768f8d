# SPDX-License-Identifier: GPL-2.0-only
#
# Reads the headers of uapi/ and prints what is in them as calls of macros, for
# tests/unit/abi_test.c, so that no struct, field or number can be forgotten:
#
#	STRUCT(name)  FIELD(struct, field, type)  IOCTL(name)  CONSTANT(name)

/^struct [a-z_]+ \{/ {
	name = $2
	print "STRUCT(" name ")"
	next
}

/^};/ { name = "" }

name && /;/ {
	line = $0
	sub(/;.*/, "", line)
	gsub(/^[ \t]+|\[[^]]*\]/, "", line)
	field = line
	sub(/.*[ \t]/, "", field)
	type = line
	sub(/[ \t]+[^ \t]+$/, "", type)
	print "FIELD(" name ", " field ", " type ")"
	next
}

# Not functions, not strings, not include guards, not the list of errors.
/^#define TL_[A-Z0-9_]+[ \t]/ {
	value = $0
	sub(/^#define [A-Z0-9_]+[ \t]+/, "", value)
	if (value ~ /^_IO/)
		print "IOCTL(" $2 ")"
	else if (value !~ /^["\\]/)
		print "CONSTANT(" $2 ")"
}
