# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# With kernel.ftrace_enabled=0 the kernel arms the entry of a function, and no hit
# of it ever comes: that is said, and it does not stay so.
# shellcheck source=lib.sh
. ./lib.sh
switch=/proc/sys/kernel/ftrace_enabled

# ten DEFINITION NAME - a trace of ten calls: recorded, or said that they are not
ten()
{
	trapline live -e "$1" -- workload count 10 >"$dir/$2" 2>"$dir/$2.err"
	set -- "$1" "$2" $? "$(counter "$dir/$2.err" g recorded)"
	note "$2: status $3, $4 of 10 calls recorded"
	[ "$3:$4" = 0:10 ] || grep -q 'ftrace' "$dir/$2.err"
	result "$2: recorded, or it is said why not" $?
	show "$dir/$2.err"
}

# 7.3 refuses it, and ftrace stays on
if ! (echo 0 >$switch) 2>/dev/null; then
	equal 'a kernel that does not switch it off leaves it on' "$(cat $switch)" 1
	ten 'p:g __x64_sys_getppid' entry
	equal 'and all calls are recorded' "$(counter "$dir/entry.err" g recorded)" 10
	done_testing
fi
ten 'p:g __x64_sys_getppid' entry
ten 'r:g __x64_sys_getppid' return
trapline doctor >"$dir/doctor" 2>&1
grep -q '^warn  ftrace' "$dir/doctor"
result 'doctor says that ftrace is off' $?
show "$dir/doctor"
echo 1 >$switch
ten 'p:g __x64_sys_getppid' again
equal 'switched on again: all calls are recorded' "$(counter "$dir/again.err" g recorded)" 10
grep -q . /sys/kernel/debug/kprobes/list
[ $? -ne 0 ]
result 'no probe is left' $?

# A trace that runs while it is switched off and on again counts on.
trapline live -e 'p:g __x64_sys_getppid' -- sh -c \
	"workload count 10; echo 0 >$switch; workload count 10; echo 1 >$switch; workload count 10" \
	>"$dir/during" 2>"$dir/during.err"
equal 'a trace while it is switched off and on ends well' $? 0
recorded=$(counter "$dir/during.err" g recorded)
note "$recorded calls recorded, of 30 and those of the shell"
[ "$recorded" -ge 20 ]
result 'and has the calls before and after' $?
done_testing
