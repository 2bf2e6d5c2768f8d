# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Tracepoints through the command, beside the kernel's own tracer: its events of
# the same tracepoints, and where it knows them (6.6 and newer), its "t:" probes
# with the same definitions.
# shellcheck source=lib.sh
. ./lib.sh
# shellcheck source=tracefs.sh
. ./tracefs.sh
rounds=5
pass=/sys/module/traced/parameters/pass

# The workload, and tracefs records nobody else: in FOLDER of its events.
cat >"$dir/run.sh" <<'END'
printf "common_pid == %d" $$ >"$1"/filter
shift
exec workload calls "$@"
END

# same_ends NAME OURS THEIRS - one of them has begun later: the end of the longer
# one is the shorter one, and not short
same_ends()
{
	length=$(wc -l <"$2")
	[ "$length" -le "$(wc -l <"$3")" ] || length=$(wc -l <"$3")
	tail -n "$length" "$2" >"$dir/end.ours"
	tail -n "$length" "$3" >"$dir/end.theirs"
	[ "$length" -gt 100 ] || : >"$dir/end.theirs"
	same "$1: $length records" "$dir/end.ours" "$dir/end.theirs"
}

has_btf=false
[ ! -e /sys/kernel/btf/vmlinux ] || has_btf=true

trapline check 't sched_swich' 't syscalls/sys_enter_openat' 't:sched_switch' \
	't timer/sched_switch' 't sched_switch %di' 't sched_switch $arg13' >"$dir/check" 2>&1
contains 'an unknown tracepoint' "$dir/check" 'did you mean sched_switch?'
contains 'an event of tracefs that is none' "$dir/check" 'share two tracepoints'
contains 'a name of the event alone' "$dir/check" 'did you mean `t sched_switch`'
contains 'another subsystem' "$dir/check" 'did you mean sched/sched_switch'
contains 'a register' "$dir/check" 'has only its arguments'
contains 'more than there can be' "$dir/check" 'no tracepoint has more than 12'

# system calls, by the static event of tracefs and by ours
echo 0 >$t/tracing_on
echo 8192 >$t/buffer_size_kb
echo >$t/trace
echo 1 >$t/events/raw_syscalls/sys_enter/enable
echo 1 >$t/tracing_on
live calls -b 256k -n 16 \
	-e 't:enter raw_syscalls/sys_enter n=$arg2:s64 a=+0x70($arg1):x64 b=+0x68($arg1):x64 c=+0x60($arg1):x64 d=+0x38($arg1):x64 e=+0x48($arg1):x64 f=+0x40($arg1):x64' \
	-- sh "$dir/run.sh" $t/events/raw_syscalls/sys_enter "$dir/tid" $rounds
echo 0 >$t/tracing_on
echo 0 >$t/events/raw_syscalls/sys_enter/enable
echo 0 >$t/events/raw_syscalls/sys_enter/filter
busybox timeout 60 sed "" $t/trace_pipe >"$dir/trace"
tid=$(sed 's/^0*//' "$dir/tid")
sed -nE "s/^ *[^(:=\"]*-$tid +(\\([^)]*\\) )?\\[[0-9]+\\] [^ ]+ +[0-9.]+: sys_enter: NR (-?[0-9]+) \\((.*)\\)\$/\\2, \\3/p" \
	"$dir/trace" >"$dir/want"
fields "$dir/calls" | awk -F '\t' -v tid="$tid" '$2 == tid { print $8 }' |
	sed -E 's/^n=//; s/ [a-f]=0x/, /g' >"$dir/got"
same_ends 'system calls are those of tracefs' "$dir/got" "$dir/want"
fields "$dir/calls" | cut -f 7 | sort -u >"$dir/got"
echo sys_enter >"$dir/want"
same 'the place is the name' "$dir/got" "$dir/want"

# filtered by the system call and the thread: exact
live count -b 256k -n 16 -e 't:enter sys_enter n=$arg2:s64 if n == 110' \
	-e 't:leave sys_exit r=$arg2:s64' -- workload count 2000
equal 'calls of one kind: recorded' "$(counter "$dir/count.err" enter recorded)" 2000
equal 'nothing is lost' "$(counter "$dir/count.err" total full)" 0
equal 'nothing is missed' "$(counter "$dir/count.err" enter nmissed)" 0

# user memory
live open -b 256k -n 16 -e 't:open sys_enter n=$arg2:s64 dfd=+0x70($arg1):s32 name=+u0(+0x68($arg1)):ustring if n == 257 && tid != 0' \
	-- workload strings "$dir/wanted"
records "$dir/open" | sed -nE 's/^open n=257 dfd=-?[0-9]+ (name=.*)$/\1/p' | grep -c . >"$dir/got"
[ "$(cat "$dir/got")" -gt 10 ]
result "strings of user memory: $(cat "$dir/got") names" $?
grep -q 'name=<fault>' "$dir/open"
result 'what is not there is a fault' $?

# patterns: both system call tracepoints as one event, and tracefs's two, in one order
echo >$t/trace
echo 1 >$t/events/raw_syscalls/enable
echo 1 >$t/tracing_on
live calls -b 256k -n 16 -e 't:calls raw_syscalls/* n=$arg2:s64' \
	-- sh "$dir/run.sh" $t/events/raw_syscalls "$dir/tid" $rounds
echo 0 >$t/tracing_on
echo 0 >$t/events/raw_syscalls/enable
echo 0 >$t/events/raw_syscalls/filter
busybox timeout 60 sed "" $t/trace_pipe >"$dir/trace"
tid=$(sed 's/^0*//' "$dir/tid")
sed -nE "s/^ *[^(:=\"]*-$tid +(\\([^)]*\\) )?\\[[0-9]+\\] [^ ]+ +[0-9.]+: (sys_enter|sys_exit): NR (-?[0-9]+) (\\(.*|= (-?[0-9]+))\$/\\2 \\3 \\5/p" \
	"$dir/trace" | awk '{ print $1, ($1 == "sys_exit" ? $3 : $2) }' >"$dir/want"
fields "$dir/calls" | awk -F '\t' -v tid="$tid" '$2 == tid { sub(/^n=/, "", $8); print $7, $8 }' >"$dir/got"
same_ends 'a pattern: its tracepoints in the order of tracefs' "$dir/got" "$dir/want"
cut -d ' ' -f 1 "$dir/got" | sort | uniq >"$dir/got.names"
printf '%s\n' sys_enter sys_exit >"$dir/want"
same 'a pattern: each record says which' "$dir/got.names" "$dir/want"

# processes that are born and end: all tracepoints of them, of each thread in one order
cp "$(command -v busybox)" "$dir/busybox-marked"
cat >"$dir/processes.sh" <<'END'
for i in 1 2 3 4 5 6 7 8; do
	"$1" cat /dev/null
	(:)
done
END
echo >$t/trace
for event in "$t"/events/sched/sched_process_*; do
	echo 1 >"$event/enable"
done
echo 1 >$t/tracing_on
live born -b 256k -n 16 --places -e 't:born sched/sched_process_* comm=$comm' \
	-- "$dir/busybox-marked" sh "$dir/processes.sh" "$dir/busybox-marked"
echo 0 >$t/tracing_on
echo 0 >$t/events/sched/enable
busybox timeout 60 sed "" $t/trace_pipe >"$dir/trace"
equal 'processes: nothing is lost' "$(counter "$dir/born.err" total full)" 0
fields "$dir/born" | awk -F '\t' '$8 == "comm=\"busybox-marked\"" { print $2 }' | sort -u >"$dir/tids"
note "$(wc -l <"$dir/tids") threads"
fields "$dir/born" | awk -F '\t' '{ print $2, $7 }' >"$dir/ours.all"
sed -nE 's/^ *.*-([0-9]+) +(\([^)]*\) )?\[[0-9]+\] [^ ]+ +[0-9.]+: (sched_process_[a-z]+): .*$/\1 \3/p' \
	"$dir/trace" >"$dir/theirs.all"
for who in ours theirs; do
	# what frees a task is an interrupt, which can come between both handlers
	awk 'NR == FNR { wanted[$1]; next } ($1 in wanted) && $2 != "sched_process_free"' \
		"$dir/tids" "$dir/$who.all" | sort -s -n -k 1,1 >"$dir/$who.born"
	cut -d ' ' -f 2 "$dir/$who.born" | sort | uniq -c >"$dir/$who.kinds"
done
show "$dir/theirs.kinds"
[ "$(wc -l <"$dir/theirs.kinds")" -ge 4 ]
result 'processes: of four kinds or more' $?
same 'processes: as many of each as in tracefs' "$dir/ours.kinds" "$dir/theirs.kinds"
same 'processes: in the order of tracefs' "$dir/ours.born" "$dir/theirs.born"
for event in "$t"/events/sched/sched_process_*; do
	event=${event##*/}
	! grep -q " __traceiter_$event\$" /proc/kallsyms || printf '  %s\n' "$event"
done >"$dir/want"
sed -n '/^tracepoints\/born/,/^[^ ]/p' "$dir/born.err" | grep '^  ' >"$dir/got"
same 'processes: --places lists them' "$dir/got" "$dir/want"

# a whole subsystem: those of tracefs that are tracepoints
for event in "$t"/events/sched/*/; do
	event=${event%/}
	event=${event##*/}
	! grep -q " __traceiter_$event\$" /proc/kallsyms || printf '  %s\n' "$event"
done >"$dir/want"
trapline check --places 't sched/*' >"$dir/check" 2>&1
echo 't:tracepoints/sched__ sched/*' | cat - "$dir/want" >"$dir/all"
same 'all of a subsystem' "$dir/check" "$dir/all"
trapline check 't syscalls/*' 't shed/*' 't sched/swich*' 't sched/switch*' 't sched:*' \
	't timer/sched_*' 't */sched_*' >"$dir/check" 2>&1
contains 'a pattern: system calls' "$dir/check" 'share two tracepoints'
contains 'a pattern: no such subsystem' "$dir/check" 'there is no subsystem shed'
contains 'a pattern: a wider one' "$dir/check" '*switch* fits'
contains 'a pattern: a subsystem as a module' "$dir/check" 'did you mean sched/*?'
contains 'a pattern: in other subsystems' "$dir/check" 'sched_* alone fits'
contains 'a pattern: not of subsystems' "$dir/check" 'the pattern of subsystems "*" is not supported'
mount --bind "$dir" /sys/kernel/tracing
trapline check 't sched/*' >"$dir/check" 2>&1
status=$?
umount /sys/kernel/tracing
equal 'a pattern, no tracefs: status' "$status" 1
contains 'a pattern, no tracefs: said' "$dir/check" 'cannot be known: /sys/kernel/tracing/events: No such file'

# a symbol of which the kernel has no tracepoint: it refuses that one alone
if [ "${TRAPLINE_LONG:-0}" = 1 ]; then
	{ cat /proc/kallsyms; echo 'ffffffffffffe000 T __traceiter_sched_process_nothing'; } >"$dir/kallsyms"
	mount --bind "$dir/kallsyms" /proc/kallsyms
	trapline live -e 't:some sched_process_* comm=$comm' -- true >"$dir/some" 2>"$dir/some.err"
	equal 'one is refused: the others are traced' $? 0
	trapline live --all-or-nothing -e 't:some sched_process_*' -- touch "$dir/run" >"$dir/none" 2>"$dir/none.err"
	status=$?
	trapline live -e 't:none *_process_nothing*' -- touch "$dir/run" >"$dir/none" 2>"$dir/alone.err"
	equal 'all are refused: status' $? 1
	umount /proc/kallsyms
	equal 'one is refused, all or nothing: status' "$status" 1
	contains 'one is refused: said' "$dir/some.err" 'some: the kernel refuses 1 of its'
	contains 'one is refused: which' "$dir/some.err" 'sched_process_nothing: the kernel has no such tracepoint'
	contains 'one is refused: records of the others' "$dir/some" '(sched_process_exec)'
	contains 'one is refused, all or nothing: which' "$dir/none.err" 'at the tracepoint sched_process_nothing'
	[ ! -e "$dir/run" ]
	result 'one is refused, all or nothing: the command is not run' $?
fi

# many at once, those of interrupts, locks, and of the tracing itself among them
pattern='*'
trapline check 't *' >/dev/null 2>&1 || pattern='*a*'
live many -b 256k -n 16 -e "t:m $pattern" -- workload count 100
outcomes=$(outcomes "$dir/many.err" m)
[ "$outcomes" -gt 100 ]
result "many tracepoints: $pattern: $outcomes hits" $?
equal 'many tracepoints: hits are accounted for' "$(counter "$dir/many.err" m hits)" $outcomes

# a module's tracepoints, against its events
insmod traced.ko
echo >$t/trace
echo 1 >$t/events/traced/enable
echo 1 >$t/tracing_on
live traced -b 64k -n 8 -e 't:few traced/traced_few n=$arg1:s32 number=+0($arg2):s32 name=+0(+8($arg2)):string' \
	-e 't:many traced_many a=$arg1:u8 b=$arg2:s16 c=$arg3:s32 d=$arg4:s64 f=$arg6:u64 g=$arg7:u8 h=$arg8:s8 i=$arg9:u32 j=$arg10:s64 l=$arg12:u16 e=+0($arg5):string' \
	-- sh -c "for i in 1 2 3 4 5; do cat $pass >/dev/null; done"
echo 0 >$t/tracing_on
echo 0 >$t/events/traced/enable
busybox timeout 60 sed "" $t/trace_pipe >"$dir/trace"
fields "$dir/traced" | awk -F '\t' '$6 == "many" { sub(/ e="e"$/, "", $8); print $6 ": " $8 }' >"$dir/got"
sed -nE 's/^.*: traced_many: (.*)$/many: \1/p' "$dir/trace" >"$dir/want"
same 'twelve arguments are those of the event' "$dir/got" "$dir/want"
fields "$dir/traced" | awk -F '\t' '$6 == "few" { print $8 }' >"$dir/got"
sed -nE 's/^.*: traced_few: number=([0-9]+) name=(.*)$/n=\1 number=-\1 name="\2"/p' "$dir/trace" >"$dir/want"
same 'a struct that is handed over' "$dir/got" "$dir/want"
fields "$dir/traced" | cut -f 6,7 | sort -u >"$dir/got"
printf 'few\ttraced_few [traced]\nmany\ttraced_many [traced]\n' >"$dir/want"
same 'the place has the module' "$dir/got" "$dir/want"
if [ -e /sys/kernel/btf/traced ]; then
	live names -b 64k -n 8 -e 't:all traced_many $arg*' -e 't:one traced_few $arg* m=thing->number s=thing->name:string if number > 2' \
		-- cat $pass
	fields "$dir/names" | awk -F '\t' '$6 == "all" { gsub(/0x[0-9a-f]+/, "PTR", $8); print $8 }' >"$dir/got"
	echo 'a=206 b=-306 c=-70006 d=-5000000006 e=PTR f=9223372036854775814 g=0 h=109 i=4000000006 j=-6000000006 k=PTR l=65006' >"$dir/want"
	same 'names and types of a module' "$dir/got" "$dir/want"
	fields "$dir/names" | awk -F '\t' '$6 == "one" { gsub(/0x[0-9a-f]+/, "PTR", $8); print $8 }' >"$dir/got"
	echo 'number=6 thing=PTR m=-6 s="a thing"' >"$dir/want"
	same 'members of what is handed over' "$dir/got" "$dir/want"
fi
live gone -e 't:few traced_few n=$arg1:s32' -- \
	sh -c "cat $pass; rmmod traced; insmod traced.ko; cat $pass; rmmod traced"
equal 'it is unloaded while it is probed' "$?" 0
equal 'hits of both lives' "$(counter "$dir/gone.err" few hits)" 2
contains 'the command says so' "$dir/gone.err" 'few: its module was unloaded'
insmod traced.ko
live both --places -e 't:both traced:* n=$arg1:u8' -- \
	sh -c "cat $pass; rmmod traced; insmod traced.ko; cat $pass; rmmod traced"
equal 'a pattern: hits of both lives of the module' "$(counter "$dir/both.err" both hits)" 4
fields "$dir/both" | awk -F '\t' '$6 == "both" { print $7, $8 }' >"$dir/got"
cat >"$dir/want" <<'END'
traced_few [traced] n=1
traced_many [traced] n=201
traced_few [traced] n=1
traced_many [traced] n=201
END
same 'a pattern: records of both lives' "$dir/got" "$dir/want"
contains 'a pattern: the places have the module' "$dir/both.err" '  traced_many [traced]'
live come -e 't:few traced:traced_few n=$arg1:s32' -e 't:no traced:nothing' -- \
	sh -c "insmod traced.ko; cat $pass >/dev/null; rmmod traced"
records "$dir/come" >"$dir/got"
echo 'few n=1' >"$dir/want"
same 'it comes while it is waited for' "$dir/got" "$dir/want"
contains 'waiting is told' "$dir/come.err" 'few waits for its module'
contains 'and what it does not have' "$dir/come.err" 'the module has no such function or tracepoint'
trapline check 't traced_few' >"$dir/check" 2>&1
contains 'the module is not there any more' "$dir/check" 'has no tracepoint traced_few'

# scheduling, with names, and the kernel's own probes of the same definitions
# stacks begin where the tracepoint is
live stack -b 256k -n 16 -e 't:sw sched_switch k=$kstack:3 u=$ustack:1' -e 't:call sys_enter n=$arg2:s64 k=$kstack:127 u=$ustack:127 if n == 110' -- \
	chain call
grep -c ' sw: .* k=\[\(trace_sched_switch+0x[0-9a-f]* <- \)\?__schedule+0x[0-9a-f]* <- ' "$dir/stack" >"$dir/got"
counter "$dir/stack.err" sw recorded >"$dir/want"
same 'every switch of tasks is in the scheduler' "$dir/got" "$dir/want"
grep ' call: ' "$dir/stack" >"$dir/got"
show "$dir/got"
contains 'a system call has the stack of its caller' "$dir/got" 'u=[stack_c+0x'
grep -vE ' k=\[[a-z_0-9]*sys[a-z_0-9.]*\+0x[0-9a-f]* <- ' "$dir/got" >"$dir/bad"
equal 'and one of the kernel without the tracing' "$(wc -l <"$dir/bad")" 0

if $has_btf; then
	live sched -b 256k -n 16 -e 't:sw sched/sched_switch prev=prev->pid next=next->pid comm=next->comm:string state=prev_state if prev != 0 || next != 0' \
		-- workload calls "$dir/tid" 1
	fields "$dir/sched" | awk -F '\t' '$8 !~ /^prev=[0-9]+ next=[0-9]+ comm="[^"]*" state=[0-9]+$/' >"$dir/bad"
	equal 'names of a tracepoint of the kernel' "$(wc -l <"$dir/bad")" 0
	# whoever runs is who was switched to
	fields "$dir/sched" | awk -F '\t' '
		{ split($8, word, /[ =]/); if ($2 != word[2]) bad++; if (word[2] == word[4]) bad++; n++ }
		END { print (n > 0 && !bad) ? "good" : bad " of " n }' >"$dir/got"
	echo good >"$dir/want"
	same 'who is switched away is the task of the record' "$dir/got" "$dir/want"
fi
printf 't:theirs sched_switch\n' >>$t/dynamic_events 2>/dev/null
if grep -q theirs $t/dynamic_events; then
	echo >$t/dynamic_events
	cat >"$dir/lines" <<'END'
t:t_plain sys_enter
t:t_args sys_enter $arg2 m=$arg2:x16 n=$arg2:u8
t:t_regs sys_enter a=+0x70($arg1):x64 b=+0x68($arg1):x64
t:t_names sys_exit $arg* r=ret
t:t_member sys_enter d=regs->di s=regs->si:x32
END
	# one at a time: 6.12 takes no second one on a tracepoint
	while read -r line; do
		printf '%s\n' "$line" >"$dir/line"
		cat "$dir/line" >>$t/dynamic_events
		result "the kernel takes $line" $?
		echo >$t/trace
		echo 1 >$t/events/tracepoints/enable
		echo 1 >$t/tracing_on
		live ours -b 256k -n 32 -f "$dir/line" -- \
			sh "$dir/run.sh" $t/events/tracepoints "$dir/tid" $rounds
		echo 0 >$t/tracing_on
		echo 0 >$t/events/tracepoints/enable
		busybox timeout 60 sed "" $t/trace_pipe >"$dir/trace"
		echo >$t/dynamic_events
		tid=$(sed 's/^0*//' "$dir/tid")
		plain "$dir/ours" "$tid" | sed -E 's/\([a-z_]+\)/()/' >"$dir/ours.e"
		plain "$dir/trace" "$tid" | as_ours |
			sed -E 's/\(__probestub_[^)]*\)/()/' >"$dir/theirs.e"
		same_ends "$line" "$dir/ours.e" "$dir/theirs.e"
	done <"$dir/lines"
fi
echo 1 >$t/tracing_on
done_testing
