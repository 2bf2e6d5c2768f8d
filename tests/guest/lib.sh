# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What the guest's test scripts share. A script sources it, calls "result" (or
# "same", "contains") once for each of its results, and ends with "done_testing".
count=0
failed=0
dir=$(mktemp -d /tmp/test.XXXXXX) || exit 125

# dash's echo takes backslashes for itself: printf it is, throughout.

# result NAME STATUS - a result: good if STATUS is 0
result()
{
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then
		printf 'ok - %s\n' "$1"
	else
		failed=$((failed + 1))
		printf 'not ok - %s\n' "$1"
	fi
}

# note TEXT... - a diagnostic
note()
{
	printf '# %s\n' "$*"
}

# show FILE - as diagnostics, not too many
show()
{
	head -n 25 "$1" | cut -c 1-300 | sed 's/^/# /'
}

# equal NAME GOT WANT - of two words
equal()
{
	[ "$2" = "$3" ] || note "$1: got '$2', wanted '$3'"
	[ "$2" = "$3" ]
	result "$1" $?
}

# same NAME GOT WANT - two files are equal, and not empty
same()
{
	if [ ! -s "$3" ]; then
		note "nothing is wanted in $3: the test is wrong"
		result "$1" 1
	elif cmp -s "$2" "$3"; then
		result "$1" 0
	else
		diff -u "$3" "$2" >"$dir/diff"
		show "$dir/diff"
		result "$1" 1
	fi
}

# contains NAME FILE WORDS - somewhere in the file, as they stand
contains()
{
	grep -qF -- "$3" "$2"
	set -- "$1" "$2" "$3" $?
	if [ "$4" -ne 0 ]; then
		note "wanted '$3', got:"
		show "$2"
	fi
	result "$1" "$4"
}

# outcomes FILE EVENT - the hits of an event, by what became of them
outcomes()
{
	hits=0
	for outcome in recorded full wrapped recursion not-running; do
		hits=$((hits + $(counter "$1" "$2" $outcome)))
	done
	echo $hits
}

# done_testing - the plan, and the script's end
done_testing()
{
	echo "1..$count"
	rm -rf "$dir"
	[ "$failed" -eq 0 ] && [ "$count" -gt 0 ]
	exit
}

# live NAME ARGUMENT... - trapline live into $dir/NAME and $dir/NAME.err;
# complains if that does not end well
live()
{
	name=$1
	shift
	trapline live "$@" >"$dir/$name" 2>"$dir/$name.err"
	set -- $?
	[ "$1" -eq 0 ] && return
	note "trapline live ended with $1"
	show "$dir/$name.err"
	result "$name: trapline live ends well" 1
}

# fields FILE - of each record, with tabs between: TASK TID CPU FLAGS TIME EVENT
# PLACE ARGUMENTS; any other line as "BAD LINE" with the line itself
fields()
{
	sed -E 's/^ *(.*)-([0-9]+) +\[([0-9]+)\] ([^ ]+) +([0-9]+\.[0-9]+): ([A-Za-z0-9_]+): \(([^)]*)\) ?(.*)$/\1\t\2\t\3\t\4\t\5\t\6\t\7\t\8/
		t
		s/^/BAD LINE\t/' "$1"
}

# records FILE [PATTERN] - "EVENT ARGUMENTS" of each record; with PATTERN only
# of the threads that have one record which it matches
records()
{
	fields "$1" | awk -F '\t' -v pattern="${2:-}" '
		{ line[NR] = $6 ($8 == "" ? "" : " " $8); tid[NR] = $2 }
		$1 == "BAD LINE" { line[NR] = $0; tid[NR] = "bad"; wanted["bad"] = 1 }
		pattern == "" || index(line[NR], pattern) { wanted[$2] = 1 }
		END {
			for (i = 1; i <= NR; i++)
				if (tid[i] in wanted)
					print line[i]
		}'
}

# counters FILE COLUMN... - of each event of the table at the end of trapline live its
# name and these cells
counters()
{
	table=$1
	shift
	awk -v columns="$*" '
		BEGIN { count = split(columns, column, " ") }
		$1 == "event" { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == "total" { exit }
		"event" in at {
			line = $1
			for (i = 1; i <= count; i++)
				line = line " " (column[i] in at ? $at[column[i]] : 0)
			print line
		}' "$table"
}

# counter FILE EVENT COLUMN - a cell of the table at the end of trapline live
counter()
{
	awk -v event="$2" -v column="$3" '
		$1 == "event" { for (i = 1; i <= NF; i++) at[$i] = i }
		$1 == event && ("event" in at) {
			print column in at ? $at[column] : 0
			found = 1
		}
		END { if (!found) print "none" }' "$1"
}
