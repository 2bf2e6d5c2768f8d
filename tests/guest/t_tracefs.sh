# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# tracefs is somebody else's: nothing in it changes by a trace, and a tracer
# that uses it on the same function is not disturbed.
# shellcheck source=lib.sh
. ./lib.sh
t=/sys/kernel/tracing

state()
{
	for file in kprobe_events uprobe_events dynamic_events tracing_on \
		current_tracer set_event set_ftrace_filter trace_clock \
		trace_options buffer_size_kb events/enable; do
		echo "$file:"
		cat "$t/$file"
	done
	cat "$t/kprobe_profile"
	ls "$t/events" "$t/instances"
}

echo 1 >$t/tracing_on
echo 'p:tl_test/here __x64_sys_getppid' >$t/kprobe_events
echo 1 >$t/events/tl_test/here/enable
echo >$t/trace
state | grep -v '^ .*here' >"$dir/before"
live out -e 'p:ours __x64_sys_getppid' -e 'r:ours2 __x64_sys_getppid' \
	-- sh -c 'cat /sys/kernel/tracing/kprobe_events >"$0"; workload count 1000' "$dir/during"
state | grep -v '^ .*here' >"$dir/after"
same 'tracefs is as it was before' "$dir/after" "$dir/before"
echo 'p:tl_test/here __x64_sys_getppid' >"$dir/want"
same 'during the trace it has no probes of ours' "$dir/during" "$dir/want"
equal 'the probe of tracefs lost nothing' "$(grep -c ' here: ' $t/trace)" \
	"$(counter "$dir/out.err" ours recorded)"

# busiest - records of the task that has most in the pipe; its name may be "<...>"
busiest()
{
	sed -n 's/^.*-\([0-9]*\) .*\[[0-9]*\] .* here: .*/\1/p' "$dir/pipe" | sort | uniq -c |
		sort -n | awk 'END { print $1 + 0 }'
}

# Somebody reads its pipe meanwhile: he has all of his, and we have all of ours.
echo >$t/trace
cat $t/trace_pipe >"$dir/pipe" &
reader=$!
live piped -e 'p:ours __x64_sys_getppid if comm == "workload"' -- workload count 200
# making lines of records is slow here
for _ in $(seq 60); do
	[ "$(busiest)" -lt 200 ] || break
	sleep 0.5
done
kill $reader
wait $reader 2>/dev/null
equal 'who reads trace_pipe during a trace has all records' \
	"$(busiest)" 200
equal 'and the trace has all' "$(counter "$dir/piped.err" ours recorded)" 200
echo 0 >$t/events/tl_test/here/enable
echo >$t/kprobe_events
echo >$t/trace
[ "$(counter "$dir/out.err" ours recorded)" -ge 1000 ]
result 'nor did ours' $?
done_testing
