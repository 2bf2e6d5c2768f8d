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

# Without the module (its device is out of sight, and so it cannot be seen): it cannot be
# loaded, and to be told to lower the lockdown to what it is helps nobody.
mv /dev/trapline /dev/hidden
insmod "$TRAPLINE_KO" >"$dir/out" 2>&1
[ $? -ne 0 ]
result 'with integrity the kernel refuses a module without a signature' $?
contains 'for the lockdown, and not because it is there' "$dir/out" 'Operation not permitted'
trapline live -e 'p vfs_read' -- touch /tmp/was-run >"$dir/out" 2>"$dir/err"
equal 'with integrity and no module trapline live ends with 1' $? 1
show "$dir/err"
contains 'and says that it is the lockdown' "$dir/err" 'lockdown, integrity'
contains 'and how to sign it' "$dir/err" 'sign-file'
! grep -q 'lockdown=integrity' "$dir/err"
result 'and advises nothing that is so already' $?
trapline doctor >"$dir/out" 2>&1
equal 'with integrity and no module trapline doctor ends with 1' $? 1
grep '^[a-zA-Z]*  *lockdown' -A 1 "$dir/out" >"$dir/line"
show "$dir/line"
contains 'and says that it is the lockdown' "$dir/line" 'integrity: only signed modules'
contains 'and how to sign it' "$dir/line" 'sign-file'
! grep -q 'lockdown=integrity' "$dir/out"
result 'and advises nothing that is so already' $?
mv /dev/hidden /dev/trapline

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
