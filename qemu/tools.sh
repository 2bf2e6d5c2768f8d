# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The tools that compile modules for a kernel of another Debian release than the
# machine's: its compiler, and a C library for the programs that come with the
# kernel's headers.  They are unpacked, not installed:
#
#   CACHE/tools/TOOLS/VERSION/usr     of the packages, what is below /usr
#   CACHE/tools/TOOLS/current         link to the VERSION in use
#
# in_tools of lib.sh runs a command with them.  Sourced by qemu/fetch, after
# apt.sh.
# shellcheck disable=SC2034,SC2154 # variables are shared with those scripts

# What the makefiles of a kernel call; apt adds what these depend on.
tools_wanted='gcc-14-x86-64-linux-gnu binutils make pahole dash bash coreutils
	sed grep mawk findutils libelf1t64 libssl3t64 zlib1g'

# tools_find - sets packages and key: the whole list, from private package lists,
# where nothing counts as installed
tools_find()
{
	local list

	# shellcheck disable=SC2086 # a list of words
	list=$(apt-get "${apt_opts[@]}" -s --no-install-recommends install $tools_wanted 2>/dev/null |
		awk '$1 == "Inst" { print $2 "=" substr($3, 2) }' | sort)
	[ -n "$list" ] || return 1
	readarray -t packages <<<"$list"
	# the number is to be raised when other files are kept than before
	key=$({ echo 1; echo "$list"; } | sha256sum)
	key=${key:0:12}
}

# tools_unpack DEBS TREE
tools_unpack()
{
	local deb dir

	for dir in bin sbin lib lib64; do
		mkdir -p "$2/usr/$dir" && ln -s "usr/$dir" "$2/$dir" || return 1
	done
	for deb in "$1"/*.deb; do
		dpkg-deb -x "$deb" "$2" || return 1
	done
	# which awk it is, is otherwise the alternatives system's to say
	ln -s mawk "$2/usr/bin/awk" || return 1
	find "$2" -mindepth 1 -maxdepth 1 ! -name usr -exec rm -r {} + &&
		rm -r "${2:?}/usr/share"
}

# tools_get PARENT - download and unpack what tools_find found
tools_get()
{
	empty_tmp && mkdir -p "$1" "$tmp/debs" "$tmp/tree" &&
		apt_download "$tmp/debs" "the tools of $tools" "${packages[@]}" || return 1
	say "unpacking the tools"
	tools_unpack "$tmp/debs" "$tmp/tree" && publish "$tmp/tree" "$1/$key"
}

# fetch_tools - of the row at hand: newest versions in, whatever was there before
fetch_tools()
{
	local parent=$cache/tools/$tools have

	have=$(tools_dir)
	apt_use_private || die $TROUBLE "no package lists of $suite"
	if apt_stale; then
		apt_refresh
	fi
	if tools_find || { apt_refresh && tools_find; }; then
		[ "${have##*/}" != "$key" ] || return 0
		if tools_get "$parent" || { apt_refresh && tools_find && tools_get "$parent"; }; then
			drop_old "$parent" "$key" "${have##*/}"
			return
		fi
	fi
	[ -n "$have" ] || die $TROUBLE "the tools for kernel $1 could not be fetched"
	say "the tools for kernel $1 could not be looked up: using the cached ones"
}
