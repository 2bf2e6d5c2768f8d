# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Arrays whose length is another argument: each write() with what it wrote.
# shellcheck source=lib.sh
. ./lib.sh

# Whatever the kernel calls its buffer: the three arguments of ksys_write().
live out -e 'p:w ksys_write n=$arg3:u64 data=+u0($arg2):char[n] cut=$arg3:u8' \
	-e 'r:r ksys_write n=$retval:s32 data=+u0($arg2):x8[n]' \
	-- sh -c "{ printf abc; printf 'de\\n'; } >$dir/file; printf f >/dev/full 2>/dev/null"
# (the shell complains of the last one, in more writes)
records "$dir/out" "data={'a','b','c'}" | head -n 6 >"$dir/got"
cat >"$dir/want" <<'END2'
w n=3 data={'a','b','c'} cut=3
r n=3 data={0x61,0x62,0x63}
w n=3 data={'d','e','\n'} cut=3
r n=3 data={0x64,0x65,0xa}
w n=1 data={'f'} cut=1
r n=-28 data={}
END2
same 'what is written, and what of it was taken' "$dir/got" "$dir/want"

head -c 5000 /dev/zero | tr '\0' x >"$dir/file"
live long -e 'p:w ksys_write n=$arg3:u64 data=+u0($arg2):char[n]' -- sh -c \
	"dd if=$dir/file of=/dev/null bs=5000; dd if=$dir/file of=/dev/null bs=4096 count=1"
x=$(head -c 4095 /dev/zero | tr '\0' x | sed "s/x/'x',/g")
grep -cF " n=5000 data={$x'x',...}" "$dir/long" >"$dir/count"
grep -cF " n=4096 data={$x'x'}" "$dir/long" >>"$dir/count"
printf '1\n1\n' >"$dir/want"
same 'what is longer than 4096 bytes is cut, and told' "$dir/count" "$dir/want"
equal 'the cut ones are counted' "$(counter "$dir/long.err" w truncated)" \
	"$(grep -c ',\.\.\.}$' "$dir/long")"
done_testing
