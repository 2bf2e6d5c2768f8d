# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The flight recorder: live --overwrite keeps the newest records, and prints
# them at the end and when it is asked to.
# shellcheck source=lib.sh
. ./lib.sh

# A ring that is too small: what is printed is the end, the rest is accounted for.
live out --overwrite -b 4k -n 2 -e 'p:g __x64_sys_getppid a=%di b=%si c=%dx' \
	-- workload count 8000
equal 'hits with a tiny ring' "$(counter "$dir/out.err" g hits)" 8000
equal 'all are recorded' "$(counter "$dir/out.err" g recorded)" 8000
overwritten=$(counter "$dir/out.err" g overwritten)
printed=$(records "$dir/out" | grep -c '^g ')
equal 'printed and overwritten are all' $((printed + overwritten)) 8000
[ "$printed" -gt 0 ] && [ "$overwritten" -gt 0 ]
result 'some are printed, some overwritten' $?
grep -qE '^CPU:[0-9]+ \[LOST [0-9]+ PACKETS\]$' "$dir/out"
result 'overwritten packets are told before the records' $?
! grep -q EVENTS "$dir/out"
result 'no new record is lost' $?

# Nothing is printed before it is asked for; then all of it, once.
cat >"$dir/command" <<'SCRIPT'
workload count 300
[ -s "$1/shots" ] && touch "$1/early"
kill -USR2 $PPID
for i in $(seq 50); do
	sleep 0.2
	[ -s "$1/shots" ] && break
done
workload count 200
kill -USR2 $PPID
sleep 1
workload count 100
SCRIPT
trapline live -w -o "$dir/shots" -e 'p:g __x64_sys_getppid' -- \
	sh "$dir/command" "$dir" >"$dir/out" 2>"$dir/shots.err"
equal 'with snapshots: status' "$?" 0
[ ! -e "$dir/early" ]
result 'nothing is printed before a snapshot' $?
# the shell's own calls come on top
awk '/^# snapshot/ { n++; next } / g: / && /workload/ { seen[n + 0]++ }
	END { print seen[0] + 0, seen[1] + 0, seen[2] + 0 }' "$dir/shots" >"$dir/got"
echo '0 300 300' >"$dir/want"
same 'each snapshot has what was new, the end goes with the last' \
	"$dir/got" "$dir/want"
equal 'none was lost' "$(counter "$dir/shots.err" g full)" 0
equal 'none was overwritten' "$(counter "$dir/shots.err" g overwritten)" 0

# The names of tasks that have ended since are those of their time.
trapline live -w -e 'p:g __x64_sys_getppid' -- sh -c 'workload count 5; sleep 0.3' \
	>"$dir/names" 2>/dev/null
equal 'names are those of the time' "$(grep -c '^ *workload-' "$dir/names")" 5

# A new name that was overwritten in its ring: the old one would be a lie.
taskset 1 renamer old "$dir" &
renamer=$!
sleep 0.3
trapline live -w -e 'p:g __x64_sys_getppid' -- sh -c "
	touch $dir/go
	while [ ! -e $dir/done ]; do sleep 0.1; done
	taskset 1 renamer many 20000" >"$dir/old" 2>/dev/null
kill $renamer
equal 'no name of another time' \
	"$(sed -n "s/^ *\(.*\)-$renamer .*/\1/p" "$dir/old")" after

# Asked for before all is armed: the first snapshot comes right after the start.
trapline live -w -o "$dir/soon" -e 'p:g __x64_sys_getppid' -- sleep 1 \
	2>"$dir/soon.err" &
pid=$!
for i in $(seq 100); do
	caught=$(sed -n 's/^SigCgt:\t//p' /proc/$pid/status)
	[ $((0x${caught:-0} & 0x800)) -ne 0 ] && break
	sleep 0.02
done
kill -USR2 $pid
wait $pid
equal 'SIGUSR2 before the start: status' "$?" 0
equal 'SIGUSR2 before the start: a snapshot' \
	"$(grep -c '^# snapshot 1$' "$dir/soon")" 1

# Without --overwrite it is an ordinary signal.
trapline live -e 'p:g __x64_sys_getppid' -- sh -c 'kill -USR2 $PPID' \
	>/dev/null 2>&1
[ "$?" -gt 128 ]
result 'without --overwrite SIGUSR2 ends the command' $?
done_testing
