# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Boot with lockdown=confidentiality: the module, which is not signed, cannot be
# loaded, and the command says what stands in the way.
# shellcheck source=lib.sh
. ./lib.sh

insmod "$TRAPLINE_KO" >"$dir/out" 2>&1
[ $? -ne 0 ]
result 'the kernel refuses a module without a signature' $?
show "$dir/out"
trapline live -e 'p vfs_read' -- touch /tmp/was-run >"$dir/out" 2>"$dir/err"
equal 'trapline live ends with 1' $? 1
show "$dir/err"
contains 'and says that there is no module' "$dir/err" 'module'
[ ! -e /tmp/was-run ]
result 'and does not run the command' $?
trapline doctor >"$dir/out" 2>"$dir/err"
equal 'trapline doctor ends with 1' $? 1
cat "$dir/out" "$dir/err" >"$dir/all"
show "$dir/all"
grep -qi 'lockdown' "$dir/all"
result 'and says that the kernel is locked down' $?
done_testing
