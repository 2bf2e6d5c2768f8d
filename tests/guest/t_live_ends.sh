# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# How a run of trapline live ends, or does not begin: what is said, the status,
# and that no probe is left.
# shellcheck source=lib.sh
. ./lib.sh
list=/sys/kernel/debug/kprobes/list
traced=/sys/kernel/tracing/enabled_functions
event='p:pp __x64_sys_getppid'

# ends NAME STATUS WORDS ARGUMENT... - the run ends so and says that
ends()
{
	name=$1 wanted=$2 words=$3
	shift 3
	trapline live "$@" >"$dir/out" 2>"$dir/err" </dev/null
	equal "$name: status" "$?" "$wanted"
	contains "$name: said" "$dir/err" "$words"
	[ -r $list ] && [ -r $traced ] && [ -z "$(cat $list $traced)" ]
	result "$name: no probe is left" $?
}

ends 'the command fails' 0 'command ended with status 3' -e "$event" \
	-e 'p:never __x64_sys_sethostname' -- sh -c 'exit 3'
equal 'an event that is never hit is in the table, and is no failure' \
	"$(counter "$dir/err" never hits) $(counter "$dir/err" never recorded)" '0 0'
equal 'and has no record' "$(grep -c 'never' "$dir/out")" 0
ends 'the command is killed' 0 'command was ended by signal 9 (Killed)' \
	-e "$event" -- sh -c 'kill -KILL $$'
ends 'no such command' 1 'cannot execute "/no/such": No such file' -e "$event" -- /no/such
ends 'no event' 1 'no events: all lines are empty, comments, or deleted again' -e '# a comment' -- true
ends 'inside an instruction' 1 'not the start of an instruction' \
	-e 'p __x64_sys_getppid+1' -- touch "$dir/run"
contains 'inside an instruction: where' "$dir/err" '^~~~'
ends 'an event of each' 0 'mine/a_long_name_of_an_event' -e '' \
	-e 'p:mine/a_long_name_of_an_event __x64_sys_getppid' -- true
ends 'too much memory' 1 'MiB for one session' -b 4M -n 4096 -e "$event" -- touch "$dir/run"
ends 'a full disk' 1 '/dev/full: No space left on device; not all' \
	-o /dev/full -e "$event" -- workload count 2000
ends 'a full disk, a flight recorder' 1 '/dev/full: No space left on device; not all' \
	-w -o /dev/full -e "$event" -- workload count 2000
[ ! -e "$dir/run" ]
result 'what cannot be traced is not run' $?

# A file of half a kilobyte is the largest that it may write.
sh -c 'ulimit -f 1; exec trapline live -o "$1" -e "$2" -- workload count 2000' sh \
	"$dir/large" "$event" >"$dir/out" 2>"$dir/err"
equal 'a file too large: status' $? 1
contains 'a file too large: said' "$dir/err" 'File too large; not all'
contains 'a file too large: the table is there' "$dir/err" total

# Whoever reads it has seen enough: no failure, no word, and the command ends.
(trapline live -e "$event" -- workload count 20000 2>"$dir/err"; echo $? >"$dir/status") |
	head -n 1 >"$dir/out"
equal 'a closed pipe: status' "$(cat "$dir/status")" 0
equal 'a closed pipe: one record' "$(wc -l <"$dir/out")" 1
[ -r $list ] && [ -r $traced ] && [ -z "$(cat $list $traced)" ]
result 'a closed pipe: no probe is left' $?

# The command ends while nobody reads: what is in the rings is printed nevertheless.
(trapline live -e "$event" -- workload count 5000 2>"$dir/err"; echo $? >"$dir/status") |
	(sleep 2; cat >"$dir/out")
equal 'a slow reader: status' "$(cat "$dir/status")" 0
equal 'a slow reader: all records' "$(grep -c ' pp: ' "$dir/out")" "$(counter "$dir/err" pp recorded)"

# The output's file is emptied when all is armed, and not before.
echo old >"$dir/file"
ends 'a file, and a wrong event' 1 'not the start of an instruction' -o "$dir/file" \
	-e 'p __x64_sys_getppid+1' -- true
equal 'a file, and a wrong event: it is as it was' "$(cat "$dir/file")" old
ends 'a file that has something' 0 total -o "$dir/file" -e "$event" -- workload count 3
equal 'a file that has something: the records alone' "$(grep -vc ' pp: ' "$dir/file")" 0

# interrupt NAME STATUS-OF-COMMAND SCRIPT - SIGTERM once the command runs
interrupt()
{
	rm -f "$dir/begun"
	trapline live -e "$event" -- sh -c "$2" sh "$dir/begun" \
		>"$dir/out" 2>"$dir/err" &
	pid=$!
	for _ in $(seq 100); do
		[ ! -e "$dir/begun" ] || break
		sleep 0.1
	done
	kill -TERM $pid
	wait $pid
	equal "$1: status" "$?" 0
	contains "$1: the table is there" "$dir/err" 'total'
	[ -r $list ] && [ -r $traced ] && [ -z "$(cat $list $traced)" ]
	result "$1: no probe is left" $?
}
interrupt 'a signal' 'touch "$1"; exec sleep 100'
contains 'a signal goes to the command' "$dir/err" 'command was ended by signal 15'
# it ends when it is told to, or after a minute
interrupt 'a command that goes on' \
	'trap "" TERM; touch "$1"; i=0; while [ ! -e "$1.end" ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done'
contains 'a command that goes on is named' "$dir/err" 'command still runs, process'
touch "$dir/begun.end"

trapline doctor >"$dir/out" 2>"$dir/err"
equal 'doctor: status' "$?" 0
contains 'doctor: the device' "$dir/out" 'backends: kprobe, kretprobe'
contains 'doctor: the end' "$dir/out" 'tracing can work'
done_testing
