# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# System calls by their plain names: $sysargN is what the functions behind them
# get, at the entry, at the return, and in a whole call.
# shellcheck source=lib.sh
. ./lib.sh

# arguments EVENT - of its records; a page that is not there at the entry may be
# at the return, so not of those with a fault
arguments()
{
	records "$dir/out" | sed -n "/<fault>/d; s/^$1 //p" | sort -u
}

# the kernel's own function has the same as plain arguments, at the same time
live out -e 'p:e openat dfd=$sysarg1:s32 name=$sysarg2:ustring' \
	-e 'p:w do_sys_openat2 dfd=$arg1:s32 name=+0($arg2):ustring' \
	-e 'r:r sys_openat dfd=$sysarg1:s32 name=$sysarg2:ustring' \
	-e 'c:c openat dfd=$sysarg1:s32 name=$sysarg2:ustring' \
	-- workload strings "$dir/unused"
# who opens by open() has no $sysarg of openat()
arguments e >"$dir/e"
arguments w | grep -Fxf "$dir/e" >"$dir/w"
arguments r | grep -Fxf "$dir/e" >"$dir/r"
same 'at the entry' "$dir/e" "$dir/w"
same 'at the return' "$dir/r" "$dir/e"
arguments c | sed 's/ retval=.*//' | sort -u | grep -Fxf "$dir/e" >"$dir/c"
same 'in a call' "$dir/c" "$dir/e"
[ "$(wc -l <"$dir/e")" -gt 3 ]
result 'there are some' $?
contains 'the place is the function' "$dir/out" 'e: (__x64_sys_openat+0x0/'

# all six: mmap() hands them on, the last one in pages
live out -e 'p:m mmap a=$sysarg1 b=$sysarg2 c=$sysarg3 d=$sysarg4 e=$sysarg5:x32 f=$sysarg6' \
	-e 'p:k ksys_mmap_pgoff a=$arg1:x64 b=$arg2:x64 c=$arg3:x64 d=$arg4:x64 e=$arg5:x32 p=$arg6:u64' \
	-- sh -c 'cat /etc/passwd; ls /'
# of somebody else the start may see the second half of a call
grep -E '^ *(sh|cat|ls)-' "$dir/out" >"$dir/ours"
records "$dir/ours" | sed -n 's/^m //p' >"$dir/m"
records "$dir/ours" | sed -n 's/^k //p' | while read -r line; do
	printf '%s f=0x%x\n' "${line% p=*}" $((${line##* p=} * 4096))
done >"$dir/k"
same 'all six' "$dir/m" "$dir/k"
done_testing
