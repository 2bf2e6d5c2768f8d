# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Events that the kernel refuses, beside others and alone: what is said, and what
# is traced all the same.
# shellcheck source=lib.sh
. ./lib.sh
list=/sys/kernel/debug/kprobes/list

# one that is known before, and one that only the kernel knows
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

# what is known before is told in words, not as an errno; not all kernels list the second
second=get_kprobe
grep -qw native_read_msr /sys/kernel/debug/kprobes/blacklist && second=native_read_msr
note "in the list: $second"
trapline check 'p get_kprobe' "p $second" 'p asm_exc_page_fault' \
	>"$dir/check" 2>"$dir/check.err"
equal 'check: known before' "$? $(wc -l <"$dir/check")" '1 0'
trapline live -e 'p get_kprobe' -e "p $second" -e 'p asm_exc_page_fault' \
	-e 'p:a vfs_read+1' -e 'p:b vfs_write+1' -- touch "$dir/run" >"$dir/live" 2>"$dir/live.err"
equal 'live: all are refused' "$? $(wc -l <"$dir/live")" '1 0'
equal 'live: all of them are shown' "$(grep -c '^  p' "$dir/live.err")" 5
for by in check live; do
	for place in get_kprobe $second; do
		contains "$by: $place" "$dir/$by.err" "$place is in the kernel's kprobe blacklist"
	done
	contains "$by: asm_exc_page_fault" "$dir/$by.err" \
		'asm_exc_page_fault is code that must not be instrumented'
done
trapline live -e 'p:g __x64_sys_getppid' -e 'p:no get_kprobe' -e 'p:t vfs_reed' -- \
	touch "$dir/run" >"$dir/wrong" 2>"$dir/wrong.err"
equal 'a line that is wrong is not spared' $? 1
contains 'it is shown' "$dir/wrong.err" 'vfs_reed'
[ ! -e "$dir/run" ]
result 'in all of these the command is not run' $?
grep -q . $list
[ $? -ne 0 ]
result 'no probe is left' $?
equal 'nor a function that is traced' "$(wc -l </sys/kernel/tracing/enabled_functions)" 0
done_testing
