# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What the options of the command do, and what it says of wrong ones.
# shellcheck source=lib.sh
. ./lib.sh
debug=/sys/kernel/debug/kprobes/enabled

trapline live -o "$dir/file" -e 'p:pp __x64_sys_getppid' -- \
	sh -c 'echo of the command' >"$dir/out" 2>"$dir/err"
equal '-o: status' "$?" 0
echo 'of the command' >"$dir/want"
same '-o: standard output is the command'\''s alone' "$dir/out" "$dir/want"
contains '-o: records are in the file' "$dir/file" 'pp: (__x64_sys_getppid'
trapline live -o /no/such/place -e 'p:pp __x64_sys_getppid' -- \
	touch "$dir/run" 2>"$dir/err"
equal '-o into nowhere: status' "$?" 1
contains '-o into nowhere: said' "$dir/err" '/no/such/place: No such file'
[ ! -e "$dir/run" ]
result '-o into nowhere: the command is not run' $?

trapline live --nano -o "$dir/file" -e 'p:pp __x64_sys_getppid' -- sh -c : \
	2>/dev/null
grep -qE ' [0-9]+\.[0-9]{9}: pp: ' "$dir/file"
result '--nano: nine digits' $?

echo 0 >$debug
trapline live -e 'p:pp vfs_read' -- true >/dev/null 2>"$dir/err"
echo 1 >$debug
contains 'kprobes switched off: warned' "$dir/err" "switched off: echo 1 > $debug"

wrong() # wrong NAME WORDS ARGUMENT... - wrong usage is 2 and says what
{
	name=$1 words=$2
	shift 2
	trapline live "$@" >"$dir/out" 2>"$dir/err"
	equal "$name: status" "$?" 2
	contains "$name: said" "$dir/err" "$words"
	[ ! -s "$dir/out" ]
	result "$name: nothing on standard output" $?
}
wrong 'packets of no power of two' 'not a power of two' -e 'p vfs_read' -n 3 -- true
wrong 'bytes out of range' 'from 4k to 4M' -e 'p vfs_read' -b 1000 -- true
wrong 'no event' 'no events' -- true
wrong 'no command' 'no command behind' -e 'p vfs_read' --
wrong 'an option there is not' '--nanos' --nanos -e 'p vfs_read'
done_testing
