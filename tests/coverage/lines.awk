# SPDX-License-Identifier: GPL-2.0-only
#
# Reads what "gcov -t" prints, for any number of objects and runs, and prints
# "FILE LINE COUNT" for each line of the module that has code, sorted by nothing.
# A line of a header is in many objects, a function inlined in many places: it
# was run if it was run in one of them. What is before the project's path is cut
# off, what is then not to be kept is left out (-v cut=, -v keep=, both regular
# expressions): by default the module's mirror, of which the module is kept.
BEGIN {
	if (cut == "")
		cut = "/.*/src/"
	if (keep == "")
		keep = "^module/"
}
{
	count = $0
	sub(/:.*/, "", count)
	gsub(/[ *]/, "", count)
	rest = substr($0, index($0, ":") + 1)
	line = rest + 0
	text = substr(rest, index(rest, ":") + 1)
}

line == 0 && text ~ /^Source:/ {
	file = text
	if (!sub("^Source:" cut, "", file) || file !~ keep)
		file = ""
	# what was included from beside the file
	while (sub(/[^\/]+\/\.\.\//, "", file))
		;
	next
}

line == 0 || file == "" || count == "-" { next }
{ sum[file " " line] += count }
END {
	for (key in sum)
		print key, sum[key]
}
