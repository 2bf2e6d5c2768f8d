# SPDX-License-Identifier: GPL-2.0-only
#
# Reads what a suite has printed, which should be TAP.
#
#	awk -v status=STATUS -v allowed=SECONDS -f judge.awk LOG
#
# Prints "PASSED FAILED SKIPPED", then what is to be shown of its failures.
# Silence is a failure, and so is a plan that was not kept, no test at all, or
# a bad end that no test explains.

function show(line) { if (++shown <= 40) text = text "      " line "\n" }
function wrong(what) { failed++; show(what) }

{ sub(/\r$/, ""); sub(/^[ \t]+/, "") }
/^(not )?ok( |$)/ {
	ran++
	telling = 0
	if ($0 ~ /# *[Ss][Kk][Ii][Pp]/) {
		skipped++
	} else if (/^ok/) {
		passed++
	} else {
		failed++
		show($0)
		# cmocka says why before, others say it after
		for (i = 1; i <= before_count; i++)
			show("  " before[i])
		telling = 1
	}
	before_count = 0
	next
}
/^1\.\.[0-9]+/ {
	plans++
	plan = substr($1, 4) + 0
	if (plan == 0 && $0 ~ /[Ss][Kk][Ii][Pp]/)
		skipped_whole = 1
	next
}
/^Bail out!/ { wrong($0); bailed = 1; next }
/^#/ { if (telling) { show("  " $0); next } }
{
	# not TAP: perhaps what the next failure is about
	if (before_count < 8)
		before[++before_count] = $0
	last[NR] = $0
}
END {
	if (status == 124 || status == 137)
		wrong("the suite did not end within " allowed " s")
	else if (skipped_whole && !ran && !status)
		skipped++
	else if (!plans && !bailed)
		wrong("the suite has printed no plan (status " status ")")
	else if (plans > 1)
		wrong("the suite has printed more than one plan")
	else if (ran != plan && !bailed)
		wrong("the plan was " plan " tests, " ran + 0 " ran (status " status ")")
	else if (!ran && !bailed)
		wrong("the suite has no test")
	else if (status != 0 && !failed)
		wrong("all passed, but the suite ended with status " status)
	# a suite that broke: the end of what it said
	if (failed && ran + 0 == 0)
		for (i = NR - 15; i <= NR; i++)
			if (i in last)
				show("  " last[i])
	if (shown > 40)
		text = text "      ... (" shown - 40 " lines more in the log)\n"
	printf "%d %d %d\n%s", passed, failed, skipped, text
}
