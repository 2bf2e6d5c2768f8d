# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Integers of all widths and signs, results with errors, chains of pointers,
# variables of the kernel, the stack, the task's name and constants.
# shellcheck source=lib.sh
. ./lib.sh

o='+104(%di)' # the second argument of a system call, in its register frame
live out -e "p:v __x64_sys_lseek a=$o:s8 b=$o:u8 c=$o:x8 d=$o:s16 e=$o:u16 f=$o:x16 g=$o:s32 h=$o:u32 i=$o:x32 j=$o:s64 k=$o:u64 l=$o:x64 m=$o n=+96(%di):u32" \
	-e 'r:w __x64_sys_lseek a=$retval:s32 b=$retval:u8 c=$retval:x16 d=$retval:s64 e=$retval:x64' \
	-- workload values "$dir/want"
records "$dir/out" 'n=77' >"$dir/got"
same 'integers of all widths, and results' "$dir/got" "$dir/want"
wanted=$(grep -c '^v' "$dir/want")
equal 'each call is a hit of the entry' "$(counter "$dir/out.err" v recorded)" "$wanted"
equal 'each call is a hit of the return' "$(counter "$dir/out.err" w recorded)" "$wanted"

live out -e "p:n __x64_sys_lseek first=+u0(+u16($o)):string second=+0(+u16(+u8($o))):ustring number=+u24(+u8($o)):s32 after=+96(%di):u32" \
	-- workload nested "$dir/want"
records "$dir/out" 'after=78' >"$dir/got"
same 'chains of pointers in user memory' "$dir/got" "$dir/want"

live out -e 'p:k __x64_sys_lseek banner=@linux_banner:string line=+0(@saved_command_line):string cpus=@nr_cpu_ids:u32 shifted=@linux_banner+6:string none=+0(@linux_banner):x8' \
	-- workload values "$dir/want"
read -r banner </proc/version
read -r line </proc/cmdline
printf 'k banner="%s\\n" line="%s" cpus=2 shifted="%s\\n" none=<fault>\n' \
	"$banner" "$line" "${banner#Linux }" >"$dir/want"
records "$dir/out" | head -n 1 >"$dir/got"
same 'variables of the kernel' "$dir/got" "$dir/want"

live out -e "p:s __x64_sys_lseek a=\$stack0:x64 b=+0(\$stack):x64 c=\$stack3:x32 d=+24(\$stack):x32 e=\$stack:x64 f=%sp:x64 g=\$comm h=\$comm:string i=\\-1:s8 j=\\0x1ff:u8 k=\\-2 l=\\\"hi\" n=\\10:u16" \
	-- workload values "$dir/want"
records "$dir/out" | head -n 1 >"$dir/got"
show "$dir/got"
value()
{
	sed -nE "s/.* $1=([^ ]+).*/\\1/p" "$dir/got"
}
equal 'a word of the stack is what the stack pointer points at' "$(value b)" "$(value a)"
equal 'so is the fourth one' "$(value d)" "$(value c)"
equal 'the stack pointer is the register' "$(value f)" "$(value e)"
equal '$comm' "$(value g)" '"workload"'
equal '$comm as a string' "$(value h)" '"workload"'
equal 'a constant is signed' "$(value i)" -1
equal 'a constant is as wide as its type' "$(value j)" 255
equal 'a constant without a type' "$(value k)" 0xfffffffffffffffe
equal 'a constant in decimal' "$(value n)" 10
equal 'a constant string' "$(value l)" '"hi"'
value a | grep -qE '^0xffffffff[0-9a-f]{8}$'
result 'the first word is a return address of the kernel' $?
done_testing
