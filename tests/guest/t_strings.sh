# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Strings of user memory: whole, cut, incomplete, not readable; and escaped so
# that one record is one line. The workload prints what must be shown.
# shellcheck source=lib.sh
. ./lib.sh

# (7.3 has made the function an int: what else is in the register is not its.)
live out -b 64k -n 16 \
	-e 'p:o do_sys_openat2 dfd=$arg1:s32 name=+0($arg2):ustring flags=+0($arg3):x64' \
	-e 'r:r do_sys_openat2 ret=$retval:s32' -- workload strings "$dir/want"
records "$dir/out" 'name="/begin"' | sed -n '/name="\/begin"/,/name="\/end"/p' >"$dir/got"
# the return of the last one comes after the end of the range
sed '$d' "$dir/want" >"$dir/want.cut"
same 'names of files and results of openat()' "$dir/got" "$dir/want.cut"

faults=$(grep -c 'name=<fault>' "$dir/want")
cuts=$(grep -cE 'name="[^ ]*"(\.\.\.|<fault>)' "$dir/want")
equal 'faults are counted' "$(counter "$dir/out.err" o faults)" "$faults"
equal 'cut strings are counted' "$(counter "$dir/out.err" o truncated)" "$cuts"
equal 'the result has no faults' "$(counter "$dir/out.err" r faults)" 0

# After a fault in one argument the others of the record must be right.
live many -e 'p:m do_sys_openat2 a=+0($arg2):ustring b=$arg1:s32 c=+0($arg2):ustring d=+0(+u0($arg3)):x64 e=+0($arg3):x64 f=+u0($arg2):string g=$arg1:s8' \
	-- workload strings "$dir/want"
records "$dir/many" 'a="/begin"' | grep -F -A 1 'a="FFFF"' | tail -n 1 >"$dir/got"
echo 'm a=<fault> b=-100 c=<fault> d=<fault> e=0x8100 f=<fault> g=-100' >"$dir/want.fault"
same 'arguments after a fault are right' "$dir/got" "$dir/want.fault"
records "$dir/many" 'a="/begin"' | grep -F 'a="EEEE"' >"$dir/got"
echo 'm a="EEEE"<fault> b=-100 c="EEEE"<fault> d=<fault> e=0x8100 f="EEEE"<fault> g=-100' >"$dir/want.cut"
same 'arguments after an incomplete string are right' "$dir/got" "$dir/want.cut"
records "$dir/many" 'a="/begin"' | grep -F 'a="/tmp/normal"' >"$dir/got"
echo 'm a="/tmp/normal" b=-100 c="/tmp/normal" d=<fault> e=0x8100 f="/tmp/normal" g=-100' >"$dir/want.whole"
same 'a fault behind whole strings' "$dir/got" "$dir/want.whole"

# A name in a page that is not there yet: the entry brings none in, and at the return
# of the same call it is there, since the call has read it.
live first -e 'p:e do_sys_openat2 name=+0($arg2):ustring' -e 'c:c do_sys_openat2 name=+0($arg2):ustring' \
	-e 'r:r do_sys_openat2 name=+0($arg2):ustring' -- workload strings "$dir/want"
records "$dir/first" 'name="/begin"' | sed 's/ retval=.*//' |
	grep -F -B 1 -A 1 -m 1 'c name="/tmp/first"' >"$dir/got"
printf '%s\n' 'e name=<fault>' 'c name="/tmp/first"' 'r name="/tmp/first"' >"$dir/want.first"
same 'the first use of a page: a fault at the entry, the name at the return' "$dir/got" "$dir/want.first"
done_testing
