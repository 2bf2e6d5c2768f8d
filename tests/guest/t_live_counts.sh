# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The command's records and its table against the workload's number of calls:
# all of them with room enough, and none unaccounted for without.
# shellcheck source=lib.sh
. ./lib.sh

live out -e 'p:g __x64_sys_getppid' -e 'r:h __x64_sys_getppid $retval' -- workload count 2000
records "$dir/out" | sort | uniq -c | sed -E 's/^ *//; s/=.*//' >"$dir/got"
printf '2000 g\n2000 h arg1\n' >"$dir/want"
same 'with room every call is printed' "$dir/got" "$dir/want"
equal 'hits of the entry' "$(counter "$dir/out.err" g hits)" 2000
equal 'hits of the return' "$(counter "$dir/out.err" h hits)" 2000
equal 'hits in total' "$(counter "$dir/out.err" total hits)" 4000

live out -b 4k -n 2 -e 'p:g __x64_sys_getppid a=%di b=%si c=%dx d=%cx e=%ax f=%bx g=%bp h=%r8' \
	-- workload count 8000
equal 'hits with a tiny ring' "$(counter "$dir/out.err" g hits)" 8000
recorded=$(counter "$dir/out.err" g recorded)
full=$(counter "$dir/out.err" g full)
equal 'recorded and lost are all calls' $((recorded + full)) 8000
[ "${full:-0}" -gt 0 ]
result 'with a tiny ring some are lost' $?
equal 'what was recorded is printed' "$(records "$dir/out" | grep -c '^g ')" "$recorded"
told=$(sed -nE 's/^CPU:[0-9]+ \[LOST ([0-9]+) EVENTS\]$/\1/p' "$dir/out" |
	awk '{ sum += $1 } END { print sum + 0 }')
equal 'the losses are told between the records' "$told" "$full"
done_testing
