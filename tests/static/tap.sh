# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the static checks share: TAP on standard output, and the tree's files.
# Sourced, never run. The plan comes last, from finish.

static=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=${static%/*/*}
# shellcheck disable=SC2034 # for those who source this
cache=${TRAPLINE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/trapline}
tests=0
failures=0

cd "$root" || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# result NAME [DIAGNOSTICS] - passed if there are no diagnostics
result()
{
	tests=$((tests + 1))
	if [ -z "${2:-}" ]; then
		echo "ok $tests - $1"
		return
	fi
	failures=$((failures + 1))
	echo "not ok $tests - $1"
	printf '%s\n' "$2" | head -n 100 | sed 's/^/# /'
}

# skipped NAME REASON
skipped()
{
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}

# finish - the plan, and the status
finish()
{
	echo "1..$tests"
	[ "$failures" = 0 ]
	exit
}

# files FOLDER-OR-FILE... - the project's files there, as git sees them: what
# is tracked, or new and not ignored
files()
{
	if git rev-parse --git-dir >/dev/null 2>&1; then
		git ls-files --cached --others --exclude-standard -- "$@" |
			while read -r file; do [ -f "$file" ] && echo "$file"; done
	else
		# a release, without its history
		find "$@" -path ./build -prune -o -type f -print | sed 's|^\./||'
	fi | sort -u
}

# need COMMAND - all is skipped where it is missing: nobody can be asked to
# have every tool, and the runner shows what was skipped
need()
{
	command -v "$1" >/dev/null && return
	skipped "${0##*/}" "$1 is not installed (qemu/deps install check)"
	finish
}
