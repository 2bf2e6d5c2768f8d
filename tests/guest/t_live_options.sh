# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What the options of the command do, and what it says of wrong ones.
# shellcheck source=lib.sh
. ./lib.sh
debug=/sys/kernel/debug/kprobes/enabled

trapline live -o "$dir/file" -e 'p:pp __x64_sys_getppid' -- \
	sh -c 'echo of the command' >"$dir/out" 2>"$dir/err"
equal '-o: status' "$?" 0
echo 'of the command' >"$dir/want"
same '-o: standard output is the command'\''s alone' "$dir/out" "$dir/want"
contains '-o: records are in the file' "$dir/file" 'pp: (__x64_sys_getppid'
trapline live -o /no/such/place -e 'p:pp __x64_sys_getppid' -- \
	touch "$dir/run" 2>"$dir/err"
equal '-o into nowhere: status' "$?" 1
contains '-o into nowhere: said' "$dir/err" '/no/such/place: No such file'
[ ! -e "$dir/run" ]
result '-o into nowhere: the command is not run' $?

trapline live --nano -o "$dir/file" -e 'p:pp __x64_sys_getppid' -- sh -c : \
	2>/dev/null
grep -qE ' [0-9]+\.[0-9]{9}: pp: ' "$dir/file"
result '--nano: nine digits' $?

echo 0 >$debug
trapline live --kprobes -e 'p:pp vfs_read' -- true >/dev/null 2>"$dir/err"
live out -e 'p:pp __x64_sys_getppid' -- workload count 10
echo 1 >$debug
contains 'kprobes switched off: warned' "$dir/err" "switched off: echo 1 > $debug"
contains 'kprobes switched off: said at the end' "$dir/err" 'were switched off during the trace'
equal 'kprobes switched off: nothing to an entry by ftrace' \
	"$(counter "$dir/out.err" pp recorded)" 10
grep 'switched off' "$dir/out.err"
[ $? -ne 0 ]
result 'kprobes switched off: nothing is said then' $?

# in mid-trace; emptying the files of tracefs, as `trace-cmd reset` does, is nothing to us
cat >"$dir/meanwhile" <<END
workload count 10
echo >/sys/kernel/tracing/kprobe_events
echo >/sys/kernel/tracing/dynamic_events
workload count 10
echo 0 >$debug
workload count 10
sleep 2
echo 1 >$debug
workload count 10
END
# (a shell asks for its parent, too)
live out --kprobes -e 'p:pp __x64_sys_getppid if comm == "workload"' -- sh "$dir/meanwhile"
equal 'kprobes off for a while: the others are recorded' \
	"$(counter "$dir/out.err" pp recorded)" 30
grep 'switched' "$dir/out.err" | sed 's/.*\(somebody has switched off\|switched on again\|in no column\).*/\1/' >"$dir/got"
printf '%s\n' 'somebody has switched off' 'switched on again' 'in no column' >"$dir/want"
same 'kprobes off for a while: said once each' "$dir/got" "$dir/want"
live out -e 'p:pp __x64_sys_getppid if comm == "workload"' -- sh "$dir/meanwhile"
equal 'kprobes off for a while: by ftrace all are recorded' \
	"$(counter "$dir/out.err" pp recorded)" 40
grep 'switched' "$dir/out.err"
[ $? -ne 0 ]
result 'kprobes off for a while: by ftrace nothing is said' $?

wrong() # wrong NAME WORDS ARGUMENT... - wrong usage is 2 and says what
{
	name=$1 words=$2
	shift 2
	trapline live "$@" >"$dir/out" 2>"$dir/err"
	equal "$name: status" "$?" 2
	contains "$name: said" "$dir/err" "$words"
	[ ! -s "$dir/out" ]
	result "$name: nothing on standard output" $?
}
wrong 'packets of no power of two' 'not a power of two' -e 'p vfs_read' -n 3 -- true
wrong 'bytes out of range' 'from 4k to 4M' -e 'p vfs_read' -b 1000 -- true
wrong 'no event' 'no events' -- true
wrong 'no command' 'no command behind' -e 'p vfs_read' --
wrong 'an option there is not' '--nanos' --nanos -e 'p vfs_read'
done_testing
