// SPDX-License-Identifier: GPL-2.0-only
/* See tl_fuzz.h: programs that are right, nearly right, and none at all. */
#include "tl_fuzz.h"

#define FRAME_BYTES	(21 * 8u)	/* struct pt_regs */
#define PAYLOAD_BYTES	30000u		/* room that each program may use */

/**
 * struct maker - a program that is being made
 * @t: whose chance
 * @insns: room for FZ_INSNS
 * @count: so far
 * @bytes: that it can append at most
 * @is_return: it may ask for what returns have
 * @args_only: it may not ask for registers and the stack
 */
struct maker {
	struct fz_thread *t;
	struct tl_insn *insns;
	uint32_t count;
	uint32_t bytes;
	bool is_return;
	bool args_only;
};

static void emit(struct maker *m, uint32_t op, uint32_t arg, uint64_t imm)
{
	m->insns[m->count++] = (struct tl_insn){ op, arg, imm };
}

static uint32_t some_size(struct maker *m)
{
	return 1u << fz_below(m->t, 4);
}

static uint64_t some_register(struct maker *m)
{
	return 8ull * fz_below(m->t, m->args_only ? TL_TRACEPOINT_ARGS :
						    FRAME_BYTES / 8);
}

static uint32_t maybe_user(struct maker *m)
{
	return fz_percent(m->t, 50) ? TL_ARG_USER : 0;
}

static void emit_load(struct maker *m)
{
	/* the last ones only where there is a stack, or a return */
	switch (fz_below(m->t, m->is_return ? 9 : m->args_only ? 4 : 6)) {
	case 0:
		emit(m, TL_OP_REG, 0, some_register(m));
		break;
	case 1:
		emit(m, TL_OP_PLACE, 0, 0);
		break;
	case 2:
		emit(m, TL_OP_IMM, 0, fz_odd(m->t));
		break;
	case 3:
		emit(m, TL_OP_CURRENT, 0, 0);
		break;
	case 4:
		emit(m, TL_OP_STACK, 0, fz_below(m->t, 65536));
		break;
	case 5:
		emit(m, TL_OP_SP, 0, 0);
		break;
	case 6:
		emit(m, TL_OP_RETVAL, fz_below(m->t, 2), 0);
		break;
	case 7:
		emit(m, TL_OP_CALLER, 0, 0);
		break;
	case 8:
		emit(m, TL_OP_REG, TL_REG_ENTRY, fz_below(m->t, TL_ENTRY_ARGS));
		break;
	}
}

/* An array of @length bytes at most whose length is another value. */
static void emit_counted(struct maker *m, uint32_t length)
{
	emit_load(m);
	emit(m, TL_OP_LENGTH, some_size(m) |
	     some_size(m) << TL_TEST_BYTES_SHIFT |
	     (fz_percent(m->t, 50) ? TL_TEST_SIGNED : 0), 0);
	emit_load(m);
	emit(m, TL_OP_PUT_BYTES, length | maybe_user(m), fz_below(m->t, 64));
	m->bytes += length + 3;
}

static void emit_argument(struct maker *m)
{
	uint32_t size = some_size(m), length = 1 + fz_below(m->t, 200), i;
	uint32_t frames = 1 + fz_below(m->t, TL_STACK_FRAMES_MAX);

	switch (fz_below(m->t, 9)) {
	case 0:
		emit(m, TL_OP_PUT_COMM, 0, 0);
		m->bytes += 18;
		return;
	case 8:
		emit(m, TL_OP_PUT_STACK, frames, fz_below(m->t, 2));
		m->bytes += 8 * frames + 3;
		return;
	case 1:
	case 2:
		emit(m, TL_OP_PUT_REG, size, some_register(m));
		m->bytes += size + 1;
		return;
	}
	if (fz_percent(m->t, 20)) {
		emit_counted(m, length);
		return;
	}
	emit_load(m);
	/* registers and what they lead to, good or not, any number of times */
	for (i = fz_below(m->t, 4); i; i--)
		emit(m, TL_OP_DEREF, some_size(m) | maybe_user(m), fz_odd(m->t));
	if (fz_percent(m->t, 30)) {
		emit(m, fz_percent(m->t, 30) ? TL_OP_PUT_BYTES : TL_OP_PUT_STRING,
		     length | maybe_user(m), fz_below(m->t, 64));
		m->bytes += length + 3;
	} else {
		emit(m, TL_OP_PUT, size, 0);
		m->bytes += size + 1;
	}
}

/* One comparison, which jumps to the next one, or the rejection. */
static void emit_comparison(struct maker *m)
{
	uint32_t flags = fz_percent(m->t, 50) ? TL_TEST_NOT : 0;
	uint32_t i;

	if (fz_percent(m->t, 30)) {
		if (fz_percent(m->t, 20))
			emit(m, TL_OP_TASK, TL_TASK_FAMILY, fz_below(m->t, 100));
		else
			emit(m, TL_OP_TASK, TL_TASK_TID + fz_below(m->t, 4), 0);
	} else if (fz_percent(m->t, 30)) {
		if (fz_percent(m->t, 50)) {
			emit(m, TL_OP_TASK, TL_TASK_COMM, 0);
		} else {
			emit_load(m);
			emit(m, TL_OP_STRING, (1 + fz_below(m->t, 300)) |
			     maybe_user(m), fz_odd(m->t));
		}
		emit(m, TL_OP_MATCH, flags | 2, 4);
		emit(m, TL_OP_DATA, 0, fz_percent(m->t, 50) ? '*' | 'a' << 8 |
		     '*' << 16 | '?' << 24 : 'f' | 'u' << 8 | '?' << 16 |
		     '*' << 24);
		return;
	} else {
		emit_load(m);
		for (i = fz_below(m->t, 3); i; i--)
			emit(m, TL_OP_DEREF, some_size(m) | maybe_user(m),
			     fz_odd(m->t));
	}
	flags |= fz_below(m->t, 4) << 16 | some_size(m) << TL_TEST_BYTES_SHIFT;
	emit(m, TL_OP_TEST, flags | 1, fz_odd(m->t));
}

static void emit_filter(struct maker *m)
{
	uint32_t count = 1 + fz_below(m->t, 4);

	while (count--)
		emit_comparison(m);
	/* sometimes nothing is let through, mostly what the last one says */
	if (fz_percent(m->t, 80) && m->insns[m->count - 1].op == TL_OP_TEST)
		m->insns[m->count - 1].arg++;
	emit(m, TL_OP_REJECT, 0, 0);
}

static void make_good(struct maker *m)
{
	uint32_t args = fz_below(m->t, 6);

	if (fz_percent(m->t, 30))
		emit_filter(m);

	if (fz_percent(m->t, 5))
		args = fz_below(m->t, TL_ARGS_MAX + 1);
	while (args-- && m->bytes < PAYLOAD_BYTES)
		emit_argument(m);
	emit(m, TL_OP_END, 0, 0);
}

/* Change one thing of it. */
static void mutate(struct maker *m)
{
	struct tl_insn *insn = &m->insns[fz_below(m->t, m->count)];

	switch (fz_below(m->t, 7)) {
	case 0:
		insn->op = fz_below(m->t, 34);
		break;
	case 1:
		insn->arg ^= 1u << fz_below(m->t, 32);
		break;
	case 2:
		insn->arg = (uint32_t)fz_odd(m->t);
		break;
	case 3:
		insn->imm = fz_odd(m->t);
		break;
	case 4:
		if (m->count > 1)
			m->count--;
		break;
	case 5:
		*insn = m->insns[fz_below(m->t, m->count)];
		break;
	case 6:
		if (m->count < FZ_INSNS)
			emit(m, fz_below(m->t, 34), 0, 0);
		break;
	}
}

static void make_random(struct maker *m)
{
	uint32_t count = 1 + fz_below(m->t, 12);

	while (m->count < count)
		emit(m, fz_percent(m->t, 90) ? fz_below(m->t, 34) :
			(uint32_t)fz_odd(m->t), (uint32_t)fz_odd(m->t),
		     fz_odd(m->t));
}

/* More than a program may have: arguments, bytes. */
static void make_large(struct maker *m)
{
	uint32_t i;

	if (fz_percent(m->t, 50))
		for (i = 0; i <= TL_ARGS_MAX; i++)
			emit(m, TL_OP_PUT_REG, 1, 0);
	else
		for (i = 0; i < 3; i++) {
			emit(m, TL_OP_SP, 0, 0);
			emit(m, TL_OP_PUT_STRING, TL_STRING_BYTES_MAX / 2, 0);
		}
	emit(m, TL_OP_END, 0, 0);
}

/* What chance would seldom spoil just so: one wrong jump, part, register ... */
static void make_wrong(struct maker *m)
{
	static const struct tl_insn endless[] = {
		{ TL_OP_IMM, 0, 0 }, { TL_OP_STRING, 4000, 0 },
		{ TL_OP_MATCH, 4, 24 }, { TL_OP_DATA, 0, 0x2a612a612a612a61 },
		{ TL_OP_DATA, 0, 0x61612a6161616161 },
		{ TL_OP_DATA, 0, 0x6161616161616161 }, { TL_OP_REJECT, 0, 0 },
	};
	uint32_t i;

	switch (fz_below(m->t, 5)) {
	case 0: /* beyond its end */
		emit(m, TL_OP_SP, 0, 0);
		emit(m, TL_OP_TEST, 8 << TL_TEST_BYTES_SHIFT |
		     (3 + fz_below(m->t, 500)), 0);
		emit(m, TL_OP_REJECT, 0, 0);
		break;
	case 1: /* a put in it */
		emit(m, TL_OP_PUT_COMM, 0, 0);
		emit(m, TL_OP_REJECT, 0, 0);
		break;
	case 2: /* a pattern without its bytes */
		emit(m, TL_OP_TASK, TL_TASK_COMM, 0);
		emit(m, TL_OP_MATCH, 2, 1 + fz_below(m->t, 8));
		emit(m, TL_OP_REJECT, 0, 0);
		break;
	case 4: /* outside of the frame, or between two registers */
		emit(m, TL_OP_PUT_REG, some_size(m), fz_percent(m->t, 50) ?
		     FRAME_BYTES : some_register(m) + 1);
		break;
	case 3: /* more steps than a handler may take */
		while (m->count < 400)
			for (i = 0; i < 6 + (m->count >= 393); i++)
				emit(m, endless[i].op, endless[i].arg,
				     endless[i].imm);
		break;
	}
	emit(m, TL_OP_END, 0, 0);
}

uint32_t fz_program(struct fz_thread *t, struct tl_insn *insns,
		    uint32_t backend, bool *good)
{
	struct maker m = {
		.t = t, .insns = insns,
		.is_return = backend == TL_BACKEND_KRETPROBE,
		.args_only = backend == TL_BACKEND_TRACEPOINT,
	};
	uint32_t kind = fz_below(t, 100);

	*good = kind < 70;
	/* what only returns have, in an entry */
	if (kind >= 87 && kind < 90)
		m.is_return = true;
	if (kind >= 84 && kind < 87) {
		make_wrong(&m);
	} else if (kind < 90) {
		make_good(&m);
		if (!*good)
			mutate(&m);
	} else if (kind < 97) {
		make_random(&m);
	} else {
		make_large(&m);
	}
	return m.count;
}
