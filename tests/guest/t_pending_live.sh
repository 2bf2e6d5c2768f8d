# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Lines for a module that is loaded while they are traced, and the same lines in
# kprobe_events, which waits for modules as well.
# shellcheck source=lib.sh
. ./lib.sh
# shellcheck source=tracefs.sh
. ./tracefs.sh

load='insmod target.ko; cat /sys/module/target/parameters/call >/dev/null; rmmod target'
trapline live -e 'p:in target:target_call n=$arg1:s32' \
	-e 'r:out target:target_call $retval:x32' \
	-e 'p:never nosuchmod:foo' -- sh -c "$load; $load" >"$dir/out" 2>"$dir/err"
equal 'it ends well' $? 0
show "$dir/err"
records "$dir/out" >"$dir/got"
cat >"$dir/want" <<'END'
in n=7
out arg1=0x8
in n=41
out arg1=0x2a
in n=7
out arg1=0x8
in n=41
out arg1=0x2a
END
same 'the init function and later calls, twice' "$dir/got" "$dir/want"

cat >$t/kprobe_events <<'END'
p:pending/in target:target_call n=%di:s32
r:pending/out target:target_call $retval:x32
END
echo 1 >$t/events/pending/enable
sh -c "$load; $load"
echo 0 >$t/events/pending/enable
grep -oE '(in|out): \(.*\) .*' $t/trace | sed -E 's/: \([^)]*\)//' >"$dir/tracefs"
echo '-:pending/' >>$t/kprobe_events
echo >$t/trace
same 'kprobe_events tells the same' "$dir/tracefs" "$dir/want"
contains 'waiting is told' "$dir/err" 'in waits for its module'
contains 'gone is told' "$dir/err" 'in: its module was unloaded'
contains 'never is told' "$dir/err" 'never: its module never came'
grep -c '(target_call+0x0/0x[1-9a-f][0-9a-f]* \[target\])' "$dir/out" >"$dir/got"
echo 4 >"$dir/want"
same 'the place has the size that the module has' "$dir/got" "$dir/want"

trapline live -e 'p:gone target:no_such' -- sh -c "$load" >"$dir/out" 2>"$dir/err"
contains 'a function that the module does not have' "$dir/err" \
	'the module has no such function'
trapline check 'p target:target_call#2' >"$dir/out" 2>"$dir/err"
equal 'a choice needs the module' $? 1
contains 'and says so' "$dir/err" 'is not loaded'
trapline check 'r target:target_call+4' >"$dir/out" 2>"$dir/err"
equal 'a return at an offset' $? 1
contains 'is refused before the module is there' "$dir/err" 'start of a function'
done_testing
