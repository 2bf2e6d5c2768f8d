# SPDX-License-Identifier: GPL-2.0-only
#
# "FILE LINES COVERED" on each line becomes a table with percents and, for each
# folder and for all, a sum.
function row(name, lines, covered)
{
	printf "%-34s %6d %8d %6.1f %%\n", name, lines, covered, \
		lines ? 100 * covered / lines : 100
}

BEGIN { printf "%-34s %6s %8s %8s\n", "file", "lines", "covered", "" }
{
	folder = $1
	sub(/[^\/]*$/, "", folder)
	row($1, $2, $3)
	folder_lines[folder] += $2
	folder_covered[folder] += $3
	if (!(folder in seen)) {
		seen[folder] = 1
		order[++folders] = folder
	}
	lines += $2
	covered += $3
}
END {
	for (i = 1; i <= folders; i++)
		row(order[i], folder_lines[order[i]], folder_covered[order[i]])
	row("all", lines, covered)
}
