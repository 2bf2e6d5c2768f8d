# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Breakpoints in what handlers call themselves. Where the handler is a kprobe's the
# kernel holds them back; one that ftrace or a tracepoint calls has to know them for
# what they are: a hit in the middle of a reservation, caused by it, would have it
# begin again for ever.
# shellcheck source=lib.sh
. ./lib.sh

# inside FUNCTION - sets "place" to its first instruction behind the entry that a
# probe may be on
inside()
{
	offset=5
	while [ $offset -lt 60 ]; do
		place=$1+$offset
		trapline check "p $place" >/dev/null 2>&1 && return
		offset=$((offset + 1))
	done
	note "$1 has no such place"
	place=
}

# caught NAME OUTER... - a trace of the event "outer", with a breakpoint at the place,
# which it comes by at each hit
caught()
{
	case=$1
	shift
	live own "$@" -e "p:inner $place" -- workload count 100
	note "hits, recorded, recursion: $(counters "$dir/own.err" hits recorded recursion | tr '\n' ' ')"
	equal "$case: each call is recorded" "$(counter "$dir/own.err" outer recorded)" 100
	[ "$(counter "$dir/own.err" inner recursion)" -ge 100 ]
	result "$case: its own breakpoints are recursions" $?
	equal "$case: and all are accounted for" "$(outcomes "$dir/own.err" inner)" "$(counter "$dir/own.err" inner hits)"
}

inside ktime_get_mono_fast_ns
caught 'the clock, by ftrace' -e 'p:outer __x64_sys_getppid'
caught 'the clock, by ftrace, overwriting' -w -n 64 -e 'p:outer __x64_sys_getppid c=$comm'
caught 'the clock, by a tracepoint' \
	-e 't:outer sys_enter n=$arg2:s64 if n == 110'
inside copy_from_user_nofault
caught 'user memory, by ftrace' \
	-e 'p:outer __x64_sys_getppid n=+u0(+0x98($arg1)):x8'
caught 'user memory, by a tracepoint' \
	-e 't:outer sys_enter n=$arg2:s64 u=+u0(+0x98($arg1)):x8 if n == 110'
done_testing
