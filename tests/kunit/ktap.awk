# SPDX-License-Identifier: GPL-2.0-only
#
# Reads KUnit's results out of a kernel log, strictly, and prints flat TAP.
#
#	awk -f ktap.awk EXPECTED LOG
#
# EXPECTED has a line "SUITE CASE" for each case in the sources. Each must have
# one result, in a suite that has a plan, keeps it and is closed; what is not
# expected, not in order or not closed is a failure of its own. The plan of the
# output is left to who calls, who has results to add: the last line is
# "# results N".

function result(good, name, comment)
{
	printf "%s %d - %s%s\n", good ? "ok" : "not ok", ++results, name, comment
}

function broken(what)
{
	result(0, "KTAP: " what)
}

function close_suite()
{
	if (suite == "")
		return
	if (plan == "")
		broken(suite " has no plan")
	else if (plan != seen)
		broken(suite " has planned " plan ", and has " seen)
}

# The lines since the last result: why it failed.
function tell(	i)
{
	for (i = 1; i <= lines && i <= 40; i++)
		print "# " line[i]
}

FNR == NR {
	expected[$1 " " $2] = 1
	order[++cases] = $1 " " $2
	next
}

# The time, and perhaps a thread, before each line; a console ends them twice.
{ sub(/\r$/, ""); sub(/^\[ *[0-9]+\.[0-9]+\](\[ *[TC][0-9]+\])? ?/, "") }

/^    # Subtest: / {
	if (suite != "") {
		close_suite()
		broken(suite " was not closed")
	}
	suite = $3
	plan = ""
	seen = failed = lines = 0
	next
}

/^    1\.\.[0-9]+$/ {
	if (suite == "" || plan != "")
		broken("a plan in the wrong place")
	plan = substr($1, 4) + 0
	next
}

/^    (not )?ok [0-9]+ / {
	good = $1 == "ok"
	at = good ? 2 : 3
	name = suite " " $(at + 1)
	comment = match($0, /# *SKIP.*/) ? " " substr($0, RSTART) : ""
	if ($at != ++seen)
		broken(name " has number " $at ", not " seen)
	if (!(name in expected))
		broken(name " is not in the sources")
	else if (name in done)
		broken(name " has two results")
	done[name] = 1
	failed += !good
	if (!good)
		tell()
	sub(/ /, ": ", name)
	result(good, name, comment)
	lines = 0
	next
}

/^(not )?ok [0-9]+ / {
	good = $1 == "ok"
	at = good ? 2 : 3
	close_suite()
	if ($at != ++suites)
		broken("suite " $(at + 1) " has number " $at ", not " suites)
	if ($(at + 1) != suite)
		broken("suite " suite " was closed as " $(at + 1))
	if (!good && !failed) {
		tell()
		broken(suite " failed as a whole")
	}
	if (good && failed)
		broken(suite " passed in spite of a failure")
	suite = ""
	lines = 0
	next
}

/^ *# / { line[++lines] = $0; sub(/^ *# /, "", line[lines]); next }
suite != "" && NF { line[++lines] = $0 }

END {
	if (suite != "") {
		close_suite()
		tell()
		broken(suite " was not closed")
	}
	for (i = 1; i <= cases; i++) {
		name = order[i]
		if (name in done)
			continue
		sub(/ /, ": ", name)
		result(0, name, " (no result)")
	}
	print "# results " results + 0
}
