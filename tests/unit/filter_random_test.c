// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random filters: text that is parsed, compiled, verified and run must decide
 * as an evaluator does that knows nothing of programs, but three values: true,
 * false, and not to be known, since memory on the way cannot be read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../userspace/lib/event.h"
#include "prog_model.h"
#include "symbols_world.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FILTERS 20000
#define LINE "p vfs_read a=%di:u8 b=%si:s8 c=%dx:u16 d=%cx:s32 e=%r8:x64 " \
	     "f=%r9:s64 k=\\7 m=+2(%di):s16 n=+0(+8(%si)):x32 " \
	     "s=+0(%dx):string u=+u1(%cx):ustring t=$comm if "

enum { DI = 14, SI = 13, DX = 12, CX = 11, R8 = 9, R9 = 8 };

u64 tl_env_clock_ns(void)
{
	return 0;
}

enum truth { FALSE, TRUE, UNKNOWN };

/**
 * struct world - a hit, and a filter
 * @src: the hit
 * @text: the filter
 * @length: of @text
 * @accesses: to its memory
 */
static struct world {
	struct tl_source src;
	u32 accesses;
	char text[65536];
	size_t length;
} world;

static u64 seed;

static u32 draw(u32 limit)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)((seed >> 33) % limit);
}

__attribute__((format(printf, 1, 2)))
static void append(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	world.length += (size_t)vsnprintf(world.text + world.length,
					  sizeof(world.text) - world.length,
					  format, args);
	va_end(args);
	assert_true(world.length < sizeof(world.text));
}

/* ---- what can be compared --------------------------------------------- */

static const struct operand {
	const char *name;
	u32 bytes;	/* 0: a string */
	bool is_signed;
} operands[] = {
	{ "a", 1, false }, { "b", 1, true }, { "c", 2, false },
	{ "d", 4, true }, { "e", 8, false }, { "f", 8, true },
	{ "m", 2, true }, { "n", 4, false },
	{ "tid", 4, false }, { "tgid", 4, false }, { "pid", 4, false },
	{ "cpu", 4, false }, { "cgroup", 8, false },
	{ "s", 0, false }, { "u", 0, false }, { "t", 0, false },
	{ "comm", 0, false },
};

/* Kernel memory, byte by byte; false: a fault. */
static bool read_bytes(u64 address, u32 bytes, bool user, u64 *value)
{
	u32 i;
	u8 byte;

	*value = 0;
	for (i = 0; i < bytes; i++) {
		if (!source_byte(&world.src, address + i, user, &byte))
			return false;
		*value |= (u64)byte << 8 * i;
	}
	return true;
}

/* A number, cut to its size and extended; false: it cannot be read. */
static bool number_of(const struct operand *operand, u64 *value)
{
	const u64 *regs = world.src.regs;
	bool is_there = true;
	u64 address;

	switch (operand->name[0]) {
	case 'a':
		*value = regs[DI];
		break;
	case 'b':
		*value = regs[SI];
		break;
	case 'c':
		*value = operand->name[1] == 'p' ? world.src.task[TL_TASK_CPU] :
			 operand->name[1] ? world.src.task[TL_TASK_CGROUP] :
					    regs[DX];
		break;
	case 'd':
		*value = regs[CX];
		break;
	case 'e':
		*value = regs[R8];
		break;
	case 'f':
		*value = regs[R9];
		break;
	case 'm':
		is_there = read_bytes(regs[DI] + 2, 2, false, value);
		break;
	case 'n':
		is_there = read_bytes(regs[SI] + 8, 8, false, &address) &&
			   read_bytes(address, 4, false, value);
		break;
	case 'p':
		*value = world.src.task[TL_TASK_TGID];
		break;
	case 't':
		*value = world.src.task[operand->name[1] == 'i' ?
					TL_TASK_TID : TL_TASK_TGID];
		break;
	}
	if (operand->bytes < 8) {
		u64 sign = 1ull << (operand->bytes * 8 - 1);

		*value &= (sign << 1) - 1;
		if (operand->is_signed && *value & sign)
			*value -= sign << 1;
	}
	return is_there;
}

/* A string; false: it cannot be read. */
static bool text_of(const struct operand *operand, u8 *text, u32 *length)
{
	const bool user = operand->name[0] == 'u';
	u64 address = world.src.regs[user ? CX : DX] + user;

	*length = 0;
	if (operand->name[0] == 't' || operand->name[0] == 'c') {
		*length = (u32)strlen(world.src.comm);
		memcpy(text, world.src.comm, *length);
		return true;
	}
	for (;; ++*length, address++) {
		if (!source_byte(&world.src, address, user, &text[*length]))
			return false;
		if (!text[*length])
			return true;
	}
}

/* ---- comparisons ------------------------------------------------------ */

/* One that is near what there is, and that the type can have. */
static u64 draw_number(const struct operand *operand)
{
	const u32 bits = operand->bytes * 8;
	u64 value = 0;

	switch (draw(4)) {
	case 0:
		number_of(operand, &value);
		break;
	case 1:
		value = draw(4);
		break;
	case 2:
		value = (draw(2) ? 1ull << (bits - 1) : 0) - draw(3);
		break;
	case 3:
		value = seed;
		break;
	}
	value += draw(3) - 1;
	if (bits == 64)
		return value;
	value &= (1ull << bits) - 1;
	if (operand->is_signed && value >> (bits - 1))
		value -= 1ull << bits;
	return value;
}

static void append_number(u64 value, bool is_signed)
{
	if (is_signed && (int64_t)value < 0 && value != 1ull << 63)
		append("-%llu", (unsigned long long)-value);
	else if (is_signed && (int64_t)value < 0)
		append("-0x%llx", (unsigned long long)value);
	else if (draw(2))
		append("%llu", (unsigned long long)value);
	else
		append(draw(2) ? "0x%llx" : "0%llo", (unsigned long long)value);
}

static enum truth compare_number(const struct operand *operand)
{
	static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=",
					   "&" };
	u32 op = draw(COUNT(ops));
	u64 other = draw_number(operand), value = 0;
	bool is_there = number_of(operand, &value);
	int64_t a = (int64_t)value, b = (int64_t)other;
	bool below = operand->is_signed ? a < b : value < other;

	append(draw(2) ? "%s %s " : "%s%s", operand->name, ops[op]);
	append_number(other, operand->is_signed);
	if (!is_there)
		return UNKNOWN;
	switch (op) {
	case 0:
		return value == other;
	case 1:
		return value != other;
	case 2:
		return below;
	case 3:
		return below || value == other;
	case 4:
		return !below && value != other;
	case 5:
		return !below;
	}
	return (value & other) != 0;
}

/* A part of a pattern, as text and as the kernel has it. */
static const char *const parts[] = {
	"a", "b", "c", "*", "*", "?", "[ab]", "[!a]", "[a-c]", "[!b-c]",
	"\\*", "\\\\", "\\\"", "[\\]-c]", "-",
};

/* What the pattern of @count bytes is in a program. */
static bool pattern_fits(const char *pattern, u32 count, const u8 *text,
			 u32 length)
{
	struct tl_insn match[1 + TL_MATCH_PATTERN_MAX / 8] = {
		{ TL_OP_MATCH, 0, count },
	};
	u32 i;

	for (i = 0; i < count; i++)
		match[1 + i / 8].imm |= (u64)(u8)pattern[i] << 8 * (i % 8);
	return prog_model_glob(match, text, length);
}

static enum truth compare_text(const struct operand *operand)
{
	static const char letters[] = "abc*[";
	char pattern[100] = "", plain[100] = "";
	u32 length, i, count = draw(8);
	u32 op = draw(3); /* == != ~ */
	u8 text[SOURCE_MEMORY];
	bool is_there = text_of(operand, text, &length);
	bool fits;

	append("%s%s", operand->name,
	       op == 0 ? " == \"" : op == 1 ? "!=\"" : " ~ \"");
	if (op == 2) {
		for (i = 0; i < count; i++)
			strcat(pattern, parts[draw(COUNT(parts))]);
		append("%s\"", pattern);
		fits = pattern_fits(pattern, (u32)strlen(pattern), text, length);
	} else {
		for (i = 0; i < count % 4; i++)
			plain[i] = letters[draw(sizeof(letters) - 1)];
		if (draw(2) && is_there && length < sizeof(plain) &&
		    !memchr(text, '"', length) && !memchr(text, '\\', length)) {
			memset(plain, 0, sizeof(plain));
			memcpy(plain, text, length);
		}
		append("%s\"", plain);
		fits = strlen(plain) == length && !memcmp(plain, text, length);
	}
	if (!is_there)
		return UNKNOWN;
	return op == 1 ? !fits : fits;
}

/* ---- trees ------------------------------------------------------------ */

static enum truth not(enum truth a)
{
	return a == UNKNOWN ? UNKNOWN : !a;
}

static enum truth and(enum truth a, enum truth b)
{
	if (a == FALSE || b == FALSE)
		return FALSE;
	return a == TRUE && b == TRUE ? TRUE : UNKNOWN;
}

static enum truth or(enum truth a, enum truth b)
{
	return not(and(not(a), not(b)));
}

/* Appends a tree of at most this depth; returns its value for the hit. */
static enum truth draw_tree(u32 depth)
{
	const struct operand *operand;
	enum truth value;
	u32 i, terms;

	switch (depth ? draw(5) : 0) {
	case 1:
		append("!(");
		value = not(draw_tree(depth - 1));
		append(")");
		return value;
	case 2:
		append("( ");
		value = draw_tree(depth - 1);
		append(" )");
		return value;
	case 3:
		/* without parentheses "&&" binds closer than "||" */
		append("(");
		value = draw_tree(depth - 1);
		append(") && ");
		value = and(value, draw_tree(0));
		append("||");
		return or(value, draw_tree(0));
	case 4:
		value = FALSE;
		terms = 2 + draw(3);
		for (i = 0; i < terms; i++) {
			append("%s(", i ? " || " : "");
			value = or(value, draw_tree(depth - 1));
			append(")");
		}
		return value;
	}
	operand = &operands[draw(COUNT(operands))];
	return operand->bytes ? compare_number(operand) :
				compare_text(operand);
}

static void draw_hit(void)
{
	static const char *const names[] = { "a", "abc", "", "dd", "a*c", "b]",
					     "aaaaaaaaaaaaaab" };
	static const u32 used[] = { DI, SI, DX, CX };
	struct tl_source *src = &world.src;
	u32 i;

	/* what is user memory has all bits flipped; both end with a NUL */
	for (i = 0; i < SOURCE_MEMORY; i++)
		src->memory[i] = (u8)(draw(5) ? "abc*\\"[draw(5)] : 0) ^
				 (i < SOURCE_MEMORY / 2 ? 0 : 0xff);
	src->memory[SOURCE_MEMORY / 2 - 1] = 0;
	src->memory[SOURCE_MEMORY - 1] = 0xff;
	for (i = 0; i < 8; i++) {
		u64 address = SOURCE_KERNEL + draw(140);

		memcpy(src->memory + 8 * i, &address, sizeof(address));
	}
	for (i = 0; i < COUNT(used); i++)
		src->regs[used[i]] = (draw(8) ? SOURCE_KERNEL : 0x1000) +
				     8 * draw(8) + (draw(3) ? 0 : draw(8));
	src->regs[DX] = SOURCE_KERNEL + (draw(8) ? 64 + draw(60) : 300);
	if (draw(2))
		src->regs[CX] = SOURCE_USER + 130 + draw(150);
	src->regs[R8] = draw(2) ? draw(5) : seed;
	src->regs[R9] = draw(2) ? draw(5) - 2ull : seed;
	src->task[TL_TASK_TID] = draw(2) ? draw(4) : 70000;
	src->task[TL_TASK_TGID] = draw(4);
	src->task[TL_TASK_CPU] = draw(3);
	src->task[TL_TASK_CGROUP] = draw(2) ? 1 : 1ull << 40;
	src->comm = names[draw(COUNT(names))];
	src->accesses = &world.accesses;
}

static bool run(const char *text)
{
	struct trapline_event *event;
	struct trapline_error err;
	struct tl_prog prog;
	bool passes;
	u32 bad;

	if (trapline_event_parse(text, symbols, &event, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(verify(&prog, event->insns, event->insn_count, false,
				&bad), TL_ERR_NONE);
	assert_true(prog.filter_count > 1);
	passes = prog_model_filter_check(&prog, &world.src);
	free(prog.insns);
	trapline_event_free(event);
	return passes;
}

static void test_random(void **state)
{
	u32 filter, values[3] = { 0 };

	(void)state;
	seed = 1;
	for (filter = 0; filter < FILTERS; filter++) {
		enum truth value;

		draw_hit();
		world.length = 0;
		append("%s", LINE);
		value = draw_tree(draw(5));
		values[value]++;
		if (run(world.text) != (value == TRUE))
			fail_msg("%s is %u", world.text, value);
	}
	/* each value must come often for the draw to be worth anything */
	assert_in_range(values[FALSE], FILTERS / 8, FILTERS);
	assert_in_range(values[TRUE], FILTERS / 8, FILTERS);
	assert_in_range(values[UNKNOWN], FILTERS / 20, FILTERS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("filter_random", tests,
					   load_symbols, free_symbols);
}
