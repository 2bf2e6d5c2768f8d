// SPDX-License-Identifier: GPL-2.0-only
/* Arithmetic of positions, slot words and record headers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/packet.h"

u64 tl_env_clock_ns(void)
{
	return 0;
}

static void test_geometry(void **state)
{
	u32 packet, count;

	(void)state;
	for (packet = 6; packet <= TL_PACKET_SHIFT_MAX; packet++) {
		for (count = TL_COUNT_SHIFT_MIN; count <= TL_COUNT_SHIFT_MAX;
		     count++) {
			struct tl_geometry geo = tl_geometry(packet, count);

			assert_int_equal(tl_packet_bytes(geo), 1u << packet);
			assert_int_equal(tl_packet_count(geo), 1u << count);
		}
	}
}

/* Against division and remainder, around borders and at the ends of u64. */
static void test_positions(void **state)
{
	static const u64 near[] = { 0, 1, 255, 256, 257, 1023, 1024, 1025,
				    1ull << 32, 1ull << 54, ~0ull - 2000 };
	struct tl_geometry geo = tl_geometry(8, 2);
	size_t i;
	u64 pos;

	(void)state;
	for (i = 0; i < sizeof(near) / sizeof(near[0]); i++) {
		for (pos = near[i]; pos - near[i] < 1100; pos++) {
			u64 seq = pos / 256;

			assert_int_equal(tl_pos_offset(geo, pos), pos % 256);
			assert_int_equal(tl_pos_seq(geo, pos), seq);
			assert_int_equal(tl_seq_slot(geo, seq), seq % 4);
			assert_true(tl_seq_pos(geo, seq) + pos % 256 == pos);
		}
	}
}

static void test_complete(void **state)
{
	struct tl_geometry geo = tl_geometry(8, 2);
	u64 sum;

	(void)state;
	for (sum = 1; sum < 2000; sum++)
		assert_int_equal(tl_sum_complete(geo, sum), sum % 256 == 0);
	assert_true(tl_sum_complete(geo, 1ull << 60));
	assert_false(tl_sum_complete(geo, (1ull << 60) + 8));
}

static void test_slot_word(void **state)
{
	static const u32 buffers[] = { 0, 1, 4096, 65535 };
	static const u64 seqs[] = { 0, 1, (1ull << 46) - 1 };
	u32 word_state, b, s;

	(void)state;
	for (word_state = TL_SLOT_IDLE; word_state <= TL_SLOT_FULL; word_state++) {
		for (b = 0; b < 4; b++) {
			for (s = 0; s < 3; s++) {
				u64 word = tl_slot_word(word_state, buffers[b],
							seqs[s]);

				assert_int_equal(tl_slot_state(word), word_state);
				assert_int_equal(tl_slot_buffer(word), buffers[b]);
				assert_true(word >> TL_SLOT_SEQ_SHIFT == seqs[s]);
				assert_true(tl_slot_ahead(word, seqs[s]) == 0);
			}
		}
	}
	/* the largest ring's spare is a number that fits */
	assert_true(1u << TL_COUNT_SHIFT_MAX <= 65535);
}

/* Differences of 46 bits with a sign, whatever state and buffer are. */
static void test_slot_ahead(void **state)
{
	static const s64 bases[] = { 0, 5, 1ll << 31, 1ll << 45, (1ll << 46) - 3,
				     1ll << 46, (1ll << 46) + 3, 1ll << 55 };
	static const s64 differences[] = { 0, 1, -1, 4, -4, 4096, -4096,
					   1ll << 40, -(1ll << 40),
					   (1ll << 45) - 1, -(1ll << 45) };
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		for (j = 0; j < sizeof(differences) / sizeof(differences[0]);
		     j++) {
			u64 seq = (u64)bases[i];
			u64 other = seq + (u64)differences[j];

			assert_true(tl_slot_ahead(tl_slot_word(TL_SLOT_FULL,
							       65535, other),
						  seq) == differences[j]);
			assert_true(tl_slot_ahead(tl_slot_word(TL_SLOT_IDLE, 0,
							       other),
						  seq) == differences[j]);
		}
	}
}

/* The slots of a new ring are one lap behind sequence 0. */
static void test_first_lap(void **state)
{
	u32 count = 16, i;

	(void)state;
	for (i = 0; i < count; i++)
		assert_true(tl_slot_ahead(tl_slot_word(TL_SLOT_IDLE, i,
						       (u64)i - count),
					  i) == -16);
}

static void test_record_bytes(void **state)
{
	u32 bytes;

	(void)state;
	for (bytes = 0; bytes <= 32768; bytes++) {
		u32 up = (bytes + 7) / 8 * 8;

		assert_int_equal(tl_record_bytes(bytes, false), 8 + up);
		assert_int_equal(tl_record_bytes(bytes, true), 24 + up);
	}
}

static void test_gap(void **state)
{
	u64 limit = 1ull << 27;

	(void)state;
	assert_false(tl_gap_needs_extended(0));
	assert_false(tl_gap_needs_extended(limit - 1));
	assert_true(tl_gap_needs_extended(limit));
	assert_true(tl_gap_needs_extended(limit + 1));
	assert_true(tl_gap_needs_extended(1ull << 32));
	assert_true(tl_gap_needs_extended(~0ull));
}

static void check_header(u32 id, u64 time_ns, u32 context, u32 tid)
{
	u64 word = tl_record_header(id, time_ns, context, tid);

	assert_int_equal(word % 1024, id);
	assert_int_equal(word >> 10 & 0x7ffffff, time_ns & 0x7ffffff);
	assert_int_equal(word >> 37 & 31, context);
	assert_int_equal(word >> 42, tid);
}

/* Each field at its smallest, largest, and where neighbours are all ones. */
static void test_record_header(void **state)
{
	static const u32 ids[] = { 0, 1, 512, 1022 };
	static const u64 times[] = { 0, 1, (1ull << 27) - 1, 1ull << 27,
				     (1ull << 27) + 1, ~0ull };
	static const u32 contexts[] = { 0, 1, 4, 7, 31 };
	static const u32 tids[] = { 0, 1, 4194303 };
	u32 i, t, c, n;

	(void)state;
	for (i = 0; i < 4; i++)
		for (t = 0; t < 6; t++)
			for (c = 0; c < 5; c++)
				for (n = 0; n < 3; n++)
					check_header(ids[i], times[t],
						     contexts[c], tids[n]);
}

/* The format's numbers, once more, by hand. */
static void test_format(void **state)
{
	(void)state;
	assert_int_equal(TL_PACKET_HEADER_BYTES, 80);
	assert_int_equal(sizeof(struct tl_record_extended), 24);
	assert_int_equal(TL_RECORD_ID_BITS, TL_RECORD_TIME_SHIFT);
	assert_int_equal(TL_RECORD_TIME_SHIFT + TL_RECORD_TIME_BITS,
			 TL_RECORD_CTX_SHIFT);
	assert_int_equal(TL_RECORD_CTX_SHIFT + TL_RECORD_CTX_BITS,
			 TL_RECORD_TID_SHIFT);
	assert_int_equal(TL_RECORD_TID_SHIFT + TL_RECORD_TID_BITS, 64);
	assert_int_equal(TL_EVENT_EXTENDED, (1 << TL_RECORD_ID_BITS) - 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_geometry),
		cmocka_unit_test(test_positions),
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_slot_word),
		cmocka_unit_test(test_slot_ahead),
		cmocka_unit_test(test_first_lap),
		cmocka_unit_test(test_record_bytes),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_record_header),
		cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests_name("packet", tests, NULL, NULL);
}
