# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# A token that two CPUs take in turns: its marks are on both CPUs, and in the
# order of their numbers in the merged output.
# shellcheck source=lib.sh
. ./lib.sh

tokens=10000
[ "${TRAPLINE_LONG:-0}" != 1 ] || tokens=100000
live out -e 'p:m __x64_sys_lseek n=+104(%di):u32 w=+96(%di):u32' -- workload token $tokens
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
seq 0 $((tokens - 1)) >"$dir/want"
same "a token passed between two CPUs $tokens times is in order" "$dir/got" "$dir/want"
sort "$dir/cpus" >"$dir/cpus.sorted"
printf '000 %d\n001 %d\n' $((tokens / 2)) $((tokens / 2)) >"$dir/want"
same 'each CPU had it half of the times' "$dir/cpus.sorted" "$dir/want"

cut -f 5 "$dir/fields" >"$dir/times"
sort -n "$dir/times" >"$dir/times.sorted"
same 'times never go down' "$dir/times" "$dir/times.sorted"

# seen NAME - what one CPU has recorded is in the output while the trace goes on,
# though the other one has nothing to add
seen()
{
	trapline live -o "$dir/early" -e 'p:g __x64_sys_getppid if comm == "workload"' -- \
		sh -c 'taskset 1 workload count 10
			for i in $(seq 40); do
				sleep 0.5
				[ "$(grep -c " g: " "$0")" -lt 10 ] || break
			done
			grep -c " g: " "$0"' "$dir/early" >"$dir/seen" 2>"$dir/early.err"
	equal "$1: 10 records are out before the end" "$(cat "$dir/seen")" 10
	equal "$1: there are no more" "$(counter "$dir/early.err" g recorded)" 10
}
seen 'an idle CPU'
taskset 2 sh -c 'while :; do :; done' &
busy=$!
seen 'a busy CPU'
kill $busy
done_testing
