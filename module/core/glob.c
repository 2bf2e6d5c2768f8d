// SPDX-License-Identifier: GPL-2.0-only
/*
 * Strings against patterns, without recursion.
 *
 * A pattern is a row of tokens: a byte, "?", a class, "*". A "*" first stands
 * for nothing. Where the match fails later, the last "*" stands for one byte
 * more, and what follows it is tried again; earlier ones need no second try,
 * since what lies between two of them was found as early as it can be. So a
 * match takes at most as many steps as the text has bytes, times those of the
 * pattern behind its first "*" and one, and those before it.
 */
#include "glob.h"

/**
 * struct tl_glob - a pattern
 * @data: the TL_OP_DATA that hold it, lowest byte first
 * @bytes: its length
 */
struct tl_glob {
	const struct tl_insn *data;
	u32 bytes;
};

/* The byte at @at, which is inside the pattern. */
static __always_inline u8 tl_glob_at(const struct tl_glob *glob, u32 at)
{
	return (u8)(glob->data[at / 8].imm >> at % 8 * 8);
}

/*
 * One byte of a class, escaped or not: *@at goes behind it. False at the end of
 * the pattern.
 */
static __always_inline bool tl_glob_member(const struct tl_glob *glob, u32 *at,
					   u8 *byte)
{
	if (*at < glob->bytes && tl_glob_at(glob, *at) == '\\')
		++*at;
	if (*at >= glob->bytes)
		return false;
	*byte = tl_glob_at(glob, (*at)++);
	return true;
}

/*
 * The class whose "[" is before *@at, which goes behind its "]". @is_in: is
 * @byte one of its bytes? False for a class that is not one: no "]", nothing in
 * it, a range from high to low.
 */
static bool tl_glob_class(const struct tl_glob *glob, u32 *at, u8 byte,
			  bool *is_in)
{
	bool is_first = true, is_reverse = false;
	u8 low, high;

	*is_in = false;
	if (*at < glob->bytes && tl_glob_at(glob, *at) == '!') {
		is_reverse = true;
		++*at;
	}
	while (*at < glob->bytes && tl_glob_at(glob, *at) != ']') {
		if (!tl_glob_member(glob, at, &low))
			return false;
		high = low;
		if (*at + 1 < glob->bytes && tl_glob_at(glob, *at) == '-' &&
		    tl_glob_at(glob, *at + 1) != ']') {
			++*at;
			if (!tl_glob_member(glob, at, &high) || high < low)
				return false;
		}
		*is_in |= low <= byte && byte <= high;
		is_first = false;
	}
	if (is_first || *at >= glob->bytes)
		return false;
	++*at;
	*is_in ^= is_reverse;
	return true;
}

NOKPROBE_SYMBOL(tl_glob_class);

/*
 * The token at *@at, which goes behind it and is not "*". @fits: does it stand
 * for @byte? False for what has no valid form.
 */
static __always_inline bool tl_glob_token(const struct tl_glob *glob, u32 *at,
					  u8 byte, bool *fits)
{
	u8 token = tl_glob_at(glob, (*at)++);

	switch (token) {
	case '?':
		*fits = true;
		return true;
	case '[':
		return tl_glob_class(glob, at, byte, fits);
	case '\\':
		if (*at >= glob->bytes)
			return false;
		token = tl_glob_at(glob, (*at)++);
		break;
	}
	*fits = token == byte;
	return true;
}

/**
 * tl_glob_measure() - has a pattern a valid form, and what does it cost?
 * @data: the instructions that hold it
 * @pattern_bytes: its length
 * @retry_bytes: out: of it behind its first "*": what may be tried again at each
 *	byte of a text
 */
bool tl_glob_measure(const struct tl_insn *data, u32 pattern_bytes,
		     u32 *retry_bytes)
{
	const struct tl_glob glob = { .data = data, .bytes = pattern_bytes };
	bool fits;
	u32 at = 0;

	*retry_bytes = 0;
	while (at < glob.bytes) {
		if (tl_glob_at(&glob, at) == '*') {
			at++;
			if (!*retry_bytes)
				*retry_bytes = glob.bytes - at;
			continue;
		}
		if (!tl_glob_token(&glob, &at, 0, &fits))
			return false;
	}
	return true;
}

/**
 * tl_glob_match() - is a text what a pattern stands for?
 * @data: the instructions that hold the pattern, which is valid
 * @pattern_bytes: its length
 * @text: the text, all of it
 * @text_bytes: its length
 */
bool tl_glob_match(const struct tl_insn *data, u32 pattern_bytes,
		   const u8 *text, u32 text_bytes)
{
	const struct tl_glob glob = { .data = data, .bytes = pattern_bytes };
	u32 at = 0, done = 0, star_done = 0;
	u32 star = 0; /* behind the last "*"; 0: there was none */
	bool fits;

	while (done < text_bytes) {
		if (at < glob.bytes && tl_glob_at(&glob, at) == '*') {
			star = ++at;
			star_done = done;
			if (star == glob.bytes)
				return true;
			continue;
		}
		if (at < glob.bytes &&
		    tl_glob_token(&glob, &at, text[done], &fits) && fits) {
			done++;
			continue;
		}
		if (!star)
			return false;
		at = star;
		done = ++star_done;
	}
	while (at < glob.bytes && tl_glob_at(&glob, at) == '*')
		at++;
	return at == glob.bytes;
}

NOKPROBE_SYMBOL(tl_glob_match);
