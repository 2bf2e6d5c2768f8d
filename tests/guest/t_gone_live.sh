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

# A flight recorder prints at its end, when the module is no more: its symbols were read
# before.
live late -w -e 'p:in target:target_call a=%ip:symbol b=$stack0:symbol c=%ip:symstr' -- \
	sh -c "cat $call >/dev/null; rmmod target"
records "$dir/late" | sed -E 's/\+0x[0-9a-f]+(\/0x[0-9a-f]+)?//g' >"$dir/got"
echo 'in a=target_call [target] b=target_get [target] c="target_call [target]"' >"$dir/want"
same 'addresses of a module that has gone keep their names' "$dir/got" "$dir/want"
insmod target.ko
rmmod target
equal 'and lets it go' "$?" 0
done_testing
