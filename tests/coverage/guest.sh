# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Inside a guest whose kernel has gcov: prints the counts of all modules, also of
# those that were unloaded, as text between two lines. The files have no size, so
# that they have to be copied before tar can take them.
counts=$(mktemp -d) && cd /sys/kernel/debug/gcov || exit 125
find . -name '*.gcda' | while read -r file; do
	mkdir -p "$counts/${file%/*}" && cat "$file" >"$counts/$file" || exit 125
done
echo '@gcov begin'
tar -c -C "$counts" . | gzip | base64
echo '@gcov end'
rm -rf "$counts"
