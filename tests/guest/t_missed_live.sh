# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The command shows missed returns; the definition's number is the kernel's.
# shellcheck source=lib.sh
. ./lib.sh

# all of them asleep at once, on a slow kernel too
sleepers='for i in 1 2 3 4 5; do busybox sleep 3 & done; wait'
live out -e 'r2:m do_nanosleep ret=$retval:s32' -- sh -c "$sleepers"
equal 'two instances: recorded' "$(counter "$dir/out.err" m recorded)" 2
equal 'two instances: missed' "$(counter "$dir/out.err" m 'nmissed*')" 3
records "$dir/out" >"$dir/got"
printf 'm ret=0\nm ret=0\n' >"$dir/want"
same 'two instances: records' "$dir/got" "$dir/want"
live out -e 'r:m do_nanosleep ret=$retval:s32' -- sh -c "$sleepers"
equal 'default: recorded' "$(counter "$dir/out.err" m recorded)" 5
equal 'default: missed' "$(counter "$dir/out.err" m 'nmissed*')" 0
done_testing
