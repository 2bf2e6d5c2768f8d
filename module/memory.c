// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads of memory that may not be there, in any context.
 *
 * strncpy_from_kernel_nofault() and strncpy_from_user_nofault() are not
 * exported, so strings are read in pieces with the two functions that are.
 */
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "arch/arch.h"
#include "context.h"
#include "memory.h"
#include "trapline_packet.h"

/* Most strings end within one piece of this. */
#define TL_STRING_PIECE_BYTES 64u

/*
 * Where one address cannot be both, a user address read as kernel memory is
 * taken for what it is, as kprobe_events does.
 */
static bool tl_is_user_address(unsigned long address)
{
	return IS_ENABLED(CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE) &&
	       address < TASK_SIZE_MAX;
}

NOKPROBE_SYMBOL(tl_is_user_address);

/**
 * tl_memory_read_kernel() - read kernel memory, or learn that it cannot be read
 * @to: where to; on a fault it may have been written in part
 * @address: where from
 * @bytes: how many
 *
 * Returns false for a fault, which an address of user memory always is.
 */
bool tl_memory_read_kernel(u8 *to, unsigned long address, u32 bytes)
{
	return tl_arch_can_map(address) && tl_arch_can_map(address + bytes - 1) &&
	       !copy_from_kernel_nofault(to, (const void *)address, bytes);
}

NOKPROBE_SYMBOL(tl_memory_read_kernel);

/**
 * tl_memory_read() - read memory, or learn that it cannot be read
 * @to: where to; on a fault it may have been written in part
 * @address: where from
 * @bytes: how many
 * @user: of the current task's user memory
 *
 * Returns false for a fault: nothing is mapped, a user address was meant to be
 * a kernel one or the reverse, the page is not present (it is not brought in),
 * or user memory is meant in an interrupt.
 */
bool tl_memory_read(u8 *to, unsigned long address, u32 bytes, bool user)
{
	if (user || tl_is_user_address(address))
		return tl_context_has_user() &&
		       !copy_from_user_nofault(to, (const void __user *)address,
					       bytes);
	return tl_memory_read_kernel(to, address, bytes);
}

NOKPROBE_SYMBOL(tl_memory_read);

/* The string did not end within @max bytes: what comes next tells why. */
static u32 tl_string_cut(unsigned long end, bool user, u32 max, u32 *status)
{
	u8 next;

	if (!tl_memory_read(&next, end, 1, user))
		*status = TL_STATUS_INCOMPLETE;
	else
		*status = next ? TL_STATUS_TRUNCATED : TL_STATUS_OK;
	return max;
}

NOKPROBE_SYMBOL(tl_string_cut);

/**
 * tl_memory_string() - copy a string without its NUL
 * @to: room for @max bytes
 * @address: where the string starts
 * @max: longest string
 * @user: in user memory
 * @status: TL_STATUS_* of the result
 *
 * Pieces do not cross a page, so that a string which ends on a page is not
 * said to fault because of the next one. Returns the length copied.
 */
u32 tl_memory_string(u8 *to, unsigned long address, u32 max, bool user,
		     u32 *status)
{
	u32 length = 0;

	while (length < max) {
		unsigned long from = address + length;
		u32 page_left = PAGE_SIZE - offset_in_page(from);
		u32 piece = min3(TL_STRING_PIECE_BYTES, page_left, max - length);
		const u8 *end;

		if (!tl_memory_read(to + length, from, piece, user)) {
			*status = length ? TL_STATUS_INCOMPLETE :
					   TL_STATUS_FAULT;
			return length;
		}
		end = memchr(to + length, '\0', piece);
		if (end) {
			*status = TL_STATUS_OK;
			return (u32)(end - to);
		}
		length += piece;
	}
	return tl_string_cut(address + max, user, max, status);
}

NOKPROBE_SYMBOL(tl_memory_string);

/**
 * tl_memory_bytes() - copy memory up to the first page that cannot be read
 * @to: room for @size bytes
 * @address: where it starts
 * @size: how many
 * @user: in user memory
 * @status: TL_STATUS_* of the result
 *
 * Returns how many bytes were copied: fewer than @size are incomplete, none are
 * a fault.
 */
u32 tl_memory_bytes(u8 *to, unsigned long address, u32 size, bool user,
		    u32 *status)
{
	u32 length = 0;

	while (length < size) {
		unsigned long from = address + length;
		u32 page_left = PAGE_SIZE - offset_in_page(from);
		u32 piece = min(page_left, size - length);

		if (!tl_memory_read(to + length, from, piece, user)) {
			*status = length ? TL_STATUS_INCOMPLETE :
					   TL_STATUS_FAULT;
			return length;
		}
		length += piece;
	}
	*status = TL_STATUS_OK;
	return length;
}

NOKPROBE_SYMBOL(tl_memory_bytes);
