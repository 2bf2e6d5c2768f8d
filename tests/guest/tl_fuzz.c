// SPDX-License-Identifier: GPL-2.0-only
/*
 * See tl_fuzz.h: chance, memory, and one call with what may be wrong around it.
 *
 * The arena, in pages: two for structs, one that is not there, one that cannot
 * be written, LIST_PAGES for each list, each with one behind that is not there.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tl_fuzz.h"

#define PAGE		4096u
#define GUARD_PAGE	2u
#define RO_PAGE		3u
#define LISTS_PAGE	4u
#define LIST_PAGES	17u
#define LISTS		4u
#define ARENA_PAGES	(LISTS_PAGE + LISTS * (LIST_PAGES + 1))
#define CANARY		0xee
#define CANARY_BYTES	16u

/** enum fz_damage - what is wrong around a command */
enum fz_damage {
	FZ_SOUND,
	FZ_FLAGS,	/* a flag that is none */
	FZ_SHORT,	/* size below that of 1.0 */
	FZ_LONGER,	/* longer, and zero there: nothing is wrong */
	FZ_TAIL,	/* longer, and not zero there */
	FZ_HUGE,	/* longer than a page */
	FZ_NOWHERE,	/* the struct is not there, or not all of it */
	FZ_READ_ONLY,	/* it cannot be written back */
	FZ_POWERLESS,	/* without the right to trace */
	FZ_NUMBER,	/* no such command on this file */
	FZ_DAMAGES,
};

/* ---- chance ----------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

uint64_t fz_next(struct fz_thread *t)
{
	t->random += 0x9e3779b97f4a7c15;
	return mix(t->random);
}

uint32_t fz_below(struct fz_thread *t, uint32_t limit)
{
	return (uint32_t)((fz_next(t) >> 32) * limit >> 32);
}

bool fz_percent(struct fz_thread *t, uint32_t percent)
{
	return fz_below(t, 100) < percent;
}

uint64_t fz_odd(struct fz_thread *t)
{
	static const uint64_t odd[] = {
		0, 1, 2, 3, 4, 7, 8, 16, 64, 255, 4095, 4096, 4097, 65535,
		65536, 65537, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0x7fffffffefff, 0x800000000000, 0x7fffffffffffffff,
		0x8000000000000000, 0xffff888000000000, 0xffffffff81000000,
		0xfffffffffffff000, 0xffffffffffffffff,
	};

	switch (fz_below(t, 4)) {
	case 0:
		return fz_next(t);
	case 1:
		return fz_below(t, 64);
	default:
		return odd[fz_below(t, ARRAY_SIZE(odd))];
	}
}

/* ---- the books -------------------------------------------------------- */

void fz_wrong(struct fz_thread *t, const char *format, ...)
{
	char text[400];
	va_list args;

	if (t->wrong++ >= FZ_WRONG_MAX)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	tap_note("seed 0x%llx, thread %llu, step %llu: %s",
		 (unsigned long long)t->fuzz->seed,
		 (unsigned long long)t->number, (unsigned long long)t->step,
		 text);
}

void fz_count(struct fz_thread *t, enum fz_op op, bool accepted, uint64_t what)
{
	t->answers[op][accepted]++;
	t->digest = mix(t->digest ^ what ^ (uint64_t)op << 56);
}

/* ---- memory ----------------------------------------------------------- */

static unsigned char *page_at(const struct fz_thread *t, unsigned int page)
{
	return t->arena + (size_t)page * PAGE;
}

uint64_t fz_list(struct fz_thread *t, const unsigned char *data, size_t bytes,
		 unsigned int which, enum fz_memory memory)
{
	unsigned char *end = page_at(t, LISTS_PAGE + which * (LIST_PAGES + 1) +
					LIST_PAGES);

	if (memory == FZ_WILD || bytes > LIST_PAGES * PAGE)
		return fz_odd(t);
	memcpy(end - bytes, data, bytes);
	if (memory == FZ_GOOD)
		return (uintptr_t)(end - bytes);
	return (uintptr_t)(end - bytes + 1 + fz_below(t, (uint32_t)bytes));
}

/* @bytes in the arena: at its end, or somewhere with a canary behind. */
static unsigned char *place_struct(struct fz_thread *t, const unsigned char *data,
				   uint32_t bytes)
{
	unsigned char *end = page_at(t, GUARD_PAGE), *at;

	if (fz_percent(t, 50)) {
		at = end - bytes;
	} else {
		at = page_at(t, 0) + fz_below(t, 2 * PAGE - bytes - CANARY_BYTES + 1);
		memset(at + bytes, CANARY, CANARY_BYTES);
	}
	memcpy(at, data, bytes);
	return at;
}

static bool canary_lives(const struct fz_thread *t, const unsigned char *behind)
{
	unsigned int i;

	if (behind == page_at(t, GUARD_PAGE))
		return true;
	for (i = 0; i < CANARY_BYTES; i++)
		if (behind[i] != CANARY)
			return false;
	return true;
}

/* Not all of the struct is there. */
static unsigned char *nowhere(struct fz_thread *t, const unsigned char *data,
			      uint32_t bytes)
{
	unsigned char *end = page_at(t, GUARD_PAGE);
	uint32_t there;

	switch (fz_below(t, 4)) {
	case 0:
		return NULL;
	case 1:
		return (unsigned char *)0xffffffff81000000;
	case 2:
		return end;
	}
	there = fz_below(t, bytes);
	memcpy(end - there, data, there);
	return end - there;
}

static unsigned char *read_only(struct fz_thread *t, const unsigned char *data,
				uint32_t bytes)
{
	unsigned char *page = page_at(t, RO_PAGE);

	if (mprotect(page, PAGE, PROT_READ | PROT_WRITE))
		die("mprotect");
	memcpy(page, data, bytes);
	if (mprotect(page, PAGE, PROT_READ))
		die("mprotect");
	return page;
}

/* ---- one call --------------------------------------------------------- */

void fz_power(bool is_on)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];
	unsigned int i;

	if (syscall(SYS_capget, &header, data))
		die("capget");
	for (i = 0; i < 2; i++)
		data[i].effective = is_on ? data[i].permitted : 0;
	if (syscall(SYS_capset, &header, data))
		die("capset");
}

static bool needs_power(const struct fz_call *call)
{
	switch (call->number) {
	case TL_QUERY:
	case TL_STATS:
	case TL_RING_GET:
		return false;
	case TL_SESSION_CTL:
		return call->arg.session_ctl.command == TL_SESSION_START;
	}
	return true;
}

/* What must be answered to it with this wrong. */
static struct fz_expect expect(const struct fuzz *fuzz, const struct fz_call *call,
			       enum fz_damage damage)
{
	struct fz_expect all_well = fz_predict(fuzz, call);

	switch (damage) {
	case FZ_FLAGS:
		return fz_known(-EINVAL, call->number == TL_QUERY ||
				call->number == TL_RING_GET ? 0 : TL_ERR_FLAGS);
	case FZ_SHORT:
		return fz_known(-EINVAL, 0);
	case FZ_TAIL:
	case FZ_HUGE:
		return fz_known(-E2BIG, 0);
	case FZ_NOWHERE:
	case FZ_READ_ONLY:
		return fz_known(-EFAULT, 0);
	case FZ_NUMBER:
		return fz_known(-ENOTTY, 0);
	case FZ_POWERLESS:
		if (!needs_power(call))
			return all_well;
		/* what START has of its own comes before the question */
		if (call->number == TL_SESSION_CTL && all_well.err == -EINVAL)
			return all_well;
		return fz_known(-EPERM, TL_ERR_PRIVILEGE);
	default:
		return all_well;
	}
}

/* What was wrong around it was found before the command was looked at. */
static bool is_refused_before(enum fz_damage damage)
{
	return damage == FZ_SHORT || damage == FZ_TAIL || damage == FZ_HUGE ||
	       damage == FZ_NOWHERE || damage == FZ_NUMBER;
}

static uint32_t code_of(const struct fz_call *call)
{
	const union fz_arg *arg = &call->arg;

	switch (call->number) {
	case TL_SESSION_SETUP:
		return arg->setup.error.code;
	case TL_EVENT_ADD:
		return arg->add.error.code;
	case TL_EVENT_CTL:
		return arg->event_ctl.error.code;
	case TL_SESSION_CTL:
		return arg->session_ctl.error.code;
	case TL_RING_OPEN:
		return arg->ring_open.error.code;
	case TL_STATS:
		return arg->stats.error.code;
	}
	return 0;
}

static void check_answer(struct fz_thread *t, const struct fz_call *call,
			 const struct fz_expect *want, int err, uint32_t code,
			 enum fz_damage damage)
{
	if (want->is_known && (t->fuzz->is_exact || is_refused_before(damage)) &&
	    (err != want->err || (!want->any_code && code != want->code)))
		/* in a storm the file may be another one by now */
		if (t->fuzz->is_exact || (err != -EBADF && err != -ENOTTY))
			fz_wrong(t, "command %u, damage %u: answers %d, reason %u, wanted %d, %u",
				 (unsigned int)call->number & 255, damage, err,
				 code, want->err, want->code);
	if (!fz_is_documented(call->number, err, code) &&
	    (t->fuzz->is_exact || (err != -EBADF && err != -EINTR)))
		fz_wrong(t, "command %u: errno %d with reason %u is not documented",
			 (unsigned int)call->number & 255, err, code);
}

/* The struct as the kernel gets it, in @raw; how long it says that it is. */
static uint32_t dress(struct fz_thread *t, const struct fz_call *call,
		      enum fz_damage damage, unsigned char *raw)
{
	uint32_t bytes = call->bytes;

	memset(raw, 0, PAGE);
	memcpy(raw, &call->arg, call->bytes);
	switch (damage) {
	case FZ_SHORT:
		bytes = fz_below(t, call->bytes);
		break;
	case FZ_LONGER:
		bytes += 1 + fz_below(t, PAGE - call->bytes);
		break;
	case FZ_TAIL:
		bytes += 1 + fz_below(t, PAGE - call->bytes);
		raw[call->bytes + fz_below(t, bytes - call->bytes)] = 1;
		break;
	case FZ_HUGE:
		bytes = PAGE + 1 + (uint32_t)fz_next(t) % (0xffffffffu - PAGE);
		break;
	default:
		break;
	}
	memcpy(raw, &bytes, sizeof(bytes));
	return bytes;
}

/* Nothing but the size may have been written where nothing was taken. */
static void check_untouched(struct fz_thread *t, const struct fz_call *call,
			    enum fz_damage damage, const unsigned char *raw,
			    const unsigned char *at, uint32_t bytes)
{
	uint32_t size = call->bytes;
	size_t from = 0;

	if (damage == FZ_TAIL || damage == FZ_HUGE) {
		if (memcmp(at, &size, sizeof(size)))
			fz_wrong(t, "the size that is known is not told");
		from = sizeof(size);
	}
	if (memcmp(at + from, raw + from, bytes - from))
		fz_wrong(t, "a struct that was not taken is written to");
}

static unsigned char *place_damaged(struct fz_thread *t, enum fz_damage damage,
				    const unsigned char *raw, uint32_t bytes)
{
	if (damage == FZ_NOWHERE)
		return nowhere(t, raw, bytes);
	if (damage == FZ_READ_ONLY)
		return read_only(t, raw, bytes);
	return place_struct(t, raw, bytes);
}

static enum fz_damage choose_damage(struct fz_thread *t, struct fz_call *call)
{
	enum fz_damage damage = FZ_SOUND;

	if (fz_percent(t, 20))
		damage = (enum fz_damage)fz_below(t, FZ_DAMAGES);
	/* what is done then must be known to the model */
	if (damage == FZ_READ_ONLY && !fz_predict(t->fuzz, call).is_known)
		damage = FZ_SOUND;
	if (damage == FZ_FLAGS)
		call->arg.flags = 1u << fz_below(t, 32);
	if (damage == FZ_NUMBER) {
		if (call->number == TL_RING_GET)
			call->number = TL_QUERY;
		else
			call->number = fz_percent(t, 50) ? TL_RING_GET :
				_IOWR(TL_IOC_MAGIC, 8 + fz_below(t, 248), int);
	}
	return damage;
}

void fz_call_run(struct fz_thread *t, struct fz_call *call)
{
	enum fz_damage damage = choose_damage(t, call);
	struct fz_expect want = expect(t->fuzz, call, damage), done;
	unsigned char raw[PAGE], *at;
	uint32_t size, bytes, code = 0;
	int err;

	done = want;
	if (damage == FZ_READ_ONLY)
		done = fz_predict(t->fuzz, call);
	size = dress(t, call, damage, raw);
	bytes = size > PAGE ? PAGE : size < call->bytes ? call->bytes : size;
	at = place_damaged(t, damage, raw, bytes);
	if (damage == FZ_POWERLESS)
		fz_power(false);
	err = dev_ioctl(call->fd, call->number, at);
	if (damage == FZ_POWERLESS)
		fz_power(true);
	if (is_refused_before(damage)) {
		if (damage != FZ_NOWHERE && err != -EBADF)
			check_untouched(t, call, damage, raw, at, bytes);
	} else if (damage != FZ_READ_ONLY && err != -EBADF && err != -ENOTTY) {
		memcpy(&call->arg, at, call->bytes);
		code = code_of(call);
		if (call->arg.size != size)
			fz_wrong(t, "a size is written over");
	}
	if (damage != FZ_NOWHERE && damage != FZ_READ_ONLY &&
	    !canary_lives(t, at + bytes))
		fz_wrong(t, "there is something written behind a struct");
	check_answer(t, call, &want, err, code, damage);
	fz_count(t, call->op, !err, (uint64_t)err << 8 | code);
	t->reasons |= 1ull << (code & 63);
	if (!err && code)
		fz_wrong(t, "a success with reason %u", code);
	if (!err)
		fz_check_success(t, call);
	/* what cannot be told was done all the same, but for an opened ring */
	if (!err || (damage == FZ_READ_ONLY && !done.err &&
		     call->number != TL_RING_OPEN))
		fz_apply(call);
	if (!err && call->number == TL_RING_OPEN)
		fz_ring_opened(t, call);
}

/* ---- threads ---------------------------------------------------------- */

void fz_thread_start(struct fz_thread *t, struct fuzz *fuzz, uint64_t number)
{
	unsigned int i;

	memset(t, 0, sizeof(*t));
	t->fuzz = fuzz;
	t->number = number;
	t->arena = mmap(NULL, ARENA_PAGES * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (t->arena == MAP_FAILED ||
	    mprotect(page_at(t, GUARD_PAGE), PAGE, PROT_NONE))
		die("no arena");
	for (i = 1; i <= LISTS; i++)
		if (mprotect(page_at(t, LISTS_PAGE + i * (LIST_PAGES + 1) - 1),
			     PAGE, PROT_NONE))
			die("mprotect");
}

void fz_thread_end(struct fz_thread *t)
{
	munmap(t->arena, ARENA_PAGES * PAGE);
}
