#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Are the ring's tests worth anything? Plants one fault at a time into a copy
# of the ring and demands that the test named beside it fails. Prints TAP.
#
# A fault that changes nothing any more is a failure, too: adapt it to the code.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
root=${here%/*/*}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset TRAPLINE_LONG

programs=(ring ring_reader ring_header ring_nest ring_snapshot)
world=(ring_world.o ring_check.o ring_read.o ring_search.o)

# NAME | FILE of module/core | sed expression | test program | its test | which
# invariant it must report as broken, or -
# The expressions see the whole file as one line (sed -z).
faults()
{
	cat <<'END'
fast fit test lets a record end on the border|ring.h|s/bytes >= ring->geo.packet_mask/bytes > ring->geo.packet_mask/|ring|test_every_size_at_the_border|-
fast path takes no packet for an empty one|ring.h|s/(u64)(\*offset - 1)/(u64)*offset - 1/|ring_nest|test_discard_2|I4
fit test lets a record end on the border|ring.c|s/offset + bytes < packet_bytes/offset + bytes <= packet_bytes/|ring|test_general_border|-
too-big test lets a record end on the border|ring.c|s/bytes >= packet_bytes/bytes > packet_bytes/|ring|test_too_big|-
stamp of IDLE ignored|ring.c|s/if (ahead >= 0)/if (ahead >= 0 \&\& state != TL_SLOT_IDLE)/|ring_nest|test_discard_2|I3
stale view treated as fresh|ring.c|s/if (ahead >= 0)\n\t*return TL_STALE;//|ring_nest|test_overwrite_2|I3
open slot of an older lap reopened|ring.c|s/if (state == TL_SLOT_OPEN)\n\t*return TL_REFUSED_WRAP;//|ring_nest|test_discard_2|I4
full slot reopened without overwriting|ring.c|s/ \&\& !READ_ONCE(ring->overwrite)//;s/return TL_REFUSED_FULL;/;/|ring|test_full|-
slot stored instead of exchanged|ring.c|s/found = tl_shared_cmpxchg(word, seen,\s*\(tl_slot_word([^;]*)\));/found = seen, *word = \1;/|ring_nest|test_discard_2|-
fast position stored instead of exchanged|ring.h|s/if (unlikely(!tl_cpu_try_cmpxchg(&ring->pos, &pos, pos + bytes)))\n\t*return false;/ring->pos = pos + bytes;/|ring_nest|test_discard_2|-
position stored instead of exchanged|ring.c|s/if (!tl_cpu_try_cmpxchg(&ring->pos, &pos, pos + bytes))\n\t*continue;/ring->pos = pos + bytes;/|ring_nest|test_discard_2|-
position of a new packet stored|ring.c|s/if (!tl_cpu_try_cmpxchg(&ring->pos, &old,\s*\([^;]*\)))\n\t*return false;/ring->pos = \1; (void)old;/|ring_nest|test_discard_2|-
position of a flush stored|ring.c|s/if (tl_cpu_try_cmpxchg(&ring->pos, &pos,\s*\(tl_seq_pos([^{]*)\))) {/if ((ring->pos = \1)) {/|ring_nest|test_discard_2|-
gap test removed|packet.h|s/return gap_ns >> TL_RECORD_TIME_BITS;/return false;/|ring_header|test_gaps|-
gap test off by one|packet.h|s/return gap_ns >> TL_RECORD_TIME_BITS;/return (gap_ns - 1) >> TL_RECORD_TIME_BITS;/|ring_header|test_gaps|-
gap test of a new packet kept|ring.c|s/slice->extended = id >= TL_EVENT_EXTENDED;//|ring_header|test_gap_before_new_packet|-
clock not clamped|ring.h|s/return max;/return ns;/|ring_header|test_clock_steps_back|-
delivered at closing|ring.c|s/\(\ttl_ring_commit_at(ring, slot, pos, tl_packet_bytes[^;]*;\)/\1\n\ttl_ring_deliver(ring, tl_pos_seq(ring->geo, pos));/|ring_header|test_padding|-
delivered a word early|ring.h|s/tl_sum_complete(ring->geo, sum)/tl_sum_complete(ring->geo, sum + 8)/|ring_header|test_padding|-
sum read after the addition|ring.h|s/u64 sum = tl_cpu_add_return(&slot->committed, bytes);/u64 sum;\n\n\ttl_cpu_add_return(\&slot->committed, bytes);\n\ttl_point();\n\tsum = slot->committed;/|ring_nest|test_discard_2|I5
addition not atomic|ring.h|s/u64 sum = tl_cpu_add_return(&slot->committed, bytes);/u64 sum = slot->committed + bytes;\n\n\ttl_point();\n\tslot->committed = sum;/|ring_nest|test_discard_2|I5
header of a new packet not committed|ring.c|s/commit_bytes = TL_PACKET_HEADER_BYTES + bytes/commit_bytes = bytes/|ring_header|test_padding|-
padding counted as content|ring.c|s/WRITE_ONCE(slot->content_bytes, offset)/WRITE_ONCE(slot->content_bytes, tl_packet_bytes(ring->geo))/|ring|test_flush|I6
number of a new packet not set|ring.c|s/header->sequence = next;//|ring|test_flush|I6
begin time not set|ring.c|s/header->begin_ns = slice->time_ns;//|ring|test_init|I7
end time before the last record|ring.c|s/WRITE_ONCE(slot->end_ns, now_ns)/WRITE_ONCE(slot->end_ns, now_ns - 10)/|ring|test_init|I7
end fields written after the publication|ring.c|s/\theader->end_ns = READ_ONCE(slot->end_ns);\(.*\)\ttl_ring_delivered(ring);/\1\theader->end_ns = READ_ONCE(slot->end_ns);\n\ttl_ring_delivered(ring);/|ring_nest|test_discard_2|I7
lost records not counted|ring.c|s/tl_cpu_add_return(&ring->lost, 1);//|ring_header|test_lost_in_headers|-
lost records counted after the move|ring.c|s/WRITE_ONCE(slot->lost, lost)/WRITE_ONCE(slot->lost, READ_ONCE(ring->lost))/|ring_nest|test_discard_2|I8
lost records counted at the delivery|ring.c|s/READ_ONCE(slot->lost)/ring->lost/|ring_nest|test_discard_2|I8
packet size not rounded up|ring.c|s/ALIGN(content_bytes, (u64)TL_STORE_ALIGN)/content_bytes/|ring_header|test_content_and_packet_bits|-
taken buffer left in the ring|ring.c|s/tl_slot_word(TL_SLOT_IDLE, reader->spare/tl_slot_word(TL_SLOT_IDLE, tl_slot_buffer(seen)/|ring_reader|test_take|I1
open packet taken|ring.c|s/if (ahead < 0 || tl_slot_state(seen) != TL_SLOT_FULL)/if (ahead < 0)/|ring_reader|test_take|-
jump over one packet too many|ring.c|s/tl_packet_count(ring->geo) + 1/tl_packet_count(ring->geo) + 2/|ring_reader|test_overwrite_jumps|-
sequences compared without their wrap|packet.h|s/return (s64)((word &[^;]*;/return (s64)((word >> 18) - (seq \& ((1ull << 46) - 1)));/|ring|test_sequence_wraps|-
overwriting stopped after the flush|ring.c|s/\tWRITE_ONCE(ring->overwrite, false);\n\ttl_point();\n\ttl_ring_flush(ring);/\ttl_ring_flush(ring);\n\ttl_point();\n\tWRITE_ONCE(ring->overwrite, false);/|ring_snapshot|test_hold_interrupted|-
overwriting not stopped|ring.c|s/WRITE_ONCE(ring->overwrite, false);//|ring_nest|test_overwrite_2|-
overwriting stopped for a moment|ring.c|s/\(\ttl_ring_flush(ring);\n\t\/\* inside\)/\tWRITE_ONCE(ring->overwrite, true);\n\1/|ring_snapshot|test_hold_full|-
snapshot leaves the packet open|ring.c|s/\ttl_ring_flush(ring);\n\(\t\/\* inside\)/\1/|ring_snapshot|test_hold_open|-
snapshot without its last packet|ring.c|s/return tl_pos_seq(ring->geo, READ_ONCE(ring->pos));/return tl_pos_seq(ring->geo, READ_ONCE(ring->pos)) - 1;/|ring_snapshot|test_hold_open|-
snapshot with the packet after it|ring.c|s/return tl_pos_seq(ring->geo, READ_ONCE(ring->pos));/return tl_pos_seq(ring->geo, READ_ONCE(ring->pos)) + 1;/|ring_snapshot|test_hold_border|-
limit one packet late|ring.c|s/next >= READ_ONCE(reader->limit_seq)/next > READ_ONCE(reader->limit_seq)/|ring_snapshot|test_hold_open|-
limit ignored|ring.c|s/if (next >= READ_ONCE(reader->limit_seq))\n\t*return -ENODATA;//|ring_snapshot|test_hold_full|-
limit told as nothing yet|ring.c|s/return -ENODATA;/return -EAGAIN;/|ring_snapshot|test_hold_empty|-
limit from the beginning|ring.c|s/reader->limit_seq = TL_SEQ_NONE;/reader->limit_seq = 0;/|ring_reader|test_take|-
last packet made twice|ring.c|s/\(header->discarded = ring->lost;\n\)\ttl_ring_taken(ring, reader, view);/\1\tview->buffer = reader->spare;\n\tview->seq = reader->next_seq++;\n\tview->skipped = reader->skipped;/|ring_snapshot|test_last_after_full|-
last packet where nothing is owed|ring.c|s/if (!tl_ring_owes(ring, reader))\n\t*return -EAGAIN;//|ring_snapshot|test_last_not_owed|-
last packet without the losses|ring.c|s/header->discarded = ring->lost;//|ring_snapshot|test_last_after_full|-
last packet with old records|ring.c|s/header->content_bits = TL_PACKET_HEADER_BYTES \* 8;//|ring_snapshot|test_last_after_full|-
last packet with an old number|ring.c|s/header->sequence = reader->next_seq;//|ring_snapshot|test_last_after_full|-
last packet begins in the past|ring.c|s/header->begin_ns = ring->max_ns;//|ring_snapshot|test_last_after_full|-
told losses not noted|ring.c|s/WRITE_ONCE(reader->told, header->discarded);//|ring_snapshot|test_last_not_owed|I8
skipped packets told again|ring.c|s/reader->skipped = 0;\n\(\tWRITE_ONCE(reader->told\)/\1/|ring_reader|test_overwrite_jumps|-
ready: taken this moment is missing|ring.c|s/\(!tl_slot_ahead(first, next_seq))\n\)\t*next_seq++;/\1\t\t;/|ring_reader|test_ready_inside_take|-
ready: a full packet is taken this moment|ring.c|s/tl_slot_state(first) == TL_SLOT_IDLE/tl_slot_state(first) != TL_SLOT_OPEN/|ring_reader|test_ready|-
ready: one packet is as good as many|ring.c|s/u64 seq = next_seq + packets;/u64 seq = next_seq;/|ring_reader|test_ready|-
packet opened after the position has moved|ring.c|s/switch (tl_ring_prepare(ring, next)) {\(.*\)\(\t\tif (tl_ring_advance(ring, pos, next, bytes, slice))\n\t\t\treturn TL_RECORDED;\)/if (tl_ring_advance(ring, pos, next, bytes, slice)) {\n\t\t\ttl_ring_prepare(ring, next);\n\t\t\treturn TL_RECORDED;\n\t\t}\n\t\tcontinue;\n\t\tswitch (0) {\1/|ring_nest|test_discard_2|I2
refused record leaves a hole|ring.c|s/return tl_ring_lose(ring, TL_FULL);/tl_cpu_add_return(\&ring->pos, 8);\n\t\t\treturn tl_ring_lose(ring, TL_FULL);/|ring_nest|test_discard_2|I9
END
}

# objects DIR OUT NAME... - compile files of the tests, with the ring in DIR
objects()
{
	local dir=$1 out=$2 name

	shift 2
	for name; do
		"${CC:-cc}" -O1 -std=gnu11 -D_GNU_SOURCE -DTL_INTERLEAVE -w \
			-I"$dir" -I"$root/uapi" -I"$root/tests/native" \
			-c -o "$out/$name.o" "$here/$name.c" || return
	done
}

# build NAME DIR OBJECTS - the test program NAME, with the ring in DIR and the
# tests' objects in OBJECTS
build()
{
	"${CC:-cc}" -O1 -std=gnu11 -D_GNU_SOURCE -DTL_INTERLEAVE -w \
		-I"$2" -I"$root/uapi" -I"$root/tests/native" -o "$2/$1" \
		"$2/core/ring.c" "$3/$1_test.o" "${world[@]/#/$3/}" -lcmocka
}

# copy DIR - the ring and what it includes
copy()
{
	mkdir -p "$1" && cp -r "$root/module/core" "$root/module/arch" "$1"
}

# judge DIR NAME FILE EXPRESSION PROGRAM TEST INVARIANT - a line of TAP without
# its number
judge()
{
	local dir=$1 name=$2 file=$3 expression=$4 program=$5 test=$6 rule=$7
	local from=$work/sound

	copy "$dir" || return
	sed -z -i "$expression" "$dir/core/$file"
	# the tests include the headers
	[ "$file" = ring.c ] || from=$dir
	if cmp -s "$dir/core/$file" "$root/module/core/$file"; then
		printf 'not ok %s\n# the fault does not apply any more\n' "$name"
	elif ! { [ "$from" != "$dir" ] ||
		 objects "$dir" "$dir" "${program}_test" "${world[@]%.o}"; } \
			2>"$dir/errors" ||
	     ! build "$program" "$dir" "$from" 2>"$dir/errors"; then
		printf 'not ok %s\n' "$name"
		sed 's/^/# /' "$dir/errors"
	else
		CMOCKA_MESSAGE_OUTPUT=TAP timeout 100 "$dir/$program" "$test" \
			>"$dir/out" 2>&1
		if ! grep -q "^not ok [0-9]* - $test\$" "$dir/out"; then
			printf 'not ok %s\n# %s of %s_test.c does not see it\n' \
				"$name" "$test" "$program"
		elif [ "$rule" != - ] && ! grep -q "^ERROR: $rule: " "$dir/out"; then
			printf 'not ok %s\n# it is not %s that is broken:\n' \
				"$name" "$rule"
			sed -n 's/^ERROR: /# /p' "$dir/out"
		else
			printf 'ok %s\n' "$name"
		fi
	fi
	rm -rf "$dir"
}

# Without a fault they pass; else nothing below would mean anything.
sound()
{
	local program=$1 dir=$work/sound

	if build "$program" "$dir" "$dir" &&
	   CMOCKA_MESSAGE_OUTPUT=TAP "$dir/$program" >"$dir/$program.out" 2>&1
	then
		printf 'ok %s_test without a fault\n' "$program"
	else
		printf 'not ok %s_test without a fault\n' "$program"
		grep -v '^ok' "$dir/$program.out" | sed 's/^#* */# /'
	fi
}

# begin COMMAND... - in the background, as many as there are processors
begin()
{
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
		wait -n
	done
	count=$((count + 1))
	"$@" >"$work/$(printf %04d $count)" &
}

count=0
copy "$work/sound" &&
	objects "$work/sound" "$work/sound" "${programs[@]/%/_test}" \
		"${world[@]%.o}" || exit
for program in "${programs[@]}"; do
	begin sound "$program"
done
while IFS='|' read -r name file rest; do
	# the expression may have "|" in it: what is behind it is the last
	rule=${rest##*|}
	rest=${rest%|*}
	test=${rest##*|}
	rest=${rest%|*}
	program=${rest##*|}
	begin judge "$work/dir$count" "$name" "$file" "${rest%|*}" "$program" \
		"$test" "$rule"
done < <(faults)
wait

echo "1..$count"
cat "$work"/[0-9][0-9][0-9][0-9] | awk '
	/^(not )?ok / {
		n++
		sub(/^ok /, "ok " n " - ") || sub(/^not ok /, "not ok " n " - ")
		failed += /^not/
	}
	{ print }
	END { exit failed > 0 }'
