// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Words, names and numbers of a probe definition.
 *
 * Words are what stands between blanks, with two exceptions. A text, \"a b",
 * may have blanks in it. And "#" begins a comment wherever it stands, as the
 * kernel has it, but not inside a text and not in SYMBOL#2 or SYMBOL#all,
 * which choose among symbols of one name.
 *
 * The functions of <ctype.h> are not used: they depend on the locale.
 */
#include <errno.h>
#include <string.h>

#include "spec.h"

/* What an error text shows of a long word: enough to know it again. */
#define SHOWN_MAX 80

bool spec_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

bool spec_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool spec_is_alnum(char c)
{
	return spec_is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

static bool ends_word(char c)
{
	return !c || spec_is_space(c);
}

/* May a text end with the quote before @next? */
static bool ends_text(char next)
{
	return ends_word(next) || next == ':' || next == ')';
}

/*
 * The quote that ends a text, or NULL. A text without blanks may have quotes
 * in it, as in the kernel; one with blanks may not, so that a forgotten quote
 * does not swallow the arguments up to the next text.
 */
static const char *find_quote(const char *text)
{
	const char *at;
	bool quoted = false;

	for (at = text; !ends_word(*at); at++) {
		if (*at != '"')
			continue;
		if (ends_text(at[1]))
			return at;
		quoted = true;
	}
	at = quoted ? NULL : strchr(at, '"');
	return at && ends_text(at[1]) ? at : NULL;
}

/* Does "#" at @at of the word at @start choose a symbol, as in SYMBOL#2? */
static bool is_choice(const struct spec_lexer *lexer, const char *start,
		      const char *at)
{
	const char *end = at + 1;

	/* only the place is a symbol, and it is the second word */
	if (lexer->words != 1 || at == start)
		return false;
	if (!strncmp(end, "all", 3))
		end += 3;
	else
		while (spec_is_digit(*end))
			end++;
	return end > at + 1 && (ends_word(*end) || *end == '+' || *end == '%');
}

static const char *word_end(const struct spec_lexer *lexer,
			    const char *start)
{
	const char *at, *quote;

	for (at = start; !ends_word(*at); at++) {
		if (*at == '#' && !is_choice(lexer, start, at))
			break;
		if (at[0] != '\\' || at[1] != '"')
			continue;
		quote = find_quote(at + 2);
		at = quote ? quote : at + 1;
	}
	return at;
}

bool spec_lex_word(struct spec_lexer *lexer, struct spec_slice *word)
{
	const char *start = lexer->at;
	const char *end;

	while (spec_is_space(*start))
		start++;
	end = word_end(lexer, start);
	if (end == start) {
		/* behind the last word, where the missing one should stand */
		*word = (struct spec_slice){
			.text = lexer->at,
			.column = (int)(lexer->at - lexer->line),
		};
		return false;
	}
	*word = (struct spec_slice){
		.text = start,
		.length = (int)(end - start),
		.column = (int)(start - lexer->line),
	};
	lexer->at = end;
	lexer->words++;
	return true;
}

bool spec_is_name(const struct spec_slice *slice)
{
	int i;

	if (!slice->length || spec_is_digit(slice->text[0]))
		return false;
	for (i = 0; i < slice->length; i++)
		if (!spec_is_alnum(slice->text[i]))
			return false;
	return true;
}

bool spec_starts(const struct spec_slice *slice, const char *text)
{
	size_t length = strlen(text);

	return (size_t)slice->length >= length &&
	       !memcmp(slice->text, text, length);
}

bool spec_is(const struct spec_slice *slice, const char *text)
{
	return (size_t)slice->length == strlen(text) &&
	       spec_starts(slice, text);
}

int spec_find(const struct spec_slice *slice, const char *characters)
{
	int i;

	for (i = 0; i < slice->length; i++)
		if (strchr(characters, slice->text[i]))
			break;
	return i;
}

struct spec_slice spec_cut(const struct spec_slice *slice, int from, int to)
{
	return (struct spec_slice){
		.text = slice->text + from,
		.length = to - from,
		.column = slice->column + from,
	};
}

int spec_shown(const struct spec_slice *slice)
{
	return slice->length < SHOWN_MAX ? slice->length : SHOWN_MAX;
}

int spec_refuse(struct trapline_error *err, enum error_code code,
		const struct spec_slice *slice)
{
	error_set(err, code, slice->column, slice->length ? slice->length : 1,
		  spec_shown(slice), slice->text);
	return -EINVAL;
}

int spec_unsupported(struct trapline_error *err, const char *what,
		     const struct spec_slice *slice)
{
	error_set(err, ERR_UNSUPPORTED, slice->column,
		  slice->length ? slice->length : 1, what, spec_shown(slice),
		  slice->text);
	return -EINVAL;
}

int spec_no_memory(struct trapline_error *err)
{
	error_set(err, ERR_NO_MEMORY, -1, 0);
	return -ENOMEM;
}

static int digit_value(char c)
{
	if (spec_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static int digits(const char *text, int length, unsigned int base,
		  uint64_t *value)
{
	bool overflow = false;
	uint64_t sum = 0;
	int i;

	if (length < 1)
		return -EINVAL;
	for (i = 0; i < length; i++) {
		unsigned int digit = (unsigned int)digit_value(text[i]);

		if (digit >= base)
			return -EINVAL;
		if (sum > (UINT64_MAX - digit) / base)
			overflow = true;
		sum = sum * base + digit;
	}
	*value = sum;
	return overflow ? -ERANGE : 0;
}

int spec_number(const struct spec_slice *slice, uint64_t *value)
{
	const char *text = slice->text;
	int length = slice->length;

	if (length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return digits(text + 2, length - 2, 16, value);
	if (length > 1 && text[0] == '0')
		return digits(text + 1, length - 1, 8, value);
	return digits(text, length, 10, value);
}

int spec_signed(const struct spec_slice *slice, uint64_t *value)
{
	bool negative = slice->length && slice->text[0] == '-';
	bool sign = negative || (slice->length && slice->text[0] == '+');
	struct spec_slice number = spec_cut(slice, sign, slice->length);
	int ret = spec_number(&number, value);

	/* without a sign all 64 bits may be used, as in an address */
	if (!ret && sign && *value > (uint64_t)INT64_MAX + negative)
		return -ERANGE;
	if (!ret && negative)
		*value = -*value;
	return ret;
}

int spec_decimal(const struct spec_slice *slice, uint64_t *value)
{
	return digits(slice->text, slice->length, 10, value);
}
