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

# A module that comes back while it is off, and once more when it is on. A call is the
# insmod's own and one for each reading of the parameter: 1 before, 3 while it is off,
# 1 behind that and 2 of the module that came last.
call=/sys/module/target/parameters/call
back='rmmod target; insmod target.ko'
insmod target.ko
live module -e 'p:in target:target_call n=$arg1:s32' -e 'r:out target:target_call $retval:s32' -- sh -c \
	"cat $call; echo 0 >$switch; cat $call; $back; cat $call; echo 1 >$switch; cat $call; $back; cat $call"
show "$dir/module"
show "$dir/module.err"
rmmod target
equal 'the module can go afterwards' $? 0
equal 'ftrace is on again' "$(cat $switch)" 1
for event in in out; do
	hits=$(counter "$dir/module.err" $event hits)
	[ "$hits" -ge 4 ] && [ "$hits" -le 7 ]
	result "$event: the calls while it is on are hits, of $hits" $?
	equal "$event: each hit is a record" "$(grep -c " $event: " "$dir/module")" "$hits"
done
done_testing
