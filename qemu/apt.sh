# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Finding and downloading packages without installing any: apt_choose looks
# for a kernel, or for the source of one, first in the machine's own package
# lists, then in private ones derived from the machine's mirror.  Sourced by
# qemu/fetch and qemu/build-kernel, after lib.sh.  ($suite and the like are those
# of the row of the table, see kernel_row.)
# shellcheck disable=SC2034,SC2154 # variables are shared with those scripts

# Options for every apt call.  A binary cache of our own makes repeated
# look-ups fast where the machine's configuration turns that cache off, and
# needs no root.  Downloading is harmless: no sandbox user, which could not
# read our folders anyway.
apt_opts=()

apt_use_system()
{
	mkdir -p "$cache/apt/system" || exit $TROUBLE
	apt_where=system
	apt_opts=(-o "Dir::Cache=$cache/apt/system"
		-o Dir::Cache::pkgcache=pkgcache.bin -o APT::Sandbox::User=root)
}

# Lists, status and sources in our own folder, one for each suite; keys, proxies
# and the like stay the machine's.  Nothing is installed there.
apt_use_private()
{
	local dir=$cache/apt/$suite

	mkdir -p "$dir/lists/partial" "$dir/archives/partial" || exit $TROUBLE
	: >"$dir/status"
	private_sources >"$dir/sources.list" || return 1
	apt_where=$suite
	apt_opts=(-o "Dir::State=$dir" -o "Dir::State::lists=$dir/lists"
		-o "Dir::State::status=$dir/status" -o "Dir::Cache=$dir"
		-o Dir::Cache::pkgcache=pkgcache.bin
		-o "Dir::Etc::SourceList=$dir/sources.list"
		-o Dir::Etc::SourceParts=- -o APT::Sandbox::User=root)
}

# configured_repos - "URI RELEASE" of each repository the machine knows, even
# if it never updated its lists
configured_repos()
{
	# shellcheck disable=SC2016 # $(...) is apt's
	apt-get indextargets --no-release-info --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 2>/dev/null |
		awk '$3 == "main" { print $1, $2 }' | sort -u
}

# private_sources - a source list with the kernel's suite, its base suite, and
# that one's security.  Debian mirrors keep the security archive beside the main
# one, as .../debian-security: so the machine's mirror is all that has to be known.
private_sources()
{
	local base=${suite%%-*} repos mirror security keys=

	repos=$(configured_repos)
	mirror=$(awk -v s="$base" '$2 == s { print $1; exit }' <<<"$repos")
	[ -n "$mirror" ] ||
		mirror=$(awk '$1 ~ /\/debian\/$/ { print $1; exit }' <<<"$repos")
	security=$(awk -v s="$base-security" '$2 == s { print $1; exit }' <<<"$repos")
	[ -n "$security" ] || security=${mirror:+${mirror%/}-security/}
	if [ -z "$mirror$security" ]; then
		say "apt's sources name no Debian mirror to derive $suite from"
		return 1
	fi
	[ ! -f /usr/share/keyrings/debian-archive-keyring.gpg ] ||
		keys='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] '
	if [ -n "$mirror" ]; then
		echo "deb $keys$mirror $base main"
		[ "$suite" != "$base-backports" ] || echo "deb $keys$mirror $suite main"
	fi
	echo "deb $keys$security $base-security main"
}

# apt_stale - are the lists missing, or a day old?  A server's own date is on
# the list files, so look at the folders that an update writes to, and at our
# stamp.
apt_stale()
{
	local lists

	eval "$(apt-config "${apt_opts[@]}" shell lists Dir::State::lists/d)"
	compgen -G "$lists/*_Packages*" >/dev/null || return 0
	[ -z "$(find "$lists" "$lists/partial" "$cache/apt/updated-$apt_where" \
		-maxdepth 0 -mmin -1440 -print -quit 2>/dev/null)" ]
}

# apt_refresh - update the lists in use, once per run; false when there was
# nothing to try.  A failure may be some other repository's, and the old lists
# are still there: so that is a note, and no stamp.
apt_refresh()
{
	local stamp=$cache/apt/updated-$apt_where

	case " ${apt_refreshed:-} " in *" $apt_where "*) return 1;; esac
	apt_refreshed="${apt_refreshed:-} $apt_where"
	if [ "$apt_where" = system ] && [ "$(id -u)" != 0 ]; then
		return 1	# private lists will do
	fi
	say "updating the package lists of $apt_where"
	if apt-get "${apt_opts[@]}" -o APT::Update::Error-Mode=any -qq update >&2; then
		touch "$stamp"
	else
		say "not all package lists could be updated"
	fi
}

# apt_choose - find the kernel of $suite, $meta and $pattern in the system's
# lists or in private ones; sets what apt_find sets
apt_choose()
{
	apt_use_system
	if apt_stale; then
		apt_refresh
	fi
	apt_find && return 0

	say "$suite is not in the system's package lists, trying private ones"
	apt_use_private || return 1
	if apt_stale; then
		apt_refresh
	fi
	apt_find && return 0
	apt_refresh && apt_find
}

# apt_renew - after a failed download: find it again, in fresh lists.  An old
# list names packages that the archive has dropped since.
apt_renew()
{
	apt_refresh ||
		{ [ $apt_where = system ] && apt_use_private && apt_refresh; } || return 1
	apt_find
}

# releases - the releases to try, best first
releases()
{
	{
		[ "$meta" = - ] || apt-cache "${apt_opts[@]}" depends "$meta" 2>/dev/null |
			sed -n 's/^ *Depends: linux-headers-//p'
		apt-cache "${apt_opts[@]}" search --names-only \
			"^linux-headers-$pattern\$" |
			sed 's/^linux-headers-//; s/ .*//' | sort -rV
	} | grep -xE "$pattern" | awk '!seen[$0]++'
}

# candidate PACKAGE - the version apt would take, empty if none
candidate()
{
	apt-cache "${apt_opts[@]}" policy "$1" 2>/dev/null |
		sed -n 's/^ *Candidate: //p' | grep -vx '(none)'
}

# apt_find - sets release, version, packages; false when not in the lists.
apt_find()
{
	if [ "$config" = - ]; then
		apt_find_kernel
	else
		apt_find_source
	fi
}

# apt_find_source - the release is the build's to tell
apt_find_source()
{
	version=$(candidate "$meta") || return 1
	packages=("$meta=$version")
	release=$meta
}

# apt_find_kernel - the signed image may lag behind its headers for a while, and the
# module must be built for exactly the kernel that runs: take the first
# release with an image of the headers' own version.
apt_find_kernel()
{
	local image

	for release in $(releases); do
		version=$(candidate "linux-headers-$release") || continue
		for image in "linux-image-$release" "linux-image-$release-unsigned"; do
			[ "$(candidate "$image")" = "$version" ] || continue
			apt_add_parts "$image"
			return
		done
	done
	return 1
}

# depends PACKAGE REGEX - what it depends on, of those that are called so
depends()
{
	apt-cache "${apt_opts[@]}" depends "$1" | sed -n 's/^ *Depends: //p' | grep -xE "$2"
}

# apt_add_parts IMAGE - sets packages.  The headers of one flavour are completed by
# two packages they depend on.  From 7.1 on an image package is empty and depends
# on its parts; that with the modules is left out, since it is large and guests
# hardly need it (apt_modules_package).
apt_add_parts()
{
	local image headers

	image=$(depends "$1" 'linux-(base|binary)-[0-9].*') || image=$1
	headers=$(depends "linux-headers-$release" 'linux-(headers-.*-common(-rt)?|kbuild-.*)')
	[ "$(wc -w <<<"$headers")" = 2 ] || return 1
	# shellcheck disable=SC2086 # lists of words
	readarray -t packages < <(printf "%s=$version\n" $image "linux-headers-$release" $headers)
}

# apt_download DIR WHAT PACKAGE... - the packages, which are those of WHAT, into DIR
apt_download()
{
	local dir=$1 what=$2 mb

	shift 2
	mb=$(cd "$dir" && apt-get "${apt_opts[@]}" -qq --print-uris download "$@" |
		awk '{ sum += $(NF - 1) } END { printf "%d", sum / 1e6 }')
	say "downloading $# packages of $what, ${mb:-?} MB"
	(cd "$dir" && apt-get "${apt_opts[@]}" -qq download "$@") >&2
}
