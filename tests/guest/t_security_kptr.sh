# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Addresses of the kernel are shown to nobody who may not see them: who cannot
# read them in /proc/kallsyms is told what to do, and who can gets symbols.
# shellcheck source=lib.sh
. ./lib.sh
PERFMON=38
SYSLOG=34
restrict=/proc/sys/kernel/kptr_restrict
paranoid=/proc/sys/kernel/perf_event_paranoid
old_restrict=$(cat $restrict)
old_paranoid=$(cat $paranoid)
chmod 777 "$dir"
# the folder of the tests is root's alone
cp workload "$dir/" && chmod 755 "$dir/workload"
chmod 666 /dev/trapline

# addresses NAME FILE... - none of the kernel's in any of them
addresses()
{
	name=$1
	shift
	grep -hE '(0x)?ffff[0-9a-f]{12}' "$@" >"$dir/found"
	set -- $?
	show "$dir/found"
	[ "$1" -ne 0 ]
	result "$name" $?
}

# refused NAME POWERS WORD... - the trace is not made, and each word is said
refused()
{
	case=$1 caps=$2
	shift 2
	if [ "$caps" = root ]; then
		trapline live -e 'p:g __x64_sys_getppid' -- touch /tmp/was-run \
			>"$dir/out" 2>"$dir/err"
	else
		powers "$caps" trapline live -e 'p:g __x64_sys_getppid' -- \
			touch /tmp/was-run >"$dir/out" 2>"$dir/err"
	fi
	equal "$case: trapline live ends with 1" $? 1
	show "$dir/err"
	for word; do
		contains "$case: says $word" "$dir/err" "$word"
	done
	[ ! -e /tmp/was-run ]
	result "$case: the command is not run" $?
	addresses "$case: no address" "$dir/out" "$dir/err"
}

# traced NAME POWERS - it works, with symbols
traced()
{
	powers "$2" trapline live -e 'p:in __x64_sys_getppid' \
		-e 'r:out __x64_sys_getppid $retval:s32' -- "$dir/workload" count 10 \
		>"$dir/out" 2>"$dir/err"
	equal "$1: trapline live ends with 0" $? 0
	grep -v '^event\|^total' "$dir/err" >"$dir/said"
	show "$dir/said"
	equal "$1: all is recorded" "$(counter "$dir/err" total recorded)" 20
	equal "$1: each place of an entry is a symbol" \
		"$(grep -c '(__x64_sys_getppid+0x0/0x' "$dir/out")" 10
	equal "$1: each place of a return is a symbol" "$(grep -cE \
		'out: \([a-z0-9_]+\+0x[0-9a-f]+/0x[0-9a-f]+ <- __x64_sys_getppid\)' \
		"$dir/out")" 10
	addresses "$1: no address" "$dir/out" "$dir/err"
}

echo 1 >$restrict
echo 2 >$paranoid
refused 'kptr_restrict 1' $PERFMON CAP_SYSLOG 'kptr_restrict is 1'
powers $PERFMON trapline doctor >"$dir/out" 2>&1
grep '^FAIL  symbols' "$dir/out" >"$dir/line"
contains 'kptr_restrict 1: doctor says it too' "$dir/line" CAP_SYSLOG
addresses 'kptr_restrict 1: doctor shows no address' "$dir/out"
powers $PERFMON trapline check 'p vfs_read' >"$dir/out" 2>"$dir/err"
equal 'kptr_restrict 1: trapline check ends with 1' $? 1
contains 'kptr_restrict 1: and says it too' "$dir/err" CAP_SYSLOG
traced 'kptr_restrict 1 with CAP_SYSLOG' $PERFMON,$SYSLOG

echo 0 >$restrict
refused 'kptr_restrict 0, perf_event_paranoid 2' $PERFMON CAP_SYSLOG \
	'perf_event_paranoid is 2'
echo 1 >$paranoid
traced 'kptr_restrict 0, perf_event_paranoid 1' $PERFMON

echo 2 >$restrict
refused 'kptr_restrict 2' root 'kptr_restrict is 2' 'even from root' \
	'sysctl kernel.kptr_restrict=1'
trapline doctor >"$dir/out" 2>&1
equal 'kptr_restrict 2: doctor ends with 1' $? 1
grep '^FAIL  symbols' "$dir/out" >"$dir/line"
contains 'kptr_restrict 2: and says what to do' "$dir/line" 'sysctl kernel.kptr_restrict=1'

# Who has them when the trace begins keeps them; a module that comes later has no
# symbols there, and its addresses are nobody's business either.
echo 1 >$restrict
trapline live -e 'r:out misc_register $retval:s32 x=%sp:x64' -- sh -c \
	"echo 2 >$restrict; insmod calls.ko; rmmod calls" >"$dir/out" 2>"$dir/err"
equal 'a trace that was begun before goes on' $? 0
show "$dir/err"
grep '\[unknown\] <- misc_register' "$dir/out" >"$dir/line"
grep -q . "$dir/line"
result 'a caller without a symbol is [unknown]' $?
show "$dir/out"
grep -oE '\(.*\)' "$dir/out" >"$dir/places"
addresses 'no place is an address' "$dir/places"
grep -q 'x=0xffff' "$dir/line"
result 'a value that was asked for is data, and stays' $?
echo "$old_restrict" >$restrict
echo "$old_paranoid" >$paranoid
chmod 600 /dev/trapline
done_testing
