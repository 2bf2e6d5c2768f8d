# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The kernel is locked down while the module is loaded: sessions that are
# already there are not given new powers, new ones are refused and told why.
# There is no way back, so this is the last test of its guest.
# shellcheck source=lib.sh
. ./lib.sh
lockdown=/sys/kernel/security/lockdown

insmod "$TRAPLINE_KO" || note 'insmod failed'
trapline live -e 'p:g __x64_sys_getppid' >"$dir/running" 2>"$dir/running.err" &
tracer=$!
tries=0
while ! grep -q . /sys/kernel/tracing/enabled_functions && [ $tries -lt 60 ]; do
	usleep 50000
	tries=$((tries + 1))
done
sleep 1
echo integrity >$lockdown
live integrity -e 'p:g __x64_sys_getppid' -- workload count 10
equal 'with integrity alone it works' "$(counter "$dir/integrity.err" g recorded)" 10

echo confidentiality >$lockdown
trapline live -e 'p vfs_read' -- touch /tmp/was-run >"$dir/out" 2>"$dir/err"
equal 'with confidentiality trapline live ends with 1' $? 1
show "$dir/err"
grep -qi 'lockdown' "$dir/err"
result 'and says that it is the lockdown' $?
[ ! -e /tmp/was-run ]
result 'and does not run the command' $?
dmesg | grep 'trapline:' >"$dir/log"
contains 'the kernel log says it too' "$dir/log" 'lockdown'
trapline doctor >"$dir/out" 2>"$dir/err"
equal 'trapline doctor ends with 1' $? 1
cat "$dir/out" "$dir/err" >"$dir/all"
show "$dir/all"
grep -qi 'lockdown' "$dir/all"
result 'and says that it is the lockdown' $?

# the module stays while the trace has it, and cannot come back once it is gone
rmmod trapline >"$dir/out" 2>&1
[ $? -ne 0 ]
result 'the module is not unloaded under the trace' $?
kill -INT $tracer
wait $tracer
equal 'a trace of before can be ended' $? 0
[ "$(counter "$dir/running.err" g recorded)" -ge 10 ]
result 'and has what it recorded' $?
rmmod trapline
equal 'then the module can be unloaded' $? 0
insmod "$TRAPLINE_KO" >"$dir/out" 2>&1
[ $? -ne 0 ]
result 'and not loaded again' $?
trapline live -e 'p vfs_read' -- true >"$dir/out" 2>"$dir/err"
equal 'without it trapline live ends with 1' $? 1
contains 'and still says that it is the lockdown' "$dir/err" 'locked down (confidentiality)'
done_testing
