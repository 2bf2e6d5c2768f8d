# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The command is killed at random moments while it traces: no probe stays, and
# the module can be unloaded and loaded again. (The load is a mild one:
# t_storm_death.c has a heavy one.)
# shellcheck source=lib.sh
. ./lib.sh
list=/sys/kernel/debug/kprobes/list
ko=/lib/modules/$(uname -r)/updates/trapline.ko

# files of debugfs have no size: they must be read
probed()
{
	grep -q . $list
}

workload load 10 &
load=$!
left=0 refused=0 armed=0
rounds=4
[ "${TRAPLINE_LONG:-0}" = 0 ] || rounds=80
for round in $(seq $rounds); do
	trapline live -e 'p:a vfs_read n=$arg3 c=$comm' -e 'r:b vfs_read $retval:s64' \
		-e 'p:c __x64_sys_getppid' -- sleep 100 >/dev/null 2>&1 &
	tracer=$!
	# arming takes most of a second; from there on at random
	tries=0
	while ! probed && [ $tries -lt 300 ]; do
		usleep 50000
		tries=$((tries + 1))
	done
	usleep $((round * 7919 % 20 * 10000))
	probed && armed=$((armed + 1))
	kill -9 $tracer
	wait $tracer 2>/dev/null
	# a child that was not yet executed has the files a moment longer
	tries=0
	while probed && [ $tries -lt 20 ]; do
		usleep 50000
		tries=$((tries + 1))
	done
	probed && left=$((left + 1))
	killall sleep 2>/dev/null
	if [ $((round % 4)) -eq 0 ]; then
		rmmod trapline && insmod "$ko" || refused=$((refused + 1))
	fi
done
kill -9 $load
equal 'rounds in which a probe was left' $left 0
equal 'rounds in which the module could not go and come back' $refused 0
[ $armed -ge $((rounds * 3 / 4)) ]
result "most rounds were armed when the kill came ($armed of $rounds)" $?
live out -e 'p:g __x64_sys_getppid' -- workload count 100
equal 'a trace after all that' "$(counter "$dir/out.err" g recorded)" 100
done_testing
