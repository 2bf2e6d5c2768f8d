/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A source of values for programs: a register frame, a stack, some memory, and
 * faults where the test wants them.
 */
#ifndef TL_TEST_PROG_WORLD_H
#define TL_TEST_PROG_WORLD_H

#include <stdlib.h>

#include "prog_verify_world.h"

#define SOURCE_STACK 8
#define SOURCE_MEMORY 256
/* Where the memory appears; elsewhere is a fault. */
#define SOURCE_KERNEL 0xffff888000001000ull
#define SOURCE_USER 0x00007f0000001000ull

/**
 * struct tl_source - where the values of a hit come from
 * @regs: the frame
 * @stack: words of the stack; those after it are outside
 * @memory: behind SOURCE_KERNEL, and behind SOURCE_USER with all bits flipped
 * @comm: name of the task
 * @task: what else it is asked for, by TL_TASK_*
 * @accesses: looks at memory so far
 * @faults: bit n set: the nth look at memory is a fault
 */
struct tl_source {
	u64 regs[SOURCE_REGS];
	u64 stack[SOURCE_STACK];
	u8 memory[SOURCE_MEMORY];
	const char *comm;
	u64 task[TL_TASK_COMM];
	u32 *accesses;
	u64 faults;
};

static inline u64 tl_source_reg(const struct tl_source *src, u64 offset)
{
	u64 value;

	/* behind the frame are the stack and the memory, not the end */
	if (offset > sizeof(src->regs) - sizeof(value))
		abort();
	memcpy(&value, (const u8 *)src->regs + offset, sizeof(value));
	return value;
}

static inline bool source_faults(const struct tl_source *src)
{
	u32 access = (*src->accesses)++;

	return access < 64 && src->faults >> access & 1;
}

static inline bool tl_source_stack(const struct tl_source *src, u64 index,
				   u64 *value)
{
	*value = 0xdeaddead;
	if (source_faults(src) || index >= SOURCE_STACK)
		return false;
	*value = src->stack[index];
	return true;
}

static inline u64 tl_source_sp(const struct tl_source *src)
{
	return 0x5f5f5f5f00000001ull + src->regs[0];
}

static inline u64 tl_source_retval(const struct tl_source *src)
{
	return src->regs[1];
}

static inline u64 tl_source_caller(const struct tl_source *src)
{
	return 0xca11e4ca11e4ull + src->regs[0];
}

static inline u64 tl_source_place(const struct tl_source *src)
{
	return 0x91ace91aceull + src->regs[0];
}

/* The first words of the stack serve as what was saved at the entry. */
static inline bool tl_source_entry(const struct tl_source *src, u64 number,
				   u64 *value)
{
	return tl_source_stack(src, number, value);
}

static inline bool tl_source_duration(const struct tl_source *src, u64 *value)
{
	return tl_source_stack(src, 1, value);
}

static inline u64 tl_source_current(const struct tl_source *src)
{
	return 0x7a5c7a5c7a5cull + src->regs[0];
}

/* A byte of either memory; false: not mapped. */
static inline bool source_byte(const struct tl_source *src, u64 address,
			       bool user, u8 *byte)
{
	u64 offset = address - (user ? SOURCE_USER : SOURCE_KERNEL);

	if (offset >= SOURCE_MEMORY)
		return false;
	*byte = user ? (u8)~src->memory[offset] : src->memory[offset];
	return true;
}

static inline bool tl_source_read(const struct tl_source *src, u8 *to,
				  u64 address, u32 bytes, bool user)
{
	u32 i;

	/* a part may have been copied when a fault is found */
	for (i = 0; i < bytes; i++)
		if (!source_byte(src, address + i, user, to + i))
			return false;
	return !source_faults(src);
}

static inline u32 tl_source_string(const struct tl_source *src, u8 *to,
				   u64 address, u32 max, bool user, u32 *status)
{
	u8 byte;
	u32 i;

	if (source_faults(src) || !source_byte(src, address, user, &byte)) {
		*status = TL_STATUS_FAULT;
		return 0;
	}
	for (i = 0; i < max; i++) {
		if (!source_byte(src, address + i, user, &byte)) {
			*status = TL_STATUS_INCOMPLETE;
			return i;
		}
		if (!byte)
			return i;
		to[i] = byte;
	}
	if (source_byte(src, address + i, user, &byte) && byte)
		*status = TL_STATUS_TRUNCATED;
	return i;
}

static inline u32 tl_source_bytes(const struct tl_source *src, u8 *to,
				  u64 address, u32 size, bool user, u32 *status)
{
	u32 i;

	if (source_faults(src)) {
		*status = TL_STATUS_FAULT;
		return 0;
	}
	for (i = 0; i < size; i++)
		if (!source_byte(src, address + i, user, &to[i])) {
			*status = i ? TL_STATUS_INCOMPLETE : TL_STATUS_FAULT;
			return i;
		}
	return size;
}

/*
 * The words of the stack are that of the kernel, the first three of them with all
 * bits flipped the user's. One that begins with an odd address has no end.
 */
static inline u32 tl_source_frames(const struct tl_source *src, u8 *to, u32 max,
				   u32 which, u32 *status)
{
	u32 count = which == TL_STACK_USER ? 3 : SOURCE_STACK, i;
	u64 address;

	if (source_faults(src)) {
		*status = TL_STATUS_FAULT;
		return 0;
	}
	if (count > max)
		*status = TL_STATUS_TRUNCATED;
	else if (src->stack[0] & 1)
		*status = TL_STATUS_INCOMPLETE;
	for (i = 0; i < count && i < max; i++) {
		address = src->stack[i] ^ (which == TL_STACK_USER ? ~0ull : 0);
		memcpy(to + i * sizeof(address), &address, sizeof(address));
	}
	return i * (u32)sizeof(address);
}

static inline u32 tl_source_comm(const struct tl_source *src, u8 *to)
{
	u32 length = (u32)strlen(src->comm);

	memcpy(to, src->comm, length);
	return length;
}

/* A family of two: the process, and the one numbered one less. */
static inline u64 tl_source_task(const struct tl_source *src, u32 which,
				 u64 number)
{
	if (which == TL_TASK_FAMILY)
		return number == src->task[TL_TASK_TGID] ||
		       number + 1 == src->task[TL_TASK_TGID];
	if (number || which < TL_TASK_TID || which >= TL_TASK_COMM)
		abort();
	return src->task[which];
}

#include "core/prog_run.h"

#endif
