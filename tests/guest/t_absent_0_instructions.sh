# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Where instructions begin, without the module: what trapline check says of each
# offset of some functions is what the kernel says to kprobe_events.
# shellcheck source=lib.sh
. ./lib.sh
t=/sys/kernel/tracing
boundary='not an instruction boundary'

# make_probe PLACE - by kprobe_events; the kernel's reason in $dir/log
make_probe()
{
	: >$t/error_log
	(echo "p:t/x $1" >>$t/kprobe_events) 2>/dev/null && return
	cp $t/error_log "$dir/log"
	return 1
}

drop_probe()
{
	echo '-:t/x' >>$t/kprobe_events
}

# kernel_says FUNCTION - up to $offsets, a line "FUNCTION+OFFSET good|inside|other" for each offset
kernel_says()
{
	offset=1
	while [ $offset -le $offsets ]; do
		if make_probe "$1+$offset"; then
			echo "$1+$offset good"
			drop_probe
		elif grep -q "$boundary" "$dir/log"; then
			echo "$1+$offset inside"
		else
			echo "$1+$offset other"
		fi
		offset=$((offset + 1))
	done
}

# check_says FUNCTION - the same of trapline check: good or inside
check_says()
{
	seq 1 $offsets | sed "s/^/p:e $1+/" >"$dir/lines"
	trapline check -f "$dir/lines" >"$dir/out" 2>"$dir/err"
	sed -n 's/^p:kprobes\/e \(.*\)/\1 good/p' "$dir/out"
	sed -n 's/^ *p:e \(.*\)/\1 inside/p' "$dir/err" >"$dir/inside"
	cat "$dir/inside"
	for words in 'not the start of an instruction' 'hint: the nearest instruction'; do
		[ "$(wc -l <"$dir/inside")" -eq "$(grep -c "$words" "$dir/err")" ] ||
			echo "not always: $words"
	done
}

# by_offset - lines of one function in order
by_offset()
{
	sort -t + -k 2 -n
}

# without FILE - the lines on stdin whose first words are not in the file
without()
{
	awk 'FILENAME != "-" { gone[$1]; next } !($1 in gone)' "$1" -
}

# compare FUNCTION OFFSETS - where the kernel has other reasons, what check says is its own
compare()
{
	offsets=$2
	kernel_says "$1" | by_offset >"$dir/kernel.$1"
	check_says "$1" | by_offset >"$dir/check"
	note "$1: $(grep -c good "$dir/kernel.$1") begin, $(grep -c inside "$dir/kernel.$1") are inside," \
		"$(grep -c other "$dir/kernel.$1") refused for other reasons"
	grep other "$dir/kernel.$1" >"$dir/other"
	without "$dir/other" <"$dir/kernel.$1" >"$dir/want"
	without "$dir/other" <"$dir/check" >"$dir/got"
	same "$1: check says what the kernel says" "$dir/got" "$dir/want"
}

# nothing_known WHY - nothing is refused, and nothing is said
nothing_known()
{
	trapline check 'p:v vfs_read+1' >"$dir/out" 2>"$dir/err"
	equal "$1: not known" "$? $(cat "$dir/out" "$dir/err")" '0 p:kprobes/v vfs_read+1'
}

if [ ! -e /proc/kcore ]; then
	nothing_known 'a kernel without it'
	done_testing
fi

# the first ends with a return and int3 behind it, which begin where no probe can be
compare tcp_sendmsg 63
if [ "${TRAPLINE_LONG:-0}" = 1 ]; then
	compare do_sys_openat2 40
	compare schedule 40
fi
compare vfs_read 40

# the message, its caret and its hint
trapline check 'p:v vfs_read+1' >"$dir/out" 2>"$dir/err"
equal 'inside an instruction: status' "$? $(cat "$dir/out")" '1 '
show "$dir/err"
contains 'inside an instruction: said' "$dir/err" 'the address is not the start of an instruction'
contains 'inside an instruction: where' "$dir/err" '^~~~~~~~~~'
contains 'inside an instruction: the nearest' "$dir/err" \
	'the nearest instructions begin at vfs_read+0 and vfs_read+'

# of several places those that are inside are listed
trapline check --places 'p:v vfs_*+13' >"$dir/out" 2>"$dir/err"
equal 'several places: some are left' $? 0
refused=$(grep -c ': refused: ' "$dir/out")
note "vfs_*+13: $refused refused of $(grep -c '^  0x' "$dir/out")"
contains 'several places: how many are refused' "$dir/err" "v: the kernel refuses $refused of its"
trapline check 'p:v vfs_*+1' >"$dir/out" 2>"$dir/err"
equal 'several places: all refused' $? 1
contains 'several places: said' "$dir/err" 'the kernel refuses all'

# a probe in the way: what is behind it is not known, what is before it is
second=$(awk -F '[+ ]' '$3 == "good" && $2 > 15 { print $2; exit }' "$dir/kernel.vfs_read")
make_probe "vfs_read+$second"
result "a probe at vfs_read+$second" $?
echo 1 >$t/events/t/x/enable
sleep 2
sed -n 's/^/# /p' /sys/kernel/debug/kprobes/list
check_says vfs_read | by_offset >"$dir/armed"
equal 'a probe in the way: nothing is refused behind it' \
	"$(awk -F '[+ ]' -v at="$second" '$2 > at && $3 == "inside"' "$dir/armed")" ''
equal 'a probe in the way: what is before it is' \
	"$(awk -F '[+ ]' -v at="$second" '$2 < at && $3 == "inside"' "$dir/armed" | wc -l)" \
	"$(awk -F '[+ ]' -v at="$second" '$2 < at && $3 == "inside"' "$dir/kernel.vfs_read" | wc -l)"
echo 0 >$t/events/t/x/enable
drop_probe

mount --bind /dev/null /proc/kcore
nothing_known 'one that cannot be read'
umount /proc/kcore
done_testing
