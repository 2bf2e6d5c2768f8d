# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# A kernel that takes signed modules only (as with module.sig_enforce=1 at boot):
# the module, which is not signed, cannot be loaded, and the command says that it is
# for the signature, and what to do. There is no way back.
# shellcheck source=lib.sh
. ./lib.sh

rmmod trapline
echo 1 >/sys/module/module/parameters/sig_enforce

insmod "$TRAPLINE_KO" >"$dir/out" 2>&1
[ $? -ne 0 ]
result 'the kernel refuses a module without a signature' $?
# EKEYREJECTED
contains 'for the sake of its key' "$dir/out" 'Key was rejected by service'
trapline live -e 'p vfs_read' -- touch /tmp/was-run >"$dir/out" 2>"$dir/err"
equal 'trapline live ends with 1' $? 1
show "$dir/err"
contains 'and says that there is no module' "$dir/err" '/dev/trapline'
contains 'names what enforces signatures' "$dir/err" 'module.sig_enforce'
contains 'and the program that signs' "$dir/err" 'sign-file'
[ ! -e /tmp/was-run ]
result 'and does not run the command' $?
trapline doctor >"$dir/out" 2>&1
equal 'trapline doctor ends with 1' $? 1
show "$dir/out"
grep '^[a-zA-Z]*  *signature' "$dir/out" >"$dir/line"
contains 'doctor names what enforces signatures' "$dir/line" 'module.sig_enforce'
contains 'and the program that signs' "$dir/line" 'sign-file'
grep '^[a-zA-Z]*  *lockdown' "$dir/out" >"$dir/line"
contains 'and that it is not the lockdown' "$dir/line" 'none'
done_testing
