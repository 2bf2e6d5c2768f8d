# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# A module goes while it is probed: the command says so, and counts what was. The
# events have chosen a function of what is loaded, and so do not come back with the
# module as others do (t_pending_live.sh).
# shellcheck source=lib.sh
. ./lib.sh
call=/sys/module/target/parameters/call

insmod target.ko
live out -e 'p:in target:target_call#1 n=$arg1:s32' \
	-e 'r:out target:target_call#1 $retval:s32' -- \
	sh -c "cat $call; cat $call; rmmod target; insmod target.ko; cat $call"
equal 'hits of the entry' "$(counter "$dir/out.err" in hits)" 2
equal 'hits of the return' "$(counter "$dir/out.err" out hits)" 2
contains 'said of the entry' "$dir/out.err" 'in: its module was unloaded'
contains 'said of the return' "$dir/out.err" 'out: its module was unloaded'
live out -e 'p:in target:target_call n=$arg1:s32' -- cat $call
equal 'a new session probes the new module' \
	"$(counter "$dir/out.err" in hits)" 1
rmmod target
equal 'and lets it go' "$?" 0
done_testing
