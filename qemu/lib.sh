# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the scripts in this folder share: messages, folders, the kernel table.
# Sourced, never run; the sourcing script sets $me, its name in messages, and
# $usage_text.
# shellcheck disable=SC2034,SC2154 # variables are shared with those scripts

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

# TRAPLINE_ROOT lets these scripts be tried on another source tree.
root=${TRAPLINE_ROOT:-${here%/*}}
build=$root/build
cache=${TRAPLINE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/trapline}

# A guest's files shall be readable there whatever the umask is here.
umask 022

# depmod and modinfo live in sbin, which an ordinary user's PATH leaves out.
PATH=$PATH:/usr/sbin:/sbin

# The status for "the harness is at fault, not what it runs".
readonly TROUBLE=125

# say TEXT... - a note on stderr; QUIET drops notes, never errors
say()
{
	[ -n "${QUIET:-}" ] || printf '%s: %s\n' "$me" "$*" >&2
}

# die STATUS TEXT...
die()
{
	local status=$1

	shift
	printf '%s: %s\n' "$me" "$*" >&2
	exit "$status"
}

# usage [TEXT] - status 2 with the sourcing script's own $usage_text; after
# TEXT, which says what is wrong, its first paragraph will do
usage()
{
	if [ $# = 0 ]; then
		printf '%s\n' "$usage_text" >&2
	else
		printf '%s: %s\n' "$me" "$*" >&2
		printf '%s\n' "${usage_text%%$'\n\n'*}" >&2
	fi
	exit 2
}

# need_tools GROUP COMMAND... - stop with the command that brings what is missing
need_tools()
{
	local group=$1 tool

	shift
	for tool; do
		command -v "$tool" >/dev/null ||
			die $TROUBLE "$tool is missing; run: qemu/deps install $group"
	done
}

# kernel_names - every name of the table
kernel_names()
{
	sed -n 's/^\([^#[:space:]][^[:space:]]*\).*/\1/p' "$here/kernels"
}

# kernel_row NAME - sets suite, meta and pattern; false when unknown
kernel_row()
{
	local name

	while read -r name suite meta pattern; do
		[ "$name" = "$1" ] && return 0
	done < <(grep -v '^#' "$here/kernels")
	return 1
}

# kernel_check NAME - a wrong name is wrong usage, and says which are right
kernel_check()
{
	kernel_row "$1" ||
		usage "no kernel named '$1' (there are: $(kernel_names | paste -sd' '))"
}

# kernel_dir NAME - the folder of the unpacked kernel; false when not cached.
# The link is resolved here, so that a fetch running meanwhile cannot change
# the kernel between two uses.
kernel_dir()
{
	readlink -e "$cache/kernels/$1/current"
}

# kernel_need NAME - sets kdir and release, fetching the kernel if need be
kernel_need()
{
	kdir=$(kernel_dir "$1") || {
		QUIET=${QUIET:-} "$here/fetch" "$1" || exit $TROUBLE
		kdir=$(kernel_dir "$1") || die $TROUBLE "no kernel $1 after qemu/fetch"
	}
	release=$(cat "$kdir/release")
}
