# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Whole calls: arguments as they were at the entry, what was returned and how
# long it took; each call that began is accounted for.
# shellcheck source=lib.sh
. ./lib.sh

# values NAME - arguments of an event's records of the workload, in their order
values()
{
	sed -n "s/^ *workload-.*: $1: ([^)]*) //p" "$dir/out"
}

# One function with an event of each kind: what they say of a call is the same.
live out -b 256k -n 16 -e 'p:entry vfs_write f=$arg1 b=$arg2 n=$arg3:u64' \
	-e 'c:call vfs_write f=$arg1 b=$arg2 n=$arg3:u64' \
	-e 'r:return vfs_write $retval' -e 'r:kept vfs_write s=+0($arg2):x8[4]' \
	-e 'p:there vfs_write s=+0($arg2):x8[4]' \
	-- workload calls "$dir/tid" 20
values entry >"$dir/want"
values call | sed 's/ retval=.*//' >"$dir/got"
same 'arguments at the return are those of the entry' "$dir/got" "$dir/want"
values return | sed 's/arg1=//' >"$dir/want"
values call | sed 's/.* retval=\([^ ]*\) .*/\1/' >"$dir/got"
same 'and the return value is that of the return' "$dir/got" "$dir/want"
values there >"$dir/want"
values kept >"$dir/got"
same 'memory is read through them' "$dir/got" "$dir/want"
equal 'each call took some time' \
	"$(values call | grep -c 'duration=[1-9][0-9]*$')" \
	"$(values call | wc -l)"
equal 'each entry has its return' "$(counter "$dir/out.err" call entries)" \
	"$(counter "$dir/out.err" call hits)"

# A filter looks at what the argument was at the entry.
live out -b 256k -n 16 -e 'p:entry vfs_write n=$arg3:u64 if n == 3' \
	-e 'c:call vfs_write n=$arg3:u64 if n == 3' -- workload calls "$dir/tid" 20
equal 'a filter on the argument of a call' \
	"$(records "$dir/out" | sed -n 's/^call \(n=[0-9]*\) .*/\1/p' | sort -u)" 'n=3'
equal 'and as many pass as at the entry' "$(counter "$dir/out.err" call recorded)" \
	"$(counter "$dir/out.err" entry recorded)"

# Durations are those that the caller asked for.
live out -e 'c:nap do_nanosleep mode=$arg2:s32' -e 'r:again do_nanosleep $duration' \
	-- sh -c 'for i in 1 2 3 4 5; do busybox sleep 1 & done; wait'
equal 'five sleep at once, none is missed' \
	"$(counter "$dir/out.err" nap recorded) $(counter "$dir/out.err" nap 'nmissed*')" '5 0'
records "$dir/out" | grep '^nap' | sed 's/.*retval=[0x]* duration=//' >"$dir/got"
note "durations in ns: $(tr '\n' ' ' <"$dir/got")"
equal 'each of them for a second' \
	"$(awk '$1 >= 1000000000 && $1 < 20000000000 { n++ } END { print n + 0 }' "$dir/got")" 5
records "$dir/out" | grep -c '^again arg1=1[0-9]*$' >"$dir/count"
equal 'a return has it, too, decimal' "$(cat "$dir/count")" 5

# Who has not come back yet.
live out -e 'c:nap do_nanosleep' -- sh -c 'busybox sleep 50 & echo $! >/tmp/sleeper; sleep 1'
kill "$(cat /tmp/sleeper)"
contains 'one that is still inside is told of' "$dir/out.err" \
	'nap: 1 calls were still inside at the end'
equal 'and counted' "$(counter "$dir/out.err" nap entries)" \
	$(($(counter "$dir/out.err" nap hits) + 1))

# Who is inside when the trace begins is nobody's: neither if he comes back during it,
# nor if he does not.
busybox sleep 50 &
returns=$!
busybox sleep 50 &
stays=$!
usleep 300000
live out -e 'c:nap do_nanosleep' -- sh -c "kill $returns; busybox sleep 1"
kill $stays
equal 'those that were inside before are not counted' \
	"$(counter "$dir/out.err" nap entries) $(counter "$dir/out.err" nap hits)" '1 1'
equal 'nor told of' "$(grep -c 'still inside' "$dir/out.err")" 0

live out -e 'c2:nap do_nanosleep' -- \
	sh -c 'for i in 1 2 3 4 5; do busybox sleep 1 & done; wait'
contains 'those without an instance are told of' "$dir/out.err" \
	'nap: about 3 calls found none of 2 instances free'
equal 'and are not among the entries' "$(counter "$dir/out.err" nap entries)" 2
done_testing
