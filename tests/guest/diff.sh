# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Two tracers, one workload: the kernel's kprobe_events and trapline get the
# same definitions (diff_definitions.txt), both are on while the workload runs,
# and event by event the records of its thread must be the same, in number,
# order, place and text of each argument.
#
# What differs on purpose is made equal, and nothing else:
#
#   (fault)          of tracefs is <fault> here
#   SYM+0x4/0x...    of tracefs at an entry that starts with ENDBR is SYM+0x0;
#                    no definition has an offset of 4
#
# What cannot be equal is kept out by the choice of definitions: integers that
# fault (tracefs prints 0), empty strings of user memory (tracefs of before 6.13
# prints a fault), strings that trapline escapes, functions with two symbols.
# Two return probes on one function hide the caller from one of them: returns
# are traced in a run of their own by each of the two.
#
# A batch has the definitions of a few places: all at once they would be more
# than 70 probes on few functions, which proves no more.
# shellcheck source=lib.sh
. ./lib.sh
t=/sys/kernel/tracing
rounds=12

# plain FILE TID - records of that thread, as "EVENT: (PLACE) ARGUMENTS"
plain()
{
	sed -nE "s/^ *[^(:=\"]*-$2 +(\\([^)]*\\) )?\\[[0-9]+\\] [^ ]+ +[0-9.]+: ([a-z0-9_]+: \\(.*)\$/\\2/p" "$1"
}

# as_ours - the records of tracefs on stdin in our words
as_ours()
{
	sed -E 's/\(fault\)/<fault>/g
		s/^([a-z0-9_]+): \(([A-Za-z0-9_.]+)\+0x4\/(0x[0-9a-f]+)\)/\1: (\2+0x0\/\3)/'
}

# theirs_begin FILE, theirs_end - definitions into tracefs, on; off, $dir/trace
theirs_begin()
{
	while read -r definition; do
		printf '%s\n' "$definition" >>$t/kprobe_events && continue
		result "the kernel takes $definition" 1
	done <"$1"
	echo >$t/trace
	echo 1 >$t/events/kprobes/enable
	echo 1 >$t/tracing_on
}

theirs_end()
{
	echo 0 >$t/tracing_on
	echo 0 >$t/events/kprobes/enable
	cat $t/trace >"$dir/trace"
	echo >$t/kprobe_events
}

# compare NAME - its records in $dir/ours and $dir/theirs
compare()
{
	grep "^$1: " "$dir/theirs" >"$dir/theirs.$1"
	grep "^$1: " "$dir/ours" >"$dir/ours.$1"
	same "$(grep -F ":$1 " "$dir/all"): $(wc -l <"$dir/theirs.$1") records" \
		"$dir/ours.$1" "$dir/theirs.$1"
	rm "$dir/ours.$1" "$dir/theirs.$1"
}

# name_of LINE
name_of()
{
	printf '%s\n' "$1" | sed -E 's/^[a-z0-9]+:([a-z0-9_]+) .*/\1/'
}

# batch NAME - the definitions of $dir/lines through both at once
batch()
{
	theirs_begin "$dir/lines"
	live out -b 256k -n 16 -f "$dir/lines" -- workload calls "$dir/tid" $rounds
	theirs_end
	tid=$(sed 's/^0*//' "$dir/tid")
	plain "$dir/trace" "$tid" | as_ours >"$dir/theirs"
	plain "$dir/out" "$tid" >"$dir/ours"
	equal "$1: nothing was lost" "$(cat "$dir/trace" "$dir/out" | grep -c LOST)" 0
	while read -r line; do
		compare "$(name_of "$line")"
	done <"$dir/lines"
}

# The returns: ours together, theirs one by one.
returns()
{
	live out -b 256k -n 16 -f "$dir/lines" -- workload calls "$dir/tid" $rounds
	tid=$(sed 's/^0*//' "$dir/tid")
	plain "$dir/out" "$tid" >"$dir/ours"
	while read -r line; do
		printf '%s\n' "$line" >"$dir/line"
		theirs_begin "$dir/line"
		workload calls "$dir/tid" $rounds
		theirs_end
		tid=$(sed 's/^0*//' "$dir/tid")
		plain "$dir/trace" "$tid" | as_ours >"$dir/theirs"
		compare "$(name_of "$line")"
	done <"$dir/lines"
}

echo 0 >$t/tracing_on
echo 8192 >$t/buffer_size_kb
grep -vE '^(#|$)' diff_definitions.txt >"$dir/all"
for place in __x64_sys_lseek do_sys_openat2 '__x64_sys_get[a-z]*' \
	'(vfs_write|read_zero|__x64_sys_write)'; do
	grep -E "^p[^ ]* $place(\+0)?( |\$)" "$dir/all" >"$dir/lines"
	cat "$dir/lines" >>"$dir/used"
	batch "$place"
done
grep -E '^(r|p:r_)' "$dir/all" >"$dir/lines"
cat "$dir/lines" >>"$dir/used"
returns
sort "$dir/all" >"$dir/all.sorted"
sort "$dir/used" >"$dir/used.sorted"
same "all $(wc -l <"$dir/all") definitions were tried" "$dir/used.sorted" "$dir/all.sorted"
done_testing
