// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads of memory that may not be there: pages that end, user memory with and
 * without a page, addresses that are none, in a task and in an interrupt.
 */
#include <linux/irq_work.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "memory.h"
#include "suites.h"
#include "trapline_packet.h"
#include "user.h"

#define STRING_MAX 200u
#define UNTOUCHED 0xee

/**
 * struct tl_string - one string read
 * @bytes: what was copied, and @UNTOUCHED behind it
 * @length: how much
 * @status: how it ended
 */
struct tl_string {
	u8 bytes[2 * PAGE_SIZE];
	u32 length;
	u32 status;
};

static struct tl_string *tl_string_make(struct kunit *test)
{
	struct tl_string *string = kunit_kzalloc(test, sizeof(*string),
						 GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, string);
	return string;
}

static void tl_read(struct tl_string *string, unsigned long address, u32 max,
		    bool user)
{
	memset(string->bytes, UNTOUCHED, sizeof(string->bytes));
	string->status = 99;
	string->length = tl_memory_string(string->bytes, address, max, user,
					  &string->status);
}

static void tl_vfree(void *memory)
{
	vfree(memory);
}

/* Two pages full of letters, behind which is nothing. */
static u8 *tl_pages_make(struct kunit *test)
{
	u8 *pages = vmalloc(2 * PAGE_SIZE);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, pages);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, tl_vfree, pages), 0);
	for (i = 0; i < 2 * PAGE_SIZE; i++)
		pages[i] = 'a' + i % 26;
	return pages;
}

/* Strings of each length across the border between two pages. */
static void tl_test_page_border(struct kunit *test)
{
	struct tl_string *string = tl_string_make(test);
	u8 *pages = tl_pages_make(test);
	u8 *from;
	u32 length;

	for (from = pages + PAGE_SIZE - 70; from <= pages + PAGE_SIZE; from++) {
		for (length = 0; length <= 140; length += 7) {
			from[length] = '\0';
			tl_read(string, (unsigned long)from, STRING_MAX, false);
			KUNIT_ASSERT_EQ(test, string->status, TL_STATUS_OK);
			KUNIT_ASSERT_EQ(test, string->length, length);
			KUNIT_ASSERT_MEMEQ(test, string->bytes, from, length);
			from[length] = 'z';
		}
	}
}

/* A string at the end of what is mapped. */
static void tl_test_last_page(struct kunit *test)
{
	struct tl_string *string = tl_string_make(test);
	u8 *pages = tl_pages_make(test);
	u8 *end = pages + 2 * PAGE_SIZE;
	u32 left;

	for (left = 1; left <= 140; left++) {
		unsigned long from = (unsigned long)end - left;

		tl_read(string, from, STRING_MAX, false);
		KUNIT_ASSERT_EQ(test, string->status, TL_STATUS_INCOMPLETE);
		KUNIT_ASSERT_EQ(test, string->length, left);
		KUNIT_ASSERT_MEMEQ(test, string->bytes, end - left, left);
		/* as long as allowed, and then nothing */
		tl_read(string, from, left, false);
		KUNIT_ASSERT_EQ(test, string->status, TL_STATUS_INCOMPLETE);
		end[-1] = '\0';
		tl_read(string, from, STRING_MAX, false);
		KUNIT_ASSERT_EQ(test, string->status, TL_STATUS_OK);
		KUNIT_ASSERT_EQ(test, string->length, left - 1);
		end[-1] = 'z';
	}
	tl_read(string, (unsigned long)end, STRING_MAX, false);
	KUNIT_EXPECT_EQ(test, string->status, TL_STATUS_FAULT);
	KUNIT_EXPECT_EQ(test, string->length, 0);
}

/* Cut at its maximum, or just whole; nothing is written behind it. */
static void tl_test_max(struct kunit *test)
{
	struct tl_string *string = tl_string_make(test);
	u8 *pages = tl_pages_make(test);
	u32 max;

	for (max = 1; max <= STRING_MAX; max++) {
		tl_read(string, (unsigned long)pages, max, false);
		KUNIT_ASSERT_EQ(test, string->status, TL_STATUS_TRUNCATED);
		KUNIT_ASSERT_EQ(test, string->length, max);
		KUNIT_ASSERT_EQ(test, string->bytes[max], UNTOUCHED);
		pages[max] = '\0';
		tl_read(string, (unsigned long)pages, max, false);
		KUNIT_ASSERT_EQ(test, string->status, TL_STATUS_OK);
		KUNIT_ASSERT_EQ(test, string->length, max);
		pages[max] = 'z';
	}
}

/* Reads across the end of a page, of each length that a program can have. */
static void tl_test_words(struct kunit *test)
{
	u8 *pages = tl_pages_make(test);
	u8 *end = pages + 2 * PAGE_SIZE;
	u8 value[8];
	u32 bytes, left;

	for (bytes = 1; bytes <= 8; bytes *= 2) {
		for (left = 0; left <= 16; left++) {
			const u8 *border = pages + PAGE_SIZE - left;
			bool done;

			done = tl_memory_read(value, (unsigned long)border,
					      bytes, false);
			KUNIT_ASSERT_TRUE(test, done);
			KUNIT_ASSERT_MEMEQ(test, value, border, bytes);
			done = tl_memory_read(value, (unsigned long)end - left,
					      bytes, false);
			KUNIT_ASSERT_EQ(test, done, left >= bytes);
			if (done)
				KUNIT_ASSERT_MEMEQ(test, value, end - left,
						   bytes);
		}
	}
}

/* Where nothing is, or nothing can be: a fault, and no word in the log. */
static void tl_test_nowhere(struct kunit *test)
{
	static const unsigned long addresses[] = {
		0, 8, PAGE_SIZE, 0x7ffffffff000, 0x7fffffffffff,
		0x800000000000, 0x0080000000000000, 0x8000000000000000,
		0xdead000000000100, 0xffff7fffffffffff, 0xffffffffffffe000,
		0xfffffffffffff000, 0xfffffffffffffff8, 0xffffffffffffffff,
	};
	struct tl_string *string = tl_string_make(test);
	u32 i, user;
	u64 value;
	bool done;

	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		for (user = 0; user < 2; user++) {
			done = tl_memory_read((u8 *)&value, addresses[i], 8,
					      user);
			KUNIT_EXPECT_FALSE_MSG(test, done, "%lx", addresses[i]);
			tl_read(string, addresses[i], STRING_MAX, user);
			KUNIT_EXPECT_EQ(test, string->status, TL_STATUS_FAULT);
		}
	}
}

/* Two pages of user memory, of which the second one was never touched. */
static unsigned long tl_user_make(struct kunit *test)
{
	unsigned long at = tl_user_map(test, 2 * PAGE_SIZE);
	char letters[64];

	memset(letters, 'u', sizeof(letters));
	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)(at + PAGE_SIZE - 64),
					      letters, sizeof(letters)));
	return at;
}

static void tl_test_user(struct kunit *test)
{
	struct tl_string *string = tl_string_make(test);
	unsigned long at = tl_user_make(test);
	unsigned long from = at + PAGE_SIZE - 10;
	u64 value;

	/* the page behind is there, but it is not brought in for us */
	tl_read(string, from, STRING_MAX, true);
	KUNIT_EXPECT_EQ(test, string->status, TL_STATUS_INCOMPLETE);
	KUNIT_EXPECT_EQ(test, string->length, 10);
	KUNIT_EXPECT_MEMEQ(test, string->bytes, "uuuuuuuuuu", 10);
	KUNIT_EXPECT_FALSE(test, tl_memory_read((u8 *)&value, at + PAGE_SIZE, 8,
						true));
	KUNIT_EXPECT_EQ(test, 0, put_user('v', (char __user *)(at + PAGE_SIZE)));
	tl_read(string, from, STRING_MAX, true);
	KUNIT_EXPECT_EQ(test, string->status, TL_STATUS_OK);
	KUNIT_EXPECT_EQ(test, string->length, 11);
	/* the address alone says that it is the user's */
	KUNIT_EXPECT_TRUE(test, tl_memory_read((u8 *)&value, from, 8, false));
	KUNIT_EXPECT_EQ(test, value, 0x7575757575757575);
}

/* Kernel memory is none of the user's. */
static void tl_test_user_kernel(struct kunit *test)
{
	u8 *pages = tl_pages_make(test);
	u64 value;

	tl_user_make(test);
	KUNIT_EXPECT_FALSE(test, tl_memory_read((u8 *)&value,
						(unsigned long)pages, 8, true));
	KUNIT_EXPECT_TRUE(test, tl_memory_read((u8 *)&value,
					       (unsigned long)pages, 8, false));
}

static void tl_test_no_user(struct kunit *test)
{
	u64 value;

	KUNIT_ASSERT_NULL(test, current->mm);
	KUNIT_EXPECT_FALSE(test, tl_memory_read((u8 *)&value, 0x400000, 8, true));
	KUNIT_EXPECT_FALSE(test, tl_memory_read((u8 *)&value, 0x400000, 8, false));
}

/**
 * struct tl_borrower - a read in an interrupt
 * @work: the interrupt
 * @at: of user memory
 * @kernel: address of kernel memory
 * @user_read: the user memory could be read
 * @kernel_read: the kernel memory could be read
 */
struct tl_borrower {
	struct irq_work work;
	unsigned long at;
	unsigned long kernel;
	bool user_read;
	bool kernel_read;
};

static void tl_borrow(struct irq_work *work)
{
	struct tl_borrower *borrower =
		container_of(work, struct tl_borrower, work);
	u64 value;

	borrower->user_read = tl_memory_read((u8 *)&value, borrower->at, 8, true);
	borrower->kernel_read = tl_memory_read((u8 *)&value, borrower->kernel, 8,
					       false);
}

/* An interrupt has borrowed the task: its memory is not the event's. */
static void tl_test_borrowed(struct kunit *test)
{
	struct tl_borrower borrower = {
		.at = tl_user_make(test) + PAGE_SIZE - 8,
		.kernel = (unsigned long)tl_pages_make(test),
		.user_read = true,
	};
	u64 value;

	KUNIT_EXPECT_TRUE(test, tl_memory_read((u8 *)&value, borrower.at, 8,
					       true));
	borrower.work = IRQ_WORK_INIT_HARD(tl_borrow);
	irq_work_queue(&borrower.work);
	irq_work_sync(&borrower.work);
	KUNIT_EXPECT_FALSE(test, borrower.user_read);
	KUNIT_EXPECT_TRUE(test, borrower.kernel_read);
}

static struct kunit_case tl_memory_cases[] = {
	KUNIT_CASE(tl_test_page_border),
	KUNIT_CASE(tl_test_last_page),
	KUNIT_CASE(tl_test_max),
	KUNIT_CASE(tl_test_words),
	KUNIT_CASE(tl_test_nowhere),
	KUNIT_CASE(tl_test_user),
	KUNIT_CASE(tl_test_user_kernel),
	KUNIT_CASE(tl_test_no_user),
	KUNIT_CASE(tl_test_borrowed),
	{}
};

struct kunit_suite tl_memory_suite = {
	.name = "memory",
	.test_cases = tl_memory_cases,
};
