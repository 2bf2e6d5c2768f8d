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

# NAME | FILE of module/core | sed expression | test program | its test
# The expressions see the whole file as one line (sed -z).
faults()
{
	cat <<'END'
fast fit test lets a record end on the border|ring.h|s/offset + bytes > ring->geo.packet_mask/offset + bytes > ring->geo.packet_mask + 1/|ring|test_every_size_at_the_border
fit test lets a record end on the border|ring.c|s/offset + bytes < packet_bytes/offset + bytes <= packet_bytes/|ring|test_general_border
too-big test lets a record end on the border|ring.c|s/bytes >= packet_bytes/bytes > packet_bytes/|ring|test_too_big
stamp of IDLE ignored|ring.c|s/if (ahead >= 0)/if (ahead >= 0 \&\& state != TL_SLOT_IDLE)/|ring_nest|test_discard_2
stale view treated as fresh|ring.c|s/if (ahead >= 0)\n\t*return TL_STALE;//|ring_nest|test_overwrite_2
open slot of an older lap reopened|ring.c|s/if (state == TL_SLOT_OPEN)\n\t*return TL_REFUSED_WRAP;//|ring|test_wrapped
full slot reopened without overwriting|ring.c|s/ \&\& !ring->overwrite//;s/return TL_REFUSED_FULL;/;/|ring|test_full
slot stored instead of exchanged|ring.c|s/found = tl_shared_cmpxchg(word, seen,\s*\(tl_slot_word([^;]*)\));/found = seen, *word = \1;/|ring_nest|test_discard_2
fast position stored instead of exchanged|ring.h|s/if (unlikely(!tl_cpu_try_cmpxchg(&ring->pos, &pos, pos + bytes)))\n\t*return false;/ring->pos = pos + bytes;/|ring_nest|test_discard_2
position stored instead of exchanged|ring.c|s/if (!tl_cpu_try_cmpxchg(&ring->pos, &pos, pos + bytes))\n\t*continue;/ring->pos = pos + bytes;/|ring_nest|test_discard_2
position of a new packet stored|ring.c|s/if (!tl_cpu_try_cmpxchg(&ring->pos, &old,\s*\([^;]*\)))\n\t*return false;/ring->pos = \1; (void)old;/|ring_nest|test_discard_2
position of a flush stored|ring.c|s/if (tl_cpu_try_cmpxchg(&ring->pos, &pos,\s*\(tl_seq_pos([^{]*)\))) {/if ((ring->pos = \1)) {/|ring_nest|test_discard_2
gap test removed|packet.h|s/return gap_ns >> TL_RECORD_TIME_BITS;/return false;/|ring_header|test_gaps
gap test off by one|packet.h|s/return gap_ns >> TL_RECORD_TIME_BITS;/return (gap_ns - 1) >> TL_RECORD_TIME_BITS;/|ring_header|test_gaps
gap test of a new packet kept|ring.c|s/slice->extended = id >= TL_EVENT_EXTENDED;//|ring_header|test_gap_before_new_packet
clock not clamped|ring.h|s/return max;/return ns;/|ring_header|test_clock_steps_back
delivered at closing|ring.c|s/\(\ttl_ring_commit_at(ring, slot, pos, tl_packet_bytes[^;]*;\)/\1\n\ttl_ring_deliver(ring, tl_pos_seq(ring->geo, pos));/|ring_header|test_padding
delivered a word early|ring.h|s/tl_sum_complete(ring->geo, sum)/tl_sum_complete(ring->geo, sum + 8)/|ring_header|test_padding
sum read after the addition|ring.h|s/u64 sum = tl_cpu_add_return(&slot->committed, bytes);/u64 sum;\n\n\ttl_cpu_add_return(\&slot->committed, bytes);\n\ttl_point();\n\tsum = slot->committed;/|ring_nest|test_discard_2
addition not atomic|ring.h|s/u64 sum = tl_cpu_add_return(&slot->committed, bytes);/u64 sum = slot->committed + bytes;\n\n\ttl_point();\n\tslot->committed = sum;/|ring_nest|test_discard_2
header of a new packet not committed|ring.c|s/commit_bytes = TL_PACKET_HEADER_BYTES + bytes/commit_bytes = bytes/|ring_header|test_padding
padding counted as content|ring.c|s/WRITE_ONCE(slot->content_bytes, offset)/WRITE_ONCE(slot->content_bytes, tl_packet_bytes(ring->geo))/|ring|test_flush
begin time not set|ring.c|s/header->begin_ns = slice->time_ns;//|ring|test_init
end time before the last record|ring.c|s/WRITE_ONCE(slot->end_ns, now_ns)/WRITE_ONCE(slot->end_ns, now_ns - 10)/|ring|test_init
end fields written after the publication|ring.c|s/\theader->end_ns = READ_ONCE(slot->end_ns);\(.*\)\ttl_ring_delivered(ring);/\1\theader->end_ns = READ_ONCE(slot->end_ns);\n\ttl_ring_delivered(ring);/|ring_nest|test_discard_2
lost records not counted|ring.c|s/tl_cpu_add_return(&ring->lost, 1);//|ring_header|test_lost_in_headers
lost records counted after the move|ring.c|s/WRITE_ONCE(slot->lost, lost)/WRITE_ONCE(slot->lost, READ_ONCE(ring->lost))/|ring_nest|test_discard_2
lost records counted at the delivery|ring.c|s/READ_ONCE(slot->lost)/ring->lost/|ring_nest|test_discard_2
packet size not rounded up|ring.c|s/ALIGN(content_bytes, (u64)TL_STORE_ALIGN)/content_bytes/|ring_header|test_content_and_packet_bits
taken buffer left in the ring|ring.c|s/tl_slot_word(TL_SLOT_IDLE, reader->spare/tl_slot_word(TL_SLOT_IDLE, tl_slot_buffer(seen)/|ring_reader|test_take
open packet taken|ring.c|s/if (ahead < 0 || tl_slot_state(seen) != TL_SLOT_FULL)/if (ahead < 0)/|ring_reader|test_take
jump over one packet too many|ring.c|s/tl_packet_count(ring->geo) + 1/tl_packet_count(ring->geo) + 2/|ring_reader|test_overwrite_jumps
sequences compared without their wrap|packet.h|s/return (s64)((word &[^;]*;/return (s64)((word >> 18) - (seq \& ((1ull << 46) - 1)));/|ring|test_sequence_wraps
END
}

# build NAME DIR - the test program NAME, with the ring in DIR
build()
{
	"${CC:-cc}" -O1 -std=gnu11 -D_GNU_SOURCE -DTL_INTERLEAVE -w \
		-I"$2" -I"$root/uapi" -I"$root/tests/native" -o "$2/$1" "$here/$1_test.c" \
		"$here/ring_world.c" "$here/ring_read.c" "$2/core/ring.c" \
		-lcmocka
}

# copy DIR - the ring and what it includes
copy()
{
	mkdir -p "$1" && cp -r "$root/module/core" "$root/module/arch" "$1"
}

# judge DIR NAME FILE EXPRESSION PROGRAM TEST - a line of TAP without its number
judge()
{
	local dir=$1 name=$2 file=$3 expression=$4 program=$5 test=$6

	copy "$dir" || return
	sed -z -i "$expression" "$dir/core/$file"
	if cmp -s "$dir/core/$file" "$root/module/core/$file"; then
		printf 'not ok %s\n# the fault does not apply any more\n' "$name"
	elif ! build "$program" "$dir" 2>"$dir/errors"; then
		printf 'not ok %s\n' "$name"
		sed 's/^/# /' "$dir/errors"
	else
		CMOCKA_MESSAGE_OUTPUT=TAP timeout 100 "$dir/$program" "$test" \
			>"$dir/out" 2>&1
		if grep -q "^not ok [0-9]* - $test\$" "$dir/out"; then
			printf 'ok %s\n' "$name"
		else
			printf 'not ok %s\n# %s of %s_test.c does not see it\n' \
				"$name" "$test" "$program"
		fi
	fi
	rm -rf "$dir"
}

# Without a fault they pass; else nothing below would mean anything.
sound()
{
	local program

	copy "$work/sound" || return
	for program in ring ring_reader ring_header ring_nest; do
		if build "$program" "$work/sound" &&
		   CMOCKA_MESSAGE_OUTPUT=TAP "$work/sound/$program" \
			>"$work/sound/out" 2>&1; then
			printf 'ok %s_test without a fault\n' "$program"
		else
			printf 'not ok %s_test without a fault\n' "$program"
			grep -v '^ok' "$work/sound/out" | sed 's/^#* */# /'
		fi
	done
}

sound >"$work/0000" &
count=0
while IFS='|' read -r name file rest; do
	# the expression may have "|" in it: the program and test are the last
	test=${rest##*|}
	rest=${rest%|*}
	program=${rest##*|}
	expression=${rest%|*}
	count=$((count + 1))
	judge "$work/dir$count" "$name" "$file" "$expression" "$program" \
		"$test" >"$work/$(printf %04d $count)" &
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
		wait -n
	done
done < <(faults)
wait

echo "1..$((count + 4))"
cat "$work"/[0-9][0-9][0-9][0-9] | awk '
	/^(not )?ok / {
		n++
		sub(/^ok /, "ok " n " - ") || sub(/^not ok /, "not ok " n " - ")
		failed += /^not/
	}
	{ print }
	END { exit failed > 0 }'
