# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# A user without privilege is told what is missing, and nothing is traced.
# shellcheck source=lib.sh
. ./lib.sh

chmod 777 "$dir"
as_nobody()
{
	su nobody -s /bin/sh -c "$1" >"$dir/out" 2>"$dir/err"
}

as_nobody 'id -u'
read -r id <"$dir/out"
equal 'the user is nobody' "$id" 65534

as_nobody 'trapline live -e "p vfs_read" -- touch /tmp/was-run'
equal 'trapline live ends with 1' $? 1
show "$dir/err"
[ ! -s "$dir/out" ]
result 'and prints nothing to standard output' $?
grep -qiE 'root|privilege|CAP_|permitted|permission|kptr_restrict' "$dir/err"
result 'and says what is missing' $?
[ ! -e /tmp/was-run ]
result 'and does not run the command' $?

# With readable symbols it is the device that refuses.
old=$(cat /proc/sys/kernel/kptr_restrict)
echo 0 >/proc/sys/kernel/kptr_restrict
old_paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
echo -1 >/proc/sys/kernel/perf_event_paranoid
as_nobody 'trapline live -e "p vfs_read" -- true'
equal 'with symbols: trapline live ends with 1' $? 1
show "$dir/err"
grep -qE '/dev/trapline|CAP_PERFMON|root' "$dir/err"
result 'and names the device or the capability' $?
as_nobody 'trapline doctor'
show "$dir/err"
show "$dir/out"
cat "$dir/out" "$dir/err" >"$dir/all"
grep -qiE 'root|privilege|CAP_|permission' "$dir/all"
result 'trapline doctor says it too' $?

# What somebody may in a user namespace of his own does not count.
if [ -e /proc/self/ns/user ]; then
	unshare -U -r trapline doctor >"$dir/out" 2>"$dir/err"
	equal 'doctor in a user namespace ends with 1' $? 1
	contains 'and says why' "$dir/out" \
		'in a user namespace, whose capabilities do not count'
fi

# Where there is no /proc nothing is said of what it would tell.
umount -l /proc
trapline doctor >"$dir/out" 2>"$dir/err"
mount -t proc proc /proc
contains 'doctor without /proc: the capabilities' "$dir/out" 'with CAP_PERFMON CAP_SYS_ADMIN'
contains 'doctor without /proc: ftrace' "$dir/out" 'not known: /proc is not mounted'
echo "$old" >/proc/sys/kernel/kptr_restrict
echo "$old_paranoid" >/proc/sys/kernel/perf_event_paranoid
done_testing
