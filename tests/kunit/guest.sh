# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Inside the guest: loads the module of suites, which runs them, and prints the
# kernel's log. $1 is for the module's parameter "rounds", $2 is "faults" where
# the kernel can fail allocations on demand.
cd /work || exit 125

# set_fault VALUE FILE - of what fails on demand; a kernel without it fails here
set_fault()
{
	echo "$1" >"/sys/kernel/debug/$2" || exit 125
}

# Any allocation may fail, also one that could wait for memory; without a word.
if [ "$2" = faults ]; then
	for name in failslab fail_page_alloc fail_usercopy; do
		set_fault 0 $name/verbose
	done
	set_fault N failslab/ignore-gfp-wait
	set_fault N fail_page_alloc/ignore-gfp-wait
	set_fault N fail_page_alloc/ignore-gfp-highmem
	set_fault 0 fail_page_alloc/min-order
fi

# KUnit itself, for a kernel without it
if [ -f kunit.ko ]; then
	insmod ./kunit.ko enable=1 || exit
fi
dmesg -c >/dev/null
insmod ./trapline_kunit.ko rounds="$1"
status=$?
dmesg
[ $status = 0 ] || exit $status
rmmod trapline_kunit || exit
[ ! -f gcov.sh ] || sh gcov.sh
