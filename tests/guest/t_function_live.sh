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

# what the kernel refuses is shown, and the others are traced: one that is known
# before, and one that only the kernel knows
for place in get_kprobe vfs_read+1; do
	trapline live -e "p:no $place" -- touch "$dir/run" >"$dir/refused" 2>"$dir/refused.err"
	equal "$place alone: it ends the trace" $? 1
	contains "$place alone: it is shown" "$dir/refused.err" "p:no $place"
	live beside -e "p:no $place" -e 'p:g __x64_sys_getppid' -- workload count 10
	equal "$place: the other is traced" "$(counter "$dir/beside.err" g recorded)" 10
	grep -A 3 "^  p:no $place" "$dir/beside.err" >"$dir/shown"
	contains "$place: it has a caret" "$dir/shown" '       ^~~'
	contains "$place: and a proposal" "$dir/shown" '  hint: '
	contains "$place: how many" "$dir/beside.err" \
		'the kernel refuses 1 of 2 events; the others are traced'
	grep -A 9 '^total' "$dir/beside.err" >"$dir/end"
	contains "$place: said at the end too" "$dir/end" "not traced: p:no $place: "
	trapline live --all-or-nothing -e 'p:g __x64_sys_getppid' -e "p:no $place" -- \
		touch "$dir/run" >"$dir/all" 2>"$dir/all.err"
	equal "$place: --all-or-nothing: status" $? 1
	contains "$place: --all-or-nothing: shown" "$dir/all.err" "p:no $place"
done
live kprobes --kprobes -e 'p:g __x64_sys_getppid' -e 'p:no get_kprobe' -- workload count 10
equal 'kprobes: the other is traced' "$(counter "$dir/kprobes.err" g recorded)" 10
trapline live -e 'p:no get_kprobe' -e 'p:a vfs_read+1' -e 'p:b vfs_write+1' -- \
	touch "$dir/run" >"$dir/refused" 2>"$dir/refused.err"
equal 'all are refused: status' $? 1
equal 'all are refused: all are shown' \
	"$(grep -c '^  p:a vfs_read+1\|^  p:b vfs_write+1\|^  p:no get_kprobe' "$dir/refused.err")" 3
trapline live -e 'p:g __x64_sys_getppid' -e 'p:no get_kprobe' -e 'p:t vfs_reed' -- \
	touch "$dir/run" >"$dir/wrong" 2>"$dir/wrong.err"
equal 'a line that is wrong is not spared' $? 1
contains 'it is shown' "$dir/wrong.err" 'vfs_reed'
[ ! -e "$dir/run" ]
result 'in all of these the command is not run' $?

# many, and two of them cannot be
awk 'FILENAME ~ /kallsyms/ { if ($2 ~ /^[tTwW]$/) copies[$3]++; next }
	NF == 1 && /^[A-Za-z_][A-Za-z0-9_]*$/ && copies[$1] == 1' \
	/proc/kallsyms /sys/kernel/tracing/available_filter_functions >"$dir/functions"
lines=$(wc -l <"$dir/functions")
awk -v every="$((lines / 500))" 'NR % every == 0 && ++n <= 500 { print "p " $1 }' \
	"$dir/functions" >"$dir/list"
equal 'many: so many functions' "$(wc -l <"$dir/list")" 500
printf 'p:no vfs_read+1\np:no get_kprobe\np:g __x64_sys_getppid\n' >>"$dir/list"
before=$(cut -d ' ' -f 1 /proc/uptime)
live many -n 2 -f "$dir/list" -- workload count 10
after=$(cut -d ' ' -f 1 /proc/uptime)
seconds=$(awk "BEGIN { printf \"%.1f\", $after - $before }")
note "500 functions, armed, traced, and gone again: $seconds s"
[ "${seconds%.*}" -lt 15 ]
result 'many: in time' $?
equal 'many: the wanted one is traced' "$(counter "$dir/many.err" g recorded)" 10
contains 'many: how many are refused' "$dir/many.err" \
	'the kernel refuses 2 of 503 events; the others are traced'
contains 'many: where its line is' "$dir/many.err" "$dir/list:501: the kernel refuses: "
equal 'many: all others are in the table' \
	"$(counters "$dir/many.err" hits | wc -l)" 502
grep -q . $list
[ $? -ne 0 ]
result 'no probe is left' $?
equal 'nor a function that is traced' "$(wc -l </sys/kernel/tracing/enabled_functions)" 0
done_testing
