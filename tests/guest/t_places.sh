# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Events with several places: patterns and SYMBOL#all. All functions that fit are
# traced, each record says which, and what the kernel refuses does not stop the
# others.
# shellcheck source=lib.sh
. ./lib.sh
call=/sys/module/target/parameters/call
list=/sys/kernel/debug/kprobes/list

# places FILE EVENT - the places that --places has listed for an event
places()
{
	awk -v event="kprobes/$2" '
		/^  0x/ { if (now == event) print; next }
		{ now = $1 }' "$1"
}

insmod target.ko
live out --places -e 'p:in target:target_*' -e 'c:whole target:target_?all $retval:s32' \
	-- cat $call
equal 'a pattern: hits of its functions' "$(counter "$dir/out.err" in hits)" 2
fields "$dir/out" | awk -F '\t' '$6 == "in" { print $7 }' |
	sed 's/+.*//' >"$dir/got"
printf '%s\n' target_get target_call >"$dir/want"
same 'a pattern: each record says where' "$dir/got" "$dir/want"
contains 'a pattern: calls' "$dir/out" 'arg1=42'
grep -E ' [tT] target_(call|get)[[:space:]]' /proc/kallsyms |
	awk '{ print "  0x" $1, $3, $4 }' | sed 's/0x0*/0x/' | sort >"$dir/want"
places "$dir/out.err" in >"$dir/got"
same '--places: address, name and module' "$dir/got" "$dir/want"
trapline check --places 'p:in target:target_*' | tail -n +2 >"$dir/got"
same 'check --places: the same' "$dir/got" "$dir/want"
rmmod target

copies=$(awk '$2 ~ /^[tT]$/ && $3 == "name_show" { print $1 }' /proc/kallsyms |
	sort -u | wc -l)
trapline check --places 'p:all name_show#all' 'p:one name_show#1' \
	'p:two name_show#2' >"$dir/got"
sed -n '/^p:kprobes\/all/,/^p:kprobes\/one/p' "$dir/got" | grep '^  0x' >"$dir/all"
equal '#all: all of one name' "$(wc -l <"$dir/all")" "$copies"
sed -n '/^p:kprobes\/one/,$p' "$dir/got" | grep '^  0x' >"$dir/chosen"
head -n 2 "$dir/all" >"$dir/want"
same '#N: in the order of the addresses' "$dir/chosen" "$dir/want"

# some of these are the start of an instruction, some are inside one
live out --places -e 'p:v vfs_*+13' -e 'p:pp __x64_sys_getppid' -- \
	dd if=/dev/zero of=/dev/null bs=1 count=10
places "$dir/out.err" v >"$dir/all"
grep -c ': refused: ' "$dir/all" >"$dir/refused"
note "vfs_*+13: $(cat "$dir/refused") refused of $(wc -l <"$dir/all")"
contains 'refused places: how many' "$dir/out.err" \
	"v: the kernel refuses $(cat "$dir/refused") of its $(wc -l <"$dir/all") places"
contains 'refused places: which, and why' "$dir/out.err" \
	': the address is not the start of an instruction'
equal 'refused places: the table is there' "$(counter "$dir/out.err" pp hits)" \
	"$(counter "$dir/out.err" pp recorded)"

# it was known before, without probes in the way; at int3 kernels differ in the reason
trapline check --places 'p:v vfs_*+13' | sed -n 's/: refused: .*//p' >"$dir/got"
sed -n 's/: refused: .*start of an instruction.*//p' "$dir/all" >"$dir/want"
equal 'refused places: known to check' "$(grep -vxFf "$dir/got" "$dir/want")" ''
sed -n 's/: refused: .*//p' "$dir/all" >"$dir/want"
equal 'refused places: and no others' "$(grep -vxFf "$dir/want" "$dir/got")" ''

trapline live --all-or-nothing -e 'p:pp __x64_sys_getppid' -e 'p:v vfs_*+13' -- \
	touch "$dir/run" >"$dir/out" 2>"$dir/err"
equal '--all-or-nothing: status' "$?" 1
contains '--all-or-nothing: said' "$dir/err" 'not the start of an instruction'
contains '--all-or-nothing: under the line' "$dir/err" 'p:v vfs_*+13'
equal '--all-or-nothing: no probe is left' "$(wc -l <$list)" 0

live out -e 'p:pp __x64_sys_getppid' -e 'p:v vfs_*+1' -- workload count 10
contains 'all refused, beside another event: said' "$dir/out.err" 'the kernel refuses all'
contains 'all refused, beside another event: under the line' "$dir/out.err" '  p:v vfs_*+1'
equal 'all refused, beside another event: that is traced' \
	"$(counter "$dir/out.err" pp recorded)" 10
grep 'of its' "$dir/out.err"
[ $? -ne 0 ]
result 'all refused, beside another event: no places are traced of it' $?
trapline live -e 'p:v vfs_*+1' -- touch "$dir/run" >"$dir/out" 2>"$dir/err"
equal 'all refused: status' "$?" 1
contains 'all refused: said' "$dir/err" 'the kernel refuses all'
[ ! -e "$dir/run" ]
result 'all refused: the command is not run' $?
equal 'and no probe is left' "$(wc -l <$list)" 0

# one that is inside an instruction: the nearest that are not can be probed
trapline live -e 'p:v vfs_read+1' -- true >"$dir/out" 2>"$dir/err"
equal 'inside an instruction: status' "$?" 1
contains 'inside an instruction: said' "$dir/err" 'not the start of an instruction'
trapline check 'p:v vfs_read+1' 'p:w vfs_read' >"$dir/check" 2>"$dir/check.err"
equal 'inside an instruction: known to check' "$? $(cat "$dir/check")" '1 p:kprobes/w vfs_read'
contains 'inside an instruction: with the same proposal' "$dir/check.err" \
	"$(sed -n 's/.*hint: //p' "$dir/err")"
equal 'inside an instruction: no probe is left' "$(wc -l <$list)" 0
near=$(sed -n 's/.*hint: the nearest instructions begin at \(.*\) and \(.*\)$/\1 \2/p' "$dir/err")
equal 'inside an instruction: the one before' "${near% *}" vfs_read+0
live out -e "p:v ${near#* } n=%dx" -- cat /etc/passwd
[ "$(counter "$dir/out.err" v hits)" -gt 0 ]
result "inside an instruction: the one behind (${near#* })" $?
trapline check "p:v ${near#* }" >"$dir/check" 2>&1
equal "inside an instruction: check takes the one behind" "$(cat "$dir/check")" "p:kprobes/v ${near#* }"

# many functions at once, those of the tracing itself among them
live out -e 'p:l *_lock' -- true
head -n 8 "$dir/out.err" | sed 's/^/# /'
outcomes=$(outcomes "$dir/out.err" l)
[ "$outcomes" -gt 0 ]
result 'many places are hit' $?
equal 'many places: hits are accounted for' "$(counter "$dir/out.err" l hits)" $outcomes
done_testing
