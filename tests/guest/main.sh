# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# main.sh SECONDS TEST...
#
# Inside the guest: runs the named tests one after the other, each for so long at
# most. What they print goes between two lines, from which tests/guest/run on
# the host knows that the test ran to its end; the kernel log is looked at after
# each, so that a warning is laid at the right door.
cd /work/t || exit 125
PATH=/work/t:$PATH
export PATH
TRAPLINE_KO=/lib/modules/$(uname -r)/updates/trapline.ko
export TRAPLINE_KO

seconds=$1
shift
dmesg -c >/dev/null
for test; do
	read -r up rest </proc/uptime
	echo "@begin $test $up"
	case $test in
	*.sh) guard "$seconds" sh "./$test" 2>&1 </dev/null;;
	*) guard "$seconds" "./$test" 2>&1 </dev/null;;
	esac
	status=$?
	# a program that was killed has not ended its line
	echo
	# (that an emulated CPU was slow with an NMI is nobody's fault)
	dmesg -c | grep -E 'WARNING:|BUG|Oops|RIP:|Call Trace|INFO: |UBSAN|KASAN|KCSAN|ODEBUG|lockdep is turned off' |
		grep -v 'INFO: NMI handler .* took too long to run' |
		sed 's/^/@kernel /'
	read -r up rest </proc/uptime
	echo "@end $test $status $up"
done
echo "@done"
