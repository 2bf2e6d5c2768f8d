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
equal 'two instances: shown' "$(counter "$dir/out.err" m instances)" 2
equal 'of no event: the sum' "$(counter "$dir/out.err" total instances)" -
records "$dir/out" >"$dir/got"
printf 'm ret=0\nm ret=0\n' >"$dir/want"
same 'two instances: records' "$dir/got" "$dir/want"
live out -e 'r:m do_nanosleep ret=$retval:s32' -e 'c16:c do_nanosleep' \
	-e 'p:p do_nanosleep' -- sh -c "$sleepers"
equal 'default: recorded' "$(counter "$dir/out.err" m recorded)" 5
equal 'default: missed' "$(counter "$dir/out.err" m 'nmissed*')" 0
last=$(sed 's/.*-//' /sys/devices/system/cpu/possible)
want=$((8 * (last + 1)))
[ "$want" -gt 128 ] || want=128
equal 'default: shown' "$(counter "$dir/out.err" m instances)" "$want"
equal 'a call: shown' "$(counter "$dir/out.err" c instances)" 16
equal 'an entry has none' "$(counter "$dir/out.err" p instances)" -
live out -e 'p:p do_nanosleep' -- true
equal 'no returns: no column' "$(counter "$dir/out.err" p instances)" 0
done_testing
