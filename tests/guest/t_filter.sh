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

# check_sums - recorded and filtered are all hits that the session had
check_sums()
{
	counters "$dir/out.err" hits recorded filtered not-running >"$dir/counts"
	while read -r event hits recorded filtered waited; do
		equal "$event: hits" "$hits" $((recorded + filtered + waited))
		[ "$filtered" -gt 0 ]
		result "$event: $filtered were filtered, $recorded recorded" $?
	done <"$dir/counts"
}

# split_ours FILE - the records of the workload's thread into $dir/ours
split_ours()
{
	tid=$(sed 's/^0*//' "$dir/tid")
	plain "$1" "$tid" | split "$dir/ours"
}

split_theirs()
{
	tid=$(sed 's/^0*//' "$dir/tid")
	plain "$dir/trace" "$tid" | as_ours | split "$dir/theirs"
}

# both FILE - definitions, each with its number, through both tracers at once
both()
{
	sed 's/^[^ ]* //' "$1" >"$dir/lines"
	theirs_begin "$dir/lines"
	live out -b 256k -n 16 -f "$dir/lines" -- workload calls "$dir/tid" $rounds
	theirs_end
	split_theirs
	split_ours "$dir/out"
	equal "$1: nothing was lost" "$(cat "$dir/trace" "$dir/out" | grep -c LOST)" 0
	while read -r number line; do
		compare "$line"
		[ "$number" = - ] || equal "$line: $number a round" \
			"$(wc -l <"$dir/ours/$event")" $((number * rounds))
	done <"$1"
	check_sums
}

# A return's caller is hidden where another return probe is on the function: ours
# together, theirs one by one.
returns()
{
	sed 's/^[^ ]* //' "$1" >"$dir/lines"
	live out -b 256k -n 16 -f "$dir/lines" -- workload calls "$dir/tid" $rounds
	split_ours "$dir/out"
	while read -r line; do
		printf '%s\n' "$line" >"$dir/line"
		theirs_begin "$dir/line"
		workload calls "$dir/tid" $rounds
		theirs_end
		split_theirs
		compare "$line"
	done <"$dir/lines"
}

echo 0 >$t/tracing_on
echo 8192 >$t/buffer_size_kb
grep -vE '^(#|$)' filter_definitions.txt >"$dir/all"
grep '^[^ ]* p' "$dir/all" >"$dir/entries"
grep '^[^ ]* r' "$dir/all" >"$dir/returns"
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
		sh -c "kill -CONT $pid; while grep -q '^State:.[^Z]' /proc/$pid/status; do
			busybox usleep 50000; done"
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
