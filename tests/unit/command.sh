#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the command does without the module: help, wrong usage, check, doctor;
# as TAP. Its symbols are those of kallsyms.txt where a file may be put in place
# of /proc/kallsyms (as root, in a name space of its own).
#
# TRAPLINE=FILE		the command; build/trapline if it is not given
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../static/tap.sh
. "$here/../static/tap.sh"
command=${TRAPLINE:-$root/build/trapline}
[ -x "$command" ] || {
	echo "Bail out! $command is not built (make userspace)"
	exit 1
}
out=$scratch/out err=$scratch/err

# says NAME STATUS FILE WORDS ARGUMENT... - the command ends so, and has those
# words in FILE; and if it is wrong usage, nothing on standard output
says()
{
	local name=$1 wanted=$2 file=$3 words=$4 status

	shift 4
	"${run[@]}" "$command" "$@" >"$out" 2>"$err" </dev/null
	status=$?
	if [ "$status" != "$wanted" ]; then
		result "$name" "status $status, not $wanted: $(cat "$out" "$err")"
	elif [ -n "$words" ] && ! grep -qF -- "$words" "$file"; then
		result "$name" "no '$words' in: $(cat "$file")"
	elif [ "$wanted" = 2 ] && [ -s "$out" ]; then
		result "$name" "wrong usage on standard output: $(cat "$out")"
	else
		result "$name"
	fi
}

# lines NAME TEXT [FILE] - what the command has printed, word for word
lines()
{
	result "$1" "$(diff <(printf '%s\n' "$2") "${3:-$out}" 2>&1)"
}

usage()
{
	says 'no command' 2 "$err" 'which command?'
	says 'an unknown command' 2 "$err" 'no command "wibble"; see' wibble
	says 'a command that is meant' 2 "$err" 'did you mean "doctor"?' docter
	says 'an unknown option' 2 "$err" 'no option "--wibble-wobble"; see' --wibble-wobble
	says 'the version' 0 "$out" 'trapline ' --version
	says 'the version, short' 0 "$out" 'trapline ' -V
	says 'help' 0 "$out" 'trapline help COMMAND' help
	says '--help' 0 "$out" 'trapline help COMMAND' --help
	says '-h' 0 "$out" 'trapline help COMMAND' -h
	says 'help --help' 0 "$out" 'trapline help COMMAND' help --help
	says 'help of a command' 0 "$out" 'usage: trapline live' help live
	says 'help of what is not there' 2 "$err" 'no command "zzzzzzzz"' help zzzzzzzz
	says 'help of what is meant' 2 "$err" 'mean "check"?' help chek
	says 'help of two' 2 "$err" 'one command at a time' help live check
	says 'help, a very long word' 2 "$err" 'there is no command' help "$(printf '%080d' 0)"
	for word in live check doctor; do
		says "$word --help" 0 "$out" "usage: trapline $word" "$word" --help
		says "$word, an unknown letter" 2 "$err" 'no option -z' "$word" -z
		says "$word, an option that is meant" 2 "$err" 'mean --help?' "$word" --hepl
		says "$word, an option without a value" 2 "$err" 'takes no value' "$word" --help=x
	done
	says 'live, no event' 2 "$err" 'no events' live
	says 'live, no command' 2 "$err" 'no command behind "--"' live -e p --
	says 'live, a value is missing' 2 "$err" '-b needs a value' live -b
	says 'live, a file is missing' 1 "$err" '/no/such/file: No such' live -f /no/such/file
	for word in 3 x 4097M 0x 4kk 99999999999999999999 -1; do
		says "live -n $word" 2 "$err" 'not a power of two from 2 to 4096' live -n "$word" -e p
		says "live -b $word" 2 "$err" 'not a power of two from 4k to 4M' live -b "$word" -e p
	done
	for word in 4096 64k 64K 1m 4M 0x1000; do
		says "live -b $word" 1 "$err" '/no/such/file: No such' \
			live -w --nano -b "$word" -n 4 -e p -o /no/such/file
	done
	for word in comm cgroup; do
		says "live --$word, no name" 2 "$err" "--$word \"\": nothing is called that" \
			live --$word '' -e p
		says "live --$word, two" 2 "$err" "--$word was given already" \
			live --$word=a --$word b -e p
	done
	for word in check live; do
		says "$word, a deletion for an option" 2 "$err" 'a deletion is given as -e -:EVENT' $word -:x
	done
	says 'doctor, a deletion' 2 "$err" 'no option -:' doctor -:x
	says 'check, a wrong letter behind an option' 2 "$err" 'no option -z' check --places -zf
	says 'check, a wrong letter behind a value' 2 "$err" 'no option -z' check --file=/dev/null -zf
	says 'live, wrong usage for programs' 2 "$err" 'no events' live --json-errors
	result 'live, each line is an object' "$(grep -v '^{"code": 0, .*}$' "$err")"
	says 'check, nothing' 2 "$err" 'what is to be checked?' check
	says 'check, a file is missing' 1 "$err" '/no/such/file: No such' check -f /no/such/file
	says 'check, a folder' 1 "$err" "$here: Is a directory" check -f "$here"
	says 'doctor, two modules' 2 "$err" 'one module at a time' doctor a b
}

# A run that cannot begin leaves what was in the file, and leaves no new one.
outputs()
{
	local file=$scratch/old

	echo precious >"$file"
	says 'live -o, a wrong definition' 1 "$err" 'trapline: ' live -e 'p no such' -o "$file"
	result 'live -o, the file is as it was' "$(diff <(echo precious) "$file")"
	says 'live -o, a new file' 1 "$err" 'trapline: ' live -e 'p no such' -o "$scratch/new"
	result 'live -o, no new file' "$([ ! -e "$scratch/new" ] || ls -l "$scratch/new")"
	says 'live -o, no file' 1 "$err" 'trapline: ' live -e 'p no such' -o /dev/full
	says 'live -o, a folder' 1 "$err" "$scratch: Is a directory" live -e 'p no such' -o "$scratch"
	mkfifo "$scratch/fifo"
	timeout 10 cat "$scratch/fifo" >"$scratch/fifo.out" &
	says 'live -o, a pipe' 1 "$err" 'trapline: ' live -e 'p no such' -o "$scratch/fifo"
	wait $!
	result 'live -o, the pipe stays' "$([ -p "$scratch/fifo" ] || ls -l "$scratch")"
}

# Output that does not arrive is a failure, but not where nobody wants it.
streams()
{
	local status

	"$command" help >/dev/full 2>"$err"
	status=$?
	result 'a full disk is a failure' "$([ $status = 1 ] || echo "status $status")"
	result 'a full disk is told' "$(grep -F 'standard output: No space' "$err" >/dev/null || cat "$err")"
	"$command" help >&- 2>"$err"
	status=$?
	result 'without a standard output' "$([ $status = 0 ] || cat "$err")"
	(trap '' PIPE; "$command" help 2>"$err"; echo $? >"$scratch/status") | true
	result 'nobody reads on' "$([ "$(cat "$scratch/status")" = 0 ] || cat "$err")"
}

check()
{
	local tab=$'\t' waits

	cat >"$scratch/probes" <<-'END'
		# a comment

		p:ours/a vfs_read n=$arg3:u64 t=\"x y"
		r vfs_read $retval
	END
	says 'check' 0 "$out" 'p:kprobes/x vfs_read arg1=%di' check 'p:x vfs_read %di'
	lines 'check, nothing else is said' 'p:kprobes/x vfs_read arg1=%di'
	says 'check, a file' 0 "$out" 'p:ours/a' check -f "$scratch/probes"
	lines 'check, the lines of a file' 'p:ours/a vfs_read n=$arg3:u64 t=\"x y"
r:kprobes/r_vfs_read_0 vfs_read arg1=$retval'
	says 'check, places' 0 "$out" '' check --places 'p:x vfs_read?' 'p:y ext4:*open+4'
	lines 'check, each place' 'p:kprobes/x vfs_read?
  0xffffffff81005300 vfs_readv
  0xffffffff81005500 vfs_readx
p:kprobes/y ext4:*open+4
  0xffffffffc0000004 ext4_file_open+4 [ext4]'
	says 'check, places that are tracepoints' 0 "$out" '' check --places 't:x sched_wa*' 't ext4:*'
	lines 'check, each tracepoint' 't:tracepoints/x sched_wa*
  sched_wakeup
  sched_waking
t:tracepoints/ext4__ ext4:*
  ext4_begin [ext4]'
	says 'check, tracepoints that nothing fits' 1 "$err" '*waking* fits 1' check 't waking*'
	says 'check, deletions' 0 "$out" '' check -- p:a/x\ vfs_read p:a/y\ vfs_read p:b/x\ vfs_read \
		p:b/y\ vfs_read p:b/z\ vfs_read -:x '-:a/y # why' p:a/x\ vfs_read -:b/
	lines 'check, what is not deleted' 'p:a/x vfs_read'
	says 'check, deletions as options' 0 "$out" '' check 'p:x vfs_read' -e -:x -e 'p:x vfs_readv' --event 'p:y vfs_read' -e -:y \
		'r:y vfs_read' -- -:x
	lines 'check, each in its order' 'r:kprobes/y vfs_read'
	says 'check, a deletion before its event' 1 "$err" 'no event x is defined above' \
		check -- -:x 'p:x vfs_read'
	lines 'check, which deletion' '  -:x
    ^
trapline: no event x is defined above this line
  hint: a deletion is for what stands above it; an event without a name is called after its place, see `trapline check`' "$err"
	says 'check, a deletion in another group' 1 "$err" 'no event b/x is defined' check -- p:a/x\ vfs_read -:b/x
	says 'check, a deletion of no group' 1 "$err" 'no group c is defined' check -- p:a/x\ vfs_read -:c/
	says 'live, a name that no task has' 1 "$err" '--comm: comm has at most 15 bytes, this text needs 16' \
		live --comm 'systemd-journal?' -e 'p:x vfs_read'
	says 'check, a deletion of nothing' 1 "$err" 'name of the event is missing' check -- -:
	echo - >"$scratch/probes"
	says 'check, a sign alone' 1 "$err" 'a deletion is -:' check -f "$scratch/probes"
	says 'check, a deletion and more' 1 "$err" 'a deletion is -:' check -- p:x\ vfs_read '-:x y'
	printf 'p vfs_read\n\tp \303\244"\\\233 x\n' >"$scratch/probes"
	says 'check, errors for programs' 1 "$err" '' check --json-errors -f "$scratch/probes" 'p vfs_read+x'
	lines 'check, errors as JSON' "{\"code\": 115, \"name\": \"place-form\", \"file\": \"$scratch/probes\", \"line\": 2, \"column\": 4, \"length\": 5, \"text\": \"\\\"$(printf '\303\244')\\\"\\\\\\\\x9b\\\" is not a place; a place is FUNCTION, FUNCTION+OFFSET or an address\", \"proposal\": null, \"definition\": \"\\u0009p $(printf '\303\244')\\\"\\\\\\u009b x\"}
{\"code\": 115, \"name\": \"place-form\", \"file\": null, \"line\": null, \"column\": 3, \"length\": 10, \"text\": \"\\\"vfs_read+x\\\" is not a place; a place is FUNCTION, FUNCTION+OFFSET or an address\", \"proposal\": null, \"definition\": \"p vfs_read+x\"}" "$err"
	says 'check, a file that is not there, for programs' 1 "$err" \
		'{"code": 0, "name": "message", "file": null,' check --json-errors -f /no/such/file
	says 'check, a module that is not there' 0 "$out" 'p:kprobes/x kprobe:vfs_read' \
		check 'p:x kprobe:vfs_read' 'r:y nomod:nothing' 'c:z ext3:ext4_file_open' 't:w nomod:nothing'
	waits='waits for its module, and is armed when that comes'
	lines 'check, what waits for its module' "trapline: note: x $waits; vfs_read is the kernel's own: did you mean \`p vfs_read\`?
trapline: note: y $waits
trapline: note: z $waits; ext4_file_open is of the module ext4: did you mean \`c ext4:ext4_file_open\`?
trapline: note: w $waits" "$err"
	says 'check, a module that is there' 0 "$err" '' check p\ ext4:ext4_file_open t\ ext4:ext4_begin
	result 'check, nothing waits' "$(cat "$err")"
	says 'check, f events' 0 "$out" '' check 'f vfs_read' ' f:x vfs_read%return' 'p vfs_read'
	lines 'check, a note of f events, once' \
		'trapline: note: f events are armed as p and r are' "$err"
	says 'check, no note without' 0 "$err" '' check 'p:f vfs_read'
	result 'check, nothing is said of p' "$(cat "$err")"
	says 'check, an argument that was not checked' 0 "$out" 'p:kprobes/x tgt:name_store arg1=$arg7' \
		check 'p:x tgt:name_store $arg7' 'p:y tgt:name_store $arg6'
	note='x: $arg7 is a word of the stack; without types (BTF) of name_store nobody has checked that it has so many parameters'
	lines 'check, a note of it' "trapline: note: $note" "$err"
	says 'check, notes for programs' 0 "$err" '' check --json-errors 'p:x tgt:name_store $arg7'
	lines 'check, a note as JSON' "{\"code\": 0, \"name\": \"message\", \"file\": null, \"line\": null, \"column\": null, \"length\": null, \"text\": \"note: $note\", \"proposal\": null, \"definition\": null}" "$err"
	says 'check, a file without lines' 1 "$err" 'a NUL byte' check -f /dev/zero
	(ulimit -v 300000; "$command" check -f /dev/zero) >"$out" 2>"$err"
	result 'check, a file without lines or memory' "$([ $? = 1 ] || cat "$err")"
	{ printf '%065537d\n' 0; echo 'p vfs_raed'; } >"$scratch/probes"
	says 'check, a line that is too long' 1 "$err" 'longer than 65536' check -f "$scratch/probes"
	result 'check, nothing behind it' "$(! grep raed "$err")"
	printf 'p vfs_read #%065524d\np vfs_raed\n' 0 >"$scratch/probes"
	says 'check, a line that is long enough' 1 "$err" 'symbol vfs_raed' check -f "$scratch/probes"
	printf 'p:x vfs_read\np:y vfs_write' >"$scratch/probes"
	says 'check, no line end at the end' 0 "$out" '' check -f "$scratch/probes"
	lines 'check, the last line is there' 'p:kprobes/x vfs_read
p:kprobes/y vfs_write'
	printf 'p:x vfs_read\r\n# why\r\n\r\np:y vfs_write $comm\r\n' >"$scratch/probes"
	says 'check, line ends of others' 0 "$out" '' check -f "$scratch/probes"
	lines 'check, without them' 'p:kprobes/x vfs_read
p:kprobes/y vfs_write arg1=$comm'
	printf 'p:x vfs_read\r\np:y vfs_raed\r' >"$scratch/probes"
	says 'check, line ends of others, a wrong line' 1 "$err" "$scratch/probes:2: " check -f "$scratch/probes"
	result 'check, no carriage return is printed' "$(! grep "$(printf '\r')" "$err")"
	says 'check, an empty file' 0 "$err" '' check -f /dev/null
	says 'check, standard input' 0 "$err" '' check -
	says 'check, a wrong line' 1 "$err" 'no symbol vfs_raed' check 'p vfs_raed' 'p vfs_read'
	# where there are types the hint says that they do not have it either
	sed -i 's/\(mean vfs_read?\) .*/\1/' "$err"
	lines 'check, where it is wrong' '  p vfs_raed
    ^~~~~~~~
trapline: the kernel has no symbol vfs_raed
  hint: did you mean vfs_read?' "$err"
	lines 'check, the right line is shown' 'p:kprobes/p_vfs_read_0 vfs_read'
	printf 'p vfs_read\np v\0x\n\tp \303\244\302\233\033[2J\303\244 x\n' >"$scratch/probes"
	says 'check, bytes that are none of a line' 1 "$err" 'a NUL byte' check -f "$scratch/probes"
	lines 'check, a terminal is not told what to do' "  p v
     ^
trapline: $scratch/probes:2: a NUL byte in a definition
  ${tab}p $(printf '\303\244')??[2J$(printf '\303\244') x
  $tab  ^~~~~~~
trapline: $scratch/probes:3: \"$(printf '\303\244')\\xc2\\x9b\\x1b[2J$(printf '\303\244')\" is not a place; a place is FUNCTION, FUNCTION+OFFSET or an address" "$err"
}

# What live asks for before it needs the module
restrictions()
{
	says 'live --pid, no such process' 1 "$err" 'there is no such process' live --pid 2147483647 -e 'p vfs_read'
	[ "$(readlink /proc/self/ns/pid)" != 'pid:[4026531836]' ] ||
		says 'live --pid, a process' 1 "$err" '/dev/trapline' live --pid $$ -e 'p vfs_read'
	run+=(unshare -pf --mount-proc)
	says 'live --pid in a container' 1 "$err" 'in this PID namespace 1 is another process' \
		live --pid 1 -e 'p vfs_read'
	says 'live --children in a container' 1 "$err" 'run trapline outside' \
		live --pid 1 --children -e 'p vfs_read'
	says 'live --comm in a container' 1 "$err" '/dev/trapline' live --comm x -e 'p vfs_read'
	run=("${run[@]::${#run[@]}-3}")
}

# Each line of doctor's is of one form, and the end is what the lines say.
doctor()
{
	local status wanted=0

	"$command" doctor >"$out" 2>"$err"
	status=$?
	! grep -q '^FAIL' "$out" || wanted=1
	result 'doctor: status' "$([ $status = $wanted ] || cat "$out")"
	result 'doctor: form' "$(sed '$d' "$out" | grep -vE '^(ok  |warn|FAIL)  [a-z]+ +[^ ]')"
	result 'doctor: each check' "$([ "$(sed '$d' "$out" | wc -l)" -ge 12 ] || cat "$out")"
	result 'doctor: end' "$(tail -n 1 "$out" | grep -qE '^tracing can' || cat "$out")"
	says 'doctor, no module' 1 "$out" 'no version that can be read' doctor "$here/kallsyms.txt"
	says 'doctor, an empty file' 1 "$out" 'no version that can be read' doctor /dev/null
	says 'doctor, no file' 1 "$out" '/no/such.ko: No such file' doctor /no/such.ko
	printf 'vermagic=1.2.3 SMP' >"$scratch/m.ko"
	says 'doctor, of another kernel' 1 "$out" 'was built for 1.2.3, this is' doctor "$scratch/m.ko"
	printf 'vermagic=%s SMP' "$(uname -r)" >"$scratch/m.ko"
	"$command" doctor "$scratch/m.ko" >"$out"
	result 'doctor, of this kernel' "$(grep -qE '^ok +module .* is for this kernel' "$out" || cat "$out")"
}

# bound FILE COMMAND... - with the symbols of the file as those of the kernel, of which
# the code is not seen
bound()
{
	unshare -m sh -c 'mount --bind "$0" /proc/kallsyms || exit
		[ ! -e /proc/kcore ] || mount --bind /dev/null /proc/kcore && exec "$@"' "$@"
}

run=()
usage
streams
outputs
doctor
if bound "$here/kallsyms.txt" true 2>/dev/null; then
	run=(bound "$here/kallsyms.txt")
	check
	[ -e /dev/trapline ] || restrictions
	printf '%016d T hidden\n' 0 >"$scratch/hidden"
	run=(bound "$scratch/hidden")
	says 'check, hidden addresses' 1 "$err" 'hides the kernel' check p
	says 'doctor, hidden addresses' 1 "$out" 'hides the kernel' doctor
else
	skipped check 'no file can be mounted over /proc/kallsyms'
fi
finish
