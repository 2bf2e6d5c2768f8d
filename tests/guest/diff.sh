# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Two tracers, one workload: the kernel's kprobe_events and trapline get the
# same definitions (diff_definitions.txt, diff_names.txt), both are on while the workload runs,
# and event by event the records of its thread must be the same, in number,
# order, place and text of each argument.
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
# shellcheck source=tracefs.sh
. ./tracefs.sh
rounds=5

# takes_names - does the kernel know names and types?
takes_names()
{
	printf '%s\n' 'p:names vfs_read $arg*' 2>/dev/null >>$t/kprobe_events ||
		return 1
	echo >$t/kprobe_events
}

# The workload. tracefs does not record its parent: it prints strings as they are,
# and the lines that trapline writes would look like records.
cat >"$dir/calls" <<'END'
printf "common_pid != %d" "$PPID" >/sys/kernel/tracing/events/kprobes/filter
exec workload calls "$@"
END

# batch NAME - the definitions of $dir/lines through both at once
batch()
{
	theirs_begin "$dir/lines"
	live out -b 256k -n 16 -f "$dir/lines" -- sh "$dir/calls" "$dir/tid" $rounds
	theirs_end
	tid=$(sed 's/^0*//' "$dir/tid")
	plain "$dir/trace" "$tid" | as_ours | split "$dir/theirs"
	plain "$dir/out" "$tid" | split "$dir/ours"
	equal "$1: nothing was lost" "$(cat "$dir/trace" "$dir/out" | grep -c LOST)" 0
	while read -r line; do
		compare "$line"
	done <"$dir/lines"
}

# The returns: ours together, theirs one by one.
returns()
{
	live out -b 256k -n 16 -f "$dir/lines" -- workload calls "$dir/tid" $rounds
	tid=$(sed 's/^0*//' "$dir/tid")
	plain "$dir/out" "$tid" | split "$dir/ours"
	while read -r line; do
		printf '%s\n' "$line" >"$dir/line"
		theirs_begin "$dir/line"
		workload calls "$dir/tid" $rounds
		theirs_end
		tid=$(sed 's/^0*//' "$dir/tid")
		plain "$dir/trace" "$tid" | as_ours | split "$dir/theirs"
		compare "$line"
	done <"$dir/lines"
}

echo 0 >$t/tracing_on
echo 8192 >$t/buffer_size_kb
grep -vE '^(#|$)' diff_definitions.txt >"$dir/all"
if takes_names; then
	grep -vE '^(#|$)' diff_names.txt >>"$dir/all"
else
	note 'the kernel does not know names and types: see t_btf.sh'
fi
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
