# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The command leaves entries of functions to ftrace, and --kprobes does not: the
# same records; hundreds are armed in time.
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

# many, and two of them cannot be
number=100
[ "${TRAPLINE_LONG:-0}" = 0 ] || number=500
awk 'FILENAME ~ /kallsyms/ { if ($2 ~ /^[tTwW]$/) copies[$3]++; next }
	FILENAME ~ /blacklist/ { barred[$2] = 1; next }
	NF == 1 && /^[A-Za-z_][A-Za-z0-9_]*$/ && copies[$1] == 1 && !($1 in barred)' \
	/proc/kallsyms /sys/kernel/debug/kprobes/blacklist \
	/sys/kernel/tracing/available_filter_functions >"$dir/functions"
lines=$(wc -l <"$dir/functions")
awk -v every="$((lines / number))" -v number=$number \
	'NR % every == 0 && ++n <= number { print "p " $1 }' \
	"$dir/functions" >"$dir/list"
equal 'many: so many functions' "$(wc -l <"$dir/list")" $number
printf '%s\n' 'p:no vfs_read+1' 'p:no get_kprobe' \
	'p:g __x64_sys_getppid if comm == "workload"' >>"$dir/list"
cat >"$dir/armed" <<END
cut -d ' ' -f 1 /proc/uptime >$dir/after
workload count 10
END
before=$(cut -d ' ' -f 1 /proc/uptime)
live many -f "$dir/list" -- sh "$dir/armed"
seconds=$(awk -v before="$before" '{ printf "%.1f", $1 - before }' "$dir/after")
note "$number functions, until all are armed: $seconds s"
# some seconds where nothing else runs
[ "${seconds%.*}" -lt 45 ]
result 'many: in time' $?
equal 'many: the wanted one is traced' "$(counter "$dir/many.err" g recorded)" 10
contains 'many: how many are refused' "$dir/many.err" \
	"the kernel refuses 2 of $((number + 3)) events; the others are traced"
contains 'many: where its line is' "$dir/many.err" "$dir/list:$((number + 1)): the kernel refuses: "
equal 'many: all others are in the table' \
	"$(counters "$dir/many.err" hits | wc -l)" $((number + 1))
grep -q . $list
[ $? -ne 0 ]
result 'no probe is left' $?
equal 'nor a function that is traced' "$(wc -l </sys/kernel/tracing/enabled_functions)" 0
done_testing
