# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The kernel is locked down to confidentiality: the module, which is not signed,
# cannot be loaded, and the command says what stands in the way.
# shellcheck source=lib.sh
. ./lib.sh

# (the test before has done it already, if it has run)
grep -q '\[confidentiality\]' /sys/kernel/security/lockdown ||
	echo confidentiality >/sys/kernel/security/lockdown

insmod "$TRAPLINE_KO" >"$dir/out" 2>&1
[ $? -ne 0 ]
result 'the kernel refuses a module without a signature' $?
show "$dir/out"
trapline live -e 'p vfs_read' -- touch /tmp/was-run >"$dir/out" 2>"$dir/err"
equal 'trapline live ends with 1' $? 1
show "$dir/err"
contains 'and says that there is no module' "$dir/err" 'module'
contains 'and that it is for the lockdown' "$dir/err" 'locked down (confidentiality)'
[ ! -e /tmp/was-run ]
result 'and does not run the command' $?
trapline doctor >"$dir/out" 2>"$dir/err"
equal 'trapline doctor ends with 1' $? 1
cat "$dir/out" "$dir/err" >"$dir/all"
show "$dir/all"
grep '^FAIL  lockdown' "$dir/all" >"$dir/line"
contains 'and says that the kernel is locked down' "$dir/line" 'confidentiality'
contains 'and what to do' "$dir/line" 'lockdown=integrity'
grep '^[a-zA-Z]*  *signature' "$dir/all" >"$dir/line"
contains 'and that it is not for its signature' "$dir/line" 'unsigned modules are accepted'
# the kernel's code cannot be read: whether an instruction begins there is not known
trapline check 'p:v vfs_read+1' >"$dir/out" 2>"$dir/err"
equal 'check says nothing of what it does not know' "$? $(cat "$dir/out" "$dir/err")" \
	'0 p:kprobes/v vfs_read+1'
done_testing
