# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Filters: the same definitions at once here and in kprobe_events, over one
# workload, must let the same hits through; and all that are not are counted.
# --pid, --comm and --cgroup.
# shellcheck source=lib.sh
. ./lib.sh
# shellcheck source=tracefs.sh
. ./tracefs.sh
rounds=5

# compare DEFINITION NUMBER - the records in $dir/ours and $dir/theirs
compare()
{
	event=$(name_of "$1")
	grep "^$event: " "$dir/theirs" >"$dir/theirs.e"
	grep "^$event: " "$dir/ours" >"$dir/ours.e"
	same "$1: $(wc -l <"$dir/theirs.e") records" "$dir/ours.e" "$dir/theirs.e"
	[ "$2" = - ] || equal "$1: $2 a round" "$(wc -l <"$dir/ours.e")" $(($2 * rounds))
}

# check_sum EVENT - recorded and filtered are all hits that the session had
check_sum()
{
	recorded=$(counter "$dir/out.err" "$1" recorded)
	filtered=$(counter "$dir/out.err" "$1" filtered)
	waited=$(counter "$dir/out.err" "$1" 'not_running')
	equal "$1: hits" "$(counter "$dir/out.err" "$1" hits)" \
		$((recorded + filtered + waited))
	[ "$filtered" -gt 0 ]
	result "$1: $filtered were filtered, $recorded recorded" $?
}

# both FILE - definitions through both tracers at once
both()
{
	theirs_begin "$1"
	live out -b 256k -n 16 -f "$1" -- workload calls "$dir/tid" $rounds
	theirs_end
	tid=$(sed 's/^0*//' "$dir/tid")
	plain "$dir/trace" "$tid" | as_ours >"$dir/theirs"
	plain "$dir/out" "$tid" >"$dir/ours"
	equal "$1: nothing was lost" "$(cat "$dir/trace" "$dir/out" | grep -c LOST)" 0
	while read -r line; do
		number=$(grep -F " $line" "$dir/all" | sed 's/ .*//')
		compare "$line" "$number"
		check_sum "$(name_of "$line")"
	done <"$1"
}

# A return's caller is hidden where another return probe is on the function.
returns()
{
	while read -r line; do
		printf '%s\n' "$line" >"$dir/line"
		live out -b 256k -n 16 -f "$dir/line" -- workload calls "$dir/tid" $rounds
		tid=$(sed 's/^0*//' "$dir/tid")
		plain "$dir/out" "$tid" >"$dir/ours"
		theirs_begin "$dir/line"
		workload calls "$dir/tid" $rounds
		theirs_end
		tid=$(sed 's/^0*//' "$dir/tid")
		plain "$dir/trace" "$tid" | as_ours >"$dir/theirs"
		compare "$line" -
	done <"$1"
}

echo 0 >$t/tracing_on
echo 8192 >$t/buffer_size_kb
grep -vE '^(#|$)' filter_definitions.txt >"$dir/all"
sed 's/^[^ ]* //' "$dir/all" | grep '^p' >"$dir/entries"
sed 's/^[^ ]* //' "$dir/all" | grep '^r' >"$dir/returns"
both "$dir/entries"
returns "$dir/returns"

# a filter in a session that was restricted: both count
lseek='p:a __x64_sys_lseek v=+104(%di):x64 if v == 0xff'
live out --comm 'e?e[m-o]' -e "$lseek" -- workload calls "$dir/tid" $rounds
records "$dir/out" >"$dir/got"
printf 'a v=0xff\na v=0xff\n' >"$dir/want"
same '--comm and a filter' "$dir/got" "$dir/want"

# all threads of a process, and nobody else: its children neither
# of_process OPTION... - what a process does: 4, 5, 20 and more in children, 6 to 8 in a thread
of_process()
{
	sh -c 'kill -STOP $$; exec workload names "$0" "$1"' "$dir/names" \
		"$(command -v workload)" &
	pid=$!
	live out "$@" --pid $pid \
		-e 'p:a __x64_sys_lseek n=+104(%di):u64 w=+96(%di):u32 if w == 81' -- \
		sh -c "kill -CONT $pid; busybox sleep 4"
	wait $pid
	records "$dir/out" | sort -u >"$dir/got"
}

of_process
printf 'a n=%s w=81\n' 1 2 3 6 7 8 9 >"$dir/want"
same '--pid: all its threads, not its children' "$dir/got" "$dir/want"
of_process --children
{ busybox seq 1 9; busybox seq 20 39; } | sed 's/.*/a n=& w=81/' | sort >"$dir/want"
same '--children: those of its children, too' "$dir/got" "$dir/want"
workload load 20 &
pid=$!
live out --pid "$$,$pid" -e 'p:a __x64_sys_getppid' -- \
	sh -c 'workload count 100; busybox sleep 1'
kill $pid
fields "$dir/out" | cut -f 2 | sort -u >"$dir/got"
printf '%s\n' "$pid" >"$dir/want"
same '--pid: a process, and one that does nothing' "$dir/got" "$dir/want"
[ "$(counter "$dir/out.err" a filtered)" -ge 100 ]
result '--pid: what others did is filtered' $?
trapline live --pid 999999 -e 'p vfs_read' -- true 2>"$dir/err"
equal '--pid: no such process: status' "$?" 1
contains '--pid: no such process: said' "$dir/err" 'there is no such process'
trapline live --children -e 'p vfs_read' -- true 2>"$dir/err"
equal '--children: status' "$?" 2
contains '--children: said' "$dir/err" 'needs --pid'

# calls that took long, and that did not
live out -e 'r:long __x64_sys_nanosleep $retval if duration >= 100000000' \
	-e 'r:short __x64_sys_nanosleep $retval if duration < 100000000' \
	-- sh -c 'busybox usleep 1000; busybox usleep 200000'
printf 'short\nlong\n' >"$dir/want"
fields "$dir/out" | cut -f 6 >"$dir/got"
if [ ! -s "$dir/got" ]; then
	live out -e 'r:long __x64_sys_clock_nanosleep $retval if duration >= 100000000' \
		-e 'r:short __x64_sys_clock_nanosleep $retval if duration < 100000000' \
		-- sh -c 'busybox usleep 1000; busybox usleep 200000'
	fields "$dir/out" | cut -f 6 >"$dir/got"
fi
same 'if duration: of a return without that argument' "$dir/got" "$dir/want"

# a cgroup, and one that is in it
cgroups()
{
	group=/sys/fs/cgroup
	if ! grep -q " $group cgroup2 " /proc/mounts; then
		group=$dir/cgroup
		mkdir "$group"
		mount -t cgroup2 none "$group"
		result 'cgroups can be mounted' $?
	fi
	mkdir -p "$group/outer/inner" "$group/other"
	inside="for g in outer:7 outer/inner:20 other:400; do
		sh -c \"echo 0 >$group/\${g%:*}/cgroup.procs; exec workload count \${g#*:}\"
	done"
	live out --cgroup "$group/outer" -e 'p:a __x64_sys_getppid' -- sh -c "$inside"
	equal '--cgroup: it and the one below' "$(counter "$dir/out.err" a recorded)" 27
	[ "$(counter "$dir/out.err" a filtered)" -ge 400 ]
	result '--cgroup: the others are filtered' $?
}

# a kernel without them has nothing to mount
if grep -q cgroup2 /proc/filesystems; then
	cgroups
fi
trapline live --cgroup /proc -e 'p vfs_read' -- true 2>"$dir/err"
equal '--cgroup of what is none: status' "$?" 1
contains '--cgroup of what is none: said' "$dir/err" 'no cgroup of version 2'
echo 1 >$t/tracing_on
done_testing
