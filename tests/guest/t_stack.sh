# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Stacks. Those of the kernel are what its own tracer prints of the same hits
# (options/stacktrace, which begins at the probed place, too); those of a program
# are as it was written.
# shellcheck source=lib.sh
. ./lib.sh
t=/sys/kernel/tracing

# theirs FILE - stacks of a trace, one a line, in our words; the newest frame is
# some bytes into the function there, by the mechanism of the probe
theirs()
{
	awk '
	function put() { if (stack != "") print stack "]"; stack = "" }
	/<stack trace>/ { put(); next }
	/^ => / {
		sub(/^ => /, "")
		sub(/\/0x[0-9a-f]+/, "")
		if (stack == "" && entry)
			sub(/\+0x[0-9a-f]+/, "+0x0")
		stack = stack (stack == "" ? "[" : " <- ") $0
		next
	}
	{ put() }
	END { put() }' entry="$2" "$1"
}

# compare NAME DEFINITION - the first stacks of that event, by both tracers; not at
# once, since a return that is probed twice looks odd to the kernel's own
compare()
{
	live out --comm chain -e "$2 s=\$kstack:127" -- chain open
	sed -n 's/.* s=\(\[.*\)$/\1/p' "$dir/out" >"$dir/ours"
	printf '%s\n' "$2" >$t/kprobe_events
	event=$(printf '%s\n' "$2" | sed 's/^.:\([a-z]*\) .*/\1/')
	echo 'comm == "chain"' >"$t/events/kprobes/$event/filter"
	echo >$t/trace
	echo 1 >"$t/events/kprobes/$event/enable"
	chain open
	echo 0 >"$t/events/kprobes/$event/enable"
	cat $t/trace >"$dir/trace"
	echo >$t/kprobe_events
	case $2 in
	p*) theirs "$dir/trace" 1 ;;
	*) theirs "$dir/trace" 0 ;;
	esac >"$dir/theirs"
	same "$1: $(wc -l <"$dir/theirs") stacks" "$dir/ours" "$dir/theirs"
}

# names FILE - of the functions in the first stack of the file, without the rest
names()
{
	sed -n 's/.* s=\[\(.*\)\]$/\1/p' "$1" | head -n 1 |
		sed 's/+0x[0-9a-f]* ([^)]*)//g; s/ <- / /g'
}

echo 1 >$t/options/stacktrace
echo 1 >$t/options/sym-offset
compare 'the entry of a function' 'p:deep vfs_open'
compare 'a return' 'r:back vfs_open'
compare 'the entry of a system call' 'p:call do_sys_openat2'
echo 0 >$t/options/stacktrace
echo 0 >$t/options/sym-offset

# callers whose return is probed, too, are as without
# (which newer kernels call do_file_open)
opener=do_filp_open
grep -qF " $opener" /proc/kallsyms || opener=do_file_open
live out --comm chain -e 'r:x path_openat' -e "r:y $opener" -e 'r:z do_sys_openat2' \
	-e 'p:deep vfs_open s=$kstack:127' -- chain open
live plain --comm chain -e 'p:deep vfs_open s=$kstack:127' -- chain open
grep ' deep: ' "$dir/out" | sed 's/.* s=//' >"$dir/got"
grep ' deep: ' "$dir/plain" | sed 's/.* s=//' >"$dir/want"
same 'probed returns on the way' "$dir/got" "$dir/want"
live out --comm chain -e 'p:deep vfs_open s=$kstack:2' -- chain open
equal 'two frames of more are cut' "$(sed -n 's/.* s=.* <- \(.*\)$/\1/p' "$dir/out" | sort -u)" '...]'
equal 'and are counted so' "$(counter "$dir/out.err" deep truncated)" \
	"$(counter "$dir/out.err" deep recorded)"

# A probe in what finds the frames: inside of a handler the kernel calls no other
# one of a kprobe, and ftrace does, which is a recursion. (KASAN finds frames too.)
stack='p:u __x64_sys_getppid s=$kstack:127'
live out --kprobes --comm chain -e 'p:find unwind_next_frame' -e "$stack" -- chain call
equal 'a kprobe in the unwinder' "$(records "$dir/out" | grep '^u' | cut -d '<' -f 1)" \
	'u s=[__x64_sys_getppid+0x0 '
grep -qF ' kasan_report' /proc/kallsyms ||
	equal 'is missed' "$(counter "$dir/out.err" find hits)" 0
[ "$(counter "$dir/out.err" find 'nmissed*')" -gt 0 ]
result 'and counted' $?
live out --comm chain -e 'p:find unwind_next_frame' -e "$stack" -- chain call
equal 'ftrace in the unwinder' "$(records "$dir/out" | grep '^u' | cut -d '<' -f 1)" \
	'u s=[__x64_sys_getppid+0x0 '
[ "$(counter "$dir/out.err" find recursion)" -gt 0 ]
result 'is a recursion' $?

# a program
path=$(command -v chain)
live out --comm chain -e 'p:u __x64_sys_getppid s=$ustack' -- chain call
show "$dir/out"
equal 'a program' "$(names "$dir/out" | cut -d ' ' -f 1-4)" 'stack_c stack_b stack_a main'
contains 'in its file' "$dir/out" " ($path) <- stack_b+0x"
live out --comm chain -e 'p:u __x64_sys_getppid s=$ustack:10' -- chain deep 50
equal 'recursion is cut' "$(names "$dir/out")" \
	"stack_c$(printf ' stack_deep%.0s' 1 2 3 4 5 6 7 8 9) ..."
equal 'which is counted' "$(counter "$dir/out.err" u truncated)" 1
live out --comm chain -e 'p:u __x64_sys_getppid s=$ustack:127' -- chain deep 50
equal 'and is all there' "$(names "$dir/out" | tr ' ' '\n' | grep -c stack_deep)" 50
if grep -qF -e ' entry_INT80_compat' -e ' asm_int80_emulation' /proc/kallsyms; then
	live out --comm chain -e 'p:u __x64_sys_getppid s=$ustack' -- chain 32 "$dir/want"
	records "$dir/out" >"$dir/got"
	same 'a program of 32 bits' "$dir/got" "$dir/want"
else
	note 'the kernel has no programs of 32 bits'
fi

# who has none of user mode: threads of the kernel; interrupts have somebody else's
live out -b 256k -n 16 -e 'p:work wq_worker_sleeping u=$ustack k=$kstack:127' \
	-e 'p:tick update_process_times u=$ustack k=$kstack:127' -- \
	sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; busybox sleep 1'
records "$dir/out" | sed -n 's/^work \(u=.*\) k=\[wq_worker_sleeping+0x0 <- .* <- kthread+.*/\1/p' |
	sort -u >"$dir/got"
echo 'u=[]' >"$dir/want"
same 'a thread of the kernel has no user stack' "$dir/got" "$dir/want"
records "$dir/out" | sed -n 's/^tick \(u=[^ ]*\) .*/\1/p' | sort -u >"$dir/got"
echo 'u=<fault>' >"$dir/want"
same 'that of an interrupt is not its own' "$dir/got" "$dir/want"
equal 'what was interrupted follows in the stack of the kernel' \
	"$(records "$dir/out" | grep -c '^tick .* <- asm_[a-z_]*interrupt+0x')" \
	"$(counter "$dir/out.err" tick recorded)"
done_testing
