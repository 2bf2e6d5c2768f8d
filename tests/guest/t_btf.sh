# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Names and types from the kernel's BTF: each value is one that is known, or
# that the record has in another way too. A kernel without BTF, and a module
# without, refuse what needs it and nothing else.
# shellcheck source=lib.sh
. ./lib.sh

# refused NAME DEFINITION WORDS - the definition is, with these words
refused()
{
	trapline check "$2" >"$dir/check" 2>&1 &&
		note "trapline check '$2' accepts it"
	contains "$1" "$dir/check" "$3"
}

# listed NAME DEFINITION LISTING
listed()
{
	trapline check "$2" >"$dir/check" 2>&1
	contains "$1" "$dir/check" "$3"
}

if [ ! -e /sys/kernel/btf/vmlinux ]; then
	refused 'all parameters' 'p vfs_read $arg*' 'needs the kernel'"'"'s types (BTF)'
	refused 'a member' 'p vfs_read x=$current->pid' 'needs the kernel'"'"'s types (BTF)'
	listed 'an argument by number' 'p:a vfs_read $arg1 $arg9 $current' \
		'p:kprobes/a vfs_read arg1=$arg1 arg2=$arg9 arg3=$current'
	done_testing
fi

listed 'all parameters' 'p:a vfs_read $arg*' \
	'p:kprobes/a vfs_read file=file buf=buf count=count pos=pos'
refused 'a parameter that there is not' 'p:a vfs_read $arg6' 'vfs_read has 4 parameters'

d='file->f_path.dentry'
live write -b 64k -n 16 \
	-e "p:w vfs_write name=file:%pD same=$d:%pd again=$d->d_name.name:string register=%di:%pD length=$d->d_name.len flags=file->f_flags hex=\$arg1->f_flags:x16 cast=(file)%di->f_flags text=buf:ustring byte=+u0(buf):x8 bytes=count \$arg3 who=\$current->comm:string first=\$current->comm[0]" \
	-e 'p:a vfs_write $arg*' -e 'r:v vfs_write $retval' \
	-- workload calls "$dir/tid" 5
records "$dir/write" 'name="null"' | grep 'name="null"' >"$dir/got"
text=0123456789abcdefghijklmnopqrstuvwxyz
for i in 1 2 3 4 5; do
	case $i in
	1) who=workload first=119;;
	3 | 5) who='odd round' first=111;;
	*) who=even first=101;;
	esac
	printf 'w name="null" same="null" again="null" register="null" length=4 flags=32769 hex=0x8001 cast=32769 text="%s" byte=0x30 bytes=%d count=%d who="%s" first=%d\n' \
		$text $i $i "$who" $first
done >"$dir/want"
same 'a file: its name, flags and text' "$dir/got" "$dir/want"
records "$dir/write" 'name="null"' | grep -A 1 'name="null"' | grep '^a' |
	sed -E 's/^a file=(0xffff[0-9a-f]{12}) buf=0x[0-9a-f]+ count=([0-9]+) pos=0x[0-9a-f]+$/\2/' >"$dir/got"
printf '%d\n' 1 2 3 4 5 >"$dir/want"
same 'all parameters are recorded' "$dir/got" "$dir/want"
records "$dir/write" 'name="null"' | grep -A 2 'name="null"' | grep '^v' >"$dir/got"
printf 'v arg1=%d\n' 1 2 3 4 5 >"$dir/want"
same 'what a function returns has its type' "$dir/got" "$dir/want"

# 7.3 has another name for it
opener=do_filp_open
grep -qF " $opener" /proc/kallsyms || opener=do_file_open
live open -b 64k -n 16 \
	-e 'p:o do_sys_openat2 $arg1 filename:ustring how->flags mode=how->mode dir=dfd:u8' \
	-e "r:f $opener name=\$retval:%pD flags=\$retval->f_flags:x32" \
	-- workload calls "$dir/tid" 2
tid=$(sed 's/^0*//' "$dir/tid")
fields "$dir/open" | awk -F '\t' -v tid="$tid" '$2 == tid && $6 == "o" { print $8 }' |
	grep -v '"/' >"$dir/got"
for i in 0 1; do
	echo "dfd=-100 filename=\"${text#"$(printf %.${i}s $text)"}\" arg3=33024 mode=0 dir=156"
	echo "dfd=-5 filename=\"$text\" arg3=32768 mode=0 dir=251"
	echo 'dfd=-100 filename=<fault> arg3=33024 mode=0 dir=156'
	echo 'dfd=-100 filename=<fault> arg3=33024 mode=0 dir=156'
done >"$dir/want"
same 'integers are signed, strings are read' "$dir/got" "$dir/want"
fields "$dir/open" | awk -F '\t' -v tid="$tid" '$2 == tid && $6 == "f" { print $8 }' |
	grep -F 'name="null"' | head -n 1 >"$dir/got"
echo 'name="null" flags=0x8001' >"$dir/want"
same 'a member of what a function returns' "$dir/got" "$dir/want"
fields "$dir/open" | awk -F '\t' -v tid="$tid" '$2 == tid && $6 == "f" { print $8 }' |
	grep -cxF 'name=<fault> flags=<fault>' >"$dir/got"
[ "$(cat "$dir/got")" -ge 2 ]
result 'an error is no pointer: its members are faults' $?

live task -e 'p:t __x64_sys_getppid pid=$current->pid same=(task_struct,tasks)+8($current->tasks.next)->pid task=$current leader=$current->group_leader boss=$current->group_leader->pid:x32 low=$current:u8' \
	-e 'r:p __x64_sys_getppid ret=$retval:s32 parent=$current->real_parent->tgid' \
	-- workload calls "$dir/tid" 3
tid=$(sed 's/^0*//' "$dir/tid")
fields "$dir/task" | awk -F '\t' -v tid="$tid" '
	$2 == tid && $6 == "t" { print $8 }' >"$dir/got"
task=$(sed -nE '1s/.* task=(0xffff[0-9a-f]{12}) .*/\1/p' "$dir/got")
for i in 1 2 3; do
	printf 'pid=%d same=%d task=%s leader=%s boss=0x%x low=%d\n' "$tid" \
		"$tid" "$task" "$task" "$tid" $((0x${task##"${task%??}"}))
done >"$dir/want"
same 'the task, from $current and from its list' "$dir/got" "$dir/want"
fields "$dir/task" | awk -F '\t' -v tid="$tid" '
	$2 == tid && $6 == "p" { print $8 }' | sort -u >"$dir/got"
sed -E 's/ret=([0-9]+) parent=.*/ret=\1 parent=\1/' "$dir/got" >"$dir/want"
same "the result is the parent's: $(cat "$dir/got")" "$dir/got" "$dir/want"

insmod target.ko
if [ -e /sys/kernel/btf/target ]; then
	live module -e 'p:m target:target_call $arg*' -e 'p:k target_get $arg* name=kp->name:string' \
		-e 'r:o target:target_call $retval' -- cat /sys/module/target/parameters/call
	records "$dir/module" | grep -v '^BAD LINE' | sed 's/buffer=0x[0-9a-f]* kp=0x[0-9a-f]*/buffer kp/' >"$dir/got"
	printf '%s\n' 'k buffer kp name="call"' 'm number=41' 'o arg1=42' >"$dir/want"
	same 'the types of a module' "$dir/got" "$dir/want"
else
	refused 'a module without types' 'p target:target_call $arg*' \
		'/sys/kernel/btf/target: there is no such file'
	listed 'its arguments by number' 'p:m target:target_call $arg1 pid=$current->pid' \
		'p:kprobes/m target:target_call arg1=$arg1 pid=$current->pid'
fi
rmmod target
done_testing
