# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The name in front of a record is the one that its thread had at that time:
# after exec, fork, renaming by itself and by others, in threads, and when the
# thread ended long before its record was read.
# shellcheck source=lib.sh
. ./lib.sh

live out -e 'p:m __x64_sys_lseek n=+104(%di):u32 w=+96(%di):u32' \
	-- workload names "$dir/want" /work/t/workload
fields "$dir/out" | awk -F '\t' '$8 ~ / w=81$/ {
	sub(/^n=/, "", $8)
	sub(/ .*/, "", $8)
	print $8, $1
}' | sort -n >"$dir/got"
sort -n "$dir/want" >"$dir/want.sorted"
same 'names of tasks at the time of their records' "$dir/got" "$dir/want.sorted"
# ftrace's <...> and our own mark of ignorance
fields "$dir/out" | cut -f 1 | grep -nE '^(<\.\.\.>|\?)$' >"$dir/unknown"
[ ! -s "$dir/unknown" ]
result 'no task is without a name' $?

# Tasks of before the trace, the kernel's threads among them.
workload load 5 &
load=$!
live out -e 'p:f vfs_read' -e 'p:w __queue_work' -e 'p:t wake_up_process' -- usleep 500000
kill -9 $load
fields "$dir/out" | cut -f 1 | sort | uniq -c | sort -rn >"$dir/tasks"
show "$dir/tasks"
fields "$dir/out" | cut -f 1 | grep -qx workload
result 'a task of before the trace has its name' $?
fields "$dir/out" | cut -f 1 | grep -nE '^(<\.\.\.>|\?)$' >"$dir/unknown"
[ ! -s "$dir/unknown" ]
result 'no task of before is without a name' $?
done_testing
