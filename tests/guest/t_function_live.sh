# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The command leaves entries of functions to ftrace, and --kprobes does not: the
# same records, and the same refusals.
# shellcheck source=lib.sh
. ./lib.sh
list=/sys/kernel/debug/kprobes/list

trapline live -e 'p __x64_sys_getppid' -- cat $list >"$dir/none"
grep '^ffff' "$dir/none"
[ $? -ne 0 ]
result 'an entry has no kprobe' $?
trapline live --kprobes -e 'p __x64_sys_getppid' -- cat $list >"$dir/one"
equal 'with --kprobes it has one' "$(grep -c '^ffff' "$dir/one")" 1

live function -e 'p:g __x64_sys_getppid a=%di s=$stack0:symbol' -- workload count 100
live kprobe --kprobes -e 'p:g __x64_sys_getppid a=%di s=$stack0:symbol' -- workload count 100
for by in function kprobe; do
	equal "by a $by: all calls" "$(counter "$dir/$by.err" g recorded)" 100
	# the caller and the place, without what changes from run to run
	fields "$dir/$by" | awk -F '\t' '{ sub(/a=[^ ]* /, "", $8); print $6, $7, $8 }' >"$dir/$by.lines"
done
same 'place and caller are the same by both' "$dir/function.lines" "$dir/kprobe.lines"

for by in function kprobes; do
	option=
	[ $by = function ] || option=--kprobes
	# shellcheck disable=SC2086 # one word or none
	trapline live $option -e 'p __x64_sys_getppid' -e 'p get_kprobe' -- true \
		>"$dir/refused" 2>"$dir/refused.err"
	equal "$by: a blacklisted function ends the trace" $? 1
	contains "$by: it is shown" "$dir/refused.err" 'get_kprobe'
done
grep -q . $list
[ $? -ne 0 ]
result 'no probe is left' $?
equal 'nor a function that is traced' "$(wc -l </sys/kernel/tracing/enabled_functions)" 0
done_testing
