# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Two commands at once, with the same names on the same functions: both have all
# of it. One is killed, and the other goes on; when both are gone nothing is left,
# here or in tracefs.
# shellcheck source=lib.sh
. ./lib.sh
list=/sys/kernel/debug/kprobes/list
tracing=/sys/kernel/tracing

# what a tracer might leave behind; what ftrace has enabled for others stays
state()
{
	for file in kprobe_events uprobe_events dynamic_events tracing_on \
		current_tracer set_event set_ftrace_filter events/enable \
		enabled_functions; do
		echo "$file:"
		cat "$tracing/$file" 2>/dev/null
	done
	echo "probes:"
	cat $list
}

# probes COUNT - so many of ours are armed, within a few seconds; the command has
# others, for the names of tasks
probes()
{
	tries=0
	while [ "$(grep -c _sys_getppid $list)" -ne "$1" ] && [ $tries -lt 100 ]; do
		usleep 50000
		tries=$((tries + 1))
	done
	[ "$(grep -c _sys_getppid $list)" -eq "$1" ]
}

# tool NAME - a trace in the background, until it is told to end
tool()
{
	trapline live -e 'p:same __x64_sys_getppid' -e 'r:back __x64_sys_getppid' \
		>"$dir/$1" 2>"$dir/$1.err" &
}

state >"$dir/before"
tool first
first=$!
probes 1
result 'the first one has armed its probes' $?
tool second
second=$!
probes 2
result 'the second one has, beside it' $?
# started is after armed, by a moment
sleep 1
workload count 100
kill -9 $first
wait $first 2>/dev/null
probes 1
result 'the first one is killed: its probes are gone, and no others' $?
workload count 100
kill -INT $second
wait $second
equal 'the second one ends well' $? 0
equal 'and has all entries' "$(counter "$dir/second.err" same recorded)" 200
equal 'and all returns' "$(counter "$dir/second.err" back recorded)" 200
equal 'each is printed' "$(grep -c ' same: ' "$dir/second")" 200
state >"$dir/after"
same 'nothing is left of either' "$dir/after" "$dir/before"
rmmod trapline && insmod "$TRAPLINE_KO"
equal 'and the module can go and come back' $? 0
done_testing
