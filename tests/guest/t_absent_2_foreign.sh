# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The module of another kernel: refused by this one, and explained.
# shellcheck source=lib.sh
. ./lib.sh

insmod /work/other.ko >"$dir/out" 2>&1
[ $? -ne 0 ]
result 'the kernel refuses the module of another kernel' $?
show "$dir/out"
[ ! -e /dev/trapline ]
result 'there is no device' $?
dmesg | grep trapline >"$dir/log"
show "$dir/log"
grep -qE 'version magic|disagrees about version|section size must match' "$dir/log"
result 'the kernel log says why' $?

trapline doctor >"$dir/out" 2>"$dir/err"
equal 'trapline doctor ends with 1' $? 1
cat "$dir/out" "$dir/err" >"$dir/all"
show "$dir/all"
trapline live -e 'p vfs_read' -- true >"$dir/out" 2>"$dir/err"
equal 'trapline live ends with 1' $? 1
contains 'and says that there is no module' "$dir/err" 'module'

# installed where modprobe looks, the doctor can say that it does not fit
mkdir -p "/lib/modules/$(uname -r)/updates"
mv "$TRAPLINE_KO" /tmp/ours.ko
cp /work/other.ko "$TRAPLINE_KO"
trapline doctor >"$dir/out" 2>"$dir/err"
equal 'with the foreign one installed the doctor ends with 1' $? 1
cat "$dir/out" "$dir/err" >"$dir/all"
show "$dir/all"
grep -qE "another kernel|different kernel|not for|for kernel|version magic|vermagic|built for" "$dir/all"
result 'and says that it was built for another kernel' $?
rm "$TRAPLINE_KO"
mv /tmp/ours.ko "$TRAPLINE_KO"
done_testing
