# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# A token that two CPUs take in turns: its marks are on both CPUs, and in the
# order of their numbers in the merged output.
# shellcheck source=lib.sh
. ./lib.sh

live out -e 'p:m __x64_sys_lseek n=+104(%di):u32 w=+96(%di):u32' -- workload token 10000
fields "$dir/out" >"$dir/fields"
awk -F '\t' '$8 ~ / w=82$/ {
	sub(/^n=/, "", $8)
	sub(/ .*/, "", $8)
	print $8
	cpus[$3]++
} END {
	for (cpu in cpus)
		print cpu, cpus[cpu] >"/dev/stderr"
}' "$dir/fields" >"$dir/got" 2>"$dir/cpus"
seq 0 9999 >"$dir/want"
same 'a token passed between two CPUs 10,000 times is in order' "$dir/got" "$dir/want"
sort "$dir/cpus" >"$dir/cpus.sorted"
printf '000 5000\n001 5000\n' >"$dir/want"
same 'each CPU had it half of the times' "$dir/cpus.sorted" "$dir/want"

cut -f 5 "$dir/fields" >"$dir/times"
sort -n "$dir/times" >"$dir/times.sorted"
same 'times never go down' "$dir/times" "$dir/times.sorted"
done_testing
