# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the guest's file tree, an initramfs.  The part that is the same in
# every run (busybox, init) is kept under build/guest; the kernel takes several
# archives in a row, so each run only adds its own.  Sourced by qemu/run,
# after lib.sh.
# shellcheck disable=SC2154 # variables are shared with qemu/run

guest=$build/guest

# newer FILE INPUT... - does FILE exist, newer than all it is made from?
newer()
{
	local file=$1 input

	shift
	[ -e "$file" ] || return 1
	for input; do
		[ "$file" -nt "$input" ] || return 1
	done
}

# pack DIR - the tree as an archive on stdout; all files become root's
pack()
{
	(cd "$1" && find . -mindepth 1 -print0 |
		cpio --null -o -H newc -R 0:0 --quiet)
}

# compile RESULT SOURCE... - renamed into place, others may run it now
compile()
{
	local result=$1

	shift
	newer "$result" "$@" "$here/guest/guest.h" && return 0
	gcc -D_GNU_SOURCE -Os -Wall -Wextra -static -o "$result.$$" "$@" &&
		mv "$result.$$" "$result"
}

# The files a busybox userland wants to find.
base_etc()
{
	mkdir "$1/etc" "$1/root" || return 1
	cat >"$1/etc/passwd" <<-'EOF'
		root:x:0:0:root:/root:/bin/sh
		nobody:x:65534:65534:nobody:/:/bin/sh
	EOF
	cat >"$1/etc/group" <<-'EOF'
		root:x:0:
		nogroup:x:65534:
	EOF
	echo '127.0.0.1 localhost guest' >"$1/etc/hosts"
	cp "$here/guest-profile" "$1/etc/profile"
}

# base_tree DIR - what every guest has
base_tree()
{
	local tree=$1 applet

	mkdir -p "$tree"/{bin,sbin,usr/bin,usr/sbin,dev,proc,sys,tmp,run,guest,work} &&
		cp -L "$busybox" "$tree/bin/busybox" &&
		cp "$guest/init" "$tree/init" &&
		base_etc "$tree" || return 1
	"$busybox" --list-full | while read -r applet; do
		case $applet in
		bin/busybox | linuxrc) ;;
		*/*) echo "$applet";;
		esac
	done | (cd "$tree" && xargs -n1 ln -sf /bin/busybox) && base_shell "$tree"
}

# base_shell DIR - busybox's sh runs its own applets whatever PATH says, and
# without an exec; a shell under test shall do what shells do.  (ash is still
# busybox's: it has line editing, for qemu/shell.)
base_shell()
{
	local dash

	dash=$(command -v dash) || return 0
	cp --remove-destination -L "$dash" "$1/bin/sh" && add_libraries "$1" "$dash"
}

# prepare_guest - build/guest/{init,watch,nmi,base.cpio}; one process at a time
prepare_guest()
{
	local tree

	busybox=$(command -v busybox)
	mkdir -p "$guest" || return 1
	exec 8>"$guest/lock"
	flock 8
	compile "$guest/init" "$here"/guest/*.c &&
		compile "$guest/watch" "$here/watch.c" &&
		compile "$guest/nmi" "$here/nmi.c" || return 1
	if ! newer "$guest/base.cpio" "$guest/init" "$busybox" \
		"$here/guest-profile" "$here/initramfs.sh"; then
		tree=$(mktemp -d) && base_tree "$tree" &&
			pack "$tree" >"$guest/base.cpio.new" &&
			mv "$guest/base.cpio.new" "$guest/base.cpio" || return 1
		rm -rf "$tree"
	fi
	exec 8>&-
}

# is_elf FILE
is_elf()
{
	[ "$(head -c 4 "$1" | tail -c 3 | tr -d '\0')" = ELF ]
}

# add_libraries TREE FILE - the libraries and the loader of a dynamic program.
# They keep their path where it is one the loader searches by itself; others
# (a library of this project, say) go to /usr/lib.
add_libraries()
{
	local tree=$1 list lib dir

	is_elf "$2" || return 0
	list=$(LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ldd "$2" 2>/dev/null) ||
		return 0	# static, or for another machine
	if lib=$(grep -m1 'not found' <<<"$list" | tr '\t' ' '); then
		die $TROUBLE "$2 needs a library that is not here:$lib"
	fi
	sed -n 's/^\t\(.* => \)\?\(\/.*\) (0x[0-9a-f]*)$/\2/p' <<<"$list" |
		while read -r lib; do
			case $lib in
			/lib/* | /lib64/* | /usr/lib/*) dir=$tree${lib%/*};;
			*) dir=$tree/usr/lib;;
			esac
			[ -e "$dir/${lib##*/}" ] && continue
			mkdir -p "$dir" && cp -L "$lib" "$dir/" || exit 1
		done
}

# add_file TREE FILE NAME - NAME is below the working folder unless absolute;
# a folder comes with all it holds
add_file()
{
	local target=$1/work/$3 file

	case $3 in /*) target=$1$3;; esac
	mkdir -p "$(dirname "$target")" && cp -rL "$2" "$target" || return 1
	find "$target" -type f -perm /111 -print | while read -r file; do
		# ldd the original, whose run path may be relative to its place
		add_libraries "$1" "$2${file#"$target"}" || exit 1
	done
}

# add_modules TREE MODULE... - the kernel's own modules that are needed for the
# ports, and MODULEs, each also in the working folder; modprobe knows them all
add_modules()
{
	local tree=$1 dir=$1/lib/modules/$release module

	shift
	mkdir -p "$tree/lib/modules" "$tree/guest" "$tree/work"
	if [ -d "$kdir/lib/modules/$release" ]; then
		cp -r "$kdir/lib/modules/$release" "$tree/lib/modules/" || return 1
	fi
	mkdir -p "$dir/updates" || return 1
	for module; do
		cp -L "$module" "$dir/updates/" || return 1
		ln -s "/lib/modules/$release/updates/${module##*/}" "$tree/work/" || return 1
	done
	sed "s#^#/lib/modules/$release/#" "$kdir/modules.load" >"$tree/guest/modules"
	depmod -b "$tree" "$release"
}
