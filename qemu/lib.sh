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

# kernel_names RUN - the names of the table that are of this RUN, or of "all"
kernel_names()
{
	awk -v run="$1" '!/^(#|$)/ && (run == "all" || $2 == run) { print $1 }' \
		"$here/kernels"
}

# kernel_row NAME - sets suite, meta, pattern, tools and config; false when
# unknown
kernel_row()
{
	local name run

	while read -r name run suite meta pattern tools config; do
		[ "$name" = "$1" ] && return 0
	done < <(grep -v '^#' "$here/kernels")
	return 1
}

# kernel_check NAME - a wrong name is wrong usage, and says which are right
kernel_check()
{
	kernel_row "$1" ||
		usage "no kernel named '$1' (there are: $(kernel_names all | paste -sd' '))"
}

# kernel_dir NAME - the folder of the unpacked kernel; false when not cached.
# The link is resolved here, so that a fetch running meanwhile cannot change
# the kernel between two uses.
kernel_dir()
{
	readlink -e "$cache/kernels/$1/current"
}

# kernel_fragments - of the row at hand: its configuration, as one text
kernel_fragments()
{
	local fragment

	for fragment in ${config//,/ }; do
		cat "$here/config/$fragment.config" || return 1
	done
}

# kernel_is_current DIR - of the row at hand: is DIR a kernel, with tools to
# compile for it, and if it was built here, from the fragments as they are?
kernel_is_current()
{
	[ -n "$1" ] || return 1
	[ "$tools" = - ] || tools_dir >/dev/null || return 1
	[ "$config" = - ] || kernel_fragments | cmp -s - "$1/fragments"
}

# kernel_need NAME - sets kdir and release, fetching the kernel if need be
kernel_need()
{
	kernel_row "$1"
	kdir=$(kernel_dir "$1")
	kernel_is_current "$kdir" || {
		QUIET=${QUIET:-} "$here/fetch" "$1" || exit $TROUBLE
		kdir=$(kernel_dir "$1") || die $TROUBLE "no kernel $1 after qemu/fetch"
	}
	release=$(cat "$kdir/release")
}

# ---- compiling for a kernel -------------------------------------------------

# tools_dir - of the row at hand: the folder of its tools; false when not cached
tools_dir()
{
	readlink -e "$cache/tools/$tools/current"
}

# need_compiler - of the row at hand: is there what compiles modules for it?
need_compiler()
{
	[ "$tools" != - ] || need_tools build gcc-12 make pahole
}

# kernel_make DIR ARGUMENT... - make, in the build folder of a kernel, with the
# tools of the row at hand
kernel_make()
{
	if [ "$tools" = - ]; then
		make -C "$@"
	else
		in_tools "$(tools_dir)" make -C "$@"
	fi
}

# in_tools TREE COMMAND... - run it with TREE/usr in place of the machine's
# /usr. Only this command and its children see that: they have a mount namespace
# of their own. All other folders stay what and where they are, and since /bin,
# /lib and /lib64 are links into /usr, compiler and C library are TREE's.
in_tools()
{
	local tree=$1 how dir

	shift
	for dir in "$root" "$cache"; do
		case $dir in
		/usr/*) die $TROUBLE "$dir cannot be seen by this kernel's tools, which take the place of /usr: keep it elsewhere";;
		esac
	done
	for how in --mount '--mount --map-root-user'; do
		# shellcheck disable=SC2086 # a list of words
		unshare $how true 2>/dev/null || continue
		# shellcheck disable=SC2016,SC2086 # $0 and $@ are the inner shell's
		unshare $how sh -c 'mount --bind "$0" /usr && PATH=/usr/bin exec "$@"' \
			"$tree/usr" "$@"
		return
	done
	die $TROUBLE 'a mount namespace is needed and cannot be made: run this as root, or allow user namespaces (as root: sysctl kernel.unprivileged_userns_clone=1)'
}

# ---- filling the cache: qemu/fetch, qemu/build-kernel -----------------------

# cache_check - can the kernel's makefiles work there?
cache_check()
{
	case $cache in
	*[[:space:]:]*) die $TROUBLE "the kernel's makefiles cannot work below '$cache': set TRAPLINE_CACHE to a path without blanks and colons";;
	esac
}

# make_current TARGET - the version of its kernel that is used from now on
make_current()
{
	local parent=${1%/*}

	ln -sfn "${1##*/}" "$parent/.current" &&
		mv -T "$parent/.current" "$parent/current"
}

# publish DIR TARGET - by two renames, so that no reader sees half of it
publish()
{
	mv -T "$1" "$2" && make_current "$2"
}

# drop_old PARENT KEEP... - a running build may still use the version before
# this one, older ones are of no use
drop_old()
{
	local parent=$1 dir

	shift
	for dir in "$parent"/*/; do
		dir=${dir%/}
		case " $* current " in
		*" ${dir##*/} "*) ;;
		*) rm -rf "$dir";;
		esac
	done
}
