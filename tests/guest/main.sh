# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Inside the guest: runs the named tests one after the other, each with a time
# limit. What they print goes between two lines, from which tests/guest/run on
# the host knows that the test ran to its end; the kernel log is looked at after
# each, so that a warning is laid at the right door.
cd /work/t || exit 125
PATH=/work/t:$PATH
export PATH
TRAPLINE_KO=/lib/modules/$(uname -r)/updates/trapline.ko
export TRAPLINE_KO

dmesg -c >/dev/null
for test; do
	echo "@begin $test"
	case $test in
	*.sh) guard 90 sh "./$test" 2>&1 </dev/null;;
	*) guard 90 "./$test" 2>&1 </dev/null;;
	esac
	status=$?
	# a program that was killed has not ended its line
	echo
	dmesg -c | grep -E 'WARNING:|BUG|Oops|RIP:|Call Trace|INFO: |UBSAN|KASAN' |
		sed 's/^/@kernel /'
	read -r up rest </proc/uptime
	echo "@end $test $status $up $rest"
done
echo "@done"
