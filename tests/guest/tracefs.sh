# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# The kernel's own tracer beside ours, for tests that compare the two; lib.sh
# comes first. What differs on purpose is made equal, and nothing else:
#
#   (fault)          of tracefs is <fault> here
#   SYM+0x4/0x...    of tracefs at an entry that starts with ENDBR is SYM+0x0;
#                    no definition has an offset of 4
t=/sys/kernel/tracing

# plain FILE TID - records of that thread, as "EVENT: (PLACE) ARGUMENTS"
plain()
{
	sed -nE "s/^ *[^(:=\"]*-$2 +(\\([^)]*\\) )?\\[[0-9]+\\] [^ ]+ +[0-9.]+: ([a-z0-9_]+: \\(.*)\$/\\2/p" "$1"
}

# as_ours - the records of tracefs on stdin in our words
as_ours()
{
	sed -E 's/\(fault\)/<fault>/g
		s/^([a-z0-9_]+): \(([A-Za-z0-9_.]+)\+0x4\/(0x[0-9a-f]+)\)/\1: (\2+0x0\/\3)/'
}

# split FOLDER - the records on stdin into one file for each event
split()
{
	rm -rf "$1"
	mkdir "$1"
	awk -v to="$1/" '{ print >(to substr($1, 1, length($1) - 1)) }'
}

# name_of LINE - sets $event
name_of()
{
	event=${1%% *}
	event=${event#*:}
}

# compare LINE - the records of a definition in $dir/ours and $dir/theirs
compare()
{
	name_of "$1"
	same "$1: $(wc -l <"$dir/theirs/$event") records" "$dir/ours/$event" \
		"$dir/theirs/$event"
}

# theirs_filter LINE - of a definition with "if", whose thread it calls otherwise
theirs_filter()
{
	name_of "$1"
	printf '%s\n' "${1#* if }" | sed -E 's/\btid\b/common_pid/g' \
		>"$t/events/kprobes/$event/filter"
}

# theirs_begin FILE, theirs_end - definitions into tracefs, on; off, $dir/trace
theirs_begin()
{
	while read -r definition; do
		printf '%s\n' "${definition%% if *}" >>$t/kprobe_events &&
			case $definition in
			*' if '*) theirs_filter "$definition" ;;
			esac && continue
		result "the kernel takes $definition" 1
	done <"$1"
	echo >$t/trace
	echo 1 >$t/events/kprobes/enable
	echo 1 >$t/tracing_on
}

theirs_end()
{
	echo 0 >$t/tracing_on
	echo 0 >$t/events/kprobes/enable
	# Not "trace": read in pieces, that may show some records twice. This
	# ends with the last record, since tracing is off.
	busybox timeout 60 sed "" $t/trace_pipe >"$dir/trace"
	echo >$t/kprobe_events
}
