// SPDX-License-Identifier: GPL-2.0-only
/* The world of the ring's tests: its making, its clock and its writers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ring_world.h"

#define WORLD_STEPS_MAX 1000000
#define GAP (1ll << TL_RECORD_TIME_BITS)

struct world world;

/* A world that world_save() has kept; its data is behind its log. */
static struct {
	struct world world;
	u8 *data;
} saved;

static const struct tl_ring_identity identity = {
	.uuid = "0123456789abcde",
	.cpu = 7,
};

u64 tl_env_clock_ns(void)
{
	static const s64 wild[] = { 3, -40, GAP, 0, GAP - 1, -5, 2 * GAP + 1 };
	u32 count = sizeof(wild) / sizeof(wild[0]);

	if (world.config.wild)
		world.clock_ns += (u64)wild[world.clock_looks++ % count];
	else
		world.clock_ns += (u64)world.clock_step_ns;
	return world.clock_ns;
}

void tl_ring_delivered(struct tl_ring *ring)
{
	assert_ptr_equal(ring, &world.ring);
	world.delivered++;
}

void tl_point(void)
{
	if (++world.steps > WORLD_STEPS_MAX)
		fail_msg("the ring's code does not end");
	if (world.on_point)
		world.on_point();
}

static size_t world_data_bytes(const struct world_config *config)
{
	return (size_t)((1u << config->count_shift) + 1) << config->packet_shift;
}

/* Memory is kept while the sizes stay: a search makes a million worlds. */
static void world_memory(const struct world_config *config)
{
	size_t bytes = world_data_bytes(config);

	if (!world.ring.data || world_data_bytes(&world.config) != bytes ||
	    world.config.packet_shift != config->packet_shift) {
		world_free();
		saved.data = malloc(bytes);
		world.ring.data = malloc(bytes);
		world.spare_copy = malloc(1u << config->packet_shift);
	}
	assert_non_null(saved.data);
	assert_non_null(world.ring.data);
	assert_non_null(world.spare_copy);
	memset(world.ring.data, 0, bytes);
}

const u8 *world_pattern(u32 index)
{
	static u8 pattern[256 + WORLD_PAYLOAD_MAX];
	static bool made;
	u32 i;

	for (i = 0; !made && i < sizeof(pattern); i++)
		pattern[i] = (u8)(i ^ i >> 8);
	made = true;
	return pattern + (u8)(index * 31);
}

void world_make(const struct world_config *config)
{
	u32 count = 1u << config->count_shift;
	u8 *data, *spare_copy;
	u32 i;

	assert_true(count <= WORLD_SLOTS_MAX);
	world_memory(config);
	data = world.ring.data;
	spare_copy = world.spare_copy;
	/* all but the log and the slots that are not used */
	memset(&world.ring, 0, sizeof(world.ring));
	memset(world.slots, 0, sizeof(world.slots));
	memset(&world.logged, 0,
	       sizeof(world) - offsetof(struct world, logged));
	world.config = *config;
	world.spare_copy = spare_copy;
	world.clock_ns = 1000000000;
	world.clock_step_ns = 3;
	world.held_seq = TL_SEQ_NONE;
	world.limit_least = TL_SEQ_NONE;
	world.limit_most = TL_SEQ_NONE;
	world.ring.data = data;
	world.ring.slots = world.slots;
	world.ring.geo = tl_geometry(config->packet_shift, config->count_shift);
	world.ring.overwrite = config->overwrite;
	tl_ring_init(&world.ring, &world.reader, &identity);
	for (i = 0; i < count; i++) {
		world.last_seq[i] = (s64)i - count;
		world.last_word[i] = world.slots[i].word;
	}
}

static void world_copy(struct world *to, const struct world *from)
{
	size_t slots = offsetof(struct world, slots) +
		       sizeof(from->slots[0]) * tl_packet_count(from->ring.geo);
	size_t rest = offsetof(struct world, logged);

	memcpy(to, from, slots);
	memcpy(to->log, from->log, sizeof(from->log[0]) * from->logged);
	memcpy((u8 *)to + rest, (const u8 *)from + rest,
	       offsetof(struct world, on_point) - rest);
}

void world_save(void)
{
	/* the copy of the spare is not kept: it is still as the spare itself */
	world_check_spare();
	world_copy(&saved.world, &world);
	memcpy(saved.data, world.ring.data, world_data_bytes(&world.config));
}

void world_restore(void)
{
	world_copy(&world, &saved.world);
	memcpy(world.ring.data, saved.data, world_data_bytes(&world.config));
	memcpy(world.spare_copy, tl_ring_buffer(&world.ring, world.reader.spare),
	       world_packet_bytes());
}

static u64 mix(u64 lane, u64 word)
{
	lane = (lane ^ word) * 0x9e3779b97f4a7c15;
	return lane ^ lane >> 29;
}

/* In four lanes, so that the multiplications need not wait for each other. */
static u64 hash_words(u64 seed, const void *from, size_t bytes)
{
	u64 a = seed, b = ~seed, c = seed << 1, d = ~seed << 1;
	const u64 *word = from;
	const u64 *end = word + bytes / sizeof(*word);

	for (; end - word >= 4; word += 4) {
		a = mix(a, word[0]);
		b = mix(b, word[1]);
		c = mix(c, word[2]);
		d = mix(d, word[3]);
	}
	while (word < end)
		a = mix(a, *word++);
	return mix(mix(mix(a, b), c), d);
}

u64 world_hash(void)
{
	u32 count = tl_packet_count(world.ring.geo);
	size_t slots = offsetof(struct world, slots) +
		       count * sizeof(world.slots[0]);
	size_t rest = offsetof(struct world, movers) -
		      offsetof(struct world, logged);
	u64 hash = hash_words(1, &world, slots);

	hash = hash_words(hash, world.log, world.logged * sizeof(world.log[0]));
	hash = hash_words(hash, &world.logged, rest);
	return hash_words(hash, world.ring.data,
			  world_data_bytes(&world.config));
}

void world_jump(u64 seq)
{
	u32 count = 1u << world.config.count_shift;
	u32 i;

	assert_int_equal(seq % count, 0);
	for (i = 0; i < count; i++) {
		u64 its = seq - count + i;

		world.slots[i].word = tl_slot_word(TL_SLOT_IDLE, i, its);
		world.slots[i].committed = world_committed(its);
		world.last_seq[i] = (s64)its;
		world.last_word[i] = world.slots[i].word;
	}
	world.ring.pos = seq << world.config.packet_shift;
	world.reader.next_seq = seq;
	world.expect_seq = seq;
	world.base_seq = seq;
}

void world_free(void)
{
	free(saved.data);
	free(world.ring.data);
	free(world.spare_copy);
	saved.data = NULL;
	world.ring.data = NULL;
	world.spare_copy = NULL;
}

/* As the hot path does it: the fast way, and if it fails the general one. */
static enum tl_outcome world_reserve_slice(u32 id, struct tl_slice *slice)
{
	u32 payload = world_payload(id);
	u32 offset;

	slice->pos = tl_ring_pos(&world.ring);
	tl_point();
	slice->time_ns = tl_ring_now(&world.ring);
	slice->commit_bytes = tl_record_bytes(payload, false);
	slice->extended = false;
	if (!world.config.general && id < TL_EVENT_EXTENDED &&
	    tl_ring_try_reserve(&world.ring, slice->pos, &offset,
				slice->time_ns, slice->commit_bytes)) {
		assert_int_equal(offset, slice->pos % world_packet_bytes());
		return TL_RECORDED;
	}
	return tl_ring_reserve(&world.ring, payload, id, slice);
}

enum tl_outcome world_reserve(u32 id, struct tl_slice *slice, u32 *index)
{
	u64 pos = world.ring.pos;
	u64 movers = ++world.movers;
	enum tl_outcome outcome;
	struct world_entry *entry;

	world.writers++;
	outcome = world_reserve_slice(id, slice);
	world.writers--;
	world.outcomes[outcome]++;
	if (outcome != TL_RECORDED) {
		if (world.movers == movers && world.ring.pos != pos)
			fail_msg("I9: a refused record has moved pos");
		return outcome;
	}
	assert_true(world.logged < WORLD_LOG_MAX);
	*index = world.logged++;
	entry = &world.log[*index];
	memset(entry, 0, sizeof(*entry));
	entry->pos = slice->pos;
	entry->time_ns = slice->time_ns;
	entry->id = id;
	entry->extended = slice->extended;
	return outcome;
}

/* I4: the writer's slot is OPEN, with the sequence of its position. */
static void world_check_open(u64 pos)
{
	u64 seq = tl_pos_seq(world.ring.geo, pos);
	u64 word = world.slots[tl_seq_slot(world.ring.geo, seq)].word;

	if (tl_slot_state(word) != TL_SLOT_OPEN || tl_slot_ahead(word, seq))
		fail_msg("I4: a writer in packet %llu has slot word %llx",
			 (unsigned long long)seq, (unsigned long long)word);
}

void world_store(const struct tl_slice *slice, u32 index)
{
	struct world_entry *entry = &world.log[index];
	u32 payload = world_payload(entry->id);
	u8 *to;

	world_check_open(slice->pos);
	to = tl_record_store(&world.ring, slice, entry->id, 0, index);
	tl_point();
	world_check_open(slice->pos);
	memcpy(to, world_pattern(index), payload);
	entry->stored = true;
	tl_point();
}

enum tl_outcome world_write(u32 id)
{
	struct tl_slice slice;
	enum tl_outcome outcome;
	u32 index;

	outcome = world_reserve(id, &slice, &index);
	if (outcome == TL_RECORDED) {
		world_store(&slice, index);
		tl_ring_commit(&world.ring, &slice);
	}
	return outcome;
}

bool world_flush(void)
{
	bool was_open = tl_ring_flush(&world.ring);

	world.movers += was_open;
	return was_open;
}

/* It may change inside of a take, which goes by any that it has seen. */
static void world_limit(u64 seq)
{
	world.held_seq = seq;
	world.reader.limit_seq = seq;
	if (seq < world.limit_least)
		world.limit_least = seq;
	if (seq > world.limit_most)
		world.limit_most = seq;
}

u64 world_hold(void)
{
	u64 pos = world.ring.pos;
	u64 kept = world.expect_seq;
	u64 held;

	/* the first that is there and not yet taken */
	while (kept < tl_pos_seq(world.ring.geo, pos) &&
	       (tl_slot_ahead(tl_ring_slot(&world.ring, kept)->word, kept) ||
		tl_slot_state(tl_ring_slot(&world.ring, kept)->word) ==
			TL_SLOT_IDLE))
		kept++;
	world.kept_seq = kept;
	/* one that is interrupted may have decided to overwrite already */
	world.may_lose = world.writers ? 1 : 0;
	world.holding = true;
	held = tl_ring_hold(&world.ring);
	world.holding = false;
	world.movers++;
	if (tl_seq_pos(world.ring.geo, held) < pos)
		fail_msg("a snapshot up to %llu, but pos was %llu",
			 (unsigned long long)held, (unsigned long long)pos);
	world_limit(held);
	return held;
}

void world_resume(void)
{
	assert_false(world.holding);
	world_limit(TL_SEQ_NONE);
	WRITE_ONCE(world.ring.overwrite, world.config.overwrite);
}
