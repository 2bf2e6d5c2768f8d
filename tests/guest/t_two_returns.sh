# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Two return probes on one function: each shows the real caller, also when they
# are different probes to the kernel, and also beside one of kprobe_events.
# shellcheck source=lib.sh
. ./lib.sh

tracefs=/sys/kernel/tracing

callers() # callers FILE EVENT - the callers that the event's records show
{
	sed -n "s/.* $2: (\([^ ]*\)+0x.* <- .*/\1/p" "$1" | sort | uniq -c |
		sed 's/^ *//'
}

live out -e 'r8:few do_sys_openat2' -e 'r:many do_sys_openat2' -- \
	sh -c 'exec 3</dev/null; exec 3</dev/zero'
equal 'different maxactive: first' "$(callers "$dir/out" few | cut -d' ' -f2)" \
	__x64_sys_openat
equal 'different maxactive: second' "$(callers "$dir/out" many | cut -d' ' -f2)" \
	__x64_sys_openat

echo 'r:beside do_sys_openat2' >"$tracefs/kprobe_events"
echo 1 >"$tracefs/events/kprobes/beside/enable"
live out -e 'r:ours do_sys_openat2' -- sh -c 'exec 3</dev/null'
echo 0 >"$tracefs/events/kprobes/beside/enable"
echo >"$tracefs/kprobe_events"
equal 'beside kprobe_events' "$(callers "$dir/out" ours | cut -d' ' -f2)" \
	__x64_sys_openat
done_testing
