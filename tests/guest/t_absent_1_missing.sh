# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Boot without the module: the command says so, and how to load it.
# shellcheck source=lib.sh
. ./lib.sh

trapline live -e 'p vfs_read' -- touch /tmp/was-run >"$dir/out" 2>"$dir/err"
equal 'trapline live ends with 1' $? 1
show "$dir/err"
contains 'and says that there is no module' "$dir/err" 'module'
grep -qE 'modprobe|insmod' "$dir/err"
result 'and how to load it' $?
[ ! -s "$dir/out" ]
result 'and prints nothing to standard output' $?
[ ! -e /tmp/was-run ]
result 'and does not run the command' $?

# a wrong line is told even so, and before
trapline live -e 'p no_such_function' >"$dir/out" 2>"$dir/err"
equal 'a wrong line ends with 1' $? 1
contains 'a wrong line is told without a module' "$dir/err" 'no_such_function'
trapline check 'p vfs_read' >"$dir/out" 2>"$dir/err"
equal 'trapline check needs no module' $? 0

trapline doctor >"$dir/out" 2>"$dir/err"
equal 'trapline doctor ends with 1' $? 1
cat "$dir/out" "$dir/err" >"$dir/all"
show "$dir/all"
contains 'and says that the module is missing' "$dir/all" 'module'

# loaded now, it works; and unloaded it is missing again
insmod "$TRAPLINE_KO" || note 'insmod failed'
live loaded -e 'p:g __x64_sys_getppid' -- workload count 10
equal 'with the module it works' "$(counter "$dir/loaded.err" g recorded)" 10
rmmod trapline
trapline live -e 'p vfs_read' -- true >"$dir/out" 2>"$dir/err"
equal 'and without it ends with 1 again' $? 1
done_testing
